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

__all__ = ["fminbound", "minimize_bounded"]

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
    x, fx, calls, found = _search(f, args, constant(low), constant(high), xatol, most)
    moved = _moved(both, constant(x), args, low, high)
    value = with_slopes_of(constant(fx), f(moved, *args) * 1.0)
    return Minimum(moved, value, found, calls, calls)


def fminbound(
    f: Any, both: Any, x1: Any, x2: Any, args: Any = (), xtol: Any = 1e-5, maxfun: Any = 500
) -> Any:
    """The place of it alone."""
    options = {"xatol": xtol, "maxiter": maxfun}
    return minimize_bounded(f, both, (x1, x2), args, None, options).x


def _moved(both: Any, x: Any, args: Any, low: Any, high: Any) -> Any:
    """The minimum, with its derivatives."""
    slope, bend = both(x, *args)
    if abs(slope) > 1e-2 * abs(bend) * (high - low):
        nearest = low if x - low < high - x else high
        return with_slopes_of(x, nearest)
    y = x
    for _ in range(2):
        slope, bend = both(y, *args)
        y = y - slope / bend
    return with_slopes_of(x, y)


def _search(f: Any, args: Any, a: Any, b: Any, xatol: Any, most: Any) -> Any:
    """Parabolas through the best three numbers where that is good, else golden sections."""
    best = a + _GOLDEN * (b - a)
    second, third = best, best
    f_best = f(best, *args) * 1.0
    f_second, f_third = f_best, f_best
    step = before = 0.0
    calls = 1
    middle = 0.5 * (a + b)
    near = _ROOT_EPS * abs(best) + xatol / 3.0
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
            step = _GOLDEN * before
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
        near = _ROOT_EPS * abs(best) + xatol / 3.0
    return best, f_best, calls, calls < most
