"""What a method, a `partial`, a checkpointed or a reversible function wrote to `x.T` under `rg.jit`
was lost without a word: only of plain functions it was refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false


def columns(x, rate=1.0):
    x.T[1] += rate


def one_of_two(x, y):
    z = x if x[0, 0] > 0.0 else y
    z += 1.0


class Moved:
    def columns(self, x):
        x.T[1] += 1.0


@rg.reversible
def undone(x):
    x.T[1] += 1.0


WAYS: list[Callable[..., Any]] = [
    columns, partial(columns, rate=2.0), rg.checkpoint(columns), Moved().columns, undone,
    rg.inverse(undone), partial(one_of_two, y=np.zeros((2, 2))),
]  # fmt: skip


@pytest.mark.parametrize("function", WAYS)
def test_it_is_refused(function: Callable[..., Any]) -> None:
    x = np.arange(4.0).reshape(2, 2)
    with pytest.raises(rg.UserError, match="RG0106"):
        rg.jit(function)(x)
