"""Functions of NumPy, SciPy and the standard library that are written in Python were translated,
and what was refused in them had a place in a file that is not the user's."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import scipy.special

import retrograd as rg


def scalar(x):
    return 2.0 * x if np.mintypecode([x]) else x


def average(x):
    return statistics.quantiles((x, x))


def lmbda(x):
    return scipy.special.lmbda(x, 3)


def handed_on(x):
    return rg.grad(scipy.special.lmbda)(x, 3)


def as_an_argument(x):
    return called(np.mintypecode, x)


def called(f, x):
    return f(x)


@rg.custom_jvp
def ruled(x):
    return x


ruled.defjvp(statistics.quantiles)


def by_a_rule(x):
    return ruled(x)


ALL = [scalar, average, lmbda, handed_on, as_an_argument, by_a_rule]


@pytest.mark.parametrize("fun", ALL, ids=lambda fun: fun.__name__)
def test_the_place_is_the_users(fun: Callable[..., Any]) -> None:
    with pytest.raises(rg.UserError, match="not known to retrograd") as caught:
        rg.jvp(fun, (2.0,), (1.0,))
    assert caught.value.code == "RG0107"
    assert caught.value.span is not None
    assert caught.value.span.file == __file__


@pytest.mark.parametrize("fun", [np.mintypecode, statistics.quantiles])
def test_as_the_function_itself(fun: Callable[..., Any]) -> None:
    for call in (lambda: rg.jit(fun)(2.0), lambda: rg.grad(fun)("no number")):
        with pytest.raises(rg.UserError) as caught:
            call()
        assert caught.value.span is None


def test_a_known_function_is_known_also_as_what_is_differentiated() -> None:
    def filled(x):
        return rg.jvp(np.full, (3, x), (0, 1.0))[1]

    assert rg.jit(filled)(2.0).tolist() == [1.0, 1.0, 1.0]


def test_packages_of_others_are_translated(tmp_path: Path) -> None:
    """Also under the name of a module of the standard library."""
    path = tmp_path / "statistics.py"
    path.write_text("def mean(a, b):\n    return 0.5 * (a + b)\n")
    module = ModuleType("statistics")
    exec(compile(path.read_text(), str(path), "exec"), vars(module))
    own = module.mean
    assert rg.grad(lambda x: own(x, 3.0 * x))(1.0) == 2.0
