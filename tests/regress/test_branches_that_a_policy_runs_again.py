"""A loop records numbers in one block, and a branch in it is run again on the way back.

The branch's record came to be in that block, too: the slope of `tanh` was taken of another number,
so that the gradient was wrong, natively.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.random.calculus import Calculus, Interpreted, Native


def smooth(p: Any) -> Any:
    for k in range(len(p)):
        s = rg.checkpoint_name(p[k], "kept")
        if s < 0.6:
            p[k] = math.tanh(s)
    return np.sum(p)


@pytest.mark.parametrize("calculus", [Native(), Interpreted()])
def test_the_branch_has_records_of_its_own(calculus: Calculus) -> None:
    x = np.array([-1.2, 0.7, 0.3, -0.4])
    policy = rg.checkpoint_policies.save_any_names_but_these("other")
    with pytest.warns(RuntimeWarning, match="no value has the name 'other'"):
        found = calculus.call(rg.grad(rg.checkpoint(smooth, policy=policy)), (x,))
    np.testing.assert_allclose(found, np.where(x < 0.6, 1.0 - np.tanh(x) ** 2, 1.0), rtol=1e-14)
