"""Dicts whose keys, which the text has, come in a loop: what is there together, and results."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree


def history(x, n):
    h = defaultdict(list)
    for i in range(n):
        x = x * 0.9
        h["loss"].append(x * x)
        h["g"].append(2.0 * x)
        h["t"].append(x * i)
    return h


def used(x, n):
    h = history(x, n)
    return sum(h["loss"]) * len(h) + sum(h["g"]) * (h["t"][-1] if h["t"] else 1.0)


def set_by_default(x, n):
    h = {}
    for i in range(n):
        h.setdefault("a", []).append(x * i)
        h.setdefault("b", []).append(x)
    return sum(h.get("a", [x])) * sum(h.get("b", [x]))


def assigned(x, n):
    h = {}
    for i in range(n):
        h["b"] = x * i
        h["a"] = h["b"] + h.get("c", 1.0)
        h["c"] = h["a"] * x
    total = 0.5 * x
    for k in ("a", "b", "c"):
        total = total * 2.0 + h.get(k, x)
    return total


def put_again(x, n):
    """`b` keeps its place, or comes last: with `a` it is there before, without it is the first."""
    h = {}
    if n > 2:
        h["a"] = x
        h["b"] = 2.0 * x
    h["b"] = 3.0 * x
    total = 0.0
    for v in h.values():
        total = total * x + v
    return total


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", [used, set_by_default, assigned, put_again])
def test_derivatives(f):
    slope, less = rg.grad(f), rg.grad(f, memory="100kB")
    for n in (0, 1, 4):
        agree(f, 0.7, n)
        bar = slope(0.7, n)
        assert bar == pytest.approx((f(0.7 + 1e-6, n) - f(0.7 - 1e-6, n)) / 2e-6, rel=1e-6)
        assert less(0.7, n) == bar == pytest.approx(rg.jvp(f, (0.7, n), (1.0, 0))[1], rel=1e-13)


def as_dict(x, n):
    return dict(history(x, n)), len(history(x, n))


def as_arrays(x, n):
    return {k: np.array(v) for k, v in history(x, n).items() if k != "g"}


def of_some_paths(x, n):
    d = {"a": x}
    if n > 2:
        d["b"] = [x] * n
        d["c"] = x * x
    return d, {**d, "e": 1.0}, {k: 2.0 * v for k, v in d.items() if k != "b"}


def of_collections(x, n):
    ordered, counts, sums = OrderedDict(), Counter(), defaultdict(float)
    ordered["b"] = x
    ordered["a"] = 2.0 * x
    counts["u"] += n
    sums["z"] += x
    return ordered, counts, sums


def alike(made, expected):
    """Whether both are the same, keys in the same order and of the same classes."""
    assert type(made) is type(expected)
    if isinstance(expected, dict):
        assert list(made) == list(expected)
        return all(alike(made[key], expected[key]) for key in expected)
    if isinstance(expected, tuple | list):
        return len(made) == len(expected) and all(map(alike, made, expected))
    assert made == pytest.approx(expected, rel=1e-14)
    return True


@pytest.mark.parametrize("f", [history, as_dict, as_arrays, of_some_paths, of_collections])
def test_results(f):
    for n in (0, 1, 4):
        assert alike(rg.jit(f)(0.7, n), f(0.7, n))
    if f is history:
        assert rg.jit(f)(0.7, 1)["new"] == []


def order_by_run(x, n):
    h = {}
    for i in range(n):
        if i == 1:
            h["b"] = x
        h["a"] = x * i
    return h


def own_default(x):
    d = defaultdict(lambda: 1.0)
    d["a"] += x
    return d


def test_bad():
    with pytest.raises(UserError, match="RG0103"):
        rg.jit(order_by_run)(0.7, 3)
    with pytest.raises(UserError, match="RG0103.*defaultdict"):
        rg.jit(own_default)(0.7)
