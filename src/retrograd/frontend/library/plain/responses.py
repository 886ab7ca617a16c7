"""Responses of filters to oscillations: `scipy.signal.freqz` and its like."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.signals import sections_of
from retrograd.frontend.library.plain.told import pair, refuse

__all__ = ["freqs", "freqz", "freqz_sos", "sosfreqz"]

np: Any = numpy

_TURN = 6.283185307179586


def _line(b: Any) -> Any:
    b = np.atleast_1d(b) * 1.0
    if b.ndim != 1:
        refuse("the response of filters that are rows of an array", "of one filter after the other")
    return b


def _places(worN: Any, whole: Any, fs: Any, include_nyquist: Any) -> Any:
    """Angles: so many of half a turn, or of a whole one, or those that are given."""
    given = np.asarray(512 if worN is None else worN)
    if given.ndim > 0 or given.dtype == np.float64:
        return np.atleast_1d(2.0 * np.pi * given / fs)
    if given < 0:
        raise ValueError("worN must be nonnegative")
    last = 2.0 * np.pi if whole else np.pi
    return np.linspace(0.0, last, given, endpoint=bool(include_nyquist and not whole))


def _along(b: Any, real: Any, imag: Any) -> Any:
    """The parts of the sum of b[k] z**k, at each z."""
    up, side = 0.0 * real + b[-1], 0.0 * real
    for j in range(len(b) - 1):
        k = len(b) - 2 - j
        up, side = b[k] + (up * real - side * imag), up * imag + side * real
    return pair(up, side)


def _response(b: Any, a: Any, w: Any) -> Any:
    real, imag = np.cos(w), -np.sin(w)
    return _along(b, real, imag) / _along(a, real, imag)


def freqz(
    b: Any, a: Any = 1, worN: Any = 512, whole: Any = False, plot: Any = None, fs: Any = _TURN,
    include_nyquist: Any = False,
) -> Any:  # fmt: skip
    w = _places(worN, whole, fs, include_nyquist)
    h = _response(_line(b), _line(a), w)
    w = w * (fs / (2.0 * np.pi))
    if plot is not None:
        plot(w, h)
    return w, h


def freqz_sos(sos: Any, worN: Any = 512, whole: Any = False, fs: Any = _TURN) -> Any:
    sections = sections_of(sos)
    if len(sections) == 0:
        raise ValueError("Cannot compute frequencies with no sections")
    w = _places(worN, whole, fs, False)
    h = pair(0.0 * w + 1.0, 0.0 * w)
    for k in range(len(sections)):
        h = h * _response(sections[k, :3], sections[k, 3:], w)
    return w * (fs / (2.0 * np.pi)), h


def sosfreqz(sos: Any, worN: Any = 512, whole: Any = False, fs: Any = _TURN) -> Any:
    return freqz_sos(sos, worN, whole, fs)


def freqs(b: Any, a: Any, worN: Any = 200, plot: Any = None) -> Any:
    given = np.asarray(worN)
    if given.ndim == 0 and given.dtype != np.float64:
        refuse(
            "scipy.signal.freqs at frequencies that it chooses", "give it an array of frequencies"
        )
    w = np.atleast_1d(given) * 1.0
    h = _along(_line(b)[::-1], 0.0 * w, w) / _along(_line(a)[::-1], 0.0 * w, w)
    if plot is not None:
        plot(w, h)
    return w, h
