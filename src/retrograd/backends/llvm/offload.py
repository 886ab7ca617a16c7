"""Arrays of the tape that leave memory: the native side of `retrograd.runtime.offload`.

After a push, `rg_offload` offers an array to whoever keeps files for the run; what has been written
is freed, and its word on the tape becomes null. Before a pop, `rg_take_back` makes room for what is
to be read next, and waits until the array is there. Both are told the place of the array's word on
the tape, and do nothing with small arrays, and where nobody keeps files. They ask by pipes, and may
be given up while they wait.
"""

from __future__ import annotations

from collections.abc import Sequence

from retrograd.backends.llvm.gen import Gen
from retrograd.ir.types import Type
from retrograd.runtime.layout import field_offset
from retrograd.runtime.offload import ANSWER, QUESTION, Question, offload_offset

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


_INTERRUPTED = 4
"""The error of a call of the system that a signal has ended: EINTR."""


def _transfer(name: str, word: str, size: int) -> str:
    """Has the system read or write a question or an answer, again after signals."""
    return f"""\
  %{name}p = getelementptr i8, ptr %table, i64 {offload_offset(word)}
  %{name}n = load i32, ptr %{name}p
  br label %{name}
{name}:
  %{name}d = call i64 @{name}(i32 %{name}n, ptr %words, i64 {size})
  %{name}w = icmp eq i64 %{name}d, {size}
  br i1 %{name}w, label %{name}_done, label %{name}_not
{name}_not:
  %{name}ep = call ptr @__errno_location()
  %{name}e = load i32, ptr %{name}ep
  %{name}i = icmp eq i32 %{name}e, {_INTERRUPTED}
  %{name}f = icmp slt i64 %{name}d, 0
  %{name}a = and i1 %{name}i, %{name}f
  br i1 %{name}a, label %{name}, label %failing
{name}_done:"""


def _asked(result: str, question: Question) -> str:
    return f"{result} = call i64 @rg_ask(ptr %table, ptr %words, i64 {question.value})"


def _moved(sign: str) -> str:
    """Counts an array that comes back to the tape, or leaves it."""
    return f"""\
  %arraysp = getelementptr i8, ptr %ctx, i64 {field_offset("tape_arrays")}
  %arrays = load i64, ptr %arraysp
  %arrays1 = {sign} i64 %arrays, %size
  store i64 %arrays1, ptr %arraysp"""


_HEAD = f"""\
entry:
  %words = alloca [4 x i64]
  %slotp = getelementptr i64, ptr %words, i64 1
  %bytesp = getelementptr i64, ptr %words, i64 2
  %numberp = getelementptr i64, ptr %words, i64 3
  %tablep = getelementptr i8, ptr %ctx, i64 {field_offset("offload")}
  %table = load ptr, ptr %tablep
  %nobody = icmp eq ptr %table, null
  br i1 %nobody, label %done, label %measure
measure:
  %smallestp = getelementptr i8, ptr %table, i64 {offload_offset("smallest")}
  %smallest = load i64, ptr %smallestp
  %small = icmp ult i64 %bytes, %smallest
  br i1 %small, label %done, label %some"""

_TAIL = """\
failing:
  ret i1 false
done:
  ret i1 true
}
"""

OFFLOAD_TEXT = f"""
declare i64 @read(i32, ptr, i64)
declare i64 @write(i32, ptr, i64)
declare ptr @__errno_location()

define internal i64 @rg_ask(ptr %table, ptr %words, i64 %question) noinline {{
entry:
  store i64 %question, ptr %words
{_transfer("write", "questions", QUESTION.size)}
{_transfer("read", "answers", ANSWER.size)}
  %answer = load i64, ptr %words
  ret i64 %answer
failing:
  ret i64 -1
}}

define internal i1 @rg_offload(ptr %ctx, ptr %slot, i64 %bytes, i64 %folder) noinline {{
{_HEAD}
some:
  store ptr %slot, ptr %slotp
  store i64 %bytes, ptr %bytesp
  store i64 %folder, ptr %numberp
  {_asked("%put", Question.PUT)}
  br label %look
look:
  %word = phi i64 [%put, %some], [%next, %move]
  %failed = icmp slt i64 %word, 0
  br i1 %failed, label %failing, label %answered
answered:
  %none = icmp eq i64 %word, 0
  br i1 %none, label %done, label %move
move:
  %place = inttoptr i64 %word to ptr
  %data = load ptr, ptr %place
  %size = load i64, ptr %slotp
  store ptr null, ptr %place
{_moved("sub")}
  call void @rg_free(ptr %ctx, ptr %data)
  {_asked("%next", Question.WRITTEN)}
  br label %look
{_TAIL}
define internal i1 @rg_take_back(ptr %ctx, ptr %slot, i64 %bytes) noinline {{
{_HEAD}
some:
  %room = phi i64 [1, %measure], [1, %move], [0, %without]
  store ptr %slot, ptr %slotp
  store i64 %room, ptr %numberp
  {_asked("%word", Question.TAKE)}
  %failed = icmp slt i64 %word, 0
  br i1 %failed, label %failing, label %answered
answered:
  %none = icmp eq i64 %word, 0
  br i1 %none, label %done, label %make
make:
  %place = inttoptr i64 %word to ptr
  %size = load i64, ptr %slotp
  %data = call ptr @rg_alloc(ptr %ctx, i64 %size)
  %full = icmp eq ptr %data, null
  br i1 %full, label %without, label %move
without:
  %itself = icmp eq ptr %place, %slot
  br i1 %itself, label %failing, label %some
move:
  store ptr %data, ptr %place
{_moved("add")}
  br label %some
{_TAIL}"""
"""An answer takes the place of the question; the second word is an array's bytes then."""
