"""What the iterations of a loop do with the elements of an array that it carries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrograd.ir.terms import Atom, Block, For, If, Prim, Stm, Var
from retrograd.ir.traverse import blocks, free_vars_expr
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.facts import How
from retrograd.transforms.analysis.affine import forms_of, linear
from retrograd.transforms.analysis.bounds import Linear

__all__ = ["Accessed", "accesses_of", "of_its_own", "read_to_add"]


@dataclass(frozen=True, slots=True)
class Accessed:
    """One access: what it does, and the index along each axis; None along one that is a range."""

    how: How
    places: tuple[Atom | None, ...]


def accesses_of(loop: For, position: int, prims: PrimitiveSet) -> list[Accessed] | None:
    """All accesses to a carried array, in inner loops and branches, too.

    None if there is more, or if another array is handed on in its place.
    """
    versions = {loop.carried[position]}
    found = _accesses(loop.body, versions, prims)
    return found if loop.body.results[position] in versions else None


def _accesses(block: Block, versions: set[Var], prims: PrimitiveSet) -> list[Accessed] | None:
    """Those of a block; `versions` are all that the array is called, and grow."""
    found: list[Accessed] = []
    for stm in block.stms:
        expr = stm.expr
        if versions.isdisjoint(free_vars_expr(expr)):
            continue
        if isinstance(expr, Prim):
            more = _of_primitive(expr, versions, prims)
            access = prims[expr.op].facts.access
            if access is not None and access.writes and expr.args[0] in versions:
                versions.update(stm.outs)
        elif isinstance(expr, For):
            more = _of_loop(stm, expr, versions, prims)
        elif isinstance(expr, If):
            more = _of_branch(stm, expr, versions, prims)
        else:
            more = None
        if more is None:
            return None
        found += more
    return found


def _of_loop(stm: Stm, loop: For, versions: set[Var], prims: PrimitiveSet) -> list[Accessed] | None:
    own = [k for k, init in enumerate(loop.inits) if init in versions]
    inner = versions | {loop.carried[k] for k in own}
    found = _accesses(loop.body, inner, prims)
    handed = [k for k, result in enumerate(loop.body.results) if result in inner]
    versions.update(stm.outs[k] for k in own)
    return found if handed == own else None


def _of_branch(
    stm: Stm, expr: If, versions: set[Var], prims: PrimitiveSet
) -> list[Accessed] | None:
    found: list[Accessed] = []
    handed: list[list[int]] = []
    for arm in (expr.then, expr.orelse):
        inner = set(versions)
        more = _accesses(arm, inner, prims)
        if more is None:
            return None
        found += more
        handed.append([k for k, result in enumerate(arm.results) if result in inner])
    versions.update(stm.outs[k] for k in handed[0])
    return found if handed[0] == handed[1] else None


def _of_primitive(expr: Prim, versions: set[Var], prims: PrimitiveSet) -> list[Accessed] | None:
    facts = prims[expr.op].facts
    if facts.access is None or expr.args[0] not in versions:
        return None if any(a in versions for a in facts.whole(expr.args)) else []
    if any(a in versions for a in expr.args[1:]):
        return None
    operands = iter(expr.args[facts.access.places :])
    if facts.access.element:
        return [Accessed(facts.access.how, tuple(operands))]
    places: list[Atom | None] = []
    for letter in str(dict(expr.params)["spec"]):
        if letter == "i":
            places.append(next(operands))
        elif letter == "s":
            places.append(None)
            for _ in range(3):
                next(operands)
        elif letter == "a":
            places.append(None)
    return [Accessed(facts.access.how, tuple(places))]


def read_to_add(accesses: Sequence[Accessed]) -> bool:
    """Whether one element is read and written back, and no other is touched."""
    hows = [a.how for a in accesses]
    return hows == [How.READS, How.REPLACES] and accesses[0].places == accesses[1].places


def of_its_own(loop: For, rank: int, accesses: Sequence[Accessed]) -> bool:
    """Whether along some axis the index tells the iteration: stride * loop index + a constant."""
    forms = _all_forms(loop.body)
    return any(_apart(loop, [a.places[k] for a in accesses], forms) for k in range(rank))


def _all_forms(block: Block) -> dict[str, Linear]:
    """Integers that a block and the blocks inside it compute; what inner loops bind as itself."""
    found = forms_of(block)
    for stm in block.stms:
        if isinstance(stm.expr, For):
            own = (stm.expr.index, *stm.expr.carried)
            found.update((v.name, Linear(0, {v.name: 1})) for v in own)
        for inner in blocks(stm.expr):
            found.update(_all_forms(inner))
    return found


def _apart(loop: For, places: Sequence[Atom | None], forms: dict[str, Linear]) -> bool:
    found = [linear(place, forms) for place in places if place is not None]
    if not found or len(found) < len(places):
        return False
    stride = found[0].terms.get(loop.index.name, 0)
    varying = {str(u) for u in found[0].terms if str(u) in forms} - {loop.index.name}
    if stride == 0 or varying:
        return False
    apart = [form.plus(found[0], -1) for form in found]
    offsets = [d.const for d in apart]
    return not any(d.terms for d in apart) and max(offsets) - min(offsets) < abs(stride)
