"""Steps of the implicit Runge-Kutta method of Radau of order five, for stiff equations.

E. Hairer, G. Wanner, Solving ordinary differential equations II, section IV.8. The equations of a
step are solved for numbers that derivatives take for constants; two steps by the constant inverse
of their whole Jacobian follow, which have the first and second derivatives of the solution.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.explicit_steps import size_of, slope
from retrograd.frontend.library.plain.roots import with_slopes_of
from retrograd.frontend.library.plain.told import constant, jacobian_of

__all__ = ["begun", "implicit"]

np: Any = numpy

_ROOT = 2.449489742783178
_PLACES = ((4.0 - _ROOT) / 10.0, (4.0 + _ROOT) / 10.0, 1.0)
_WEIGHTS = (
    ((88.0 - 7.0 * _ROOT) / 360.0, (296.0 - 169.0 * _ROOT) / 1800.0, (3.0 * _ROOT - 2.0) / 225.0),
    ((296.0 + 169.0 * _ROOT) / 1800.0, (88.0 + 7.0 * _ROOT) / 360.0, (-2.0 - 3.0 * _ROOT) / 225.0),
    ((16.0 - _ROOT) / 36.0, (16.0 + _ROOT) / 36.0, 1.0 / 9.0),
)
_ERRORS = ((-13.0 - 7.0 * _ROOT) / 3.0, (-13.0 + 7.0 * _ROOT) / 3.0, -1.0 / 3.0)
_BETWEEN = (
    (13.0 / 3.0 + 7.0 * _ROOT / 3.0, -23.0 / 3.0 - 22.0 * _ROOT / 3.0, 10.0 / 3.0 + 5.0 * _ROOT),
    (13.0 / 3.0 - 7.0 * _ROOT / 3.0, -23.0 / 3.0 + 22.0 * _ROOT / 3.0, 10.0 / 3.0 - 5.0 * _ROOT),
    (1.0 / 3.0, -8.0 / 3.0, 10.0 / 3.0),
)
_ONE = 3.637834252744496
_TWO = (2.681082873627752, 3.0504301992474105)
"""The real eigenvalue of the inverse of the weights, and the others: a - b j and a + b j."""
_FROM = (
    (0.09443876248897524, -0.14125529502095421, 0.03002919410514742),
    (0.25021312296533332, 0.20412935229379994, -0.38294211275726192),
    (1.0, 1.0, 0.0),
)
_INTO = (
    (4.17871859155190428, 0.32768282076106237, 0.52337644549944951),
    (-4.17871859155190428, -0.32768282076106237, 0.47662355450055044),
    (0.50287263494578682, -2.57192694985560522, 0.59603920482822492),
)
"""From the basis in which the inverse of the weights has these in blocks, and into it."""
_MOST = 6


def begun(size: Any, y: Any) -> Any:
    """What the first step knows of those before: how long it should be, how long the step was when
    it was begun; length and error of the one before (-1: none); a Jacobian and two inverses;
    whether these are known, that is of this place, it is wanted, the step is tried once more, it
    was too long; the curve of the step before, where that began and how long it was."""
    n = len(y)
    inverses = (np.zeros((n, n)), np.zeros((n, n)), np.zeros((2 * n, 2 * n)))
    last = (np.zeros((3, n)), np.zeros(n), 0.0, 0.0)
    return (size, size, -1.0, -1.0), inverses, (False, False, True, False, False), last


def _inverses(jacobian: Any, h: Any) -> Any:
    n = len(jacobian)
    eye = np.eye(n)
    a, b = _TWO[0] / h * eye - jacobian, -_TWO[1] / h * eye
    both = np.concatenate((np.concatenate((a, -b), axis=1), np.concatenate((b, a), axis=1)))
    return np.linalg.inv(_ONE / h * eye - jacobian), np.linalg.inv(both)


def _stages(fun: Any, t: Any, h: Any, y: Any, z: Any, more: Any) -> Any:
    places, found = np.array(_PLACES), np.zeros((3, len(y)))
    for s in range(len(places)):
        found[s] = slope(fun, t + places[s] * h, y + z[s], more)
    return found


def _solved(fun: Any, t: Any, h: Any, y: Any, z: Any, more: Any, inverses: Any, aims: Any) -> Any:
    """The offsets of the stages, by Newton's method with a Jacobian that is not quite theirs."""
    scale, tol = aims
    into, outof = np.array(_INTO), np.array(_FROM)
    _, one, two = inverses
    n = len(y)
    w = into @ z
    k, going, converged, before, rate = 0, True, False, 0.0, 0.0
    while going and k < _MOST:
        slopes = constant(_stages(fun, t, h, y, z, more))
        if np.all(np.isfinite(slopes)):
            turned = into @ slopes
            first = one @ (turned[0] - _ONE / h * w[0])
            real = turned[1] - (_TWO[0] * w[1] + _TWO[1] * w[2]) / h
            imag = turned[2] - (_TWO[0] * w[2] - _TWO[1] * w[1]) / h
            second = two @ np.concatenate((real, imag))
            step = np.stack((first, second[:n], second[n:]))
            size = size_of(np.ravel(step / scale))
            rate = size / before if k > 0 else 0.0
            if k > 0 and (rate >= 1.0 or rate ** (_MOST - k) / (1.0 - rate) * size > tol):
                going = False
            else:
                w = w + step
                z = outof @ w
                if size == 0.0 or (k > 0 and rate / (1.0 - rate) * size < tol):
                    going, converged = False, True
            before = size
        else:
            going = False
        k = k + 1
    return converged, k, z, rate


def _factor(size: Any, size_before: Any, off: Any, off_before: Any) -> Any:
    if off == 0.0:
        return np.inf
    if off_before < 0.0 or size_before < 0.0:
        return off**-0.25
    return min(1.0, size / size_before * (off_before / off) ** 0.25) * off**-0.25


def _with_slopes(fun: Any, t: Any, h: Any, y: Any, z: Any, more: Any) -> Any:
    """The offsets of the stages, with their derivatives."""
    n = len(y)
    weights, places, whole = np.array(_WEIGHTS), np.array(_PLACES), np.eye(3 * n)
    for s in range(len(places)):

        def column(v: Any, s: Any = s) -> Any:
            return slope(fun, t + places[s] * h, v, more)

        slopes = constant(jacobian_of(column)(constant(y) + z[s])) * constant(h)
        for r in range(len(places)):
            block = whole[n * r : n * r + n, n * s : n * s + n]
            whole[n * r : n * r + n, n * s : n * s + n] = block - weights[r, s] * slopes
    inverse, moved = constant(np.linalg.inv(whole)), constant(z)
    for _ in range(2):
        off = moved - h * (weights @ _stages(fun, t, h, y, moved, more))
        moved = moved - np.reshape(inverse @ np.ravel(off), (3, n))
    return with_slopes_of(constant(z), moved)


def _jacobian(fun: Any, jac: Any, t: Any, y: Any, more: Any) -> Any:
    def column(v: Any) -> Any:
        return slope(fun, t, v, more)

    if jac is None:
        return jacobian_of(column)(y)
    found = np.array(jac(t, y, *more) if callable(jac) else jac) * 1.0
    if found.shape[0] != len(y) or found.shape[1] != len(y):
        raise ValueError("`jac` has another shape than it should have")
    return found


def _guess(last: Any, t: Any, h: Any) -> Any:
    """The solution at the stages, by the curve of the step before."""
    q, y, begin, length = last
    found = np.zeros((3, len(y)))
    for s in range(len(_PLACES)):
        x = (t + h * np.array(_PLACES)[s] - begin) / length
        found[s] = y + np.array([x, x * x, x * x * x]) @ q
    return found


def _offsets(fun: Any, jac: Any, at: Any, z: Any, more: Any, limits: Any, known: Any) -> Any:
    """The offsets of the stages as numbers, with a Jacobian of this place if need be."""
    t, y, h = at
    rtol, atol, _, _ = limits
    inverses, (have, current, wanted) = known
    eps = 2.220446049250313e-16
    aims = (atol + np.abs(y) * rtol, max(10.0 * eps / rtol, min(0.03, rtol**0.5)))
    converged, stuck, found = False, False, z
    count, rate, counts = 0, 0.0, (0, 0, 0)
    while not converged and not stuck:
        calls, made, factored = counts
        if wanted:
            inverses = (constant(_jacobian(fun, jac, t, y, more)), inverses[1], inverses[2])
            have, current, wanted, made = False, True, False, made + 1
        if not have:
            one, two = _inverses(inverses[0], h)
            inverses = (inverses[0], constant(one), constant(two))
            have, factored = True, factored + 2
        converged, count, found, rate = _solved(fun, t, h, y, z, more, inverses, aims)
        counts = (calls + 3 * count, made, factored)
        if not converged:
            stuck = current
            wanted = not current
    return converged, found, count, rate, counts, (inverses, (have, current, wanted))


def implicit(
    fun: Any, jac: Any, t: Any, end: Any, y: Any, f: Any, more: Any, limits: Any, state: Any
) -> Any:  # fmt: skip
    """A step that is tried: whether it holds, whether there may be another; where it ends, how long
    it is, the solution there, its curve and its slope; counts, and what the next one knows.
    """
    (size, whole, size_before, off_before), inverses, marks, last = state
    have, current, wanted, again, rejected = marks
    now, here = constant(t), constant(y)
    least = 10.0 * 2.220446049250313e-16 * max(abs(now), 2.3e-308)
    if not again:
        whole = size
        if size > limits[3] or size < least:
            size, size_before, off_before = max(min(size, limits[3]), least), -1.0, -1.0
    good = size >= least
    after = t + constant(size) * limits[2]
    if limits[2] * (after - end) > 0.0:
        after = end
    step = after - t
    h = constant(step)
    size = abs(h)
    z = np.zeros((3, len(y)))
    if last[3] != 0.0:
        z = _guess(last, now, h) - here
    known = (inverses, (have, current, wanted))
    at = (now, here, h)
    converged, z, count, rate, counts, known = _offsets(fun, jac, at, z, more, limits, known)
    inverses, (have, current, wanted) = known
    held, q, new, f_new = False, np.zeros((3, len(y))), y, f
    if not converged:
        size, have, again = 0.5 * size, False, True
    else:
        off, extra = _error(fun, at, f, z, more, limits, inverses[1], rejected)
        counts = (counts[0] + extra, counts[1], counts[2])
        factor = 0.9 * 13.0 / (12.0 + count) * _factor(size, size_before, off, off_before)
        if off > 1.0:
            size, have, again, rejected = size * max(0.2, factor), False, True, True
        else:
            held, again, rejected = True, False, False
            moved = _with_slopes(fun, t, step, y, z, more)
            new, q = y + moved[2], np.array(_BETWEEN).T @ moved
            f_new = constant(slope(fun, constant(after), constant(new), more))
            last = (constant(q), here, now, h)
            factor = min(10.0, factor)
            renewed = (jac is None or callable(jac)) and count > 2 and rate > 1e-3
            if renewed or factor >= 1.2:
                have = False
            else:
                factor = 1.0
            if jac is None or callable(jac):
                wanted, current = renewed, False
            size_before, off_before, size = whole, off, size * factor
            counts = (counts[0] + 1, counts[1], counts[2])
    lengths = (size, whole, size_before, off_before)
    state = (lengths, inverses, (have, current, wanted, again, rejected), last)
    return held, good, after, step, new, q, f_new, counts, state


def _error(
    fun: Any, at: Any, f: Any, z: Any, more: Any, limits: Any, inverse: Any, rejected: Any
) -> Any:
    """How large the error is, by a formula of order three, and how many slopes that took."""
    t, y, h = at
    rtol, atol, _, _ = limits
    part = np.array(_ERRORS) @ z / h
    off = inverse @ (constant(f) + part)
    scale = atol + np.maximum(np.abs(y), np.abs(y + z[2])) * rtol
    size, calls = size_of(off / scale), 0
    if rejected and size > 1.0:
        off = inverse @ (constant(slope(fun, t, y + off, more)) + part)
        size, calls = size_of(off / scale), 1
    return constant(size * 1.0), calls
