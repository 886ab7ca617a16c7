"""Functions that a library has made of others, and what programs read of the machine they run on:
`np.errstate` and `np.vectorize` as decorators, autograd's functions, the environment, `sys`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

X = np.arange(12.0).reshape(3, 4) + 1.0
N = np.array([[4, 6, -8], [0, 9, 15]])
T = TypeVar("T")


@np.vectorize
def bent(a):
    return a**2 if a > 2.0 else -a


least = np.vectorize(lambda a, b: a if a < b else 2.0 * b, otypes=[float])
rounded = np.vectorize(lambda a: 1 if a > 2.0 else 0, otypes=["d"])
excluding = np.vectorize(lambda a, b: a, excluded=["b"])
narrow = np.vectorize(lambda a: int(a), otypes="i")


@np.errstate(divide="ignore", invalid="ignore")
def logs(x, k=1.0):
    return np.where(x > 3.0, np.log(x - 3.0), k)


@np.errstate(divide="raise")
def inverse(x):
    return 1.0 / x


class Scale:
    def __init__(self, a):
        self.a = a

    @np.errstate(all="ignore")
    def of(self, x):
        return self.a / x


class Holder(Generic[T]):
    def __init__(self, a):
        self.a = a


def made_before(x):
    return bent(x), bent(x[0, 0]), least(x, x[0] * 2.0), rounded(x), Scale(2.0).of(x)


def with_settings(x):
    old = np.seterr(all="ignore")
    found = logs(x, k=2.0)
    np.seterr(**old)
    return found, logs(x), len(np.geterr())


def limits(x):
    low, high = sys.float_info.min * 1e300, sys.float_info.max * 1e-300
    return x * sys.float_info.epsilon, low, high, sys.float_info.dig


def types(x):
    y = cast(npt.NDArray[np.float64], x)
    return cast(list[int], y) * 2.0 + Holder[float](3.0).a


def methods(x):
    y, z = x.copy(), x[0, ::-1].copy()
    y.real = x[0]
    y[0].real += 1.0
    y[1].real = [1.0, 2.0, 3.0, 4.0]
    z.partition(2)
    few = x.ravel()[x.ravel().argpartition(3)[:3]]
    rows, large = x.compress([True, False, True], axis=0), x.compress(x.ravel() > 3.0)
    return y, z[2], np.sort(few), rows, large, x.mT


def parts_of_ranges(x):
    odd = range(1, len(x[0]), 2)
    return x[0, odd[0]] + x[1, odd[-1]], odd[1], range(5)[2], range(9, 0, -4)[2]


@pytest.mark.parametrize(
    "f", [made_before, with_settings, limits, types, methods, parts_of_ranges, logs]
)
def test_values_agree(f: Callable[..., Any]) -> None:
    agree(f, X)


def test_slopes_go_into_the_function() -> None:
    expected = np.where(X > 2.0, 2.0 * X, -1.0)
    np.testing.assert_allclose(rg.grad(lambda x: np.sum(bent(x)))(X), expected)
    found = rg.grad(lambda x: np.sum(logs(x)), memory="1MB")(X + 0.5)
    np.testing.assert_allclose(found, np.where(X > 2.5, 1.0 / np.maximum(X - 2.5, 0.5), 0.0))


def test_a_program_is_for_one_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    def scaled(x):
        if "RG_SCALE" not in os.environ:
            return x * float(os.getenv("RG_OTHER", "0.5"))
        return x * int(os.environ["RG_SCALE"]) + float(os.environ.get("RG_OTHER") is None)

    made = rg.jit(scaled)
    assert made(1.5) == 0.75
    monkeypatch.setenv("RG_SCALE", "3")
    assert made(1.5) == 5.5
    monkeypatch.setenv("RG_OTHER", "7")
    assert made(1.5) == 4.5
    monkeypatch.delenv("RG_SCALE")
    assert made(1.5) == 10.5


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (lambda x: excluding(x, 1), "`signature` or `excluded`"),
        (lambda x: narrow(x), "otypes='i'"),
        (lambda x: inverse(x), "`errstate` with divide='raise'"),
        (lambda x: (np.seterr(all="raise"), x), "np.seterr with 'raise'"),
        (lambda x: os.environ["RG_NO_SUCH"], "no variable of the environment"),
        (lambda x: x[0, range(4)[1:]], "a part of a range"),
    ],
)
def test_what_is_refused(f: Callable[..., Any], words: str) -> None:
    with pytest.raises(UserError, match=words):
        rg.jit(f)(X)


def test_the_environment_is_not_shown() -> None:
    def changed(x):
        os.environ["RG_SCALE"] = "1"
        return x

    with pytest.raises(UserError) as caught:
        rg.jit(changed)(X)
    assert "an element of the environment\n" in str(caught.value)
    assert "PATH" not in str(caught.value)


def test_a_range_ends() -> None:
    with pytest.raises(IndexError, match="range object index out of range"):
        rg.jit(lambda x, n: x[range(n)[5]])(X[0], 3)
