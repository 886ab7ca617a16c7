"""Lookups against `np.interp`, and their gradients against those derived by hand."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from examples.cross_section_lookup import data, gradient_by_hand, interval, misfit, misfit_by_numpy
from tests.examples.adbench_numbers import assert_close
from tests.orders import BOTH_ORDERS

SIZES = {"one": (1, 1, 2), "few": (40, 5, 3), "some": (300, 40, 200)}
sizes = pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)


@sizes
def test_value(size: tuple[int, int, int]) -> None:
    arguments = data(*size, np.random.default_rng(2))
    assert_close(rg.jit(misfit)(*arguments), misfit_by_numpy(*arguments), 1e-12)
    assert_close(misfit(*arguments), misfit_by_numpy(*arguments), 1e-12)


@sizes
def test_gradient(size: tuple[int, int, int]) -> None:
    arguments = data(*size, np.random.default_rng(3))
    found = rg.grad(misfit, argnums=(0, 1))(*arguments)
    for ours, by_hand in zip(found, gradient_by_hand(*arguments), strict=True):
        assert_close(ours, by_hand, 1e-11)


@BOTH_ORDERS
def test_both_modes(order: int) -> None:
    tables, concentrations, *rest = data(30, 4, 6, np.random.default_rng(4))
    rg.check_grads(lambda t, c: misfit(t, c, *rest), (tables, concentrations), order)


def test_same_bits_in_a_budget() -> None:
    arguments = data(200, 10, 50, np.random.default_rng(5))
    plain = rg.grad(misfit, argnums=(0, 1))(*arguments)
    tight = rg.grad(misfit, argnums=(0, 1), memory="70kB")(*arguments)
    assert all(np.array_equal(a, b) for a, b in zip(plain, tight, strict=True))


def test_interval() -> None:
    grid = np.array([0.0, 0.25, 0.5, 1.0])
    for energy in (0.0, 0.1, 0.25, 0.4, 0.5, 0.99, 1.0):
        expected = min(np.searchsorted(grid, energy, side="right") - 1, len(grid) - 2)
        assert rg.jit(interval)(grid, energy) == interval(grid, energy) == expected
