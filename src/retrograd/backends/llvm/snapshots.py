"""Native support for capsules: a suspended run copied out of its context, and back into one.

- `rg_save(ctx, owner, frames, table, data, counts)`: frames one after the other, innermost first;
  address and size of each block of that owner; the blocks' bytes, unless `data` is null. `counts`
  gets the words of all frames, the number of blocks and their bytes; where `frames` is null that is
  all.
- `rg_load_blocks(ctx, sizes, count, data, addresses)`: new blocks with those bytes; 1 where they
  do not fit.
- `rg_load_frames(ctx, words, count)`: the chain of frames; 1 where it does not fit.

The same at memcpy speed, for snapshots that stay in the process, with inputs as (address, bytes):

- `rg_keep(ctx, buffer, bytes, inputs, count)`: all of it in one buffer, pointers as numbers and
  offsets (`retrograd.runtime.state`). Returns the bytes that it takes, which must be there for
  anything to be written; -1 where it is left to `rg_save`.
- `rg_put(ctx, buffer, inputs)`: into a context; 1 where it does not fit.
"""

from __future__ import annotations

from retrograd.backends.llvm.runtime_text import LIVE
from retrograd.runtime.layout import field_offset
from retrograd.runtime.state import INPUTS

__all__ = ["SNAPSHOT_TEXT"]

_MANY = 1 << 20
"""Frame words times blocks, from which on a search through all blocks takes too long."""


def _field(name: str, field: str) -> str:
    return f"%{name} = getelementptr i8, ptr %ctx, i64 {field_offset(field)}"


def _pointers(frame: str, before: str, change: str) -> str:
    """Changes each pointer of a frame (their places are in `%list`) and goes on to the next."""
    return f"""\
  %pointers = load i64, ptr %list
  br label %pointer
pointer:
  %j = phi i64 [0, %{before}], [%j1, %change]
  %morepointers = icmp slt i64 %j, %pointers
  br i1 %morepointers, label %change, label %framedone
change:
  %j1 = add i64 %j, 1
  %indexp = getelementptr i64, ptr %list, i64 %j1
  %index = load i64, ptr %indexp
  %place = getelementptr i64, ptr %{frame}, i64 %index
{change}
  br label %pointer
framedone:
  br label %frame"""


_NUMBERED = """\
  %value = load i64, ptr %place
  %coded = call i64 @rg_numbered(i64 %value, ptr %table, i64 %blocks, ptr %inputs, i64 %given)
  store i64 %coded, ptr %place"""

_ADDRESSED = """\
  %coded = load i64, ptr %place
  %value = call i64 @rg_addressed(i64 %coded, ptr %table, ptr %inputs)
  store i64 %value, ptr %place"""

_CAPSULES = f"""
define void @rg_save(ptr %ctx, i64 %owner, ptr %frames, ptr %table, ptr %data, ptr %counts) {{
entry:
  {_field("framesp", "frames")}
  {_field("blocksp", "blocks")}
  %f0 = load ptr, ptr %framesp
  %b0 = load ptr, ptr %blocksp
  %writing = icmp ne ptr %frames, null
  %copying = icmp ne ptr %data, null
  br label %frames.next
frames.next:
  %frame = phi ptr [%f0, %entry], [%outer, %frame.done]
  %words = phi i64 [0, %entry], [%words1, %frame.done]
  %last = icmp eq ptr %frame, null
  br i1 %last, label %blocks, label %frame.look
frame.look:
  %outer = load ptr, ptr %frame
  %sizep = getelementptr i64, ptr %frame, i64 3
  %size = load i64, ptr %sizep
  br i1 %writing, label %frame.write, label %frame.done
frame.write:
  %to = getelementptr i64, ptr %frames, i64 %words
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %frame, i64 %size, i1 false)
  store i64 0, ptr %to
  br label %frame.done
frame.done:
  %mine = lshr i64 %size, 3
  %words1 = add i64 %words, %mine
  br label %frames.next
blocks:
  %block = phi ptr [%b0, %frames.next], [%next, %look], [%next, %copied]
  %n = phi i64 [0, %frames.next], [%n, %look], [%n1, %copied]
  %bytes = phi i64 [0, %frames.next], [%bytes, %look], [%bytes1, %copied]
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %look
look:
  %nextp = getelementptr i8, ptr %block, i64 8
  %next = load ptr, ptr %nextp
  %statep = getelementptr i8, ptr %block, i64 24
  %state = load i64, ptr %statep
  %mine.too = icmp eq i64 %state, %owner
  br i1 %mine.too, label %found, label %blocks
found:
  %bsizep = getelementptr i8, ptr %block, i64 16
  %bsize = load i64, ptr %bsizep
  br i1 %writing, label %copy, label %copied
copy:
  %content = getelementptr i8, ptr %block, i64 64
  %address = ptrtoint ptr %content to i64
  %rowat = shl i64 %n, 1
  %row = getelementptr i64, ptr %table, i64 %rowat
  store i64 %address, ptr %row
  %rowsize = getelementptr i64, ptr %row, i64 1
  store i64 %bsize, ptr %rowsize
  br i1 %copying, label %fill, label %copied
fill:
  %place = getelementptr i8, ptr %data, i64 %bytes
  call void @llvm.memcpy.p0.p0.i64(ptr %place, ptr %content, i64 %bsize, i1 false)
  br label %copied
copied:
  %n1 = add i64 %n, 1
  %bytes1 = add i64 %bytes, %bsize
  br label %blocks
done:
  store i64 %words, ptr %counts
  %counts1 = getelementptr i64, ptr %counts, i64 1
  store i64 %n, ptr %counts1
  %counts2 = getelementptr i64, ptr %counts, i64 2
  store i64 %bytes, ptr %counts2
  ret void
}}

define i32 @rg_load_blocks(ptr %ctx, ptr %sizes, i64 %count, ptr %data, ptr %addresses) {{
entry:
  br label %next
next:
  %k = phi i64 [0, %entry], [%k1, %fill]
  %from = phi ptr [%data, %entry], [%from1, %fill]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %make, label %done
make:
  %sizep = getelementptr i64, ptr %sizes, i64 %k
  %size = load i64, ptr %sizep
  %block = call ptr @rg_alloc(ptr %ctx, i64 %size)
  %full = icmp eq ptr %block, null
  br i1 %full, label %none, label %fill
fill:
  call void @llvm.memcpy.p0.p0.i64(ptr %block, ptr %from, i64 %size, i1 false)
  %address = ptrtoint ptr %block to i64
  %addressp = getelementptr i64, ptr %addresses, i64 %k
  store i64 %address, ptr %addressp
  %from1 = getelementptr i8, ptr %from, i64 %size
  %k1 = add i64 %k, 1
  br label %next
done:
  ret i32 0
none:
  ret i32 1
}}

define i32 @rg_load_frames(ptr %ctx, ptr %words, i64 %count) {{
entry:
  {_field("framesp", "frames")}
  {_field("lastp", "last_frame")}
  store ptr null, ptr %framesp
  store ptr %framesp, ptr %lastp
  %end = getelementptr i64, ptr %words, i64 %count
  br label %next
next:
  %from = phi ptr [%words, %entry], [%from1, %fill]
  %more = icmp ult ptr %from, %end
  br i1 %more, label %make, label %done
make:
  %sizep = getelementptr i64, ptr %from, i64 3
  %size = load i64, ptr %sizep
  %frame = call ptr @rg_frame(ptr %ctx, i64 %size)
  %full = icmp eq ptr %frame, null
  br i1 %full, label %none, label %fill
fill:
  call void @llvm.memcpy.p0.p0.i64(ptr %frame, ptr %from, i64 %size, i1 false)
  store ptr null, ptr %frame
  %last = load ptr, ptr %lastp
  store ptr %frame, ptr %last
  store ptr %frame, ptr %lastp
  call void @rg_leave(ptr %ctx)
  %from1 = getelementptr i8, ptr %from, i64 %size
  br label %next
done:
  ret i32 0
none:
  ret i32 1
}}
"""

_QUICK = f"""
define internal i64 @rg_numbered(i64 %p, ptr %table, i64 %blocks, ptr %inputs, i64 %count) {{
entry:
  br label %next
next:
  %k = phi i64 [0, %entry], [%k1, %other]
  %more = icmp slt i64 %k, %blocks
  br i1 %more, label %look, label %given
look:
  %at = shl i64 %k, 1
  %row = getelementptr i64, ptr %table, i64 %at
  %start = load i64, ptr %row
  %sizep = getelementptr i64, ptr %row, i64 1
  %size0 = load i64, ptr %sizep
  %size = call i64 @llvm.umax.i64(i64 %size0, i64 1)
  %offset = sub i64 %p, %start
  %inside = icmp ult i64 %offset, %size
  br i1 %inside, label %found, label %other
other:
  %k1 = add i64 %k, 1
  br label %next
found:
  %number = add i64 %k, 1
  %high = shl i64 %number, 40
  %coded = or i64 %high, %offset
  ret i64 %coded
given:
  %j = phi i64 [0, %next], [%j1, %nextgiven]
  %moregiven = icmp slt i64 %j, %count
  br i1 %moregiven, label %lookgiven, label %nothing
lookgiven:
  %gat = shl i64 %j, 1
  %grow = getelementptr i64, ptr %inputs, i64 %gat
  %gstart = load i64, ptr %grow
  %gsizep = getelementptr i64, ptr %grow, i64 1
  %gsize = load i64, ptr %gsizep
  %goffset = sub i64 %p, %gstart
  %ginside = icmp ult i64 %goffset, %gsize
  br i1 %ginside, label %foundgiven, label %nextgiven
nextgiven:
  %j1 = add i64 %j, 1
  br label %given
foundgiven:
  %gnumber = add i64 %j, {INPUTS + 1}
  %ghigh = shl i64 %gnumber, 40
  %gcoded = or i64 %ghigh, %goffset
  ret i64 %gcoded
nothing:
  ret i64 0
}}

define internal i64 @rg_addressed(i64 %coded, ptr %table, ptr %inputs) {{
entry:
  %none = icmp eq i64 %coded, 0
  br i1 %none, label %nothing, label %some
nothing:
  ret i64 0
some:
  %high = lshr i64 %coded, 40
  %number = sub i64 %high, 1
  %offset = and i64 %coded, {(1 << 40) - 1}
  %given = icmp uge i64 %number, {INPUTS}
  %position = sub i64 %number, {INPUTS}
  %from = select i1 %given, ptr %inputs, ptr %table
  %k = select i1 %given, i64 %position, i64 %number
  %at = shl i64 %k, 1
  %row = getelementptr i64, ptr %from, i64 %at
  %start = load i64, ptr %row
  %address = add i64 %start, %offset
  ret i64 %address
}}

define i64 @rg_keep(ptr %ctx, ptr %buffer, i64 %room, ptr %inputs, i64 %given) {{
entry:
  %counts = alloca [3 x i64]
  call void @rg_save(ptr %ctx, i64 {LIVE}, ptr null, ptr null, ptr null, ptr %counts)
  %words = load i64, ptr %counts
  %blocksp = getelementptr i64, ptr %counts, i64 1
  %blocks = load i64, ptr %blocksp
  %bytesp = getelementptr i64, ptr %counts, i64 2
  %bytes = load i64, ptr %bytesp
  %framebytes = shl i64 %words, 3
  %tablebytes = shl i64 %blocks, 4
  %both = add i64 %framebytes, %tablebytes
  %all = add i64 %both, %bytes
  %need = add i64 %all, 24
  %work = mul i64 %words, %blocks
  %hard = icmp ugt i64 %work, {_MANY}
  br i1 %hard, label %left, label %ask
ask:
  %short = icmp ugt i64 %need, %room
  br i1 %short, label %ret, label %write
ret:
  ret i64 %need
write:
  call void @llvm.memcpy.p0.p0.i64(ptr %buffer, ptr %counts, i64 24, i1 false)
  %frames = getelementptr i8, ptr %buffer, i64 24
  %table = getelementptr i8, ptr %frames, i64 %framebytes
  %data = getelementptr i8, ptr %table, i64 %tablebytes
  call void @rg_save(ptr %ctx, i64 {LIVE}, ptr %frames, ptr %table, ptr %data, ptr %counts)
  br label %frame
frame:
  %at = phi i64 [0, %write], [%after, %framedone]
  %moreframes = icmp slt i64 %at, %words
  br i1 %moreframes, label %inframe, label %ret
inframe:
  %here = getelementptr i64, ptr %frames, i64 %at
  %listp = getelementptr i64, ptr %here, i64 4
  %list = load ptr, ptr %listp
  %nolist = icmp eq ptr %list, null
  br i1 %nolist, label %left, label %known
left:
  ret i64 -1
known:
  %sizep = getelementptr i64, ptr %here, i64 3
  %size = load i64, ptr %sizep
  %mine = lshr i64 %size, 3
  %after = add i64 %at, %mine
{_pointers("here", "known", _NUMBERED)}
}}

define i32 @rg_put(ptr %ctx, ptr %buffer, ptr %inputs) {{
entry:
  {_field("framesp", "frames")}
  {_field("lastp", "last_frame")}
  %words = load i64, ptr %buffer
  %blocksp = getelementptr i64, ptr %buffer, i64 1
  %blocks = load i64, ptr %blocksp
  %frames = getelementptr i8, ptr %buffer, i64 24
  %table = getelementptr i64, ptr %frames, i64 %words
  %tablewords = shl i64 %blocks, 1
  %data = getelementptr i64, ptr %table, i64 %tablewords
  store ptr null, ptr %framesp
  store ptr %framesp, ptr %lastp
  br label %block
block:
  %k = phi i64 [0, %entry], [%k1, %fill]
  %from = phi ptr [%data, %entry], [%from1, %fill]
  %moreblocks = icmp slt i64 %k, %blocks
  br i1 %moreblocks, label %make, label %frame
make:
  %rowat = shl i64 %k, 1
  %row = getelementptr i64, ptr %table, i64 %rowat
  %bytesp = getelementptr i64, ptr %row, i64 1
  %bytes = load i64, ptr %bytesp
  %new = call ptr @rg_alloc(ptr %ctx, i64 %bytes)
  %full = icmp eq ptr %new, null
  br i1 %full, label %none, label %fill
fill:
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %from, i64 %bytes, i1 false)
  %address = ptrtoint ptr %new to i64
  store i64 %address, ptr %row
  %from1 = getelementptr i8, ptr %from, i64 %bytes
  %k1 = add i64 %k, 1
  br label %block
frame:
  %at = phi i64 [0, %block], [%after, %framedone]
  %moreframes = icmp slt i64 %at, %words
  br i1 %moreframes, label %makeframe, label %done
makeframe:
  %here = getelementptr i64, ptr %frames, i64 %at
  %sizep = getelementptr i64, ptr %here, i64 3
  %size = load i64, ptr %sizep
  %mine = lshr i64 %size, 3
  %after = add i64 %at, %mine
  %made = call ptr @rg_frame(ptr %ctx, i64 %size)
  %noframe = icmp eq ptr %made, null
  br i1 %noframe, label %none, label %fillframe
fillframe:
  call void @llvm.memcpy.p0.p0.i64(ptr %made, ptr %here, i64 %size, i1 false)
  store ptr null, ptr %made
  %last = load ptr, ptr %lastp
  store ptr %made, ptr %last
  store ptr %made, ptr %lastp
  call void @rg_leave(ptr %ctx)
  %listp = getelementptr i64, ptr %made, i64 4
  %list = load ptr, ptr %listp
{_pointers("made", "fillframe", _ADDRESSED)}
done:
  ret i32 0
none:
  ret i32 1
}}
"""

SNAPSHOT_TEXT = _CAPSULES + _QUICK
