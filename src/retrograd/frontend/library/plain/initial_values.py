"""Ordinary differential equations from initial values (`scipy.integrate`).

Derivatives are those of the steps that are taken; how long these are is constant, but for the last
one, which ends where the interval or an event does.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain import happenings, radau
from retrograd.frontend.library.plain.axes import as_tuple
from retrograd.frontend.library.plain.explicit_steps import (
    curve,
    first_size,
    longer,
    pair_of,
    slope,
    tried,
    within,
)
from retrograd.frontend.library.plain.outcomes import Solution
from retrograd.frontend.library.plain.tableaus import FIFTH
from retrograd.frontend.library.plain.told import constant

__all__ = ["odeint", "solve_ivp"]

np: Any = numpy

_DONE = "The solver successfully reached the end of the integration interval."
_STOPPED = "A termination event occurred."
_SHORT = "Required step size is less than spacing between numbers."


def solve_ivp(
    fun: Any, t_span: Any, y0: Any, method: Any = "RK45", t_eval: Any = None, args: Any = None,
    rtol: Any = 1e-3, atol: Any = 1e-6, max_step: Any = np.inf, first_step: Any = None,
    dense_output: Any = False, jac: Any = None, events: Any = (), directions: Any = (),
    terminal: Any = (),
) -> Any:  # fmt: skip
    """`events` are functions, `directions` and `terminal` what each is said to have."""
    more = () if args is None else as_tuple(args)
    begin, end = t_span[0] * 1.0, t_span[1] * 1.0
    y = np.array(y0) * 1.0
    if y.ndim != 1:
        raise ValueError("`y0` must be 1-dimensional.")
    if max_step <= 0.0:
        raise ValueError("`max_step` must be positive.")
    part = 0.1 if method == "LSODA" or method == "BDF" else 1.0
    side = 1.0 if end >= begin else -1.0
    limits = (max(part * rtol, 2.220446049250313e-14), part * np.asarray(atol), side, max_step)
    f = slope(fun, begin, y, more)
    stiff = method not in ("RK45", "RK23", "DOP853")
    if first_step is None:
        order = 4.0 if stiff else pair_of(method)[-1]
        size = first_size(fun, begin, end, y, f, more, (*limits, order))
        calls = 2
    else:
        size, calls = first_step, 1
        if size <= 0.0 or size > abs(end - begin):
            raise ValueError("`first_step` must be positive and within bounds.")
    times = None
    if t_eval is not None:
        times = np.asarray(t_eval) * 1.0
        if times.ndim != 1:
            raise ValueError("`t_eval` must be 1-dimensional.")
        low, high = min(begin, end), max(begin, end)
        if np.any(times < low) or np.any(times > high):
            raise ValueError("Values in `t_eval` are not within `t_span`.")
        if np.any(side * np.diff(times) <= 0.0):
            raise ValueError("Values in `t_eval` are not properly sorted.")
    way = (method, stiff, jac, limits, constant(size * 1.0), calls)
    happening = (events, directions, tuple([happenings.most(one) for one in terminal]))
    return _solved(fun, begin, end, y, f, more, way, times, dense_output, happening)


def _solved(
    fun: Any, t: Any, end: Any, y: Any, f: Any, more: Any, way: Any, times: Any, dense: Any,
    happening: Any,
) -> Any:  # fmt: skip
    _, stiff, _, limits, size, calls = way
    side, n, events = limits[2], len(y), happening[0]
    state = radau.begun(size, y) if stiff else (size, False)
    steps = _kept(n, _powers(way[0]), dense, times)
    steps[0][0], steps[1][0] = t, y
    values, log = happenings.values(events, t, y, more), happenings.begun(events, n)
    found = np.zeros((n, 0 if times is None else len(times)))
    k, count, status, counts = 0, 1, 2, (calls, 0, 0)
    while status == 2 and side * (end - t) > 0.0:
        held, good, (after, h, z), slopes, ahead, counts, state = _tried(
            fun, t, end, y, f, more, way, counts, state
        )
        if not good:
            status = -1
        elif held:
            new = happenings.values(events, after, z, more)
            struck = happenings.any_of(happening, values, new)
            wanted = dense or struck or _is_next(times, k, after, side)
            q, counts = _curve(fun, t, y, h, z, slopes, more, way, counts, wanted)
            stop = False
            if struck:
                after, z, stop, log = happenings.noted(
                    happening, (t, y, h, side), q, after, z, (values, new), log, more
                )
            k = _filled(found, k, times, q, (t, y, h), after, side)
            if dense or times is None:
                steps = _noted(steps, count, dense, after, z, h, q)
                count = count + 1
            t, y, f, values = after, z, ahead, new
            if stop:
                status = 1
    status = 0 if status == 2 else status
    knots, states = steps[0][:count].copy(), steps[1][:count].copy()
    sol = _between_steps(knots, states, steps[2], steps[3], side) if dense else None
    at, told = knots, states.T.copy()
    if times is not None:
        at, told = times[:k].copy(), found[:, :k].copy()
    message = _DONE if status == 0 else _STOPPED if status == 1 else _SHORT
    when, where = happenings.told(events, log)
    return Solution(
        at, told, counts[0], status, status >= 0, sol, when, where, message, counts[1], counts[2]
    )


def _tried(
    fun: Any, t: Any, end: Any, y: Any, f: Any, more: Any, way: Any, counts: Any, state: Any
) -> Any:
    """A step: whether it holds, whether there may be another; where it ends, how long it is and the
    solution there; slopes on the way, or the curve; the slope there; counts, and for the next."""
    method, stiff, jac, limits, _, _ = way
    if stiff:
        held, good, after, h, z, q, ahead, new, state = radau.implicit(
            fun, jac, t, end, y, f, more, limits, state
        )
        counts = (counts[0] + new[0], counts[1] + new[1], counts[2] + new[2])
        return held, good, (after, h, z), q, ahead, counts, state
    pair = pair_of(method)
    size, good = within(state[0], t, limits, state[1])
    after, h, z, slopes, off = tried(fun, t, end, y, f, more, pair, size, limits)
    counts = (counts[0] + len(pair[1]) - 1, 0, 0)
    state = (abs(constant(h)) * longer(off, pair[-1], state[1]), not off < 1.0)
    return off < 1.0, good, (after, h, z), slopes, slopes[len(pair[1]) - 1].copy(), counts, state


def _curve(
    fun: Any, t: Any, y: Any, h: Any, z: Any, slopes: Any, more: Any, way: Any, counts: Any,
    wanted: Any,
) -> Any:  # fmt: skip
    """The solution in a step, in powers of the part of it, if it is wanted."""
    if way[1]:
        return slopes, counts
    pair, q = pair_of(way[0]), np.zeros((_powers(way[0]), len(y)))
    if wanted:
        q = curve(fun, t, y, h, z, slopes, more, pair)
        counts = (counts[0] + (3 if len(pair) > 5 else 0), 0, 0)
    return q, counts


def _is_next(times: Any, k: Any, after: Any, side: Any) -> Any:
    if times is None:
        return False
    return k < len(times) and side * (times[k] - after) <= 0.0


def _filled(found: Any, k: Any, times: Any, q: Any, at: Any, after: Any, side: Any) -> Any:
    """Fills in the solution at the times in a step; which of them is the next."""
    if times is not None:
        t, y, h = at
        while k < len(times) and side * (times[k] - after) <= 0.0:
            found[:, k] = happenings.on_curve(q, y, (times[k] - t) / h)
            k = k + 1
    return k


def _noted(steps: Any, count: Any, dense: Any, after: Any, z: Any, h: Any, q: Any) -> Any:
    """The steps with one more, in twice as much room where there is none left."""
    knots, states, lengths, curves = steps
    if count == len(knots):
        knots = np.concatenate((knots, np.zeros(count)))
        states = np.concatenate((states, np.zeros(states.shape)))
        if dense:
            lengths = np.concatenate((lengths, np.zeros(count)))
            curves = np.concatenate((curves, np.zeros(curves.shape)))
    knots[count], states[count] = after, z
    if dense:
        lengths[count - 1], curves[count - 1] = h, q
    return knots, states, lengths, curves


def _powers(method: Any) -> Any:
    """The degree of the curves."""
    return 7 if method == "DOP853" else 4 if method == "RK45" else 3


def _kept(n: Any, powers: Any, dense: Any, times: Any) -> Any:
    """Room for the ends of steps and the solution there, for lengths of steps and their curves."""
    room = 16 if dense or times is None else 1
    more = 16 if dense else 0
    return np.zeros(room), np.zeros((room, n)), np.zeros(more), np.zeros((more, powers, n))


def _between_steps(knots: Any, states: Any, lengths: Any, curves: Any, side: Any) -> Any:
    """The function that gives the solution at any time, or at several."""

    def at(t: Any) -> Any:
        step = 0
        while step < len(knots) - 2 and side * (t - knots[step + 1]) > 0.0:
            step = step + 1
        return happenings.on_curve(curves[step], states[step], (t - knots[step]) / lengths[step])

    def sol(t: Any) -> Any:
        t = np.asarray(t) * 1.0
        if t.ndim == 0:
            return at(t)
        if t.ndim != 1:
            raise ValueError("`t` must be a float or a 1-D array.")
        found = np.zeros((states.shape[1], len(t)))
        for k in range(len(t)):
            found[:, k] = at(t[k])
        return found

    return sol


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
    states[0], f, size, steps = y, slope(fun, times[0], y, ()), 0.0, 0
    for k in range(1, len(times)):
        now, end = times[k - 1], times[k]
        side = 1.0 if end >= now else -1.0
        limits, rejected = (relative, absolute, side, np.inf), False
        if size == 0.0 and now != end:
            first = (relative, absolute, side, np.inf, FIFTH[4])
            size = constant(first_size(fun, now, end, y, f, (), first) * 1.0)
        while side * (end - now) > 0.0:
            size, good = within(size, now, limits, rejected)
            steps = steps + 1
            if not good or steps > 200000:
                raise RuntimeError("odeint: steps become too short here: stiff equations are not "
                                   "solved by compiled programs")  # fmt: skip
            after, h, z, slopes, off = tried(fun, now, end, y, f, (), FIFTH, size, limits)
            rejected = not off < 1.0
            length = abs(constant(h)) * longer(off, FIFTH[4], rejected)
            # A step that was cut short at a time says little of the next.
            size = length if rejected else max(size, length)
            if not rejected:
                now, y, f = after, z, slopes[len(FIFTH[1]) - 1].copy()
        states[k] = y
    return states
