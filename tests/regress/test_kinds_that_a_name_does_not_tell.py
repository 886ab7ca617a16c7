"""A statement whose value's kind is not known although it has a name was given names without end.

A dict has the keys of an array of any length there, so that what is behind a key is a number or a
list; with the extent of the array it is known which (it was refused as nested too deep, RG2302).
"""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg


def keyed(x):
    p = {name: np.exp(v) for name, v in zip(["a", "b"], x, strict=False)}
    p["c"] = 2.0
    p["d"] = [1.0, 2.0]
    y = np.array([p["c"], 0.0])
    return y[0] * p["a"] + p["b"] + p["d"][1]


def keyed_of_some(x, n):
    p = {name: np.exp(v) for name, v in zip(["a", "b"], x[:n], strict=False)}
    p["c"] = 2.0
    p["d"] = [1.0, 2.0]
    y = np.array([p["c"], 0.0])
    return y[0] * p["a"] + p["b"]


def test_the_extent_of_an_argument_says_what_a_key_holds() -> None:
    x = np.array([0.1, 0.2])
    value, x_bar = rg.value_and_grad(keyed)(x)
    assert value == keyed(x)
    np.testing.assert_allclose(x_bar, np.exp(x) * [2.0, 1.0], rtol=1e-15)


def test_a_number_of_keys_that_is_not_known_is_refused() -> None:
    with pytest.raises(rg.errors.UserError, match="a float on one path and a list on another"):
        rg.grad(keyed_of_some)(np.array([0.1, 0.2]), 2)
