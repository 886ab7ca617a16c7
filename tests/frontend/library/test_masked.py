"""Masked arrays, compared with NumPy's: values, masks, fillings, derivatives, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

ma: Any = np.ma
X = np.array([1.3, -2.0, 3.1, 4.2, 0.6])
A = np.array([[1.3, -2.0, 3.1], [4.2, 0.6, -1.1]])
K = np.array([False, True, False, False, True])
K2 = np.array([[False, True, False], [False, True, False]])
OUTSIDE = np.ma.array([1.0, np.nan, 3.0, np.inf, 2.0], mask=[0, 1, 0, 1, 0])


def reductions(a: Any) -> Any:
    m = np.ma.masked_array(a, mask=K2)
    whole = (m.sum(), m.mean(), m.std(ddof=1), m.min(), np.max(m), m.prod(), np.var(m), m.ptp(),
             m.count(), m.argmin(), np.argmax(m), m.any(), np.ma.median(m))  # fmt: skip
    rows = [np.sum(m, axis=1), m.mean(axis=-1), m.var(axis=1), m.max(1), np.ma.average(m, axis=1)]
    columns = [m.sum(axis=0), m.mean(0), m.std(axis=0), m.min(axis=0), m.mean(0, keepdims=True)]
    rest = [m.cumsum(axis=1), m.anom(axis=1), m - m.mean(axis=1)[:, None], np.ma.cumsum(m)]
    return whole, [np.ma.filled(one, -7.0) for one in (*rows, *columns, *rest)], m.compressed()


def arithmetic(x: Any) -> Any:
    m, y = np.ma.array(x, mask=K), x[::-1]
    n = np.ma.masked_less(y, 0.9)
    made = (m + n, 1.0 - m, m * y, m / (y - y[1]), x / n, m // 0.7, m**2, 2.0**n, -m, abs(m - 5.0),
            np.sqrt(m), np.log(x * m), np.ma.sqrt(x), np.ma.log(n), np.exp(n), np.ma.arcsin(m / 4),
            np.hypot(m, n), np.maximum(m, 1.0), np.divide(m, n - n), np.ma.where(n > 2.0, m, -n),
            np.ma.multiply(x, n), m.clip(0.0, 2.0), np.round(m, 1),
            np.ma.concatenate([m, y]))  # fmt: skip
    return [(one.filled(9.0), np.ma.getmaskarray(one), one.fill_value) for one in made]


def asked(x: Any) -> Any:
    m, n = np.ma.array(x, mask=K, fill_value=4.0), np.ma.masked_greater(x, 2.0)
    bools = (m > 1.0, x <= n, m == n, m != 1.3, (m > 0.0) & (n < 1.0), ~(m > 3.0), np.isnan(n))
    held = [(one.filled(False), np.ma.getmaskarray(one)) for one in bools]
    kinds = (isinstance(m, np.ma.MaskedArray), isinstance(m, np.ndarray), hasattr(m, "mask"),
             np.ma.isMaskedArray(x), np.ma.is_masked(n), len(m), m.shape[0], m.ndim, m.size,
             m.fill_value, (n * 2.0).fill_value)  # fmt: skip
    return held, kinds, x[m > 0.7], x[~m.mask], m[1:4].filled(), m[0] + m[2:4].sum(), m.data


def changed(x: Any) -> Any:
    m = np.ma.array(x.copy(), mask=[0, 1, 0, 0, 1])
    other = m
    part = m[1:4]
    part[0] = 2.0 * x[0]
    m[m > 4.0] = np.ma.masked
    m[4] = x[1]
    other += x
    part[1:] *= 2.0
    n = np.ma.array(x.copy(), mask=False)
    n[:2] = m[2:4]
    n /= 3.0
    return m.filled(0.5), m.mean(), n.filled(0.5), [v + 1.0 for v in n.compressed()]


def chosen(x: Any) -> Any:
    made = [
        np.ma.masked_invalid(np.log(x)), np.ma.masked_where(x < 0.0, x), np.ma.masked_equal(x, 3.1),
        np.ma.masked_values(x, 3.1), np.ma.masked_inside(x, 2.0, 0.0),
        np.ma.masked_outside(x, 0.0, 2.0), np.ma.masked_less_equal(x, 0.6),
        np.ma.masked_greater_equal(x, 3.1), np.ma.masked_not_equal(x, 0.6),
        np.ma.masked_where([1, 0, 0, 0, 1], x), np.ma.array(x, mask=True),
        np.ma.array(np.ma.masked_less(x, 0.0), mask=[1, 0, 0, 0, 0]), np.ma.zeros(5),
        np.ma.array([1, 2, 3, 4, 5], mask=[0, 1, 0, 0, 0]) * 2,
        np.ma.masked_greater(2.0 * np.ma.masked_less(x, 0.0), 6.0),
        np.ma.array(2.0 * np.ma.masked_less(x, 0.0), mask=[1, 0, 0, 0, 0]),
    ]  # fmt: skip
    return [(one.filled(), np.ma.getmaskarray(one), one.count()) for one in made]


def _same(found: Any, expected: Any) -> None:
    if isinstance(expected, tuple | list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            _same(one, other)
        return
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("f", "x"), [(reductions, A), (arithmetic, X), (asked, X), (changed, X), (chosen, X)]
)
def test_values_masks_and_fillings_are_numpys(f: Callable[..., Any], x: Any) -> None:
    with np.errstate(all="ignore"):
        expected = f(x)
    _same(rg.jit(f)(x), expected)


def misfit(x: Any) -> Any:
    off = OUTSIDE - x
    rest = np.ma.masked_invalid(np.log(x))
    return np.sqrt((off**2).mean()) + (off / x).sum() + rest.std() + np.ma.sqrt(x - 1.0).sum()


def test_slopes_know_nothing_of_what_is_masked() -> None:
    with np.errstate(all="ignore"):
        rg.check_grads(misfit, (X,))
    assert np.all(np.isfinite(rg.grad(misfit)(X)))
    assert np.array_equal(rg.grad(misfit)(X), rg.grad(misfit, memory="1MB")(X))


def test_they_come_from_outside_and_go_there() -> None:
    def doubled(m: Any) -> Any:
        m[0] = 2.0 * m[2]
        return m * 2.0 + 1.0

    one = np.ma.array(X.copy(), mask=K.copy(), fill_value=-1.0)
    other = one.copy()
    found, expected = rg.jit(doubled)(one), doubled(other)
    assert isinstance(found, np.ma.MaskedArray)
    assert np.array_equal(found.mask, expected.mask)
    assert found.fill_value == expected.fill_value == -1.0
    np.testing.assert_allclose(found.compressed(), expected.compressed())
    assert np.array_equal(one.filled(), other.filled())
    bare = rg.jit(lambda m: m + 1.0)(np.ma.array(X))
    assert bare.mask is np.ma.nomask
    slope = rg.grad(lambda m: (m * m).sum())(other)
    assert np.array_equal(slope.values, np.where(K, 0.0, 2.0 * other.data))


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: ma.array(x, mask=K)[1] * 2.0, "a number that is masked"),
        (lambda x: ma.array(x, mask=True).mean(), "a number that is masked"),
        (lambda x: ma.masked_greater(x, 99.0).mask, "nothing is masked"),
        (lambda x: (ma.array(x, mask=K) * 2.0).data, "leaves under a mask"),
        (lambda x: np.median(ma.array(x, mask=K)), "median of a masked array"),
        (lambda x: ma.array(x[0], mask=False), "without axes"),
        (lambda x: (ma.array([1, 2], mask=[0, 1]) / 2).filled() * x[0], "another one than before"),
    ],
)
def test_what_numpy_has_no_number_for_is_refused(f: Callable[..., Any], message: str) -> None:
    with pytest.raises(rg.UserError, match=message):
        rg.jit(f)(X)


def test_a_mask_that_begins_later_is_refused() -> None:
    def f(x: Any) -> Any:
        m = np.ma.array(x.copy())
        m[x > 3.0] = np.ma.masked
        return m.sum()

    with pytest.raises(rg.UserError, match="has no mask yet"):
        rg.jit(f)(X)


def test_exceptions_are_numpys() -> None:
    with pytest.raises(np.ma.MaskError):
        rg.jit(lambda x: np.ma.array(x, mask=[0, 1]).sum())(X)
    with pytest.raises(IndexError):
        rg.jit(lambda x: np.ma.array(x, mask=K)[7])(X)
    with pytest.raises(IndexError):
        rg.jit(lambda x: np.ma.masked_where([True, False], x).sum())(X)
    with pytest.raises(TypeError):
        rg.jit(lambda x: np.ma.array([1, 2], mask=[0, 1]).filled(np.nan) * x[0])(X)


def test_middles_along_an_axis_and_products() -> None:
    def f(x: Any) -> Any:
        m = np.ma.masked_where(x > 1.1, x)
        rows = np.ma.median(m, axis=1).filled(0.0)
        columns = np.ma.median(m, axis=0).filled(2.0)
        both = np.ma.dot(m, m).filled(1.0)
        return np.sum(rows**2) + np.sum(columns) + np.sum(both) + np.ma.power(m, 2.0).sum()

    x = np.array([[0.3, 1.2, 0.7], [0.9, 0.4, 1.0], [1.3, 1.4, 1.5]])
    value, slope = rg.value_and_grad(f)(x)
    assert value == pytest.approx(float(f(x)), rel=1e-13)
    d = np.cos(np.arange(9.0)).reshape(3, 3)
    rise = (float(f(x + 1e-6 * d)) - float(f(x - 1e-6 * d))) / 2e-6
    assert np.sum(slope * d) == pytest.approx(rise, rel=1e-7)
