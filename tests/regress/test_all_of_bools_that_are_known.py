"""`all` and `any` of bools some of which the translation knows: the last of them decided alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import retrograd as rg


def both_none(x: float, a: float | None = None, b: float | None = None) -> float:
    return x * all([a is None, b is None]) + 10.0 * any([a is None, b is None])


def mixed(x: float) -> float:
    first = (
        all([False, x > 0.0]) + 2.0 * all([x > 0.0, False]) + 4.0 * all([x > 0.0, True, x > 1.0])
    )
    return x + first + 8.0 * any((True, x > 3.0, False)) + 16.0 * any((False, x > 3.0, False))


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (both_none, (2.0,)), (both_none, (2.0, 3.0)), (both_none, (2.0, None, 3.0)),
        (both_none, (2.0, 3.0, 4.0)), (mixed, (0.5,)), (mixed, (2.0,)), (mixed, (4.0,)),
    ],
)  # fmt: skip
def test_what_is_known_first_is_not_forgotten(
    function: Callable[..., float], args: tuple[float | None, ...]
) -> None:
    assert rg.jit(function)(*args) == function(*args)
