"""`collections.namedtuple` called in a program, with names that its text has."""

from __future__ import annotations

import collections
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from retrograd.frontend.library.args import bind
from retrograd.frontend.values.iterate import steps_of
from retrograd.frontend.values.kinds import Scalar, Static, Text, Value
from retrograd.frontend.values.lists import current
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.ir.terms import Lit

__all__ = ["TABLE"]


@lru_cache(maxsize=1024)
def _made(name: str, fields: tuple[str, ...], defaults: tuple[Any, ...], rename: bool) -> type:
    """One class for the same arguments, so that what is made at two places may meet."""
    made: Any = collections.namedtuple
    return made(name, fields, rename=rename, defaults=defaults, module="__main__")


def _namedtuple(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """`namedtuple(typename, field_names, rename=, defaults=)`."""
    names = "typename field_names" if len(args) > 2 else "typename field_names rename defaults"
    given = bind(t, "namedtuple", args, kwargs, names, 2)
    name, fields, rename, defaults = (_known(t, one) for one in given)
    if isinstance(fields, str):
        fields = tuple(fields.replace(",", " ").split())
    try:
        cls = _made(name, fields, defaults or (), bool(rename))
    except (TypeError, ValueError) as error:
        raise t.error("RG0108", f"namedtuple: {error}", "give it names", type(error)) from None
    return Static(cls)


def _known(t: Tracer, value: Value | None) -> Any:
    """A text, a number, None, or a tuple or list of such, that the program's text has."""
    match value:
        case None | Static(obj=None):
            return None
        case Static(obj=str() as text):
            return text
        case Scalar(atom=Lit() as atom):
            return atom.value
        case Scalar() | Static() | Text():
            pass
        case _:
            items = steps_of(t, value).items
            if items is not None:
                return tuple([_known(t, current(t, item)) for item in items])
    raise t.error(
        "RG0108", "namedtuple of what is known at run time only",
        "write its names in the program, and call it with all fields",
    )  # fmt: skip


TABLE: Mapping[object, Handler] = {collections.namedtuple: _namedtuple}
