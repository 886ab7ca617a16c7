"""Distributions of `scipy.stats`, which are objects whose methods are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from retrograd.frontend.identity.frozen_laws import Frozen, frozen_of
from retrograd.frontend.identity.outside_curves import is_curve
from retrograd.frontend.library.args import bind
from retrograd.frontend.library.outside_curves import curve_of
from retrograd.frontend.values.kinds import Static, TupleValue, Value
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Tracer

__all__ = ["freeze", "has_methods", "is_distribution", "method_of", "thawed_of"]


def is_distribution(obj: object) -> bool:
    """Whether an object is one of the distributions, known or not."""
    return type(obj).__module__.startswith("scipy.stats.") and not is_curve(obj)


def has_methods(obj: object) -> bool:
    """Whether an object is a distribution, or a curve or table from outside."""
    return is_distribution(obj) or is_curve(obj)


def method_of(t: Tracer, distribution: object, name: str) -> Static:
    """A method of one, in the only object that the table of functions knows it by."""
    from retrograd.frontend.library import plain_stats

    known = plain_stats.method(distribution, name)
    if known is None:
        raise t.error(
            "RG0107", f"{name!r} of {type(distribution).__name__} is not known to retrograd",
            plain_stats.known_of(distribution),
        )  # fmt: skip
    return Static(known.real)


def freeze(
    t: Tracer, distribution: object, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """The value of `norm(loc, scale)`: a record of the distribution and all its parameters."""
    from retrograd.frontend.library import plain_stats

    words = plain_stats.parameters_of(distribution)
    if words is None:
        raise t.error(
            "RG0107", f"{type(distribution).__name__} with its parameters baked in",
            plain_stats.known_of(distribution),
        )  # fmt: skip
    names = words.split()
    shapes = len([name for name in names if name not in ("loc", "scale")])
    given = bind(t, "the distribution", args, kwargs, words, shapes)
    usual: Mapping[str, float] = {"loc": 0.0, "scale": 1.0}
    items = [
        literal(usual[name]) if value is None else value
        for name, value in zip(names, given, strict=True)
    ]
    return TupleValue((Static(distribution), TupleValue(tuple(items), tuple)), Frozen)


def thawed_of(t: Tracer, obj: object) -> Value | None:
    """The same of a distribution that was made outside, whose numbers are part of the program, or
    of a curve."""
    found = frozen_of(obj)
    if found is None:
        return curve_of(t, obj)
    import scipy.stats

    name, args, kwargs = found
    stats: Any = scipy.stats
    for value in (*args, *kwargs.values()):
        if not isinstance(value, int | float | np.number):
            raise t.error(
                "RG0107", f"a distribution {name!r} with parameters that are no numbers",
                f"make it in the program: {name}(..)",
            )  # fmt: skip
    numbers = [literal(float(value)) for value in args]
    named = {key: literal(float(value)) for key, value in kwargs.items()}
    return freeze(t, getattr(stats, name), numbers, named)
