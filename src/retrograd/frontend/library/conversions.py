"""Functions of Python's and of `math` that ask the class of their argument what they give."""

from __future__ import annotations

import builtins
import math
from collections.abc import Mapping, Sequence

import numpy as np

from retrograd.frontend.library.instances import special
from retrograd.frontend.library.masked import of_masked_arguments
from retrograd.frontend.library.narrow import of_narrow
from retrograd.frontend.values.kinds import Instance, TupleValue, Value
from retrograd.frontend.values.tracer import Tracer

__all__ = ["converted"]

_BY_METHOD: Mapping[object, tuple[str, ...]] = {
    builtins.abs: ("__abs__",),
    builtins.float: ("__float__", "__index__"),
    builtins.int: ("__int__", "__index__"),
    builtins.round: ("__round__",),
    math.floor: ("__floor__",),
    math.ceil: ("__ceil__",),
    math.trunc: ("__trunc__",),
    np.float64: ("__float__", "__index__"),
}
_THEN_AGAIN = (builtins.float, builtins.int, np.float64)
"""What these give is a number that the method has given."""


def converted(
    t: Tracer, obj: object, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value | Sequence[Value] | None:
    """The result of a call, or the arguments to call it with, by what their classes say.

    None where no argument is an object of a user's class that says anything.
    """
    if (made := of_narrow(t, obj, args, kwargs)) is not None:
        return made
    objects = (arg for arg in args if isinstance(arg, Instance | TupleValue))
    if not any(arg.cls not in (list, dict, tuple) for arg in objects):
        return None
    if (made := of_masked_arguments(t, obj, args, kwargs)) is not None:
        return made
    if kwargs and obj is builtins.round:  # its one name, which the method may call otherwise
        args = [*args, *kwargs.values()]
    names = _BY_METHOD.get(obj, ()) if obj.__hash__ is not None else ()
    for name in names:
        found = special(t, name, *args)
        if found is not None:
            return [found] if any(obj is one for one in _THEN_AGAIN) else found
    if not names and _takes_arrays(obj):
        return _as_arrays(t, args)
    if names or not any(obj is one for one in _OF_FLOATS):
        return None
    floats = [special(t, "__float__", arg) for arg in args]
    return [arg if one is None else one for arg, one in zip(args, floats, strict=True)]


def _takes_arrays(obj: object) -> bool:
    """Whether it is a function of NumPy's that takes `np.asarray(x)` of what it is given."""
    module = str(getattr(obj, "__module__", None) or "")
    own = module in ("numpy", "numpy.linalg") and not isinstance(obj, type)
    return own and not any(obj is one for one in _OF_POLYNOMIALS)


def _as_arrays(t: Tracer, args: Sequence[Value]) -> Sequence[Value] | None:
    """The arguments with arrays for objects that say what array they are."""
    found = [
        None if isinstance(arg, Instance) and _has_more(arg) else special(t, "__array__", arg)
        for arg in args
    ]
    if not any(found):
        return None
    return [arg if one is None else one for arg, one in zip(args, found, strict=True)]


def _has_more(value: Instance) -> bool:
    """Whether a class tells NumPy more than what array its objects are."""
    told = {name for base in value.cls.__mro__ for name in vars(base)}
    return not told.isdisjoint(("__array_ufunc__", "__array_function__"))


_OF_POLYNOMIALS = (np.polyadd, np.polysub, np.polymul, np.polydiv, np.polyder, np.polyint)
"""Functions that give polynomials of polynomials."""
_OF_FLOATS = tuple(
    one for name, one in vars(math).items()
    if callable(one) and name not in ("dist", "fsum", "prod", "sumprod", "gcd", "lcm", "isqrt")
)  # fmt: skip
"""Functions that take `float(x)` of what they are given."""
