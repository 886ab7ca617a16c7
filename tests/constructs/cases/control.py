"""Branches, loops, and elements of arrays that are written."""

from __future__ import annotations

import numpy as np

import retrograd as rg
from tests.constructs.cases.case import PublicCase

__all__ = ["CASES"]

PRINTED = 2e-5
"""Relative error of numbers that are printed with five digits."""


def if0(b, x, y):
    return x * y if b else x / y


def if2(x):
    z = x[0] if x[0] < 0.0 else x[1]
    return x[2] * z


def while0(y, x):
    """The power x ** y."""
    total, k = 1.0, 0
    while k < y:
        total = total * x
        k += 1
    return total


def for1(y, xs):
    totals = np.ones(len(xs))
    for k in range(y):
        totals = totals * xs
    return totals


def for1_mapped(y, xs):
    totals = rg.replicate(len(xs), 1.0)
    for k in range(y):
        totals = rg.map(lambda a, b: a * b, totals, xs)
    return totals


def stripmine2(y, xs):
    """The same, two iterations at a time, and two of these."""
    totals = np.ones(len(xs))
    for first in range(0, y, 4):
        for second in range(first, min(first + 4, y), 2):
            for k in range(second, min(second + 2, y)):
                totals = totals * xs
    return totals


def for2(xs):
    """Only the last iteration counts."""
    total = 1.0
    for x in xs:
        total = x * x
    return total


def for2_folded(xs):
    return rg.fold(lambda total, x: x * x, 1.0, xs)


def stripmine1(xs):
    xs = xs.copy()
    for i in range(len(xs)):
        a = xs[i]
        xs[i] = a * a
    return xs


def stripmine1_in_blocks(xs):
    xs = xs.copy()
    for first in range(0, len(xs), 2):
        for i in range(first, min(first + 2, len(xs))):
            a = xs[i]
            xs[i] = a * a
    return xs


def stripmine3(xs):
    """What an iteration has written is read again."""
    for i in range(len(xs)):
        foo = xs.copy()
        foo[i] = 1.0
        same = rg.map(lambda a: a, foo)
        foo[i] = same[i]
        xs = foo
    return xs


def consume0(xs):
    xs = xs.copy()
    xs[0] = 0.0
    return xs


def without_first(b, xs):
    if b:
        xs = xs.copy()
        xs[0] = 0.0
    return xs


def consume2(bs, xss):
    return rg.map(without_first, bs, xss)


def consume3(xs):
    a = xs.copy()
    b = xs.copy()
    a[1] = b[1]
    return a


def issue2228(w, charges, x0, v0):
    """A gradient in a loop that ends where the data say so."""

    def potential(x):
        return np.sum(rg.map(lambda c: np.sum((x - (c + w)) ** 2.0), charges))

    x, v, go = x0, v0, True
    while go:
        slope = rg.grad(potential)(x)
        if v[1] > 0.0:
            x, v = v, slope
        else:
            go = False
    return x, v, go


TRIPLE = np.array([1.0, 2.0, 3.0])
FIVE = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
CUBES = [[3, 0, 0], [0, 12, 0], [0, 0, 27]]

BRANCHES = (
    PublicCase(name="if0.f_jvp.0", program=if0, args=(True, 5.0, 7.0), wrt=(1, 2),
        compared="columns", expected=([7.0, 5.0],)),
    PublicCase(name="if0.f_jvp.1", program=if0, args=(False, 5.0, 7.0), wrt=(1, 2),
        compared="columns", expected=([0.14285, -0.102041],), rtol=PRINTED, atol=1e-5),
    PublicCase(name="if0.f_vjp.0", program=if0, args=(True, 5.0, 7.0), wrt=(0, 1, 2),
        expected=(False, 7.0, 5.0)),
    PublicCase(name="if0.f_vjp.1", program=if0, args=(False, 5.0, 7.0), wrt=(0, 1, 2),
        expected=(False, 0.14285, -0.102041), rtol=PRINTED, atol=1e-5),
    PublicCase(name="if2.f_jvp.0", program=if2, args=(np.array([1.0, 2.0, 3.0]),),
        compared="columns", expected=([0.0, 3.0, 2.0],)),
    PublicCase(name="if2.f_jvp.1", program=if2, args=(np.array([-1.0, 2.0, 3.0]),),
        compared="columns", expected=([3.0, 0.0, -1.0],)),
    PublicCase(name="if2.f_vjp.0", program=if2, args=(np.array([1.0, 2.0, 3.0]),),
        expected=([0.0, 3.0, 2.0],)),
    PublicCase(name="if2.f_vjp.1", program=if2, args=(np.array([-1.0, 2.0, 3.0]),),
        expected=([3.0, 0.0, -1.0],)),
)  # fmt: skip

LOOPS = (
    PublicCase(name="while0.prim.0", program=while0, args=(3, 4.0), wrt=(1,), compared="value",
        value=64),
    PublicCase(name="while0.prim.1", program=while0, args=(9, 3.0), wrt=(1,), compared="value",
        value=19683),
    PublicCase(name="while0.f_jvp.0", program=while0, args=(3, 4.0), wrt=(1,), compared="columns",
        expected=(48,)),
    PublicCase(name="while0.f_jvp.1", program=while0, args=(9, 3.0), wrt=(1,), compared="columns",
        expected=(59049,)),
    PublicCase(name="for1.prim.0", program=for1, args=(3, TRIPLE), wrt=(1,), compared="value",
        value=[1, 8, 27], also=(for1_mapped,)),
    PublicCase(name="for1.f_vjp.0", program=for1, args=(3, TRIPLE), wrt=(1,), expected=(CUBES,),
        also=(for1_mapped,)),
    PublicCase(name="stripmine2.prim.0", program=stripmine2, args=(3, TRIPLE), wrt=(1,),
        compared="value", value=[1, 8, 27]),
    PublicCase(name="stripmine2.f_vjp.0", program=stripmine2, args=(3, TRIPLE), wrt=(1,),
        expected=(CUBES,)),
    PublicCase(name="for2.prim.0", program=for2, args=(np.array([11.0, 5.0, 13.0]),),
        compared="value", value=169, also=(for2_folded,)),
    PublicCase(name="for2.f_jvp.0", program=for2, args=(np.array([11.0, 5.0, 13.0]),),
        compared="columns", expected=([0, 0, 26],), also=(for2_folded,)),
    PublicCase(name="issue2228.main.0", program=issue2228, args=(
            5.0, np.array([[2.0, 3.0]]), np.array([1.0, 2.0]), np.array([3.0, 4.0]),
        ), seeds=[[1.0, 2.0, 3.0, 5.0, 1.0]], expected=(-16.0,)),
)  # fmt: skip

WRITTEN = (
    PublicCase(name="stripmine1.prim.0", program=stripmine1, args=(FIVE,), compared="value",
        value=[1, 4, 9, 16, 25], also=(stripmine1_in_blocks,)),
    PublicCase(name="stripmine1.f_jvp.0", program=stripmine1, args=(FIVE,), expected=([
        [2, 0, 0, 0, 0], [0, 4, 0, 0, 0], [0, 0, 6, 0, 0], [0, 0, 0, 8, 0], [0, 0, 0, 0, 10],
    ],), also=(stripmine1_in_blocks,)),
    PublicCase(name="stripmine3.prim.0", program=stripmine3, args=(FIVE,), compared="value",
        value=[1, 1, 1, 1, 1]),
    PublicCase(name="stripmine3.f_vjp.0", program=stripmine3, args=(FIVE,), seeds=np.ones((1, 5)),
        expected=([0, 0, 0, 0, 0],)),
    PublicCase(name="consume0.rev.0", program=consume0, args=(TRIPLE,),
        expected=([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],)),
    PublicCase(name="consume2.rev.0", program=consume2,
        args=(np.array([True]), np.array([[1.0, 2.0, 3.0]])), wrt=(1,), seeds=[[0.0, 1.0, 0.0]],
        expected=([[0.0, 1.0, 0.0]],)),
    PublicCase(name="consume3.prim.0", program=consume3, args=(np.array([5.0, 7.0, 9.0]),),
        compared="value", value=[5.0, 7.0, 9.0]),
    PublicCase(name="consume3.f_vjp.0", program=consume3, args=(np.array([5.0, 7.0, 9.0]),),
        seeds=np.ones((1, 3)), expected=([1.0, 1.0, 1.0],)),
)  # fmt: skip

CASES = (*BRANCHES, *LOOPS, *WRITTEN)
