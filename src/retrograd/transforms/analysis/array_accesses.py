"""What the iterations of a loop do with the elements of an array that it carries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrograd.ir.terms import Atom, Block, For, If, Prim, Var
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


def accesses_of(loop: For, var: Var, prims: PrimitiveSet) -> list[Accessed] | None:
    """All accesses to a carried array, in inner loops and branches, too; None if there is more."""
    return _accesses(loop.body, {var}, prims)


def _accesses(block: Block, versions: set[Var], prims: PrimitiveSet) -> list[Accessed] | None:
    found: list[Accessed] = []
    for stm in block.stms:
        expr = stm.expr
        if versions.isdisjoint(free_vars_expr(expr)):
            continue
        if isinstance(expr, Prim):
            more = _of_primitive(expr, versions, prims)
            access = prims[expr.op].facts.access
            if access is not None and access.writes:
                versions.update(stm.outs)
        elif isinstance(expr, For | If):
            inner = set(versions)
            if isinstance(expr, For):
                pairs = zip(expr.carried, expr.inits, strict=True)
                inner.update(v for v, init in pairs if init in versions)
            parts = [_accesses(part, inner, prims) for part in blocks(expr)]
            more = None if None in parts else [a for part in parts for a in part or ()]
            versions.update(out for out in stm.outs if not out.type.is_scalar)
        else:
            more = None
        if more is None:
            return None
        found += more
    return found


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
