"""Windows of `scipy.signal.windows`, by their formulas.

F. J. Harris, On the use of windows for harmonic analysis with the discrete Fourier transform, 1978.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.axes import is_sequence
from retrograd.frontend.library.plain.bessel import i0
from retrograd.frontend.library.plain.told import refuse

__all__ = [
    "bartlett", "blackman", "blackmanharris", "boxcar", "cosine", "flattop", "gaussian",
    "general_cosine", "general_hamming", "get_window", "hamming", "hann", "kaiser", "nuttall",
    "triang", "tukey",
]  # fmt: skip

np: Any = numpy


def _places(count: Any, sym: Any) -> Any:
    """The numbers of the points, and of how many: one more where the first comes round again."""
    if int(count) != count or count < 0:
        raise ValueError("Window length M must be a non-negative integer")
    full = count if sym or count <= 1 else count + 1
    return np.arange(count) * 1.0, full


def _of_some(count: Any, found: Any) -> Any:
    """A window of a single point is one."""
    return np.where(np.full(count, count) > 1, found, 1.0)


def general_cosine(M: Any, a: Any, sym: Any = True) -> Any:
    n, full = _places(M, sym)
    turn = 2.0 * np.pi * n / max(full - 1, 1) - np.pi
    total = np.zeros(M)
    for k in range(len(a)):
        total = total + a[k] * np.cos(k * turn)
    return _of_some(M, total)


def general_hamming(M: Any, alpha: Any, sym: Any = True) -> Any:
    return general_cosine(M, (alpha, 1.0 - alpha), sym)


def hann(M: Any, sym: Any = True) -> Any:
    return general_hamming(M, 0.5, sym)


def hamming(M: Any, sym: Any = True) -> Any:
    return general_hamming(M, 0.54, sym)


def blackman(M: Any, sym: Any = True) -> Any:
    return general_cosine(M, (0.42, 0.50, 0.08), sym)


def nuttall(M: Any, sym: Any = True) -> Any:
    return general_cosine(M, (0.3635819, 0.4891775, 0.1365995, 0.0106411), sym)


def blackmanharris(M: Any, sym: Any = True) -> Any:
    return general_cosine(M, (0.35875, 0.48829, 0.14128, 0.01168), sym)


def flattop(M: Any, sym: Any = True) -> Any:
    factors = (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368)
    return general_cosine(M, factors, sym)


def boxcar(M: Any, sym: Any = True) -> Any:
    n, _ = _places(M, sym)
    return np.ones(n.shape)


def bartlett(M: Any, sym: Any = True) -> Any:
    n, full = _places(M, sym)
    last = max(full - 1, 1)
    return _of_some(M, np.where(n <= last / 2.0, 2.0 * n / last, 2.0 - 2.0 * n / last))


def triang(M: Any, sym: Any = True) -> Any:
    n, full = _places(M, sym)
    base = full if full % 2 == 0 else full + 1
    return _of_some(M, 1.0 - np.abs(2.0 * n - (full - 1.0)) / base)


def cosine(M: Any, sym: Any = True) -> Any:
    n, full = _places(M, sym)
    return _of_some(M, np.sin(np.pi / max(full, 1) * (n + 0.5)))


def gaussian(M: Any, std: Any, sym: Any = True) -> Any:
    n, full = _places(M, sym)
    away = n - (full - 1.0) / 2.0
    return _of_some(M, np.exp(-(away * away) / (2.0 * std * std)))


def kaiser(M: Any, beta: Any, sym: Any = True) -> Any:
    n, full = _places(M, sym)
    half = max(full - 1, 1) / 2.0
    part = (n - half) / half
    height = np.sqrt(np.maximum(1.0 - part * part, 0.0))
    return _of_some(M, i0(beta * height) / i0(beta * 1.0))


def tukey(M: Any, alpha: Any = 0.5, sym: Any = True) -> Any:
    n, full = _places(M, sym)
    last = max(full - 1, 1)
    width = np.floor(alpha * last / 2.0)
    part = alpha if alpha > 0.0 else 1.0
    rise = 0.5 * (1.0 + np.cos(np.pi * (2.0 * n / part / last - 1.0)))
    fall = 0.5 * (1.0 + np.cos(np.pi * (1.0 - 2.0 / part + 2.0 * n / part / last)))
    found = np.where(n <= width, rise, np.where(n >= last - width, fall, 1.0))
    if alpha <= 0.0:
        found = np.ones(n.shape)
    return _of_some(M, found)


_BY_NAME = {
    "hann": hann, "hanning": hann, "hamming": hamming, "blackman": blackman, "nuttall": nuttall,
    "blackmanharris": blackmanharris, "flattop": flattop, "boxcar": boxcar, "rectangular": boxcar,
    "bartlett": bartlett, "triang": triang, "triangle": triang, "cosine": cosine,
    "gaussian": gaussian, "kaiser": kaiser, "tukey": tukey,
}  # fmt: skip


def get_window(window: Any, Nx: Any, fftbins: Any = True) -> Any:
    more: Any = ()
    name = window
    if is_sequence(window) and not isinstance(window, str):
        name, more = window[0], tuple(window[1:])
    if not isinstance(name, str):
        return kaiser(Nx, window, not fftbins)
    if name.endswith(("_periodic", "_symmetric")):
        fftbins = name.endswith("_periodic")
        name = name.rpartition("_")[0]
    if name not in _BY_NAME:
        refuse(f"the window {name!r}", "one of scipy.signal.windows that docs/numpy.md lists")
    return _BY_NAME[name](Nx, *more, sym=not fftbins)
