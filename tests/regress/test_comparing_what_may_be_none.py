"""`is` was false of each function that a name may hold, where it may be None, too; and `==` with a
function or a text raised that None is no number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false


def squared(x):
    return x * x


def half(x):
    return 0.5 * x


def one_of_two(x, a, c):
    way = None
    if c > 0:
        way = half
    if a > 0:
        way = squared
    x = 3.0 * x if way is half else x
    return x if way is squared else 0.7 * x


def equal(x, a, c):
    way = None
    if c > 0:
        way = half
    if a > 0:
        way = squared
    x = 3.0 * x if way == half else x
    return x if way != squared else 0.7 * x


def texts(x, a, c):
    name = None
    if a > 0:
        name = "long"
    if c > 0:
        name = "short"
    x = 3.0 * x if name == "short" else x
    return x if name in ("long", "none") else 0.7 * x


def tuples(x, a, c):
    pair = None
    if a > 0:
        pair = (a, 2 * c)
    return x if pair == (1, 2) else 0.5 * x


@pytest.mark.parametrize("f", [one_of_two, equal, texts, tuples])
def test_values_and_slopes_are_those_of_python(f: Callable[..., Any]) -> None:
    for a, c in ((-1, 0), (1, 0), (-1, 1), (1, 1)):
        value, slope = rg.value_and_grad(f)(1.5, a, c)
        assert value == pytest.approx(f(1.5, a, c), rel=1e-14)
        assert slope == pytest.approx(f(1.5, a, c) / 1.5, rel=1e-14)
