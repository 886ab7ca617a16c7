"""Random functions: their slope in each way, and by differences."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import Limitation, UserError
from retrograd.prims.core import RaisedError
from tests.frontend.harness import agree
from tests.random.calculus import Interpreted

__all__ = ["Slopes", "accepted", "right_in_a_direction"]


class Slopes:
    """The slopes of `f(u, *rest)` for a float `u` and numbers; what makes them is made once."""

    def __init__(self, f: Callable[..., Any], memory: str) -> None:
        self.f = f
        self.full = rg.value_and_grad(f)
        self.within = rg.value_and_grad(f, memory=memory)
        self.interpreter = Interpreted()

    def right(self, u: float, rest: tuple[Any, ...]) -> bool:
        """Asserts that there is one slope by both modes, in a budget and by the interpreter too.

        Says whether differences could be taken, which agree then: not where a branch is taken on
        one side only.
        """
        with np.errstate(all="ignore"):
            return self._right(u, rest)

    def _right(self, u: float, rest: tuple[Any, ...]) -> bool:
        f = self.f
        value, slope = self.full(u, *rest)
        np.testing.assert_array_equal((value, slope), self.within(u, *rest))
        by_interpreter = self.interpreter.call(self.full, (u, *rest))
        np.testing.assert_array_equal((value, slope), by_interpreter)
        assert value == pytest.approx(f(u, *rest), rel=1e-11, nan_ok=True)
        tangent = rg.jvp(f, (u, *rest), (1.0, *(type(x)(0) for x in rest)))[1]
        assert slope == pytest.approx(tangent, rel=1e-8, abs=1e-9, nan_ok=True)
        wide, near = ((f(u + d, *rest) - f(u - d, *rest)) / (2 * d) for d in (1e-5, 1e-6))
        # A jump, however small, grows in shorter differences; of NaN there are none.
        if not np.abs(near - wide) <= 0.1 * (1 + np.abs(value) + np.abs(slope)):
            return False
        assert slope == pytest.approx(near, rel=1e-4, abs=1e-4 * (1 + np.abs(value)))
        return True


def accepted(
    f: Callable[..., Any], cases: Sequence[tuple[Any, ...]], codes: Collection[str],
    slopes: Slopes | None,
) -> bool:  # fmt: skip
    """Whether a program is accepted for all of these arguments; what is accepted is right.

    `codes` are those of the refusals that there may be.
    """
    for args in cases:
        try:
            agree(f, *args)
        except UserError as error:
            if error.code not in codes:
                raise
            return False
        if slopes is not None:
            slopes.right(args[0], args[1:])
    return True


UNEVEN = (
    "items of different shapes in a list of run-time length",
    "a row of a list of lists is given more or fewer items",
)
"""What programs are told of lengths that the run tells apart (docs/differences.md)."""


def accepted_with_lists(
    f: Callable[..., Any], cases: Sequence[tuple[Any, ...]], codes: Collection[str],
    slopes: Slopes | None,
) -> bool:  # fmt: skip
    """`accepted` of a program whose lists may be uneven, and its branches deep in native code."""
    try:
        return accepted(f, cases, codes, slopes)
    except RaisedError as error:
        if error.message not in UNEVEN:
            raise
        return False
    except Limitation:
        return False


def right_in_a_direction(
    f: Callable[..., Any], arrays: tuple[Any, ...], dots: tuple[Any, ...], number: Any, memory: str
) -> bool:
    """Asserts the slope of `f(*arrays, number)` along `dots` by both modes and within a budget.

    Says whether differences could be taken, which agree then: not where a branch is taken on one
    side only.
    """
    places = tuple(range(len(arrays)))
    value, bars = rg.value_and_grad(f, argnums=places)(*arrays, number)
    again, others = rg.value_and_grad(f, argnums=places, memory=memory)(*arrays, number)
    assert value == again
    for one, two in zip(bars, others, strict=True):
        np.testing.assert_array_equal(one, two)
    slope = sum(np.sum(bar * dot) for bar, dot in zip(bars, dots, strict=True))
    tangent = rg.jvp(lambda *xs: f(*xs, number), arrays, dots)[1]
    assert slope == pytest.approx(tangent, rel=1e-8, abs=1e-9)
    moved = [[x + h * dot for x, dot in zip(arrays, dots, strict=True)] for h in (1e-6, -1e-6)]
    ends = [f(*xs, number) for xs in moved]
    if abs(ends[0] - ends[1]) > 1e-3 * (1 + abs(slope)):
        return False
    near = (ends[0] - ends[1]) / 2e-6
    assert slope == pytest.approx(near, rel=1e-4, abs=1e-4 * (1 + abs(value)))
    return True
