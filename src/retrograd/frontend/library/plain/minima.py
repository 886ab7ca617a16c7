"""Minima of functions of one number.

R. P. Brent, Algorithms for minimization without derivatives, 1973, chapter 5. Nothing is
differentiated through iterations: where the slope is zero inside of the bounds, two Newton steps on
it follow, from the minimum as a constant; at a bound the minimum moves with the bound. `both` gives
the slope and its derivative.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.axes import as_tuple
from retrograd.frontend.library.plain.outcomes import Minimum
from retrograd.frontend.library.plain.roots import with_slopes_of
from retrograd.frontend.library.plain.told import constant

__all__ = ["brent", "fminbound", "minimize_anywhere", "minimize_bounded"]

np: Any = numpy

_GOLDEN = 0.3819660112501051
_ROOT_EPS = 1.4832396974191326e-08


def minimize_bounded(
    f: Any, both: Any, bounds: Any, args: Any = (), tol: Any = None, options: Any = None
) -> Any:
    """`minimize_scalar` between two numbers."""
    args = as_tuple(args)
    given: Any = {} if options is None else options
    xatol = given.get("xatol", 1e-5 if tol is None else tol)
    most = given.get("maxiter", 500)
    low, high = bounds[0] * 1.0, bounds[1] * 1.0
    if low > high:
        raise ValueError("The lower bound exceeds the upper bound.")
    x, fx, calls, found = _search(
        f, args, constant(low), constant(high), None, (_ROOT_EPS, xatol / 3.0, most)
    )
    moved = _moved(both, constant(x), args, low, high)
    value = with_slopes_of(constant(fx), f(moved, *args) * 1.0)
    return Minimum(moved, value, found, calls, calls)


def fminbound(
    f: Any, both: Any, x1: Any, x2: Any, args: Any = (), xtol: Any = 1e-5, maxfun: Any = 500
) -> Any:
    """The place of it alone."""
    options = {"xatol": xtol, "maxiter": maxfun}
    return minimize_bounded(f, both, (x1, x2), args, None, options).x


def minimize_anywhere(
    f: Any, both: Any, bracket: Any = None, args: Any = (), tol: Any = None, options: Any = None
) -> Any:
    """`minimize_scalar` without bounds: from three numbers with the least value in the middle."""
    args = as_tuple(args)
    given: Any = {} if options is None else options
    low, middle, high, steps = _surrounding(f, args, (0.0, 1.0) if bracket is None else bracket)
    ends = (min(low, high), max(low, high))
    share = given.get("xtol", 1.48e-8 if tol is None else tol)
    limits = (share, 1e-11, given.get("maxiter", 500))
    x, fx, calls, found = _search(f, args, ends[0], ends[1], middle, limits)
    place = with_slopes_of(constant(x), _newton(both, constant(x), args, ends, 3))
    value = with_slopes_of(constant(fx), f(place, *args) * 1.0)
    return Minimum(place, value, found, calls + steps, calls)


def brent(
    f: Any, both: Any, args: Any = (), brack: Any = None, tol: Any = 1.48e-8,
    full_output: Any = False, maxiter: Any = 500,
) -> Any:  # fmt: skip
    """The place of it, and with `full_output` its value and how many steps it took."""
    found = minimize_anywhere(f, both, brack, args, tol, {"maxiter": maxiter})
    return (found.x, found.fun, found.nit, found.nfev) if full_output else found.x


def _surrounding(f: Any, args: Any, given: Any) -> Any:
    """Three numbers, of which the middle one has the least value, and how many were tried."""
    if len(given) == 3:
        a, b, c = constant(given[0] * 1.0), constant(given[1] * 1.0), constant(given[2] * 1.0)
        a, c = min(a, c), max(a, c)
        if not a < b < c:
            raise ValueError(
                "Bracketing values (xa, xb, xc) do not fulfill this requirement: (xa < xb) and "
                "(xb < xc)"
            )
        if not (f(b, *args) < f(a, *args) and f(b, *args) < f(c, *args)):
            raise ValueError(
                "Bracketing values (xa, xb, xc) do not fulfill this requirement: (f(xb) < f(xa)) "
                "and (f(xb) < f(xc))"
            )
        return a, b, c, 3
    return _bracketed(f, args, constant(given[0] * 1.0), constant(given[1] * 1.0))


def _next(a: Any, b: Any, c: Any, values: Any) -> Any:
    """The least of the parabola through three numbers."""
    fa, fb, fc = values
    one, other = (b - a) * (fb - fc), (b - c) * (fb - fa)
    bend = 2.0 * (other - one)
    bend = 2e-21 if abs(other - one) < 1e-21 else bend
    return b - ((b - c) * other - (b - a) * one) / bend


def _bracketed(f: Any, args: Any, a: Any, b: Any) -> Any:
    """Steps downhill from two numbers until the values rise, as SciPy takes them."""
    fa, fb = f(a, *args) * 1.0, f(b, *args) * 1.0
    if fa < fb:
        a, b, fa, fb = b, a, fb, fa
    c = b + 1.618034 * (b - a)
    fc = f(c, *args) * 1.0
    calls, searching = 3, True
    while searching and fc < fb:
        if calls > 3000:
            raise RuntimeError("No valid bracket was found before the iteration limit was reached.")
        w = _next(a, b, c, (fa, fb, fc))
        far = b + 110.0 * (c - b)
        inside, near = (w - c) * (b - w) > 0.0, (w - far) * (c - w) > 0.0
        if not inside and (w - far) * (far - c) >= 0.0:
            w = far
        elif not inside and not near:
            w = c + 1.618034 * (c - b)
        fw = f(w, *args) * 1.0
        calls += 1
        if inside and fw < fc:
            a, b, searching = b, w, False
        elif inside and fw > fb:
            c, searching = w, False
        else:
            if not inside and near and fw < fc:
                b, c, fb, fc = c, w, fc, fw
                w = c + 1.618034 * (c - b)
            elif inside:
                w = c + 1.618034 * (c - b)
            if inside or near:
                fw = f(w, *args) * 1.0
                calls += 1
            a, b, c, fa, fb, fc = b, c, w, fb, fc, fw
    return a, b, c, calls


def _moved(both: Any, x: Any, args: Any, low: Any, high: Any) -> Any:
    """The minimum, with its derivatives."""
    slope, bend = both(x, *args)
    if abs(slope) > 1e-2 * abs(bend) * (high - low):
        nearest = low if x - low < high - x else high
        return with_slopes_of(x, nearest)
    return with_slopes_of(x, _newton(both, x, args, (constant(low), constant(high)), 2))


def _newton(both: Any, x: Any, args: Any, ends: Any, count: Any) -> Any:
    """Newton steps on the slope, which do not go beyond the ends."""
    y = x
    for _ in range(count):
        slope, bend = both(y, *args)
        y = y - slope / bend
        near = min(max(constant(y), ends[0]), ends[1])
        y = with_slopes_of(constant(x) if np.isnan(near) else near, y)
    return y


def _search(f: Any, args: Any, a: Any, b: Any, start: Any, limits: Any) -> Any:
    """Parabolas through the best three numbers where that is good, else golden sections."""
    share, least, most = limits
    golden_part = _GOLDEN if start is None else 0.3819660
    best = a + _GOLDEN * (b - a) if start is None else start
    second, third = best, best
    f_best = f(best, *args) * 1.0
    f_second, f_third = f_best, f_best
    step = before = 0.0
    calls = 1
    middle = 0.5 * (a + b)
    near = share * abs(best) + least
    while abs(best - middle) > 2.0 * near - 0.5 * (b - a) and calls < most:
        golden = True
        if abs(before) > near:
            r = (best - second) * (f_best - f_third)
            q = (best - third) * (f_best - f_second)
            p = (best - third) * q - (best - second) * r
            q = 2.0 * (q - r)
            p = -p if q > 0.0 else p
            q = abs(q)
            last, before = before, step
            if abs(p) < abs(0.5 * q * last) and p > q * (a - best) and p < q * (b - best):
                golden = False
                step = p / q
                x = best + step
                if x - a < 2.0 * near or b - x < 2.0 * near:
                    step = near if middle >= best else -near
        if golden:
            before = a - best if best >= middle else b - best
            step = golden_part * before
        size = max(abs(step), near)
        x = best + (size if step >= 0.0 else -size)
        fx = f(x, *args) * 1.0
        calls = calls + 1
        if fx <= f_best:
            if x >= best:
                a = best
            else:
                b = best
            third, f_third, second, f_second = second, f_second, best, f_best
            best, f_best = x, fx
        else:
            if x < best:
                a = x
            else:
                b = x
            if fx <= f_second or second == best:
                third, f_third, second, f_second = second, f_second, x, fx
            elif fx <= f_third or third in (best, second):
                third, f_third = x, fx
        middle = 0.5 * (a + b)
        near = share * abs(best) + least
    return best, f_best, calls, calls < most
