"""Spectra and envelopes of `scipy.signal`, of real samples."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain import signals, tapers
from retrograd.frontend.library.plain.axes import is_sequence
from retrograd.frontend.library.plain.told import refuse

__all__ = ["coherence", "csd", "hilbert", "periodogram", "welch"]

np: Any = numpy


def _window(window: Any, n: Any) -> Any:
    """The window, and how long it is; one that is given has its own length."""
    if isinstance(window, str) or (is_sequence(window) and isinstance(window[0], str)):
        return tapers.get_window(window, n)
    found = np.asarray(window) * 1.0
    if found.ndim != 1:
        raise ValueError("window must be 1-D")
    return found


def _spectra(pieces: Any, window: Any, fs: Any, nfft: Any, detrend: Any, scaling: Any) -> Any:
    """The frequencies, the amplitudes at each in each of the pieces, and what their products are
    multiplied by."""
    if scaling != "density" and scaling != "spectrum":
        raise ValueError("Parameter 'scaling' is not 'density' or 'spectrum'")
    still = signals.detrend(pieces, -1, detrend) if isinstance(detrend, str) else pieces
    n = max(pieces.shape[1], nfft)
    found = np.fft.rfft(still * window, n)
    whole = np.sum(window)
    width = fs * np.sum(window * window) if scaling == "density" else whole * whole
    k = np.arange(n // 2 + 1)
    alone = (k == 0) | (2 * k == n)
    return k * (fs / n), found, np.where(alone, 1.0, 2.0) / width


def _power(pieces: Any, window: Any, fs: Any, nfft: Any, detrend: Any, scaling: Any) -> Any:
    """The frequencies, and the power at each in each of the pieces."""
    frequencies, found, factor = _spectra(pieces, window, fs, nfft, detrend, scaling)
    return frequencies, (found.real * found.real + found.imag * found.imag) * factor


def _samples(x: Any, return_onesided: Any) -> Any:
    found = np.asarray(x) * 1.0
    if found.ndim != 1:
        refuse("spectra of several lines of samples", "write a loop over them")
    if not return_onesided:
        refuse("spectra with both sides", "leave return_onesided out")
    return found


def periodogram(
    x: Any, fs: Any = 1.0, window: Any = "boxcar", nfft: Any = None, detrend: Any = "constant",
    return_onesided: Any = True, scaling: Any = "density",
) -> Any:  # fmt: skip
    found = _samples(x, return_onesided)
    n = len(found) if nfft is None else nfft
    used = found[: min(n, len(found))]
    taper = _window(window, len(used))
    frequencies, power = _power(used[None, :], taper, fs, n, detrend, scaling)
    return frequencies, power[0]


def welch(
    x: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
    nfft: Any = None, detrend: Any = "constant", return_onesided: Any = True,
    scaling: Any = "density", average: Any = "mean",
) -> Any:  # fmt: skip
    pieces, taper, n = _pieces(_samples(x, return_onesided), window, nperseg, noverlap, nfft)
    frequencies, power = _power(pieces, taper, fs, n, detrend, scaling)
    if average == "mean":
        return frequencies, np.mean(power, axis=0)
    return refuse(f"scipy.signal.welch with average={average!r}", "average='mean' is compiled")


def csd(
    x: Any, y: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
    nfft: Any = None, detrend: Any = "constant", return_onesided: Any = True,
    scaling: Any = "density", axis: Any = -1, average: Any = "mean",
) -> Any:  # fmt: skip
    one, other = _of_one_length(x, y, return_onesided)
    pieces, taper, n = _pieces(one, window, nperseg, noverlap, nfft)
    frequencies, found, factor = _spectra(pieces, taper, fs, n, detrend, scaling)
    more = _pieces(other, window, nperseg, noverlap, nfft)[0]
    rest = _spectra(more, taper, fs, n, detrend, scaling)[1]
    if average != "mean":
        refuse(f"scipy.signal.csd with average={average!r}", "average='mean' is compiled")
    return frequencies, np.mean(np.conj(found) * rest * factor, axis=0)


def coherence(
    x: Any, y: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
    nfft: Any = None, detrend: Any = "constant", axis: Any = -1,
) -> Any:  # fmt: skip
    frequencies, power = welch(x, fs, window, nperseg, noverlap, nfft, detrend)
    rest = welch(y, fs, window, nperseg, noverlap, nfft, detrend)[1]
    both = csd(x, y, fs, window, nperseg, noverlap, nfft, detrend)[1]
    return frequencies, (both.real * both.real + both.imag * both.imag) / power / rest


def _of_one_length(x: Any, y: Any, return_onesided: Any) -> Any:
    """Both lines of samples, the shorter one with zeros at its end."""
    one, other = _samples(x, return_onesided), _samples(y, return_onesided)
    n = max(len(one), len(other))
    filled = np.concatenate([one, np.zeros(n - len(one))])
    return filled, np.concatenate([other, np.zeros(n - len(other))])


def _pieces(found: Any, window: Any, nperseg: Any, noverlap: Any, nfft: Any) -> Any:
    """The pieces that overlap, one a row, the window, and how many frequencies are asked for."""
    n = len(found) if nperseg is None else min(nperseg, len(found))
    if nperseg is None:
        n = min(n, 256)
    if n < 1:
        raise ValueError("nperseg must be a positive integer")
    taper = _window(window, n)
    if len(taper) > len(found):
        raise ValueError("window is longer than input signal")
    n = len(taper)
    shared = n // 2 if noverlap is None else noverlap
    if shared >= n:
        raise ValueError("noverlap must be less than nperseg.")
    if nfft is not None and nfft < n:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    starts = np.arange(0, len(found) - n + 1, n - shared)
    pieces = found[starts[:, None] + np.arange(n)[None, :]]
    return pieces, taper, n if nfft is None else nfft


def hilbert(x: Any, N: Any = None, axis: Any = -1) -> Any:
    found = np.asarray(x) * 1.0
    if found.ndim != 1:
        refuse("scipy.signal.hilbert of several lines of samples", "write a loop over them")
    n = len(found) if N is None else N
    if n <= 0:
        raise ValueError("N must be positive.")
    k = np.arange(n)
    weights = np.where((k == 0) | (2 * k == n), 1.0, np.where(2 * k < n, 2.0, 0.0))
    return np.fft.ifft(np.fft.fft(found, n) * weights)
