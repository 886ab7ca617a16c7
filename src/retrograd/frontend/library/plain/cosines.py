"""`scipy.fft`: cosine and sine transforms, by Fourier transforms of twice as many numbers.

Source of the definitions: V. Britanak, P. C. Yip, K. R. Rao, Discrete cosine and sine transforms,
2007, chapter 2.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain import fourier
from retrograd.frontend.library.plain.axes import counted_from_zero, size_of
from retrograd.frontend.library.plain.told import refuse

__all__ = ["dct", "dctn", "dst", "dstn", "idct", "idctn", "idst", "idstn"]

np: Any = numpy

_INVERSE = (0, 1, 3, 2, 4)
_ROOT = 1.4142135623730951


def dct(
    x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None,
    orthogonalize: Any = None,
) -> Any:  # fmt: skip
    return _along(x, type, n, axis, norm, orthogonalize, "dct", False)


def idct(
    x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None,
    orthogonalize: Any = None,
) -> Any:  # fmt: skip
    return _along(x, type, n, axis, norm, orthogonalize, "dct", True)


def dst(
    x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None,
    orthogonalize: Any = None,
) -> Any:  # fmt: skip
    return _along(x, type, n, axis, norm, orthogonalize, "dst", False)


def idst(
    x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None,
    orthogonalize: Any = None,
) -> Any:  # fmt: skip
    return _along(x, type, n, axis, norm, orthogonalize, "dst", True)


def dctn(
    x: Any, type: Any = 2, s: Any = None, axes: Any = None, norm: Any = None,
    orthogonalize: Any = None,
) -> Any:  # fmt: skip
    return _over_axes(x, type, s, axes, norm, orthogonalize, "dct", False)


def idctn(
    x: Any, type: Any = 2, s: Any = None, axes: Any = None, norm: Any = None,
    orthogonalize: Any = None,
) -> Any:  # fmt: skip
    return _over_axes(x, type, s, axes, norm, orthogonalize, "dct", True)


def dstn(
    x: Any, type: Any = 2, s: Any = None, axes: Any = None, norm: Any = None,
    orthogonalize: Any = None,
) -> Any:  # fmt: skip
    return _over_axes(x, type, s, axes, norm, orthogonalize, "dst", False)


def idstn(
    x: Any, type: Any = 2, s: Any = None, axes: Any = None, norm: Any = None,
    orthogonalize: Any = None,
) -> Any:  # fmt: skip
    return _over_axes(x, type, s, axes, norm, orthogonalize, "dst", True)


def _over_axes(
    x: Any, kind: Any, s: Any, axes: Any, norm: Any, straight: Any, name: Any, back: Any
) -> Any:
    x = np.asarray(x)
    axes = fourier.axes_of(x, s, axes)
    for k in range(len(axes)):
        x = _along(x, kind, None if s is None else s[k], axes[k], norm, straight, name, back)
    return x


def _along(
    x: Any, kind: Any, n: Any, axis: Any, norm: Any, straight: Any, name: Any, back: Any
) -> Any:
    x = np.asarray(x)
    if np.iscomplexobj(x):
        refuse(f"scipy.fft.{name} of complex numbers", "transform z.real and z.imag")
    if kind not in (1, 2, 3, 4):
        raise ValueError("Type must be 1, 2, 3 or 4 here")
    axis = counted_from_zero(axis, x.ndim)
    rows = np.moveaxis(x, axis, 0) if axis > 0 else x
    rest = rows.shape[1:]
    columns = np.reshape(rows, (rows.shape[0], size_of(rest))) * 1.0
    if n is not None:
        columns = fourier.of_length(columns, n)
    count = columns.shape[0]
    if count < (2 if name == "dct" and kind == 1 else 1):
        raise ValueError("Invalid number of data points specified.")
    straight = norm == "ortho" if straight is None else straight
    number = _INVERSE[kind] if back else kind
    found = (
        _cosines(columns, number, straight) if name == "dct" else _sines(columns, number, straight)
    )
    whole = 2 * count if kind > 1 else (2 * count - 2 if name == "dct" else 2 * count + 2)
    found = np.reshape(fourier.scaled(found, whole, norm, 1.0 if back else -1.0), (count, *rest))
    return np.moveaxis(found, 0, axis) if axis > 0 else found


def _multiplied(x: Any, first: Any, last: Any) -> Any:
    """The columns with other first and last numbers."""
    factors = np.ones(x.shape[0])
    factors[0] = factors[0] * first
    factors[-1] = factors[-1] * last
    return x * factors[:, None]


def _turned(x: Any, angles: Any) -> Any:
    return x * np.cos(angles)[:, None] - 1j * (x * np.sin(angles)[:, None])


def _cosines(x: Any, kind: Any, straight: Any) -> Any:
    n = x.shape[0]
    places = np.arange(n) * (0.5 * np.pi / n)
    if kind == 1:
        if straight:
            x = _multiplied(x, _ROOT, _ROOT)
        found = fourier.fft(np.concatenate((x, x[n - 2 : 0 : -1])), axis=0).real[:n]
        return _multiplied(found, 1.0 / _ROOT, 1.0 / _ROOT) if straight else found
    if kind == 2:
        both = fourier.fft(np.concatenate((x, x[::-1])), axis=0)[:n]
        found = both.real * np.cos(places)[:, None] + both.imag * np.sin(places)[:, None]
        return _multiplied(found, 1.0 / _ROOT, 1.0) if straight else found
    if kind == 3:
        if straight:
            x = _multiplied(x, _ROOT, 1.0)
        return 2.0 * fourier.fft(_turned(x, places), 2 * n, axis=0).real[:n] - x[0]
    both = fourier.fft(_turned(x, places), 2 * n, axis=0)[:n]
    places = places + 0.25 * np.pi / n
    return 2.0 * (both.real * np.cos(places)[:, None] + both.imag * np.sin(places)[:, None])


def _sines(x: Any, kind: Any, straight: Any) -> Any:
    n = x.shape[0]
    if kind == 1:
        zero = np.zeros((1, x.shape[1]))
        odd = np.concatenate((zero, x, zero, -x[::-1]))
        return -fourier.fft(odd, axis=0).imag[1 : n + 1]
    signs = (1.0 - 2.0 * (np.arange(n) % 2))[:, None]
    if kind == 2:
        found = _cosines(x * signs, 2, False)[::-1]
        return _multiplied(found, 1.0, 1.0 / _ROOT) if straight else found
    if kind == 3 and straight:
        x = _multiplied(x, 1.0, _ROOT)
    return signs * _cosines(x[::-1], kind, False)
