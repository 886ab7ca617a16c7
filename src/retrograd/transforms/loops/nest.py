"""Loops around one innermost loop, and whether their iterations may run side by side.

In `for i: before; for j: inner; after`, a block of iterations of i may share one loop over j

    for i in a block: before;  for j: inner for each i of the block;  for i in the block: after

if no element of an array is touched in another order. Each array that the nest changes is either
*private*, every access naming the outer index on one axis, so that different i never meet; or
*aligned*, touched in the inner loop only, with the inner index on one axis: then what happens to an
element happens at one j, in the order of i.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from retrograd.ir.terms import Atom, For, If, Prim, Stm, Var
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.facts import How
from retrograd.transforms.loops.facts import pure, straight, variables

__all__ = ["Nest", "nest_of"]


@dataclass(frozen=True, slots=True)
class Nest:
    """A nest whose outer iterations are independent; `guards` are branches that only raise.

    `family` says for each name of an array that changes which carried array it is a version of;
    `gathers` that elements are read and written again at the same j by every i; `scatters` that the
    inner loop writes to elements which are those of one i.
    """

    outer: For
    before: tuple[Stm, ...]
    guards: tuple[Stm, ...]
    inner_stm: Stm
    inner: For
    after: tuple[Stm, ...]
    family: dict[str, str]
    gathers: bool
    scatters: bool


@dataclass(frozen=True, slots=True)
class _Access:
    how: How
    places: tuple[Atom, ...]
    inside: bool

    @property
    def writes(self) -> bool:
        return self.how is not How.READS


def nest_of(outer: For, prims: PrimitiveSet) -> Nest | None:
    """The nest that a loop is the outside of, None where iterations may not run side by side."""
    at = [k for k, stm in enumerate(outer.body.stms) if isinstance(stm.expr, For)]
    if len(at) != 1 or outer.block or outer.sums or any(v.type.is_scalar for v in outer.carried):
        return None
    stms, (k,) = outer.body.stms, at
    inner = stms[k].expr
    if not isinstance(inner, For) or inner.block or not straight(inner.body, prims):
        return None
    guards = tuple(s for s in stms[:k] if isinstance(s.expr, If) and not s.outs)
    before = tuple(s for s in stms[:k] if s not in guards)
    after = stms[k + 1 :]
    moving = inner.trips == outer.index or _bound(inner.trips, stms)
    if moving or not all(pure(s, prims) for s in (*before, *after)):
        return None
    family = _families(outer, before, stms[k], inner, after, prims)
    if family is None:
        return None
    found = _accesses(family, before, inner.body.stms, after, prims)
    if found is None:
        return None
    for name in dict.fromkeys(family.values()):
        touched = found.get(name, [])
        private = _named(touched, outer.index)
        if not private and not (all(a.inside for a in touched) and _named(touched, inner.index)):
            return None
    gathers = any(_gathers(accesses, outer.index) for accesses in found.values())
    scatters = any(
        _named(accesses, outer.index) and any(a.inside and a.writes for a in accesses)
        for accesses in found.values()
    )
    return Nest(outer, before, guards, stms[k], inner, after, family, gathers, scatters)


def _bound(atom: Atom, stms: Iterable[Stm]) -> bool:
    """Whether statements bind an atom."""
    return any(atom in stm.outs for stm in stms)


def _families(
    outer: For,
    before: Iterable[Stm],
    inner_stm: Stm,
    inner: For,
    after: Iterable[Stm],
    prims: PrimitiveSet,
) -> dict[str, str] | None:
    found = {v.name: v.name for v in outer.carried}
    if not _updates(before, found, prims):
        return None
    arrays = [k for k, v in enumerate(inner.carried) if not v.type.is_scalar]
    for k in arrays:
        init = inner.inits[k]
        if not isinstance(init, Var) or init.name not in found:
            return None
        found[inner.carried[k].name] = found[init.name]
    if not _updates(inner.body.stms, found, prims):
        return None
    if not _returned([inner.carried[k] for k in arrays],
                     [inner.body.results[k] for k in arrays], found):  # fmt: skip
        return None
    found.update((inner_stm.outs[k].name, found[inner.carried[k].name]) for k in arrays)
    if not _updates(after, found, prims) or not _returned(outer.carried, outer.body.results, found):
        return None
    return found


def _updates(stms: Iterable[Stm], found: dict[str, str], prims: PrimitiveSet) -> bool:
    """Adds the versions that statements make; whether they make no other arrays."""
    for stm in stms:
        assert isinstance(stm.expr, Prim)
        if all(out.type.is_scalar for out in stm.outs):
            continue
        old = stm.expr.args[0] if prims[stm.expr.op].facts.element else None
        if not isinstance(old, Var) or old.name not in found:
            return False
        found[stm.outs[0].name] = found[old.name]
    return True


def _returned(carried: Sequence[Var], results: Sequence[Atom], found: dict[str, str]) -> bool:
    """Whether each carried array comes back as a version of itself."""
    return all(
        isinstance(result, Var) and found.get(result.name) == found[var.name]
        for var, result in zip(carried, results, strict=False)
    )


def _accesses(
    family: dict[str, str],
    before: Sequence[Stm],
    inner: Sequence[Stm],
    after: Sequence[Stm],
    prims: PrimitiveSet,
) -> dict[str, list[_Access]] | None:
    """The accesses of each array that changes; None where one is used in another way."""
    found: dict[str, list[_Access]] = {}
    for stms, inside in ((before, False), (inner, True), (after, False)):
        for stm in stms:
            assert isinstance(stm.expr, Prim)
            names = [n for n in variables(stm.expr.args) if n in family]
            if not names or stm.expr.op == "dim":
                continue
            access = prims[stm.expr.op].facts.access
            if access is None or not access.element or len(names) > 1:
                return None
            places = stm.expr.args[access.places :]
            found.setdefault(family[names[0]], []).append(_Access(access.how, places, inside))
    return found


def _named(accesses: Sequence[_Access], index: Var) -> bool:
    """Whether every access names the index on the same axis."""
    if not accesses:
        return True
    axes = range(len(accesses[0].places))
    return any(all(access.places[axis] == index for access in accesses) for axis in axes)


def _gathers(accesses: Sequence[_Access], outer: Var) -> bool:
    """Whether elements that do not depend on the outer index are read and written."""
    ways = {a.how for a in accesses}
    moved = How.ADDS in ways or {How.READS, How.REPLACES} <= ways
    return moved and not _named(accesses, outer)
