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
    return signal.butter(2, x[0])[0][0]


def with_poles(x: Any) -> Any:
    return signal.butter(2, 0.3, output="zpk")[2] * x[0]


def outside(x: Any) -> Any:
    return signal.butter(2, 1.3)[0][0] * x[0]


@pytest.mark.parametrize(
    ("f", "code", "words"),
    [
        (of_the_run, "RG0113", "known at run time only"),
        (with_poles, "RG0108", "complex results"),
        (outside, "RG0108", "Wn"),
    ],
)
def test_refusals(f: Any, code: str, words: str) -> None:
    with pytest.raises(UserError, match=words) as found:
        rg.jit(f)(X)
    assert found.value.code == code
