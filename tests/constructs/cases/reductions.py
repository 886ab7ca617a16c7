"""Reductions: sums, products with zeros among the factors, matrices, extremes."""

from __future__ import annotations

import operator

import numpy as np

import retrograd as rg
from tests.constructs.cases.case import PublicCase, numbers

__all__ = ["CASES"]


def summed(xs):
    return rg.reduce(operator.add, 0.0, xs)


def summed_whole(xs):
    return np.sum(xs)


def times(a, b):
    return a * b


def product(xs):
    return rg.reduce(times, 1.0, xs)


def product_whole(xs):
    return np.prod(xs)


def red0(x):
    return rg.reduce(times, 1.0, np.array([1.0, 2.0, x, 4.0]))


def reducemul2(xs, c):
    return rg.reduce(times, 1.0, xs) * c


def reducemul4(xs):
    x = rg.reduce(times, 1.0, xs)
    return rg.map(lambda a: a * x, xs)


def reducevecmul0(xs):
    return rg.reduce(lambda a, b: rg.map(times, a, b), np.ones(4), xs)


def reducevecmul0_rows(xs):
    return rg.reduce(times, np.ones(4), xs)


def reducevecmul0_whole(xs):
    return np.prod(xs, axis=0)


def reducevecmul1(xs, c):
    return rg.map(lambda a: a * c, rg.reduce(times, np.ones(4), xs))


def matrices(a, b):
    """The product of two matrices with two rows, each written as one row of four."""
    return np.array([
        a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
        a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3],
    ])  # fmt: skip


def reduce1(xs):
    return rg.reduce(matrices, np.array([1.0, 0.0, 0.0, 1.0]), xs)


def reduce1_tuples(xs):
    def op(a, b):
        return (
            a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
            a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3],
        )  # fmt: skip

    one = rg.reduce(op, (1.0, 0.0, 0.0, 1.0), xs[:, 0], xs[:, 1], xs[:, 2], xs[:, 3])
    return np.array(one)


def reduce3(a):
    return rg.reduce(lambda p, q: rg.map(operator.add, p, q), np.zeros(2), a)


def reduce3_rows(a):
    return rg.reduce(operator.add, np.zeros(2), a)


def maximum(xs):
    return rg.reduce(max, -np.inf, rg.map(abs, xs))


def maximum_whole(xs):
    return rg.reduce(np.maximum, -np.inf, np.abs(xs))


def minimum(xs):
    return rg.reduce(min, np.inf, xs)


def minimum_numpy(xs):
    return rg.reduce(np.minimum, np.inf, xs)


def issue2199(xs, ys, zs):
    def op(p, q):
        return p[0] + q[0], p[1] + q[1], p[2] + q[2]

    return rg.reduce(op, (0.0, 0.0, 0.0), xs, ys, zs)


def issue2256(x):
    """Sum of each element times the product of all up to it."""
    products = rg.scan(times, 1.0, x)
    return rg.reduce(operator.add, 0.0, rg.map(times, products, x))


def issue2256_whole(x):
    return np.sum(np.cumprod(x) * x)


def helmholtz(xs, r, t, b, a):
    """Helmholtz energy of a mixture by the Peng-Robinson equation of state."""

    def inner(p, q):
        return rg.reduce(operator.add, 0.0, rg.map(times, p, q))

    bx = inner(b, xs)
    logs = rg.map(lambda x: np.log(x / (1.0 - bx)), xs)
    axx = inner(xs, rg.map(lambda row: inner(row, xs), a))
    root = np.sqrt(2.0)
    inside = (1.0 + (1.0 + root) * bx) / (1.0 + (1.0 - root) * bx)
    return r * t * rg.reduce(operator.add, 0.0, logs) - axx / (np.sqrt(8.0) * bx) * np.log(inside)


def issue1613(xs, r, t, b, a):
    """Value and gradient, so that the Jacobian has the gradient and the Hessian."""
    return rg.value_and_grad(helmholtz)(xs, r, t, b, a)


FIRST_OF_TWO = {"args": (np.array([1.0, 1.0]),), "expected": ([1.0, 0.0],)}
TURNS = np.array([[1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]] * 2)

SUMS = (
    PublicCase(name="sum.rev.0", program=summed, args=(np.arange(1.0, 7.0),),
        expected=([1.0, 1.0, 1.0, 1.0, 1.0, 1.0],), also=(summed_whole,)),
    PublicCase(name="reduce3.fwd_map.0", program=reduce3, compared="columns",
        args=(np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0], [5.0, 5.0]]),),
        seeds=np.repeat(np.eye(5), 2, axis=1), expected=([[1.0, 1.0]] * 5,), also=(reduce3_rows,)),
    PublicCase(name="issue2199.test_primal.0", program=issue2199, compared="value",
        args=(np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([5.0, 6.0])), wrt=(0, 1, 2),
        value=[3.0, 7.0, 11.0]),
)  # fmt: skip

PRODUCTS = (
    PublicCase(name="fwd_red0.f_jvp.0", program=red0, args=(3.0,), compared="columns",
        expected=(8,), file="tests/ad/fwd/red0.fut"),
    PublicCase(name="fwd_red0.f_jvp.1", program=red0, args=(10.0,), compared="columns",
        expected=(8,), file="tests/ad/fwd/red0.fut"),
    PublicCase(name="reducemul0.rev.0", program=product, args=(np.array([0.0, 2.0, 0.0, 4.0]),),
        expected=([0.0, 0.0, 0.0, 0.0],), also=(product_whole,)),
    PublicCase(name="reducemul2.rev.0", program=reducemul2,
        args=(np.array([1.0, 0.0, 3.0, 0.0]), 3.0), wrt=(0, 1),
        expected=([0.0, 0.0, 0.0, 0.0], 0.0)),
    PublicCase(name="reducemul3.rev.0", program=reducemul2,
        args=(np.array([1.0, 2.0, 3.0, 4.0]), 3.0), wrt=(0, 1),
        expected=([72.0, 36.0, 24.0, 18.0], 24.0)),
    PublicCase(name="reducemul4.fwd.0", program=reducemul4, args=(np.arange(1.0, 5.0),), expected=([
        [48.0, 12.0, 8.0, 6.0], [48.0, 48.0, 16.0, 12.0], [72.0, 36.0, 48.0, 18.0],
        [96.0, 48.0, 32.0, 48.0],
    ],)),
    PublicCase(name="reducevecmul0.rev.0", program=reducevecmul0,
        args=(np.array([[0.0, 2.0, 0.0, 4.0], [4.0, 2.0, 0.0, 0.0]]),),
        seeds=[[1.0, 0.0, 0.0, 0.0]], expected=([[4.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]],),
        also=(reducevecmul0_rows, reducevecmul0_whole)),
    PublicCase(name="reducevecmul1.rev.0", program=reducevecmul1,
        args=(np.array([[1.0, 0.0, 3.0, 4.0], [2.0, 2.0, 2.0, 2.0]]), 3.0), wrt=(0, 1),
        seeds=[[0.0, 0.0, 0.0, 1.0]],
        expected=([[0.0, 0.0, 0.0, 6.0], [0.0, 0.0, 0.0, 12.0]], 8.0)),
    PublicCase(name="reduce1.fwd_map.0", program=reduce1, args=(TURNS,), also=(reduce1_tuples,),
        expected=(numbers(
            (4, 4, 4),
            """92 36 0 0|8 20 16 40|32 16 20 10|23 0 36 0 |
               59 23 0 0|5 13 10 26|24 8 15 5|0 23 0 36 |
               0 0 92 36|24 60 32 80|80 40 52 26|59 0 92 0 |
               0 0 59 23|15 39 20 52|60 20 39 13|0 59 0 92""",
        ),)),
    PublicCase(name="issue2256.fwd.0", program=issue2256, args=(np.arange(1.0, 7.0),),
        expected=([5040.0, 2521.0, 1684.0, 1278.0, 1104.0, 1440.0],), also=(issue2256_whole,)),
)  # fmt: skip

EXTREMES = (
    PublicCase(name="maximum.rev.0", program=maximum, also=(maximum_whole,),
        args=(np.array([1.0, 2.0, 3.0, 4.0, 5.0, -6.0, 5.0]),),
        expected=([0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0],)),
    PublicCase(name="maximum.rev.1", program=maximum, also=(maximum_whole,), **FIRST_OF_TWO),
    PublicCase(name="minimum.rev.0", program=minimum, also=(minimum_numpy,),
        args=(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 5.0]),),
        expected=([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],)),
    PublicCase(name="minimum.rev.1", program=minimum, also=(minimum_numpy,), **FIRST_OF_TWO),
)  # fmt: skip

ENERGY = PublicCase(
    name="issue1613.helmholtz", program=issue1613, args=(
        np.array([0.3, 0.4, 0.5, 0.6]), 1.0, 2.0, np.array([0.1, 0.2, 0.05, 0.15]),
        0.1 * np.arange(1.0, 17.0).reshape(4, 4),
    ),
    value=[
        -7.286171901428016,
        6.233517118774714, 5.019296238314303, 1.4608261422870246, 1.246605261826613,
    ],
    expected=([
        [6.233517118774714, 5.019296238314303, 1.4608261422870246, 1.246605261826613],
        [-22.085823937364484, -0.03478331508533555, -0.7014824735068541, -0.8726640734499288],
        [-0.03478331508533544, -12.51635256271705, -0.8466076875429102, -0.8281769351746215],
        [-0.7014824735068539, -0.8466076875429098, -9.612822705856306, -1.757947919892363],
        [-0.8726640734499286, -0.8281769351746215, -1.7579479198923627, -7.269016337172611],
    ],),
)  # fmt: skip

CASES = (*SUMS, *PRODUCTS, *EXTREMES, ENERGY)
