"""Iterations that find roots of systems and minima; `systems` has their sources, and derivatives.

Every function and slope that they are given is taken for a constant.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.told import constant

__all__ = ["descended", "fitted", "solved"]

np: Any = numpy

_MOST = 2000


def _length(x: Any) -> Any:
    return np.sqrt(np.sum(x * x))


def _dogleg(slopes: Any, rest: Any, scale: Any, most: Any) -> Any:
    """The step within a scaled distance: Gauss and Newton's, the steepest, or between them."""
    whole = np.linalg.lstsq(slopes, -rest, rcond=None)[0]
    size = _length(scale * whole)
    if size <= most:
        return whole
    down = -(slopes.T @ rest) / scale
    steep = _length(down)
    if steep == 0.0:
        return whole * (most / size)
    unit = down / steep / scale
    bend = _length(slopes @ unit)
    short = steep / (bend * bend) if bend > 0.0 else most
    if short >= most:
        return unit * most
    first = unit * short
    ahead = whole - first
    a, b = np.sum((scale * ahead) ** 2), np.sum(scale * scale * first * ahead)
    c = most * most - short * short
    return first + ahead * (c / (b + np.sqrt(b * b + a * c)))


def solved(column: Any, jacobian: Any, x: Any) -> Any:
    """Powell's hybrid method: where it ends, and whether that is a root."""
    rest, slopes = constant(column(x)), constant(jacobian(x))
    scale = np.sqrt(np.sum(slopes * slopes, axis=0))
    scale = np.where(scale == 0.0, 1.0, scale)
    size = _length(rest)
    most = 100.0 * _length(scale * x)
    most = 100.0 if most == 0.0 else most
    good, calls, successes = size == 0.0, 1, 0
    while not good and calls < 100 * (len(x) + 1) and most > 0.0:
        step = _dogleg(slopes, rest, scale, most)
        length = _length(scale * step)
        most = min(most, length) if calls == 1 else most
        after = constant(column(x + step))
        calls = calls + 1
        now, told = _length(after), _length(rest + slopes @ step)
        gained = 1.0 - (now / size) ** 2 if now < size else -1.0
        expected = 1.0 - (told / size) ** 2 if told < size else 0.0
        ratio = gained / expected if expected > 0.0 else 0.0
        if ratio < 0.1:
            successes, most = 0, 0.5 * most
        else:
            successes = successes + 1
            if ratio >= 0.5 or successes > 1:
                most = max(most, 2.0 * length)
            if abs(ratio - 1.0) <= 0.1:
                most = 2.0 * length
        if ratio >= 1e-4:
            x, rest, size = x + step, after, now
            slopes = constant(jacobian(x))
            scale = np.maximum(scale, np.sqrt(np.sum(slopes * slopes, axis=0)))
        near = 1e-10 * _length(scale * x)
        good = size == 0.0 or most <= near or (ratio >= 0.1 and length <= near)
    # Where the slopes vanish, steps are short without a root.
    return x, good and size <= 1e-7 * _length(np.abs(slopes) @ (np.abs(x) + 1.0))


def _held(x: Any, down: Any, low: Any, high: Any) -> Any:
    """Which numbers are free to go where `down` is the slope."""
    at_low, at_high = np.logical_and(x <= low, down > 0.0), np.logical_and(x >= high, down < 0.0)
    return np.where(np.logical_or(at_low, at_high), 0.0, 1.0)


def _reach(x: Any, way: Any, low: Any, high: Any) -> Any:
    """How many times a step may be taken up to the first bound."""
    room = np.where(way > 0.0, high - x, x - low)
    times = np.where(way == 0.0, np.inf, room / np.abs(np.where(way == 0.0, 1.0, way)))
    return np.min(times)


def fitted(column: Any, jacobian: Any, x: Any, low: Any, high: Any) -> Any:
    """The least sum of squares between bounds, by Levenberg and Marquardt's steps."""
    rest, slopes = constant(column(x)), constant(jacobian(x))
    cost, weight, growth = np.sum(rest * rest), 1e-3, 2.0
    scale = np.maximum(np.sum(slopes * slopes, axis=0), 1e-300)
    calls, good = 0, False
    while not good and calls < _MOST:
        down = slopes.T @ rest
        free = _held(x, down, low, high)
        system = (slopes.T @ slopes) * free[:, None] * free[None, :]
        system = system + np.diag(weight * scale + (1.0 - free))
        step = -np.linalg.solve(system, down * free)
        reach = _reach(x, step, low, high)
        step = step * min(reach, 1.0)
        other = np.clip(x + step, low, high)
        after = constant(column(other))
        now = np.sum(after * after)
        calls = calls + 1
        expected = -2.0 * np.sum(step * down) - np.sum((slopes @ step) ** 2)
        size = _length(step)
        small = size <= 1e-15 * (1e-3 + _length(x)) or not expected > 1e-16 * cost
        good = small and reach > 0.0
        if now < cost and np.isfinite(now):
            ratio = (cost - now) / expected if expected > 0.0 else 1.0
            x, rest, cost, slopes = other, after, now, constant(jacobian(other))
            scale = np.maximum(scale, np.sum(slopes * slopes, axis=0))
            weight = weight * max(1.0 / 3.0, 1.0 - (2.0 * min(ratio, 1.0) - 1.0) ** 3)
            growth = 2.0
        elif not good:
            weight, growth = weight * growth, 2.0 * growth
            good = weight > 1e16
    return x, good


def _along(value: Any, slope: Any, x: Any, fx: Any, way: Any, rise: Any, ends: Any) -> Any:
    """A step that is neither too long nor too short (Wolfe's conditions in their weak form). `ends`
    are the first length to try and the longest."""
    size, reach = ends
    low, high, tries, going = 0.0, np.inf, 0, True
    while going and tries < 60:
        tries = tries + 1
        now = constant(value(x + size * way))
        if not now <= fx + 1e-4 * size * rise:
            high = size
        elif size < reach and np.sum(constant(slope(x + size * way)) * way) < 0.9 * rise:
            low = size
        else:
            going = False
        if going:
            size = 0.5 * (low + high) if np.isfinite(high) else min(2.0 * low, reach)
    return low if going else size


def descended(value: Any, slope: Any, x: Any, low: Any, high: Any) -> Any:
    """The least value between bounds, by the method of Broyden, Fletcher, Goldfarb and Shanno."""
    n = len(x)
    x = np.clip(x, low, high)
    fx, down, inverse = constant(value(x)), constant(slope(x)), np.eye(n)
    calls, good, begin, fresh = 0, False, True, True
    while not good and calls < _MOST:
        calls = calls + 1
        free = _held(x, down, low, high)
        pull = down * free
        way = -(inverse @ pull) * free
        rise = np.sum(way * pull)
        if not rise < 0.0:
            inverse, way, fresh = np.eye(n), -pull, True
            rise = np.sum(way * pull)
        if rise == 0.0:
            good = True
        else:
            # No further than to the first bound.
            reach = _reach(x, way, low, high)
            first = min(1.0, 1.0 / _length(pull)) if begin else 1.0
            size = _along(value, slope, x, fx, way, rise, (min(first, reach), reach))
            other, slack = x + size * way, 4.5e-16 * np.abs(x)
            # What is as good as at a bound is there: else no step would be short enough.
            other = np.where(
                other <= low + slack, low, np.where(other >= high - slack, high, other)
            )
            now, after = constant(value(other)), constant(slope(other))
            move, turn = other - x, after - down
            bend = np.sum(move * turn)
            stuck = not now < fx
            if not stuck:
                if bend > 1e-300:
                    if fresh:
                        inverse = np.eye(n) * (bend / np.sum(turn * turn))
                    part = np.eye(n) - move[:, None] * turn[None, :] / bend
                    inverse = part @ inverse @ part.T + move[:, None] * move[None, :] / bend
                    fresh = False
                x, fx, down = other, now, after
            steep = np.max(np.abs(down * _held(x, down, low, high)))
            good = (stuck and (fresh or steep < 1e-5)) or steep <= 1e-12
            if stuck and not good:
                inverse, fresh = np.eye(n), True
            begin = False
    steep = np.max(np.abs(down * _held(x, down, low, high)))
    return x, good and steep < 1e-4
