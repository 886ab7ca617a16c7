"""Which arguments of a function are differentiated, inside of programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrograd.errors import UserError
from retrograd.frontend.derivatives.leaves import leaf_count
from retrograd.frontend.derivatives.pure import Pure
from retrograd.frontend.identity.arguments import numbers_of, parameters_of
from retrograd.frontend.identity.transformed import Chosen
from retrograd.frontend.values.baked import known_int
from retrograd.frontend.values.kinds import (
    NONE,
    Closure,
    Scalar,
    Static,
    Transform,
    TupleValue,
    Value,
    describe,
    parts,
)
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom
from retrograd.ir.types import I64

__all__ = ["Target", "by_position", "numbered", "positions", "which_of"]


@dataclass(frozen=True, slots=True)
class Target:
    """A function translated for given arguments: its name, the atoms to pass, and its results.

    `leaves` are, for each argument, the positions of its leaves among the atoms.
    """

    name: str
    atoms: tuple[Atom, ...]
    pure: Pure
    leaves: tuple[tuple[int, ...], ...]


def which_of(t: Tracer, argnums: Value | None, argnames: Value | None) -> Chosen:
    """The arguments that are differentiated."""
    if argnames is None or argnames == NONE:
        return 0 if argnums is None or argnums == NONE else _argnums(t, argnums)
    several = isinstance(argnames, TupleValue)
    found: list[int | str] = []
    for item in argnames.items if isinstance(argnames, TupleValue) else (argnames,):
        if not isinstance(item, Static) or not isinstance(item.obj, str):
            raise t.error(
                "RG0301", f"argnames with {describe(item)} is neither a name nor a tuple of names",
                "write the names of parameters",
            )  # fmt: skip
        found.append(item.obj)
    if argnums is None or argnums == NONE:
        return tuple(found) if several else found[0]
    numbers = _argnums(t, argnums)
    return (*(numbers if isinstance(numbers, tuple) else (numbers,)), *found)


def _argnums(t: Tracer, value: Value) -> int | tuple[int, ...]:
    """The positions that are differentiated; they decide what the program is."""
    several = isinstance(value, TupleValue) and value.cls in (tuple, list)
    found: list[int] = []
    for item in parts(value) if several else (value,):
        number = known_int(t, item)
        if number is None and isinstance(item, Scalar) and item.type == I64:
            raise t.error(
                "RG0113", "argnums is only known when the program runs",
                "write the numbers down, or have them in a global or a closure",
            )  # fmt: skip
        if number is None:
            raise t.error(
                "RG0301", f"argnums with {describe(item)} is neither an int nor a tuple of ints",
                "count positional arguments from 0",
            )  # fmt: skip
        found.append(number)
    return tuple(found) if several else found[0]


def numbered(t: Tracer, fun: Transform, args: Sequence[Value]) -> tuple[int, ...]:
    """The arguments that are differentiated, counted from the first."""
    try:
        numbers = numbers_of(_parameters(fun), fun.argnums, len(args), ())
    except UserError as error:
        way_out = error.way_out or "count positional arguments from 0"
        raise t.error("RG0115", f"{fun.kind}: {error.message}", way_out) from None
    return (numbers,) if isinstance(numbers, int) else numbers


def _parameters(fun: Value) -> Sequence[str]:
    """The names of the parameters of the function inside that may be given by position."""
    while isinstance(fun, Transform):
        fun = fun.fun
    if isinstance(fun, Closure):
        args = fun.source.node.args
        return [a.arg for a in (*args.posonlyargs, *args.args)]
    return parameters_of(fun.obj) if isinstance(fun, Static) else ()


def by_position(
    fun: Value, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> tuple[list[Value], dict[str, Value]]:
    """Arguments with those keywords by position that follow them in the function's own order."""
    given, named = list(args), dict(kwargs)
    for name in _parameters(fun)[len(given) :]:
        if name not in named:
            break
        given.append(named.pop(name))
    return given, named


def positions(
    t: Tracer, fun: Transform, found: Target, argnums: Sequence[int], args: Sequence[Value]
) -> list[int]:
    """The positions of the leaves of the arguments that are differentiated."""
    wrt: list[int] = []
    for k in argnums:
        floats = [p for p in found.leaves[k] if found.atoms[p].type.is_float]
        if not floats or len(found.leaves[k]) != leaf_count(t, args[k]):
            raise t.error(
                "RG0115", f"{fun.kind} with respect to {describe(args[k])}",
                "pass a float: float(x), or x.astype(float)",
            )  # fmt: skip
        wrt += floats
    return wrt
