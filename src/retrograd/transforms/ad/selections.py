"""A value that a loop keeps or replaces is calculated again in the iteration that replaced it last.

    for j < n with (best): q = ..; best = q if q < best else best

Where `q` is found from the index and from values outside the loop, the loop's result is `q` of one
iteration, or what the loop began with. With the index of that iteration, `at`, it is

    best = (q of iteration at) if at >= 0 else (what the loop began with)

to the bit. That is what is differentiated: the reverse sweep goes through one iteration, and one
index is recorded, where it went through n iterations that were recorded or run again. The loop
itself is left for `at`. What the choice depends on does not matter: it has no derivative.

Done for programs with cotangents, before points are numbered: the iteration is there twice.

Source: the reverse of `reduce min` in Schenck et al. 2022, section 5.1, for loops as users write
them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, For, If, Lit, Program, Stm, Var, ilit
from retrograd.ir.traverse import (
    blocks,
    free_vars_expr,
    freshen_block,
    mentions,
    with_blocks,
)
from retrograd.ir.types import I64
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.passes import per_function

__all__ = ["select_iterations"]


def select_iterations(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Calculates what loops keep or replace again after them, in every function."""

    def block(old: Block, uses: Counter[Var]) -> Block:
        out: list[Stm] = []
        for stm in old.stms:
            parts = tuple(block(inner, uses) for inner in blocks(stm.expr))
            stm = replace(stm, expr=with_blocks(stm.expr, parts)) if parts else stm
            found = _selection(stm, stm.expr, uses) if isinstance(stm.expr, For) else None
            b = Builder(names, prims.result_types, stm.prov)
            out += [stm] if found is None else _selected(b, stm, found)
        return Block(tuple(out), old.results)

    return per_function(program, lambda f: replace(f, body=block(f.body, mentions(f.body))))


@dataclass(frozen=True, slots=True)
class _Selection:
    """A loop whose float values are all kept or replaced by one branch of its body.

    `positions` of these values, where they are in the branch's results; `stms` calculate what they
    are replaced by, `values`. `replacing`: they are replaced where the condition holds.
    """

    loop: For
    branch: Stm
    positions: tuple[int, ...]
    replacing: bool
    stms: tuple[Stm, ...]
    values: tuple[Atom, ...]


def _selection(stm: Stm, loop: For, uses: Counter[Var]) -> _Selection | None:
    floats = [k for k, out in enumerate(stm.outs) if out.type.is_float and uses[out]]
    if not floats or floats[-1] >= len(loop.carried) or _short(loop.trips):
        return None
    if any(not stm.outs[k].type.is_scalar for k in floats):
        return None
    results = [loop.body.results[k] for k in floats]
    made = {out: s for s in loop.body.stms for out in s.outs}
    branch = made.get(results[0]) if isinstance(results[0], Var) else None
    if branch is None or not isinstance(branch.expr, If):
        return None
    if any(result not in branch.outs for result in results):
        return None
    places = [branch.outs.index(r) for r in results if isinstance(r, Var)]
    kept = [loop.carried[k] for k in floats]
    for replacing in (True, False):
        arm, other = (branch.expr.then, branch.expr.orelse)[:: 1 if replacing else -1]
        if [other.results[p] for p in places] == kept:
            values = tuple(arm.results[p] for p in places)
            stms = _calculating(loop, branch, arm, values)
            if stms is None:
                return None
            return _Selection(loop, branch, tuple(floats), replacing, stms, values)
    return None


def _short(trips: Atom) -> bool:
    """Whether there are so few iterations that one of them is no less work than all."""
    return isinstance(trips, Lit) and trips.value < _SHORT


_SHORT = 4


def _calculating(
    loop: For, branch: Stm, arm: Block, values: Sequence[Atom]
) -> tuple[Stm, ...] | None:
    """The statements of an iteration that calculate values; None if they need what is carried."""
    ahead = loop.body.stms[: loop.body.stms.index(branch)]
    needed = {a for a in values if isinstance(a, Var)}
    found: list[Stm] = []
    for stm in reversed((*ahead, *arm.stms)):
        if not needed.isdisjoint(stm.outs):
            found.append(stm)
            needed.update(free_vars_expr(stm.expr))
    return None if not needed.isdisjoint(loop.carried) else tuple(reversed(found))


def _selected(b: Builder, stm: Stm, found: _Selection) -> list[Stm]:
    """The loop with the index of the iteration, and that iteration."""
    loop, count = found.loop, len(found.loop.carried)
    at, now, last = (b.names.var("at", I64) for _ in range(3))
    body = tuple(_noting(s, found, at, now) if s is found.branch else s for s in loop.body.stms)
    results = (*loop.body.results[:count], now, *loop.body.results[count:])
    noting = replace(
        loop, carried=(*loop.carried, at), inits=(*loop.inits, ilit(-1)), body=Block(body, results)
    )
    inner = {k: b.names.var(stm.outs[k].name, stm.outs[k].type) for k in found.positions}
    outs = [inner.get(k, out) for k, out in enumerate(stm.outs)]
    b.stms.append(replace(stm, outs=(*outs[:count], last, *outs[count:]), expr=noting))
    any_ = b.prim("ge", last, ilit(0))
    again = freshen_block(Block(found.stms, found.values), b.names, {loop.index: last})
    start = Block((), tuple(loop.inits[k] for k in found.positions))
    chosen = tuple(stm.outs[k] for k in found.positions)
    b.stms.append(Stm(chosen, If(any_, again, start), stm.prov))
    return b.stms


def _noting(stm: Stm, found: _Selection, at: Var, now: Var) -> Stm:
    """The branch, which also gives the index of the iteration, or the one before."""
    assert isinstance(stm.expr, If)
    given = (found.loop.index, at) if found.replacing else (at, found.loop.index)
    arms = [
        replace(arm, results=(*arm.results, index))
        for arm, index in zip((stm.expr.then, stm.expr.orelse), given, strict=True)
    ]
    return replace(stm, outs=(*stm.outs, now), expr=replace(stm.expr, then=arms[0], orelse=arms[1]))
