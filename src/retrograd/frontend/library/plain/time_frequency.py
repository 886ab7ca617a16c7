"""Spectra of `scipy.signal` that go along with the samples, and back, of real samples in a line."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.pieces import (
    length_of,
    pieces_of,
    samples_of,
    spectra_of,
    window_of,
)
from retrograd.frontend.library.plain.samples import lengthened
from retrograd.frontend.library.plain.told import refuse

__all__ = ["istft", "spectrogram", "stft"]

np: Any = numpy

_MODES = ("psd", "complex", "magnitude", "angle", "phase")


def spectrogram(
    x: Any, fs: Any = 1.0, window: Any = ("tukey_periodic", 0.25), nperseg: Any = None,
    noverlap: Any = None, nfft: Any = None, detrend: Any = "constant",
    return_onesided: Any = True, scaling: Any = "density", axis: Any = -1, mode: Any = "psd",
) -> Any:  # fmt: skip
    if mode not in _MODES:
        raise ValueError("unknown value for mode, must be one of psd, complex, magnitude, angle")
    found = samples_of(x, return_onesided)
    pieces, taper, n, shared = pieces_of(found, window, nperseg, noverlap, nfft, 8)
    frequencies, parts, factor = spectra_of(pieces, taper, fs, n, detrend, scaling)
    times = _times(len(taper), shared, len(pieces), fs)
    if mode == "psd":
        power = (parts.real * parts.real + parts.imag * parts.imag) * factor
        return frequencies, times, power.T
    parts = parts.T * _amplitude(taper, fs, scaling)
    if mode == "complex":
        return frequencies, times, parts
    if mode == "magnitude":
        return frequencies, times, np.abs(parts)
    turns = np.angle(parts)
    return frequencies, times, turns if mode == "angle" else np.unwrap(turns, axis=0)


def stft(
    x: Any, fs: Any = 1.0, window: Any = "hann_periodic", nperseg: Any = 256,
    noverlap: Any = None, nfft: Any = None, detrend: Any = False, return_onesided: Any = True,
    boundary: Any = "zeros", padded: Any = True, axis: Any = -1, scaling: Any = "spectrum",
) -> Any:  # fmt: skip
    if scaling not in ("spectrum", "psd"):
        raise ValueError("Parameter scaling not in ['spectrum', 'psd']!")
    if boundary not in ("even", "odd", "constant", "zeros", None):
        raise ValueError("Unknown boundary option")
    kind = "density" if scaling == "psd" else scaling
    found = samples_of(x, return_onesided)
    long = length_of(window, nperseg, len(found))
    shared = long // 2 if noverlap is None else noverlap
    if shared >= long:
        raise ValueError("noverlap must be less than nperseg.")
    if boundary == "zeros":
        found = np.concatenate([np.zeros(long // 2), found, np.zeros(long // 2)])
    elif boundary is not None:
        found = lengthened(found[None, :], long // 2, boundary)[0]
    if padded:
        missing = (long - len(found)) % (long - shared) % long
        found = np.concatenate([found, np.zeros(missing)])
    pieces, taper, n, _ = pieces_of(found, window, long, shared, nfft, 2)
    frequencies, parts, _ = spectra_of(pieces, taper, fs, n, detrend, kind)
    times = _times(long, shared, len(pieces), fs)
    if boundary is not None:
        times = times - (long / 2) / fs
    return frequencies, times, parts.T * _amplitude(taper, fs, kind)


def istft(
    Zxx: Any, fs: Any = 1.0, window: Any = "hann_periodic", nperseg: Any = None,
    noverlap: Any = None, nfft: Any = None, input_onesided: Any = True, boundary: Any = True,
    time_axis: Any = -1, freq_axis: Any = -2, scaling: Any = "spectrum",
) -> Any:  # fmt: skip
    parts = np.asarray(Zxx) + 0j
    if parts.ndim != 2 or not input_onesided or (freq_axis, time_axis) != (-2, -1):
        refuse("scipy.signal.istft of this form", "give it frequencies by times, one-sided")
    if scaling not in ("spectrum", "psd"):
        raise ValueError("Parameter scaling not in ['spectrum', 'psd']!")
    usual = 2 * (parts.shape[0] - 1)
    long = usual if nperseg is None else nperseg
    if long < 1:
        raise ValueError("nperseg must be a positive integer")
    n = (long if long == usual + 1 else usual) if nfft is None else nfft
    if n < long:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    shared = long // 2 if noverlap is None else noverlap
    if shared >= long:
        raise ValueError("noverlap must be less than nperseg.")
    taper = _taper(window, long)
    rows = np.fft.irfft(parts, n, axis=0)[:long].T / _amplitude(taper, fs, scaling)
    step, count = long - shared, parts.shape[1]
    total, norm = np.zeros(long + (count - 1) * step), np.zeros(long + (count - 1) * step)
    for k in range(count):
        total[k * step : k * step + long] += rows[k] * taper
        norm[k * step : k * step + long] += taper * taper
    edge = long // 2 if boundary else 0
    kept = slice(edge, len(total) - edge)
    found = total[kept] / np.where(norm[kept] > 1e-10, norm[kept], 1.0)
    return np.arange(len(found)) / fs, found


def _times(long: Any, shared: Any, count: Any, fs: Any) -> Any:
    """The middles of the pieces."""
    return (long / 2 + (long - shared) * np.arange(count)) / fs


def _amplitude(taper: Any, fs: Any, scaling: Any) -> Any:
    """What amplitudes are multiplied by."""
    if scaling == "spectrum":
        return 1.0 / np.abs(np.sum(taper))
    return np.sqrt(1.0 / (fs * np.sum(taper * taper)))


def _taper(window: Any, long: Any) -> Any:
    taper = window_of(window, long)
    if len(taper) != long:
        raise ValueError("window must have as many points as the pieces")
    return taper
