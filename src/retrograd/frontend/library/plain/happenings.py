"""Events of `scipy.integrate.solve_ivp`: where a function of time and solution is zero."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.roots import by_brent, with_slopes_of
from retrograd.frontend.library.plain.told import constant, gradient_of

__all__ = ["any_of", "begun", "most", "noted", "on_curve", "told", "values"]

np: Any = numpy


def on_curve(q: Any, y: Any, x: Any) -> Any:
    """The solution at a part of a step."""
    return y + x ** (1.0 + np.arange(q.shape[0])) @ q


def begun(events: Any, n: Any) -> Any:
    """How many events of each kind there have been, when, and where the solution was."""
    count = len(events)
    return np.zeros(count, dtype=int), np.zeros((count, 16)), np.zeros((count, 16, n))


def values(events: Any, t: Any, y: Any, more: Any) -> Any:
    found = np.zeros(len(events))
    for k, event in enumerate(events):
        found[k] = np.sum(np.asarray(event(t, y, *more)) * 1.0)
    return found


def most(terminal: Any) -> Any:
    """The number of events that is the last."""
    count = terminal * 1.0
    if count < 0.0 or count != np.floor(count):
        raise ValueError("The `terminal` attribute of each event must be a boolean or positive "
                         "integer.")  # fmt: skip
    return np.inf if count == 0.0 else count


def _crossed(before: Any, after: Any, direction: Any) -> Any:
    up, down = before <= 0.0 and after >= 0.0, before >= 0.0 and after <= 0.0
    return (up and direction >= 0.0) or (down and direction <= 0.0)


def any_of(happening: Any, before: Any, after: Any) -> Any:
    """Whether there is an event in a step."""
    events, directions, _ = happening
    found = False
    for k, _event in enumerate(events):
        found = found or _crossed(constant(before[k]), constant(after[k]), directions[k])
    return found


def _root(event: Any, at: Any, q: Any, after: Any, both: Any, more: Any) -> Any:
    t, y, h, _ = at

    def value(s: Any) -> Any:
        return np.sum(np.asarray(event(s, on_curve(q, y, (s - t) / h), *more)) * 1.0)

    low, high = constant(t), constant(after)
    first, last = constant(both[0]), constant(both[1])
    if first == 0.0 or last == 0.0:
        x = low if first == 0.0 else high
    else:
        eps = 8.881784197001252e-16
        x, _, _, _ = by_brent(value, (), low, high, first, last, (eps, eps, 100))
    moved = constant(x)
    slope = constant(gradient_of(value)(moved))
    for _ in range(2):
        moved = moved - value(moved) / slope
    return with_slopes_of(constant(x), moved)


def noted(
    happening: Any, at: Any, q: Any, after: Any, z: Any, both: Any, log: Any, more: Any
) -> Any:
    """The end of a step and the solution there, whether that is an end for good, and the log."""
    events, directions, most = happening
    before, ahead = both
    t, y, h, side = at
    counts, when, where = log
    times, hit = np.zeros(len(events)), np.zeros(len(events), dtype=int)
    stop, end = False, after
    for k, event in enumerate(events):
        if _crossed(constant(before[k]), constant(ahead[k]), directions[k]):
            time = _root(event, at, q, after, (before[k], ahead[k]), more)
            times[k], hit[k] = time, 1
            if counts[k] + 1 >= most[k] and (not stop or side * (time - end) < 0.0):
                stop, end = True, time
    for k in range(len(events)):
        if hit[k] == 1 and (not stop or side * (times[k] - end) <= 0.0):
            if counts[k] == when.shape[1]:
                when = np.concatenate((when, np.zeros(when.shape)), axis=1)
                where = np.concatenate((where, np.zeros(where.shape)), axis=1)
            when[k, counts[k]] = times[k]
            where[k, counts[k]] = on_curve(q, y, (times[k] - t) / h)
            counts[k] = counts[k] + 1
    return end, on_curve(q, y, (end - t) / h) if stop else z, stop, (counts, when, where)


def told(events: Any, log: Any) -> Any:
    """When there were events, and the solution then, for each kind; None where no kind is given."""
    if len(events) == 0:
        return None, None
    counts, when, where = log
    return (
        [when[k, : counts[k]].copy() for k, _event in enumerate(events)],
        [where[k, : counts[k]].copy() for k, _event in enumerate(events)],
    )
