"""Curves, tables and polynomials from outside: made again of what they hold.

Their arrays are read at every call, as all arrays from outside are.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from retrograd.frontend.identity.lookups import VALUE
from retrograd.frontend.identity.outside_curves import kind_of_curve
from retrograd.frontend.library.plain import scattered
from retrograd.frontend.values.kinds import Static, Value
from retrograd.frontend.values.scopes import literal, module_attribute
from retrograd.frontend.values.tracer import Tracer

__all__ = ["curve_of"]

_SERIES = ("Polynomial", "Chebyshev", "Legendre", "Hermite", "HermiteE", "Laguerre")
_MODULES = {
    "gaussian_kde": "scipy.stats", "cKDTree": "scipy.spatial", "poly1d": "numpy",
    **dict.fromkeys(_SERIES, "numpy.polynomial"),
}  # fmt: skip
"""Where classes are that are not of `scipy.interpolate`."""

_HELD: Mapping[str, tuple[tuple[str, ...], tuple[tuple[str, str], ...]]] = {
    "PPoly": (("c", "x"), (("extrapolate", "extrapolate"),)),
    "BSpline": (("t", "c"), (("k", "k"), ("extrapolate", "extrapolate"))),
    "interp1d": (
        ("x", "y"), (("kind", "_kind"), ("bounds_error", "bounds_error"),
                     ("fill_value", "_fill_value_orig")),
    ),
    "RegularGridInterpolator": (
        ("grid", "values"),
        (("method", "method"), ("bounds_error", "bounds_error"), ("fill_value", "fill_value")),
    ),
    "UnivariateSpline": (("_eval_args",), (("ext", "ext"),)),
    "gaussian_kde": (("dataset",), (("bw_method", "factor"),)),
    "cKDTree": (("data",), ()),
    "poly1d": (("coeffs",), ()),
    **dict.fromkeys(_SERIES, (("coef", "domain", "window"), ())),
}  # fmt: skip
"""The arrays that a class is called with, and its options, with the attributes that have them."""


def curve_of(t: Tracer, obj: object) -> Value | None:
    """The value of a curve or table from outside; None of other objects.

    Raises UserError where its values vary along another axis than the first, or where an option of
    it is no number and no text.
    """
    kind = kind_of_curve(obj)
    if kind is None:
        return None
    if getattr(obj, "axis", 0) not in (0, -1) or _is_turned(obj):
        raise t.error(
            "RG0107", f"a {type(obj).__name__} from outside along another axis than the first",
            "make it with the values along the first axis",
        )  # fmt: skip
    names, options = _HELD[kind]
    arrays = [module_attribute(t, obj, name) for name in names]
    named = {word: _option(t, obj, name) for word, name in options}
    given = {k: v for k, v in named.items() if v is not None}
    if kind == "UnivariateSpline":
        return t.call(Static(scattered.fitted), arrays, given)
    if kind == "gaussian_kde":
        given["weights"] = module_attribute(t, obj, "weights")
    made: Any = getattr(sys.modules[_MODULES.get(kind, "scipy.interpolate")], kind)
    return t.call(Static(made), arrays, given)


def _is_turned(obj: Any) -> bool:
    """Whether the last axis, along which a table of `interp1d` varies, is not its first one."""
    if kind_of_curve(obj) == "interp1d":
        return obj.y.ndim > 1 and obj.axis % obj.y.ndim != 0
    return getattr(obj, "axis", 0) == -1


def _option(t: Tracer, obj: object, name: str) -> Value | None:
    value: Any = getattr(obj, name)
    t.recorder.ask("attribute", obj, name, VALUE)
    t.guard(value, "attribute", obj, name)
    if value is None or isinstance(value, str):
        return None if value is None and name != "fill_value" else Static(value)
    if getattr(value, "ndim", None) == 0:
        value = float(value)
    if isinstance(value, bool | int | float):
        return literal(value)
    word = name.strip("_").removesuffix("_orig")
    raise t.error(
        "RG0107", f"{word} of a {type(obj).__name__} from outside is {value!r}",
        "make it in the program",
    )  # fmt: skip
