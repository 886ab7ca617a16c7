"""Arguments of reversible functions share no memory where one of them is changed.

Parts of one array are compared when the program runs, by their beginnings, steps and lengths: that
takes a few operations on ints for each call, however long they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, product

from retrograd.errors import InvertibilityError
from retrograd.frontend.derivatives.purity import held_by
from retrograd.frontend.identity.transformed import Reversible
from retrograd.frontend.values.kinds import (
    ArrayRef,
    At,
    Axis,
    Instance,
    New,
    Part,
    Scalar,
    Static,
    Value,
    Whole,
)
from retrograd.frontend.values.scalars import compare, logical_not, truth
from retrograd.frontend.values.tracer import Tracer
from retrograd.inversion.progressions import common
from retrograd.ir.terms import Atom, false, ilit, true
from retrograd.messages import kind_of

__all__ = ["keep_apart"]


def keep_apart(
    t: Tracer, fun: Reversible, bound: Mapping[str, Value], read: Mapping[str, Value]
) -> None:
    """Refuses a call that is given, or reads, an array twice and changes it; so calls in Python do.

    Args:
        bound: the arguments, by parameter.
        read: what the function reads from outside; if there is any, arguments are not compared
            with each other again.
    """
    held = [(name, ref) for name, value in bound.items() for ref in held_by(t, value)]
    around = [(name, ref) for name, value in read.items() for ref in held_by(t, value)]
    pairs = [(o, a) for o in around for a in held] if read else combinations(held, 2)
    for (other, two), (name, one) in pairs:
        changed = [n for n in (name, other) if n in fun.changed and (n == name or not read)]
        if changed and (name != other or not _is_object(bound[name]) or read):
            said = f"{other!r} and {name!r} of {fun.__name__} share memory"
            _refuse(t, one, two, f"{said}, and {changed[0]!r} is changed")
    for name, value in bound.items():
        if not read and isinstance(value, Instance) and _is_object(value):
            _keep_attributes_apart(t, fun, name, value)


def _is_object(value: Value) -> bool:
    return isinstance(value, Instance) and value.cls is not dict


def _keep_attributes_apart(t: Tracer, fun: Reversible, name: str, value: Instance) -> None:
    """The same of two attributes of an object, of which one is changed and both are used."""
    changed, used = fun.attributes(name)
    held = {
        attr: [*held_by(t, t.content(value.cell(attr)))] for attr in value.names if attr in used
    }
    for one in sorted(changed & held.keys()):
        for other in sorted(held.keys() - {one}):
            said = f"'{name}.{one}' and '{name}.{other}' share memory, and {fun.__name__} changes"
            for a, b in product(held[one], held[other]):
                _refuse(t, a, b, f"{said} '{name}.{one}'")


def _refuse(t: Tracer, one: ArrayRef, other: ArrayRef, said: str) -> None:
    """Refuses two arrays that have an element in common: here, or when the program runs."""
    meets = _meet(t, one, other)
    if meets == true:
        raise t.error("RG0502", said, "give it a copy of one of them")
    kind = kind_of(InvertibilityError)
    assert kind is not None
    t.check(logical_not(t, meets), kind, f"{said}: give it a copy of one of them")


def _meet(t: Tracer, one: ArrayRef, other: ArrayRef) -> Atom:
    """Whether two arrays have an element in common."""
    if one.loc != other.loc:
        return true if other.loc in t.state.links.get(one.loc, frozenset()) else false
    if one.view is None or other.view is None or one.view == other.view:
        return true
    axes = ([axis for axis in ref.view or () if not isinstance(axis, New)] for ref in (one, other))
    found: Atom = true
    for k, (a, b) in enumerate(zip(*axes, strict=True)):
        met = _on_axis(t, one.loc, k, a, b)
        found = met if found == true else found if met == true else t.prim("and_", found, met)
        if met == false:
            return false
    return found


def _on_axis(t: Tracer, loc: int, k: int, one: Axis, other: Axis) -> Atom:
    match one, other:
        case (Whole(), Whole()) | (Whole(), At()) | (At(), Whole()):
            return true
        case At(), At():
            return compare(t, "eq", Scalar(one.index), Scalar(other.index)).atom
        case _:
            numbers = (*_progression(t, loc, k, one), *_progression(t, loc, k, other))
            return truth(t, t.call(Static(common), [Scalar(n) for n in numbers], {}))


def _progression(t: Tracer, loc: int, k: int, axis: Axis) -> tuple[Atom, Atom, Atom]:
    """The first index, how many there are, and the step between them."""
    match axis:
        case At():
            return axis.index, ilit(1), ilit(1)
        case Part():
            return axis.start, axis.size, axis.step
        case _:
            return ilit(0), t.b.dims(t.base(loc))[k], ilit(1)
