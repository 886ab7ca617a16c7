"""Functions of arrays of complex numbers that are not linear in them."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.told import pair, refuse

__all__ = [
    "all_of", "allclose", "any_of", "array_equal", "correlate", "count_nonzero", "cumprod",
    "full_like", "inv", "isclose", "iscomplex", "isreal", "nancumprod", "nancumsum", "nanmean",
    "nanprod", "nanstd", "nansum", "nanvar", "norm", "ones_like", "polyval", "prod", "rotated",
    "solve", "std", "var",
]  # fmt: skip

np: Any = numpy


def rotated(a: Any, b: Any, c: Any, d: Any) -> Any:
    """The parts of (a + bi) + i(c + di)."""
    return a - d, b + c


def iscomplex(x: Any) -> Any:
    return x.imag != 0.0


def isreal(x: Any) -> Any:
    return x.imag == 0.0


def any_of(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return np.any(a != 0.0, axis=axis, keepdims=keepdims)


def all_of(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return np.all(a != 0.0, axis=axis, keepdims=keepdims)


def count_nonzero(a: Any, axis: Any = None) -> Any:
    return np.count_nonzero(a != 0.0, axis=axis)


def prod(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    rows = np.ravel(a) if axis is None else np.moveaxis(a, axis, 0)
    found = pair(1.0, 0.0)
    if rows.ndim > 1:
        found = pair(np.ones(rows.shape[1:]), np.zeros(rows.shape[1:]))
    for k in range(rows.shape[0]):
        found = found * rows[k]
    if not keepdims:
        return found
    if axis is None:
        return np.reshape(found, (1,) * a.ndim)
    return np.expand_dims(found, axis)


def cumprod(a: Any, axis: Any = None) -> Any:
    flat = np.ravel(a) if axis is None else a
    along = 0 if axis is None else axis
    rows = np.copy(np.moveaxis(flat, along, 0))
    for k in range(1, rows.shape[0]):
        rows[k, ...] = rows[k - 1] * rows[k]
    return np.moveaxis(rows, 0, along)


def var(a: Any, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    off = a - np.mean(a, axis=axis, keepdims=True)
    squares = off.real * off.real + off.imag * off.imag
    found = np.mean(squares, axis=axis, keepdims=keepdims)
    if ddof == 0:
        return found
    count = a.size if axis is None else a.shape[axis]
    return found * (count / (count - ddof))


def std(a: Any, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    return np.sqrt(var(a, axis, ddof, keepdims))


def _known(a: Any, instead: float) -> Any:
    """What has a NaN in either part replaced."""
    return np.where(np.isnan(a), instead, a)


def _counted(a: Any, axis: Any, keepdims: Any) -> Any:
    return np.sum(np.logical_not(np.isnan(a)), axis=axis, keepdims=keepdims) * 1.0


def nansum(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return np.sum(_known(a, 0.0), axis=axis, keepdims=keepdims)


def nancumsum(a: Any, axis: Any = None) -> Any:
    return np.cumsum(_known(a, 0.0), axis=axis)


def nanprod(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return prod(_known(a, 1.0), axis, keepdims)


def nancumprod(a: Any, axis: Any = None) -> Any:
    return cumprod(_known(a, 1.0), axis)


def nanmean(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return nansum(a, axis, keepdims) / _counted(a, axis, keepdims)


def nanvar(a: Any, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    off = _known(a - nanmean(a, axis, True), 0.0)
    squares = off.real * off.real + off.imag * off.imag
    found = np.sum(squares, axis=axis, keepdims=keepdims)
    return found / (_counted(a, axis, keepdims) - ddof)


def nanstd(a: Any, axis: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    return np.sqrt(nanvar(a, axis, ddof, keepdims))


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    if ord is None and axis is None and not keepdims:
        return np.sqrt(np.sum(x.real * x.real) + np.sum(x.imag * x.imag))
    along_one = isinstance(axis, int) or (axis is None and x.ndim == 1)
    if not along_one and (ord == 2 or ord == -2 or ord == "nuc"):
        refuse("a norm of complex matrices by singular values", "use the Frobenius norm")
    return np.linalg.norm(np.abs(x), ord, axis, keepdims)


def isclose(a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: Any = False) -> Any:
    near = np.abs(a - b) <= atol + rtol * np.abs(b)
    found = np.logical_or(np.logical_and(near, np.isfinite(b)), a == b)
    if equal_nan:
        return np.logical_or(found, np.logical_and(np.isnan(a), np.isnan(b)))
    return found


def allclose(a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: Any = False) -> Any:
    return np.all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1: Any, a2: Any, equal_nan: Any = False) -> Any:
    if np.ndim(a1) != np.ndim(a2):
        return False
    for one, two in zip(np.shape(a1), np.shape(a2), strict=True):
        if one != two:
            return False
    if equal_nan:
        return np.all(np.logical_or(a1 == a2, np.logical_and(np.isnan(a1), np.isnan(a2))))
    return np.all(a1 == a2)


def ones_like(a: Any) -> Any:
    return pair(np.ones_like(a.real), np.zeros_like(a.imag))


def full_like(a: Any, fill_value: Any) -> Any:
    if not np.iscomplexobj(a):
        refuse("np.full_like of real numbers with a complex one", "give it dtype=complex")
    if not np.iscomplexobj(fill_value):
        return pair(np.full_like(a.real, fill_value), np.zeros_like(a.imag))
    return pair(np.full_like(a.real, fill_value.real), np.full_like(a.imag, fill_value.imag))


def solve(a: Any, b: Any) -> Any:
    """By the real matrix of twice the size that multiplies both parts."""
    if np.ndim(a) != 2:
        refuse("np.linalg.solve of stacks of complex matrices", "write a loop over them")
    a, b, n = np.asarray(a), np.asarray(b), np.shape(a)[0]
    both = np.concatenate((b.real, b.imag))
    x = np.linalg.solve(np.block([[a.real, -a.imag], [a.imag, a.real]]), both)
    return pair(x[:n].copy(), x[n:].copy())


def inv(a: Any) -> Any:
    return solve(a, np.eye(np.shape(a)[0]))


def correlate(a: Any, v: Any, mode: Any = "valid") -> Any:
    return np.convolve(a, np.conjugate(v)[::-1], mode)


def polyval(p: Any, x: Any) -> Any:
    """By Horner's rule."""
    p = np.asarray(p)
    found = 0.0 * x
    for k in range(np.shape(p)[0]):
        found = found * x + p[k]
    return found
