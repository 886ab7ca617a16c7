"""How native code enters and leaves SciPy's BLAS and LAPACK.

Around a routine the run is busy (it is not given up on a signal) and the library has one thread.
"""

from __future__ import annotations

from retrograd.runtime.layout import field_offset
from retrograd.runtime.library import library_offset

__all__ = ["LIBRARY_TEXT"]


def _word(name: str) -> str:
    """The address of a word of the table, which is at `%table`."""
    return f"getelementptr i8, ptr %table, i64 {library_offset(name)}"


_LOCKED = f"""  %lock = {_word("lock")}
  %activep = {_word("active")}
  %savedp = {_word("saved")}
  call void @rg_library_lock(ptr %lock)
  %active = load i64, ptr %activep
"""
"""Alone with the counts: of runs that are in the library, and of its threads before."""

LIBRARY_TEXT = f"""
define internal void @rg_library_lock(ptr %lock) noinline {{
entry:
  br label %try
try:
  %pair = cmpxchg ptr %lock, i64 0, i64 1 acquire monotonic
  %got = extractvalue {{i64, i1}} %pair, 1
  br i1 %got, label %done, label %try
done:
  ret void
}}

define internal void @rg_library_enter(ptr %table) noinline {{
entry:
{_LOCKED}  %more = add i64 %active, 1
  store i64 %more, ptr %activep
  %first = icmp eq i64 %active, 0
  br i1 %first, label %save, label %done
save:
  %getp = {_word("get_threads")}
  %get = load ptr, ptr %getp
  %free = icmp eq ptr %get, null
  br i1 %free, label %alone, label %known
alone:
  store i64 1, ptr %savedp
  br label %done
known:
  %threads = call i32 %get()
  %wide = zext i32 %threads to i64
  store i64 %wide, ptr %savedp
  %several = icmp ne i32 %threads, 1
  br i1 %several, label %change, label %done
change:
  %setp = {_word("set_threads")}
  %set = load ptr, ptr %setp
  call void %set(i32 1)
  br label %done
done:
  store atomic i64 0, ptr %lock release, align 8
  ret void
}}

define internal void @rg_library_leave(ptr %table) noinline {{
entry:
{_LOCKED}  %fewer = sub i64 %active, 1
  store i64 %fewer, ptr %activep
  %last = icmp eq i64 %fewer, 0
  %saved = load i64, ptr %savedp
  %several = icmp ne i64 %saved, 1
  %restore = and i1 %last, %several
  br i1 %restore, label %change, label %done
change:
  %setp = {_word("set_threads")}
  %set = load ptr, ptr %setp
  %threads = trunc i64 %saved to i32
  call void %set(i32 %threads)
  br label %done
done:
  store atomic i64 0, ptr %lock release, align 8
  ret void
}}

define internal ptr @rg_routine_enter(ptr %ctx, i64 %offset) noinline {{
entry:
  call void @rg_enter(ptr %ctx)
  %tablep = getelementptr i8, ptr %ctx, i64 {field_offset("blas")}
  %table = load ptr, ptr %tablep
  %place = getelementptr i8, ptr %table, i64 %offset
  %known = load atomic ptr, ptr %place acquire, align 8
  %unknown = icmp eq ptr %known, null
  br i1 %unknown, label %find, label %have
find:
  %loadp = {_word("load")}
  %load = load ptr, ptr %loadp
  call void %load()
  %found = load atomic ptr, ptr %place acquire, align 8
  %none = icmp eq ptr %found, null
  br i1 %none, label %without, label %have
without:
  call void @rg_leave(ptr %ctx)
  ret ptr null
have:
  %routine = phi ptr [%known, %entry], [%found, %find]
  call void @rg_library_enter(ptr %table)
  ret ptr %routine
}}

define internal void @rg_routine_leave(ptr %ctx) noinline {{
entry:
  %tablep = getelementptr i8, ptr %ctx, i64 {field_offset("blas")}
  %table = load ptr, ptr %tablep
  call void @rg_library_leave(ptr %table)
  call void @rg_leave(ptr %ctx)
  ret void
}}
"""
"""`rg_routine_enter` gives the address of a routine, by its place in the table, which may then be
called, and `rg_routine_leave` has to follow; null, and nothing is entered, where there is none."""
