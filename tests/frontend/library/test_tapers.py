"""Windows of `scipy.signal`, and grids of slices that the program has made before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import signal
from scipy.signal import windows

import retrograd as rg
from retrograd.errors import RetrogradError

X = np.array([0.5, 0.4, 0.2])


def power(w: Any) -> Any:
    return np.sum(w * np.arange(1, len(w) + 1) ** 2)


def of_numbers(x: Any) -> Any:
    found = power(windows.gaussian(7, x[0])) + power(windows.kaiser(7, 5.0 * x[0], False))
    return found + power(windows.general_cosine(6, [x[0], x[1]])) + power(windows.tukey(9, x[2]))


def fixed(x: Any) -> Any:
    found = power(windows.hann(7)) + power(windows.hamming(8, sym=False))
    found = found + power(windows.blackman(1)) + power(windows.nuttall(8, False))
    found = found + power(windows.flattop(7)) + power(windows.blackmanharris(0)) + power(x)
    found = found + power(windows.bartlett(7)) + power(windows.bartlett(8, False))
    found = found + power(windows.triang(7)) + power(windows.triang(8, False))
    return found + power(windows.cosine(6, False)) + power(windows.boxcar(3))


def named(x: Any) -> Any:
    found = power(signal.get_window("hann", 5)) + power(signal.get_window(("tukey", 0.3), 9))
    return found + power(signal.get_window(("gaussian", x[0]), 6, fftbins=False))


def grids(x: Any) -> Any:
    plane = np.outer(x, x[:2])
    opened = np.ogrid[tuple(slice(0, n) for n in plane.shape)]
    dense = np.mgrid[slice(1, 4), 0:2]
    line = np.mgrid[slice(0, 6, 2)]
    return np.sum(plane * opened[0] * (opened[1] + 1.0) + plane * dense[0]) + np.sum(line * x)


@pytest.mark.parametrize(
    "f", [of_numbers, pytest.param(fixed, marks=pytest.mark.slow), named, grids]
)
def test_values_and_derivatives(f: Any) -> None:
    value, slopes = rg.value_and_grad(f)(X)
    assert abs(value - f(X)) < 1e-13 * abs(value)
    for k in range(3):
        step = 1e-6 * np.eye(3)[k]
        rise = (f(X + step) - f(X - step)) / 2e-6
        assert abs(slopes[k] - rise) < 1e-6 * (1.0 + abs(rise))


@pytest.mark.slow
def test_other_ways() -> None:
    assert rg.check_grads(of_numbers, (X,), 1).ok
    assert np.array_equal(rg.grad(of_numbers, memory=100_000)(X), rg.grad(of_numbers)(X))


def unknown(x: Any) -> Any:
    return np.sum(signal.get_window("parzen", 5)) * x[0]


def endless(x: Any) -> Any:
    return np.sum(np.mgrid[tuple(slice(None) for _ in x.shape)]) * x[0]


@pytest.mark.parametrize(
    ("f", "message"),
    [(unknown, "the window 'parzen'"), (endless, "an axis of a grid without an end")],
)
def test_refusals(f: Any, message: str) -> None:
    with pytest.raises(RetrogradError, match=rf"test_tapers\.py:.*{message}"):
        rg.grad(f)(X)
