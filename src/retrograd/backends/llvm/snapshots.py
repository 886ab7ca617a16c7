"""Native support for capsules: a suspended run copied out of its context, and back into one.

- `rg_measure(ctx, out)`: words of all frames, number of live blocks, their bytes.
- `rg_save(ctx, frames, table, data)`: frames one after the other, innermost first; address and size
  of each block; the blocks' bytes.
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
define void @rg_measure(ptr %ctx, ptr %out) {{
entry:
  {_field("framesp", "frames")}
  {_field("blocksp", "blocks")}
  %f0 = load ptr, ptr %framesp
  %b0 = load ptr, ptr %blocksp
  br label %frames
frames:
  %frame = phi ptr [%f0, %entry], [%outer, %count]
  %words = phi i64 [0, %entry], [%more, %count]
  %last = icmp eq ptr %frame, null
  br i1 %last, label %blocks, label %count
count:
  %outer = load ptr, ptr %frame
  %sizep = getelementptr i64, ptr %frame, i64 3
  %size = load i64, ptr %sizep
  %mine = lshr i64 %size, 3
  %more = add i64 %words, %mine
  br label %frames
blocks:
  %block = phi ptr [%b0, %frames], [%next, %look], [%next, %add]
  %n = phi i64 [0, %frames], [%n, %look], [%n1, %add]
  %bytes = phi i64 [0, %frames], [%bytes, %look], [%total, %add]
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %look
look:
  %nextp = getelementptr i8, ptr %block, i64 8
  %next = load ptr, ptr %nextp
  %statep = getelementptr i8, ptr %block, i64 24
  %state = load i64, ptr %statep
  %live = icmp eq i64 %state, {LIVE}
  br i1 %live, label %add, label %blocks
add:
  %bsizep = getelementptr i8, ptr %block, i64 16
  %bsize = load i64, ptr %bsizep
  %n1 = add i64 %n, 1
  %total = add i64 %bytes, %bsize
  br label %blocks
done:
  store i64 %words, ptr %out
  %out1 = getelementptr i64, ptr %out, i64 1
  store i64 %n, ptr %out1
  %out2 = getelementptr i64, ptr %out, i64 2
  store i64 %bytes, ptr %out2
  ret void
}}

define void @rg_save(ptr %ctx, ptr %frames, ptr %table, ptr %data) {{
entry:
  {_field("framesp", "frames")}
  {_field("blocksp", "blocks")}
  %f0 = load ptr, ptr %framesp
  %b0 = load ptr, ptr %blocksp
  br label %frames.next
frames.next:
  %frame = phi ptr [%f0, %entry], [%outer, %write]
  %to = phi ptr [%frames, %entry], [%to1, %write]
  %last = icmp eq ptr %frame, null
  br i1 %last, label %blocks, label %write
write:
  %outer = load ptr, ptr %frame
  %sizep = getelementptr i64, ptr %frame, i64 3
  %size = load i64, ptr %sizep
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %frame, i64 %size, i1 false)
  store i64 0, ptr %to
  %to1 = getelementptr i8, ptr %to, i64 %size
  br label %frames.next
blocks:
  %block = phi ptr [%b0, %frames.next], [%next, %look], [%next, %copy]
  %row = phi ptr [%table, %frames.next], [%row, %look], [%row1, %copy]
  %place = phi ptr [%data, %frames.next], [%place, %look], [%place1, %copy]
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %look
look:
  %nextp = getelementptr i8, ptr %block, i64 8
  %next = load ptr, ptr %nextp
  %statep = getelementptr i8, ptr %block, i64 24
  %state = load i64, ptr %statep
  %live = icmp eq i64 %state, {LIVE}
  br i1 %live, label %copy, label %blocks
copy:
  %bsizep = getelementptr i8, ptr %block, i64 16
  %bsize = load i64, ptr %bsizep
  %content = getelementptr i8, ptr %block, i64 64
  %address = ptrtoint ptr %content to i64
  store i64 %address, ptr %row
  %rowsize = getelementptr i64, ptr %row, i64 1
  store i64 %bsize, ptr %rowsize
  %row1 = getelementptr i64, ptr %row, i64 2
  call void @llvm.memcpy.p0.p0.i64(ptr %place, ptr %content, i64 %bsize, i1 false)
  %place1 = getelementptr i8, ptr %place, i64 %bsize
  br label %blocks
done:
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
