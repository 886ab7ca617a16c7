"""Machine code of loops over the same elements that are one (`backends.llvm.element_runs`).

Each element goes through all of them before the next one does: what one has stored the others have
in a register, and what several read is read once. The operations of each element, and the order of
sums, are those that the loops have by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from retrograd.backends.llvm.alias import scopes_of
from retrograd.backends.llvm.elementwise import Elements, fill_from, leaves
from retrograd.backends.llvm.gen import Gen, Waiting
from retrograd.backends.llvm.reduce import lane_sums
from retrograd.backends.llvm.reductions import sum_of_all
from retrograd.backends.llvm.scalar import emit_scalar
from retrograd.backends.llvm.text import ArrayValue
from retrograd.ir.terms import Prim, Var

__all__ = ["emit_fused", "wait_for_loop"]


def wait_for_loop(gen: Gen, out: Var, expr: Prim) -> None:
    """Notes a sum, or an addition to an array, that is part of a joined loop."""
    value = gen.any(expr.args[-1] if gen.shared.planner.prims[expr.op].consumes else expr.args[0])
    if out.type.is_scalar:
        gen.waiting.append(Waiting(out, value))
    else:
        target = gen.array(expr.args[0])
        gen.waiting.append(Waiting(out, value, target, adds=True))
        gen.env[out] = target


def emit_fused(gen: Gen) -> None:
    """The loops that have waited; sums are bound."""
    waiting, gen.waiting = gen.waiting, []
    most = gen.shared.planner.prims.costs.fused_loops
    for group in _groups(waiting):
        for first in range(0, len(group), most):
            _emit(gen, group[first : first + most])


def _groups(waiting: Sequence[Waiting]) -> list[list[Waiting]]:
    """Those that read or write an array of one another."""
    groups: list[tuple[set[str], list[Waiting]]] = []
    for one in waiting:
        buffers = _buffers(one)
        met = [group for group in groups if not buffers.isdisjoint(group[0])]
        groups = [group for group in groups if buffers.isdisjoint(group[0])]
        groups.append((buffers.union(*(b for b, _ in met)), [w for _, g in met for w in g] + [one]))
    return [group for _, group in groups]


def _buffers(one: Waiting) -> set[str]:
    return {leaf.root or leaf.ptr for leaf in _arrays(one)}


def _arrays(one: Waiting) -> Iterator[ArrayValue]:
    yield from leaves(one.value)
    if one.target is not None:
        yield one.target


def _emit(gen: Gen, group: Sequence[Waiting]) -> None:
    arrays = [array for one in group for array in _arrays(one)]
    if len(group) == 1 or any(array.strides is not None for array in arrays):
        for one in group:
            _alone(gen, one)
        return
    elements = Elements.flat(gen, arrays[0].dims)
    sums = [one for one in group if one.target is None]

    def body(k: str) -> list[str]:
        elements.found.clear()
        return [v for one in group if (v := _element(gen, one, elements, k)) is not None]

    outer, gen.apart = gen.apart, scopes_of(gen, arrays)
    count = gen.count(arrays[0].dims)
    if sums:
        totals = lane_sums(gen, count, len(sums), body, innermost=True, unrolled=True)
        gen.env.update(zip((one.out for one in sums), totals, strict=True))
    else:
        gen.loop(count, lambda k: (body(k), None)[1], gen.vector_hint())
    gen.apart = outer


def _element(gen: Gen, one: Waiting, elements: Elements, k: str) -> str | None:
    """Stores an element, or gives the term of a sum."""
    value = elements.at(one.value, k)
    if one.target is None:
        return value
    dtype = one.target.type.dtype
    if one.adds:
        old = elements.at(one.target, k)
        value = emit_scalar(gen.f, "add", [old, value], [dtype, dtype], dtype)
    gen.write(dtype, value, gen.at(one.target, k))
    for name in (one.target, gen.any(one.out)):
        elements.found[id(name)] = value
    return None


def _alone(gen: Gen, one: Waiting) -> None:
    """A loop of its own."""
    if one.target is not None:
        fill_from(gen, one.target, one.value, "add" if one.adds else None)
    elif not isinstance(one.value, str):
        gen.env[one.out] = sum_of_all(gen, one.value, one.value.type)
