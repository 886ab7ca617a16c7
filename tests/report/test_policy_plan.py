"""`rg.plan(..., policies=...)`: its bytes are those that are counted afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

P = rg.checkpoint_policies
POLICIES = [None, P.nothing_saveable, P.dots_saveable]
W = np.linspace(-0.5, 0.5, 16 * 12 * 12).reshape(16, 12, 12)
X = np.linspace(0.1, 1.0, 12 * 5).reshape(12, 5)
Y = np.linspace(0.0, 1.0, 60)


def chain(w: Any, v: Any, x: Any) -> Any:
    x = np.sin(w @ x)
    x = np.sin(v @ x)
    return np.sum(np.sin(w @ x))


def scan(ws: Any, x: Any) -> Any:
    for w in ws:
        x = np.tanh(w @ x)
    return np.sum(x * x)


def data(x: Any) -> Any:
    while np.sum(x * x) > 1.0:
        x = 0.9 * np.sin(x)
    return np.sum(x)


def branches(x: Any) -> Any:
    total = 0.0
    for k in range(6):
        if x[k] > 0.1:
            x = np.sin(x)
        else:
            x = np.cos(x) * x
        total = total + np.sum(x)
    return total


def deep(x: Any, n: int) -> Any:
    return np.sum(x) if n == 0 else deep(np.sin(x) * x, n - 1)


def written(x: Any) -> Any:
    y = np.zeros(60)
    for k in range(60):
        y[k] = np.sin(x[k]) * k
    y[1:50] += x[3:52]
    return np.sum(y.reshape(10, 6) @ y.reshape(10, 6).T)


def attention(q: Any, k: Any, v: Any) -> Any:
    s = q @ k.T
    e = np.exp(s - np.max(s, axis=1, keepdims=True))
    return np.sum((e / np.sum(e, axis=1, keepdims=True)) @ v)


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "chain": (chain, (W[0], W[1], X)),
    "scan": (scan, (W, X)),
    "data": (data, (Y,)),
    "branches": (branches, (Y,)),
    "deep": (deep, (Y, 4)),
    "written": (written, (Y,)),
    "attention": (attention, (X, X[:7], X[:7])),
}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", CASES)
def test_bytes_are_those_that_are_counted_afterwards(name: str) -> None:
    fun, args = CASES[name]
    policies = POLICIES if name in ("chain", "scan", "data") else [P.nothing_saveable]
    plan = rg.plan(fun, *args, policies=policies)
    for policy, row in zip(policies, plan.rows, strict=True):
        gradient = rg.grad(fun if policy is None else rg.checkpoint(fun, policy=policy))
        gradient(*args)
        stats = gradient.stats()
        assert stats is not None
        assert (row.tape_bytes, row.peak_bytes) == (stats.tape_bytes, stats.peak_bytes)
        assert row.gaps == ()


def test_what_is_done_again() -> None:
    def checked(ws: Any, x: Any) -> Any:
        out = scan(ws, x)
        if out > 1e9:  # else nothing needs the run ahead of the one that is run again
            raise ValueError
        return out

    rows = rg.plan(checked, W, X, policies=POLICIES).rows
    assert [row.name for row in rows[:2]] == ["as written", "nothing_saveable"]
    assert rows[0].slowdown == 1.0
    # Each iteration is run once more, with its product; with the products saved without it.
    assert rows[1].recomputed == pytest.approx(1.0, abs=0.05)
    assert rows[0].recomputed == pytest.approx(0.0, abs=0.06)
    assert rows[1].slowdown is not None
    assert rows[2].slowdown is not None
    assert 1.0 <= rows[2].slowdown < rows[1].slowdown < 2.0


def test_sizes_that_are_data_are_said() -> None:
    assert rg.plan(data, Y, policies=[None]).data
    found = rg.plan(scan, W, X, policies=[None])
    assert not found.data
    assert "no float" in str(found)


def test_what_is_not_counted_is_empty() -> None:
    def solved(a: Any, b: Any) -> Any:
        return np.sum(np.linalg.solve(a, b))

    found = rg.plan(solved, W[0] + np.eye(12), X, policies=[None])
    (row,) = found.rows
    gradient = rg.grad(solved)
    gradient(W[0] + np.eye(12), X)
    stats = gradient.stats()
    assert stats is not None
    assert row.tape_bytes == stats.tape_bytes
    assert row.peak_bytes is None
    assert "the primitive lu" in str(found)


def test_a_budget_is_not_counted() -> None:
    (row,) = rg.plan(chain, W[0], W[1], X, policies=[P.budget("1MB")]).rows
    assert (row.tape_bytes, row.peak_bytes, row.slowdown) == (None, None, None)
    assert "budgets" in row.gaps[0]


def test_of_keywords_and_other_arguments() -> None:
    both = rg.plan(scan, W, x=X, argnums=(0, 1), policies=[None]).rows[0]
    gradient = rg.grad(scan, argnums=(0, 1))
    gradient(W, x=X)
    stats = gradient.stats()
    assert stats is not None
    assert (both.tape_bytes, both.peak_bytes) == (stats.tape_bytes, stats.peak_bytes)


def test_budgets_and_policies_are_two_tables() -> None:
    with pytest.raises(UserError, match="RG4003"):
        rg.plan(chain, W[0], W[1], X, policies=[None], budgets="1MB")  # pyright: ignore
