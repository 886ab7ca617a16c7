"""Butterworth filters of frequencies that are known at run time only (`scipy.signal.butter`).

T. W. Parks, C. S. Burrus, Digital filter design, 1987, chapter 7: the prototype's poles on a half
circle, transformed to other bands and by the bilinear transformation. Sections of second order are
put together as SciPy does: the pole closest to the unit circle last, with the closest zeros.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.told import constant, refuse

__all__ = ["butter"]

np: Any = numpy

_BANDS = {
    "l": "low", "low": "low", "lowpass": "low", "lp": "low", "h": "high", "high": "high",
    "highpass": "high", "hp": "high", "band": "band", "bandpass": "band", "pass": "band",
    "bp": "band", "bs": "stop", "bandstop": "stop", "bands": "stop", "stop": "stop",
}  # fmt: skip


def butter(
    N: Any, Wn: Any, btype: Any = "low", analog: Any = False, output: Any = "ba", fs: Any = None
) -> Any:
    kind = _BANDS.get(btype.lower())
    if kind is None:
        raise ValueError("this is an invalid bandtype for filter.")
    if analog or output == "zpk":
        refuse("scipy.signal.butter of numbers that are known at run time only, of this kind",
               'ask for a digital filter, with output="ba" or output="sos"')  # fmt: skip
    edges = np.atleast_1d(np.asarray(Wn) * 1.0)
    if fs is not None:
        edges = edges / (0.5 * fs)
    if np.any(edges <= 0.0) or np.any(edges >= 1.0):
        raise ValueError("Digital filter critical frequencies must be 0 < Wn < 1")
    if len(edges) != (1 if kind == "low" or kind == "high" else 2):
        raise ValueError("Wn must have one frequency for lowpass and highpass filters, else two")
    if len(edges) > 1 and not edges[0] < edges[1]:
        raise ValueError("Wn[0] must be less than Wn[1]")
    z, p, k = _in_band(kind, N, 4.0 * np.tan(0.5 * np.pi * edges))
    poles, degree = (4.0 + p) / (4.0 - p), len(p) - len(z)
    zeros = np.concatenate(((4.0 + z) / (4.0 - z), -np.ones(degree) + 0j))
    gain = k * (np.prod(4.0 - z) / np.prod(4.0 - p)).real
    if output == "sos":
        return _sections(zeros, poles, gain)
    return gain * _polynomial(zeros), _polynomial(poles)


def _in_band(kind: Any, order: Any, warped: Any) -> Any:
    """Zeros, poles and gain of the analog filter."""
    p = -np.exp(1j * np.pi * np.arange(-order + 1, order, 2) / (2.0 * order))
    none = np.zeros(0) + 0j
    if kind == "low":
        return none, warped[0] * p, warped[0] ** order
    if kind == "high":
        return np.zeros(order) + 0j, warped[0] / p, (1.0 / np.prod(-p)).real
    middle, width = warped[0] * warped[1], warped[-1] - warped[0]
    half = 0.5 * width * p if kind == "band" else 0.5 * width / p
    off = np.sqrt(half * half - middle)
    both = np.concatenate((half + off, half - off))
    if kind == "band":
        return np.zeros(order) + 0j, both, width**order
    edge = np.sqrt(middle) * (np.zeros(order) + 1j)
    return np.concatenate((edge, -edge)), both, (1.0 / np.prod(-p)).real


def _polynomial(roots: Any) -> Any:
    found = np.zeros(len(roots) + 1) + 0j
    found[0] = 1.0 + 0j
    for k in range(len(roots)):
        found[1:] = found[1:] - roots[k] * found[:-1]
    return found.real.copy()


def _apart(roots: Any) -> Any:
    """Real and imaginary parts: of pairs of roots those above, then real roots."""
    real, imag = roots.real * 1.0, roots.imag * 1.0
    least = 2.220446049250313e-14 * np.hypot(constant(real), constant(imag))
    above, on = constant(imag) > least, np.abs(constant(imag)) <= least
    reals = real[on]
    return np.concatenate((real[above], reals)), np.concatenate((imag[above], np.zeros(len(reals))))


def _worst(real: Any, imag: Any, left: Any, on_axis: Any) -> Any:
    """The place of the pole that is closest to the unit circle."""
    best, least = -1, np.inf
    for k in range(len(real)):
        off = abs(1.0 - np.hypot(real[k], imag[k]))
        if left[k] == 1 and (not on_axis or imag[k] == 0.0) and off < least:
            best, least = k, off
    return best


def _nearest(real: Any, imag: Any, left: Any, x: Any, y: Any, which: Any) -> Any:
    """The place of the zero that is closest to a pole: of all (0), real ones (1), others (2)."""
    best, least = -1, np.inf
    for k in range(len(real)):
        off, fits = np.hypot(real[k] - x, imag[k] - y), which == 0
        if not fits:
            fits = (imag[k] == 0.0) == (which == 1)
        if left[k] == 1 and fits and off < least:
            best, least = k, off
    return best


def _section(a: Any, b: Any, c: Any, d: Any) -> Any:
    """The polynomial with the roots a + b j and c + d j, which are real or a pair."""
    return np.array([1.0, -(a + c), a * c - b * d])


def _sections(zeros: Any, poles: Any, gain: Any) -> Any:
    count = (len(poles) + 1) // 2
    if len(poles) % 2 == 1:
        zeros, poles = np.append(zeros, 0j), np.append(poles, 0j)
    zr, zi = _apart(zeros)
    pr, pi = _apart(poles)
    z_left, p_left = np.ones(len(zr), dtype=int), np.ones(len(pr), dtype=int)
    found = np.zeros((count, 6))
    for step in range(count):
        at = count - 1 - step
        one = _worst(constant(pr), constant(pi), p_left, False)
        p_left[one] = 0
        x, y = constant(pr)[one], constant(pi)[one]
        others, free = np.sum(p_left), np.sum(z_left)
        reals, zeros_on_axis = np.sum(p_left * (pi == 0.0)), np.sum(z_left * (zi == 0.0))
        last = y != 0.0 and others + 1 == free and reals == 1 and zeros_on_axis == 1
        first = _nearest(constant(zr), constant(zi), z_left, x, y, 2 if last else 0)
        z_left[first] = 0
        if y != 0.0:
            found[at, 3:] = _section(pr[one], pi[one], pr[one], -pi[one])
        else:
            two = _worst(constant(pr), constant(pi), p_left, True)
            p_left[two] = 0
            found[at, 3:] = _section(pr[one], 0.0, pr[two], 0.0)
        if zi[first] != 0.0:
            found[at, :3] = _section(zr[first], zi[first], zr[first], -zi[first])
        else:
            second = _nearest(constant(zr), constant(zi), z_left, x, y, 1)
            z_left[second] = 0
            found[at, :3] = _section(zr[first], 0.0, zr[second], 0.0)
    found[0, :3] = gain * found[0, :3]
    return found
