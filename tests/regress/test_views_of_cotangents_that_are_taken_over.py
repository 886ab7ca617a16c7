"""The tangent of a gradient was wrong where a line of arrays is divided.

A view of an array was made again in a later part, after the array had been taken over: of what it
was then, with elements that had been set to zero since.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import retrograd as rg


def joined(x: Any) -> Any:
    return np.sum(np.concatenate([x, np.reshape(x[:, 0], (-1, 1)) + 1.0], axis=1) ** 2)


def test_forward_over_reverse_is_the_hessian() -> None:
    x, v = np.array([[0.3, -0.7], [1.1, 0.4]]), np.array([[1.0, 2.0], [3.0, 4.0]])
    expected = np.array([[4.0, 4.0], [12.0, 8.0]])
    for found in (
        rg.jvp(rg.grad(joined), (x,), (v,))[1],
        rg.hvp(joined, (x,), (v,)),
        rg.grad(lambda x: np.sum(rg.grad(joined)(x) * v))(x),
        (rg.hessian(joined)(x).reshape(4, 4) @ v.ravel()).reshape(2, 2),
    ):
        assert np.array_equal(np.ravel(found), expected.ravel())
    rg.check_grads(joined, (x,))
