"""A function that differentiates itself made the translation recurse until Python gave up."""

from __future__ import annotations

import pytest

import retrograd as rg
from retrograd.errors import UserError


def bare(x, n):
    if n == 0:
        return x * x
    return rg.grad(bare)(x, n - 1)


def test_it_is_refused_with_its_place() -> None:
    with pytest.raises(UserError, match="RG0115: bare differentiates itself") as error:
        rg.jit(bare)(3.0, 1)
    assert error.value.span is not None


def test_levels_of_its_own_function_are_fine() -> None:
    def cube(x):
        return x * x * x

    def third(x):
        return rg.grad(rg.grad(rg.grad(cube)))(x)

    assert rg.jit(third)(2.0) == 6.0
