"""Roots of functions of one number: Newton's method, the secant method, bisection, Brent's method.

R. P. Brent, Algorithms for minimization without derivatives, 1973, chapter 4; the others are in any
textbook. Nothing is differentiated through iterations: three Newton steps follow, which start at
the root as a constant, and each doubles the order up to which the derivatives of what it gives are
those of the root. So they are right to order seven where the function's own derivative is not zero;
where it is, they are NaN or infinite. `both` gives the function and its derivative, and leaves what
the function shows and changes to the calls of itself.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.axes import as_tuple
from retrograd.frontend.library.plain.told import WithRule, constant, rounded

__all__ = ["bisect", "brentq", "newton"]

np: Any = numpy


def _first(x: Any, y: Any) -> Any:
    return x


def _moves_as_second(primals: Any, tangents: Any) -> Any:
    return with_slopes_of(primals[0], primals[1]), tangents[1]


with_slopes_of = WithRule("jvp", _first, (), _moves_as_second)
"""The first number, with the derivatives of the second."""


def _root(both: Any, x: Any, args: Any) -> Any:
    y = constant(x)
    for _ in range(3):
        value, slope = both(y, *args)
        y = y - value / slope
    return with_slopes_of(constant(x), y)


def _value(f: Any, x: Any, args: Any) -> Any:
    y = rounded(f, x, args) * 1.0
    if np.isnan(y):
        raise ValueError("The function value is NaN; solver cannot continue.")
    return y


def _check(xtol: Any, rtol: Any, maxiter: Any) -> None:
    if xtol <= 0:
        raise ValueError("xtol too small (<= 0)")
    if rtol < 4.0 * np.finfo(float).eps:
        raise ValueError("rtol too small")
    if maxiter < 1:
        raise ValueError("maxiter must be greater than 0")


def brentq(
    f: Any, both: Any, a: Any, b: Any, args: Any = (), xtol: Any = 2e-12,
    rtol: Any = 8.881784197001252e-16, maxiter: Any = 100, disp: Any = True,
) -> Any:  # fmt: skip
    _check(xtol, rtol, maxiter)
    args = as_tuple(args)
    before, x = constant(a * 1.0), constant(b * 1.0)
    f_before, fx = _value(f, before, args), _value(f, x, args)
    other, f_other = before, f_before
    last = step = 0.0
    if np.sign(f_before) * np.sign(fx) > 0.0:
        raise ValueError("f(a) and f(b) must have different signs")
    if f_before == 0.0:
        x, fx = before, 0.0
    count, found = 0, fx == 0.0
    while not found and count < maxiter:
        if (f_before > 0.0) != (fx > 0.0):
            other, f_other = before, f_before
            last = step = x - before
        if abs(f_other) < abs(fx):
            before, x, other = x, other, x
            f_before, fx, f_other = fx, f_other, fx
        near = 0.5 * (xtol + rtol * abs(x))
        half = 0.5 * (other - x)
        if abs(half) < near:
            found = True
        else:
            last, step = _step(before, x, other, f_before, fx, f_other, (last, step, half, near))
            before, f_before = x, fx
            x = x + (step if abs(step) > near else near if half > 0.0 else -near)
            fx = _value(f, x, args)
            found = fx == 0.0
            count = count + 1
    if disp and not found:
        raise RuntimeError("Failed to converge.")
    return _root(both, x, args)


def _step(before: Any, x: Any, other: Any, f_before: Any, fx: Any, f_other: Any, steps: Any) -> Any:
    """The last step and the next one: of an interpolation where that is good, else of bisection."""
    last, step, half, near = steps
    if abs(last) > near and abs(fx) < abs(f_before):
        if before == other:
            tried = -fx * (x - before) / (fx - f_before)
        else:
            p = (f_before - fx) / (before - x)
            q = (f_other - fx) / (other - x)
            tried = -fx * (f_other * q - f_before * p) / (q * p * (f_other - f_before))
        if 2.0 * abs(tried) < min(abs(last), 3.0 * abs(half) - near):
            return step, tried
    return half, half


def bisect(
    f: Any, both: Any, a: Any, b: Any, args: Any = (), xtol: Any = 2e-12,
    rtol: Any = 8.881784197001252e-16, maxiter: Any = 100, disp: Any = True,
) -> Any:  # fmt: skip
    _check(xtol, rtol, maxiter)
    args = as_tuple(args)
    low, high = constant(a * 1.0), constant(b * 1.0)
    f_low, f_high = _value(f, low, args), _value(f, high, args)
    if np.sign(f_low) * np.sign(f_high) > 0.0:
        raise ValueError("f(a) and f(b) must have different signs")
    x = low if f_low == 0.0 else high
    width, count, found = high - low, 0, f_low == 0.0 or f_high == 0.0
    while not found and count < maxiter:
        width = 0.5 * width
        x = low + width
        fx = _value(f, x, args)
        if (fx > 0.0) == (f_low > 0.0):
            low = x
        found = fx == 0.0 or abs(width) < xtol + rtol * abs(x)
        count = count + 1
    if disp and not found:
        raise RuntimeError("Failed to converge.")
    return _root(both, x, args)


def newton(
    f: Any, both: Any, x0: Any, fprime: Any = None, args: Any = (), tol: Any = 1.48e-8,
    maxiter: Any = 50, fprime2: Any = None, x1: Any = None, rtol: Any = 0.0, disp: Any = True,
) -> Any:  # fmt: skip
    if tol <= 0:
        raise ValueError("tol too small (<= 0)")
    if maxiter < 1:
        raise ValueError("maxiter must be greater than 0")
    args = as_tuple(args)
    start = constant(x0 * 1.0)
    if fprime is not None:
        x, found = _by_slopes(f, fprime, fprime2, start, args, (tol, rtol, maxiter))
    elif x1 is None:
        aside = start * (1.0 + 1e-4) + (1e-4 if start * (1.0 + 1e-4) >= 0.0 else -1e-4)
        x, found = _by_secants(f, start, aside, args, (tol, rtol, maxiter))
    else:
        if x1 == x0:
            raise ValueError("x1 and x0 must be different")
        x, found = _by_secants(f, start, constant(x1 * 1.0), args, (tol, rtol, maxiter))
    if disp and not found:
        raise RuntimeError("Failed to converge.")
    return _root(both, x, args)


def _by_slopes(f: Any, fprime: Any, fprime2: Any, start: Any, args: Any, limits: Any) -> Any:
    """Newton's method, or Halley's with a second derivative: where it ends, and if at a root."""
    tol, rtol, most = limits
    x, count, found, stuck = start, 0, False, False
    while not found and not stuck and count < most:
        fx = rounded(f, x, args) * 1.0
        if fx == 0.0:
            found = True
        else:
            rise = fprime(x, *args) * 1.0
            if rise == 0.0:
                stuck = True
            else:
                step = fx / rise
                if fprime2 is not None:
                    bend = step * fprime2(x, *args) / rise / 2.0
                    if abs(bend) < 1.0:
                        step = step / (1.0 - bend)
                found = abs(step) <= tol + rtol * abs(x)
                x = x - step
                count = count + 1
    return x, found


def _by_secants(f: Any, start: Any, aside: Any, args: Any, limits: Any) -> Any:
    """The secant method: where it ends, and whether at a root."""
    tol, rtol, most = limits
    p, x = start, aside
    fp, fx = f(p, *args) * 1.0, f(x, *args) * 1.0
    if abs(fx) < abs(fp):
        p, x = x, p
        fp, fx = fx, fp
    count, found, stuck = 0, False, False
    while not found and not stuck and count < most:
        if fx == fp:
            stuck, found = True, x == p
            x = 0.5 * (x + p)
        else:
            ratio = fp / fx if abs(fx) > abs(fp) else fx / fp
            after = (p - ratio * x) / (1.0 - ratio)
            if abs(fx) <= abs(fp):
                after = (x - ratio * p) / (1.0 - ratio)
            found = abs(after - x) <= tol + rtol * abs(x)
            p, fp, x = x, fx, after
            if not found:
                fx = rounded(f, x, args) * 1.0
            count = count + 1
    return x, found
