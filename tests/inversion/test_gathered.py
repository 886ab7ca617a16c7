"""Reversible functions with `*args`: called, forwarded, undone, derived."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.inversion.programs import near

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

A = (np.array([1.0, 2.0]), np.array([3.0, -1.0]), np.array([0.5, 2.0]))


def shift(*arrays):
    arrays[1][0] += 2.0 * arrays[0][0]
    if len(arrays) > 2:
        arrays[2][:] += np.sin(arrays[1])


undone_shift = rg.reversible(shift)


def called(x, y, z, by=shift):
    by(x, y)
    z += y * y
    by(z, x, y)


@rg.reversible
def undone_called(x, y, z):
    undone_shift(x, y)
    z += y * y
    undone_shift(z, x, y)


@rg.reversible
def undone_forwarded(x, *rest):
    undone_shift(x, *rest)
    rest[0][1] += x[0]


def forwarded(x, *rest):
    shift(x, *rest)
    rest[0][1] += x[0]


@rg.reversible
def scaled(*arrays, dt):
    """A parameter after `*args`; `dt` is the second one."""
    arrays[0][:] += dt
    arrays[1][:] += 2.0 * dt


@rg.reversible
def undone_with_word(x, y, z):
    scaled(x, y, dt=z[0])
    z[1:] += y[0] * y[1]


def with_word(x, y, z):
    x += z[0]
    y += 2.0 * z[0]
    z[1] += y[0] * y[1]


def items(pair, z):
    """Items of a tuple that are read, and changed by calls."""
    z += pair[1] * pair[0] * pair[1][0]
    shift(pair[0], pair[1])


@rg.reversible
def undone_items(pair, z):
    z += pair[1] * pair[0] * pair[1][0]
    undone_shift(pair[0], pair[1])


def in_a_tuple(f):
    return lambda x, y, z: f((x, y), z)


PAIRS = (
    (undone_shift, shift), (undone_called, called), (undone_forwarded, forwarded),
    (undone_with_word, with_word), (in_a_tuple(undone_items), in_a_tuple(items)),
)  # fmt: skip


def loss_of(f: Callable[..., Any]) -> Callable[..., Any]:
    def loss(x, y, z):
        x, y, z = x.copy(), y.copy(), z.copy()
        f(x, y, z)
        return np.sum(x * y * z) + np.sum(np.cos(y) * z)

    return loss


@pytest.mark.parametrize(("undone", "plain"), PAIRS, ids=("direct", "called", "forwarded", "word",
                                                          "items"))  # fmt: skip
def test_gradients(undone: Callable[..., Any], plain: Callable[..., Any]) -> None:
    found, expected = (
        rg.value_and_grad(loss_of(f), argnums=(0, 1, 2))(*A) for f in (undone, plain)
    )
    assert near(found, expected, 1e-13)
    assert loss_of(undone)(*A) == loss_of(plain)(*A)


@pytest.mark.parametrize("f", [undone_shift, undone_called, undone_forwarded, undone_with_word])
def test_adjoints(f: Any) -> None:
    ends = [a.copy() for a in A]
    f(*ends)
    bars = (np.array([0.5, -1.0]), np.array([2.0, 0.25]), np.array([1.0, 3.0]))
    before, old = rg.adjoint(f)(*ends, *bars)
    assert near(before, A)
    after, new = rg.adjoint(rg.inverse(f))(*before, *old)
    assert near((after, new), (tuple(ends), bars))
    inside = rg.jit(lambda given: rg.adjoint(f)(*given))((*ends, *bars))
    assert near(inside, (before, old), 1e-14)


def test_the_adjoint_of_two_or_three() -> None:
    for n in (2, 3):
        ends = [a.copy() for a in A[:n]]
        undone_shift(*ends)
        before, bars = rg.adjoint(undone_shift)(*ends, *A[:n])
        assert near(before, A[:n])
        assert len(bars) == n
    with pytest.raises(rg.UserError, match="is given 5 arguments") as caught:
        rg.adjoint(undone_shift)(*A, *A[:2])
    assert caught.value.code == "RG0509"


def test_a_parameter_after_the_others() -> None:
    x, y = A[0].copy(), A[1].copy()
    scaled(x, y, dt=0.5)
    before, bars = rg.adjoint(scaled)(x, y, 0.5, np.ones(2), np.ones(2), 0.25)
    assert near(before, (A[0], A[1], 0.5))
    assert bars[2] == 6.25


def test_what_is_changed_by_args() -> None:
    """An array after the first one counted as one that is only read."""
    assert undone_with_word.changed == ("x", "y", "z")
    with pytest.raises(rg.UserError) as caught:

        @rg.reversible
        def late(x, y, z):  # pyright: ignore[reportUnusedFunction]
            d = y * y
            scaled(x, y, dt=0.5)
            z += d

    assert caught.value.code == "RG0503"


@rg.reversible
def two(a, b):
    b += a


def test_arguments_that_are_spread() -> None:
    """`b` was not taken to change."""
    with pytest.raises(rg.UserError, match=r"spreads \*pair over several parameters") as caught:

        @rg.reversible
        def spread(pair, z):  # pyright: ignore[reportUnusedFunction]
            two(*pair)
            z += pair[1]

    assert caught.value.code == "RG0506"
    with pytest.raises(rg.UserError, match="more arguments than there are") as caught:

        @rg.reversible
        def many(x, y):  # pyright: ignore[reportUnusedFunction]
            two(x, y, 1.0)

    assert caught.value.code == "RG0108"
