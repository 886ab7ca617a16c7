"""A name that a cheap second part of `and` assigns was lost: RG0105 where it was read after."""

from __future__ import annotations

import pytest

import retrograd as rg


def in_the_body(x, y):
    if x > 0.0 and (z := x * y) > y:
        return z * 2.0
    return x


def in_a_later_part(x, y):
    if x > 0.0 and (z := x * y) > 0.0 and z > y:
        return z * 2.0
    return x


def after_not(x, y):
    if not (x > 0.0 and (z := x * y) > y):
        return x
    return z


def after_or(x, y):
    if x < 0.0 or (z := x * y) < y:
        return x
    return z + 1.0


@pytest.mark.parametrize("f", [in_the_body, in_a_later_part, after_not, after_or])
def test_it_is_there_where_python_has_it(f):
    compiled = rg.value_and_grad(f, (0, 1))
    for at in ((1.5, 2.0), (-1.0, 2.0), (0.5, 1.0), (1.0, -1.0)):
        value, bars = compiled(*at)
        assert value == f(*at)
        ahead, behind = f(at[0] + 1e-6, at[1] + 1e-6), f(at[0] - 1e-6, at[1] - 1e-6)
        if abs(ahead - behind) < 1e-4:  # on neither side of a jump
            assert sum(bars) == pytest.approx((ahead - behind) / 2e-6, rel=1e-6)
