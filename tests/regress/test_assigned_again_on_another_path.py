"""What was assigned on some paths, and assigned the same function or text again on others, was
taken for what had been there before: None, a missing key, or a name without a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false


def squared(x):
    return x * x


def optional(x, c, d):
    best = None
    if c > 0:
        best = squared
    if d > 0:
        best = squared
    return 0.0 * x if best is None else best(x)


def unassigned(x, c, d):
    if c > 0:
        way = squared
    if d > 0:
        way = squared
    return way(x) * 3.0


def key(x, c, d):
    ways = {}
    if c > 0:
        ways["a"] = squared
    if d > 0:
        ways["a"] = squared
    return ways.get("a", lambda y: 5.0 * y)(x) + ("a" in ways) * x


def in_a_function(x, c, d):
    name = None

    def put():
        nonlocal name
        name = "short"

    if c > 0:
        name = "short"
    if d > 0:
        put()
    return x if name == "short" else 0.5 * x


def in_a_loop(x, c, d):
    name = None
    if c > 0:
        name = "short"
    for k in range(2):
        if d > k:
            name = "short"
    return 0.25 * x if name is None else x


def after_a_check(x, c, d):
    """Read on one path, where that it is there is known from then on."""
    if c > 0:
        way = squared
    if d > 0 and c > 0:
        x = x + way(x)
        way = squared
    return way(x) if c > 0 else x


PROGRAMS = [optional, unassigned, key, in_a_function, in_a_loop, after_a_check]


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_slopes_are_those_of_python(f: Callable[..., Any]) -> None:
    for c, d in ((1, -1), (-1, 1), (1, 1)):
        value, slope = rg.value_and_grad(f)(1.5, c, d)
        assert value == pytest.approx(f(1.5, c, d), rel=1e-14)
        near = (f(1.5 + 1e-6, c, d) - f(1.5 - 1e-6, c, d)) / 2e-6
        assert slope == pytest.approx(near, rel=1e-7)
