"""Products that a reverse sweep makes became a part of a fused product and sum, or did not.

It depended on whether the reverse sweep does the same product of the function again, and on how
many sums have the product. So what is recorded, or run again, changed bits of the gradient.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import retrograd as rg

policies = rg.checkpoint_policies


def scaled(p: Any, n: Any) -> Any:
    x = math.tanh(p[3])
    for i in range(4):
        p[i] = x
        p[i] *= 0.363 if n <= 4 else p[i] * x
    return np.sum(p)


@pytest.mark.parametrize("policy", [policies.everything_saveable, policies.nothing_saveable])
def test_a_checkpoint_changes_no_bit(policy: Any) -> None:
    marked, plain = rg.grad(rg.checkpoint(scaled, policy=policy)), rg.grad(scaled)
    for seed in range(20):
        p = np.random.default_rng(seed).uniform(-1.5, 1.5, 4)
        assert marked(p, 3).tobytes() == plain(p, 3).tobytes()


def twice(x: Any, a: Any, b: Any, n: Any) -> Any:
    """The cotangents of `a` and `b` have one product, on both sides of a loop's."""
    y = x
    for _ in range(n):
        y = math.sin(y)
    z = y * x
    u = z * a + x
    t = x
    for _ in range(n):
        t = rg.checkpoint_name(math.sin(t + x * t), "kept")
    v = z * b + x
    return u + v + t


def test_a_product_of_both_is_fused_in_each() -> None:
    """It was one where `z` is recorded, two where it is run again on each side of a loop."""
    kept = rg.checkpoint(twice, policy=policies.save_only_these_names("kept"))

    def loss(of: Any) -> Any:
        return lambda x, a, b: of(x, a, b, 3) * 0.7 + a + b + b

    marked, plain = (rg.grad(loss(f), argnums=(0, 1, 2)) for f in (kept, twice))
    for seed in range(40):
        args = tuple(map(float, np.random.default_rng(seed).uniform(0.2, 1.5, 3)))
        assert marked(*args) == plain(*args)
