"""What the loop transformations ask about a body, and the pieces that they all build."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, For, Function, Lit, Prim, Program, Stm, Var, ilit
from retrograd.ir.traverse import blocks, freshen_block, with_blocks
from retrograd.ir.types import I64, Type
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.transforms.analysis.effects import prim_effect
from retrograd.transforms.passes import per_function

__all__ = [
    "LANES", "cost", "each_loop", "element", "families", "inlined", "loop", "place", "plain",
    "pure", "remainder", "rewritten", "stored", "straight", "variables", "whole_blocks",
]  # fmt: skip

LANES = 32
"""Iterations of a block: the widest vectors of today, four times."""

Rewrite = Callable[[Stm, For], list[Stm] | None]


def each_loop(program: Program, rewrite: Rewrite) -> Program:
    """`rewrite` applied to every counted loop, inner before outer; None leaves a loop as it is."""
    return per_function(program, lambda f: rewritten(f, rewrite))


def rewritten(function: Function, rewrite: Rewrite) -> Function:
    """The same in one function."""

    def walk(block: Block) -> Block:
        out: list[Stm] = []
        for stm in block.stms:
            inner = tuple(map(walk, blocks(stm.expr)))
            new = replace(stm, expr=with_blocks(stm.expr, inner)) if inner else stm
            changed = rewrite(new, new.expr) if isinstance(new.expr, For) else None
            out.extend([new] if changed is None else changed)
        return Block(tuple(out), block.results)

    return replace(function, body=walk(function.body))


def pure(stm: Stm, prims: PrimitiveSet) -> bool:
    """Whether a statement is a primitive that neither raises nor touches the tape.

    Bundles are vectors already: what makes them is left where it is.
    """
    if not isinstance(stm.expr, Prim) or any(out.type.is_bundle for out in stm.outs):
        return False
    return prim_effect(stm.expr, prims) is Effect.PURE


def straight(block: Block, prims: PrimitiveSet) -> bool:
    """Whether a block is pure primitives only."""
    return all(pure(stm, prims) for stm in block.stms)


def plain(expr: For) -> bool:
    """Whether a loop has neither sums nor residuals, whose layout depends on its iterations."""
    return expr.sums == 0 and not expr.block


def variables(items: Iterable[Atom]) -> list[str]:
    return [a.name for a in items if isinstance(a, Var)]


def cost(stms: Iterable[Stm], prims: PrimitiveSet) -> float:
    """Cost of straight code, in floating-point additions."""
    return sum(prims[stm.expr.op].cost for stm in stms if isinstance(stm.expr, Prim))


def families(expr: For, prims: PrimitiveSet) -> dict[str, str] | None:
    """For each array of the body that changes, the carried array that it is a version of.

    None where the body makes arrays in other ways, or where a version is not in place.
    """
    found = {v.name: v.name for v in expr.carried if not v.type.is_scalar}
    for stm in expr.body.stms:
        assert isinstance(stm.expr, Prim)
        if all(out.type.is_scalar for out in stm.outs):
            continue
        (old, *_), (new,) = stm.expr.args, stm.outs
        in_place = prims[stm.expr.op].facts.element
        if not in_place or not isinstance(old, Var) or old.name not in found:
            return None
        found[new.name] = found[old.name]
    for var, result in zip(expr.carried, expr.body.results, strict=False):
        if not var.type.is_scalar and found.get(_name(result)) != var.name:
            return None
    return found


def _name(atom: Atom) -> str:
    """The name of a variable; no variable is named like a literal."""
    return atom.name if isinstance(atom, Var) else ""


def place(b: Builder, expr: For, position: Atom) -> Atom:
    """The index of a loop in its iteration number `position`."""
    if not expr.descending:
        return position
    return b.prim("sub", b.prim("sub", expr.trips, ilit(1)), position)


def inlined(
    b: Builder, names: NameSupply, stms: Sequence[Stm], results: Sequence[Atom],
    mapping: Mapping[Var, Atom],
) -> tuple[Atom, ...]:  # fmt: skip
    """Emits a fresh copy of statements; what `results` are in it."""
    copy = freshen_block(Block(tuple(stms), tuple(results)), names, mapping)
    b.stms.extend(copy.stms)
    return copy.results


def loop(
    b: Builder, trips: Atom, inits: Sequence[Atom], types: Sequence[Type],
    body: Callable[[Builder, Var, tuple[Var, ...]], Sequence[Atom]], outs: Sequence[Var] = (),
) -> tuple[Var, ...]:  # fmt: skip
    """A counted loop whose body is `body(builder, index, carried)`; its results."""
    index = b.names.var("k", I64)
    carried = tuple(b.names.var("c", t) for t in types)
    inner = b.inner()
    block = inner.block(body(inner, index, carried))
    expr = For(index, trips, carried, tuple(inits), block)
    if not outs:
        return b.bind(expr, types, "r")
    b.stms.append(Stm(tuple(outs), expr, b.prov))
    return tuple(outs)


def remainder(
    b: Builder, names: NameSupply, stm: Stm, expr: For, done: Atom, inits: Sequence[Atom]
) -> None:
    """The iterations from number `done` on, as they were; binds the results of `stm`."""

    def body(inner: Builder, k: Var, carried: tuple[Var, ...]) -> Sequence[Atom]:
        index = place(inner, expr, inner.prim("add", done, k))
        mapping: dict[Var, Atom] = dict(zip(expr.carried, carried, strict=True))
        mapping[expr.index] = index
        return inlined(inner, names, expr.body.stms, expr.body.results, mapping)

    left = b.prim("sub", expr.trips, done)
    loop(b, left, inits, [v.type for v in expr.carried], body, stm.outs)


def element(b: Builder, array: Atom, k: Atom) -> Var:
    """One element of a buffer."""
    return b.prim("index", array, k, checked=False, span=None)


def stored(b: Builder, array: Atom, value: Atom, k: Atom) -> Var:
    """A buffer with one element replaced."""
    return b.prim("update", array, value, k, checked=False, span=None)


def whole_blocks(b: Builder, trips: Atom, size: int) -> tuple[Atom, Atom]:
    """How many whole blocks of `size` iterations there are, and how many iterations these are."""
    if isinstance(trips, Lit):
        count = max(0, int(trips.value)) // size
        return ilit(count), ilit(count * size)
    count = b.prim("floordiv", b.prim("imax", trips, ilit(0)), ilit(size))
    return count, b.prim("mul", count, ilit(size))
