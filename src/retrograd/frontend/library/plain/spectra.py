"""Spectra and envelopes of `scipy.signal`, of real samples."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.pieces import (
    pieces_of,
    samples_of,
    spectra_of,
    window_of,
)
from retrograd.frontend.library.plain.told import refuse

__all__ = ["coherence", "csd", "hilbert", "periodogram", "welch"]

np: Any = numpy


def _power(pieces: Any, window: Any, fs: Any, nfft: Any, detrend: Any, scaling: Any) -> Any:
    """The frequencies, and the power at each in each of the pieces."""
    frequencies, found, factor = spectra_of(pieces, window, fs, nfft, detrend, scaling)
    return frequencies, (found.real * found.real + found.imag * found.imag) * factor


def periodogram(
    x: Any, fs: Any = 1.0, window: Any = "boxcar", nfft: Any = None, detrend: Any = "constant",
    return_onesided: Any = True, scaling: Any = "density",
) -> Any:  # fmt: skip
    found = samples_of(x, return_onesided)
    n = len(found) if nfft is None else nfft
    used = found[: min(n, len(found))]
    taper = window_of(window, len(used))
    frequencies, power = _power(used[None, :], taper, fs, n, detrend, scaling)
    return frequencies, power[0]


def welch(
    x: Any, fs: Any = 1.0, window: Any = "hann", nperseg: Any = None, noverlap: Any = None,
    nfft: Any = None, detrend: Any = "constant", return_onesided: Any = True,
    scaling: Any = "density", average: Any = "mean",
) -> Any:  # fmt: skip
    found = samples_of(x, return_onesided)
    pieces, taper, n, _ = pieces_of(found, window, nperseg, noverlap, nfft, 2)
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
    pieces, taper, n, _ = pieces_of(one, window, nperseg, noverlap, nfft, 2)
    frequencies, found, factor = spectra_of(pieces, taper, fs, n, detrend, scaling)
    more = pieces_of(other, window, nperseg, noverlap, nfft, 2)[0]
    rest = spectra_of(more, taper, fs, n, detrend, scaling)[1]
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
    one, other = samples_of(x, return_onesided), samples_of(y, return_onesided)
    n = max(len(one), len(other))
    filled = np.concatenate([one, np.zeros(n - len(one))])
    return filled, np.concatenate([other, np.zeros(n - len(other))])


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
