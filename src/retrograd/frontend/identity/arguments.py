"""Which arguments of a call are meant: by position, by the name of a parameter, or by keyword."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import TypeVar

from retrograd.errors import UserError
from retrograd.frontend.identity.transformed import Chosen, Rerun, Ruled, Transformed, Vectorised
from retrograd.tracebacks import program_of

__all__ = ["in_order", "numbers_of", "parameters_of", "static_of"]

T = TypeVar("T")


def parameters_of(fun: object) -> tuple[str, ...]:
    """The names of the parameters of the Python function inside that may be given by position."""
    while isinstance(fun, Transformed | Ruled | Rerun | Vectorised):
        fun = fun.fun
    if not isinstance(fun, FunctionType):
        return ()
    code = program_of(fun).__code__
    return code.co_varnames[: code.co_argcount]


def in_order(fun: object, keywords: Mapping[str, T]) -> dict[str, T]:
    """Keyword arguments with those first that `fun` has parameters for; others are for `**name`."""
    while isinstance(fun, Transformed | Ruled | Rerun):
        fun = fun.fun
    if not isinstance(fun, FunctionType):
        return dict(keywords)
    code = program_of(fun).__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    own = {name: value for name, value in keywords.items() if name in names}
    return own | dict(keywords)


def numbers_of(
    names: Sequence[str], chosen: Chosen, count: int, keywords: Sequence[str]
) -> int | tuple[int, ...]:
    """The chosen arguments, counted from 0: the `count` positional ones, then the keywords.

    `names` are those of the parameters. UserError without a place where there is no such argument.
    """

    def number(one: int | str) -> int:
        if isinstance(one, str) and one in keywords:
            return count + keywords.index(one)
        if isinstance(one, str) and one in names[:count]:
            return names.index(one)
        if isinstance(one, int) and -count <= one < count:
            return one % count
        if isinstance(one, int) and 0 <= one < len(names) and names[one] in keywords:
            return count + keywords.index(names[one])
        if isinstance(one, str):
            raise UserError(
                "RG0301", f"argnames names {one!r}, which is no argument of this call",
                way_out="name parameters of the function that are given",
            )  # fmt: skip
        raise UserError(
            "RG0301", f"argnums names argument {one} of a function with {count}",
            way_out="count positional arguments from 0",
        )  # fmt: skip

    return tuple(map(number, chosen)) if isinstance(chosen, tuple) else number(chosen)


def static_of(fun: object, count: int, keywords: Sequence[str]) -> frozenset[int | str]:
    """Which arguments are baked into the program: positions, and names of keywords.

    Those of a function inside of transformations count, too.
    """
    found: set[int | str] = set()
    while isinstance(fun, Transformed | Rerun):
        for one in fun.static:
            try:
                number = numbers_of(parameters_of(fun), one, count, keywords)
            except UserError:
                continue  # an argument that is not given: its default is part of the function
            assert isinstance(number, int)
            found.add(number if number < count else keywords[number - count])
        fun = fun.fun
    return frozenset(found)
