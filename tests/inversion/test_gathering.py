"""Locals that loops build up: cotangents go to elements, not through arrays of zeros."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false


def product(y, values, x, rows, columns):
    """Adds a product in CSR format."""
    for i in range(len(y)):
        s = 0.0
        for k in range(rows[i], rows[i + 1]):
            s += values[k] * x[columns[k]]
        y[i] += s


def pairs(v, x, mass):
    """Forces between pairs, in small arrays."""
    for i in range(len(x)):
        a = np.zeros(2)
        for j in range(len(x)):
            if j != i:
                d = x[j] - x[i]
                a += mass[j] * d / (np.sum(d * d) + 0.1) ** 1.5
        v[i] += a


def elements(v, x, mass):
    """An array that is made by its elements; what a loop reads was defined before."""
    for i in range(len(x)):
        w = mass[i] * 2.0
        r = np.empty(2)
        for d in range(2):
            r[d] = np.sin(x[i, d]) * w
        v[i] += r


def begun(v, x, mass):
    """Sums that begin with something, that are taken away from, and two at a time."""
    for i in range(len(x)):
        s = x[i, 0] * mass[i]
        t = 1.0
        for j in range(i, len(x)):
            h = mass[j] * 0.5
            s -= h * np.cos(x[j, 1])
            for d in range(2):
                t += h * x[j, d] * d
                s += x[i, d]
        v[i, 0] += s
        v[i, 1] += t * s


def broadcast(v, x, mass):
    """Numbers that are added to all elements, and slices that are written."""
    for i in range(len(x)):
        a = np.ones(2)
        for j in range(len(x)):
            a += mass[j]
            a[0:1] = x[j, 0] * mass[i]
        v[i] += a


def recurrent(v, x, mass):
    """A local that is no sum: it is taken as a whole."""
    for i in range(len(x)):
        s = 1.0
        for j in range(len(x)):
            s = s * 0.5 + mass[j] * s
        v[i] += s * x[i]


RNG = np.random.default_rng(11)
BODIES = (RNG.standard_normal((4, 2)), RNG.standard_normal((4, 2)), RNG.uniform(0.5, 1.0, 4))
MATRIX = (
    np.zeros(3), RNG.standard_normal(5), RNG.standard_normal(4),
    np.array([0, 2, 2, 5]), np.array([3, 0, 1, 1, 2]),
)  # fmt: skip


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("f", "args"),
    [
        (product, MATRIX),
        *((f, BODIES) for f in (pairs, elements, begun, broadcast, recurrent)),
    ],
)
def test_gradients_are_those_of_plain_text(f, args):
    def loss(step, y, *rest):
        y = y.copy()
        for _ in range(3):
            step(y, *rest)
        return np.sum(y * y)

    undone = rg.reversible(f)
    wrt = tuple(k for k, a in enumerate(args) if a.dtype == np.float64)
    found = rg.grad(lambda *a: loss(undone, *a), argnums=wrt)(*args)
    expected = rg.grad(lambda *a: loss(f, *a), argnums=wrt)(*args)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)


def test_sums_are_no_functions_of_their_own():
    for f in (product, pairs, elements, begun, broadcast):
        assert "rg_group" not in rg.reversible(f).text("adjoint")
    assert "rg_group" in rg.reversible(recurrent).text("adjoint")


def test_adjoints_restore_what_was_there():
    undone = rg.reversible(begun)
    v, x, mass = (a.copy() for a in BODIES)
    undone(v, x, mass)
    bars = [np.ones_like(a) for a in (v, x, mass)]
    before, _ = rg.adjoint(undone)(v, x, mass, *bars)
    np.testing.assert_allclose(before[0], BODIES[0], rtol=1e-12)


def test_cotangents_have_the_extents_of_what_they_belong_to():
    undone = rg.reversible(pairs)
    v, x, mass = (a.copy() for a in BODIES)
    with pytest.raises(ValueError, match="a cotangent of 3 elements for an axis of 4"):
        rg.adjoint(undone)(v, x, mass, np.ones_like(v), np.zeros_like(x), np.zeros(3))


def test_what_is_only_read_is_given_back_itself():
    undone = rg.reversible(pairs)
    v, x, mass = (a.copy() for a in BODIES)
    before, _ = rg.adjoint(undone)(v, x, mass, *(np.ones_like(a) for a in (v, x, mass)))
    assert before[0] is not v
    assert before[1] is x
