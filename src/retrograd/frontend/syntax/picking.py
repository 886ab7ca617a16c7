"""Items of tuples, and of lists from outside, at an index that is known at run time only."""

from __future__ import annotations

from collections.abc import Sequence

from retrograd.frontend.syntax import lists
from retrograd.frontend.syntax.branches import choose
from retrograd.frontend.values.heads import same_head
from retrograd.frontend.values.kinds import Scalar, Static, Text, TupleValue, Value, parts
from retrograd.frontend.values.lists import list_of
from retrograd.frontend.values.text_choices import is_text, options_of
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Lit, ilit
from retrograd.ir.types import DType

__all__ = ["letter", "picked"]

_MOST = 16
"""Among so many items one is found by branches."""


def picked(t: Tracer, value: TupleValue, at: Value) -> Value | None:
    """The item at that index; None where it cannot be found.

    Numbers, texts, and tuples and lists of these with one shape are put into arrays. Others are
    found by branches, in a program that needs it (`Context.picks`).
    """
    if not value.items or not isinstance(at, Scalar) or at.type.dtype is not DType.I64:
        return None
    if not _alike(value.items):
        return _by_branches(t, value, at)
    owner = list_of(t, [_as_tuple(item) for item in value.items])
    found = lists.get(t, owner, lists.locate(t, owner, at, _message(value)))
    return _like(found, value.items[0])


def _by_branches(t: Tracer, value: TupleValue, at: Scalar) -> Value | None:
    """One of a few items of any kinds."""
    t.ctx.pickable = True
    count = len(value.items)
    if not t.ctx.way.picks or t.ctx.divides or count > _MOST:
        return None
    atom = at.atom
    if not at.is_nonneg:
        below = t.prim("lt", atom, ilit(0))
        atom = t.prim("select", below, t.prim("add", atom, ilit(count)), atom)
        t.check(t.prim("ge", atom, ilit(0)), "IndexError", _message(value))
    t.check(t.prim("lt", atom, ilit(count)), "IndexError", _message(value))

    def among(first: int) -> Value:
        if first == count - 1:
            return value.items[first]
        meant = t.prim("eq", atom, ilit(first))
        return choose(t, meant, lambda: value.items[first], lambda: among(first + 1))

    return among(0)


def _message(value: TupleValue) -> str:
    return f"{'list' if value.cls is list else 'tuple'} index out of range"


def letter(t: Tracer, text: Static | Text, at: Value) -> Value | None:
    """The letter of a known text at an index that is known at run time; None of all else."""
    if not isinstance(text, Static) or not isinstance(at, Scalar) or isinstance(at.atom, Lit):
        return None
    return picked(t, TupleValue(tuple(Static(one) for one in str(text.obj))), at)


def _alike(items: Sequence[Value]) -> bool:
    """Whether values are numbers, or tuples and lists of the same numbers of numbers."""
    if all(isinstance(item, Scalar) for item in items):
        return True
    if all(is_text(item) and options_of(item) is not None for item in items):
        return True
    first = items[0]
    if not all(isinstance(item, TupleValue) and same_head(item, first) for item in items):
        return False
    return all(_alike(column) for column in zip(*(parts(item) for item in items), strict=True))


def _as_tuple(value: Value) -> Value:
    if not isinstance(value, TupleValue):
        return value
    return TupleValue(tuple(_as_tuple(item) for item in value.items))


def _like(value: Value, model: Value) -> Value:
    """A tuple of tuples as the tuples and lists that it stands for."""
    if not isinstance(value, TupleValue) or not isinstance(model, TupleValue):
        return value
    pairs = zip(value.items, model.items, strict=True)
    return TupleValue(tuple(_like(item, one) for item, one in pairs), model.cls)
