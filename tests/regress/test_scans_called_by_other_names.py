"""`rg.scan(f, init, xs, length=4)`, as `jax.lax.scan` is called, was Python's own TypeError."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import retrograd as rg

XS = np.arange(4.0)


def with_length(x: np.ndarray) -> float:
    return rg.scan(lambda carry, one: (carry + one, one), 0.0, x, length=4)[0]


def backwards(x: np.ndarray) -> float:
    return rg.scan(lambda carry, one: (carry + one, one), 0.0, x, reverse=True)[0]


@pytest.mark.parametrize("f", [with_length, backwards])
@pytest.mark.parametrize("way", [lambda f: f, rg.jit, rg.grad])
def test_it_says_what_to_write(f: Callable[..., float], way: Callable[..., object]) -> None:
    with pytest.raises(TypeError, match=r"for x in xs: carry, y = f\(carry, x\)"):
        way(f)(XS)


def test_other_names_are_refused() -> None:
    with pytest.raises(TypeError, match="one keyword argument: exclusive"):
        rg.scan(lambda a, b: a + b, 0.0, XS, exclude=True)
