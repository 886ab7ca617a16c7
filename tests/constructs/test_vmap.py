"""`vmap`: axes, nesting, any order with derivatives, and what is refused."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.orders import BOTH_ORDERS

A = np.arange(1.0, 7.0).reshape(2, 3) / 4.0
V = np.array([0.5, -1.0, 2.0])
C = np.arange(24.0).reshape(2, 3, 4) / 7.0


def scaled(row: Any, factor: Any) -> Any:
    return row * factor + np.sum(row)


def cube(x: Any) -> Any:
    return x**3.0


FORMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "a number for each row": (rg.vmap(np.dot, in_axes=(0, None)), (A, V)),
    "columns": (rg.vmap(lambda c: np.sum(c * c), in_axes=1), (A,)),
    "the last axis": (rg.vmap(lambda m: np.sum(m * m), in_axes=-1), (C,)),
    "the middle axis": (rg.vmap(lambda m: m[1] * m[0], in_axes=1), (C,)),
    "rows": (rg.vmap(scaled, in_axes=(0, None)), (A, 2.0)),
    "rows as columns": (rg.vmap(scaled, in_axes=(0, None), out_axes=1), (A, 2.0)),
    "out at the end": (rg.vmap(lambda m: m * 2.0, out_axes=-1), (C,)),
    "in a nest": (rg.vmap(rg.vmap(lambda a, b: a * b), in_axes=(0, None)), (A, V)),
    "an outer product": (
        rg.vmap(rg.vmap(lambda a, b: a * b, in_axes=(None, 0)), in_axes=(0, None)), (V, V),
    ),
    "a gradient": (rg.vmap(rg.grad(cube)), (V,)),
    "a Jacobian": (rg.vmap(rg.jacfwd(lambda r: r * r[0])), (A,)),
    "several axes": (rg.vmap(lambda x, y: x * y, in_axes=(1, 0)), (A, V)),
}  # fmt: skip


@pytest.fixture(params=FORMS.values(), ids=FORMS)
def form(request: pytest.FixtureRequest) -> tuple[Any, tuple[Any, ...]]:
    return request.param


def test_compiled_as_on_numpy(form: tuple[Any, tuple[Any, ...]]) -> None:
    f, args = form
    want = f(*args)
    got = rg.jit(f)(*args)
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=1e-13)


@pytest.mark.thinned(3)
@BOTH_ORDERS
def test_the_identities(form: tuple[Any, tuple[Any, ...]], order: int) -> None:
    f, args = form
    rg.check_grads(lambda *a: np.sum(f(*a) ** 2.0), args, order)


def test_budgets(form: tuple[Any, tuple[Any, ...]]) -> None:
    f, args = form

    def total(*a: Any) -> Any:
        return np.sum(f(*a) ** 2.0)

    np.testing.assert_array_equal(
        rg.grad(total, memory="50kB")(*args), rg.grad(total)(*args)
    )  # fmt: skip


def test_made_inside_of_a_program() -> None:
    def total(a: Any, v: Any) -> Any:
        inner = rg.vmap(lambda row: np.dot(row, v), in_axes=0)
        return np.sum(inner(a) ** 2.0)

    np.testing.assert_allclose(rg.grad(total)(A, V), 2.0 * np.outer(A @ V, V))


def test_tuples_in_and_out() -> None:
    def both(pair: Any) -> Any:
        return pair[0] * pair[1], pair[0] * np.ones(2)

    f = rg.vmap(both, in_axes=((0, None),), out_axes=(0, 1))
    for one in (f, rg.jit(f)):
        product, twice = one((V, 3.0))
        np.testing.assert_array_equal(product, 3.0 * V)
        np.testing.assert_array_equal(twice, [V, V])


def test_derivatives_of_it() -> None:
    def total(v: Any) -> Any:
        return np.sum(rg.vmap(cube)(v))

    np.testing.assert_allclose(rg.hessian(total)(V), np.diag(6.0 * V))
    np.testing.assert_allclose(rg.vmap(rg.grad(rg.grad(cube)))(V), 6.0 * V)
    _, dot = rg.jvp(rg.vmap(cube), (V,), (np.ones(3),))
    np.testing.assert_allclose(dot, 3.0 * V * V)


def test_copies() -> None:
    f = rg.vmap(cube)
    assert pickle.loads(pickle.dumps(f)) == f
    np.testing.assert_allclose(rg.jit(pickle.loads(pickle.dumps(f)))(V), V**3.0)


BAD: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "lengths": (lambda: rg.vmap(lambda a, b: a * b)(A, V), ValueError, "different lengths"),
    "nothing": (lambda: rg.vmap(cube, in_axes=None)(V), ValueError, "needs an argument"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_raises(name: str) -> None:
    f, kind, message = BAD[name]
    for one in (f, rg.jit(f)):
        with pytest.raises(kind, match=message):
            one()


def test_axes_that_do_not_fit() -> None:
    f = rg.vmap(cube, in_axes=(0, 0))
    for one in (f, rg.jit(f)):
        with pytest.raises(rg.UserError, match="RG0108"):
            one(V)
    with pytest.raises(rg.UserError, match="RG0109"):
        rg.jit(rg.vmap(cube, in_axes=2))(V)
    with pytest.raises(rg.UserError, match="RG0110"):
        rg.jit(rg.vmap(cube))(2.0)
    with pytest.raises(rg.UserError, match="RG0113"):
        rg.jit(lambda v, k: rg.vmap(cube, in_axes=k)(v))(V, 0)
    with pytest.raises(rg.UserError, match="RG0302"):
        rg.vmap(3.0)  # pyright: ignore[reportArgumentType]


def test_dicts_are_mapped_over_and_made() -> None:
    def model(p, x):
        return {"y": np.sum(p["w"] * x) + p["b"], "w": p["w"] * 2.0}

    def loss(p, x):
        found = rg.vmap(model)(p, x)
        shared = rg.vmap(model, in_axes=(None, 0))({"w": p["w"][0], "b": p["b"][0]}, x)
        axes = ({"b": None, "w": 1}, None)
        columns = rg.vmap(lambda q, x: q["w"] * q["b"][0] * x[0, 0], axes)(p, x)
        total = np.sum(found["y"] ** 2.0) + np.sum(found["w"]) + np.sum(shared["y"])
        return total + columns[1, 0] * columns[2, 1]

    p = {"w": np.arange(6.0).reshape(2, 3), "b": np.array([0.5, 1.0])}
    x = np.array([[1.0, 2.0, 3.0], [0.5, 0.25, 1.0]])
    assert rg.vmap(model)(p, x)["w"].shape == (2, 3)
    assert rg.jit(loss)(p, x) == pytest.approx(loss(p, x), rel=1e-12)
    rg.check_grads(loss, (p, x), order=1)
    for axes in ({"w": 0}, {"w": 0, "c": 0}):
        for call in (rg.vmap(model, (axes, 0)), rg.jit(rg.vmap(model, (axes, 0)))):
            with pytest.raises(rg.UserError) as caught:
                call(p, x)
            assert caught.value.code == "RG0108"
