"""The gradient of every example and every benchmark problem, in every way to pay for it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.examples.cases import CASES
from tests.random.ways import TOO_SHORT, in_every_way, stopped_at


def copies(args: tuple[Any, ...]) -> Callable[[], tuple[Any, ...]]:
    return lambda: tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)


LARGE = ("lattice_boltzmann", "generated_code", "gaussian_mixture", "diagonal_lstm", "rk4")
"""Those that take the longest to compile: in the slow tier."""


@pytest.mark.thinned(9)
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow if n in LARGE else ()) for n in CASES]
)
def test_same_bits(name: str) -> None:
    fun, args, argnums = CASES[name]
    assert in_every_way(fun, argnums, copies(args), 2) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_stopped_at_fifty_moments(name: str) -> None:
    fun, args, argnums = CASES[name]
    different = stopped_at(fun, argnums, copies(args), 50, random.Random(name))
    if different == TOO_SHORT:
        pytest.skip("a run of few points")
    assert different is None
