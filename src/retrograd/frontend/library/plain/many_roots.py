"""Roots of many functions of one number at once: Newton's and the secant method on arrays.

An element of the function depends on the element of the argument at its place. As in SciPy all
elements go on until each of them has converged. Derivatives are those of `roots`: nothing is
differentiated through iterations. `slopes` is the derivative of the sum of the function.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy

from retrograd.frontend.library.plain.axes import as_tuple
from retrograd.frontend.library.plain.roots import with_slopes_of
from retrograd.frontend.library.plain.told import constant, refuse, rounded

__all__ = ["newton_of_arrays", "total_of"]

np: Any = numpy


def total_of(f: Any) -> Any:
    """The sum of what a function gives."""

    def total(x: Any, *args: Any) -> Any:
        return np.sum(f(x, *args))

    return total


def newton_of_arrays(
    f: Any, slopes: Any, x0: Any, fprime: Any = None, args: Any = (), tol: Any = 1.48e-8,
    maxiter: Any = 50, fprime2: Any = None, x1: Any = None, rtol: Any = 0.0, disp: Any = True,
    full_output: Any = False,
) -> Any:  # fmt: skip
    if full_output:
        refuse("full_output of scipy.optimize.newton from an array", "leave it out")
    if tol <= 0:
        raise ValueError("tol too small (<= 0)")
    if maxiter < 1:
        raise ValueError("maxiter must be greater than 0")
    args = as_tuple(args)
    start = constant(x0 * 1.0)
    if fprime is not None:
        x, failed, flat = _by_slopes(f, fprime, fprime2, start, args, (tol, maxiter))
    else:
        x, failed, flat = _by_secants(f, start, args, (tol, maxiter))
    if np.any(flat & failed):
        warnings.warn("some derivatives were zero", RuntimeWarning, stacklevel=2)
    elif np.all(failed) and x.size > 0:
        raise RuntimeError(f"all failed to converge after {maxiter} iterations")
    elif np.any(failed):
        text = f"some failed to converge after {maxiter} iterations"
        warnings.warn(text, RuntimeWarning, stacklevel=2)
    y = constant(x)
    for _ in range(3):
        y = y - f(y, *args) / slopes(y, *args)
    return with_slopes_of(constant(x), y)


def _by_slopes(f: Any, fprime: Any, fprime2: Any, start: Any, args: Any, limits: Any) -> Any:
    """Newton's method, or Halley's: where it ends, what has not converged, where it is flat."""
    tol, most = limits
    x, failed = start, np.ones(start.shape) > 0.0
    flat, count, going = ~failed, 0, True
    while going and count < most:
        fx = rounded(f, x, args) * 1.0
        if not np.any(fx != 0.0):
            failed, going = fx != 0.0, False
        else:
            rise = fprime(x, *args) + 0.0 * x
            flat = rise == 0.0
            if np.all(flat):
                going = False
            else:
                safe = np.where(flat, 1.0, rise)
                step = np.where(flat, 0.0, fx / safe)
                if fprime2 is not None:
                    step = step / (1.0 - 0.5 * step * fprime2(x, *args) / safe)
                x = x - step
                failed = np.where(flat, failed, np.abs(step) >= tol)
                going = np.any(failed & ~flat)
        count = count + 1
    return x, failed, flat


def _by_secants(f: Any, start: Any, args: Any, limits: Any) -> Any:
    """The secant method: where it ends, what has not converged, where it is flat."""
    tol, most = limits
    aside = np.finfo(float).eps ** 0.33
    p, x = start, start * (1.0 + aside) + np.where(start >= 0.0, aside, -aside)
    fp, fx = rounded(f, p, args) * 1.0, rounded(f, x, args) * 1.0
    failed = np.ones(start.shape) > 0.0
    active, flat, count, going = failed, ~failed, 0, True
    while going and count < most:
        flat = fx == fp
        if np.all(flat):
            p, going = 0.5 * (x + p), False
        else:
            step = fx * (x - p) / np.where(flat, 1.0, fx - fp)
            middle = np.where(flat & active, 0.5 * (x + p), p)
            p = np.where(flat, middle, x - step)
            active = active & ~flat
            failed = np.where(flat, failed, np.abs(step) >= tol)
            if not np.any(failed & ~flat):
                going = False
            else:
                p, x = x, p
                fp, fx = fx, rounded(f, x, args) * 1.0
        count = count + 1
    return p, failed, flat
