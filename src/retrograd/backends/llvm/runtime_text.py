"""The run-time support that every native module carries: context, allocator, tape, in LLVM text.

A context is one block of memory per running call; there is no global state. Its fields, in i64
words, are listed in `retrograd.runtime.layout`. Arrays are allocated with a 64-byte header
(previous, next, bytes, unused) and chained, so that an error can free whatever is live. Blocks up
to 8 KiB are kept in free lists by size.
"""

from __future__ import annotations

from retrograd.runtime.layout import FREE_LISTS, field_offset

__all__ = ["RUNTIME_TEXT"]

RUNTIME_TEXT = f"""
declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)
declare ptr @malloc(i64)

define internal noalias ptr @rg_alloc(ptr %ctx, i64 %bytes) noinline {{
entry:
  %padded = add i64 %bytes, 63
  %size = and i64 %padded, -64
  %livep = getelementptr i8, ptr %ctx, i64 {field_offset("live")}
  %live = load i64, ptr %livep
  %now = add i64 %live, %size
  %limitp = getelementptr i8, ptr %ctx, i64 {field_offset("limit")}
  %limit = load i64, ptr %limitp
  %over = icmp ugt i64 %now, %limit
  %huge = icmp ugt i64 %bytes, 4611686018427387904
  %refuse = or i1 %over, %huge
  br i1 %refuse, label %none, label %try
try:
  %class = lshr i64 %size, 6
  %small = icmp ule i64 %class, 128
  br i1 %small, label %list, label %system
list:
  %index = add i64 %class, {FREE_LISTS}
  %headp = getelementptr i64, ptr %ctx, i64 %index
  %head = load ptr, ptr %headp
  %empty = icmp eq ptr %head, null
  br i1 %empty, label %system, label %reuse
reuse:
  %nextp = getelementptr i8, ptr %head, i64 8
  %next = load ptr, ptr %nextp
  store ptr %next, ptr %headp
  br label %have
system:
  %total = add i64 %size, 64
  %raw = call ptr @aligned_alloc(i64 64, i64 %total)
  %failed = icmp eq ptr %raw, null
  br i1 %failed, label %none, label %have
have:
  %block = phi ptr [%head, %reuse], [%raw, %system]
  store i64 %now, ptr %livep
  %peakp = getelementptr i8, ptr %ctx, i64 {field_offset("peak")}
  %peak = load i64, ptr %peakp
  %higher = icmp ugt i64 %now, %peak
  %newpeak = select i1 %higher, i64 %now, i64 %peak
  store i64 %newpeak, ptr %peakp
  %countp = getelementptr i8, ptr %ctx, i64 {field_offset("allocations")}
  %count = load i64, ptr %countp
  %count1 = add i64 %count, 1
  store i64 %count1, ptr %countp
  %chainp = getelementptr i8, ptr %ctx, i64 {field_offset("blocks")}
  %chain = load ptr, ptr %chainp
  store ptr null, ptr %block
  %linkp = getelementptr i8, ptr %block, i64 8
  store ptr %chain, ptr %linkp
  %sizep = getelementptr i8, ptr %block, i64 16
  store i64 %size, ptr %sizep
  store ptr %block, ptr %chainp
  %nochain = icmp eq ptr %chain, null
  br i1 %nochain, label %done, label %back
back:
  store ptr %block, ptr %chain
  br label %done
done:
  %data = getelementptr i8, ptr %block, i64 64
  ret ptr %data
none:
  ret ptr null
}}

define internal void @rg_unlink(ptr %ctx, ptr %block) {{
entry:
  %prev = load ptr, ptr %block
  %nextp = getelementptr i8, ptr %block, i64 8
  %next = load ptr, ptr %nextp
  %sizep = getelementptr i8, ptr %block, i64 16
  %size = load i64, ptr %sizep
  %livep = getelementptr i8, ptr %ctx, i64 {field_offset("live")}
  %live = load i64, ptr %livep
  %now = sub i64 %live, %size
  store i64 %now, ptr %livep
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
  call void @rg_unlink(ptr %ctx, ptr %block)
  %sizep = getelementptr i8, ptr %block, i64 16
  %size = load i64, ptr %sizep
  %class = lshr i64 %size, 6
  %small = icmp ule i64 %class, 128
  br i1 %small, label %list, label %system
list:
  %index = add i64 %class, {FREE_LISTS}
  %headp = getelementptr i64, ptr %ctx, i64 %index
  %head = load ptr, ptr %headp
  %linkp = getelementptr i8, ptr %block, i64 8
  store ptr %head, ptr %linkp
  store ptr %block, ptr %headp
  br label %done
system:
  call void @free(ptr %block)
  br label %done
done:
  ret void
}}

define void @rg_release_all(ptr %ctx) noinline {{
entry:
  br label %live
live:
  %chainp = getelementptr i8, ptr %ctx, i64 {field_offset("blocks")}
  %chain = load ptr, ptr %chainp
  %none = icmp eq ptr %chain, null
  br i1 %none, label %done, label %drop
drop:
  %data = getelementptr i8, ptr %chain, i64 64
  %np = getelementptr i8, ptr %ctx, i64 {field_offset("externals")}
  store i64 0, ptr %np
  call void @rg_free(ptr %ctx, ptr %data)
  br label %live
done:
  ret void
}}

define void @rg_trim(ptr %ctx) noinline {{
entry:
  br label %class
class:
  %c = phi i64 [0, %entry], [%c1, %nextclass]
  %more = icmp ule i64 %c, 128
  br i1 %more, label %pop, label %done
pop:
  %index = add i64 %c, {FREE_LISTS}
  %headp = getelementptr i64, ptr %ctx, i64 %index
  %head = load ptr, ptr %headp
  %empty = icmp eq ptr %head, null
  br i1 %empty, label %nextclass, label %take
take:
  %linkp = getelementptr i8, ptr %head, i64 8
  %link = load ptr, ptr %linkp
  store ptr %link, ptr %headp
  call void @free(ptr %head)
  br label %pop
nextclass:
  %c1 = add i64 %c, 1
  br label %class
done:
  ret void
}}

define void @rg_hand_over(ptr %ctx, ptr %data, ptr %target, i64 %bytes) noinline {{
  call void @llvm.memcpy.p0.p0.i64(ptr %target, ptr %data, i64 %bytes, i1 false)
  call void @rg_free(ptr %ctx, ptr %data)
  ret void
}}
"""
