"""Real samples in a line, cut into pieces, and the spectra of these (`scipy.signal`)."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain import signals, tapers
from retrograd.frontend.library.plain.axes import is_sequence
from retrograd.frontend.library.plain.told import refuse

__all__ = ["has_name", "length_of", "pieces_of", "samples_of", "spectra_of", "window_of"]

np: Any = numpy


def has_name(window: Any) -> Any:
    """Whether a window is one of SciPy's, by its name."""
    return isinstance(window, str) or (is_sequence(window) and isinstance(window[0], str))


def samples_of(x: Any, return_onesided: Any) -> Any:
    if np.iscomplexobj(x):
        refuse("spectra of complex samples", "np.fft.fft takes them")
    found = np.asarray(x) * 1.0
    if found.ndim != 1:
        refuse("spectra of several lines of samples", "write a loop over them")
    if not return_onesided:
        refuse("spectra with both sides", "leave return_onesided out")
    return found


def length_of(window: Any, nperseg: Any, count: Any) -> Any:
    """How long the pieces of so many samples are."""
    if has_name(window):
        long = min(256 if nperseg is None else nperseg, count)
        if long < 1:
            raise ValueError("nperseg must be a positive integer")
        return long
    long = np.asarray(window).shape[0]
    if long > count:
        raise ValueError("window is longer than input signal")
    if nperseg is not None and nperseg != long:
        raise ValueError("value specified for nperseg is different from length of window")
    return long


def pieces_of(found: Any, window: Any, nperseg: Any, noverlap: Any, nfft: Any, parts: Any) -> Any:
    """The pieces that overlap, one a row, the window, how many frequencies are asked for, and by
    how many samples they overlap, if nothing is said by one of so many parts."""
    n = length_of(window, nperseg, len(found))
    taper = window_of(window, n)
    shared = n // parts if noverlap is None else noverlap
    if shared >= n:
        raise ValueError("noverlap must be less than nperseg.")
    if nfft is not None and nfft < n:
        raise ValueError("nfft must be greater than or equal to nperseg.")
    starts = np.arange(0, len(found) - n + 1, n - shared)
    pieces = found[starts[:, None] + np.arange(n)[None, :]]
    return pieces, taper, n if nfft is None else nfft, shared


def window_of(window: Any, n: Any) -> Any:
    """The window, and how long it is; one that is given has its own length."""
    if has_name(window):
        return tapers.get_window(window, n)
    found = np.asarray(window) * 1.0
    if found.ndim != 1:
        raise ValueError("window must be 1-D")
    return found


def spectra_of(pieces: Any, window: Any, fs: Any, nfft: Any, detrend: Any, scaling: Any) -> Any:
    """The frequencies, the amplitudes at each in each of the pieces, and what their products are
    multiplied by."""
    if scaling != "density" and scaling != "spectrum":
        raise ValueError("Parameter 'scaling' is not 'density' or 'spectrum'")
    still = _still(pieces, detrend)
    n = max(pieces.shape[1], nfft)
    found = np.fft.rfft(still * window, n)
    whole = np.sum(window)
    width = fs * np.sum(window * window) if scaling == "density" else whole * whole
    k = np.arange(n // 2 + 1)
    alone = (k == 0) | (2 * k == n)
    return k * (fs / n), found, np.where(alone, 1.0, 2.0) / width


def _still(pieces: Any, detrend: Any) -> Any:
    """The pieces without what changes slowly."""
    if callable(detrend):
        refuse("spectra with a function as detrend", "it is 'constant', 'linear' or False")
    if detrend is None or (isinstance(detrend, bool) and not detrend):
        return pieces
    return signals.detrend(pieces, -1, detrend)
