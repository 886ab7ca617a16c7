"""Parallel constructs: compiled or not, their derivatives in every way to pay, bad input."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.constructs.programs import IX, PROGRAMS, Case, X
from tests.orders import BOTH_ORDERS

pytestmark = pytest.mark.thinned(2)


@pytest.fixture(params=PROGRAMS.values(), ids=PROGRAMS)
def case(request: pytest.FixtureRequest) -> Case:
    return request.param


def test_compiled_as_on_numpy(case: Case) -> None:
    f, args = case
    np.testing.assert_allclose(rg.jit(f)(*args), f(*args), rtol=1e-12)


@pytest.mark.thinned(2)
@BOTH_ORDERS
def test_the_identities(case: Case, order: int) -> None:
    f, args = case
    rg.check_grads(f, args, order)


@pytest.mark.thinned(6)
def test_every_way_gives_the_same_bits(case: Case) -> None:
    f, args = case
    whole = rg.grad(f)(*args)
    np.testing.assert_array_equal(rg.grad(f, memory="300kB")(*args), whole)
    way = rg.checkpointing.fixed_space(3, leaf="1kB")
    np.testing.assert_array_equal(rg.grad(f, checkpointing=way)(*args), whole)
    found = rg.interrupt(rg.grad(f), *args, steps=7)
    while isinstance(found, rg.Capsule):
        found = rg.resume(found, steps=50)
    np.testing.assert_array_equal(found, whole)


@pytest.mark.thinned(6)
def test_derivatives_of_derivatives(case: Case) -> None:
    """Forward over reverse, and reverse over forward."""
    f, args = case
    rest = args[1:]
    seed = np.linspace(0.5, 1.0, args[0].size).reshape(args[0].shape)

    def along(x: Any) -> Any:
        zeros = tuple([np.zeros(r.shape) for r in rest])
        return rg.jvp(f, (x, *rest), (seed, *zeros))[1]

    _, one = rg.jvp(lambda x: rg.grad(f)(x, *rest), (args[0],), (seed,))
    np.testing.assert_allclose(one, rg.grad(along)(args[0]), rtol=1e-9, atol=1e-9)


def test_ties_go_to_the_first() -> None:
    x = np.array([1.0, 3.0, 3.0, 0.0])
    for op in (max, np.maximum):
        slope = rg.grad(lambda x, op=op: rg.reduce(op, -np.inf, x))(x)
        np.testing.assert_array_equal(slope, [0.0, 1.0, 0.0, 0.0])
    places = np.array([0, 0, 1])
    values = np.array([2.0, 2.0, 1.0])

    def total(dest: Any, v: Any) -> Any:
        return np.sum(rg.hist(dest, max, -np.inf, places, v))

    dest, v = rg.grad(total, (0, 1))(np.array([0.0, 1.0]), values)
    np.testing.assert_array_equal(dest, [0.0, 1.0])
    np.testing.assert_array_equal(v, [1.0, 0.0, 0.0])


@pytest.mark.parametrize("zeros", [0, 1, 2])
def test_products_with_zeros(zeros: int) -> None:
    x = np.array([0.0] * zeros + [2.0, 3.0, 4.0])
    slope = rg.grad(lambda x: rg.reduce(lambda a, b: a * b, 1.0, x))(x)
    want = [np.prod(np.delete(x, k)) for k in range(len(x))]
    np.testing.assert_array_equal(slope, want)


def test_what_is_overwritten_by_a_scatter() -> None:
    """The last value of an index stays; what is out of range, -1 included, is left out."""
    dest, values = np.ones(3), np.arange(6.0)
    found = rg.jit(rg.scatter)(dest, IX, values)
    np.testing.assert_array_equal(found, [2.0, 5.0, 1.0])
    np.testing.assert_array_equal(dest, np.ones(3))

    def total(d: Any, v: Any) -> Any:
        return np.sum(rg.scatter(d, IX, v) * np.array([1.0, 2.0, 3.0]))

    d, v = rg.grad(total, (0, 1))(dest, values)
    np.testing.assert_array_equal(d, [0.0, 0.0, 0.0])
    np.testing.assert_array_equal(v, [0.0, 3.0, 1.0, 0.0, 0.0, 2.0])


EMPTY = np.zeros(0)
NOWHERE = np.zeros(0, dtype=np.int64)
EMPTIES: dict[str, tuple[Callable[[], Any], Any]] = {
    "map": (lambda: rg.map(lambda a: 2.0 * a, EMPTY), EMPTY),
    "build": (lambda: rg.build(-3, lambda i: 1.0 * i), EMPTY),
    "reduce": (lambda: rg.reduce(lambda a, b: a * b, 1.0, EMPTY), 1.0),
    "scan": (lambda: rg.scan(lambda a, b: a * b, 1.0, EMPTY), EMPTY),
    "fold": (lambda: rg.fold(lambda a, b: a * b, 3.0, EMPTY), 3.0),
    "hist": (lambda: rg.hist(np.ones(2), operator.add, 0.0, NOWHERE, EMPTY), np.ones(2)),
    "hist of nothing": (
        lambda: rg.hist(EMPTY, lambda a, b: a * b, 1.0, np.array([0, 1]), np.ones(2)), EMPTY,
    ),
    "scatter": (lambda: rg.scatter(EMPTY, np.array([0]), np.ones(1)), EMPTY),
    "gather": (lambda: rg.gather(np.ones(3), NOWHERE), EMPTY),
}  # fmt: skip


@pytest.mark.parametrize("name", EMPTIES)
def test_without_elements(name: str) -> None:
    f, want = EMPTIES[name]
    np.testing.assert_array_equal(f(), want)
    np.testing.assert_array_equal(rg.jit(f)(), want)


BAD: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "lengths": (
        lambda x: rg.map(lambda a, b: a * b, x, np.ones(3)), ValueError, "different lengths",
    ),
    "ragged": (
        lambda x: rg.build(3, lambda i: x[: i + 1]), ValueError, "rows of different shapes",
    ),
    "out of range": (lambda x: rg.gather(x, np.array([1, 4])), IndexError, "index 4"),
    "raises": (
        lambda x: rg.map(lambda a: 1.0 * (1 // int(a)), x), ZeroDivisionError, "zero",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_raises(name: str) -> None:
    """As on NumPy, in value and derivative, with the line of the user's call."""
    f, kind, message = BAD[name]
    x = np.array([1.0, 2.0, 0.5, 0.25])
    with pytest.raises(kind, match=message):
        f(x)
    for compiled in (rg.jit(f), rg.grad(lambda x: np.sum(f(x)))):
        with pytest.raises(kind, match=message) as caught:
            compiled(x)
        assert any("test_constructs.py" in note for note in caught.value.__notes__)


def test_rows_of_nothing() -> None:
    with pytest.raises(ValueError, match="without elements"):
        rg.jit(lambda x: rg.map(lambda a: a * np.ones(2), x))(EMPTY)


def test_no_arrays() -> None:
    for f in (lambda: rg.map(lambda: 1.0), lambda: rg.reduce(max, 0.0)):
        for one in (f, rg.jit(f)):
            with pytest.raises(TypeError, match="no array"):
                one()


def test_an_element_that_writes() -> None:
    def running(x: Any) -> Any:
        total = np.zeros(1)

        def add(v: Any) -> Any:
            total[0] += v
            return total[0]

        return np.sum(rg.map(add, x))

    with pytest.raises(rg.UserError, match="RG0116") as caught:
        rg.grad(running)(X)
    assert caught.value.span is not None
    assert caught.value.span.file == __file__


def test_rows_of_too_many_axes() -> None:
    with pytest.raises(rg.UserError, match="RG0110"):
        rg.jit(lambda x: rg.map(lambda a: a * np.ones((1,) * 8), x))(X)


def test_what_is_no_element() -> None:
    with pytest.raises(rg.UserError, match="RG0110"):
        rg.jit(lambda x: rg.map(lambda a: None, x))(X)


@pytest.mark.parametrize(
    ("op", "neutral", "law"),
    [
        (lambda a, b: a - b, 0.0, "associativity"),
        (lambda a, b: a + b, 1.0, "neutral element"),
        (lambda a, b: a * b, 1, ""),
        (lambda a, b: a + b, np.zeros(3), ""),
        (lambda a, b: a or b, False, ""),
        (lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (1.0, 0.0), ""),
        (lambda p, q: (p[0] * q[0], p[0] * q[1] - p[1]), (1.0, 0.0), "associativity"),
    ],
)
def test_check_operator(op: Any, neutral: Any, law: str) -> None:
    found = rg.check_operator(op, neutral)
    assert found.law == law
    assert found.ok == (not law)
    assert str(found)


def test_operators_that_cannot_be_tried() -> None:
    for op, neutral, count in (
        (max, 0.0, 0),
        (lambda a, b: (a, b), 0.0, 3),
        (lambda a, b: a[0], (0.0, 1.0), 3),
    ):
        with pytest.raises(rg.UserError, match="RG6004"):
            rg.check_operator(op, neutral, count)
