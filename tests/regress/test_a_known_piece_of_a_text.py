"""A word was looked for in a text with numbers of the run, and stands in the piece that is known:
packages ask so which library an array is of. It was refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError


def by_library(x: Any) -> Any:
    text = str(type(x)) + str(x)
    return np.sum(x * x) if "numpy" in text else x


def test_the_word_is_there() -> None:
    x = np.array([0.3, 1.2])
    assert rg.jit(by_library)(x) == by_library(x)
    np.testing.assert_array_equal(rg.grad(by_library)(x), 2.0 * x)
    assert rg.jvp(by_library, (x,), (x,))[1] == pytest.approx(2.0 * np.sum(x * x))
    np.testing.assert_array_equal(rg.grad(by_library, memory="64kB")(x), 2.0 * x)


def test_one_that_may_be_in_the_numbers() -> None:
    with pytest.raises(UserError, match="looked into"):
        rg.jit(lambda x: x if "1" in f"value {x}" else -x)(0.3)
