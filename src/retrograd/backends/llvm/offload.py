"""Arrays of the tape that leave memory: the native side of `retrograd.runtime.offload`.

After a push, `rg_offload` offers an array to whoever keeps files for the run; what has been written
is freed, and its word on the tape becomes null. Before a pop, `rg_take_back` makes room for what is
to be read next, and waits until the array is there. Both are told the place of the array's word on
the tape, and do nothing with small arrays, and where nobody keeps files. They are busy while Python
runs (`signal_text`), and are left only between its calls.
"""

from __future__ import annotations

from collections.abc import Sequence

from retrograd.backends.llvm.gen import Gen
from retrograd.ir.types import Type
from retrograd.runtime.layout import field_offset
from retrograd.runtime.offload import call_offset

__all__ = ["OFFLOAD_TEXT", "offload", "take_back"]


def offload(gen: Gen, slot: str, dims: Sequence[str], type_: Type, folder: str) -> None:
    """Offers an array whose word on the tape is at `slot`."""
    number = gen.shared.folders.setdefault(folder, len(gen.shared.folders))
    size = gen.f.value(f"mul i64 {gen.count(dims)}, {type_.dtype.size}")
    given = [("ptr", "%ctx"), ("ptr", slot), ("i64", size), ("i64", str(number))]
    _require(gen, gen.f.call("i1", "rg_offload", given), size)


def take_back(gen: Gen, slot: str, dims: Sequence[str], type_: Type) -> None:
    """Has the array whose word is at `slot` in memory again."""
    size = gen.f.value(f"mul i64 {gen.count(dims)}, {type_.dtype.size}")
    given = [("ptr", "%ctx"), ("ptr", slot), ("i64", size)]
    _require(gen, gen.f.call("i1", "rg_take_back", given), size)


def _require(gen: Gen, good: str, size: str) -> None:
    """Another reason than want of memory is known to Python, which raises it."""
    message = "an array of {0} bytes of the tape does not fit in memory"
    gen.require(good, "MemoryError", message, gen.here, [size])


def _called(name: str, result: str, more: str = "") -> str:
    """A call of Python, in which the run is not given up."""
    return f"""\
  call void @rg_enter(ptr %ctx)
  %{name}p = getelementptr i8, ptr %table, i64 {call_offset(name)}
  %{name} = load ptr, ptr %{name}p
  {result} = call i64 %{name}({more})
  call void @rg_leave(ptr %ctx)"""


def _moved(sign: str, size: str) -> str:
    """Counts an array that comes back to the tape, or leaves it."""
    return f"""\
  %arraysp = getelementptr i8, ptr %ctx, i64 {field_offset("tape_arrays")}
  %arrays = load i64, ptr %arraysp
  %arrays1 = {sign} i64 %arrays, {size}
  store i64 %arrays1, ptr %arraysp"""


_HEAD = f"""\
entry:
  %tablep = getelementptr i8, ptr %ctx, i64 {field_offset("offload")}
  %table = load ptr, ptr %tablep
  %nobody = icmp eq ptr %table, null
  br i1 %nobody, label %done, label %measure
measure:
  %sizep = getelementptr i8, ptr %table, i64 {call_offset("size")}
  %smallestp = getelementptr i8, ptr %table, i64 {call_offset("smallest")}
  %smallest = load i64, ptr %smallestp
  %small = icmp ult i64 %bytes, %smallest
  br i1 %small, label %done, label %some"""

OFFLOAD_TEXT = f"""
define internal i1 @rg_offload(ptr %ctx, ptr %slot, i64 %bytes, i64 %folder) noinline {{
{_HEAD}
some:
{_called("put", "%given", "ptr %slot, i64 %bytes, i64 %folder")}
  %failed = icmp slt i64 %given, 0
  br i1 %failed, label %failing, label %next
next:
{_called("written", "%word")}
  %bad = icmp slt i64 %word, 0
  br i1 %bad, label %failing, label %look
look:
  %none = icmp eq i64 %word, 0
  br i1 %none, label %done, label %move
move:
  %place = inttoptr i64 %word to ptr
  %data = load ptr, ptr %place
  %size = load i64, ptr %sizep
  store ptr null, ptr %place
{_moved("sub", "%size")}
  call void @rg_free(ptr %ctx, ptr %data)
  br label %next
failing:
  ret i1 false
done:
  ret i1 true
}}

define internal i1 @rg_take_back(ptr %ctx, ptr %slot, i64 %bytes) noinline {{
{_HEAD}
some:
{_called("wanted", "%word", "ptr %slot")}
  %bad = icmp slt i64 %word, 0
  br i1 %bad, label %failing, label %look
look:
  %none = icmp eq i64 %word, 0
  br i1 %none, label %taking, label %room
room:
  %place = inttoptr i64 %word to ptr
  %size = load i64, ptr %sizep
  %data = call ptr @rg_alloc(ptr %ctx, i64 %size)
  %full = icmp eq ptr %data, null
  br i1 %full, label %without, label %move
without:
  %itself = icmp eq ptr %place, %slot
  br i1 %itself, label %failing, label %taking
move:
  store ptr %data, ptr %place
{_moved("add", "%size")}
  br label %some
taking:
{_called("take", "%taken", "ptr %slot")}
  %ended = icmp slt i64 %taken, 0
  br i1 %ended, label %failing, label %done
failing:
  ret i1 false
done:
  ret i1 true
}}
"""
