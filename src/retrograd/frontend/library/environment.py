"""Variables of the environment, `os.environ` and `os.getenv`: texts that are part of a program.

A call in another environment is another program, as for other functions and texts of a module.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from retrograd.frontend.identity.lookups import STATIC
from retrograd.frontend.identity.surroundings import ABSENT
from retrograd.frontend.library.args import bind
from retrograd.frontend.values.kinds import NONE, Static, Value, describe
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Handler, Tracer

__all__ = ["TABLE", "get_variable", "has_variable", "is_environment", "variable"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def is_environment(value: Value) -> bool:
    """Whether a value is `os.environ`."""
    return isinstance(value, Static) and value.obj is os.environ


def _found(t: Tracer, name: Value) -> str | None:
    """The text of a variable; None where there is none. Its name has to be known."""
    if not isinstance(name, Static) or not isinstance(name.obj, str):
        raise t.error(
            "RG0113", f"a variable of the environment by {describe(name)}", "write its name out"
        )
    text = os.environ.get(name.obj)
    t.recorder.require(os.environ)
    t.recorder.ask("item", os.environ, name.obj, STATIC)
    t.guard(ABSENT if text is None else text, "item", os.environ, name.obj)
    return text


def variable(t: Tracer, name: Value) -> Value:
    """`os.environ[name]`."""
    text = _found(t, name)
    if text is None:
        raise t.error(
            "RG0109", f"{describe(name)} is no variable of the environment",
            "give a default: os.environ.get(name, default)", python=KeyError,
        )  # fmt: skip
    return Static(text)


def has_variable(t: Tracer, name: Value) -> Value:
    """`name in os.environ`."""
    return literal(_found(t, name) is not None)


def get_variable(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`os.environ.get(name, default)`, and `os.getenv`."""
    name, default = bind(t, "os.getenv", args, kwargs, "key default")
    assert name is not None
    text = _found(t, name)
    if text is None:
        return NONE if default is None else default
    return Static(text)


TABLE: Mapping[object, Handler] = {os.getenv: get_variable}
