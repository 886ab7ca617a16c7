"""Native support for capsules: a suspended run copied out of its context, and back into one.

- `rg_save(ctx, frames, table, data, counts)`: frames one after the other, innermost first; address
  and size of each block; the blocks' bytes. `counts` gets the words of all frames, the number of
  blocks and their bytes; where `frames` is null that is all.
- `rg_load_blocks(ctx, sizes, count, data, addresses)`: new blocks with those bytes; 1 where they
  do not fit.
- `rg_load_frames(ctx, words, count)`: the chain of frames; 1 where it does not fit.
"""

from __future__ import annotations

from retrograd.backends.llvm.runtime_text import LIVE
from retrograd.runtime.layout import field_offset

__all__ = ["SNAPSHOT_TEXT"]


def _field(name: str, field: str) -> str:
    return f"%{name} = getelementptr i8, ptr %ctx, i64 {field_offset(field)}"


SNAPSHOT_TEXT = f"""
define void @rg_save(ptr %ctx, ptr %frames, ptr %table, ptr %data, ptr %counts) {{
entry:
  {_field("framesp", "frames")}
  {_field("blocksp", "blocks")}
  %f0 = load ptr, ptr %framesp
  %b0 = load ptr, ptr %blocksp
  %writing = icmp ne ptr %frames, null
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
  %live = icmp eq i64 %state, {LIVE}
  br i1 %live, label %found, label %blocks
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
  %from1 = getelementptr i8, ptr %from, i64 %size
  br label %next
done:
  ret i32 0
none:
  ret i32 1
}}
"""
