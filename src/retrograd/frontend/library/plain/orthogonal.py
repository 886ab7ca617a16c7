"""Orthogonal polynomials of `scipy.special`: by the recurrences of their degrees, at each place.

M. Abramowitz and I. Stegun, Handbook of mathematical functions, 1964, chapter 22. As in SciPy, the
differences between one degree and the next are added up where they are small near 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy

from retrograd.frontend.library.plain.each_element import as_floats
from retrograd.frontend.library.plain.told import refuse_if
from retrograd.frontend.library.written_orthogonal import Orthogonal

__all__ = ["OBJECTS", "SPECIAL"]

np: Any = numpy

SPECIAL: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "eval_legendre", "eval_sh_legendre", "eval_chebyt", "eval_chebyu", "eval_sh_chebyt",
            "eval_sh_chebyu", "eval_chebyc", "eval_chebys", "eval_hermite", "eval_hermitenorm",
            "eval_laguerre",
        ),
        "n x",
    ),
    "eval_genlaguerre": "n alpha x", "eval_gegenbauer": "n alpha x",
    "eval_jacobi": "n alpha beta x",
}  # fmt: skip
"""The functions of a degree and a place, with their parameters."""

OBJECTS = (
    "chebyt", "chebyu", "gegenbauer", "genlaguerre", "hermite", "hermitenorm", "jacobi", "laguerre",
    "legendre", "sh_chebyt", "sh_chebyu", "sh_legendre",
)  # fmt: skip
"""The functions that give a polynomial."""


def _alike(n: Any, *values: Any) -> Any:
    """Degrees, the highest one, and floats of one shape."""
    n, floats = np.asarray(n), [as_floats(value) for value in values]
    if n.dtype == np.float64:
        refuse_if(
            np.any(n != np.floor(n)), "an orthogonal polynomial of a degree that is not whole",
            "scipy.special.hyp2f1 and hyp1f1 take any order",
        )  # fmt: skip
        n = n.astype(np.int64)
    shape = np.broadcast_shapes(n.shape, *[value.shape for value in floats])
    if len(shape) > 0:
        floats = [np.broadcast_to(value, shape) * 1.0 for value in floats]
    return n, (np.max(n, initial=0) if n.ndim > 0 else n), floats


def _kept(n: Any, k: Any, new: Any, old: Any) -> Any:
    """What the k-th step gives, where there are so many."""
    return np.where(k < n, new, old) if n.ndim > 0 else new


def eval_legendre(n: Any, x: Any) -> Any:
    n, top, (x,) = _alike(n, x)
    n, top = np.where(n < 0, -n - 1, n), max(top, -np.min(n, initial=0) - 1)
    p, d = x, x - 1.0
    for k in range(1, top):
        d = ((2.0 * k + 1.0) / (k + 1.0)) * (x - 1.0) * p + (k / (k + 1.0)) * d
        p = _kept(n, k, p + d, p)
    return np.where(n == 0, 1.0, p)


def eval_sh_legendre(n: Any, x: Any) -> Any:
    return eval_legendre(n, 2.0 * as_floats(x) - 1.0)


def _of_second_kind(n: Any, top: Any, x: Any) -> Any:
    """The polynomials of the degrees n and n - 2."""
    two, one, now = 0.0 * x, 0.0 * x - 1.0, 0.0 * x
    for k in range(top + 1):
        new = 2.0 * x * now - one
        two, one, now = (
            _kept(n, k - 1, one, two), _kept(n, k - 1, now, one), _kept(n, k - 1, new, now)
        )  # fmt: skip
    return now, two


def eval_chebyt(n: Any, x: Any) -> Any:
    n, top, (x,) = _alike(n, x)
    now, two = _of_second_kind(np.abs(n), max(top, -np.min(n, initial=0)), x)
    return (now - two) / 2.0


def eval_chebyu(n: Any, x: Any) -> Any:
    n, top, (x,) = _alike(n, x)
    up = np.where(n < 0, -n - 2, n)
    now, _ = _of_second_kind(up, max(top, -np.min(n, initial=0) - 2), x)
    return np.where(n == -1, 0.0, np.where(n < 0, -now, now))


def eval_sh_chebyt(n: Any, x: Any) -> Any:
    return eval_chebyt(n, 2.0 * as_floats(x) - 1.0)


def eval_sh_chebyu(n: Any, x: Any) -> Any:
    return eval_chebyu(n, 2.0 * as_floats(x) - 1.0)


def eval_chebyc(n: Any, x: Any) -> Any:
    return 2.0 * eval_chebyt(n, 0.5 * as_floats(x))


def eval_chebys(n: Any, x: Any) -> Any:
    return eval_chebyu(n, 0.5 * as_floats(x))


def eval_hermitenorm(n: Any, x: Any) -> Any:
    n, top, (x,) = _alike(n, x)
    before, p = 0.0 * x, 0.0 * x + 1.0
    for k in range(top):
        before, p = _kept(n, k, p, before), _kept(n, k, x * p - k * before, p)
    return np.where(n < 0, np.nan, p)


def eval_hermite(n: Any, x: Any) -> Any:
    return eval_hermitenorm(n, np.sqrt(2.0) * as_floats(x)) * 2.0 ** (np.asarray(n) / 2.0)


def eval_laguerre(n: Any, x: Any) -> Any:
    return eval_genlaguerre(n, 0.0, x)


def eval_genlaguerre(n: Any, alpha: Any, x: Any) -> Any:
    n, top, (alpha, x) = _alike(n, alpha, x)
    good = alpha > -1.0
    a = np.where(good, alpha, 0.0)
    d, p, size = 0.0 * x, 0.0 * x + 1.0, 0.0 * x + 1.0
    for k in range(top):
        d = -x / (k + a + 1.0) * p + k / (k + a + 1.0) * d
        p = _kept(n, k, p + d, p)
        size = _kept(n, k, size * ((a + k + 1.0) / (k + 1.0)), size)
    return np.where(good, np.where(n < 0, 0.0, size * p), np.nan)


def eval_gegenbauer(n: Any, alpha: Any, x: Any) -> Any:
    n, top, (a, x) = _alike(n, alpha, x)
    before, p = 0.0 * x, 0.0 * x + 1.0
    for k in range(top):
        new = (2.0 * (k + a) * x * p - (k + 2.0 * a - 1.0) * before) / (k + 1.0)
        before, p = _kept(n, k, p, before), _kept(n, k, new, p)
    return np.where(n < 0, 0.0, p)


def eval_jacobi(n: Any, alpha: Any, beta: Any, x: Any) -> Any:
    n, top, (a, b, x) = _alike(n, alpha, beta, x)
    d = (a + b + 2.0) * (x - 1.0) / (2.0 * (a + 1.0))
    p, size = d + 1.0, a + 1.0
    for k in range(1, top):
        t = 2.0 * k + a + b
        up = t * (t + 1.0) * (t + 2.0) * (x - 1.0) * p + 2.0 * k * (k + b) * (t + 2.0) * d
        d = up / (2.0 * (k + a + 1.0) * (k + a + b + 1.0) * t)
        p = _kept(n, k, p + d, p)
        size = _kept(n, k, size * ((a + k + 1.0) / (k + 1.0)), size)
    first = 0.5 * (2.0 * (a + 1.0) + (a + b + 2.0) * (x - 1.0))
    return np.where(n < 1, np.where(n < 0, 0.0, 1.0), np.where(n == 1, first, size * p))


def legendre(n: Any, monic: Any = False) -> Any:
    return Orthogonal(eval_legendre, "legendre", (n,), False, monic)


def sh_legendre(n: Any, monic: Any = False) -> Any:
    return Orthogonal(eval_sh_legendre, "legendre", (n,), True, monic)


def chebyt(n: Any, monic: Any = False) -> Any:
    return Orthogonal(eval_chebyt, "chebyt", (n,), False, monic)


def chebyu(n: Any, monic: Any = False) -> Any:
    return Orthogonal(eval_chebyu, "chebyu", (n,), False, monic)


def sh_chebyt(n: Any, monic: Any = False) -> Any:
    return Orthogonal(eval_sh_chebyt, "chebyt", (n,), True, monic)


def sh_chebyu(n: Any, monic: Any = False) -> Any:
    return Orthogonal(eval_sh_chebyu, "chebyu", (n,), True, monic)


def hermite(n: Any, monic: Any = False) -> Any:
    return Orthogonal(eval_hermite, "hermite", (n,), False, monic)


def hermitenorm(n: Any, monic: Any = False) -> Any:
    return Orthogonal(eval_hermitenorm, "hermitenorm", (n,), False, monic)


def laguerre(n: Any, monic: Any = False) -> Any:
    return genlaguerre(n, 0.0, monic)


def genlaguerre(n: Any, alpha: Any, monic: Any = False) -> Any:
    if alpha <= -1:
        raise ValueError("alpha must be > -1")
    return Orthogonal(eval_genlaguerre, "laguerre", (n, alpha), False, monic)


def gegenbauer(n: Any, alpha: Any, monic: Any = False) -> Any:
    if alpha <= -0.5:
        raise ValueError("`alpha` must be a finite number greater than -1/2")
    return Orthogonal(eval_gegenbauer, "gegenbauer", (n, alpha), False, monic)


def jacobi(n: Any, alpha: Any, beta: Any, monic: Any = False) -> Any:
    return Orthogonal(eval_jacobi, "jacobi", (n, alpha, beta), False, monic)
