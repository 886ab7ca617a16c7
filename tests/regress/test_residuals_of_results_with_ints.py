"""What is saved of a function that returns an int or a bool besides: refused as an argument was."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg

X = np.linspace(0.1, 1.0, 3)


def with_an_int(x: Any) -> Any:
    return np.exp(x), int(np.argmax(x))


def with_a_bool(x: Any) -> Any:
    return {"y": np.exp(x), "large": x[0] > 0.5, "number": 3}


@pytest.mark.parametrize("fun", [with_an_int, with_a_bool])
def test_the_list_has_what_the_floats_need(fun: Any) -> None:
    assert [r.shape for r in rg.saved_residuals(fun, X)] == [X.shape]
