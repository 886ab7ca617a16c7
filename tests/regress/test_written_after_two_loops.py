"""An array that two loops may exchange was not changed where another name of it was written."""

from __future__ import annotations

from types import FunctionType

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError


def exchanged(x, n):
    a, b, d = x, x * 2, x * 3
    for _ in range(n):
        for k in range(n):
            d *= 0.75
            if k > 0:
                b, a, d = a, d, b
    return a[0] + b[0]


def test_the_write_is_refused() -> None:
    with pytest.raises(UserError, match="RG0106"):
        rg.jit(exchanged)(np.ones(2), 3)


def test_a_class_of_functions() -> None:
    """Reading the class, whose keyword-only defaults are a descriptor, was a compiler bug."""

    def f(x):
        return x * 2.0 if isinstance(exchanged, FunctionType) else x

    assert rg.jit(f)(1.5) == 3.0
