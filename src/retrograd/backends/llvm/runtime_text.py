"""The run-time support of native modules: context, allocator, tape, in LLVM text.

A context is one block of memory per running call; there is no global state. Its fields, in i64
words, are listed in `retrograd.runtime.layout`. Arrays are allocated with a 64-byte header: next
and previous block, bytes, next free block (or `LIVE`). All blocks that the system has given are
chained, so that an error can free whatever is live. Blocks up to 8 KiB stay in the chain when they
are freed and are kept in free lists by size, one for each multiple of 64: to take one and to give
it back are a few instructions each. Many of them are in the way of all that looks through the
chain: those can be parked, which is out of the chain until they are needed again (`system_text`).

A run may be given up at any instruction that is not in a section marked as busy (`signal_text`).
The chain changes in such sections only; lists of blocks that are in it, and counts, are made anew
by `rg_release_all`.
"""

from __future__ import annotations

from retrograd.backends.llvm.signal_text import BUSY_TEXT
from retrograd.backends.llvm.system_text import SYSTEM_TEXT
from retrograd.runtime.layout import FREE_LISTS, field_offset

__all__ = ["LIVE", "RUNTIME_TEXT", "SHARED_TEXT", "TAPED", "WORDS_TEXT"]

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
define noalias ptr @rg_alloc(ptr %ctx, i64 %bytes) noinline {{
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
  %auxp = getelementptr i8, ptr %ctx, i64 {field_offset("aux0")}
  store i64 %bytes, ptr %auxp
  ret ptr null
}}

"""


_SIZES = f"""
define noalias ptr @rg_alloc_1(ptr %ctx, i64 %count, i64 %element) nounwind {{
entry:
  %huge = icmp ugt i64 %count, {2**59}
  %size = mul i64 %count, %element
  %bytes = select i1 %huge, i64 {2**63 - 1}, i64 %size
  %data = tail call noalias ptr @rg_alloc(ptr %ctx, i64 %bytes)
  ret ptr %data
}}

define noalias ptr @rg_alloc_2(ptr %ctx, i64 %rows, i64 %columns, i64 %element) nounwind {{
entry:
  %pair = call {{i64, i1}} @llvm.umul.with.overflow.i64(i64 %rows, i64 %columns)
  %count = extractvalue {{i64, i1}} %pair, 0
  %over = extractvalue {{i64, i1}} %pair, 1
  %many = select i1 %over, i64 -1, i64 %count
  %data = tail call noalias ptr @rg_alloc_1(ptr %ctx, i64 %many, i64 %element)
  ret ptr %data
}}
"""
"""Allocators of arrays, by their extents and the bytes of an element."""


def _cleared(place: str) -> str:
    """Stores of zeros to the 128 bytes at a place; its name begins the names of the addresses."""
    lines = [
        f"  %{place}{k} = getelementptr i8, ptr %{place}, i64 {32 * k}\n"
        f"  store <4 x i64> zeroinitializer, ptr %{place}{k}, align 1\n"
        for k in range(4)
    ]
    return "".join(lines)


_CLEAR = f"""
define void @rg_clear(ptr nocapture %to, i64 %bytes) nounwind "no-builtin-memset" {{
entry:
  %above = add i64 %bytes, -2049
  %own = icmp ult i64 %above, 14336
  br i1 %own, label %head, label %library
head:
  %k = phi i64 [0, %entry], [%next, %head]
  %at = getelementptr i8, ptr %to, i64 %k
{_cleared("at")}\
  %next = add nuw nsw i64 %k, 128
  %end = add nuw nsw i64 %k, 256
  %more = icmp ule i64 %end, %bytes
  br i1 %more, label %head, label %rest
rest:
  %left = add i64 %bytes, -128
  %last = getelementptr i8, ptr %to, i64 %left
{_cleared("last")}\
  ret void
library:
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %bytes, i1 false)
  ret void
}}
"""
"""Clears memory. C libraries use one instruction (`rep stosb`) from 2 KiB on, which takes 20 ns to
begin: up to 16 KiB stores of vectors are faster."""


WORDS_TEXT = """
define internal void @rg_words(ptr noalias %to, ptr noalias %from, i64 %bytes) alwaysinline {
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
}
"""
"""A copy of a few words, which goes into the code that needs it."""

_REST = f"""
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

define void @rg_free(ptr %ctx, ptr %data) noinline {{
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

define void @rg_hand_over(ptr %ctx, ptr %data, ptr %target, i64 %bytes) noinline {{
  call void @llvm.memcpy.p0.p0.i64(ptr %target, ptr %data, i64 %bytes, i1 false)
  call void @rg_free(ptr %ctx, ptr %data)
  ret void
}}

define void @rg_give_up(ptr %ctx, ptr %data) noinline {{
  call void @rg_enter(ptr %ctx)
  %block = getelementptr i8, ptr %data, i64 -64
  call void @rg_unchain(ptr %ctx, ptr %block)
  %sizep = getelementptr i8, ptr %block, i64 16
  %size = load i64, ptr %sizep
  %livep = getelementptr i8, ptr %ctx, i64 {field_offset("live")}
  %live = load i64, ptr %livep
  %now = sub i64 %live, %size
  store i64 %now, ptr %livep
  %heldp = getelementptr i8, ptr %ctx, i64 {field_offset("held")}
  %held = load i64, ptr %heldp
  %rest = sub i64 %held, %size
  store i64 %rest, ptr %heldp
  call void @rg_leave_room(ptr %ctx, i64 %now)
  call void @rg_leave(ptr %ctx)
  ret void
}}
"""

RUNTIME_TEXT = BUSY_TEXT + SYSTEM_TEXT + _alloc_text(**_PLAIN) + _SIZES + _CLEAR + _REST

SHARED_TEXT = f"""{BUSY_TEXT}{SYSTEM_TEXT}{_alloc_text(**_SHARED)}{_SIZES}{_CLEAR}{_REST}
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
