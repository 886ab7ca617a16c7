"""Software prefetching: a block of iterations asks for the cotangents that its reverse adds to.

    for b < blocks:                             for b < blocks:
        for i < min(left, 64):                      for i < min(left, 64):
            for j < n[i]: s += a[start[i] + j]          for j < n[i]:
                                                            s += a[start[i] + j]
                                                            prefetch(a_bar, start[i] + j)
        for i < min(left, 64), descending:          for i < min(left, 64), descending:
            for j < n[i]:                               for j < n[i]:
                add_at(a_bar, .., start[i] + j)             add_at(a_bar, .., start[i] + j)

The second loop goes through rows from the last to the first, so processors do not foresee which
memory it needs; the first one has gone through the same rows in order. Asked for are elements side
by side, as a block's worth of them stays in the cache; and only beside a sum, whose additions wait
for each other anyway: an inner loop that could run in lanes would no longer.

Source: T. C. Mowry, M. S. Lam, A. Gupta, "Design and evaluation of a compiler algorithm for
prefetching", ASPLOS 1992.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Block, For, Lit, Prim, Program, Stm, Var
from retrograd.ir.traverse import blocks, with_blocks
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.analysis.index_origins import Key, Origins
from retrograd.transforms.passes import per_function

__all__ = ["prefetch_cotangents"]

_MOST = 256
"""Iterations of a block, at most: what they ask for has to stay in the cache."""


def prefetch_cotangents(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program whose loops over blocks ask for memory that the next loop writes to."""

    def looked_into(block: Block) -> Block:
        block = _asking(block, prims)
        stms: list[Stm] = []
        for stm in block.stms:
            inner = tuple(looked_into(b) for b in blocks(stm.expr))
            stms.append(replace(stm, expr=with_blocks(stm.expr, inner)) if inner else stm)
        return Block(tuple(stms), block.results)

    return per_function(program, lambda f: replace(f, body=looked_into(f.body)))


def _asking(block: Block, prims: PrimitiveSet) -> Block:
    """A block, in which a short loop asks for what another one after it writes to."""
    stms = list(block.stms)
    short = {s.outs[0] for s in stms if _is_short(s)}
    loops = [k for k, s in enumerate(stms) if isinstance(s.expr, For) and s.expr.trips in short]
    for one, other in ((a, b) for a in loops for b in loops if a < b):
        first, then = stms[one].expr, stms[other].expr
        assert isinstance(first, For)
        assert isinstance(then, For)
        given = set(then.inits).difference(*(s.outs for s in stms[one:other]))
        wanted: dict[Key, list[Var]] = {}
        for access in _accesses(then, prims):
            if access.writes and access.array in given:
                wanted.setdefault(access.place, []).append(access.array)
        if wanted and first.trips == then.trips:
            stms[one] = replace(stms[one], expr=_with_requests(first, wanted, prims))
    return replace(block, stms=tuple(stms))


def _is_short(stm: Stm) -> bool:
    """Whether it is a number of iterations that is at most that of a block."""
    if not isinstance(stm.expr, Prim) or stm.expr.op != "imin":
        return False
    return any(isinstance(a, Lit) and int(a.value) <= _MOST for a in stm.expr.args)


@dataclass(frozen=True, slots=True)
class _Accessed:
    """An element of an array from outside the nest, in an innermost loop, side by side with that
    of the iteration before. `place`: the loops that are gone through, and the indices."""

    array: Var
    place: Key
    writes: bool
    stm: Stm


@dataclass(frozen=True, slots=True)
class _Nest:
    origins: Origins

    def accesses(self, loop: For, path: tuple[Key, ...]) -> Iterator[_Accessed]:
        self.origins.enter(loop, len(path))
        inside = (*path, self.origins.key(loop.trips))
        inner = [s.expr for s in loop.body.stms if isinstance(s.expr, For)]
        for stm in loop.body.stms:
            if isinstance(stm.expr, For):
                yield from self.accesses(stm.expr, inside)
            elif isinstance(stm.expr, Prim):
                if not inner and path:
                    yield from self.accessed(stm, stm.expr, inside)
                self.origins.learn(stm, stm.expr)

    def accessed(self, stm: Stm, expr: Prim, path: tuple[Key, ...]) -> Iterator[_Accessed]:
        access = self.origins.prims[expr.op].facts.access
        array = expr.args[0] if expr.args else None
        if access is None or not access.element or not isinstance(array, Var):
            return
        places = tuple(map(self.origins.key, expr.args[access.places :]))
        own: Key = ("loop", len(path) - 1)
        if _step(places[-1], own) == 1 and all(_step(p, own) == 0 for p in places[:-1]):
            outside = self.origins.outside.get(array, array)
            if isinstance(outside, Var):
                yield _Accessed(outside, (path, places), access.writes, stm)


def _accesses(loop: For, prims: PrimitiveSet) -> list[_Accessed]:
    return list(_Nest(Origins(prims)).accesses(loop, ()))


def _step(key: Key, own: Key) -> int | None:
    """By how much an integer moves with a loop's index; None where that is not known."""
    if key == own:
        return 1
    if key[0] in ("is", "loop"):
        return 0
    steps = [_step(cast("Key", k), own) for k in key[2:] if isinstance(k, tuple)]
    if key[0] == "add" and None not in steps:
        return sum(s for s in steps if s is not None)
    if key[0] == "wrap":
        return steps[0] if steps[1] == 0 else None
    return 0 if all(s == 0 for s in steps) else None


def _with_requests(loop: For, wanted: Mapping[Key, Sequence[Var]], prims: PrimitiveSet) -> For:
    """The loop that asks for arrays where it reads an element in the same place."""
    left = dict(wanted)
    asked = {
        access.stm.outs[0]: left.pop(access.place, ())
        for access in _accesses(loop, prims)
        if not access.writes
    }
    return _placed(loop, asked) if len(left) < len(wanted) else loop


def _placed(loop: For, asked: Mapping[Var, Sequence[Var]]) -> For:
    """The loop with requests after the reads that have the same place."""
    serial = any(v.type.is_float and v.type.is_scalar for v in loop.carried)
    stms: list[Stm] = []
    for stm in loop.body.stms:
        if isinstance(stm.expr, For):
            stm = replace(stm, expr=_placed(stm.expr, asked))
        stms.append(stm)
        if serial and isinstance(stm.expr, Prim) and stm.outs:
            places = stm.expr.args[1:]
            arrays = asked.get(stm.outs[0], ())
            stms += [Stm((), Prim("prefetch", (a, *places)), stm.prov) for a in arrays]
    return replace(loop, body=replace(loop.body, stms=tuple(stms)))
