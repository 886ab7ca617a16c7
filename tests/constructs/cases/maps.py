"""Maps, and arrays that are put together, turned or repeated."""

from __future__ import annotations

import numpy as np

import retrograd as rg
from tests.constructs.cases.case import PublicCase, numbers

__all__ = ["CASES"]


def map0(xs, ys):
    return rg.map(lambda x, y: x * y, xs, ys)


def map2(c, xs):
    return rg.map(lambda x: x * c, xs)


def map5(free, places):
    """The use of a number as an index has no derivative."""
    return rg.map(lambda i: np.sum(free[int(i)]) + i, places)


def map6(x):
    def products(k):
        return rg.build(2, lambda i: sum(x[k + j] * x[i + j] for j in range(4)))

    return rg.map(lambda row: row[0] - row[1], rg.build(4, products))


def map7(x):
    def product(k, i):
        return np.sum(rg.map(lambda a, b: a * b, x[k : k + 4], x[i : i + 4]))

    return rg.build(4, lambda k: product(k, 0) - product(k, 1))


def dotted(xss, yss, times):
    """The product of matrices, with any operation for that of numbers."""

    def entry(row, column):
        return rg.reduce(lambda a, b: a + b, 0.0, rg.map(times, row, column))

    return rg.map(lambda row: rg.map(lambda column: entry(row, column), yss.T), xss)


def matmul(xss, yss):
    return dotted(xss, yss, lambda a, b: a + b)


def matmul_simple(xss, yss):
    return dotted(xss, yss, lambda a, b: a * b)


def matmul_whole(xss, yss):
    return xss @ yss


def concat0(xs):
    return np.concatenate((xs, xs))


def transpose(xs):
    return xs.T


def transpose_built(xs):
    return rg.build(xs.shape[1], lambda j: rg.build(xs.shape[0], lambda i: xs[i, j]))


def reshape0(n, m, xs):
    return xs.reshape(n, m)


def replicate0(n, xs):
    return rg.replicate(n, xs)


def replicate0_number(n, x):
    return rg.replicate(n, x)


def replicate2(n, m, x):
    return rg.replicate(n, rg.replicate(m, x))


def flattened(counts, f, xs):
    """Row f(xs[i]) counts[i] times, for each i: the i of each row, then the rows."""
    ends = rg.scan(lambda a, b: a + b, 0, counts)

    def whose(row):
        i = 0
        while ends[i] <= row:
            i += 1
        return i

    owners = rg.build(ends[-1], whose)
    return rg.map(lambda i: f(xs[i]), owners)


def flatmap1(ks, xs):
    a = flattened(ks, lambda x: np.array([x, x * x]), xs)
    return a, rg.map(lambda x: np.array([2.0 * x, 3.0 * x]), xs)


def flatmap2(c, ks, xs):
    a = flattened(ks, lambda x: x * c, xs)
    return np.concatenate((a, rg.map(lambda x: 2.0 * x * c, xs)))


EIGHT = np.arange(1.0, 9.0)
CORRELATIONS = [
    [0.0, 2.0, 3.0, 4.0], [0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0],
    [-4.0, -6.0, -7.0, -8.0], [0.0, 0.0, -1.0, -1.0], [0.0, 0.0, 0.0, -1.0], [0.0, 0.0, 0.0, 0.0],
]  # fmt: skip
LEFT, RIGHT = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.0]])

MAPS = (
    PublicCase(name="map0.fwd_map.0", program=map0,
        args=(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])), wrt=(1,),
        expected=([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]],)),
    PublicCase(name="map2.fwd_map.0", program=map2, args=(2.0, np.array([1.0, 2.0, 3.0])),
        compared="columns", expected=([1.0, 2.0, 3.0],)),
    PublicCase(name="map5.fwd_J.0", program=map5,
        args=(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), np.array([0.0, 0.0])), wrt=(1,),
        expected=([[1, 0], [0, 1]],)),
    PublicCase(name="map6.fwd_J.0", program=map6, args=(EIGHT,), compared="columns",
        expected=(CORRELATIONS,)),
    PublicCase(name="map7.fwd_map.0", program=map7, args=(EIGHT,), compared="columns",
        expected=(CORRELATIONS,)),
    PublicCase(name="matmul.fwd_J.0", program=matmul, args=(LEFT, RIGHT), wrt=(1,), expected=([
        [[[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 1.0]]],
        [[[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 1.0]]],
    ],)),
    PublicCase(name="genred-opt_matmul-simple.rev_J.0", program=matmul_simple,
        also=(matmul_whole,), file="tests/ad/genred-opt/matmul-simple.fut", args=(LEFT, RIGHT),
        wrt=(0, 1), seeds=[[[1.0, 2.0], [3.0, 4.0]]],
        expected=([[17.0, 23.0], [39.0, 53.0]], [[10.0, 14.0], [14.0, 20.0]])),
)  # fmt: skip

SHAPES = (
    PublicCase(name="concat0.fwd_vec.0", program=concat0, args=(np.array([1.0, 2.0, 3.0]),),
        compared="columns", expected=([
            [1.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0, 0.0, 0.0, 1.0],
        ],)),
    PublicCase(name="transpose.fwd_vec.0", program=transpose, args=(LEFT,), compared="columns",
        expected=([
            [[1.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]],
            [[0.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 1.0]],
        ],), also=(transpose_built,)),
    PublicCase(name="rearrange0.f_jvp.0", program=transpose, args=(LEFT,), compared="columns",
        seeds=[[[1, 2], [3, 4]]], expected=([[1, 3], [2, 4]],), also=(transpose_built,)),
    PublicCase(name="rearrange0.f_vjp.0", program=transpose, args=(LEFT,),
        seeds=[[[1, 2], [3, 4]]], expected=([[1, 3], [2, 4]],), also=(transpose_built,)),
    PublicCase(name="reshape0.fwd_map.0", program=reshape0,
        args=(2, 2, np.array([1.0, 2.0, 3.0, 4.0])), wrt=(2,), compared="columns",
        seeds=[[1, 0, 0, 0], [0, 1, 0, 0]], expected=([[[1, 0], [0, 0]], [[0, 1], [0, 0]]],)),
    PublicCase(name="reshape0.f_vjp.0", program=reshape0,
        args=(2, 2, np.array([1.0, 2.0, 3.0, 4.0])), wrt=(2,), seeds=[[[1, 2], [3, 4]]],
        expected=([1, 2, 3, 4],)),
    PublicCase(name="replicate0.fwd_vec.0", program=replicate0, args=(2, np.array([1.0, 2.0])),
        wrt=(1,), compared="columns",
        expected=([[[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.0, 1.0]]],)),
    PublicCase(name="replicate0.rev.0", program=replicate0_number, args=(3, 2.0), wrt=(1,),
        seeds=[[0, 1, 2]], expected=(3,)),
    PublicCase(name="replicate2.f_jvp.0", program=replicate2, args=(2, 3, 2.0), wrt=(2,),
        compared="columns", expected=([[1, 1, 1], [1, 1, 1]],)),
    PublicCase(name="replicate2.f_vjp.0", program=replicate2, args=(2, 3, 2.0), wrt=(2,),
        seeds=[[[0, 1, 2], [0, 1, 2]]], expected=(6,)),
)  # fmt: skip

FLAT = (
    PublicCase(name="flatmap1.fwd_map.0", program=flatmap1,
        args=(np.array([1, 2, 3]), np.array([4.0, 5.0, 6.0])), wrt=(1,), compared="columns",
        expected=(
            numbers((3, 6, 2), "1 8|.|.|.|.|.  |.|1 10|1 10|.|.|.  |.|.|.|1 12|1 12|1 12"),
            numbers((3, 3, 2), "2 3|.|.  |.|2 3|.  |.|.|2 3"),
        )),
    PublicCase(name="flatmap2.fwd_map.0", program=flatmap2,
        args=(2.0, np.array([1, 2, 3]), np.array([4.0, 5.0, 6.0])), wrt=(0, 2), expected=(
            [4.0, 5.0, 5.0, 6.0, 6.0, 6.0, 8.0, 10.0, 12.0],
            numbers((9, 3), "2 0 0|0 2 0|0 2 0|0 0 2|0 0 2|0 0 2|4 0 0|0 4 0|0 0 4"),
        )),
)  # fmt: skip

CASES = (*MAPS, *SHAPES, *FLAT)
