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
from retrograd.frontend.library.plain.outcomes import Root
from retrograd.frontend.library.plain.told import WithRule, constant, rounded

__all__ = [
    "bisect", "brenth", "brentq", "by_brent", "fixed_point", "newton", "ridder", "root_by_brackets",
    "root_by_starts", "toms748", "with_slopes_of",
]  # fmt: skip

np: Any = numpy


def _flag(found: Any) -> Any:
    return "converged" if found else "convergence error"


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
    full_output: Any = False,
) -> Any:  # fmt: skip
    limits = (xtol, rtol, maxiter, disp, full_output)
    return _bracketed(by_brent, f, both, a, b, args, limits)


def toms748(
    f: Any, both: Any, a: Any, b: Any, args: Any = (), k: Any = 1, xtol: Any = 2e-12,
    rtol: Any = 8.881784197001252e-16, maxiter: Any = 100, disp: Any = True,
    full_output: Any = False,
) -> Any:  # fmt: skip
    """The same root, by Brent's method."""
    if k < 1:
        raise ValueError("k too small (" + str(k) + " < 1)")
    return brentq(f, both, a, b, args, xtol, rtol, maxiter, disp, full_output)


def fixed_point(
    f: Any, both: Any, x0: Any, args: Any = (), xtol: Any = 1e-8, maxiter: Any = 500,
    method: Any = "del2",
) -> Any:  # fmt: skip
    """Steffensen's method, with Aitken's steps."""
    if method not in ("del2", "iteration"):
        raise ValueError("method must be 'del2' or 'iteration'")
    args = as_tuple(args)
    last, found, count = constant(x0 * 1.0), False, 0
    while not found and count < maxiter:
        one = f(last, *args) * 1.0
        x = one
        if method == "del2":
            two = f(one, *args) * 1.0
            bend = two - 2.0 * one + last
            x = last - (one - last) ** 2 / bend if bend != 0.0 else two
        off = (x - last) / last if last != 0.0 else x
        found = bool(abs(off) < xtol)
        last, count = x, count + 1
    if not found:
        raise RuntimeError("Failed to converge after the iterations")
    y = constant(last)
    for _ in range(3):
        value, slope = both(y, *args)
        y = y - (value - y) / (slope - 1.0)
    return with_slopes_of(constant(y), y)


def brenth(
    f: Any, both: Any, a: Any, b: Any, args: Any = (), xtol: Any = 2e-12,
    rtol: Any = 8.881784197001252e-16, maxiter: Any = 100, disp: Any = True,
    full_output: Any = False,
) -> Any:  # fmt: skip
    limits = (xtol, rtol, maxiter, disp, full_output)
    return _bracketed(_by_hyperbolas, f, both, a, b, args, limits)


def bisect(
    f: Any, both: Any, a: Any, b: Any, args: Any = (), xtol: Any = 2e-12,
    rtol: Any = 8.881784197001252e-16, maxiter: Any = 100, disp: Any = True,
    full_output: Any = False,
) -> Any:  # fmt: skip
    limits = (xtol, rtol, maxiter, disp, full_output)
    return _bracketed(_by_halves, f, both, a, b, args, limits)


def ridder(
    f: Any, both: Any, a: Any, b: Any, args: Any = (), xtol: Any = 2e-12,
    rtol: Any = 8.881784197001252e-16, maxiter: Any = 100, disp: Any = True,
    full_output: Any = False,
) -> Any:  # fmt: skip
    limits = (xtol, rtol, maxiter, disp, full_output)
    return _bracketed(_by_ridder, f, both, a, b, args, limits)


def root_by_brackets(
    f: Any, both: Any, method: Any, bracket: Any, args: Any = (), xtol: Any = None,
    rtol: Any = None, maxiter: Any = None,
) -> Any:  # fmt: skip
    """`root_scalar` between two numbers."""
    way = {"brentq": by_brent, "brenth": _by_hyperbolas, "bisect": _by_halves}.get(method)
    limits = (
        2e-12 if xtol is None else xtol, 8.881784197001252e-16 if rtol is None else rtol,
        100 if maxiter is None else maxiter, False, True,
    )  # fmt: skip
    a, b = bracket[0], bracket[1]
    return _bracketed(_by_ridder if way is None else way, f, both, a, b, args, limits)[1]


def root_by_starts(
    f: Any, both: Any, x0: Any, fprime: Any = None, args: Any = (), maxiter: Any = None,
    fprime2: Any = None, x1: Any = None, xtol: Any = None, rtol: Any = None,
) -> Any:  # fmt: skip
    """`root_scalar` from a number."""
    tol, most = 1.48e-8 if xtol is None else xtol, 50 if maxiter is None else maxiter
    more = 0.0 if rtol is None else rtol
    return newton(f, both, x0, fprime, args, tol, most, fprime2, x1, more, False, True)[1]


def _bracketed(way: Any, f: Any, both: Any, a: Any, b: Any, args: Any, limits: Any) -> Any:
    """The root that a method finds between two numbers, and with `full_output` what it took."""
    xtol, rtol, maxiter, disp, full = limits
    _check(xtol, rtol, maxiter)
    args = as_tuple(args)
    low, high = constant(a * 1.0), constant(b * 1.0)
    f_low, f_high = _value(f, low, args), _value(f, high, args)
    if np.sign(f_low) * np.sign(f_high) > 0.0:
        raise ValueError("f(a) and f(b) must have different signs")
    if f_low == 0.0 or f_high == 0.0:
        x, found, iterations, calls = (low if f_low == 0.0 else high), True, 0, 2
    else:
        x, found, iterations, calls = way(f, args, low, high, f_low, f_high, (xtol, rtol, maxiter))
    if disp and not found:
        raise RuntimeError("Failed to converge.")
    root = _root(both, x, args)
    return (root, Root(root, iterations, calls, found, _flag(found))) if full else root


def by_brent(
    f: Any, args: Any, a: Any, b: Any, fa: Any, fb: Any, limits: Any, hyperbolic: Any = False
) -> Any:
    xtol, rtol, maxiter = limits
    before, x, f_before, fx = a, b, fa, fb
    other, f_other = before, f_before
    last = step = 0.0
    count, found = 0, False
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
            steps = (last, step, half, near)
            last, step = _step(before, x, other, f_before, fx, f_other, steps, hyperbolic)
            before, f_before = x, fx
            x = x + (step if abs(step) > near else near if half > 0.0 else -near)
            fx = _value(f, x, args)
            found = fx == 0.0
            count = count + 1
    return x, found, count + 1 if found else count, count + 2


def _by_hyperbolas(f: Any, args: Any, a: Any, b: Any, fa: Any, fb: Any, limits: Any) -> Any:
    return by_brent(f, args, a, b, fa, fb, limits, True)


def _step(
    before: Any, x: Any, other: Any, f_before: Any, fx: Any, f_other: Any, steps: Any,
    hyperbolic: Any,
) -> Any:  # fmt: skip
    """The last step and the next one: of an interpolation where that is good, else of bisection."""
    last, step, half, near = steps
    if abs(last) > near and abs(fx) < abs(f_before):
        if before == other:
            tried = -fx * (x - before) / (fx - f_before)
        else:
            p = (f_before - fx) / (before - x)
            q = (f_other - fx) / (other - x)
            if hyperbolic:
                tried = -fx * (f_other - f_before) / (f_other * p - f_before * q)
            else:
                tried = -fx * (f_other * q - f_before * p) / (q * p * (f_other - f_before))
        if 2.0 * abs(tried) < min(abs(last), 3.0 * abs(half) - near):
            return step, tried
    return half, half


def _by_halves(f: Any, args: Any, a: Any, b: Any, fa: Any, fb: Any, limits: Any) -> Any:
    xtol, rtol, maxiter = limits
    low, x, width, count, found = a, b, b - a, 0, False
    while not found and count < maxiter:
        width = 0.5 * width
        x = low + width
        fx = _value(f, x, args)
        if (fx > 0.0) == (fa > 0.0):
            low = x
        found = fx == 0.0 or abs(width) < xtol + rtol * abs(x)
        count = count + 1
    return (x if found else low), found, count, count + 2


def _by_ridder(f: Any, args: Any, a: Any, b: Any, fa: Any, fb: Any, limits: Any) -> Any:
    """The method of C. Ridders, IEEE Transactions on Circuits and Systems 26 (1979)."""
    xtol, rtol, maxiter = limits
    near = xtol + rtol * min(abs(a), abs(b))
    x, count, found = b, 0, False
    while not found and count < maxiter:
        half = 0.5 * (b - a)
        middle = a + half
        fm = _value(f, middle, args)
        step = (half if fb > fa else -half) * fm / np.sqrt(fm * fm - fa * fb)
        most = min(abs(step), abs(half) - 0.5 * near)
        x = middle - (most if step > 0.0 else -most)
        fx = _value(f, x, args)
        if (fx > 0.0) != (fm > 0.0):
            a, fa, b, fb = x, fx, middle, fm
        elif (fx > 0.0) != (fa > 0.0):
            b, fb = x, fx
        else:
            a, fa = x, fx
        near = xtol + rtol * x
        found = fx == 0.0 or abs(b - a) < near
        count = count + 1
    return x, found, count, 2 * count + 2


def newton(
    f: Any, both: Any, x0: Any, fprime: Any = None, args: Any = (), tol: Any = 1.48e-8,
    maxiter: Any = 50, fprime2: Any = None, x1: Any = None, rtol: Any = 0.0, disp: Any = True,
    full_output: Any = False,
) -> Any:  # fmt: skip
    if tol <= 0:
        raise ValueError("tol too small (<= 0)")
    if maxiter < 1:
        raise ValueError("maxiter must be greater than 0")
    args = as_tuple(args)
    start, limits = constant(x0 * 1.0), (tol, rtol, maxiter)
    if fprime is not None:
        x, found, iterations, calls = _by_slopes(
            f, fprime, fprime2, start, args, (tol, rtol, maxiter)
        )
    elif x1 is None:
        aside = start * (1.0 + 1e-4) + (1e-4 if start * (1.0 + 1e-4) >= 0.0 else -1e-4)
        x, found, iterations, calls = _by_secants(f, start, aside, args, limits)
    else:
        if x1 == x0:
            raise ValueError("x1 and x0 must be different")
        x, found, iterations, calls = _by_secants(
            f, start, constant(x1 * 1.0), args, (tol, rtol, maxiter)
        )
    if disp and not found:
        raise RuntimeError("Failed to converge.")
    root = _root(both, x, args)
    return (root, Root(root, iterations, calls, found, _flag(found))) if full_output else root


def _by_slopes(f: Any, fprime: Any, fprime2: Any, start: Any, args: Any, limits: Any) -> Any:
    """Newton's method, or Halley's with a second derivative: where it ends, and if at a root."""
    tol, rtol, most = limits
    x, count, found, stuck, calls = start, 0, False, False, 0
    while not found and not stuck and count < most:
        calls = calls + 1
        fx = rounded(f, x, args) * 1.0
        if fx == 0.0:
            found = True
        else:
            rise = fprime(x, *args) * 1.0
            calls = calls + 1
            if rise == 0.0:
                stuck = True
            else:
                step = fx / rise
                if fprime2 is not None:
                    calls = calls + 1
                    bend = step * fprime2(x, *args) / rise / 2.0
                    if abs(bend) < 1.0:
                        step = step / (1.0 - bend)
                found = abs(step) <= tol + rtol * abs(x)
                x = x - step
                count = count + 1
    return x, found, count + 1 if stuck else count, calls


def _by_secants(f: Any, start: Any, aside: Any, args: Any, limits: Any) -> Any:
    """The secant method: where it ends, and whether at a root."""
    tol, rtol, most = limits
    p, x = start, aside
    fp, fx = f(p, *args) * 1.0, f(x, *args) * 1.0
    if abs(fx) < abs(fp):
        p, x = x, p
        fp, fx = fx, fp
    count, found, stuck, calls = 0, False, False, 2
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
                calls = calls + 1
            count = count + 1
    return x, found, count + 1 if stuck else count, calls
