"""Histograms: every place with the values whose index it is; some indices are out of range."""

from __future__ import annotations

import operator

import numpy as np

import retrograd as rg
from tests.constructs.cases.case import PublicCase, numbers

__all__ = ["CASES"]


def times(a, b):
    return a * b


def twice(a, b):
    """Associative, with the neutral element 0.5."""
    return 2.0 * a * b


def hist_mul(vs, c, places):
    found = rg.hist(np.ones(len(c)), times, 1.0, places, vs)
    return rg.map(times, found, c)


def hist_minmax(vs, places, k):
    return rg.hist(rg.replicate(k, -np.inf), max, -np.inf, places, vs)


def reducebyindex0(dst, vs, c, places):
    found = rg.reduce_by_index(dst, twice, 0.5, places, vs)
    return rg.map(times, found, c)


def reducebyindex2(dst, vs, c, places):
    return rg.reduce_by_index(dst, times, 1.0, places, rg.map(times, c, vs))


def reducebyindex6(values, places):
    return rg.reduce_by_index(rg.replicate(2, 0.5), twice, 0.5, places, values)


def added(dst, vs, places):
    return rg.reduce_by_index(dst, operator.add, 0.0, places, vs)


def added_by_operator(dst, vs, places):
    return rg.reduce_by_index(dst, lambda a, b: a + b, 0.0, places, vs)


def added_by_loop(dst, vs, places):
    out = dst.copy()
    for i in range(len(places)):
        if 0 <= places[i] < len(dst):
            out[places[i]] += vs[i]
    return out


def reducebyindexadd0(dst, vs, places):
    return rg.map(lambda a, b: a * a + b, dst, added(dst, vs, places))


def reducebyindexadd2(dst, vs, c, places):
    return added(dst, vs, places) * c


def reducebyindexadd4(dst, vs, c, places):
    return rg.reduce_by_index(dst, operator.add, np.zeros((2, 2)), places, vs) * c


def reducebyindexadd4_operator(dst, vs, c, places):
    def op(p, q):
        return rg.map(lambda a, b: rg.map(operator.add, a, b), p, q)

    return rg.reduce_by_index(dst, op, np.zeros((2, 2)), places, vs) * c


def reducebyindexmul1(dst, vs, c, places):
    return rg.reduce_by_index(dst, times, 1.0, places, vs) * c


def reducebyindexmul3(dst, vs, c, places):
    return rg.reduce_by_index(dst, times, np.ones(2), places, vs) * c


def reducebyindexmul4(dst, vs, c, places):
    return rg.reduce_by_index(dst, times, np.ones((2, 2)), places, vs) * c


def reducebyindexminmax4(dst, c, vs, places):
    found = rg.reduce_by_index(dst, max, -np.inf, places, vs)
    return rg.map(lambda a: c * a, found)


def reducebyindexminmax6(dst, vs, places):
    found = rg.reduce_by_index(dst, max, -np.inf, places, vs)
    return rg.map(lambda a, b: a * a + b, dst, found)


def reducebyindexvecmul0(vs, places):
    def op(p, q):
        return rg.map(times, p, q)

    return rg.hist(np.ones((6, 5)), op, np.ones(5), places, vs)


PLACES = np.array([4, 5, 2, 4, 5, 2, 0, 0, 4, 5, 1, 4, 1, 3, 3, 1, 8, -1])
"""Of eight bins; the last two are out of range."""

VALUES = np.array([
    11.0, 16.0, 7.0, 0.0, 14.0, 6.0, 2.0, 1.0, 13.0, 0.0, 5.0, 0.0, 3.0, 0.0, 9.0, 4.0, 17.0, 18.0,
])  # fmt: skip
DEST = np.array([1.0, 2.0, 0.0, 4.0, 5.0, 0.0, 9.0, 0.0])
FACTORS, ZEROS = np.arange(1.0, 9.0), np.zeros(8)
EIGHT = (DEST, VALUES, FACTORS, PLACES)
EIGHT_TIMES_ZERO = (DEST, VALUES, ZEROS, PLACES)
ONES = np.ones((1, 8))

BLOCKS = (
    np.array([[[1.0, 2.0], [0.0, 4.0]], [[5.0, 0.0], [9.0, 0.0]]]),
    np.array([
        [[1.0, 3.0], [6.0, 0.0]], [[2.0, 4.0], [7.0, 9.0]], [[18.0, 5.0], [19.0, 20.0]],
        [[0.0, 14.0], [1.0, 1.0]], [[11.0, 0.0], [1.0, 1.0]], [[0.0, 16.0], [1.0, 1.0]],
        [[13.0, 21.0], [1.0, 1.0]],
    ]),
    np.arange(1.0, 9.0).reshape(2, 2, 2),
    np.array([0, 0, 0, 1, 1, 1, 1]),
)  # fmt: skip
"""Values of two axes."""

GENERAL = (
    PublicCase(name="reducebyindex0.main.0", program=reducebyindex0, args=EIGHT, wrt=(0, 1, 2),
        seeds=ONES, expected=(
            [8.0, 960.0, 504.0, 0.0, 0.0, 0.0, 7.0, 8.0],
            numbers((18,), """\
            0 0 0 0 0 0 4 8 0 0 384 0 640 576 0 480 0 0"""),
            [8.0, 960.0, 0.0, 0.0, 0.0, 0.0, 9.0, 0.0],
        )),
    PublicCase(name="reducebyindex2.main.0", program=reducebyindex2, wrt=(0, 1, 2),
        args=(
            np.array([0.0, 1.0, 2.0, 3.0]),
            np.array([2.0, 3.0, 4.0, 5.0, 6.0, 0.0, 8.0, 9.0, 1.0]), np.arange(1.0, 10.0),
            np.array([0, 1, 2, 3, 2, 1, 0, 1, 2]),
        ), seeds=np.ones((1, 4)), expected=(
            [112.0, 0.0, 3240.0, 20.0],
            [0.0, 0.0, 1620.0, 12.0, 1080.0, 2592.0, 0.0, 0.0, 6480.0],
            [0.0, 0.0, 2160.0, 15.0, 1296.0, 0.0, 0.0, 0.0, 720.0],
        )),
    PublicCase(name="reducebyindex6.rev.0", program=reducebyindex6,
        args=(np.arange(1.0, 9.0), np.array([1, -3, 1, 5, 1, -3, 1, 5])), seeds=[[0.0, 1.0]],
        expected=([840.0, 0.0, 280.0, 0.0, 168.0, 0.0, 120.0, 0.0],)),
)  # fmt: skip

SUMS = (
    PublicCase(name="reducebyindexadd0.rev.0", program=reducebyindexadd0,
        args=(
            np.array([2.0, 1.0, 1.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0, 4.0, 10.0]),
            np.array([0, 0, 0, 0, 0]),
        ), seeds=np.eye(5)[:1], expected=([5.0, 0.0, 0.0, 0.0, 0.0],)),
    PublicCase(name="reducebyindexadd1.main.0", program=added,
        also=(added_by_operator, added_by_loop), args=(DEST, VALUES, PLACES), wrt=(0, 1),
        seeds=ONES, expected=([1.0] * 8, [1.0] * 16 + [0.0] * 2)),
    PublicCase(name="reducebyindexadd2.main.0", program=reducebyindexadd2, args=EIGHT,
        wrt=(0, 1, 2), seeds=ONES, expected=(
            [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
            numbers((18,), """\
            5 6 3 5 6 3 1 1 5 6 2 5 2 4 4 2 0 0"""),
            [4.0, 14.0, 13.0, 13.0, 29.0, 30.0, 9.0, 0.0],
        )),
    PublicCase(name="reducebyindexadd2.main.1", program=reducebyindexadd2, args=EIGHT_TIMES_ZERO,
        wrt=(0, 1, 2), seeds=ONES,
        expected=([0.0] * 8, [0.0] * 18, [4.0, 14.0, 13.0, 13.0, 29.0, 30.0, 9.0, 0.0])),
    PublicCase(name="reducebyindexadd4.main.0", program=reducebyindexadd4,
        also=(reducebyindexadd4_operator,), args=BLOCKS, wrt=(0, 1, 2), seeds=ONES, expected=(
            [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]],
            numbers((7, 2, 2), """\
            1 2|3 4|1 2|3 4|1 2|3 4|5 6|7 8|5 6|7 8|5 6|7 8|5 6|7 8"""),
            [[[22.0, 14.0], [32.0, 33.0]], [[29.0, 51.0], [13.0, 4.0]]],
        )),
)  # fmt: skip

PRODUCTS = (
    PublicCase(name="hist_mul.rev_map.0", program=hist_mul, args=(VALUES, FACTORS, PLACES),
        wrt=(0, 1), expected=(
            numbers((8, 18), """\
            0 0 0 0 0 0 1 2 0 0 0 0 0 0 0 0 0 0|0 0 0 0 0 0 0 0 0 0 24 0 40 0 0 30 0 0|
            0 0 18 0 0 21 0 0 0 0 0 0 0 0 0 0 0 0|0 0 0 0 0 0 0 0 0 0 0 0 0 36 0 0 0 0|.|
            0 0 0 0 0 0 0 0 0 1344 0 0 0 0 0 0 0 0|.|."""),
            np.diag([2.0, 60.0, 42.0, 0.0, 0.0, 0.0, 1.0, 1.0]),
        )),
    PublicCase(name="reducebyindexmul1.main.0", program=reducebyindexmul1, args=EIGHT,
        wrt=(0, 1, 2), seeds=ONES, expected=(
            [2.0, 120.0, 126.0, 0.0, 0.0, 0.0, 7.0, 8.0],
            numbers((18,), """\
            0 0 0 0 0 0 1 2 0 0 48 0 80 144 0 60 0 0"""),
            [2.0, 120.0, 0.0, 0.0, 0.0, 0.0, 9.0, 0.0],
        )),
    PublicCase(name="reducebyindexmul1.main.1", program=reducebyindexmul1, args=EIGHT_TIMES_ZERO,
        wrt=(0, 1, 2), seeds=ONES,
        expected=([0.0] * 8, [0.0] * 18, [2.0, 120.0, 0.0, 0.0, 0.0, 0.0, 9.0, 0.0])),
    PublicCase(name="reducebyindexmul3.main.0", program=reducebyindexmul3, wrt=(0, 1, 2), args=(
            np.array([[1.0, 2.0], [0.0, 4.0], [5.0, 0.0], [9.0, 0.0]]),
            numbers((9, 2), """\
                1 3|2 4|18 5|6 0|7 9|0 14|11 0|0 16|13 17"""),
            np.arange(1.0, 9.0).reshape(4, 2), np.array([0, 0, 0, 1, 1, 2, 2, 2, 2]),
        ), seeds=ONES, expected=(
            [[36.0, 120.0], [126.0, 0.0], [0.0, 0.0], [7.0, 8.0]],
            numbers((9, 2), """\
            36 80|18 60|2 48|0 144|.|.|.|.|."""),
            [[36.0, 120.0], [0.0, 0.0], [0.0, 0.0], [9.0, 0.0]],
        )),
    PublicCase(name="reducebyindexmul4.main.0", program=reducebyindexmul4, args=BLOCKS,
        wrt=(0, 1, 2), seeds=ONES, expected=(
            [[[36.0, 120.0], [2394.0, 0.0]], [[0.0, 0.0], [7.0, 8.0]]],
            numbers((7, 2, 2), """\
            36 80|0 2880|18 60|.|2 48|.|.|63 0|.|63 0|.|63 0|.|63 0"""),
            [[[36.0, 120.0], [0.0, 0.0]], [[0.0, 0.0], [9.0, 0.0]]],
        )),
    PublicCase(name="reducebyindexvecmul0.vecmul.0", program=reducebyindexvecmul0, args=(
            numbers((10, 5), """\
                8 5 -2 4 6|12 8 7 2 6|3 9 -2 11 1|7 3 12 7 10|9 12 4 1 8|7 -1 11 6 10|
                -2 6 7 1 12|8 0 9 6 7|7 3 6 7 8|1 4 2 9 9"""),
            np.array([5, 3, 2, 4, 3, 3, 4, 2, 2, 3]),
        ), seeds=numbers((6, 5), """\
            2 2 2 2 4|2 1 3 3 1|2 5 2 4 5|1 2 1 1 4|5 1 4 4 5|4 1 4 5 3"""),
        expected=(numbers((10, 5), """\
            4 1 4 5 3|63 -96 88 54 2880|112 0 108 168 280|-10 6 28 4 60|84 -64 154 108 2160|
            108 768 56 18 1728|35 3 48 28 50|42 135 -24 308 40|48 0 -36 264 35|
            756 -192 308 12 1920"""),)),
)  # fmt: skip

FIRST = [[1.0, 0.0, 0.0]]

EXTREMES = (
    PublicCase(name="hist_minmax.fwd_map.0", program=hist_minmax,
        args=(VALUES, PLACES, 5), expected=(np.eye(18)[[6, 10, 2, 14, 8]],)),
    PublicCase(name="reducebyindexminmax4.rev.0", program=reducebyindexminmax4, wrt=(0, 1),
        args=(np.array([5.0, 1.0, 2.0]), 3.0, np.array([4.0, 3.0, 2.0]), np.array([0, 0, 0])),
        seeds=FIRST, expected=([3.0, 0.0, 0.0], 5.0)),
    PublicCase(name="reducebyindexminmax4.rev.1", program=reducebyindexminmax4, wrt=(0, 1),
        args=(np.array([5.0, 1.0, 2.0]), 3.0, np.array([10.0, 3.0, 2.0]), np.array([0, 0, 0])),
        seeds=FIRST, expected=([0.0, 0.0, 0.0], 10.0)),
    PublicCase(name="reducebyindexminmax4.rev.2", program=reducebyindexminmax4, wrt=(0, 1),
        args=(np.array([5.0, 1.0, 2.0]), 3.0, np.array([10.0, 30.0, 2.0]), np.array([0, 1, 0])),
        seeds=FIRST, expected=([0.0, 0.0, 0.0], 10.0)),
    PublicCase(name="reducebyindexminmax6.rev.0", program=reducebyindexminmax6, args=(
            np.array([2.0, 1.0, 1.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0, 4.0, 10.0]),
            np.array([0, 0, 0, 0, 0]),
        ), seeds=np.eye(5)[:1], expected=([4.0, 0.0, 0.0, 0.0, 0.0],)),
    PublicCase(name="reducebyindexminmax6.rev.1", program=reducebyindexminmax6, args=(
            np.array([10.0, 1.0, 1.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0, 4.0, 5.0]),
            np.array([0, 0, 0, 0, 0]),
        ), seeds=np.eye(5)[:1], expected=([21.0, 0.0, 0.0, 0.0, 0.0],)),
)  # fmt: skip

CASES = (*GENERAL, *SUMS, *PRODUCTS, *EXTREMES)
