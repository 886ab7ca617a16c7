"""The run-time support that every native module carries: context, allocator, tape, in LLVM text.

A context is one block of memory per running call; there is no global state. Its fields, in i64
words, are listed in `retrograd.runtime.layout`. Arrays are allocated with a 64-byte header: next
and previous block, bytes, next free block (or `LIVE`). All blocks that the system has given are
chained, so that an error can free whatever is live. Blocks up to 8 KiB stay in the chain when they
are freed and are kept in free lists by size, one for each multiple of 64: to take one and to give
it back are a few instructions each. Many of them are in the way of all that looks through the
chain: those can be parked, which is out of the chain until they are needed again.
"""

from __future__ import annotations

from retrograd.runtime.layout import FREE_LISTS, PARKED, field_offset

__all__ = ["LIVE", "RUNTIME_TEXT", "SHARED_TEXT", "TAPED"]

LIVE, TAPED = 1, 3
"""What a block that is handed out has in the place of the next free block, and one that is on the
tape of sweeps that share a context (`SHARED_TEXT`)."""

_PLAIN = {
    "taken": "  %total = add i64 %now, 0",
    "owner": f"  store i64 {LIVE}, ptr %statep",
}
_SHARED = {
    "taken": f"""\
  %topp = getelementptr i8, ptr %ctx, i64 {field_offset("tape_top")}
  %top = load i64, ptr %topp
  %basep = getelementptr i8, ptr %ctx, i64 {field_offset("tape_base")}
  %base = load i64, ptr %basep
  %used = sub i64 %top, %base
  %total = add i64 %now, %used""",
    "owner": f"""\
  %ownerp = getelementptr i8, ptr %ctx, i64 {field_offset("owner")}
  %owner = load i64, ptr %ownerp
  store i64 %owner, ptr %statep""",
}
"""The bytes that count against the limit, with those on the tape where sweeps share a context; and
the note of whose a block is."""


def _alloc_text(taken: str, owner: str) -> str:
    return f"""
define internal noalias ptr @rg_alloc(ptr %ctx, i64 %bytes) noinline {{
entry:
  %padded = add i64 %bytes, 63
  %size = and i64 %padded, -64
  %livep = getelementptr i8, ptr %ctx, i64 {field_offset("live")}
  %live = load i64, ptr %livep
  %now = add i64 %live, %size
  %limitp = getelementptr i8, ptr %ctx, i64 {field_offset("limit")}
  %limit = load i64, ptr %limitp
{taken}
  %over = icmp ugt i64 %total, %limit
  %huge = icmp ugt i64 %bytes, 4611686018427387904
  %refuse = or i1 %over, %huge
  br i1 %refuse, label %none, label %try, !prof !19
try:
  %small = icmp ule i64 %size, 8192
  br i1 %small, label %list, label %system
list:
  %class = lshr exact i64 %size, 6
  %index = add nuw nsw i64 %class, {FREE_LISTS}
  %headp = getelementptr i64, ptr %ctx, i64 %index
  %head = load ptr, ptr %headp
  %empty = icmp eq ptr %head, null
  br i1 %empty, label %system, label %reuse, !prof !19
reuse:
  %nextp = getelementptr i8, ptr %head, i64 24
  %next = load ptr, ptr %nextp
  store ptr %next, ptr %headp
  br label %have
system:
  %raw = call ptr @rg_from_system(ptr %ctx, i64 %size)
  %failed = icmp eq ptr %raw, null
  br i1 %failed, label %none, label %have, !prof !19
have:
  %block = phi ptr [%head, %reuse], [%raw, %system]
  %statep = getelementptr i8, ptr %block, i64 24
{owner}
  store i64 %now, ptr %livep
  %peakp = getelementptr i8, ptr %ctx, i64 {field_offset("peak")}
  %peak = load i64, ptr %peakp
  %newpeak = call i64 @llvm.umax.i64(i64 %total, i64 %peak)
  store i64 %newpeak, ptr %peakp
  %countp = getelementptr i8, ptr %ctx, i64 {field_offset("allocations")}
  %count = load i64, ptr %countp
  %count1 = add i64 %count, 1
  store i64 %count1, ptr %countp
  %data = getelementptr i8, ptr %block, i64 64
  ret ptr %data
none:
  ret ptr null
}}

"""


def _taken_off(lists: int, what: str) -> str:
    """Takes every block off the lists of free blocks that begin at this word; `what` is then done
    with each of them, as `%head`, out of list `%c`; `%headp` and `%linkp` are the places of the
    list's head and of the block's link."""
    return f"""\
class:
  %c = phi i64 [0, %entry], [%c1, %nextclass]
  %more = icmp ule i64 %c, 128
  br i1 %more, label %pop, label %done
pop:
  %index = add i64 %c, {lists}
  %headp = getelementptr i64, ptr %ctx, i64 %index
  %head = load ptr, ptr %headp
  %empty = icmp eq ptr %head, null
  br i1 %empty, label %nextclass, label %take
take:
  %linkp = getelementptr i8, ptr %head, i64 24
  %link = load ptr, ptr %linkp
  store ptr %link, ptr %headp
{what}
  br label %pop
nextclass:
  %c1 = add i64 %c, 1
  br label %class
done:"""


_PARK = f"""\
  call void @rg_unchain(ptr %ctx, ptr %head)
  %place = add i64 %c, {PARKED}
  %listp = getelementptr i64, ptr %ctx, i64 %place
  %list = load ptr, ptr %listp
  store ptr %list, ptr %linkp
  store ptr %head, ptr %listp
  %parked = load i64, ptr %parkedp
  %sizep = getelementptr i8, ptr %head, i64 16
  %size = load i64, ptr %sizep
  %parked1 = add i64 %parked, %size
  store i64 %parked1, ptr %parkedp"""

_TRIM = "  call void @free(ptr %head)"

_DECLARED = """
declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)
declare ptr @malloc(i64)
"""

_REST = f"""
declare i64 @llvm.umax.i64(i64, i64)

define internal void @rg_leave_room(ptr %ctx, i64 %live) noinline cold {{
entry:
  %limitp = getelementptr i8, ptr %ctx, i64 {field_offset("limit")}
  %limit = load i64, ptr %limitp
  %basep = getelementptr i8, ptr %ctx, i64 {field_offset("tape_base")}
  %base = load i64, ptr %basep
  %endp = getelementptr i8, ptr %ctx, i64 {field_offset("tape_end")}
  %end = load i64, ptr %endp
  %some = icmp ugt i64 %limit, %live
  %rest = sub i64 %limit, %live
  %room = select i1 %some, i64 %rest, i64 0
  %whole = sub i64 %end, %base
  %less = call i64 @llvm.umin.i64(i64 %room, i64 %whole)
  %to = add i64 %base, %less
  %tapelimitp = getelementptr i8, ptr %ctx, i64 {field_offset("tape_limit")}
  store i64 %to, ptr %tapelimitp
  ret void
}}

define internal ptr @rg_from_system(ptr %ctx, i64 %size) noinline cold {{
entry:
  %livep = getelementptr i8, ptr %ctx, i64 {field_offset("live")}
  %live = load i64, ptr %livep
  %now = add i64 %live, %size
  %topp = getelementptr i8, ptr %ctx, i64 {field_offset("tape_top")}
  %top = load i64, ptr %topp
  %basep = getelementptr i8, ptr %ctx, i64 {field_offset("tape_base")}
  %base = load i64, ptr %basep
  %taped = sub i64 %top, %base
  %all = add i64 %now, %taped
  %limitp = getelementptr i8, ptr %ctx, i64 {field_offset("limit")}
  %limit = load i64, ptr %limitp
  %over = icmp ugt i64 %all, %limit
  br i1 %over, label %refuse, label %ask
refuse:
  ret ptr null
ask:
  %parkedp = getelementptr i8, ptr %ctx, i64 {field_offset("parked")}
  %parked = load i64, ptr %parkedp
  %nothing = icmp eq i64 %parked, 0
  br i1 %nothing, label %other, label %looking
looking:
  %listed = icmp ule i64 %size, 8192
  br i1 %listed, label %class, label %other
class:
  %number = lshr exact i64 %size, 6
  %place = add nuw nsw i64 %number, {PARKED}
  %listp = getelementptr i64, ptr %ctx, i64 %place
  %list = load ptr, ptr %listp
  %gone = icmp eq ptr %list, null
  br i1 %gone, label %other, label %found
found:
  %flinkp = getelementptr i8, ptr %list, i64 24
  %flink = load ptr, ptr %flinkp
  store ptr %flink, ptr %listp
  %less = sub i64 %parked, %size
  store i64 %less, ptr %parkedp
  br label %take
other:
  %heldp = getelementptr i8, ptr %ctx, i64 {field_offset("held")}
  %held = load i64, ptr %heldp
  %needed = add i64 %size, %taped
  %total = add i64 %held, %needed
  %crowded = icmp ugt i64 %total, %limit
  br i1 %crowded, label %trim, label %system
trim:
  call void @rg_trim(ptr %ctx)
  %held1 = load i64, ptr %heldp
  %total1 = add i64 %held1, %needed
  %still = icmp ugt i64 %total1, %limit
  br i1 %still, label %empty, label %system
empty:
  call void @rg_park(ptr %ctx)
  call void @rg_trim(ptr %ctx)
  br label %system
system:
  %bytes = add i64 %size, 64
  %given = call ptr @aligned_alloc(i64 64, i64 %bytes)
  %failed = icmp eq ptr %given, null
  br i1 %failed, label %done, label %hold
hold:
  %held2 = load i64, ptr %heldp
  %held3 = add i64 %held2, %size
  store i64 %held3, ptr %heldp
  br label %take
take:
  %raw = phi ptr [%list, %found], [%given, %hold]
  call void @rg_leave_room(ptr %ctx, i64 %now)
  br label %chain_it
chain_it:
  %chainp = getelementptr i8, ptr %ctx, i64 {field_offset("blocks")}
  %chain = load ptr, ptr %chainp
  store ptr null, ptr %raw
  %linkp = getelementptr i8, ptr %raw, i64 8
  store ptr %chain, ptr %linkp
  %sizep = getelementptr i8, ptr %raw, i64 16
  store i64 %size, ptr %sizep
  store ptr %raw, ptr %chainp
  %nochain = icmp eq ptr %chain, null
  br i1 %nochain, label %chained, label %back
back:
  store ptr %raw, ptr %chain
  br label %chained
chained:
  ret ptr %raw
done:
  ret ptr null
}}

define internal void @rg_unchain(ptr %ctx, ptr %block) {{
entry:
  %prev = load ptr, ptr %block
  %nextp = getelementptr i8, ptr %block, i64 8
  %next = load ptr, ptr %nextp
  %first = icmp eq ptr %prev, null
  br i1 %first, label %head, label %middle
head:
  %chainp = getelementptr i8, ptr %ctx, i64 {field_offset("blocks")}
  store ptr %next, ptr %chainp
  br label %forward
middle:
  %prevnext = getelementptr i8, ptr %prev, i64 8
  store ptr %next, ptr %prevnext
  br label %forward
forward:
  %last = icmp eq ptr %next, null
  br i1 %last, label %done, label %fix
fix:
  store ptr %prev, ptr %next
  br label %done
done:
  ret void
}}

define internal void @rg_to_system(ptr %ctx, ptr %block) noinline cold {{
  call void @rg_unchain(ptr %ctx, ptr %block)
  %sizep = getelementptr i8, ptr %block, i64 16
  %size = load i64, ptr %sizep
  %heldp = getelementptr i8, ptr %ctx, i64 {field_offset("held")}
  %held = load i64, ptr %heldp
  %held1 = sub i64 %held, %size
  store i64 %held1, ptr %heldp
  call void @free(ptr %block)
  %livep = getelementptr i8, ptr %ctx, i64 {field_offset("live")}
  %live = load i64, ptr %livep
  call void @rg_leave_room(ptr %ctx, i64 %live)
  ret void
}}

define internal void @rg_words(ptr noalias %to, ptr noalias %from, i64 %bytes) alwaysinline {{
entry:
  %short = icmp ule i64 %bytes, 128
  br i1 %short, label %head, label %long
head:
  %k = phi i64 [0, %entry], [%k8, %word]
  %more = icmp ult i64 %k, %bytes
  br i1 %more, label %word, label %done
word:
  %source = getelementptr i8, ptr %from, i64 %k
  %target = getelementptr i8, ptr %to, i64 %k
  %value = load i64, ptr %source
  store i64 %value, ptr %target
  %k8 = add nuw nsw i64 %k, 8
  br label %head, !llvm.loop !14
long:
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %bytes, i1 false)
  br label %done
done:
  ret void
}}

define internal void @rg_drop(ptr %ctx, ptr %block, i64 %size) alwaysinline {{
entry:
  %small = icmp ule i64 %size, 8192
  br i1 %small, label %list, label %system
list:
  %class = lshr exact i64 %size, 6
  %index = add nuw nsw i64 %class, {FREE_LISTS}
  %headp = getelementptr i64, ptr %ctx, i64 %index
  %head = load ptr, ptr %headp
  %linkp = getelementptr i8, ptr %block, i64 24
  store ptr %head, ptr %linkp
  store ptr %block, ptr %headp
  ret void
system:
  call void @rg_to_system(ptr %ctx, ptr %block)
  ret void
}}

define internal void @rg_free(ptr %ctx, ptr %data) noinline {{
entry:
  %np = getelementptr i8, ptr %ctx, i64 {field_offset("externals")}
  %n = load i64, ptr %np
  %tablep = getelementptr i8, ptr %ctx, i64 {field_offset("external_table")}
  %table = load ptr, ptr %tablep
  br label %scan
scan:
  %k = phi i64 [0, %entry], [%k1, %next_external]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %look, label %own
look:
  %ep = getelementptr i64, ptr %table, i64 %k
  %e = load ptr, ptr %ep
  %same = icmp eq ptr %e, %data
  br i1 %same, label %done, label %next_external
next_external:
  %k1 = add i64 %k, 1
  br label %scan
own:
  %block = getelementptr i8, ptr %data, i64 -64
  %sizep = getelementptr i8, ptr %block, i64 16
  %size = load i64, ptr %sizep
  %livep = getelementptr i8, ptr %ctx, i64 {field_offset("live")}
  %live = load i64, ptr %livep
  %now = sub i64 %live, %size
  store i64 %now, ptr %livep
  call void @rg_drop(ptr %ctx, ptr %block, i64 %size)
  br label %done
done:
  ret void
}}

define void @rg_release_all(ptr %ctx) noinline {{
entry:
  %np = getelementptr i8, ptr %ctx, i64 {field_offset("externals")}
  store i64 0, ptr %np
  %livep = getelementptr i8, ptr %ctx, i64 {field_offset("live")}
  store i64 0, ptr %livep
  %lists = getelementptr i64, ptr %ctx, i64 {FREE_LISTS}
  call void @llvm.memset.p0.i64(ptr %lists, i8 0, i64 {8 * 129}, i1 false)
  %chainp = getelementptr i8, ptr %ctx, i64 {field_offset("blocks")}
  %first = load ptr, ptr %chainp
  br label %each
each:
  %block = phi ptr [%first, %entry], [%next, %drop]
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %drop
drop:
  %nextp = getelementptr i8, ptr %block, i64 8
  %next = load ptr, ptr %nextp
  %sizep = getelementptr i8, ptr %block, i64 16
  %size = load i64, ptr %sizep
  call void @rg_drop(ptr %ctx, ptr %block, i64 %size)
  br label %each
done:
  ret void
}}

define void @rg_park(ptr %ctx) noinline {{
entry:
  %parkedp = getelementptr i8, ptr %ctx, i64 {field_offset("parked")}
  br label %class
{_taken_off(FREE_LISTS, _PARK)}
  ret void
}}

define void @rg_trim(ptr %ctx) noinline {{
entry:
  br label %class
{_taken_off(PARKED, _TRIM)}
  %parkedp = getelementptr i8, ptr %ctx, i64 {field_offset("parked")}
  %parked = load i64, ptr %parkedp
  store i64 0, ptr %parkedp
  %heldp = getelementptr i8, ptr %ctx, i64 {field_offset("held")}
  %held = load i64, ptr %heldp
  %held1 = sub i64 %held, %parked
  store i64 %held1, ptr %heldp
  ret void
}}

define void @rg_hand_over(ptr %ctx, ptr %data, ptr %target, i64 %bytes) noinline {{
  call void @llvm.memcpy.p0.p0.i64(ptr %target, ptr %data, i64 %bytes, i1 false)
  call void @rg_free(ptr %ctx, ptr %data)
  ret void
}}
"""

RUNTIME_TEXT = _DECLARED + _alloc_text(**_PLAIN) + _REST

SHARED_TEXT = f"""{_DECLARED}{_alloc_text(**_SHARED)}{_REST}
define void @rg_drop_blocks(ptr %ctx, i64 %owner) noinline {{
entry:
  %chainp = getelementptr i8, ptr %ctx, i64 {field_offset("blocks")}
  %first = load ptr, ptr %chainp
  br label %each
each:
  %block = phi ptr [%first, %entry], [%next, %look], [%next, %drop]
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %look
look:
  %nextp = getelementptr i8, ptr %block, i64 8
  %next = load ptr, ptr %nextp
  %statep = getelementptr i8, ptr %block, i64 24
  %state = load i64, ptr %statep
  %mine = icmp eq i64 %state, %owner
  br i1 %mine, label %drop, label %each
drop:
  %data = getelementptr i8, ptr %block, i64 64
  call void @rg_free(ptr %ctx, ptr %data)
  br label %each
done:
  ret void
}}

define void @rg_forget(ptr %ctx, i32 %taped) {{
entry:
  call void @rg_drop_frames(ptr %ctx)
  call void @rg_drop_blocks(ptr %ctx, i64 {LIVE})
  %some = icmp ne i32 %taped, 0
  br i1 %some, label %tape, label %done
tape:
  call void @rg_drop_blocks(ptr %ctx, i64 {TAPED})
  %topp = getelementptr i8, ptr %ctx, i64 {field_offset("tape_top")}
  %basep = getelementptr i8, ptr %ctx, i64 {field_offset("tape_base")}
  %base = load i64, ptr %basep
  store i64 %base, ptr %topp
  %arraysp = getelementptr i8, ptr %ctx, i64 {field_offset("tape_arrays")}
  store i64 0, ptr %arraysp
  br label %done
done:
  ret void
}}
"""
"""The same for a context in which a forward and a reverse sweep take turns: a block has the number
of whoever ran when it was made (1 is a forward sweep, 2 a reverse one). `rg_drop_blocks` frees
those of one of them; `rg_forget` frees all of the forward sweep's, and what is on the tape as well
if that is asked for."""
