"""Derivatives where they are a convention: JAX's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from retrograd.ir.build import Builder
from retrograd.ir.terms import Function, Params, Program, flit
from retrograd.ir.types import F64
from retrograd.prims import DEFAULT
from retrograd.prims.core import Case
from retrograd.transforms.ad.jvp import jvp_function
from tests.prims.harness import evaluate, pullback_program, supply


def gradient(op: str, *args: Any, params: Params = (), bar: Any = 1.0) -> list[Any]:
    """Cotangents of all (float) arguments."""
    types = tuple(F64.with_rank(np.ndim(a)) for a in args)
    program = pullback_program(DEFAULT[op], Case(types, params), frozenset(range(len(args))))
    return list(evaluate(program, [*args, bar]))


ZERO = np.float64(0.0)
FLAT: Params = (("axes", (0,)), ("keepdims", False))

KINKS = [
    ("abs", (0.0,), [0.0]),
    ("maximum", (1.0, 1.0), [0.5, 0.5]),
    ("minimum", (1.0, 1.0), [0.5, 0.5]),
    ("tied", (1.0, 1.0), [0.5, 0.5]),
    ("maximum", (2.0, 1.0), [1.0, 0.0]),
    ("minimum", (2.0, 1.0), [0.0, 1.0]),
    ("sqrt", (0.0,), [np.inf]),
    ("pow", (0.0, 0.0), [0.0, 0.0]),
    ("pow", (0.0, 2.0), [0.0, 0.0]),
    ("pow", (0.0, 1.0), [1.0, 0.0]),
    ("pow", (3.0, 0.0), [0.0, np.log(3.0)]),
    ("hypot", (0.0, 0.0), [0.0, 0.0]),
    ("log", (0.0,), [np.inf]),
    ("copysign", (0.0, -1.0), [0.0, 0.0]),
]


@pytest.mark.parametrize(("op", "args", "want"), KINKS)
def test_scalars(op: str, args: tuple[float, ...], want: list[float]) -> None:
    assert gradient(op, *map(np.float64, args)) == want


def test_extremes_are_shared_among_ties() -> None:
    x = np.array([3.0, 1.0, 3.0, 1.0])
    np.testing.assert_array_equal(gradient("reduce_max", x, params=FLAT)[0], [0.5, 0, 0.5, 0])
    np.testing.assert_array_equal(gradient("reduce_min", x, params=FLAT)[0], [0, 0.5, 0, 0.5])


@pytest.mark.parametrize(
    ("data", "want"),
    [([2.0, 0.0, 3.0], [0, 6, 0]), ([0.0, 2.0, 0.0], [0, 0, 0]), ([0.0, 5.0], [5, 0])],
)
def test_products_with_zeros(data: list[float], want: list[float]) -> None:
    np.testing.assert_array_equal(gradient("reduce_prod", np.array(data), params=FLAT)[0], want)


def test_the_second_derivative_of_a_product_at_zeros() -> None:
    names = supply()
    x = names.var("x", F64.with_rank(1))
    b = Builder(names, DEFAULT.result_types)
    out = b.prim("reduce_prod", x, axes=(0,), keepdims=False)
    program = Program((Function("f", (x,), b.block((out,))),), "f")
    first, name = jvp_function(program, "f", (True,), names, DEFAULT)
    second, name = jvp_function(first, name, (True, False), names, DEFAULT)
    e0, e1 = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    results = evaluate(second, [np.array([0.0, 0.0, 7.0]), e0, e1], name)
    assert results[-1] == 7.0


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0, 3.0, -1.0, 0.5, 4.0])
def test_literal_exponents(exponent: float) -> None:
    names = supply()
    x = names.var("x", F64)
    b = Builder(names, DEFAULT.result_types)
    out = b.prim("pow", x, flit(exponent))
    program = Program((Function("f", (x,), b.block((out,))),), "f")
    lifted, name = jvp_function(program, "f", (True,), names, DEFAULT)
    base = 1.7
    slope = evaluate(lifted, [base, 1.0], name)[1]
    assert slope == pytest.approx(exponent * base ** (exponent - 1.0), rel=1e-15)
    if exponent >= 0.0 and exponent != 0.5:
        want = 1.0 if exponent == 1.0 else 0.0
        assert evaluate(lifted, [ZERO, 1.0], name)[1] == want
