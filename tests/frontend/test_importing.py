"""`import` and `global` inside of functions."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from tests.frontend.harness import agree

SCALE = 3.0


def imports(x):
    import math
    import os.path
    from math import pi
    from math import sin as sine

    import numpy as nn

    def inner(y):
        global SCALE
        from numpy import exp

        return exp(y) * SCALE

    from tests.frontend.other_module import SHIFT, affine

    if x[0] > 0.0:
        from scipy.special import erf

        z = erf(x[0])
    else:
        z = 0.0
    assert os.path
    return sine(x[0]) * math.cos(x[1]) + nn.sum(x * [1.0, 2.0] + (1, 2) * x) * pi + inner(x[1]) + (
        affine(z) + SHIFT
    )  # fmt: skip


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_modules_and_their_functions(sign: float) -> None:
    x = np.array([0.3, 0.4]) * sign
    agree(imports, x)
    rg.check_grads(imports, (x,), order=1)


def lacks(x):
    import no_such_module

    return no_such_module.f(x)


def relative(x):
    from . import nothing  # noqa: TID252

    return nothing(x)


@pytest.mark.parametrize(
    ("f", "text"),
    [(lacks, "cannot be imported"), (relative, "relative|imported")],
)
def test_what_is_refused(f, text) -> None:
    with pytest.raises(rg.UserError, match=f"RG0101.*({text})"):
        rg.jit(f)(1.0)
