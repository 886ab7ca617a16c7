"""Gradients of selections are those of what is taken, whatever the slopes of the rest are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.ir.check import check_program
from retrograd.ir.parse import parse_program
from retrograd.ir.print import print_program
from retrograd.ir.traverse import supply_for
from retrograd.prims import DEFAULT
from retrograd.transforms.ad.masked_slopes import mask_slopes

pytestmark = pytest.mark.thinned(2)

X = np.array([0.0, 0.5, 2.0, 0.0, 1000.0])
TAKEN = X > 0.0


def entropy(x: Any) -> Any:
    return np.sum(np.where(x > 0.0, x * np.log(x), 0.0))


def by_and_by(x: Any) -> Any:
    with np.errstate(all="ignore"):
        y = np.log(x)
        z = x * y
    return np.sum(np.where(x > 0.0, z, x))


def reciprocal(x: Any) -> Any:
    return np.sum(np.where(x == 0.0, 0.0, 1.0 / x))


def softplus(x: Any) -> Any:
    return np.sum(np.where(x > 50.0, x, np.log(1.0 + np.exp(x))))


def in_place(x: Any) -> Any:
    y = 3.0 / x
    y[x == 0.0] = 0.0
    return np.sum(y)


def out_of_ratio(x: Any) -> Any:
    return np.sum(np.divide(3.0, x, out=np.zeros_like(x), where=x != 0.0))


def nested(x: Any) -> Any:
    return np.sum(np.select([x > 100.0, x > 0.0], [np.sqrt(x), np.log(x) / x], default=5.0 * x))


def by_columns(x: Any) -> Any:
    grid = np.stack([x, 2.0 * x])
    return np.sum(np.where(grid > 0.0, grid * np.log(grid), 0.0))


def by_elements(x: Any) -> Any:
    total = 0.0
    for v in x:
        total += np.where(v > 0.0, v * np.log(v), 0.0)
    return total


def _of_taken(slope: Callable[[Any], Any]) -> Any:
    safe = np.where(TAKEN, X, 1.0)
    return np.where(TAKEN, slope(safe), 0.0)


LOGS = _of_taken(lambda x: np.log(x) + 1.0)
CASES: dict[Callable[[Any], Any], Any] = {
    entropy: LOGS,
    by_elements: LOGS,
    by_and_by: np.where(TAKEN, LOGS, 1.0),
    by_columns: _of_taken(lambda x: np.log(x) + 2.0 * np.log(2.0 * x) + 3.0),
    reciprocal: _of_taken(lambda x: -1.0 / x**2),
    in_place: _of_taken(lambda x: -3.0 / x**2),
    out_of_ratio: _of_taken(lambda x: -3.0 / x**2),
    softplus: np.array([0.5, 1 / (1 + np.exp(-0.5)), 1 / (1 + np.exp(-2.0)), 0.5, 1.0]),
    nested: np.where(
        X > 100.0,
        _of_taken(lambda x: 0.5 / np.sqrt(x)),
        np.where(TAKEN, _of_taken(lambda x: (1 - np.log(x)) / x**2), 5.0),
    ),
}


@pytest.mark.parametrize("f", CASES)
def test_gradients_are_those_of_what_is_taken(f: Callable[[Any], Any]) -> None:
    np.testing.assert_allclose(rg.grad(f)(X), CASES[f], rtol=1e-13)
    np.testing.assert_allclose(rg.jvp(f, (X,), (np.ones(5),))[1], np.sum(CASES[f]), rtol=1e-13)


def test_bits_in_a_budget_and_of_the_value() -> None:
    value, slopes = rg.value_and_grad(nested, memory="20kB")(X)
    assert slopes.tobytes() == rg.grad(nested)(X).tobytes()
    assert value == rg.jit(nested)(X)


def test_second_derivatives() -> None:
    expected = np.diag(_of_taken(lambda x: 1.0 / x))
    np.testing.assert_allclose(rg.hessian(entropy)(X), expected, rtol=1e-13)
    v = np.arange(5.0)
    np.testing.assert_allclose(rg.hvp(entropy, (X,), (v,)), expected @ v, rtol=1e-13)


HEAD = """program f

function f(x: f64[1], s: f64) -> (f64[1], f64[1]):
  c: bool[1] = gt(x, s)
"""


@pytest.mark.parametrize(
    ("text", "masks"),
    [
        ("  y: f64[1] = log(x)\n  z: f64[1] = select(c, y, x)", 1),
        ("  y: f64[1] = log(x)\n  z: f64[1] = select(c, y, x)\n  return z, y", 0),
        ("  y: f64[1] = log(x)\n  z: f64[1] = select(c, y, y)", 0),
        ("  y: f64[1] = sin(x)\n  z: f64[1] = select(c, y, x)", 0),
        ("  y: f64[1] = mul(x, s)\n  z: f64[1] = select(c, y, x)", 0),
        ("  y: f64[1] = div(x, 2.0)\n  z: f64[1] = select(c, y, x)", 0),
        ("  y: f64[1] = div(x, s)\n  z: f64[1] = select(c, x, y)", 2),
        ("  t: f64 = log(s)\n  y: f64[1] = mul(x, t)\n  z: f64[1] = select(c, y, x)", 0),
        ("  y: f64[1] = log(x)\n  z: f64[1] = select(c, y, x)\n  b: bool[1] = lt(x, s)\n"
         "  u: f64[1] = select(b, y, x)\n  return z, u", 0),
    ],
)  # fmt: skip
def test_what_is_masked(text: str, masks: int) -> None:
    end = "" if "return" in text else "\n  k: f64[1] = copy(x)\n  return z, k"
    program = parse_program(f"{HEAD}{text}{end}\n")
    check_program(program, DEFAULT)
    made = mask_slopes(program, supply_for(program), DEFAULT)
    check_program(made, DEFAULT)
    before, after = (print_program(p).count("= select(") for p in (program, made))
    assert after - before == masks
    again = mask_slopes(made, supply_for(made), DEFAULT)
    assert print_program(again) == print_program(made)
