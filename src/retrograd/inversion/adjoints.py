"""`adjoint`: a call undone, and cotangents taken back through it, as a function by itself."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial
from types import CodeType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from retrograd.api.functions import Compiled, jit
from retrograd.errors import UserError
from retrograd.frontend.identity.transformed import BARS, Reduced, Reversible
from retrograd.inversion.functions import not_reversible
from retrograd.inversion.numbers import Fixed, Logarithmic
from retrograd.tracebacks import shows_user_frames

__all__ = ["adjoint", "call_adjoint"]


@shows_user_frames
def adjoint(fun: Callable[..., Any]) -> Callable[..., Any]:
    """The function that undoes a call and takes cotangents back through it, in one run.

    Args:
        fun: what `reversible` has made, or its inverse.

    Returns:
        A function of the arguments as they are after the call, then of the cotangent of each of
        them that is a float or an array (or tree) of floats, in the order of the parameters. It
        returns the arguments as they were before, and the cotangents before; arrays that change
        are new ones.
        The cotangent of an argument that is only read is what is given for it and what the call
        adds.

    Raises:
        UserError: `fun` is no reversible function (RG0509).

    Source: Liu and Zhao 2020, section 4.

    >>> import retrograd as rg
    >>> @rg.reversible
    ... def f(y, a, b):
    ...     y += a * b
    ...     return y
    >>> rg.adjoint(f)(6.0, 2.0, 3.0, 1.0, 0.0, 0.0)
    ((0.0, 2.0, 3.0), (1.0, 3.0, 2.0))
    """
    if not isinstance(fun, Reversible):
        raise not_reversible(fun)
    return _Adjoint(call_adjoint, fun, _compiled(fun))


class _Adjoint(partial[Any]):
    """What `adjoint` gives; it says whose adjoint it is."""

    def __repr__(self) -> str:
        return f"<adjoint of {self.args[0]!r}>"


@dataclass(frozen=True, slots=True)
class _Compiled(Compiled):
    """The text of the adjoint of `of`, to be compiled; copies and pickles write it anew."""

    of: Reversible = field(kw_only=True, compare=False)

    def __reduce__(self) -> Reduced:
        return _compiled, (self.of,)


def _compiled(fun: Reversible) -> _Compiled:
    return _Compiled("jit", fun.adjoint, of=fun)


@shows_user_frames
def call_adjoint(fun: Reversible, compiled: Callable[..., Any], *given: Any) -> Any:
    """A call of what `adjoint` has made."""
    count = fun.arguments_in(given, _has_cotangent)
    if count is None:
        raise UserError(
            "RG0509", f"the adjoint of {fun.__name__} is given {len(given)} arguments",
            way_out=f"give it the {len(fun.parameters)} arguments, then a cotangent for each of "
            "them that is a float or has floats",
        )  # fmt: skip
    args, rest = given[:count], list(given[count:])
    wanted = [_has_cotangent(arg) for arg in args]
    bars = tuple(rest.pop(0) if has else None for has in wanted)
    # Each by itself: one array may be given twice, but not updated as two.
    bars = fun.by_parameter(tuple(map(copy.deepcopy, bars)))
    moves = [name in fun.changed for name in fun.parameters]
    own = fun.by_parameter(args)
    own = [copy.deepcopy(arg) if moved else arg for arg, moved in zip(own, moves, strict=True)]
    with_fixed = any(isinstance(a, Fixed | Logarithmic) for a in args)
    run = jit(fun.adjoint_of_objects) if with_fixed else compiled
    by_position, words = _as_called(fun, own)
    found, ends = run(*by_position, **words, **{BARS: tuple(bars)})
    values = tuple(fun.by_argument([
        new if moved else arg for new, arg, moved in zip(found, own, moves, strict=True)
    ]))  # fmt: skip
    ends = fun.by_argument(ends)
    return values, tuple(end for end, has in zip(ends, wanted, strict=True) if has)


def _as_called(fun: Reversible, values: list[Any]) -> tuple[list[Any], dict[str, Any]]:
    """What there is for each parameter, by position and by keyword."""
    code: CodeType = fun.fun.__code__
    first = fun.by_argument(values[: code.co_argcount + (fun.gathered is not None)])
    last = len(values) - code.co_kwonlyargcount - (fun.worded is not None)
    names = fun.parameters[last : last + code.co_kwonlyargcount]
    words = dict(zip(names, values[last:], strict=False))
    return first, {**words, **(values[-1] if fun.worded is not None else {})}


def _has_cotangent(value: object) -> bool:
    """Whether there are floats in a value."""
    if isinstance(value, Fixed | Logarithmic):
        return True
    if isinstance(value, np.ndarray):
        return bool(cast("NDArray[Any]", value).dtype == np.float64)
    if isinstance(value, tuple | list):
        return any(map(_has_cotangent, cast("tuple[object, ...]", value)))
    if isinstance(value, dict):
        return any(map(_has_cotangent, cast("dict[Any, object]", value).values()))
    if is_dataclass(value):
        return any(_has_cotangent(getattr(value, f.name)) for f in fields(value))
    return isinstance(value, float)
