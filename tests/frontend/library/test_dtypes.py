"""What programs ask of dtypes, and methods that numbers share with arrays."""

from __future__ import annotations

import typing

import numpy as np
import pytest

import retrograd as rg
from tests.frontend.harness import agree

pytestmark = pytest.mark.thinned(2)

FLOATS = np.float16 | np.float32 | np.float64
X = np.array([[0.5, -1.0, 2.0], [1.5, 3.0, -0.25]])


def asked(x, s):
    dtype = np.result_type(x, 1.0, int)
    found = np.zeros(3, dtype=dtype) + x[0]
    if not np.issubdtype(x.dtype, np.floating) or np.float64 not in FLOATS.__args__:
        return 0.0
    if np.promote_types(x.dtype, np.float32) != np.float64 or np.iterable(s):
        return 1.0
    scale = 2.0 if x.dtype.kind == "f" and np.dtype(int).itemsize == 8 else 7.0
    s = typing.cast("float", s)
    real = np.sum(np.isreal(x)) + np.sum(np.iscomplex(x)) + np.sum(np.imag(x))
    return np.sum(found) * scale * s + real + np.real_if_close(x)[0, 1]


def as_arrays(x):
    """NumPy's numbers have the methods of arrays."""
    s = np.sum(x)
    parts = s.ravel(), s.flatten(), s.reshape(1, 1)[0], np.array(s, ndmin=1)
    return np.concatenate(parts) * s.mean() + s.max() + s.clip(0.0, 3.0) + s.T * s.imag


def listed(x):
    rows = x.tolist()
    rows[0][1] = 3.0 * x[1, 0]
    first = x[0].tolist()
    first.append(x[1, 2])
    y = x.copy()
    y.sort()
    return rows[0][1] * rows[1][0] + sum(first) * len(rows) + y[0, 0] * y[1, 2]


def columns_first(x):
    y = x.reshape((3, 2), order="F")
    return y[1] * np.ravel(x, order="F")[2] + y.flatten("F")[4]


@pytest.mark.parametrize(
    ("f", "args"),
    [(asked, (X, 0.7)), (as_arrays, (X,)), (listed, (X,)), (columns_first, (X,))],
    ids=["asked", "as arrays", "listed", "columns first"],
)
def test_values_and_derivatives(f, args) -> None:
    agree(f, *args)
    rg.check_grads(f, args, order=1)


TABLE = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.5]]
PAIRS = ((1, 2.0), (3, 4.0), (5, 6.0))


def from_tables(x):
    i = 2 if x > 2.0 else 1 if x > 1.0 else 0
    row, pair = TABLE[i], PAIRS[-i]
    return row[0] * x + TABLE[i][1] * x**2 + len(row) + pair[1] * x + pair[0]


@pytest.mark.parametrize("x", [0.5, 1.5, 2.5])
def test_rows_of_tables_from_outside(x: float) -> None:
    agree(from_tables, x)
    rg.check_grads(from_tables, (x,), order=1)


class Shim:
    """A module whose functions can be exchanged, as people write it."""

    def __init__(self, module):
        self._module = module

    def __getattr__(self, name):
        return getattr(self._module, name)


shim = Shim(np)


def through_a_shim(x, flag=True):
    y = shim.sum(shim.sqrt(x * x + 1.0)) * shim.pi
    return y if hasattr(shim, "einsum") and not hasattr(flag, "squeeze") else x[0, 0]


def numbers_indexed(x):
    s = x[0, 0]
    row = s[..., None] * x[:, 1] + s[None] + s[()] * s[...]
    pairs = [(s, float(k)) for k in range(len(row))]
    return np.array(pairs)[:, 0] * row


@pytest.mark.parametrize("f", [through_a_shim, numbers_indexed])
def test_what_stands_for_modules_and_numbers_that_are_indexed(f) -> None:
    agree(f, X)
    rg.check_grads(f, (X,), order=1)


def test_a_shim_that_is_changed_is_looked_at_again() -> None:
    other = Shim(np)

    def f(x):
        return other.sin(x)

    assert rg.jit(f)(1.0) == pytest.approx(np.sin(1.0))
    other.sin = np.cos
    assert rg.jit(f)(1.0) == pytest.approx(np.cos(1.0))


RAGGED = [[1.0], [2.0, 3.0]]


@pytest.mark.parametrize(
    ("f", "code"),
    [
        (lambda x: RAGGED[1 if x[0, 0] > 0.0 else 0][0] * x, "RG0109"),
        (lambda x: np.zeros(3, dtype=np.result_type(np.float32)) + x[0], "RG0103"),
        (lambda x: x[0] * np.dtype("no such").itemsize, "RG0103"),
        (lambda x: x[0] * x.dtype.fields, "RG0107"),
    ],
    ids=["rows of two lengths", "narrow", "unknown", "fields"],
)
def test_what_is_refused(f, code) -> None:
    with pytest.raises(rg.UserError, match=code):
        rg.jit(f)(X)
