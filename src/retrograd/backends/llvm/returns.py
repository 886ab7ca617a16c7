"""How generated functions hand back what they have calculated.

A function returns a struct: status, then its results (arrays as pointer and extents). Where there
are many, as in the gradient of a function of a hundred arrays, they go into memory of the caller,
a word for each part, and the struct has the status only: LLVM takes time with the square of the
values that a function returns, at each of its exits.

The status is 0 for success; that of interruptible code is the budget that is left, or a very
negative number.
"""

from __future__ import annotations

from collections.abc import Sequence

from retrograd.backends.llvm.gen import AnyValue, Gen
from retrograd.backends.llvm.interrupt import kinds_of
from retrograd.backends.llvm.text import BUNDLE, ArrayValue, FunctionText
from retrograd.ir.types import Type
from retrograd.prims.costs import Costs

__all__ = ["emit_call", "emit_return", "in_memory", "result_kinds", "result_struct", "store_word"]


def result_kinds(types: Sequence[Type]) -> list[str]:
    """The LLVM types of all parts of the results."""
    return [kind for type_ in types for kind in kinds_of(type_)]


def in_memory(types: Sequence[Type], costs: Costs) -> bool:
    """Whether a function with such results has one more parameter, for the place to put them.

    A bundle is no word.
    """
    kinds = result_kinds(types)
    return len(kinds) > costs.returned_words and BUNDLE not in kinds


def result_struct(types: Sequence[Type], costs: Costs, interruptible: bool = False) -> str:
    """The LLVM type that a function returns."""
    parts = [] if in_memory(types, costs) else result_kinds(types)
    return "{" + ", ".join(["i64" if interruptible else "i32", *parts]) + "}"


def store_word(f: FunctionText, base: str, k: int, kind: str, value: str) -> None:
    """Puts a value into the k-th word of some memory; a bool is a whole word."""
    if kind == "i1":
        kind, value = "i64", f.value(f"zext i1 {value} to i64")
    f.store(kind, value, f.value(f"getelementptr i64, ptr {base}, i64 {k}"))


def emit_return(
    f: FunctionText, types: Sequence[Type], results: Sequence[AnyValue], first: str, costs: Costs
) -> None:
    """Returns results with a status."""
    parts = [part for value in results for part in _parts(value)]
    interruptible = first.startswith("i64")
    struct = result_struct(types, costs, interruptible)
    packed = f.value(f"insertvalue {struct} poison, {first}, 0")
    for k, (kind, part) in enumerate(zip(result_kinds(types), parts, strict=True)):
        if in_memory(types, costs):
            store_word(f, "%out", k, kind, part)
        else:
            packed = f.value(f"insertvalue {struct} {packed}, {kind} {part}, {k + 1}")
    f.end(f"ret {struct} {packed}")


def emit_call(
    gen: Gen, symbol: str, types: Sequence[Type], args: Sequence[tuple[str, str]],
    interruptible: bool = False,
) -> tuple[str, list[AnyValue]]:  # fmt: skip
    """Calls a function: its status, and its results, which are there if that says so."""
    f, kinds, costs = gen.f, result_kinds(types), gen.shared.planner.prims.costs
    struct = result_struct(types, costs, interruptible)
    if in_memory(types, costs):
        place = f.slot(f"[{len(kinds)} x i64]")
        packed = f.call(struct, symbol, [*args, ("ptr", place)])
        words = [f.value(f"getelementptr i64, ptr {place}, i64 {k}") for k in range(len(kinds))]
        parts = [f.load(kind, word) for kind, word in zip(kinds, words, strict=True)]
    else:
        packed = f.call(struct, symbol, args)
        parts = [f.value(f"extractvalue {struct} {packed}, {k + 1}") for k in range(len(kinds))]
    status = f.value(f"extractvalue {struct} {packed}, 0")
    values: list[AnyValue] = []
    position = 0
    for type_ in types:
        first, dims = parts[position], parts[position + 1 : position + 1 + type_.rank]
        position += 1 + type_.rank
        values.append(
            first if type_.is_scalar else ArrayValue(first, tuple(dims), type_, None, first)
        )
    return status, values


def _parts(value: AnyValue) -> list[str]:
    if isinstance(value, ArrayValue):
        return [value.ptr, *value.dims]
    assert isinstance(value, str)
    return [value]
