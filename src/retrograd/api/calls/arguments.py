"""The arguments that a user gives: what they are specialised on, and which of them are meant."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np

from retrograd.api.calls.sharing import place_of
from retrograd.errors import Limitation, UserError
from retrograd.frontend.identity.arguments import in_order, parameters_of, static_of
from retrograd.frontend.identity.given_lists import Opens
from retrograd.frontend.identity.named_constants import constant_extents
from retrograd.frontend.identity.specs import ArgSpec, Met, StaticSpec, spec_of
from retrograd.frontend.identity.transformed import Chosen, Transformed

__all__ = [
    "MANY",
    "Names",
    "Numbers",
    "Key",
    "Known",
    "Specs",
    "argument_specs",
    "chosen_arguments",
    "compiled_for",
    "key_of",
    "static_arguments",
    "warn_of",
]

Numbers = int | Sequence[int] | None
Names = str | Sequence[str] | None
Specs = tuple[tuple[ArgSpec, ...], dict[str, ArgSpec]]
T = TypeVar("T")


class Known(IntEnum):
    """What of arguments is part of a program, besides their types."""

    TYPES = 0
    INTS = 1
    """Ints and bools in trees and objects, too."""
    NUMBERS = 2
    """Whether numbers are NumPy's or Python's, too."""
    EXTENTS = 3
    """The extents of small arrays, too."""
    PLACES = 4
    """All that, and it is refused when it gets to what is not accepted, not before."""
    LISTS = 5
    """Nothing of what lists of numbers hold, not even how many: the program may change lists."""
    ITEMS = 6
    """How many items lists have, which the program may change."""


def argument_specs(
    fun: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any],
    known: Known = Known.TYPES, alike: bool = True, rows: bool = True,
) -> Specs:  # fmt: skip
    """The specs of actual arguments; what is not accepted is shown at the function.

    `alike`: they say which extents are equal, or those of constants. `rows`: lists may be given
    without how many items they have, where those that are changed are; results of some
    transformations have their tree.
    """
    opens = _OPENS.get(known, Opens.NO)
    if opens and not (rows and _has_trees_of_numbers(fun)):
        opens = Opens.ITEMS
    parts = (Known.INTS, Known.NUMBERS, Known.EXTENTS, Known.PLACES)
    literal, kinds, sized, late = (known >= k and not opens for k in parts)
    how = partial(Met.whole, constants=constant_extents(fun)) if alike else Met
    met = how(literal=literal, sized=sized, late=late, kinds=kinds, opens=opens)
    baked = static_of(fun, len(args), list(kwargs))

    def spec(which: int | str, value: Any) -> ArgSpec:
        what = f"argument {which!r}"
        return _static_spec(value, what, fun) if which in baked else spec_of(value, what, met=met)

    try:
        specs = tuple(spec(k, a) for k, a in enumerate(args))
        ordered = in_order(fun, kwargs) if len(kwargs) > 1 else kwargs
        named = {name: spec(name, value) for name, value in ordered.items()}
    except UserError as error:
        raise UserError(error.code, error.message, place_of(fun), error.way_out) from None
    except RecursionError:
        text = "an argument contains itself, or is nested too deep, which is not accepted"
        raise UserError("RG0103", text, place_of(fun), "pass its parts") from None
    return specs, named


Key = tuple[tuple[ArgSpec, ...], tuple[tuple[str, ArgSpec], ...]]
"""The types of positional and of keyword arguments."""

_BY_LITERALS = frozenset(("RG0101", "RG0104", "RG0107", "RG0109", "RG0110", "RG0113", "RG0123"))


_OPENS = {Known.LISTS: Opens.ROWS, Known.ITEMS: Opens.ITEMS}
"""How lists are given where they may be changed."""


def _has_trees_of_numbers(fun: object) -> bool:
    """Whether what a function gives has a number, and nothing larger, for each of its arguments'
    numbers: that of Jacobians has results."""
    while isinstance(fun, Transformed):
        if fun.kind not in ("jit", "grad", "value_and_grad"):
            return False
        fun = fun.fun
    return True


_ORDER = (
    Known.TYPES, Known.INTS, Known.NUMBERS, Known.EXTENTS, Known.LISTS, Known.ITEMS, Known.PLACES,
)  # fmt: skip
"""The order in which it is tried."""


def key_of(specs: Specs) -> Key:
    """What compilations for these arguments are kept by."""
    return specs[0], tuple(specs[1].items())


def compiled_for(
    fun: Callable[..., Any], known: Known, specs_of: Callable[[Known], Specs],
    compiled: Callable[[tuple[ArgSpec, ...], dict[str, ArgSpec]], T],
) -> tuple[Known, Specs, T]:  # fmt: skip
    """What `compiled` makes of `fun` for arguments, and what of them is part of it.

    Where it is refused, it is tried once more with ints and bools in trees and objects as literals:
    they may be sizes, axes or positions in lists. Then with whether numbers are NumPy's, of which
    `hasattr(x, "shape")` asks, and with the extents of small arrays: of `a, *rest = x` they say how
    many numbers there are. Last, what is refused where the program may
    never come is left to be refused when it gets there. Where a list is changed, or how many items
    it has decides, lists are tried that the program may change.
    """
    specs = specs_of(known)
    try:
        try:
            return known, specs, compiled(*specs)
        except UserError as error:
            return _wider(known, specs, specs_of, compiled, error)
    except RecursionError:
        raise Limitation(
            "RG2302", "more branches and loops inside of each other than the compiler can follow",
            place_of(fun), "return once, at the end: a `return` before puts the rest of the "
            "function inside of a branch",
        ) from None  # fmt: skip


def _wider(
    known: Known, specs: Specs, specs_of: Callable[[Known], Specs],
    compiled: Callable[[tuple[ArgSpec, ...], dict[str, ArgSpec]], T], refused: UserError,
) -> tuple[Known, Specs, T]:  # fmt: skip
    """`compiled_for` with more of the arguments in the program, which was `refused` with less."""
    told, passable, tried = refused, refused.passable, [specs]
    by_literals = refused.code in _BY_LITERALS
    order = [k for k in _ORDER if _ORDER.index(k) > _ORDER.index(known)]
    if refused.of_list:
        order.sort(key=lambda k: k not in _OPENS)
    for more in order:
        wider = specs_of(more)
        if wider in tried or not (passable if more == Known.PLACES else by_literals):
            continue
        tried.append(wider)
        try:
            return more, wider, compiled(*wider)
        except UserError as other:
            passable |= other.passable
            if more in _OPENS and refused.of_list:
                told = other  # it got further
            if by_literals and other.python is not None:  # what Python would raise as well
                told, by_literals = other, False
    raise told


def _static_spec(value: Any, what: str, fun: Callable[..., Any]) -> StaticSpec:
    try:
        hash(value)
    except TypeError:
        names = parameters_of(fun)
        number = int(what.split()[1]) if what.split()[1].isdigit() else -1
        named = f" ({names[number]!r})" if 0 <= number < len(names) else ""
        raise UserError(
            "RG0103", f"{what}{named} is static and a {type(value).__name__}, which has no hash",
            way_out="pass a tuple for a list, or do not declare it static: ints in a tree are "
            "known where they have to be",
        ) from None  # fmt: skip
    return StaticSpec(cast("Any", value).item() if isinstance(value, np.generic) else value)


def chosen_arguments(argnums: Any, argnames: Any) -> Chosen:
    """What `argnums` and `argnames` say; UserError where they are no ints and no names.

    Argument 0 where neither is given.
    """
    if argnums is None and argnames is None:
        return 0
    found: list[int | str] = []
    single = (argnums is None) != (argnames is None)
    if argnums is not None:
        numbers = _several(argnums)
        single = single and not isinstance(argnums, tuple | list)
        if any(isinstance(k, bool) or not isinstance(k, int | np.integer) for k in numbers):
            raise UserError(
                "RG0301", f"argnums={argnums!r} is neither an int nor a tuple of ints",
                way_out="count positional arguments from 0",
            )  # fmt: skip
        found += [int(k) for k in numbers]
    if argnames is not None:
        names = _several(argnames)
        single = single and not isinstance(argnames, tuple | list)
        if not all(isinstance(name, str) for name in names):
            raise UserError(
                "RG0301", f"argnames={argnames!r} is neither a name nor a tuple of names",
                way_out="write the names of parameters",
            )  # fmt: skip
        found += names
    return found[0] if single else tuple(found)


def static_arguments(numbers: Any, names: Any) -> tuple[int | str, ...]:
    """What `static_argnums` and `static_argnames` say."""
    if numbers is None and names is None:
        return ()
    found = chosen_arguments(numbers, names)
    return found if isinstance(found, tuple) else (found,)


def _several(given: Any) -> list[Any]:
    return [*given] if isinstance(given, tuple | list) else [given]


MANY = 64
"""Programs of one function of which the user hears."""


def warn_of(fun: Callable[..., Any], keys: Sequence[tuple[Any, Any]]) -> None:
    """A warning that a function has been compiled for many kinds of arguments, and for which."""
    columns: dict[str, set[object]] = {}
    names = parameters_of(fun)
    for specs, named in keys:
        for k, spec in enumerate(specs):
            label = repr(names[k]) if k < len(names) else str(k)
            columns.setdefault(label, set()).add(spec)
        for name, spec in named:
            columns.setdefault(repr(name), set()).add(spec)
    most = max(columns, key=lambda label: len(columns[label]))
    warnings.warn(
        f"{getattr(fun, '__name__', fun)} has been compiled {len(keys)} times, for "
        f"{len(columns[most])} kinds of argument {most}; each compilation is kept. Pass what "
        "varies as a float or array, not as a static argument, a text or a tree of another shape",
        RuntimeWarning, stacklevel=4,
    )  # fmt: skip
