"""What is returned beside the value had a cotangent of zeros, which an infinite slope made nan."""

from __future__ import annotations

import numpy as np

import retrograd as rg


def value_and_distance(x: float) -> tuple[float, float]:
    return np.sin(x), np.sqrt(x - x)


def test_an_infinite_slope_of_aux_does_not_reach_the_gradient() -> None:
    gradient, aux = rg.grad(value_and_distance, has_aux=True)(0.5)
    assert (gradient, aux) == (np.cos(0.5), 0.0)
    less = rg.grad(value_and_distance, has_aux=True, memory="10kB")(0.5)
    assert less == (gradient, aux)
    # The outer derivative is of aux, too: its tangent is 0 times the infinite slope.
    pair = rg.jvp(rg.grad(value_and_distance, has_aux=True), (0.5,), (1.0,))[1]
    assert pair[0] == -np.sin(0.5)
    assert pair[1] == 0.0
