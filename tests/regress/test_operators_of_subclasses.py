"""Operators asked the object on the left first, where Python asks that of a subclass.

An array on the left left its operator to the object on the right, where NumPy calls it for each
element.
"""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree


class Base:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return Base(self.v + 2.0 * other.v)

    def __radd__(self, other):
        return Base(3.0 * self.v + other.v)

    def __sub__(self, other):
        return NotImplemented

    def __rsub__(self, other):
        return Base(7.0 * self.v)

    def __lt__(self, other):
        return self.v < other.v

    def __gt__(self, other):
        return 2.0 * self.v > other.v

    def __rmul__(self, factor):
        return Base(factor * self.v)


class Other(Base):
    def __radd__(self, other):
        return Other(100.0 * self.v + other.v)

    def __lt__(self, other):
        return True


class Same(Base):
    pass


class ForArrays(Base):
    __array_ufunc__ = None


def sums(x):
    with_own = (Base(x) + Other(1.0)).v + (Other(x) + Base(1.0)).v + (Other(x) + Other(2.0)).v
    return with_own + (Base(x) + Same(2.0)).v + (Same(x) + Base(1.0)).v


def difference(x):
    return (Base(x) - Same(2.0)).v


def compared(x):
    low, high = Base(x) > Other(3.0), Base(x) < Other(-3.0)
    return (1.0 if low else 2.0) + (10.0 if high else 20.0)


@pytest.mark.parametrize("f", [sums, difference, compared])
def test_it_is_as_in_python(f) -> None:
    agree(f, 0.5)


def test_one_class_has_no_reflected_method() -> None:
    with pytest.raises(UserError, match="RG0110"):
        rg.jit(lambda x: (Base(x) - Base(2.0)).v)(0.5)


def test_an_array_on_the_left() -> None:
    with pytest.raises(UserError, match="RG0110.*for each element"):
        rg.jit(lambda x: (x * Base(2.0)).v)(np.ones(2))


def test_an_array_that_is_left_to_the_object() -> None:
    agree(lambda x: (x * ForArrays(2.0)).v, np.array([0.5, 1.5]))
    agree(lambda x: (x[0] * Base(2.0)).v, np.array([0.5, 1.5]))
