"""`np.fft`: transforms along axes, and the frequencies that belong to them."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library import written_fourier
from retrograd.frontend.library.plain.axes import counted_from_zero, size_of
from retrograd.frontend.library.plain.told import pair

__all__ = ["TRANSFORMS", "axes_of", "fft", "irfft", "of_length", "rfft", "scaled"]

TRANSFORMS = (
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
)  # fmt: skip
"""The functions of `np.fft`."""

np: Any = numpy


def fft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    return _along(np.asarray(a), n, axis, norm, -1.0)


def ifft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    return _along(np.asarray(a), n, axis, norm, 1.0)


def _along(a: Any, n: Any, axis: Any, norm: Any, sign: Any) -> Any:
    """A transform along an axis, of n numbers: more are left away, and zeros put behind fewer."""
    axis = counted_from_zero(axis, a.ndim)
    rows = np.moveaxis(a, axis, 0) if axis > 0 else a
    rest = rows.shape[1:]
    columns = np.reshape(rows, (rows.shape[0], size_of(rest)))
    count = rows.shape[0] if n is None else n
    if count < 1:
        raise ValueError("Invalid number of FFT data points specified.")
    real, imag = columns.real, columns.imag
    if n is not None:
        real, imag = of_length(real, count), of_length(imag, count)
    real, imag = written_fourier.transformed(real * 1.0, imag * 1.0, sign)
    found = pair(np.reshape(real, (count, *rest)), np.reshape(imag, (count, *rest)))
    return scaled(np.moveaxis(found, 0, axis) if axis > 0 else found, count, norm, sign)


def of_length(x: Any, n: Any) -> Any:
    out, kept = np.zeros((n, x.shape[1])), min(n, x.shape[0])
    out[:kept, :] = x[:kept, :]
    return out


def scaled(x: Any, n: Any, norm: Any, sign: Any) -> Any:
    if norm is None or norm == "backward":
        return x if sign < 0.0 else x * (1.0 / n)
    if norm == "ortho":
        return x * (1.0 / np.sqrt(n))
    if norm == "forward":
        return x * (1.0 / n) if sign < 0.0 else x
    raise ValueError('Invalid norm value; should be "backward", "ortho" or "forward".')


def rfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    a = np.asarray(a)
    axis = counted_from_zero(axis, a.ndim)
    if np.iscomplexobj(a):
        raise TypeError("ufunc 'rfft_n_even' did not contain a loop with signature")
    count = a.shape[axis] if n is None else n
    found = _along(a, n, axis, norm, -1.0)
    return found[(slice(None),) * axis + (slice(None, count // 2 + 1),)]


def irfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    a = np.asarray(a)
    axis = counted_from_zero(axis, a.ndim)
    rows = np.moveaxis(a, axis, 0) if axis > 0 else a
    rest = rows.shape[1:]
    columns = np.reshape(rows, (rows.shape[0], size_of(rest)))
    count = 2 * (rows.shape[0] - 1) if n is None else n
    if count < 1:
        raise ValueError("Invalid number of FFT data points specified.")
    half = count // 2 + 1
    first, second = of_length(columns.real, half), of_length(columns.imag, half)
    # What stands behind the middle is the mirror image, of the conjugate.
    tail = (count - 1) // 2
    real, imag = np.zeros((count, columns.shape[1])), np.zeros((count, columns.shape[1]))
    real[:half, :] = first
    real[half:, :] = first[tail:0:-1, :]
    imag[1 : tail + 1, :] = second[1 : tail + 1, :]
    imag[half:, :] = -second[tail:0:-1, :]
    real, imag = written_fourier.transformed(real, imag, 1.0)
    found = np.reshape(real, (count, *rest))
    return scaled(np.moveaxis(found, 0, axis) if axis > 0 else found, count, norm, 1.0)


def hfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    return irfft(np.conj(a), n, axis, _turned(norm))


def ihfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    return np.conj(rfft(a, n, axis, _turned(norm)))


def _turned(norm: Any) -> Any:
    """What the transform the other way is scaled by."""
    if norm is None or norm == "backward":
        return "forward"
    return "backward" if norm == "forward" else norm


def rfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    a = np.asarray(a)
    axes = axes_of(a, s, axes)
    last = len(axes) - 1
    found = rfft(a, None if s is None else s[last], axes[last], norm)
    return _along_axes(found, None if s is None else s[:last], axes[:last], norm, -1.0)


def irfftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    a = np.asarray(a)
    axes = axes_of(a, s, axes)
    last = len(axes) - 1
    found = _along_axes(a, None if s is None else s[:last], axes[:last], norm, 1.0)
    return irfft(found, None if s is None else s[last], axes[last], norm)


def rfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
    return rfftn(a, s, axes, norm)


def irfft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
    return irfftn(a, s, axes, norm)


def fftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    return _along_axes(np.asarray(a), s, axes, norm, -1.0)


def ifftn(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    return _along_axes(np.asarray(a), s, axes, norm, 1.0)


def fft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
    return _along_axes(np.asarray(a), s, axes, norm, -1.0)


def ifft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
    return _along_axes(np.asarray(a), s, axes, norm, 1.0)


def _along_axes(a: Any, s: Any, axes: Any, norm: Any, sign: Any) -> Any:
    axes = axes_of(a, s, axes)
    for k in range(len(axes)):
        a = _along(a, None if s is None else s[k], axes[k], norm, sign)
    return a


def axes_of(a: Any, s: Any, axes: Any) -> Any:
    if axes is not None:
        return axes
    count = a.ndim if s is None else len(s)
    return tuple([k - count for k in range(count)])


def fftfreq(n: Any, d: Any = 1.0) -> Any:
    half = (n - 1) // 2 + 1
    counts = np.arange(n)
    return np.where(counts < half, counts, counts - n) / (n * d)


def rfftfreq(n: Any, d: Any = 1.0) -> Any:
    return np.arange(n // 2 + 1) / (n * d)


def fftshift(x: Any, axes: Any = None) -> Any:
    x = np.asarray(x)
    if axes is None:
        axes = tuple(range(x.ndim))
    for axis in (axes,) if isinstance(axes, int) else axes:
        x = np.roll(x, x.shape[axis] // 2, axis)
    return x


def ifftshift(x: Any, axes: Any = None) -> Any:
    x = np.asarray(x)
    if axes is None:
        axes = tuple(range(x.ndim))
    for axis in (axes,) if isinstance(axes, int) else axes:
        x = np.roll(x, -(x.shape[axis] // 2), axis)
    return x
