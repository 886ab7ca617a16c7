"""Bessel functions of any real order (`scipy.special`), with derivatives in the order as well.

Those that decay or grow are integrals or series whose terms are positive: DLMF 10.32.9, 10.25.2.
Those that oscillate are Schlaefli's integrals (10.9.6 and 10.9.7), by the rule of Gauss on pieces
in which the angle turns a little; near zero the series (10.2.2), far out Hankel's expansions
(10.17.3); where the order is larger than the number, the recurrence downwards from there (10.6.1).
"""

from __future__ import annotations

import math
from typing import Any

import numpy
from scipy import special

from retrograd.frontend.library.plain.each_element import of_each
from retrograd.frontend.library.plain.told import constant

__all__ = ["SPECIAL"]

np: Any = numpy

_POINTS: Any = tuple(0.5 + 0.5 * float(t) for t in np.polynomial.legendre.leggauss(16)[0])
_WEIGHTS: Any = tuple(0.5 * float(w) for w in np.polynomial.legendre.leggauss(16)[1])
"""The rule of Gauss on the unit interval."""


def _whole(v: Any) -> Any:
    return v == np.floor(v)


def _odd(v: Any) -> Any:
    """Whether a whole number is odd."""
    return v - 2.0 * np.floor(0.5 * v) == 1.0


def _turned(v: Any) -> Any:
    """The cosine and sine of v times pi, which are zero where they should be."""
    rest, fixed = v - np.floor(v), np.pi * constant(v)
    bent = np.pi * (v - constant(v))
    cos = -np.sin(fixed) * bent if rest == 0.5 else np.cos(v * np.pi)
    return cos, np.cos(fixed) * bent if rest == 0.0 else np.sin(v * np.pi)


def _leading(v: Any, x: Any) -> Any:
    """(x / 2) ** v over the factorial of v, for v of zero or more."""
    if v < 140.0:
        return (0.5 * x) ** v / special.gamma(v + 1.0)
    return np.exp(v * np.log(0.5 * x) - special.gammaln(v + 1.0))


def _series(v: Any, x: Any, square: Any) -> Any:
    """The power series in `square`, a quarter of the square of x with its sign."""
    term, total, k = 1.0, 1.0, 0
    small = 0
    while small < 4:
        k += 1
        term = term * square / (k * (v + k))
        total = total + term
        small = small + 1 if abs(term) <= 1e-18 * abs(total) else 0
    return total


def _expansion(v: Any, x: Any) -> Any:
    """Hankel's expansion of large x: the parts with even and with odd powers, each with all signs
    plus and with alternating ones."""
    term = 1.0
    even, odd, turned_even, turned_odd = 1.0, 0.0, 1.0, 0.0
    for k in range(1, 29):
        term = term * (4.0 * v * v - (2.0 * k - 1.0) ** 2) / (8.0 * k * x)
        turn = 1.0 if k % 4 < 2 else -1.0
        if k % 2 == 0:
            even, turned_even = even + term, turned_even + turn * term
        else:
            odd, turned_odd = odd + term, turned_odd + turn * term
    return even, odd, turned_even, turned_odd


def _far(v: Any) -> Any:
    """From where on the expansions are good."""
    return 30.0 + 0.7 * v * v


def _scaled_second(v: Any, x: Any) -> Any:
    """exp(x) K_v(x) of positive numbers."""
    step = 0.2 / np.sqrt(1.0 + 0.25 * np.hypot(x, v))
    total, k = 0.5, 0
    small = False
    while not small:
        k += 1
        t = k * step
        rise = 2.0 * x * np.sinh(0.5 * t) ** 2
        term = 0.5 * (np.exp(v * t - rise) + np.exp(-v * t - rise))
        total = total + term
        small = x * np.sinh(t) > v + 1.0 and not term > 1e-20 * total
    return step * total


def _kve(v: Any, x: Any) -> Any:
    if not x >= 0.0 or not np.isfinite(v):
        return math.nan
    if x == 0.0:
        return math.inf
    return math.nan if math.isinf(x) else _scaled_second(abs(v), x)


def _kv(v: Any, x: Any) -> Any:
    return 0.0 if x == math.inf else np.exp(-x) * _kve(v, x)


def _scaled_first(v: Any, x: Any) -> Any:
    """exp(-x) I_v(x), for both not negative."""
    if x > _far(v):
        even, odd, _, _ = _expansion(v, x)
        return (even - odd) / np.sqrt(2.0 * np.pi * x)
    found = _series(v, x, 0.25 * x * x)
    if v < 140.0:
        return _leading(v, x) * found * np.exp(-x)
    return np.exp(v * np.log(0.5 * x) - special.gammaln(v + 1.0) - x) * found


def _ive(v: Any, x: Any) -> Any:
    size = x if x >= 0.0 else -x
    if np.isnan(x) or math.isinf(x) or not np.isfinite(v) or (x < 0.0 and not _whole(v)):
        return math.nan
    side = -1.0 if x < 0.0 and _odd(v) else 1.0
    if v >= 0.0 or (x == 0.0 and _whole(v)):
        return side * _scaled_first(v if v >= 0.0 else -v, size)
    if x == 0.0:
        return math.nan
    more = 2.0 / np.pi * np.exp(-2.0 * size) * _product(_turned(-v)[1], _scaled_second(-v, size))
    return side * (_scaled_first(-v, size) + more)


def _product(turned: Any, found: Any) -> Any:
    """Of which nothing is left where the sine or cosine is zero."""
    return turned * found if turned != 0.0 or np.isfinite(found) else 0.0


def _iv(v: Any, x: Any) -> Any:
    if x == 0.0 and v < 0.0 and not _whole(v):
        return math.copysign(math.inf, special.gamma(v + 1.0))
    return np.exp(x if x >= 0.0 else -x) * _ive(v, x)


def _tails(v: Any, x: Any) -> Any:
    """The integrals of exp(-x sinh t - v t) and exp(-x sinh t + v t) from zero on."""
    points, weights = np.array(_POINTS), np.array(_WEIGHTS)
    width = 0.5 / (1.0 + 0.125 * x + 0.05 * np.sqrt(v + 1.0))
    down, up, piece = 0.0, 0.0, 0
    small = False
    while not small:
        one, other = 0.0, 0.0
        for k in range(16):
            t = width * (piece + points[k])
            fall = x * np.sinh(t)
            one = one + width * weights[k] * np.exp(-fall - v * t)
            other = other + width * weights[k] * np.exp(v * t - fall)
        down, up = down + one, up + other
        piece += 1
        small = x * np.cosh(width * piece) > v + 1.0 and not other > 1e-19 * up
    return down, up


def _integrals(v: Any, x: Any) -> Any:
    """J and Y of positive numbers."""
    points, weights = np.array(_POINTS), np.array(_WEIGHTS)
    count = int(0.4 * (v + x)) + 1
    width = 1.0 / count
    first, second = 0.0, 0.0
    for piece in range(count):
        for k in range(16):
            t = np.pi * width * (piece + points[k])
            angle = v * t - x * np.sin(t)
            first = first + weights[k] * np.cos(angle)
            second = second - weights[k] * np.sin(angle)
    down, up = _tails(v, x)
    side, turned = _turned(v)
    return width * first - turned / np.pi * down, width * second - (up + side * down) / np.pi


def _waves(v: Any, x: Any) -> Any:
    """J and Y far out."""
    _, _, even, odd = _expansion(v, x)
    angle = x - (0.5 * v + 0.25) * np.pi
    height = np.sqrt(2.0 / (np.pi * x))
    cos, sin = np.cos(angle), np.sin(angle)
    return height * (cos * even - sin * odd), height * (sin * even + cos * odd)


def _down(v: Any, x: Any) -> Any:
    """J where the order is larger, from a higher order downwards."""
    n = int(v)
    rest = v - n
    above, here, kept = 0.0, 1e-250, 0.0
    for k in range(n + 2 * int(np.sqrt(40.0 * (n + 1))) + 20, 0, -1):
        if k == n:
            kept = here
        below = 2.0 * (rest + k) / x * here - above
        above, here = here, below
        if abs(here) > 1e200:
            above, here, kept = above * 1e-200, here * 1e-200, kept * 1e-200
    size = max(abs(here), abs(above))
    low, high = here / size, above / size
    one, _ = _integrals(rest, x)
    other, _ = _integrals(rest + 1.0, x)
    return kept / size * (one * low + other * high) / (low * low + high * high)


def _first(v: Any, x: Any) -> Any:
    """J of an order and a number that are not negative."""
    square = 0.25 * x * x
    if square < v + 1.0:
        return _leading(v, x) * _series(v, x, -square)
    if x > _far(v):
        return _waves(v, x)[0]
    return _down(v, x) if v > x else _integrals(v, x)[0]


def _second(v: Any, x: Any) -> Any:
    return _waves(v, x)[1] if x > _far(v) else _integrals(v, x)[1]


def _jv(v: Any, x: Any) -> Any:
    size = x if x >= 0.0 else -x
    if not np.isfinite(v) or not np.isfinite(x) or (x < 0.0 and not _whole(v)):
        return math.nan
    side = -1.0 if x < 0.0 and _odd(v) else 1.0
    if v >= 0.0:
        return side * _first(v, size)
    if x == 0.0:
        return 0.0 if _whole(v) else math.copysign(math.inf, special.gamma(v + 1.0))
    cos, sin = _turned(-v)
    return side * (cos * _first(-v, size) - _product(sin, _second(-v, size)))


def _yv(v: Any, x: Any) -> Any:
    if not np.isfinite(v) or not np.isfinite(x) or x < 0.0:
        return math.nan
    if x == 0.0:
        return math.inf if v < 0.0 and _odd(v) else -math.inf
    if v >= 0.0:
        return _second(v, x)
    cos, sin = _turned(-v)
    return sin * _first(-v, x) + _product(cos, _second(-v, x))


def _of_each(one: Any) -> Any:
    """The function of arrays that a function of an order and a number is."""

    def every(v: Any, x: Any) -> Any:
        out = np.zeros(len(x))
        for i in range(len(x)):
            out[i] = one(v[i], x[i])
        return out

    def function(v: Any, z: Any) -> Any:
        return of_each(one, every, v, z)

    return function


SPECIAL = {
    "jv": (_of_each(_jv), "v z"), "yv": (_of_each(_yv), "v z"), "yn": (_of_each(_yv), "n x"),
    "iv": (_of_each(_iv), "v z"), "ive": (_of_each(_ive), "v z"), "kv": (_of_each(_kv), "v z"),
    "kve": (_of_each(_kve), "v z"), "kn": (_of_each(_kv), "n x"),
}  # fmt: skip
"""Functions of an order and a number, with their parameters."""
