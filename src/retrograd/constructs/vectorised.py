"""`vmap`: a function of one example, over many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

import numpy as np

from retrograd.constructs.maps import build
from retrograd.errors import UserError
from retrograd.frontend.identity.transformed import Axes, AxesByKey, Vectorised
from retrograd.tracebacks import shows_user_frames

__all__ = ["vmap"]


class Mapped(Vectorised):
    """What `vmap` makes; called outside of a program it runs on NumPy."""

    __slots__ = ()

    @shows_user_frames
    def __call__(self, *args: Any) -> Any:
        axes = self.in_axes if isinstance(self.in_axes, tuple) else (self.in_axes,) * len(args)
        if len(axes) != len(args):
            raise UserError(
                "RG0108", f"in_axes has {len(axes)} entries for {len(args)} arguments",
                way_out="give one for each argument, None for those that all share",
            )  # fmt: skip
        pairs = list(zip(args, axes, strict=True))
        lengths = {n for value, axis in pairs for n in _lengths(value, axis)}
        if not lengths:
            raise ValueError("vmap needs an argument with an axis to map over")
        if len(lengths) > 1:
            raise ValueError("vmap got axes of different lengths")
        found = build(lengths.pop(), lambda i: self.fun(*[_at(a, x, i) for a, x in pairs]))
        return _moved(found, self.out_axes)


@shows_user_frames
def vmap(fun: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> Mapped:
    """A function that does what `fun` does for each index of an axis of its arguments.

    Args:
        fun: a function as for `jit`; it writes to nothing but its own arrays.
        in_axes: the axis of each argument, an int for all of them or a tuple with one entry for
            each: an int, negative ones from the end, None for an argument that all share, or for a
            tuple of arrays a tuple, for a dict a dict of these. Where it is an int all arrays of a
            tuple or dict have that axis.
        out_axes: where the results have that axis: an int, or for several results a tuple or dict.

    Returns:
        A function of as many positional arguments. It can be differentiated, and mapped again.

    Raises:
        UserError: `fun` is no function; at a call, axes that do not fit the arguments.
        ValueError: at a call, for axes of different lengths, or where no argument has one.

    Source: Bradbury et al. 2018, JAX, whose function this is; here it is a loop.

    >>> import numpy as np, retrograd as rg
    >>> rg.vmap(np.dot, in_axes=(0, None))(np.array([[1.0, 2.0], [3.0, 4.0]]), np.ones(2))
    array([3., 7.])
    >>> rg.vmap(rg.grad(lambda x: x ** 3.0))(np.array([1.0, 2.0]))
    array([ 3., 12.])
    """
    if not callable(fun):
        way_out = "pass the function itself"
        raise UserError("RG0302", f"vmap of {type(fun).__name__}", way_out=way_out)
    return Mapped(fun, _as_axes(in_axes), _as_axes(out_axes))


def _members(value: Any) -> list[Any] | None:
    """What a tuple, a list, a dict or a record has in it; None of an array or a number."""
    if isinstance(value, dict):
        return list(cast("dict[Any, Any]", value).values())
    if isinstance(value, (tuple, list)):
        return list(cast("Iterable[Any]", value))
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name) for field in fields(value)]
    return None


def _like(value: Any, members: list[Any]) -> Any:
    """The same structure with other members."""
    if isinstance(value, list):
        return members
    if isinstance(value, dict):
        return dict(zip(cast("dict[Any, Any]", value), members, strict=True))
    if isinstance(value, tuple):
        kind: Any = type(cast("object", value))
        return getattr(kind, "_make", tuple)(members)
    names = [field.name for field in fields(value)]
    return replace(value, **dict(zip(names, members, strict=True)))


def _as_axes(given: Any) -> Axes:
    """Axes as users write them, with dicts for dicts."""
    if isinstance(given, dict):
        table = cast("dict[Any, Any]", given)
        return AxesByKey(tuple(table), tuple(map(_as_axes, table.values())))
    if isinstance(given, (tuple, list)):
        return tuple(map(_as_axes, cast("Iterable[Any]", given)))
    return given


def _parts(value: Any, members: list[Any], axis: Axes) -> Iterator[tuple[Any, Axes]]:
    entries = axis if isinstance(axis, tuple) else (axis,) * len(members)
    if isinstance(axis, AxesByKey):
        table = cast("dict[Any, Any]", value)
        named = axis.of(list(table)) if isinstance(value, dict) else None
        if named is None:
            raise UserError(
                "RG0108", f"axes for the keys {list(axis.keys)} of what has others",
                way_out="give one for each key, or one for all",
            )  # fmt: skip
        entries = named
    return zip(members, entries, strict=True)


def _lengths(value: Any, axis: Axes) -> Iterator[int]:
    """How long the mapped axes are, of all arrays in an argument."""
    members = _members(value)
    if axis is None or value is None:
        return
    if members is not None:
        for one, entry in _parts(value, members, axis):
            yield from _lengths(one, entry)
    elif isinstance(axis, int):
        if np.ndim(value) == 0:
            raise ValueError("vmap of a number, which has no axis to map over")
        yield np.shape(value)[axis]


def _at(value: Any, axis: Axes, i: int) -> Any:
    """Of an argument what belongs to an index."""
    members = _members(value)
    if axis is None or value is None:
        return value
    if members is not None:
        return _like(value, [_at(one, entry, i) for one, entry in _parts(value, members, axis)])
    return np.moveaxis(np.asarray(value), axis, 0)[i] if isinstance(axis, int) else value


def _moved(found: Any, axis: Axes) -> Any:
    """The results with their first axis at another place."""
    members = _members(found)
    if members is not None:
        return _like(found, [_moved(one, entry) for one, entry in _parts(found, members, axis)])
    return np.moveaxis(np.asarray(found), 0, axis) if isinstance(axis, int) else found
