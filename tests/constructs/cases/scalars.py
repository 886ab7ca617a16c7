"""Functions of numbers: arithmetic, comparisons, conversions, powers, derivatives inside."""

from __future__ import annotations

import numpy as np

import retrograd as rg
from tests.constructs.cases.case import PublicCase

__all__ = ["CASES"]

PRINTED = 2e-5
"""Relative error of numbers that are printed with five digits."""

NO_INTEGERS = (
    "an integer has no derivative, so that a conversion to one has the derivative zero; "
    "Futhark differentiates integers as real numbers"
)


def fadd(x, y):
    return x + y


def fmul(x, y):
    return x * y


def fdiv(x, y):
    return x / y


def negate(x):
    return -x


def arr0(xs):
    return xs[0] * xs[1]


def arr1(x, y):
    return np.array([x + y, x * y])


def arr2(x, y):
    return np.concatenate((x, y))


def cmp0(a, b):
    return a == b


def conv0(x):
    return np.float64(x)


def conv0_short(x):
    return np.float32(x)


def conv1(x):
    return int(x)


def conv2(x):
    return int(np.ceil(x))


def pow0(x, y):
    return x**y


def confusion0(x, y):
    """The derivative along x of the derivative of x * t along t, at t = y."""
    return rg.jvp(lambda t: x * t, (y,), (1.0,))[1]


def confusion0_pulled(x, y):
    return rg.grad(lambda t: x * t)(y)


def rev_unused(x, y):
    return x + 2.0


XY = (5.0, 7.0)

CASES = (
    PublicCase(
        name="fadd.f_jvp.0", program=fadd, args=XY, wrt=(0, 1), expected=(1.0, 1.0),
    ),
    PublicCase(
        name="fmul.f_jvp.0", program=fmul, args=XY, wrt=(0, 1), expected=(7.0, 5.0),
    ),
    PublicCase(
        name="fdiv.f_jvp.0", program=fdiv, args=XY, wrt=(0, 1), expected=(0.14285, -0.102041),
        rtol=PRINTED, atol=1e-5,
    ),
    PublicCase(
        name="negate.fwd.0", program=negate, args=(1.0,), compared="columns", expected=(-1.0,),
    ),
    PublicCase(
        name="negate.fwd.1", program=negate, args=(3.0,), compared="columns", expected=(-1.0,),
    ),
    PublicCase(
        name="arr0.fwd.0", program=arr0, args=(np.array(XY),), compared="columns",
        expected=([7.0, 5.0],),
    ),
    PublicCase(name="arr0.rev.0", program=arr0, args=(np.array(XY),), expected=([7.0, 5.0],)),
    PublicCase(
        name="arr1.fwd.0", program=arr1, args=XY, wrt=(0, 1), compared="columns",
        expected=([[1.0, 7.0], [1.0, 5.0]],),
    ),
    PublicCase(
        name="arr2.f_vjp.0", program=arr2, args=(np.array([5.0]), np.array([7.0])), wrt=(0, 1),
        expected=([[1.0], [0.0]], [[0.0], [1.0]]),
    ),
    *[
        PublicCase(
            name=f"cmp0.fwd.{k}", program=cmp0, args=(1.0, y), wrt=(0, 1), compared="columns",
            expected=([False, False],),
        )
        for k, y in enumerate((2.0, 1.0))
    ],
    *[
        PublicCase(
            name=f"cmp0.rev.{k}", program=cmp0, args=(1.0, y), wrt=(0, 1), seeds=[[1.0]],
            expected=(0.0, 0.0),
        )
        for k, y in enumerate((2.0, 1.0))
    ],
    PublicCase(
        name="conv0.fwd.0", program=conv0, args=(1.0,), compared="columns", expected=(1.0,),
        limit=(conv0_short, "RG0103"),
    ),
    PublicCase(
        name="conv0.rev.0", program=conv0, args=(1.0,), expected=(1.0,),
        limit=(conv0_short, "RG0103"),
    ),
    PublicCase(
        name="conv1.fwd.0", program=conv1, args=(1.0,), compared="columns", expected=(0.0,),
        differs=NO_INTEGERS, theirs=1,
    ),
    PublicCase(
        name="conv1.rev.0", program=conv1, args=(1.0,), seeds=[[2.0]], expected=(0.0,),
        differs=NO_INTEGERS, theirs=2.0,
    ),
    PublicCase(
        name="conv2.fwd.0", program=conv2, args=(2.0,), compared="columns", expected=(0.0,),
    ),
    PublicCase(
        name="conv2.rev.0", program=conv2, args=(2.0,), seeds=[[2.0]], expected=(0.0,),
    ),
    PublicCase(
        name="pow0.fwd.0", program=pow0, args=(0.0, 1.0), wrt=(0, 1), compared="columns",
        seeds=[[1.0, 1.0]], expected=(1.0,),
    ),
    PublicCase(
        name="pow0.fwd.1", program=pow0, args=(0.0, 0.0), wrt=(0, 1), compared="columns",
        seeds=[[1.0, 1.0]], expected=(0.0,),
    ),
    PublicCase(
        name="pow0.rev.0", program=pow0, args=(0.0, 1.0), wrt=(0, 1), expected=(1.0, 0.0),
    ),
    PublicCase(
        name="pow0.rev.1", program=pow0, args=(0.0, 0.0), wrt=(0, 1), expected=(0.0, 0.0),
    ),
    PublicCase(
        name="confusion0.fwd.0", program=confusion0, args=(1.0, 2.0), expected=(1.0,),
        also=(confusion0_pulled,),
    ),
    PublicCase(
        name="rev_unused.main.0", program=rev_unused, args=(1.0, 2.0), wrt=(0, 1),
        expected=(1.0, 0.0),
    ),
)  # fmt: skip
