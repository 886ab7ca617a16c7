"""Loops that carry a scalar are split, so that what does not depend on it becomes vector code.

    for i: t = f(x[i]); s = g(s, t)
 →  for each 32 iterations: for q: buffer[q] = f(x[...]), then for q: s = g(s, buffer[q])

The chain through `s` keeps its order, so nothing changes but the time: what does not depend on the
chain (the *map*) runs in lanes, and the processor overlaps it with the chain of the block before.

An element of an array that all iterations write is such a chain, too: the reverse of
`for i: v[i] += f(x[j], x[i])` adds to x_bar[j] and to x_bar[i]. Such loops are often short, so that
their last iterations are a block as well where the map is dear.

Legal where the body is pure straight code, and each array that the loop changes belongs to the map
or to the chain altogether. Worth it where the map costs more than hiding behind the chain saves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, For, Prim, Program, Stm, Var, ilit
from retrograd.ir.types import I64
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.loops.facts import (
    LANES,
    cost,
    each_loop,
    element,
    families,
    inlined,
    loop,
    place,
    plain,
    remainder,
    stored,
    straight,
    variables,
    whole_blocks,
)

__all__ = ["strip_loops"]


def strip_loops(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Splits every loop for which it pays."""

    def rewrite(stm: Stm, expr: For) -> list[Stm] | None:
        if not plain(expr) or not straight(expr.body, prims):
            return None
        family = families(expr, prims)
        if family is None:
            return None
        scalars = {v.name for v in expr.carried if v.type.is_scalar}
        b = Builder(names, prims.result_types, stm.prov)
        met = _met(expr, family, prims)
        if met and (parts := _parts(expr, prims, family, scalars | met, prims.costs.strip_met)):
            _emit_all(b, names, stm, expr, parts)
            return b.stms
        if scalars and (parts := _parts(expr, prims, family, scalars, prims.costs.strip_cost)):
            _emit(b, names, stm, expr, parts)
            return b.stms
        return None

    return each_loop(program, rewrite)


@dataclass(frozen=True, slots=True)
class _Parts:
    """The statements of map and chain, the positions of what each carries, and what crosses.

    `repeated` are cheap statements of the map that the chain runs again.
    """

    mapped: tuple[Stm, ...]
    chain: tuple[Stm, ...]
    repeated: tuple[Stm, ...]
    map_carried: tuple[int, ...]
    chain_carried: tuple[int, ...]
    crossing: tuple[Var, ...]


def _met(expr: For, family: Mapping[str, str], prims: PrimitiveSet) -> set[str]:
    """The carried arrays of which all iterations write one element."""
    inside = {expr.index.name, *(v.name for v in expr.carried)}
    inside.update(out.name for stm in expr.body.stms for out in stm.outs)
    found: set[str] = set()
    for stm in expr.body.stms:
        assert isinstance(stm.expr, Prim)
        facts = prims[stm.expr.op].facts
        if facts.element and facts.writes and inside.isdisjoint(variables(stm.expr.args[2:])):
            found.add(family[stm.outs[0].name])
    return found


def _parts(
    expr: For, prims: PrimitiveSet, family: dict[str, str], chained: set[str], dear: float
) -> _Parts | None:
    """Map and chain, with what is `chained` in the chain; None where that does not pay: where the
    map costs less than `dear`, or than the chain."""
    tied = _tied(expr, family, chained)
    chain = tuple(s for s in expr.body.stms if _ties(s, family, tied))
    mapped = tuple(s for s in expr.body.stms if not _ties(s, family, tied))
    if not chain or cost(mapped, prims) < max(dear, cost(chain, prims)):
        return None
    positions = range(len(expr.carried))
    in_chain = tuple(k for k in positions if expr.carried[k].name in tied)
    free = tuple(k for k in positions if expr.carried[k].name not in tied)
    repeated = _repeatable(mapped, family, prims)
    again = {out.name for stm in repeated for out in stm.outs}
    wanted = set(variables(expr.body.results[k] for k in in_chain))
    for stm in chain:
        assert isinstance(stm.expr, Prim)
        wanted.update(variables(stm.expr.args))
    crossing = tuple(
        out for stm in mapped for out in stm.outs if out.name in wanted and out.name not in again
    )
    return _Parts(mapped, chain, repeated, free, in_chain, crossing)


def _tied(expr: For, family: dict[str, str], scalars: set[str]) -> set[str]:
    """Names that depend on a carried scalar, and carried arrays that such statements touch."""
    tied = set(scalars)
    size = -1
    while len(tied) != size:
        size = len(tied)
        for stm in expr.body.stms:
            if _ties(stm, family, tied):
                assert isinstance(stm.expr, Prim)
                tied.update(out.name for out in stm.outs if out.type.is_scalar)
                tied.update(family[n] for n in variables(stm.expr.args) if n in family)
    return tied


def _ties(stm: Stm, family: dict[str, str], tied: set[str]) -> bool:
    assert isinstance(stm.expr, Prim)
    return any(family.get(name, name) in tied for name in variables(stm.expr.args))


def _repeatable(
    mapped: Sequence[Stm], family: dict[str, str], prims: PrimitiveSet
) -> tuple[Stm, ...]:
    """Loads and index arithmetic: cheaper to repeat than to keep."""
    inside = {out.name for stm in mapped for out in stm.outs}
    found: list[Stm] = []
    known: set[str] = set()
    for stm in mapped:
        assert isinstance(stm.expr, Prim)
        names = variables(stm.expr.args)
        facts = prims[stm.expr.op].facts
        loads = facts.element and not facts.writes
        cheap = loads or all(o.type == I64 for o in stm.outs)
        rest = [n for n in names if n in inside and n not in known]
        if cheap and not rest and family.keys().isdisjoint(names):
            found.append(stm)
            known.update(out.name for out in stm.outs)
    return tuple(found)


def _emit(b: Builder, names: NameSupply, stm: Stm, expr: For, parts: _Parts) -> None:
    blocks, done = whole_blocks(b, expr.trips, LANES)
    buffers = _buffers(b, parts)
    types = [v.type for v in expr.carried]
    count = len(types)

    def block(inner: Builder, k: Var, carried: tuple[Var, ...]) -> Sequence[Atom]:
        base = inner.prim("mul", k, ilit(LANES))
        return _block(inner, names, expr, parts, base, ilit(LANES), carried)

    all_types = [*types, *(x.type for x in buffers)]
    ends = loop(b, blocks, [*expr.inits, *buffers], all_types, block)
    remainder(b, names, stm, expr, done, ends[:count])


def _buffers(b: Builder, parts: _Parts) -> list[Var]:
    """An array for each value that crosses: what is read of it has been stored."""
    size, types = ilit(LANES), (v.type.dtype.value for v in parts.crossing)
    return [b.prim("zeros_around", size, ilit(0), size, dtype=t, rank=1) for t in types]


def _emit_all(b: Builder, names: NameSupply, stm: Stm, expr: For, parts: _Parts) -> None:
    """As `_emit`, with a last block of what iterations are left."""
    blocks = b.prim("floordiv", b.prim("add", expr.trips, ilit(LANES - 1)), ilit(LANES))
    buffers = _buffers(b, parts)

    def block(inner: Builder, k: Var, carried: tuple[Var, ...]) -> Sequence[Atom]:
        base = inner.prim("mul", k, ilit(LANES))
        size = inner.prim("imin", ilit(LANES), inner.prim("sub", expr.trips, base))
        return _block(inner, names, expr, parts, base, size, carried)

    types = [*(v.type for v in expr.carried), *(x.type for x in buffers)]
    ends = (*stm.outs, *(names.var("r", x.type) for x in buffers))
    loop(b, blocks, [*expr.inits, *buffers], types, block, ends)


def _block(
    b: Builder, names: NameSupply, expr: For, parts: _Parts, base: Atom, size: Atom,
    carried: Sequence[Var],
) -> Sequence[Atom]:  # fmt: skip
    """A block of `size` iterations from `base` on: what is carried on, and the buffers."""
    count = len(expr.carried)
    state = list[Atom](carried[:count])
    kept = _map_part(b, names, expr, parts, base, size, state, carried[count:])
    _chain_part(b, names, expr, parts, base, size, state, kept)
    return (*state, *kept)


def _map_part(
    b: Builder, names: NameSupply, expr: For, parts: _Parts, base: Atom, size: Atom,
    state: list[Atom], buffers: Sequence[Var],
) -> tuple[Var, ...]:  # fmt: skip
    """Fills the buffers for one block; takes the arrays of the map on in `state`."""
    mine = parts.map_carried
    results = [*(expr.body.results[k] for k in mine), *parts.crossing]

    def body(inner: Builder, q: Var, carried: tuple[Var, ...]) -> Sequence[Atom]:
        index = place(inner, expr, inner.prim("add", base, q))
        mapping: dict[Var, Atom] = {expr.index: index}
        mapping.update(zip((expr.carried[k] for k in mine), carried, strict=False))
        made = inlined(inner, names, parts.mapped, results, mapping)
        filled = [
            stored(inner, buffer, value, q)
            for buffer, value in zip(carried[len(mine) :], made[len(mine) :], strict=True)
        ]
        return (*made[: len(mine)], *filled)

    inits = [*(state[k] for k in mine), *buffers]
    outs = loop(b, size, inits, [a.type for a in inits], body)
    for k, out in zip(mine, outs, strict=False):
        state[k] = out
    return outs[len(mine) :]


def _chain_part(
    b: Builder, names: NameSupply, expr: For, parts: _Parts, base: Atom, size: Atom,
    state: list[Atom], buffers: Sequence[Var],
) -> None:  # fmt: skip
    """The chain over one block, in order."""
    mine = parts.chain_carried
    results = [expr.body.results[k] for k in mine]

    def body(inner: Builder, q: Var, carried: tuple[Var, ...]) -> Sequence[Atom]:
        index = place(inner, expr, inner.prim("add", base, q))
        mapping: dict[Var, Atom] = {expr.index: index}
        mapping.update(zip((expr.carried[k] for k in mine), carried, strict=True))
        for var, buffer in zip(parts.crossing, buffers, strict=True):
            mapping[var] = element(inner, buffer, q)
        return inlined(inner, names, (*parts.repeated, *parts.chain), results, mapping)

    inits = [state[k] for k in mine]
    outs = loop(b, size, inits, [a.type for a in inits], body)
    for k, out in zip(mine, outs, strict=True):
        state[k] = out
