"""`np.transpose` left out axes that the array does not have, and gave an array for the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda m: np.transpose(m, (0, 1, 5)), np.ones((2, 3))),
        (lambda m: m.transpose(1, 0, 2), np.ones((2, 3))),
        (lambda m: np.transpose(m, (1, 0, 2)), 0.5),
    ],
)
def test_it_is_refused(f: Callable[..., Any], x: Any) -> None:
    with pytest.raises(ValueError, match="axes don't match"):
        f(x)
    with pytest.raises(rg.UserError) as caught:
        rg.jit(f)(x)
    assert caught.value.code == "RG0113"
