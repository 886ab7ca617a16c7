"""More acceptance cases of a reversible language: objects, factorisations, what tests leave out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.inversion.programs import final, near, wrong
from tests.inversion.test_cases import add_product, five

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false


def test_a_product_that_is_taken_off_with_cotangents() -> None:
    adjoint = rg.adjoint(add_product)
    for run in (adjoint, rg.jit(lambda *args: adjoint(*args))):
        values, bars = run(0.0, 0.4, 0.6, 1.0, 0.0, 0.0)
        assert near((values, bars), ((-0.24, 0.4, 0.6), (1.0, 0.6, 0.4)), 1e-15)


@rg.reversible
def counted(x, y):
    z = 0
    x += y
    z += 1
    return x


def test_a_counter_that_nobody_reads_is_counted_again() -> None:
    """What is built of itself alone is evaluated anew on the way back: nothing has to be freed."""
    assert wrong(counted, (0, 9), (9, 9)) == []


@rg.reversible
def counted_with_others(x, y, n):
    z = 0
    for _ in range(n):
        x += y
        z += x
        y += z
    return x, y


def test_one_that_others_read_has_to_be_freed() -> None:
    for run in (counted_with_others, rg.jit(counted_with_others)):
        with pytest.raises(rg.InvertibilityError, match="'z' is .* in the end, and not 0"):
            run(0, 9, 3)


def test_an_inverse_that_is_compiled() -> None:
    assert rg.jit(rg.inverse(five))(0, 1) == -5


@rg.reversible(checked=False)
def without_tests(out):
    anc = 0
    while rg.since(anc < 3, anc < 3):
        anc += 1
    out += anc
    rg.release(anc, 0)
    return out


def test_tests_that_are_left_out() -> None:
    for run in (without_tests, rg.jit(without_tests)):
        assert run(0) == 3
    checked = rg.reversible(without_tests.fun)
    for run in (checked, rg.jit(checked)):
        with pytest.raises(rg.InvertibilityError, match="anc < 3 still holds"):
            run(0)


def test_a_parameter_that_is_written_irreversibly() -> None:
    with pytest.raises(rg.UserError, match="RG0505"):

        @rg.reversible
        def _(out, left):  # pyright: ignore[reportUnusedFunction]
            with rg.irreversible():
                for _ in range(left[0]):
                    left[0] -= 1
            out += 3
            return out


@rg.reversible
def wrong_end(out, x):
    if x == 1:
        out += 1
    elif rg.when(x < 0, out > 4):
        out += 2
    else:
        out += 3
    return out


def test_a_chain_of_branches_with_a_wrong_end() -> None:
    for run in (wrong_end, rg.jit(wrong_end)):
        assert run(0, 1) == 1
        assert run(0, 2) == 3
        with pytest.raises(rg.InvertibilityError, match="out > 4 does not hold after the branch"):
            run(0, -1)


@dataclass
class Pair:
    re: float
    im: float


@rg.reversible
def exchanged(x, y, z):
    x, z.re = z.re, x
    y, z.im = z.im, y
    return x, y


@rg.reversible
def fields_exchanged(z):
    x = 0.0
    x += z.im
    z.re, z.im = z.im, z.re
    x -= z.re
    z.im += z.re
    rg.release(x, 0.0)


def test_attributes_that_are_exchanged() -> None:
    for forwards, back in (
        (exchanged, rg.inverse(exchanged)),
        (rg.jit(exchanged), rg.jit(rg.inverse(exchanged))),
    ):
        z = Pair(3.0, 4.0)
        assert forwards(1.0, 2.0, z) == (3.0, 4.0)
        assert (z.re, z.im) == (1.0, 2.0)
        assert back(3.0, 4.0, z) == (1.0, 2.0)
        assert (z.re, z.im) == (3.0, 4.0)
    for forwards, back in (
        (fields_exchanged, rg.inverse(fields_exchanged)),
        (rg.jit(fields_exchanged), rg.jit(rg.inverse(fields_exchanged))),
    ):
        z = Pair(1.0, 2.0)
        forwards(z)
        assert (z.re, z.im) == (2.0, 3.0)
        back(z)
        assert (z.re, z.im) == (1.0, 2.0)


# -- factorisations and networks ------------------------------------------------------------------


@rg.reversible
def by_rotations(a, angles):
    """A matrix becomes upper triangular; the angles are what it took."""
    for j in range(len(a)):
        for i in reversed(range(j + 1, len(a))):
            angles[i, j] += math.atan2(a[i, j], a[i - 1, j])
            for k in range(len(a)):
                a[i - 1, k], a[i, k] = rg.rotate(a[i - 1, k], a[i, k], -angles[i, j])


def normal(column):
    """The vector of a reflection that makes all of a column zero but its first number."""
    v = column.copy()
    v[0] += np.copysign(np.sqrt(np.sum(v * v)), v[0])
    return v / np.sqrt(np.sum(v * v))


def reflect(a, v):
    """Undoes itself."""
    return a - 2.0 * np.outer(v, v @ a)


reflected = rg.inverse_pair(reflect, reflect)


@rg.reversible
def by_reflections(a, v):
    """The same by reflections, of which v has the vectors."""
    for k in range(len(a)):
        v[k:, k] += normal(a[k:, k])
        reflected(a, v[:, k])


@rg.reversible
def pyramid(y, v, x):
    """Each row is made of two neighbours in the row above."""
    v[0] += x
    for i in range(len(x) - 1):
        for j in range(len(x) - 1 - i):
            v[i + 1, j] += math.cos(v[i, j + 1]) * math.sin(v[i, j])
    y += v[len(x) - 1, 0]
    return y


A = np.array([[1.0, 2.0, 0.5], [-0.3, 1.5, 0.7], [0.8, -1.1, 0.9]])


@pytest.mark.parametrize("function", [by_rotations, by_reflections])
def test_factorisations(function: Any) -> None:
    for run, back in (
        (function, rg.inverse(function)),
        (rg.jit(function), rg.jit(rg.inverse(function))),
    ):
        a, kept = A.copy(), np.zeros((3, 3))
        run(a, kept)
        assert near(np.tril(a, -1), np.zeros((3, 3)), 1e-14)
        assert near(a.T @ a, A.T @ A, 1e-13)
        back(a, kept)
        assert near((a, kept), (A, np.zeros((3, 3))), 1e-13)

    def loss(a):
        a = a.copy()
        function(a, np.zeros((3, 3)))
        return np.sum(a * a * np.arange(9.0).reshape(3, 3))

    way = np.cos(np.arange(9.0)).reshape(3, 3)
    ends = [loss(A + h * way) for h in (-1e-6, 1e-6)]
    assert near(np.sum(rg.grad(loss)(A) * way), (ends[1] - ends[0]) / 2e-6, 1e-7)


def test_a_pyramid() -> None:
    x = np.array([0.3, -0.8, 1.1, 0.4])
    ends = final(pyramid, (0.0, np.zeros((4, 4)), x))
    want = list(x)
    for _ in range(3):
        want = [math.cos(b) * math.sin(a) for a, b in pairwise(want)]
    assert near(ends[0], want[0], 1e-15)
    assert wrong(pyramid, (0.0, np.zeros((4, 4)), x), tuple(ends)) == []
    plain: Any = pyramid.fun
    slope = rg.grad(lambda x: pyramid(0.0, np.zeros((4, 4)), x))(x)
    assert near(slope, rg.grad(lambda x: plain(0.0, np.zeros((4, 4)), x))(x), 1e-14)
