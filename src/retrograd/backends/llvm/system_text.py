"""Blocks from the system and back to it, in LLVM text: the rare part of every module's allocator.

Free blocks of up to 8 KiB can be parked, which is out of the chain that all look through
(`runtime_text`). A few large blocks are out of it until one of just that size is wanted: a
simulation makes arrays of the same sizes in each step, and the system would clear their pages each
time. What is held so goes before memory is refused.
"""

from __future__ import annotations

from retrograd.runtime.layout import FREE_LISTS, PARKED, PLACES, field_offset

__all__ = ["SYSTEM_TEXT"]

_LARGE, _MANY_LARGE = 1 << 16, 64
"""From so many bytes on blocks are large; so many of them, an eighth of the limit at most, are not
given back at once."""


def _taken_off(lists: int, what: str, last: int = 128) -> str:
    """Takes every block off the lists of free blocks that begin at this word, up to the one with
    the number `last`; `what` is then done with each of them, as `%head`, out of list `%c`; `%headp`
    and `%linkp` are the places of the list's head and of the block's link."""
    return f"""\
class:
  %c = phi i64 [0, %entry], [%c1, %nextclass]
  %more = icmp ule i64 %c, {last}
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


def _given_back(lists: int, last: int, counted: str) -> str:
    """Gives all blocks of some lists back to the system; the field has their bytes."""
    return f"""\
entry:
  br label %class
{_taken_off(lists, _TRIM, last)}
  %bytesp = getelementptr i8, ptr %ctx, i64 {field_offset(counted)}
  %bytes = load i64, ptr %bytesp
  store i64 0, ptr %bytesp
  %heldp = getelementptr i8, ptr %ctx, i64 {field_offset("held")}
  %held = load i64, ptr %heldp
  %held1 = sub i64 %held, %bytes
  store i64 %held1, ptr %heldp"""


SYSTEM_TEXT = f"""
declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)
declare ptr @malloc(i64)
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
  %largep = getelementptr i8, ptr %ctx, i64 {field_offset("large")}
  br i1 %over, label %refuse, label %ask
refuse:
  ret ptr null
ask:
  call void @rg_enter(ptr %ctx)
  %huge = icmp uge i64 %size, {_LARGE}
  br i1 %huge, label %walk, label %common
walk:
  %wlinkp = phi ptr [%largep, %ask], [%nlinkp, %onward]
  %node = load ptr, ptr %wlinkp
  %ended = icmp eq ptr %node, null
  br i1 %ended, label %common, label %compare
compare:
  %nsizep = getelementptr i8, ptr %node, i64 16
  %nsize = load i64, ptr %nsizep
  %nlinkp = getelementptr i8, ptr %node, i64 24
  %fitting = icmp eq i64 %nsize, %size
  br i1 %fitting, label %hit, label %onward
onward:
  br label %walk
hit:
  %nlink = load ptr, ptr %nlinkp
  store ptr %nlink, ptr %wlinkp
  %lbytesp = getelementptr i8, ptr %ctx, i64 {field_offset("large_bytes")}
  %lbytes = load i64, ptr %lbytesp
  %lbytes1 = sub i64 %lbytes, %size
  store i64 %lbytes1, ptr %lbytesp
  %lcountp = getelementptr i8, ptr %ctx, i64 {field_offset("large_count")}
  %lcount = load i64, ptr %lcountp
  %lcount1 = sub i64 %lcount, 1
  store i64 %lcount1, ptr %lcountp
  br label %take
common:
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
  %raw = phi ptr [%list, %found], [%given, %hold], [%node, %hit]
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
  call void @rg_leave(ptr %ctx)
  ret ptr %raw
done:
  call void @rg_leave(ptr %ctx)
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
entry:
  call void @rg_enter(ptr %ctx)
  call void @rg_unchain(ptr %ctx, ptr %block)
  %sizep = getelementptr i8, ptr %block, i64 16
  %size = load i64, ptr %sizep
  %limitp = getelementptr i8, ptr %ctx, i64 {field_offset("limit")}
  %limit = load i64, ptr %limitp
  %most = lshr i64 %limit, 3
  %large = icmp uge i64 %size, {_LARGE}
  %some = icmp ule i64 %size, %most
  %keep = and i1 %large, %some
  br i1 %keep, label %look, label %give
look:
  %bytesp = getelementptr i8, ptr %ctx, i64 {field_offset("large_bytes")}
  %bytes = load i64, ptr %bytesp
  %all = add i64 %bytes, %size
  %room = icmp ule i64 %all, %most
  %countp = getelementptr i8, ptr %ctx, i64 {field_offset("large_count")}
  %count = load i64, ptr %countp
  %few = icmp ult i64 %count, {_MANY_LARGE}
  %fine = and i1 %room, %few
  br i1 %fine, label %push, label %empty
empty:
  call void @rg_drop_large(ptr %ctx)
  br label %push
push:
  %bytes1 = load i64, ptr %bytesp
  %bytes2 = add i64 %bytes1, %size
  store i64 %bytes2, ptr %bytesp
  %count1 = load i64, ptr %countp
  %count2 = add i64 %count1, 1
  store i64 %count2, ptr %countp
  %headp = getelementptr i8, ptr %ctx, i64 {field_offset("large")}
  %head = load ptr, ptr %headp
  %linkp = getelementptr i8, ptr %block, i64 24
  store ptr %head, ptr %linkp
  store ptr %block, ptr %headp
  br label %done
give:
  %heldp = getelementptr i8, ptr %ctx, i64 {field_offset("held")}
  %held = load i64, ptr %heldp
  %held1 = sub i64 %held, %size
  store i64 %held1, ptr %heldp
  call void @free(ptr %block)
  br label %done
done:
  %livep = getelementptr i8, ptr %ctx, i64 {field_offset("live")}
  %live = load i64, ptr %livep
  call void @rg_leave_room(ptr %ctx, i64 %live)
  call void @rg_leave(ptr %ctx)
  ret void
}}

define internal void @rg_drop_large(ptr %ctx) noinline cold {{
{_given_back(PLACES["large"], 0, "large_bytes")}
  %countp = getelementptr i8, ptr %ctx, i64 {field_offset("large_count")}
  store i64 0, ptr %countp
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
{_given_back(PARKED, 128, "parked")}
  call void @rg_drop_large(ptr %ctx)
  ret void
}}
"""
