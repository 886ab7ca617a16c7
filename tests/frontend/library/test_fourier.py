"""Transforms of `np.fft` and complex systems of equations: values, and derivatives of losses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.fft
from scipy import fftpack

import retrograd as rg
from tests.frontend.harness import agree

pytestmark = pytest.mark.thinned(2)

RNG = np.random.default_rng(0)
X = RNG.normal(size=8)
Z = X + 1j * RNG.normal(size=8)
A = RNG.normal(size=(6, 5)) + 1j * RNG.normal(size=(6, 5))


def of_any_length(z: Any) -> Any:
    return np.fft.fft(z), np.fft.ifft(z, norm="ortho")


def test_transforms_of_all_kinds_of_lengths_have_full_accuracy() -> None:
    compiled = rg.jit(of_any_length)
    for n in (1, 2, 3, 4, 6, 8, 15, 30, 64, 67, 100, 134, 243, 1000, 1021, 1024):
        z = RNG.normal(size=n) + 1j * RNG.normal(size=n)
        for found, expected in zip(compiled(z), of_any_length(z), strict=True):
            assert np.max(np.abs(found - expected)) <= 1e-14 * np.max(np.abs(expected))


def along_axes(z: Any, x: Any, a: Any) -> Any:
    return (
        np.fft.fft(x), np.fft.fft(z, 5), np.fft.fft(z, 11), np.fft.fft(a, axis=0), np.fft.fft2(a),
        np.fft.ifft2(a), np.fft.fftn(a), np.fft.ifft(a, axis=1), np.fft.ifftn(a, axes=(0,)),
        np.fft.fft(z, norm="forward"),
    )  # fmt: skip


def of_real_numbers(z: Any, x: Any, a: Any) -> Any:
    return (
        np.fft.rfft(x), np.fft.rfft(x, 9), np.fft.irfft(z), np.fft.irfft(z, 9), np.fft.irfft(z, 20),
        np.fft.irfft(z, 4), np.fft.irfft(np.fft.rfft(x)), np.fft.rfft(a.real, axis=0),
        np.fft.irfft(a, axis=0, norm="ortho"), np.fft.fftfreq(8, 0.1), np.fft.fftfreq(7),
        np.fft.rfftfreq(8, 0.5), np.fft.fftshift(z), np.fft.ifftshift(x), np.fft.fftshift(a),
        np.fft.fftshift(a, axes=0), np.linalg.solve(a[:4, :4], z[:4]), np.linalg.inv(a[:5]),
        np.linalg.solve(a[:4, :4], a[:4]), np.fft.rfft2(a.real), np.fft.irfft2(a, (4, 7)),
        np.fft.rfftn(a.real, norm="ortho"), np.fft.irfftn(a), np.fft.hfft(z),
        np.fft.ihfft(x, norm="forward"),
    )  # fmt: skip


def of_scipy(z: Any, x: Any, a: Any) -> Any:
    return (
        scipy.fft.fft(z), scipy.fft.ifft(a, None, 0, "ortho", False, 2), scipy.fft.ifft2(a),
        scipy.fft.irfft(z, 9), scipy.fft.irfft2(a, workers=-1), scipy.fft.hfft(z),
    )  # fmt: skip


@pytest.mark.parametrize("f", [along_axes, of_real_numbers, of_scipy])
def test_transforms_and_systems_are_those_of_numpy(f: Any) -> None:
    agree(f, Z, X, A)


def spectral(x: Any) -> Any:
    spectrum = np.fft.fft(x * np.exp(1j * x))
    return np.sum(np.abs(np.fft.ifft(spectrum * np.abs(spectrum))) ** 2 * x)


@pytest.mark.slow
def test_slopes_go_through_transforms_there_and_back() -> None:
    for x in (X, X[:6], X[:5]):
        slope = rg.grad(spectral)(x)
        moved = [spectral(x + h) - spectral(x - h) for h in 1e-6 * np.eye(len(x))]
        np.testing.assert_allclose(slope, np.array(moved) / 2e-6, rtol=1e-6, atol=1e-6)
        assert rg.jvp(spectral, (x,), (x,))[1] == pytest.approx(slope @ x, rel=1e-12)
        assert np.array_equal(rg.grad(spectral, memory="2MB")(x), slope)


def filtered(x: Any) -> Any:
    return np.sum(np.abs(np.fft.rfft(x)) ** 2 * np.arange(5.0))


def test_the_slope_of_a_spectrum_is_that_of_differences() -> None:
    slope = rg.grad(filtered)(X)
    moved = [filtered(X + h) - filtered(X - h) for h in 1e-5 * np.eye(8)]
    np.testing.assert_allclose(slope, np.array(moved) / 2e-5, rtol=1e-7, atol=1e-7)


def test_transforms_that_are_not_there_say_so() -> None:
    with pytest.raises(rg.UserError, match=r"transform z\.real and z\.imag"):
        rg.jit(lambda z: scipy.fft.dct(z))(Z)
    with pytest.raises(rg.UserError, match="with the argument 'places' is not accepted"):
        rg.jit(lambda z: scipy.fft.fft(z, places=1))(Z)
    with pytest.raises(ValueError, match="Type must be 1, 2, 3 or 4"):
        rg.jit(lambda x: scipy.fft.dct(x, 5))(X)


def of_fftpack(x: Any, y: Any) -> Any:
    z = x + 1j * y
    lines = fftpack.fft(z), fftpack.ifft(z, n=4, axis=0), fftpack.fft(x, 6)
    rows = fftpack.fft2(z), fftpack.ifft2(x, shape=(2, 4)), fftpack.fftn(z), fftpack.ifftn(z)
    return *lines, *rows, fftpack.fftshift(fftpack.fftfreq(5, 0.1))


def test_transforms_of_fftpack() -> None:
    draw = np.random.default_rng(3)
    agree(of_fftpack, draw.normal(size=(3, 4)), draw.normal(size=(3, 4)))
