"""What checkpointed functions leave on the tape, by policy; their gradients have the same bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

policies = rg.checkpoint_policies
Layer = Callable[[Any, Any], Any]
Wrap = Callable[[Layer], Layer]

SIDE, WIDTH = 32, 16
ONE = 8 * SIDE * WIDTH
EXTENTS = 1000
"""Bytes that extents and headers may take."""


def chain(wrap: Wrap) -> Callable[..., Any]:
    layer = wrap(lambda w, x: np.sin(w @ x))

    def loss(a: Any, b: Any, c: Any, x: Any) -> Any:
        return np.sum(layer(c, layer(b, layer(a, x))))

    return loss


def scan(wrap: Wrap) -> Callable[..., Any]:
    layer = wrap(lambda w, x: np.tanh(x @ w))

    def loss(ws: Any, x: Any) -> Any:
        for w in ws:
            x = layer(w, x)
        return np.sum(x * x)

    return loss


def plain(layer: Layer) -> Layer:
    return layer


def with_policy(policy: Any) -> Wrap:
    return lambda layer: rg.checkpoint(layer, policy=policy)


def floats(fun: Callable[..., Any], *args: Any, argnums: Any = 0) -> tuple[Any, int]:
    """The gradient, and the bytes of its tape but for those of extents, in arrays of `ONE`."""
    gradient = rg.grad(fun, argnums)
    found = gradient(*args)
    stats = gradient.stats()
    arrays, rest = divmod(stats.tape_bytes, ONE)
    assert rest < EXTENTS
    return found, arrays


@pytest.fixture(scope="module")
def weights() -> tuple[Any, ...]:
    rng = np.random.default_rng(3)
    return (*(rng.standard_normal((SIDE, SIDE)) / 6 for _ in range(3)),
            rng.standard_normal((SIDE, WIDTH)))  # fmt: skip


@pytest.mark.parametrize(
    ("policy", "arrays"),
    [
        (policies.nothing_saveable, 2), (policies.dots_saveable, 3),
        (policies.everything_saveable, 3), (policies.dots_with_no_batch_dims_saveable, 3),
    ],
)  # fmt: skip
def test_layers(weights: tuple[Any, ...], policy: Any, arrays: int) -> None:
    expected, before = floats(chain(plain), *weights)
    found, left = floats(chain(with_policy(policy)), *weights)
    assert (before, left) == (3, arrays)
    np.testing.assert_array_equal(found, expected)


def test_the_whole_function(weights: tuple[Any, ...]) -> None:
    expected, _ = floats(chain(plain), *weights)
    found, left = floats(rg.checkpoint(chain(plain)), *weights)
    assert left == 0
    np.testing.assert_array_equal(found, expected)


def test_layers_in_a_loop() -> None:
    rng = np.random.default_rng(4)
    ws, x = rng.standard_normal((12, SIDE, SIDE)) / 6, rng.standard_normal((WIDTH, SIDE))
    expected, before = floats(scan(plain), ws, x)
    found, left = floats(scan(rg.checkpoint), ws, x)
    assert (before, left) == (12, 12)  # each x but the first, which is an argument
    np.testing.assert_array_equal(found, expected)


def test_names(weights: tuple[Any, ...]) -> None:
    def inner(w: Any, x: Any) -> Any:
        first = rg.checkpoint_name(w @ x, "first")
        second = rg.checkpoint_name(np.sin(first) * x, "second")
        return np.cos(w @ np.tanh(w @ second))

    def loss(policy: Any) -> Callable[..., Any]:
        held = rg.checkpoint(inner, policy=policy)
        return lambda w, x: np.sum(held(w, x))

    expected, _ = floats(lambda w, x: np.sum(inner(w, x)), weights[0], weights[3])
    for names, arrays in ((), 0), (("first",), 1), (("first", "second"), 2):
        kept = policies.save_only_these_names(*names)
        found, left = floats(loss(kept), weights[0], weights[3])
        assert left == arrays
        np.testing.assert_array_equal(found, expected)
