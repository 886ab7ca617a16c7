"""Ordinary differential equations from initial values, by embedded Runge-Kutta pairs.

J. R. Dormand, P. J. Prince, A family of embedded Runge-Kutta formulae (1980), with the polynomials
of L. F. Shampine, Some practical Runge-Kutta formulas (1986); P. Bogacki, L. F. Shampine, A 3(2)
pair of Runge-Kutta formulas (1989). The first step is that of E. Hairer, S. P. Norsett, G. Wanner,
Solving ordinary differential equations I, section II.4. Derivatives are those of the steps that are
taken; how long these are is constant, but for the last one, which ends where the interval does.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.axes import as_tuple
from retrograd.frontend.library.plain.outcomes import Solution
from retrograd.frontend.library.plain.told import constant, refuse

__all__ = ["FIFTH", "THIRD", "odeint", "solve_ivp"]

np: Any = numpy

FIFTH: Any = (
    ((0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
     (1 / 5, 0.0, 0.0, 0.0, 0.0, 0.0),
     (3 / 40, 9 / 40, 0.0, 0.0, 0.0, 0.0),
     (44 / 45, -56 / 15, 32 / 9, 0.0, 0.0, 0.0),
     (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0.0, 0.0),
     (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0.0),
     (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)),
    (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0),
    (-71 / 57600, 0.0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40),
    ((1.0, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432),
     (0.0, 0.0, 0.0, 0.0),
     (0.0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799),
     (0.0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072),
     (0.0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632),
     (0.0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844),
     (0.0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423)),
    5.0,
)  # fmt: skip
"""Weights of the slopes in each stage, the last one being the step itself; where the stages are;
weights in the error; polynomials between; the order that the length of steps goes by."""

THIRD: Any = (
    ((0.0, 0.0, 0.0),
     (1 / 2, 0.0, 0.0),
     (0.0, 3 / 4, 0.0),
     (2 / 9, 1 / 3, 4 / 9)),
    (0.0, 1 / 2, 3 / 4, 1.0),
    (5 / 72, -1 / 12, -1 / 9, 1 / 8),
    ((1.0, -4 / 3, 5 / 9), (0.0, 1.0, -2 / 3), (0.0, 4 / 3, -8 / 9), (0.0, -1.0, 1.0)),
    3.0,
)  # fmt: skip


def solve_ivp(
    fun: Any, t_span: Any, y0: Any, method: Any = "RK45", t_eval: Any = None, args: Any = None,
    rtol: Any = 1e-3, atol: Any = 1e-6, max_step: Any = np.inf, first_step: Any = None,
    dense_output: Any = False,
) -> Any:  # fmt: skip
    if method != "RK45" and method != "RK23":
        refuse(f"scipy.integrate.solve_ivp by the method {method!r}", "RK45 and RK23 are compiled")
    pair = FIFTH if method == "RK45" else THIRD
    more = () if args is None else as_tuple(args)
    begin, end = t_span[0] * 1.0, t_span[1] * 1.0
    y = np.array(y0) * 1.0
    if y.ndim != 1:
        raise ValueError("`y0` must be 1-dimensional.")
    if max_step <= 0.0:
        raise ValueError("`max_step` must be positive.")
    tolerances = (max(rtol, 2.220446049250313e-14), atol)
    side = 1.0 if end >= begin else -1.0
    f = _slope(fun, begin, y, more)
    if first_step is None:
        size = _first(fun, begin, end, y, f, more, (*tolerances, side, max_step, pair[4]))
        calls = 2
    else:
        size, calls = first_step, 1
        if size <= 0.0 or size > abs(end - begin):
            raise ValueError("`first_step` must be positive and within bounds.")
    size, limits = constant(size * 1.0), (*tolerances, side, max_step)
    if t_eval is None:
        return _every_step(fun, begin, end, y, f, more, pair, size, limits, calls, dense_output)
    if dense_output:
        refuse("scipy.integrate.solve_ivp with dense_output and t_eval", "leave one of them out")
    times = np.asarray(t_eval) * 1.0
    low, high = min(begin, end), max(begin, end)
    if np.any(times < low) or np.any(times > high):
        raise ValueError("Values in `t_eval` are not within `t_span`.")
    if np.any(side * np.diff(times) <= 0.0):
        raise ValueError("Values in `t_eval` are not properly sorted.")
    return _at_times(fun, begin, end, y, f, more, pair, size, limits, calls, times)


def _slope(fun: Any, t: Any, y: Any, more: Any) -> Any:
    return np.array(fun(t, y, *more)) * 1.0


def _size_of(x: Any) -> Any:
    return np.sqrt(np.sum(x * x) / len(x))


def _first(fun: Any, t: Any, end: Any, y: Any, f: Any, more: Any, limits: Any) -> Any:
    rtol, atol, side, longest, order = limits
    whole = abs(end - t)
    if len(y) == 0 or whole == 0.0:
        return whole
    scale = atol + np.abs(constant(y)) * rtol
    d0, d1 = _size_of(constant(y) / scale), _size_of(constant(f) / scale)
    h0 = min(1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1, whole)
    other = _slope(fun, t + h0 * side, y + h0 * side * f, more)
    d2 = _size_of(constant(other - f) / scale) / h0
    flat = d1 <= 1e-15 and d2 <= 1e-15
    h1 = max(1e-6, h0 * 1e-3) if flat else (0.01 / max(d1, d2)) ** (1.0 / order)
    return min(min(100.0 * h0, h1), min(whole, longest))


def _tried(
    fun: Any, t: Any, end: Any, y: Any, f: Any, more: Any, pair: Any, size: Any, limits: Any
) -> Any:
    """A step: where it ends, the slopes, how large the error is, and the length for another."""
    rtol, atol, side, _ = limits
    weights, places, errors = np.array(pair[0]), np.array(pair[1]), np.array(pair[2])
    after = t + size * side
    if side * (after - end) > 0.0:
        after = end
    h = after - t
    slopes = np.zeros((len(places), len(y)))
    slopes[0] = f
    z = y
    for s in range(1, len(places)):
        z = y + h * (weights[s, :s] @ slopes[:s])
        slopes[s] = _slope(fun, t + places[s] * h, z, more)
    scale = atol + np.maximum(np.abs(constant(y)), np.abs(constant(z))) * rtol
    off = _size_of(constant(h * (errors @ slopes)) / scale) if len(y) > 0 else 0.0
    return after, h, z, slopes, constant(off * 1.0)


def _longer(off: Any, order: Any, rejected: Any) -> Any:
    """By what the length of steps is multiplied."""
    factor = 10.0 if off == 0.0 else 0.9 * off ** (-1.0 / order)
    if off < 1.0:
        return min(1.0, factor) if rejected else min(10.0, factor)
    return max(0.2, factor)


def _within(size: Any, t: Any, limits: Any, rejected: Any) -> Any:
    """The length of the next step, and whether it can be told from none."""
    least = 10.0 * 2.220446049250313e-16 * max(abs(constant(t)), 2.3e-308)
    if not rejected:
        size = max(min(size, limits[3]), least)
    return size, size >= least


def _every_step(
    fun: Any, t: Any, end: Any, y: Any, f: Any, more: Any, pair: Any, size: Any, limits: Any,
    calls: Any, dense: Any,
) -> Any:  # fmt: skip
    side, stages = limits[2], len(pair[1]) - 1
    times, states = np.zeros(16), np.zeros((16, len(y)))
    curves = np.zeros((16 if dense else 0, stages + 1, len(y)))
    times[0], states[0] = t, y
    count, rejected, good = 1, False, True
    while good and side * (end - t) > 0.0:
        size, good = _within(size, t, limits, rejected)
        if good:
            after, h, z, slopes, off = _tried(fun, t, end, y, f, more, pair, size, limits)
            calls = calls + stages
            size = abs(constant(h)) * _longer(off, pair[4], rejected)
            rejected = not off < 1.0
            if not rejected:
                t, y, f = after, z, slopes[stages].copy()
                if count == len(times):
                    times = np.concatenate((times, np.zeros(count)))
                    states = np.concatenate((states, np.zeros((count, len(y)))))
                    if dense:
                        more_curves = np.zeros((count, stages + 1, len(y)))
                        curves = np.concatenate((curves, more_curves))
                if dense:
                    curves[count - 1] = slopes
                times[count], states[count] = t, y
                count = count + 1
    kept, knots = states[:count].T.copy(), times[:count].copy()
    sol = _between_steps(knots, kept, curves, np.array(pair[3]), side) if dense else None
    return Solution(knots, kept, calls, 0 if good else -1, good, sol)


def _between_steps(knots: Any, states: Any, curves: Any, between: Any, side: Any) -> Any:
    """The function that gives the solution at any time, or at several."""
    powers = 1.0 + np.arange(between.shape[1])

    def at(t: Any) -> Any:
        step = 0
        while step < len(knots) - 2 and side * (t - knots[step + 1]) > 0.0:
            step = step + 1
        h = knots[step + 1] - knots[step]
        part = between @ ((t - knots[step]) / h) ** powers
        return states[:, step] + h * (part @ curves[step])

    def sol(t: Any) -> Any:
        t = np.asarray(t) * 1.0
        if t.ndim == 0:
            return at(t)
        if t.ndim != 1:
            raise ValueError("`t` must be a float or a 1-D array.")
        found = np.zeros((states.shape[0], len(t)))
        for k in range(len(t)):
            found[:, k] = at(t[k])
        return found

    return sol


def _at_times(
    fun: Any, t: Any, end: Any, y: Any, f: Any, more: Any, pair: Any, size: Any, limits: Any,
    calls: Any, times: Any,
) -> Any:  # fmt: skip
    side, stages, count = limits[2], len(pair[1]) - 1, len(times)
    between = np.array(pair[3])
    powers = 1.0 + np.arange(between.shape[1])
    found = np.zeros((len(y), count))
    k, rejected, good = 0, False, True
    while good and side * (end - t) > 0.0:
        size, good = _within(size, t, limits, rejected)
        if good:
            after, h, z, slopes, off = _tried(fun, t, end, y, f, more, pair, size, limits)
            calls = calls + stages
            size = abs(constant(h)) * _longer(off, pair[4], rejected)
            rejected = not off < 1.0
            if not rejected:
                while k < count and side * (times[k] - after) <= 0.0:
                    part = between @ ((times[k] - t) / h) ** powers
                    found[:, k] = y + h * (part @ slopes)
                    k = k + 1
                t, y, f = after, z, slopes[stages].copy()
    return Solution(times[:k].copy(), found[:, :k].copy(), calls, 0 if good else -1, good, None)


def odeint(
    func: Any, y0: Any, t: Any, args: Any = (), rtol: Any = None, atol: Any = None,
    tfirst: Any = False,
) -> Any:  # fmt: skip
    """Steps of the fifth order, which end at each of the times, within a hundredth of the
    tolerances: so what is given is the solution itself to within those."""
    more, times = as_tuple(args), np.asarray(t) * 1.0
    y = np.atleast_1d(np.array(y0) * 1.0)
    if y.ndim != 1 or times.ndim != 1:
        raise ValueError("Initial condition y0 and times t must be one-dimensional.")
    if np.any(np.diff(times) < 0.0) and np.any(np.diff(times) > 0.0):
        raise ValueError("The values in t must be monotonically increasing or decreasing.")

    def fun(t: Any, y: Any) -> Any:
        return np.atleast_1d(func(t, y, *more) if tfirst else func(y, t, *more))

    usual = 1.49012e-8
    relative = max(0.01 * (usual if rtol is None else rtol), 1e-13)
    absolute = 0.01 * (usual if atol is None else atol)
    states = np.zeros((len(times), len(y)))
    states[0], f, size, steps = y, _slope(fun, times[0], y, ()), 0.0, 0
    for k in range(1, len(times)):
        now, end = times[k - 1], times[k]
        side = 1.0 if end >= now else -1.0
        limits, rejected = (relative, absolute, side, np.inf), False
        if size == 0.0 and now != end:
            first = (relative, absolute, side, np.inf, FIFTH[4])
            size = constant(_first(fun, now, end, y, f, (), first) * 1.0)
        while side * (end - now) > 0.0:
            size, good = _within(size, now, limits, rejected)
            steps = steps + 1
            if not good or steps > 200000:
                raise RuntimeError("odeint: steps become too short here: stiff equations are not "
                                   "solved by compiled programs")  # fmt: skip
            after, h, z, slopes, off = _tried(fun, now, end, y, f, (), FIFTH, size, limits)
            rejected = not off < 1.0
            longer = abs(constant(h)) * _longer(off, FIFTH[4], rejected)
            # A step that was cut short at a time says little of the next.
            size = longer if rejected else max(size, longer)
            if not rejected:
                now, y, f = after, z, slopes[len(FIFTH[1]) - 1].copy()
        states[k] = y
    return states
