"""Jacobians and Hessians: values, what they cost, where they may stand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.calls.runner import Runner
from retrograd.api.compile.artefact import linked
from retrograd.api.compile.derive import pullback_task
from retrograd.api.compile.native import build
from retrograd.api.compile.prepare import prepare
from retrograd.backends.interp.eval import run
from retrograd.errors import UserError
from retrograd.frontend.identity.specs import spec_of
from retrograd.ir.terms import For, Program
from retrograd.ir.traverse import stms_deep
from retrograd.ir.types import WIDTH
from retrograd.prims import DEFAULT
from retrograd.prims.core import PrimitiveSet
from tests.lowering import lowered

pytestmark = pytest.mark.thinned(2)

RNG = np.random.default_rng(11)


class Pair(NamedTuple):
    first: Any
    second: Any


def waves(x):
    """A loop that overwrites an array, with a branch and a function of each element."""
    y = x.copy()
    for _ in range(3):
        for i in range(len(x)):
            step = math.exp(-y[i] * y[i])
            if step > 0.5:
                y[i] += 0.1 * step * y[i - 1]
            else:
                y[i] -= 0.2 * step
    return y


def layer(w, x):
    return np.sum(np.tanh(w @ np.tanh(w @ x)) ** 2.0)


def columns(f, x):
    """The Jacobian by one tangent after the other."""
    found = [np.asarray(rg.jvp(f, (x,), (e.reshape(x.shape),))[1]).ravel() for e in np.eye(x.size)]
    return np.stack(found, axis=1)


@pytest.mark.parametrize("n", [0, 1, 2, WIDTH, WIDTH + 1, 3 * WIDTH])
def test_both_modes_are_the_columns_one_by_one(n: int) -> None:
    x = RNG.uniform(-1.0, 1.0, n)
    expected = columns(waves, x) if n else np.zeros((0, 0))
    np.testing.assert_array_equal(rg.jacfwd(waves)(x), expected)
    np.testing.assert_allclose(rg.jacrev(waves)(x), expected, rtol=1e-12, atol=1e-14)


def test_a_hessian_of_an_array_program() -> None:
    w, x = RNG.uniform(-1.0, 1.0, (20, 20)), RNG.uniform(-1.0, 1.0, 20)
    hessian = rg.hessian(layer, 1)(w, x)
    expected = np.stack([rg.hvp(lambda y: layer(w, y), (x,), (e,)) for e in np.eye(20)], axis=1)
    np.testing.assert_allclose(hessian, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-10, atol=1e-12)
    assert rg.hessian(layer)(w[:3, :3], x[:3]).shape == (3, 3, 3, 3)


def test_numbers_share_their_directions() -> None:
    def f(a, b, pair):
        return Pair(a * b, np.array([pair.first, a])), b * pair.second

    at = (2.0, 3.0, Pair(5.0, 7.0))
    for transformation in (rg.jacfwd, rg.jacrev):
        found = transformation(f, (0, 1, 2))(*at)
        assert found[0].first == (3.0, 2.0, Pair(0.0, 0.0))
        np.testing.assert_array_equal(found[0].second[0], [0.0, 1.0])
        np.testing.assert_array_equal(found[0].second[2].first, [1.0, 0.0])
        assert found[1] == (0.0, 7.0, Pair(0.0, 3.0))
    program = traced(rg.jacfwd(f, (0, 1, 2)), *at)
    assert len(over_directions(program)) == 1


def test_the_same_argument_twice() -> None:
    one, two = rg.jacfwd(waves, (0, 0))(np.array([0.3, 0.4]))
    np.testing.assert_array_equal(one, two)
    assert not np.shares_memory(one, two)


# What is done once.


def traced(f: Any, *args: Any) -> Program:
    return prepare(f, tuple(map(spec_of, args)), {}, True).task.program


def over_directions(program: Program) -> list[For]:
    found = [s.expr for f in program.functions for s in stms_deep(f.body)]
    return [e for e in found if isinstance(e, For) and e.directions]


def evaluations(program: Program, op: str, args: list[Any]) -> int:
    """How often a primitive is evaluated."""
    count = 0
    primitive = DEFAULT[op]

    def counted(values: Any, params: Any) -> Any:
        nonlocal count
        count += 1
        return primitive.eval(values, params)

    table = {**DEFAULT.table, op: replace(primitive, eval=counted)}
    run(program, args, PrimitiveSet(table))
    return count


@pytest.mark.parametrize("transformation", [rg.jacfwd, rg.jacrev])
@pytest.mark.parametrize("bundles", [1, 2])
def test_the_primal_runs_once_for_a_bundle(transformation: Any, bundles: int) -> None:
    n = bundles * WIDTH
    x = RNG.uniform(-1.0, 1.0, n)
    program = lowered(traced(transformation(waves), x), check=True)
    assert over_directions(program) == []
    once = evaluations(lowered(traced(waves, x)), "exp", [x])
    assert once == 3 * n
    if transformation is rg.jacrev:
        pullback = pullback_task(prepare(waves, (spec_of(x),), {}, True).task).program
        once = evaluations(lowered(pullback), "exp", [x, np.ones(n)])
    assert evaluations(program, "exp", [x]) == bundles * once


def test_the_tape_is_that_of_one_pullback() -> None:
    x = RNG.uniform(-1.0, 1.0, 40)
    jacobian = rg.jacrev(waves)
    jacobian(x)
    stats = jacobian.stats()
    image = build(pullback_task(prepare(waves, (spec_of(x),), {}, True).task))
    one = Runner(linked(image, 0.0), False)
    one([x, np.ones(40)])
    assert stats is not None
    assert one.stats is not None
    assert stats.tape_bytes == one.stats.tape_bytes > 0


def test_a_tangent_that_decides_is_taken_one_direction_at_a_time() -> None:
    @rg.custom_jvp
    def ramp(x):
        return x * x

    @ramp.defjvp
    def ramp_jvp(primals, tangents):
        (x,), (x_dot,) = primals, tangents
        return ramp(x), 2.0 * x * x_dot if x_dot > 0.5 else 0.0

    def f(x):
        return np.array([ramp(x[0]), ramp(x[1] * 3.0), x[0] * x[1]])

    x = np.array([2.0, 5.0])
    assert len(over_directions(lowered(traced(rg.jacfwd(f), x)))) == 1
    np.testing.assert_array_equal(rg.jacfwd(f)(x), columns(f, x))
    np.testing.assert_array_equal(rg.jacfwd(f)(x), [[4.0, 0.0], [0.0, 90.0], [5.0, 2.0]])


# Jacobians of Jacobians, gradients of them, and inside programs.


def cubes(x):
    return np.array([x[0] * x[1], np.sum(x**3.0), x[2] * math.exp(x[0])])


@pytest.mark.parametrize("outer", [rg.jacfwd, rg.jacrev])
@pytest.mark.parametrize("inner", [rg.jacfwd, rg.jacrev])
def test_every_nesting(outer: Any, inner: Any) -> None:
    x = np.array([0.3, 0.5, 0.7])
    e = math.exp(0.3)
    expected = np.zeros((3, 3, 3))
    expected[0, 0, 1] = expected[0, 1, 0] = 1.0
    expected[1] = np.diag(6.0 * x)
    expected[2, 0] = [0.7 * e, 0.0, e]
    expected[2, 2, 0] = e
    np.testing.assert_allclose(outer(inner(cubes))(x), expected, rtol=1e-14, atol=1e-15)


def test_a_jacobian_is_a_function_like_any_other() -> None:
    f = rg.jacfwd(lambda x: math.sin(x) * x)
    assert f(1.3) == pytest.approx(math.sin(1.3) + 1.3 * math.cos(1.3))
    second = 2.0 * math.cos(1.3) - 1.3 * math.sin(1.3)
    assert rg.grad(f)(1.3) == pytest.approx(second)
    assert rg.grad(rg.jacrev(lambda x: math.sin(x) * x))(1.3) == pytest.approx(second)
    third = -3.0 * math.sin(1.3) - 1.3 * math.cos(1.3)
    assert rg.grad(rg.hessian(lambda x: math.sin(x) * x))(1.3) == pytest.approx(third)
    assert rg.jit(f)(1.3) == f(1.3)


def newton(x):
    for _ in range(4):
        matrix = rg.jacfwd(cubes)(x)
        other = rg.jacrev(cubes)(x)
        x = x - 0.1 * (matrix.T @ cubes(x)) - 0.05 * (other.T @ cubes(x))
    return np.sum(x)


def test_jacobians_inside_programs() -> None:
    x = np.array([0.3, 0.5, 0.7])
    assert rg.jit(newton)(x) == pytest.approx(newton(x), rel=1e-12)
    gradient = rg.grad(newton)(x)
    for e, slope in zip(np.eye(3), gradient, strict=True):
        ahead, behind = newton(x + 1e-6 * e), newton(x - 1e-6 * e)
        assert slope == pytest.approx((ahead - behind) / 2e-6, rel=1e-6, abs=1e-8)


def test_hessians_and_trees_inside_programs() -> None:
    def curvature(x):
        return x @ (rg.hessian(lambda y: np.sum(y * y * y) * y[0])(x) @ x)

    x = np.array([0.4, 0.6])
    np.testing.assert_allclose(rg.jit(curvature)(x), curvature(x), rtol=1e-13)
    homogeneous = 4.0 * curvature(x)  # Euler: the curvature has degree 4
    np.testing.assert_allclose(rg.grad(curvature)(x) @ x, homogeneous, rtol=1e-12)

    def pair(a, b):
        return Pair(a * b, (a * a, b))

    def inside(a, b):
        return rg.jacrev(pair, argnums=(0, 1))(a, b)

    expected = Pair((3.0, 2.0), ((4.0, 0.0), (0.0, 1.0)))
    assert rg.jit(inside)(2.0, 3.0) == rg.jacfwd(pair, (0, 1))(2.0, 3.0) == expected


def test_refused_inside_programs() -> None:
    with pytest.raises(UserError, match="10 axes"):
        rg.jit(lambda a: np.sum(rg.jacfwd(lambda b: b * b)(a)))(np.ones((1,) * 5))
    with pytest.raises(UserError, match="returns i64"):
        rg.jit(lambda x: rg.jacfwd(lambda y: (y, int(y)))(x)[0])(2.0)
    with pytest.raises(UserError, match="argnums"):
        rg.jit(lambda x: rg.jacrev(lambda y: y * y, 3)(x))(2.0)
    with pytest.raises(UserError, match="has_aux"):
        rg.jit(lambda x: rg.jacrev(lambda y: y * y, has_aux=True)(x))(2.0)
