"""Arrays of ints as indices, cumulative sums, places of extremes, sorting: NumPy's results, right
derivatives in both modes, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import retrograd as rg
from tests.orders import BOTH_ORDERS

pytestmark = pytest.mark.thinned(3)

X = np.array([0.5, -1.25, 2.0, 0.75, 1.5, -0.25, 3.0])
M = np.array([[0.5, 1.0, -0.5, 2.0], [1.5, 0.25, 2.5, -1.0], [-2.0, 0.75, 1.25, 0.125]])
W = np.array([1.0, -2.0, 0.5, 3.0])
IX = np.array([2, 0, -1, 2])


def assigned(x, w):
    y = x * 2.0
    y[IX] = w * w
    return y


def filled(x):
    y = x * 2.0
    y[IX] = 3.0
    return y


def added(x, w):
    y = x * 2.0
    y[IX] += w
    return y


def rows_assigned(m, x):
    y = m * 2.0
    y[np.array([1, 2])] = x[:4]
    return y


def rows_from_rows(m):
    y = np.zeros((4, 4))
    y[np.array([3, 1])] = m[np.array([0, 2])]
    return y


def added_at(x, w):
    y = x * 2.0
    np.add.at(y, IX, w * w)
    return y


def multiplied_at(x, w):
    y = x * 2.0
    np.multiply.at(y, IX, w)
    np.subtract.at(y, IX, 0.5)
    return y


def largest_at(x, w):
    y = x * 2.0
    np.maximum.at(y, IX, w)
    np.minimum.at(y, IX, 2.5)
    return y


def added_at_places(m, w):
    y = m * 2.0
    np.add.at(y, (np.array([0, -1, 0, 2]), np.array([1, 3, 1, 0])), w)
    np.subtract.at(y, ([0, 1], 2), 0.5)
    np.multiply.at(y, (1, 1), w[0])
    np.add.at(y, (np.array([[0], [1]]), np.array([0, 3])), y[:2, :2])
    return y


def rows_added_at(m, x):
    y = m * 2.0
    np.add.at(y, np.array([1, 1]), x[:4])
    return y


FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "x[ix]": (lambda x: x[IX] ** 2.0, (X,)),
    "m[ix]": (lambda m: m[np.array([2, 0, 0])] ** 2.0, (M,)),
    "x[two axes]": (lambda x: x[np.array([[1, 2], [0, -1]])] ** 2.0, (X,)),
    "x[ix] = w": (assigned, (X, W)),
    "x[ix] = number": (filled, (X,)),
    "x[ix] += w": (added, (X, W)),
    "m[ix] = row": (rows_assigned, (M, X)),
    "m[ix] = rows": (rows_from_rows, (M,)),
    "add.at": (added_at, (X, W)),
    "multiply.at": (multiplied_at, (X, W)),
    "maximum.at": (largest_at, (X, W)),
    "add.at of places": (added_at_places, (M, W)),
    "add.at of rows": (rows_added_at, (M, X)),
    "take": (lambda x: np.take(x, IX) ** 2.0, (X,)),
    "take of a matrix": (lambda m: np.take(m, IX) ** 2.0, (M,)),
    "take of rows": (lambda m: np.take(m, np.array([1, 1]), axis=0) ** 2.0, (M,)),
    "cumsum": (lambda x: np.cumsum(x) ** 2.0, (X,)),
    "cumsum of columns": (lambda m: np.cumsum(m, axis=0) ** 2.0, (M,)),
    "cumsum of rows": (lambda m: np.cumsum(m, axis=-1) ** 2.0, (M,)),
    "cumsum of all": (lambda m: np.cumsum(m) ** 2.0, (M,)),
    "cumprod": (lambda x: np.cumprod(x) ** 2.0, (X,)),
    "cumprod of columns": (lambda m: np.cumprod(m, axis=0) ** 2.0, (M,)),
    "cumprod of rows": (lambda m: np.cumprod(m, axis=1) ** 2.0, (M,)),
    "sort": (lambda x: np.sort(x) ** 2.0 * np.arange(7), (X,)),
    "sort of rows": (lambda m: np.sort(m) ** 3.0 * np.arange(4), (M,)),
    "sort of columns": (lambda m: np.sort(m, axis=0) ** 3.0 * np.arange(4), (M,)),
    "order": (lambda x: x[np.argsort(x)] * np.arange(7.0), (X,)),
    "at the least": (lambda x: x[np.argmin(x)] ** 2.0, (X,)),
    "at the largest": (lambda x: x[np.argmax(x)] ** 2.0, (X,)),
    "histogram": (lambda w: np.bincount(np.array([1, 3, 1, 0]), w) ** 2.0, (W,)),
    "between": (lambda x: x[np.searchsorted(np.sort(M[0] * 0.9), x) - 1] * x, (X,)),
}  # fmt: skip


@pytest.fixture(params=FUNCTIONS.values(), ids=FUNCTIONS)
def case(request: pytest.FixtureRequest) -> tuple[Any, tuple[Any, ...]]:
    return request.param


def test_as_in_numpy(case: tuple[Any, tuple[Any, ...]]) -> None:
    f, args = case
    want, got = f(*args), rg.jit(f)(*args)
    np.testing.assert_allclose(got, want, rtol=1e-13)
    assert np.asarray(got).dtype == np.asarray(want).dtype


@pytest.mark.thinned(6)
@BOTH_ORDERS
def test_the_identities(case: tuple[Any, tuple[Any, ...]], order: int) -> None:
    f, args = case
    rg.check_grads(lambda *a: np.sum(f(*a) * 1.5), args, order)


@pytest.mark.thinned(6)
def test_budgets(case: tuple[Any, tuple[Any, ...]]) -> None:
    f, args = case

    def total(*a: Any) -> Any:
        return np.sum(f(*a) * 1.5)

    whole = rg.grad(total)(*args)
    np.testing.assert_array_equal(rg.grad(total, memory="40kB")(*args), whole)


INTS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "argmin": (np.argmin, (X,)),
    "argmax": (np.argmax, (X,)),
    "argmin of a matrix": (np.argmin, (M,)),
    "argmin of columns": (lambda m: np.argmin(m, axis=0), (M,)),
    "argmax of rows": (lambda m: np.argmax(m, axis=1), (M,)),
    "the first of equal": (lambda x: np.array([np.argmin(x), np.argmax(x)]), (np.ones(4),)),
    "no number": (
        lambda x: np.array([np.argmin(x), np.argmax(x)]), (np.array([1.0, np.nan, np.nan]),),
    ),
    "argsort": (lambda x: np.argsort(x, kind="stable"), (np.array([2, 1, 2, 1, 1, 0]),)),
    "sort with no numbers": (np.sort, (np.array([3.0, np.nan, 1.0, np.nan, 2.0]),)),
    "left": (lambda v: np.searchsorted(np.arange(5.0), v), (X,)),
    "right": (lambda v: np.searchsorted(np.arange(5.0), v, side="right"), (X,)),
    "one place": (lambda v: np.searchsorted(np.arange(5.0), v), (2.0,)),
    "bincount": (np.bincount, (np.array([1, 3, 1]),)),
    "more bins": (lambda x: np.bincount(x, minlength=6), (np.array([1, 3, 1]),)),
    "ints": (lambda x: np.cumsum(x) * np.cumprod(x), (np.array([1, 2, 3]),)),
    "nothing": (lambda x: np.cumsum(np.sort(x[np.zeros(0, dtype=int)])), (X,)),
}  # fmt: skip


@pytest.mark.parametrize("name", INTS)
def test_ints_as_in_numpy(name: str) -> None:
    f, args = INTS[name]

    def called(*a: Any) -> Any:
        return f(*a)

    want, got = np.asarray(called(*args)), np.asarray(rg.jit(called)(*args))
    np.testing.assert_array_equal(got, want)
    assert got.dtype == want.dtype


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.floats(-3.0, 3.0), min_size=1, max_size=9),
    st.lists(st.integers(-12, 12), max_size=9),
)
def test_any_indices(numbers: list[float], places: list[int]) -> None:
    """Numbers or IndexError as in NumPy; of several values for a place the last one stays."""
    x, at = np.array(numbers), np.array(places, dtype=np.int64)

    def read(x: Any, at: Any) -> Any:
        return x[at]

    def written(x: Any, at: Any) -> Any:
        y = x.copy()
        y[at] = at * 1.0
        return y

    for f, compiled in ((read, READ), (written, WRITTEN)):
        try:
            want = f(x, at)
        except IndexError:
            with pytest.raises(IndexError, match="out of bounds"):
                compiled(x, at)
        else:
            np.testing.assert_array_equal(compiled(x, at), want)


def _read(x: Any, at: Any) -> Any:
    return x[at]


def _written(x: Any, at: Any) -> Any:
    y = x.copy()
    y[at] = at * 1.0
    return y


READ, WRITTEN = rg.jit(_read), rg.jit(_written)

RAISE: dict[str, tuple[Callable[..., Any], tuple[Any, ...], type[Exception]]] = {
    "out of range": (lambda x: x[np.array([1, 9])], (X,), IndexError),
    "argmin of nothing": (lambda x: np.argmin(x), (np.zeros(0),), ValueError),
    "a negative bin": (lambda k: np.bincount(k), (np.array([1, -3]),), ValueError),
    "weights": (lambda w: np.bincount(np.array([1, 2]), w), (W,), ValueError),
    "too few values": (lambda x: assigned(x, np.ones(3)), (X,), ValueError),
    "an axis that is not there": (lambda x: np.cumsum(x, axis=1), (X,), ValueError),
}  # fmt: skip


@pytest.mark.parametrize("name", RAISE)
def test_what_raises(name: str) -> None:
    f, args, kind = RAISE[name]
    with pytest.raises(kind):
        f(*args)
    with pytest.raises(kind) as caught:
        rg.jit(f)(*args)
    assert any("test_index_arrays.py" in note for note in caught.value.__notes__)


REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "floats": (lambda x: x[x], "RG0109"),
    "floats for take": (lambda x: np.take(x, x), "RG0109"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    f, code = REFUSED[name]
    with pytest.raises(rg.UserError, match=code) as caught:
        rg.jit(f)(X)
    assert caught.value.span is not None
    assert caught.value.span.file == __file__


def test_an_index_is_evaluated_once() -> None:
    def f(x: Any) -> Any:
        y = x.copy()

        def place() -> Any:
            y[0] += 1.0
            return IX

        y[place()] = 5.0
        return y

    np.testing.assert_array_equal(rg.jit(f)(X), f(X))


def at_too_few(m):
    y = m * 1.0
    np.add.at(y, (np.array([0]),), 1.0)
    return y


def at_floats(m):
    y = m * 1.0
    np.add.at(y, (np.array([0.5]), 0), 1.0)
    return y


def at_slices(m):
    y = m * 1.0
    np.add.at(y, (np.array([0]), slice(None)), 1.0)
    return y


@pytest.mark.parametrize("f", [at_too_few, at_floats, at_slices])
def test_places_that_are_refused(f):
    with pytest.raises(rg.UserError) as caught:
        rg.jit(f)(M)
    assert caught.value.code == "RG0109"


def at_outside(m, w):
    y = m * 1.0
    np.add.at(y, (np.array([0, 7]), np.array([0, 0])), w[:2])
    return y


def test_places_outside_raise():
    with pytest.raises(IndexError):
        rg.jit(at_outside)(M, W)
    with pytest.raises(ValueError, match="broadcast"):
        rg.jit(lambda m, w: added_at_places(m, w[:3]))(M, W)
