"""Arrays and numbers of ints of 8, 16 and 32 bits: NumPy's values, or an error at the line."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

KINDS = (np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32)
X = np.array([1.5, 2.5, -0.5, 4.2])


def same(one: Any, other: Any) -> None:
    if isinstance(other, tuple | list):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            same(a, b)
    elif isinstance(other, np.ndarray):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    else:
        assert one == other


def arithmetic(a: Any, b: Any) -> Any:
    c = a.copy()
    c += b
    c *= 3
    c[1:] -= 7
    c[c > 5] = -c[c > 5]
    return (
        a + b, a - b, a * b, a // 7, a % 7, b - 1, -a, ~a, abs(b), a & b, a | b, a ^ 5, a**2, c,
        a > b, a == 3, 2 * a, 5 - a, a / 2, a * 0.5, np.maximum(a, b), np.minimum(a, 2),
        np.add(a, b), np.negative(a), np.where(a > b, a, 0), np.clip(a, 1, 5),
    )  # fmt: skip


def rearranged(a: Any, b: Any) -> Any:
    return (
        a[::-1], a[1], a.reshape(2, 2).T, a.reshape(2, 2)[1], np.sort(a), np.unique(b),
        np.roll(a, 1),
        np.concatenate([a, b]), np.stack([a, b]), np.min(a), a.max(), np.diff(a), np.flip(a),
        a.astype(float), a.astype(np.int64), a.astype(np.int8), np.zeros_like(a), np.repeat(a, 2),
        np.mean(a), a.std(), np.argsort(a), np.nonzero(a > 2)[0], np.copy(a), np.asarray(a), len(a),
        np.pad(a, 1), np.take(a, [0, 2]), a[[1, 1]], a[a > 1], list(a), a.tolist(),
    )  # fmt: skip


_ALL = [(program, kind) for program in (arithmetic, rearranged) for kind in KINDS]
_SOME = ((arithmetic, np.uint8), (arithmetic, np.int32), (rearranged, np.uint16))
_MARKED = [one if one in _SOME else pytest.param(*one, marks=pytest.mark.slow) for one in _ALL]


@pytest.mark.parametrize(("program", "kind"), _MARKED)
def test_operations_wrap_around_as_in_numpy(program: Callable[..., Any], kind: Any) -> None:
    low, high = np.iinfo(kind).min, np.iinfo(kind).max
    a, b = np.array([low, high, 3, high - 1], dtype=kind), np.array([high, 2, 9, 2], dtype=kind)
    if program is arithmetic:
        b[1] = 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(rg.jit(program)(a, b), program(a, b))


def test_classes_of_both_decide() -> None:
    def mixed(a: Any, b: Any, c: Any, k: Any) -> Any:
        return a + b, b + c, a * c, a + k, a + np.int64(1), a + np.int16(300), a + True, b + 1.5

    a, b, c = (np.array([100, 5], dtype=kind) for kind in (np.int8, np.uint8, np.int64))
    for k in (3, np.int64(3)):
        same(rg.jit(mixed)(a, b, c, k), mixed(a, b, c, k))


def made(x: Any) -> Any:
    counts = np.zeros(3, dtype=np.int32)
    for value in x:
        counts[int(value) % 3] += 1
    return (
        counts, np.ones((2, 2), "uint8"), np.full(2, -1, np.int16), np.eye(2, dtype=np.int8),
        np.array([1.7, -1.7], dtype=np.int32), np.arange(1, 7, 2, dtype=np.uint16),
        np.array([[1, 2], [3, 4]], np.int32), x.astype(np.int32), (x > 0).astype("int8"),
        np.zeros(2, dtype=counts.dtype), np.int32(7) // 2, np.array(np.arange(300), np.uint8),
    )  # fmt: skip


def test_arrays_are_made_of_these_classes() -> None:
    same(rg.jit(made)(X), made(X))


TABLE = np.array([3, 1, 2, 0], dtype=np.int32)


def indexed(x: Any, label: Any) -> Any:
    order = np.argsort(x).astype(np.int32)
    spins = np.ones(4, dtype=np.int8)
    spins[label == 1] = -1
    total = 0.0
    for k, j in enumerate(TABLE):
        total += x[j] * x[k] * spins[k]
    bins = np.zeros(2)
    np.add.at(bins, label, x**2)
    return total + np.sum(x[order[:2]] * spins[:2]) + bins[0] * bins[1] + np.dot(spins, x)


def test_they_are_indices_and_factors() -> None:
    label = np.array([0, 1, 1, 0], dtype=np.uint8)
    assert rg.jit(indexed)(X, label) == pytest.approx(indexed(X, label))
    whole = rg.grad(indexed)(X, label)
    step = np.array([0.0, 1e-6, 0.0, 0.0])
    slope = (indexed(X + step, label) - indexed(X - step, label)) / 2e-6
    assert whole[1] == pytest.approx(slope, rel=1e-6)
    assert np.array_equal(rg.grad(indexed, memory=10**6)(X, label), whole)


@pytest.mark.slow
def test_derivatives_satisfy_their_identities() -> None:
    label = np.array([0, 1, 1, 0], dtype=np.uint8)
    rg.check_grads(lambda x: indexed(x, label), (X,))


def test_ints_in_a_tree_have_no_gradient() -> None:
    tree = {"x": X, "label": np.array([0, 1, 1, 0], dtype=np.uint8)}
    found = rg.grad(lambda p: np.sum(p["x"][p["label"]]))(tree)
    assert found["label"] is None
    assert np.array_equal(found["x"], [2.0, 2.0, 0.0, 0.0])


def test_numbers_that_would_wrap_around_raise() -> None:
    def difference(u: Any) -> Any:
        return u[0] - u[1]

    def widened(u: Any) -> Any:
        return int(u[0]) - int(u[1])

    u = np.array([3, 5], dtype=np.uint8)
    with pytest.raises(OverflowError, match="uint8 wraps around"):
        rg.jit(difference)(u)
    assert rg.jit(widened)(u) == -2
    assert rg.jit(difference)(u[::-1]) == 2
    with pytest.raises(OverflowError, match="uint64 wraps around"):
        rg.jit(lambda u: np.sum(u) - 100)(u)


@pytest.mark.parametrize(
    ("program", "error", "match"),
    [
        (lambda u: np.sqrt(u), rg.UserError, "np.sqrt of ints of less than 64 bits"),
        (lambda u: u @ u, rg.UserError, "product of matrices"),
        (lambda u: u.sum(axis=0), rg.UserError, "np.uint64"),
        (lambda u: np.kron(u, u), rg.UserError, r"x\.astype\(np\.int64\)"),
        (lambda u: np.zeros(2, np.float32), rg.UserError, "float32 is not accepted"),
        (lambda u: np.sum(u, dtype=np.int32), rg.UserError, "int32 is not accepted here"),
        (lambda u: np.array([300], dtype=np.uint8), OverflowError, "out of bounds"),
        (lambda u: np.int8(200), OverflowError, "out of bounds"),
    ],
)
def test_what_is_not_there_is_refused(program: Any, error: Any, match: str) -> None:
    u = np.array([[3, 5], [1, 2]], dtype=np.uint8)
    with pytest.raises(error, match=match):
        rg.jit(program)(u)


def test_an_array_from_outside_is_not_changed() -> None:
    def put(u: Any) -> Any:
        u[0] = 7
        return u

    def copied(u: Any) -> Any:
        u = u.copy()
        u[0] = 7
        return u

    u = np.array([3, 5], dtype=np.int32)
    with pytest.raises(rg.UserError, match=r"x = x\.copy\(\)"):
        rg.jit(put)(u)
    same(rg.jit(copied)(u), np.array([7, 5], dtype=np.int32))
    with pytest.raises(OverflowError):
        rg.jit(lambda c: copied(c * 0 + 1) + np.zeros(2, np.int8) * 0 + _too_large(c))(u)


def _too_large(c: Any) -> Any:
    d = np.zeros(2, dtype=np.int8)
    d[0] = 100 * c[1]
    return d
