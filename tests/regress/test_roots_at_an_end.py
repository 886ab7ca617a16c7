"""A root that lies exactly at an end of its bracket, where two products are the same number."""

from __future__ import annotations

import random
from typing import Any

import pytest
from scipy.optimize import bisect, brentq

import retrograd as rg


def risen(x: Any, p: Any) -> Any:
    return x * p


def at_ends(p: Any, q: Any) -> Any:
    y = risen(q, p)

    def above(x: Any) -> Any:
        if x > 9.0:
            return -x * p
        return y - risen(x, p)

    found = brentq(lambda x: risen(x, p) - y, q, 9.0)
    return found + brentq(above, 0.1 * q, q) + bisect(above, q, 9.0)


def at_one_end(p: Any, q: Any) -> Any:
    y = q * p
    return brentq(lambda x: x * p - y, q, 9.0)


def last_seen(p: Any, q: Any) -> Any:
    seen = [0.0]

    def off(x: Any) -> Any:
        seen[0] = risen(x, p) - q
        return seen[0]

    return brentq(off, 0.0, 9.0) + seen[0]


def test_zero_at_an_end_is_zero() -> None:
    draw = random.Random(18)
    both, alone = rg.value_and_grad(at_ends, 1), rg.jit(at_one_end)
    for _ in range(20):
        p, q = draw.uniform(0.3, 2.0), draw.uniform(0.3, 2.0)
        assert at_ends(p, q) == 3.0 * q
        assert alone(p, q) == q
        value, slope = both(p, q)
        assert value == pytest.approx(3.0 * q, rel=1e-14)
        assert slope == pytest.approx(3.0, rel=1e-12)


def test_what_the_function_has_stored_follows_the_root() -> None:
    assert rg.grad(last_seen, 1)(1.3, 0.7) == pytest.approx(1.0 / 1.3, rel=1e-12)
