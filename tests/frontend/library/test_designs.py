"""Filters that are designed while a program is translated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import signal

import retrograd as rg
from retrograd.errors import UserError

X = np.sin(0.7 * np.arange(40.0)) + 0.1 * np.arange(40.0)


def smoothed(x: Any, fs: Any = 100.0) -> Any:
    b, a = signal.butter(2, 10.0 / (fs / 2), btype="low")
    return np.sum(signal.lfilter(b, a, x) ** 2)


def test_designs_are_constants() -> None:
    value, slope = rg.value_and_grad(smoothed)(X)
    assert value == pytest.approx(smoothed(X), rel=1e-13)
    h = 1e-5 * np.cos(np.arange(40.0))
    assert slope @ h == pytest.approx((smoothed(X + h) - smoothed(X - h)) / 2.0, rel=1e-7)


def of_the_run(x: Any) -> Any:
    return signal.cheby1(2, 1.0, x[0])[0][0]


def with_poles(x: Any) -> Any:
    return signal.butter(2, 0.3, output="zpk")[2] * x[0]


def of_the_run_as_poles(x: Any) -> Any:
    return signal.butter(2, 0.1 + x[0], output="zpk")[2]


def outside(x: Any) -> Any:
    return signal.butter(2, 1.3)[0][0] * x[0]


@pytest.mark.parametrize(
    ("f", "code", "words"),
    [
        (of_the_run, "RG0113", "known at run time only"),
        (of_the_run_as_poles, "RG0108", "known at run time only"),
        (with_poles, "RG0108", "complex results"),
        (outside, "RG0108", "Wn"),
    ],
)
def test_refusals(f: Any, code: str, words: str) -> None:
    with pytest.raises(UserError, match=words) as found:
        rg.jit(f)(X)
    assert found.value.code == code


def polynomials(f: Any) -> Any:
    low, band = signal.butter(3, 20.0 * f, fs=90.0), signal.butter(2, [0.1 * f, 0.4], "bandstop")
    return np.concatenate((*low, *band))


def sections(f: Any) -> Any:
    low = signal.butter(5, 0.3 * f, output="sos")
    high = signal.butter(4, 0.3 * f, "highpass", output="sos")
    band = signal.butter(4, [0.1, 0.3 * f], btype="band", output="sos")
    stop = signal.butter(3, [0.05 * f, 0.85], btype="bs", output="sos")
    return np.concatenate((low, high, band, stop))


@pytest.mark.parametrize("f", [polynomials, pytest.param(sections, marks=pytest.mark.slow)])
def test_butterworth_filters_of_the_run_are_those_of_scipy(f: Any) -> None:
    np.testing.assert_allclose(rg.jit(f)(0.9), f(0.9), rtol=1e-11, atol=1e-13)
    slopes = rg.jvp(f, (0.9,), (1.0,))[1]
    np.testing.assert_allclose(slopes, (f(0.9001) - f(0.8999)) / 2e-4, rtol=1e-5, atol=1e-5)
    total = rg.grad(lambda x: np.sum(f(x)))(0.9)
    assert total == pytest.approx(np.sum(slopes), rel=1e-10)


def test_frequencies_that_are_none_raise() -> None:
    with pytest.raises(ValueError, match="0 < Wn < 1"):
        rg.jit(lambda f: signal.butter(2, f)[0])(1.5)
    with pytest.raises(ValueError, match="less than"):
        rg.jit(lambda f: signal.butter(2, [f, 0.1], "band")[0])(0.5)
