"""Integrals of functions: the rule of Gauss and Kronrod with 21 points, on adapted intervals.

R. Piessens et al., QUADPACK, 1983. What is bisected is found without derivatives, which are those
of the sum over the intervals that were found: of the integrand at its points, and of the points by
both ends. Where bisection does not get there (an end at which the integrand or its slope is
infinite), points are gathered at the ends by x = s(u), whose slope has zeros of order four there.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.axes import as_tuple
from retrograd.frontend.library.plain.told import constant

__all__ = ["dblquad", "fixed_quad", "leggauss", "quad", "roots_legendre"]

np: Any = numpy

_POINTS = (
    0.9956571630258080807, 0.9739065285171717201, 0.9301574913557082260, 0.8650633666889845107,
    0.7808177265864168971, 0.6794095682990244062, 0.5627571346686046833, 0.4333953941292471908,
    0.2943928627014601981, 0.1488743389816312109, 0.0,
)  # fmt: skip
_WEIGHTS = (
    0.0116946388673718743, 0.0325581623079647275, 0.0547558965743519960, 0.0750396748109199528,
    0.0931254545836976055, 0.1093871588022976419, 0.1234919762620658511, 0.1347092173114733259,
    0.1427759385770600808, 0.1477391049013384914, 0.1494455540029169057,
)  # fmt: skip
_OF_GAUSS = (
    0.0, 0.0666713443086881376, 0.0, 0.1494513491505805931, 0.0, 0.2190863625159820440, 0.0,
    0.2692667193099963551, 0.0, 0.2955242247147528702, 0.0,
)  # fmt: skip
_EPS = 2.220446049250313e-16
_CLOSER = 1e-4
"""How much less than what is asked for the error may be where SciPy extrapolates."""
_NARROW = 4e-12
"""An interval that is not divided: of shorter ones, points near 1 would be 1."""


def _gathered(u: Any) -> Any:
    """A way from 0 to 1 whose slope is zero at both ends."""
    return u**5 * (126.0 - u * (420.0 - u * (540.0 - u * (315.0 - u * 70.0))))


def _at(piece: Any, u: Any, gentle: Any) -> Any:
    """A place in the part u of an interval, and what the integrand is multiplied by there."""
    low, high, kind = piece
    part, rest, slope = u, 1.0 - u, 1.0
    if gentle:
        slope = 630.0 * (u * rest) ** 4
        part, rest = _gathered(u), _gathered(rest)
    if kind == 0:
        width = high - low
        return low + width * part if u < 0.5 else high - width * rest, width * slope
    away = rest / part
    return (low + away if kind == 1 else high - away), slope / (part * part)


def _rule(f: Any, args: Any, piece: Any, early: Any, late: Any, gentle: Any, rules: Any) -> Any:
    """The integral from one part of an interval to another, and what it may be wrong by."""
    middle, half = 0.5 * (early + late), 0.5 * (late - early)
    values = np.zeros(rules.shape[1])
    total = 0.0
    for k in range(rules.shape[1]):
        x, factor = _at(piece, middle + half * rules[0, k], gentle)
        value = f(x, *args) * factor
        total += rules[1, k] * value
        values[k] = constant(value)
    gap, spread, size, mean = 0.0, 0.0, 0.0, 0.5 * constant(total)
    for k in range(rules.shape[1]):
        gap += rules[2, k] * values[k]
        spread += rules[1, k] * abs(values[k] - mean)
        size += rules[1, k] * abs(values[k])
    gap = abs(gap)
    error = spread * min(1.0, (200.0 * gap / spread) ** 1.5) if spread > 0.0 else gap
    return total * half, max(error, 50.0 * _EPS * size) * half


def _search(
    f: Any, args: Any, pieces: Any, most: Any, tolerances: Any, gentle: Any, rules: Any
) -> Any:
    """The parts into which pieces are to be divided, how many, and the error then."""
    edges, kinds = pieces
    count = len(kinds)
    most = max(most, count)
    lows, highs, owners = np.zeros(most), np.ones(most), np.arange(most)
    found, errors = np.zeros(most), np.zeros(most)
    first, step = 0, 1
    searching = True
    total = whole = aim = 0.0
    while searching:
        for k in range(first, count, step):
            own = owners[k]
            piece = (edges[own], edges[own + 1], kinds[own])
            value, error = _rule(f, args, piece, lows[k], highs[k], gentle, rules)
            found[k], errors[k] = constant(value), constant(error)
        total, whole = 0.0, 0.0
        for k in range(count):
            total, whole = total + found[k], whole + errors[k]
        size = abs(total)
        aim = max(_CLOSER * max(tolerances[0], tolerances[1] * size), 100.0 * _EPS * size)
        first = np.argmax(errors[:count])
        searching = count < most and whole > aim and highs[first] - lows[first] > _NARROW
        if searching:
            middle = 0.5 * (lows[first] + highs[first])
            lows[count], highs[count], owners[count] = middle, highs[first], owners[first]
            highs[first] = middle
            step = count - first
            count += 1
    return lows, highs, owners, count, whole, whole <= aim


def _adapted(f: Any, args: Any, pieces: Any, limit: Any, tolerances: Any) -> Any:
    edges, kinds = pieces
    sides = np.concatenate((np.array(_POINTS), -np.array(_POINTS[9::-1])))
    weights = np.concatenate((np.array(_WEIGHTS), np.array(_WEIGHTS[9::-1])))
    coarse = np.concatenate((np.array(_OF_GAUSS), np.array(_OF_GAUSS[9::-1])))
    rules = np.stack((-sides, weights, weights - coarse))
    gentle, good, error = False, False, np.inf
    lows, highs, owners, count = np.zeros(0), np.zeros(0), np.zeros(0, dtype=int), 0
    tried = 0
    while tried < 2 and not good:
        others = _search(f, args, pieces, limit, tolerances, tried == 1, rules)
        if tried == 0 or others[4] < error:
            lows, highs, owners, count, error, good = others
            gentle = tried == 1
        tried += 1
    total = 0.0
    for k in range(count):
        own = owners[k]
        piece = (edges[own], edges[own + 1], kinds[own])
        total += _rule(f, args, piece, lows[k], highs[k], gentle, rules)[0]
    return total, error


def quad(
    func: Any, a: Any, b: Any, args: Any = (), full_output: Any = 0, epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8, limit: Any = 50, points: Any = None,
) -> Any:  # fmt: skip
    low, high = a * 1.0, b * 1.0
    sign = 1.0
    if high < low:
        low, high, sign = high, low, -1.0
    if limit < 1 or (epsabs <= 0.0 and epsrel < 50.0 * _EPS):
        raise ValueError("Invalid 'limit' or tolerances of an integral")
    below, above = low == -np.inf, high == np.inf
    if points is not None:
        if below or above:
            raise ValueError("Infinity inputs cannot be used with break points.")
        inner = np.ravel(np.asarray(points) * 1.0)
        inner = np.sort(inner[np.logical_and(inner > low, inner < high)])
        edges = np.concatenate((np.reshape(low, (1,)), inner, np.reshape(high, (1,))))
        kinds = np.zeros(len(edges) - 1, dtype=int)
    else:
        edges, kinds = _of_ends(low, high, below, above)
    found, error = _adapted(func, as_tuple(args), (edges, kinds), limit, (epsabs, epsrel))
    return sign * found, error


def _of_ends(low: Any, high: Any, below: Any, above: Any) -> Any:
    """The edges of pieces, and of each whether it goes on without an end above (1) or below (2)."""
    pieces = 2 if below and above else 1
    edges, kinds = np.zeros(pieces + 1), np.zeros(pieces, dtype=int)
    if not below:
        edges[0] = low
    if not above:
        edges[pieces] = high
    if above:
        kinds[pieces - 1] = 1
    if below:
        kinds[0] = 2
    return edges, kinds


def dblquad(
    func: Any, a: Any, b: Any, gfun: Any, hfun: Any, args: Any = (), epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8,
) -> Any:  # fmt: skip
    more = as_tuple(args)

    def line(x: Any) -> Any:
        def integrand(y: Any) -> Any:
            return func(y, x, *more)

        low = gfun(x) if callable(gfun) else gfun
        high = hfun(x) if callable(hfun) else hfun
        return quad(integrand, low, high, (), 0, epsabs, epsrel)[0]

    return quad(line, a, b, (), 0, epsabs, epsrel)


def leggauss(deg: Any) -> Any:
    """Roots of Legendre's polynomial by Newton's method, from Tricomi's estimate."""
    if deg < 1:
        raise ValueError("deg must be a positive integer")
    k = np.arange(deg, 0, -1)
    x = np.cos(np.pi * (k - 0.25) / (deg + 0.5)) * (1.0 - (deg - 1.0) / (8.0 * deg**3))
    slope = np.ones(deg)
    for _ in range(6):
        before, value = np.ones(deg), x
        for j in range(2, deg + 1):
            before, value = value, ((2.0 * j - 1.0) * x * value - (j - 1.0) * before) / j
        slope = deg * (before - x * value) / (1.0 - x * x)
        x = x - value / slope
    x = 0.5 * (x - x[::-1])
    weights = 2.0 / ((1.0 - x * x) * slope * slope)
    return x, 0.5 * (weights + weights[::-1])


def roots_legendre(n: Any, mu: Any = False) -> Any:
    """`scipy.special.roots_legendre`."""
    if n < 1:
        raise ValueError("n must be a positive integer.")
    x, w = leggauss(n)
    return (x, w, 2.0) if mu else (x, w)


def fixed_quad(func: Any, a: Any, b: Any, args: Any = (), n: Any = 5) -> Any:
    if np.isinf(a) or np.isinf(b):
        raise ValueError("Gaussian quadrature is only available for finite limits.")
    x, w = leggauss(n)
    y = (b - a) * (x + 1.0) / 2.0 + a
    return (b - a) / 2.0 * np.sum(w * func(y, *as_tuple(args)), axis=-1), None
