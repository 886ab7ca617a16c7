"""Masks, and index arrays beside other indices: NumPy's results and errors, right derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.frontend.harness import agree
from tests.orders import BOTH_ORDERS

pytestmark = pytest.mark.thinned(2)

X = np.array([0.5, -1.25, 2.0, 0.75, 1.5, -0.25, 3.0])
M = np.array([[0.5, 1.0, -0.5, 2.0], [1.5, 0.25, 2.5, -1.0], [-2.0, 0.75, 1.25, 0.125]])
T = np.linspace(-1.5, 2.0, 24).reshape(2, 3, 4)
IX = np.array([2, 0, -1, 2])
JX = np.array([1, 1, 3, 1])
GRID = np.array([[1, 2], [3, -4]])


def number_where(x):
    y = x * 2.0
    y[x > 0.6] = x[0] ** 2.0
    return y


def number_in_rows(m):
    y = m * m
    y[m[:, 1] > 0.5] = m[0, 0] * 3.0
    return y


def where_one_is_in(x):
    seen = 2.0 if 2.0 in x else 1.0
    if False in (x > -2.0) or 0.75 not in x[:4]:
        return x
    return x * seen * (3.0 if 5.0 in x[None, :] else 0.5)


def number_in_columns(m):
    y = m * m
    y[1:, m[0] > 0.6] = m[0, 0] * 3.0
    return y


def values_where(x):
    y = x * 2.0
    y[x > 0.6] = x[x > 0.6] ** 3.0
    return y


def one_value_where(x):
    y = x * 2.0
    y[x > 0.6] = x[:1]
    return y


def values_of_a_matrix(m):
    y = m * 2.0
    y[m > 0.4] = np.arange(7.0) * m[0, 1]
    return y


def logarithms(x):
    y = np.zeros(len(x))
    y[x > 0.0] = np.log(x[x > 0.0])
    return y


def scaled_where(m):
    y = m * 2.0
    y[m > 0.4] *= m[m > 0.4]
    return y


def less_where(x):
    y = x.copy()
    y[y > 0.6] -= 0.5
    return y


def by_flags(m):
    y = m * m
    yes, no = m[0, 0] > 0.0, m[0, 0] < 0.0
    y[yes, 0] = 0.25 * m[yes, 1, 1]
    y[no, 1, 3] = m[no, 2, 2]
    y[1, yes] += m[2]
    y[no] = 7.0
    y[:, yes, 3] *= 1.5 * m[0, 1]
    return y


def rows_where(m):
    y = m * 2.0
    y[m[:, 1] > 0.5, :] = m[2] * m[0]
    return y


def columns_where(m):
    y = m * 2.0
    y[:, m[0] > 0.6] = m[:, :2] ** 2.0
    return y


def elements(m):
    y = m * 2.0
    y[IX, JX] = m[0] ** 2.0
    return y


def elements_added(m):
    """(2, 1) is there twice: the last one counts."""
    y = m * 2.0
    y[IX, JX] += m[1] ** 2.0
    return y


def columns_added(m):
    y = m * 2.0
    y[:, JX] += m**2.0
    return y


def columns_assigned(m):
    y = m * 2.0
    y[:, IX] = m[:, :1] ** 2.0
    return y


def row_assigned(m):
    y = m * 2.0
    y[1, IX] = m[0] ** 2.0
    return y


def crossed(m):
    y = m * 2.0
    y[np.ix_([0, 2], [1, 3])] *= m[:2, :2]
    return y


def block_assigned(c):
    y = c * 2.0
    y[0, :, IX] = c[1].T ** 2.0
    return y


def swapped(x):
    y = x * 1.0
    y[[0, 1]] = y[[1, 0]] ** 2.0
    return y


def own_part(x):
    y = x * 1.0
    y[[0, 1, 2, 3]] = y[:4][::-1]
    return y


def counted(m):
    above = m[m > 0.4]
    return np.array([above.mean(), above.sum() * len(above), np.max(above) / above.size])


def looped(x):
    total = 0.0
    for k in np.where(x > 0.6)[0]:
        total += x[k] ** 3.0
    return total


FUNCTIONS: dict[str, tuple[Callable[..., Any], Any]] = {
    "x[m]": (lambda x: x[x > 0.6] ** 2.0, X),
    "x[flag]": (lambda x: x[x[2] > 0.6] ** 2.0, X),
    "x[no]": (lambda x: np.sum(x[x[0] > 0.6] ** 2.0) + x, X),
    "m[flag, j]": (lambda m: m[m[0, 0] > 0.0, -1] ** 2.0, M),
    "m[i, flag]": (lambda m: m[1, m[0, 0] > 0.0] ** 2.0, M),
    "m[:, flag, ix]": (lambda m: m[:, m[0, 0] > 0.0, IX] ** 2.0, M),
    "m[flag, :, j]": (lambda m: m[m[0, 0] > 0.0, :, 1] ** 2.0, M),
    "m[flag, m]": (lambda m: m[m[0, 0] > 0.0, m[:, 1] > 0.5] ** 2.0, M),
    "c[..., flag, j, k]": (lambda c: c[..., c[0, 0, 0] < 0.0, 1, 2] ** 2.0, T),
    "sum[flag]": (lambda x: np.sum(x)[x[2] > 0.6] ** 2.0, X),
    "m[m]": (lambda m: m[m > 0.4] ** 2.0, M),
    "c[m]": (lambda c: c[c > 0.4] ** 2.0, T),
    "m[m, :]": (lambda m: m[m[:, 1] > 0.5, :] ** 2.0, M),
    "m[:, m]": (lambda m: m[:, m[0] > 0.6] ** 2.0, M),
    "c[:, mm]": (lambda c: c[:, c[0] > -0.9] ** 2.0, T),
    "none": (lambda m: np.sum(m[m > 99.0]) * m, M),
    "m[ix, jx]": (lambda m: m[IX, JX] ** 2.0, M),
    "m[:, ix]": (lambda m: m[:, IX] ** 2.0, M),
    "m[ix, :]": (lambda m: m[IX, :] ** 2.0, M),
    "m[i, ix]": (lambda m: m[-1, IX] ** 2.0, M),
    "m[ix, j]": (lambda m: m[IX, 2] ** 2.0, M),
    "m[:, grid]": (lambda m: m[:, GRID] ** 2.0, M),
    "m[row of, ix]": (lambda m: m[IX[:, None], JX] ** 2.0, M),
    "m[list]": (lambda m: m[[0, -1]] ** 2.0, M),
    "m[list, list]": (lambda m: m[[0, -1], [True, False, False, True]] ** 2.0, M),
    "m[ix_]": (lambda m: m[np.ix_([0, 2], m[0] > 0.6)] ** 2.0, M),
    "c[i, :, ix]": (lambda c: c[0, :, IX] ** 2.0, T),
    "c[:, ix, jx]": (lambda c: c[:, IX, JX] ** 2.0, T),
    "c[:, ix, ..., jx]": (lambda c: c[:, IX, ..., JX] ** 2.0, T),
    "c[..., jx]": (lambda c: c[..., JX] ** 2.0, T),
    "c[1:, ::-2, jx]": (lambda c: c[1:, ::-2, JX] ** 2.0, T),
    "x[None, ix]": (lambda x: x[None, IX] ** 2.0, X),
    "m[where]": (lambda m: m[np.where(m > 0.4)] ** 2.0, M),
    "x[flatnonzero]": (lambda x: x[np.flatnonzero(x > 0.6)] ** 2.0, X),
    "compress": (lambda m: np.compress(m[:, 1] > 0.5, m, axis=0) ** 2.0, M),
    "extract": (lambda m: np.extract(m > 0.4, m) ** 2.0, M),
    "take of columns": (lambda m: np.take(m, IX, axis=1) ** 2.0, M),
    **{
        f.__name__: (f, data)
        for data, functions in (
            (X, (
                number_where, values_where, one_value_where, logarithms, less_where, swapped,
                own_part, looped, where_one_is_in,
            )),
            (M, (
                number_in_rows, number_in_columns, values_of_a_matrix, scaled_where, rows_where,
                columns_where, elements, elements_added, columns_added, columns_assigned,
                row_assigned, crossed, counted, by_flags,
            )),
            (T, (block_assigned,)),
        )
        for f in functions
    },
}  # fmt: skip
FIRST = {"x[m]", "m[:, m]", "c[i, :, ix]", "number_in_columns", "logarithms", "elements_added"}
FIRST |= {"m[:, flag, ix]", "by_flags", "where_one_is_in"}


def _tiered(names: set[str]) -> Any:
    """Some are in the first tier, the others in the slow one."""
    marks = [pytest.param(n, marks=() if n in names else pytest.mark.slow) for n in FUNCTIONS]
    return pytest.mark.parametrize("name", marks)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_interpreted_as_in_numpy(name: str) -> None:
    f, data = FUNCTIONS[name]
    agree(f, data)


@_tiered(FIRST)
def test_compiled_as_in_numpy(name: str) -> None:
    f, data = FUNCTIONS[name]
    want, got = f(data), rg.jit(f)(data)
    np.testing.assert_allclose(got, want, rtol=1e-13)
    assert np.shape(got) == np.shape(want)


@pytest.mark.thinned(2)
@_tiered(FIRST)
@BOTH_ORDERS
def test_the_identities(name: str, order: int) -> None:
    f, data = FUNCTIONS[name]
    rg.check_grads(lambda *a: np.sum(f(*a) * 1.5), (data,), order)


@pytest.mark.thinned(2)
@_tiered(FIRST)
def test_budgets(name: str) -> None:
    f, data = FUNCTIONS[name]

    def total(x: Any) -> Any:
        return np.sum(f(x) * 1.5)

    whole = rg.grad(total)(data)
    np.testing.assert_array_equal(rg.grad(total, memory="40kB")(data), whole)


def test_no_gradient_from_what_was_not_chosen() -> None:
    """It would be 0 times infinity."""
    slope = rg.grad(lambda x: np.sum(logarithms(x)))(np.array([2.0, 0.0, 4.0]))
    np.testing.assert_array_equal(slope, [0.5, 0.0, 0.25])


def changed_by_numbers(x: Any, c: Any) -> Any:
    y, z = x * 1.5, np.outer(x, x)
    y[x < 0.6] *= 0.1
    y[x > 0.7] /= -4
    y[x < 1.0] += c
    z[x > 0.6] -= c
    z[z > 1.1] *= c
    return np.sum(y * y) + np.sum(z)


def test_numbers_change_what_is_chosen() -> None:
    """What is not chosen is changed as well, by numbers that are known, and then left out."""
    agree(changed_by_numbers, X, 0.25)
    assert rg.jit(changed_by_numbers)(X, 0.25) == pytest.approx(changed_by_numbers(X, 0.25))
    rg.check_grads(changed_by_numbers, (X, 0.25), 2, ("fwd", "rev"))
    whole = rg.grad(changed_by_numbers, (0, 1))(X, 0.25)
    for one, other in zip(
        rg.grad(changed_by_numbers, (0, 1), memory="40kB")(X, 0.25), whole, strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_infinities_that_are_not_chosen_stay_out() -> None:
    def f(x: Any, c: Any) -> Any:
        y = x + 1.0
        y[x < 9.0] *= c
        y[x < 9.0] *= 0.5
        y[x < 9.0] += c
        return y[0] + y[2]

    slopes = rg.grad(f, (0, 1))(np.array([2.0, np.inf, 4.0]), 3.0)
    np.testing.assert_array_equal(slopes[0], [1.5, 0.0, 1.5])
    assert slopes[1] == 6.0


def test_a_number_goes_where_it_was_written() -> None:
    def f(x: Any, v: Any) -> Any:
        y = x * 3.0
        y[x > 0.6] = v
        return np.sum(y)

    by_x, by_v = rg.grad(f, argnums=(0, 1))(X, 0.5)
    np.testing.assert_array_equal(by_x, np.where(X > 0.6, 0.0, 3.0))
    assert by_v == np.sum(X > 0.6)


PLACES: dict[str, Callable[[Any], Any]] = {
    "where": lambda m: np.where(m > 0.4),
    "nonzero": np.nonzero,
    "method": lambda m: (m > 0.4).nonzero(),
    "flatnonzero": lambda m: np.flatnonzero(m > 0.4),
    "argwhere": lambda m: np.argwhere(m > 0.4),
    "none": lambda m: np.where(m > 99.0)[0],
    "how many": lambda m: len(m[m > 0.4]) + np.count_nonzero(m < 0.0),
    "ints": lambda m: np.arange(m.size)[np.ravel(m) > 0.4],
    "bools": lambda m: (m > 1.0)[m > 0.4],
    "take": lambda m: np.take(np.arange(5), 3) + np.take(np.arange(5), [[1, 2]]),
}


@pytest.mark.parametrize("name", PLACES)
def test_where_it_is_true(name: str) -> None:
    f = PLACES[name]
    for data in (M, M[:0], M[:, :0], M[0], T):
        agree(lambda m: f(m), data)


def test_rows_and_columns() -> None:
    for data in (M, M[:, :0]):
        agree(lambda m: np.ix_(np.arange(3), m[0] > 0.4), data)


def writes_to_ints(x: Any) -> Any:
    y = np.arange(7)
    y[x > 0.6] = 9.0
    y[IX] += 2
    seen = x > 5.0
    seen[IX] = True
    seen[x > 2.5] = False
    return y, seen


def test_arrays_of_ints_and_bools() -> None:
    agree(writes_to_ints, X)


def test_an_argument_is_written() -> None:
    def f(m: Any) -> None:
        m[m > 0.4] = 0.0
        m[:, [0, 1]] += 1.0

    agree(f, M.copy())
    ours, theirs = M.copy(), M.copy()
    rg.jit(f)(ours)
    f(theirs)
    np.testing.assert_array_equal(ours, theirs)


def stored(m: Any, at: Any, values: Any) -> Any:
    y = m * 1.0
    y[at] = values
    return y


SHORT = np.array([True, False])
TRUE = np.ones((3, 4), dtype=bool)

RAISE: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "a short mask": (lambda m: m[SHORT], IndexError, "did not match indexed array along axis 0"),
    "columns": (lambda m: m[:, SHORT], IndexError, "did not match indexed array along axis 1"),
    "a mask of rank 2": (lambda m: m[TRUE[:, :2]], IndexError, "indexed array along axis 1"),
    "written": (lambda m: stored(m, SHORT, 0.0), IndexError, "did not match indexed array"),
    "out of range": (lambda m: m[IX, JX + 1], IndexError, "out of bounds for axis"),
    "far below": (lambda m: m[:, IX - 4], IndexError, "out of bounds for axis"),
    "arrays that do not fit": (lambda m: m[IX, JX[:3]], IndexError, "could not be broadcast"),
    "too few values": (lambda m: stored(m, m > 0.4, m[0]), ValueError, "NumPy boolean array ind"),
    "other values": (lambda m: stored(m, IX, m[:, 0]), ValueError, "shape mismatch: value array"),
    "other rows": (lambda m: stored(m, IX, m[:2]), ValueError, "shape mismatch: value array"),
    "compress": (lambda m: np.compress([True] * 5, m, axis=1), IndexError, "out of bounds"),
    "nonzero": (lambda m: np.nonzero(m[0, 0]), ValueError, "Calling nonzero on 0d arrays"),
}


@pytest.mark.parametrize("name", RAISE)
def test_what_raises(name: str) -> None:
    f, kind, text = RAISE[name]
    with pytest.raises(kind, match=text):
        f(M)
    with pytest.raises(kind, match=text) as caught:
        rg.jit(f)(M)
    assert any("test_masks.py" in note for note in caught.value.__notes__)


REFUSED: dict[str, Callable[[Any], Any]] = {
    "floats": lambda m: m[:, m[0]],
    "rank 9 by a bool": lambda m: m[..., None, None, None, None, None][m[0, 0, 0] > 0.0],
    "a mask of more axes": lambda m: m[0][m > 0.0],
    "too many": lambda m: m[IX, JX, IX],
    "rank 9": lambda m: m[GRID[:, :, None], GRID[0], None, None, None, None, None, None],
    "a string": lambda m: m["x", IX],
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    with pytest.raises(rg.UserError, match="RG0109") as caught:
        rg.jit(REFUSED[name])(M)
    assert caught.value.span is not None
    assert caught.value.span.file == __file__


def test_an_index_is_evaluated_once() -> None:
    def f(m: Any) -> Any:
        y = m * 1.0

        def mask() -> Any:
            y[0] += 1.0
            return y[:, 0] > 0.0

        y[mask(), 1:] += 5.0
        return y

    agree(f, M)
