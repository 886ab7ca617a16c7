"""Spectra that go along with the samples, and back (`scipy.signal`)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import signal

import retrograd as rg
from retrograd.errors import UserError

pytestmark = pytest.mark.thinned(2)

X = np.random.default_rng(0).normal(size=21)
Function = Callable[[Any], Any]


def modes(x):
    first = signal.spectrogram(x, 2.0, "hann", 9, 3, 16, "linear", scaling="spectrum")
    second = signal.spectrogram(x, nperseg=7, mode="complex")[2]
    third = signal.spectrogram(x, nperseg=8, mode="angle")[2]
    fourth = signal.spectrogram(x, window=("tukey", 0.5), nperseg=8, noverlap=6, mode="phase")[2]
    return *first, second, third, fourth


def boundaries(x):
    first = signal.stft(x, 3.0, "hamming_periodic", 9, 4, 12, "constant", boundary="even")
    second = signal.stft(x, nperseg=8, boundary=None, padded=False)
    third = signal.stft(x, window=np.arange(6) - 9.0, nperseg=6, boundary="constant")
    fourth = signal.stft(x, nperseg=8, boundary="odd", noverlap=2, scaling="psd")
    return *first, *second[1:], *third[1:], *fourth[1:]


def back(x):
    first = signal.istft(signal.stft(x, nperseg=8)[2])
    parts = signal.stft(x, 2.0, nperseg=9, noverlap=6, scaling="psd")[2]
    second = signal.istft(parts, 2.0, nperseg=9, noverlap=6, scaling="psd")
    third = signal.istft(signal.stft(x, nperseg=8, boundary=None)[2], boundary=False)
    return *first, *second, *third


@pytest.mark.parametrize("f", [modes, boundaries, back])
def test_values(f: Function) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = f(X)
    for one, other in zip(rg.jit(f)(X), expected, strict=True):
        assert one.shape == other.shape
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-13)


def test_gradients_are_those_of_differences() -> None:
    def loss(x):
        parts = signal.stft(x, nperseg=4)[2]
        again = signal.istft(parts * np.arange(3.0)[:, None])[1]
        power = signal.spectrogram(x, nperseg=4)[2]
        return np.sum(power**2) + np.sum(np.abs(parts) ** 4) + np.sum(again**3)

    x = X[:9]
    steps = 1e-6 * np.eye(9)
    expected = [(loss(x + h) - loss(x - h)) / 2e-6 for h in steps]
    slopes = rg.grad(loss)(x)
    np.testing.assert_allclose(slopes, expected, atol=1e-6)
    assert np.array_equal(rg.grad(loss, memory="200kB")(x), slopes)


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "f",
    [
        lambda x: signal.stft(x, nperseg=0),
        lambda x: signal.stft(x, nperseg=8, noverlap=8),
        lambda x: signal.stft(x, nperseg=8, nfft=4),
        lambda x: signal.stft(x, nperseg=8, boundary="no"),
        lambda x: signal.spectrogram(x, mode="no"),
        lambda x: signal.stft(x, window=np.ones(80), nperseg=80),
        lambda x: signal.stft(x, window=np.ones(8), nperseg=9),
        lambda x: signal.stft(x, nperseg=8, scaling="density"),
        lambda x: signal.stft(x, nperseg=8, detrend=True),
    ],
)
def test_what_scipy_refuses_is_a_value_error(f: Function) -> None:
    for run in (f, rg.jit(f)):
        with pytest.raises(ValueError, match=r"."):
            run(X)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: signal.stft(x.reshape(3, 7)),
        lambda x: signal.stft(x, nperseg=8, return_onesided=False),
        lambda x: signal.spectrogram(x + 1j, nperseg=8),
        lambda x: signal.welch(x, nperseg=8, detrend=np.copy),
    ],
)
def test_what_is_not_there_is_refused(f: Function) -> None:
    with pytest.raises(UserError, match=r"way out"):
        rg.jit(f)(X)
