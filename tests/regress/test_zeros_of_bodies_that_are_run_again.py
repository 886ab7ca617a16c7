"""A loop whose body is run again added its cotangents to zeros, so that -0.0 became 0.0.

Whether a body is run again depends on what a policy saves; a gradient must not.
"""

from __future__ import annotations

import numpy as np

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false


def count(p, n):
    if n < 2:
        return p[0]
    return count(p, rg.checkpoint_name(n - 1, "n"))


def loop(x):
    for i in range(len(x)):
        x *= x
        x[:2] *= x[i] if np.all(x < 0.553) else count(np.ones(1), 1)
    return x[3]


def test_zeros_have_the_same_signs() -> None:
    """The array comes before the loop with -0.0 as a cotangent."""
    x = np.array([-1.2, -0.9, -0.3, -1.1])
    kept = rg.checkpoint(loop, policy=rg.checkpoint_policies.save_only_these_names("n"))
    expected = rg.grad(loop)(x.copy())
    assert np.signbit(expected[:3]).any()
    assert rg.grad(kept)(x.copy()).tobytes() == expected.tobytes()
