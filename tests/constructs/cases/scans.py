"""Scans: sums, products, matrices, compositions of affine functions, tuples, rows."""

from __future__ import annotations

import operator

import numpy as np

import retrograd as rg
from tests.constructs.cases.case import PublicCase, numbers
from tests.constructs.cases.reductions import matrices

__all__ = ["CASES"]


def times(a, b):
    return a * b


def scan0(a):
    return rg.scan(times, 1.0, a)


def scan0_whole(a):
    return np.cumprod(a)


def scan0_shifted(a):
    """By an exclusive scan."""
    return rg.map(times, rg.scan(times, 1.0, a, exclusive=True), a)


def scan1(a):
    return rg.scan(operator.add, 0.0, a)


def scan1_whole(a):
    return np.cumsum(a)


def scan2(a):
    return rg.scan(lambda p, q: rg.map(operator.add, p, q), np.zeros(2), a)


def scan2_rows(a):
    return rg.scan(operator.add, np.zeros(2), a)


def scan3(xs):
    return rg.scan(matrices, np.array([1.0, 0.0, 0.0, 1.0]), xs)


def scan3_tuples(xs):
    def op(a, b):
        return (
            a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
            a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3],
        )  # fmt: skip

    one = (1.0, 0.0, 0.0, 1.0)
    found = rg.scan(op, one, xs[:, 0], xs[:, 1], xs[:, 2], xs[:, 3])
    return np.stack(found).T


def scan4(xs):
    def op(p, q):
        return p[0] + q[0], p[1] * q[1], max(p[2], q[2])

    columns = rg.map(lambda row: (row[0], row[1], row[2]), xs)
    a, b, c = rg.scan(op, (0.0, 1.0, -np.inf), *columns)
    return rg.map(lambda p, q, r: np.array([p, q, r]), a, b, c)


def scan5(a):
    return rg.scan(lambda p, q: rg.map(times, p, q), np.ones(2), a)


def scan6(xs):
    """Functions a + b x, composed."""

    def op(p, q):
        return q[0] + q[1] * p[0], p[1] * q[1]

    a, b = rg.scan(op, (0.0, 1.0), xs[:, 0], xs[:, 1])
    return np.stack((a, b)).T


def scan6_rows(xs):
    def op(p, q):
        return np.array([q[0] + q[1] * p[0], p[1] * q[1]])

    return rg.scan(op, np.array([0.0, 1.0]), xs)


def scan6_plane(xs):
    """Functions d + C x of two numbers, composed."""

    def op(p, q):
        return np.array([
            q[0] + q[2] * p[0] + q[3] * p[1], q[1] + q[4] * p[0] + q[5] * p[1],
            q[2] * p[2] + q[3] * p[4], q[2] * p[3] + q[3] * p[5],
            q[4] * p[2] + q[5] * p[4], q[4] * p[3] + q[5] * p[5],
        ])  # fmt: skip

    return rg.scan(op, np.array([0.0, 0.0, 1.0, 0.0, 0.0, 1.0]), xs)


def scan6_plane_pairs(xs):
    """The same by matrices and their products, in two arrays."""

    def op(p, q):
        return q[0] + q[1] @ p[0], q[1] @ p[1]

    first = (np.zeros(2), np.eye(2))
    d, c = rg.scan(op, first, xs[:, :2], xs[:, 2:].reshape(len(xs), 2, 2))
    return np.concatenate((d, c.reshape(len(xs), 4)), axis=1)


def scan7(xs):
    return rg.scan(times, np.ones((2, 2)), xs)


def scan8(xs):
    def op(a, b):
        return (a.reshape(3, 3) @ b.reshape(3, 3)).ravel()

    return rg.scan(op, np.eye(3).ravel(), xs)


def scan9(xs):
    def op(a, b):
        return (a.reshape(4, 4) @ b.reshape(4, 4)).ravel()

    return rg.scan(op, np.eye(4).ravel(), xs)


FIVE = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
PAIRS = np.repeat(FIVE, 2).reshape(5, 2)
ROWS_OF_PAIRS = np.repeat(np.eye(5), 2, axis=1)
"""Of each row of two in turn both."""

TURNS = np.array([[1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]] * 2)
NINE, SIXTEEN = np.arange(1.0, 10.0), np.arange(1.0, 17.0)

SUMS_OF_ROWS = numbers(
    (5, 5, 2),
    """\
    1 1|.|.|.|.|1 1|1 1|.|.|.|1 1|1 1|1 1|.|.|1 1|1 1|1 1|1 1|.|1 1|1 1|1 1|1 1|1 1""",
)

PRODUCTS_OF_ROWS = numbers(
    (5, 5, 2),
    """\
    1 1|.|.|.|.|2 2|1 1|.|.|.|6 6|3 3|2 2|.|.|24 24|12 12|8 8|6 6|.|120 120|60 60|40 40|30 30|
    24 24""",
)

PRODUCTS_OF_BLOCKS = numbers(
    (4, 2, 2, 4, 2, 2),
    """\
    1 0|.|4 0|.|12 0|.|48 0|.|0 1|.|0 5|.|0 20|.|0 100|.|.|1 0|.|3 0|.|12 0|.|24 0|.|0 1|.|0 4|
    .|0 20|.|0 60|.|.|1 0|.|3 0|.|12 0|.|.|.|0 2|.|0 8|.|0 40|.|.|.|.|2 0|.|8 0|.|16 0|.|.|.|
    0 3|.|0 15|.|0 45|.|.|.|.|4 0|.|16 0|.|.|.|.|.|0 10|.|0 50|.|.|.|.|.|.|6 0|.|12 0|.|.|.|.|.|
    0 12|.|0 36|.|.|.|.|.|.|12 0|.|.|.|.|.|.|.|0 40|.|.|.|.|.|.|.|.|24 0|.|.|.|.|.|.|.|0 60""",
)

TRIPLES = numbers(
    (4, 4, 3),
    """\
    1 1 1|.|.|.|1 3 0|1 2 1|.|.|1 12 0|1 8 1|1 6 0|.|1 24 0|1 16 1|1 12 0|1 24 0""",
)

AFFINE = numbers(
    (4, 2, 4, 2),
    """\
    1 0|.|.|.|0 1|.|.|.|3 0|1 1|.|.|0 3|0 2|.|.|12 0|4 4|1 7|.|0 12|0 8|0 6|.|24 0|8 8|2 14|
    1 31|0 24|0 16|0 12|0 24""",
)

AFFINE_PLANE = numbers(
    (4, 6, 4, 6),
    """\
    1 0 0 0 0 0|.|.|.|0 1 0 0 0 0|.|.|.|0 0 1 0 0 0|.|.|.|0 0 0 1 0 0|.|.|.|0 0 0 0 1 0|.|.|.|
    0 0 0 0 0 1|.|.|.|4 3 0 0 0 0|1 0 1 2 0 0|.|.|2 1 0 0 0 0|0 1 0 0 1 2|.|.|0 0 4 0 3 0|
    0 0 3 5 0 0|.|.|0 0 0 4 0 3|0 0 4 6 0 0|.|.|0 0 2 0 1 0|0 0 0 0 3 5|.|.|0 0 0 2 0 1|
    0 0 0 0 4 6|.|.|26 19 0 0 0 0|6 1 6 12 1 2|1 0 16 9 0 0|.|14 9 0 0 0 0|2 3 2 4 3 6|
    0 1 0 0 16 9|.|0 0 26 0 19 0|0 0 18 30 3 5|0 0 27 11 0 0|.|0 0 0 26 0 19|0 0 24 36 4 6|
    0 0 34 14 0 0|.|0 0 14 0 9 0|0 0 6 10 9 15|0 0 0 0 27 11|.|0 0 0 14 0 9|0 0 8 12 12 18|
    0 0 0 0 34 14|.|110 73 0 0 0 0|18 19 18 36 19 38|1 6 16 9 96 54|1 0 109 64 0 0|
    186 131 0 0 0 0|38 17 38 76 17 34|5 4 80 45 64 36|0 1 0 0 109 64|0 0 110 0 73 0|
    0 0 54 90 57 95|0 0 27 11 162 66|0 0 173 87 0 0|0 0 0 110 0 73|0 0 72 108 76 114|
    0 0 34 14 204 84|0 0 218 110 0 0|0 0 186 0 131 0|0 0 114 190 51 85|0 0 135 55 108 44|
    0 0 0 0 173 87|0 0 0 186 0 131|0 0 152 228 68 102|0 0 170 70 136 56|0 0 0 0 218 110""",
)

TWO_BY_TWO = numbers(
    (4, 4, 4, 4),
    """\
    1 0 0 0|.|.|.|0 1 0 0|.|.|.|0 0 1 0|.|.|.|0 0 0 1|.|.|.|4 2 0 0|1 0 2 0|.|.|3 1 0 0|0 1 0 2|
    .|.|0 0 4 2|3 0 4 0|.|.|0 0 3 1|0 3 0 4|.|.|13 5 0 0|1 3 2 6|8 0 5 0|.|20 8 0 0|2 4 4 8|
    0 8 0 5|.|0 0 13 5|3 9 4 12|20 0 13 0|.|0 0 20 8|6 12 8 16|0 20 0 13|.|92 36 0 0|8 20 16 40|
    32 16 20 10|23 0 36 0|59 23 0 0|5 13 10 26|24 8 15 5|0 23 0 36|0 0 92 36|24 60 32 80|
    80 40 52 26|59 0 92 0|0 0 59 23|15 39 20 52|60 20 39 13|0 59 0 92""",
)

THREE_BY_THREE = numbers(
    (4, 9, 4, 9),
    """\
    1 0 0 0 0 0 0 0 0|.|.|.|0 1 0 0 0 0 0 0 0|.|.|.|0 0 1 0 0 0 0 0 0|.|.|.|0 0 0 1 0 0 0 0 0|.|
    .|.|0 0 0 0 1 0 0 0 0|.|.|.|0 0 0 0 0 1 0 0 0|.|.|.|0 0 0 0 0 0 1 0 0|.|.|.|
    0 0 0 0 0 0 0 1 0|.|.|.|0 0 0 0 0 0 0 0 1|.|.|.|9 6 3 0 0 0 0 0 0|1 0 0 2 0 0 3 0 0|.|.|
    8 5 2 0 0 0 0 0 0|0 1 0 0 2 0 0 3 0|.|.|7 4 1 0 0 0 0 0 0|0 0 1 0 0 2 0 0 3|.|.|
    0 0 0 9 6 3 0 0 0|4 0 0 5 0 0 6 0 0|.|.|0 0 0 8 5 2 0 0 0|0 4 0 0 5 0 0 6 0|.|.|
    0 0 0 7 4 1 0 0 0|0 0 4 0 0 5 0 0 6|.|.|0 0 0 0 0 0 9 6 3|7 0 0 8 0 0 9 0 0|.|.|
    0 0 0 0 0 0 8 5 2|0 7 0 0 8 0 0 9 0|.|.|0 0 0 0 0 0 7 4 1|0 0 7 0 0 8 0 0 9|.|.|
    90 54 18 0 0 0 0 0 0|1 4 7 2 8 14 3 12 21|30 0 0 24 0 0 18 0 0|.|114 69 24 0 0 0 0 0 0|
    2 5 8 4 10 16 6 15 24|0 30 0 0 24 0 0 18 0|.|138 84 30 0 0 0 0 0 0|3 6 9 6 12 18 9 18 27|
    0 0 30 0 0 24 0 0 18|.|0 0 0 90 54 18 0 0 0|4 16 28 5 20 35 6 24 42|84 0 0 69 0 0 54 0 0|.|
    0 0 0 114 69 24 0 0 0|8 20 32 10 25 40 12 30 48|0 84 0 0 69 0 0 54 0|.|
    0 0 0 138 84 30 0 0 0|12 24 36 15 30 45 18 36 54|0 0 84 0 0 69 0 0 54|.|
    0 0 0 0 0 0 90 54 18|7 28 49 8 32 56 9 36 63|138 0 0 114 0 0 90 0 0|.|0 0 0 0 0 0 114 69 24|
    14 35 56 16 40 64 18 45 72|0 138 0 0 114 0 0 90 0|.|0 0 0 0 0 0 138 84 30|
    21 42 63 24 48 72 27 54 81|0 0 138 0 0 114 0 0 90|.|1908 1152 396 0 0 0 0 0 0|
    30 84 138 60 168 276 90 252 414|270 180 90 216 144 72 162 108 54|252 0 0 324 0 0 396 0 0|
    1566 945 324 0 0 0 0 0 0|24 69 114 48 138 228 72 207 342|240 150 60 192 120 48 144 90 36|
    0 252 0 0 324 0 0 396 0|1224 738 252 0 0 0 0 0 0|18 54 90 36 108 180 54 162 270|
    210 120 30 168 96 24 126 72 18|0 0 252 0 0 324 0 0 396|0 0 0 1908 1152 396 0 0 0|
    120 336 552 150 420 690 180 504 828|756 504 252 621 414 207 486 324 162|
    738 0 0 945 0 0 1152 0 0|0 0 0 1566 945 324 0 0 0|96 276 456 120 345 570 144 414 684|
    672 420 168 552 345 138 432 270 108|0 738 0 0 945 0 0 1152 0|0 0 0 1224 738 252 0 0 0|
    72 216 360 90 270 450 108 324 540|588 336 84 483 276 69 378 216 54|0 0 738 0 0 945 0 0 1152|
    0 0 0 0 0 0 1908 1152 396|210 588 966 240 672 1104 270 756 1242|
    1242 828 414 1026 684 342 810 540 270|1224 0 0 1566 0 0 1908 0 0|0 0 0 0 0 0 1566 945 324|
    168 483 798 192 552 912 216 621 1026|1104 690 276 912 570 228 720 450 180|
    0 1224 0 0 1566 0 0 1908 0|0 0 0 0 0 0 1224 738 252|126 378 630 144 432 720 162 486 810|
    966 552 138 798 456 114 630 360 90|0 0 1224 0 0 1566 0 0 1908""",
)

FOUR_BY_FOUR = numbers(
    (4, 16),
    """\
    17760 12640 7520 2400 0 0 0 0 0 0 0 0 0 0 0 0|
    80 240 400 560 160 480 800 1120 240 720 1200 1680 320 960 1600 2240|
    1280 960 640 320 1120 840 560 280 960 720 480 240 800 600 400 200|
    1620 0 0 0 1880 0 0 0 2140 0 0 0 2400 0 0 0""",
)

NUMBERS = (
    PublicCase(name="scan0.fwd_J.0", program=scan0, also=(scan0_whole, scan0_shifted),
        args=(FIVE,), expected=([
            [1.0, 0.0, 0.0, 0.0, 0.0], [2.0, 1.0, 0.0, 0.0, 0.0], [6.0, 3.0, 2.0, 0.0, 0.0],
            [24.0, 12.0, 8.0, 6.0, 0.0], [120.0, 60.0, 40.0, 30.0, 24.0],
        ],)),
    PublicCase(name="scan1.fwd_J.0", program=scan1, also=(scan1_whole,), args=(FIVE,), expected=([
        [1.0, 0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0, 0.0],
        [1.0, 1.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0, 1.0],
    ],)),
)  # fmt: skip

ROWS = (
    PublicCase(name="scan2.fwd_J.0", program=scan2, also=(scan2_rows,), args=(PAIRS,),
        seeds=ROWS_OF_PAIRS, expected=(SUMS_OF_ROWS,)),
    PublicCase(name="scan5.fwd_J.0", program=scan5, args=(PAIRS,),
        seeds=ROWS_OF_PAIRS, expected=(PRODUCTS_OF_ROWS,)),
    PublicCase(name="scan7.fwd_J.0", program=scan7, compared="columns",
        args=(np.array([
            [[1.0, 2.0], [2.0, 3.0]], [[4.0, 5.0], [3.0, 4.0]],
            [[3.0, 4.0], [4.0, 5.0]], [[4.0, 5.0], [2.0, 3.0]],
        ]),), expected=(PRODUCTS_OF_BLOCKS,)),
)  # fmt: skip

TUPLES = (
    PublicCase(name="scan4.fwd_J.0", program=scan4,
        args=(np.array([[1.0, 2.0, 3.0], [4.0, 3.0, 5.0], [3.0, 4.0, 2.0], [4.0, 2.0, 1.0]]),),
        seeds=np.repeat(np.eye(4), 3, axis=1), expected=(TRIPLES,)),
    PublicCase(name="scan6.fwd_J.0", program=scan6, also=(scan6_rows,),
        args=(np.array([[1.0, 2.0], [4.0, 3.0], [3.0, 4.0], [4.0, 2.0]]),),
        expected=(AFFINE,)),
    PublicCase(name="scan6.fwd_J2.0", program=scan6_plane, also=(scan6_plane_pairs,),
        args=(np.array([
            [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [6.0, 5.0, 4.0, 3.0, 2.0, 1.0],
            [4.0, 5.0, 6.0, 1.0, 2.0, 3.0], [3.0, 2.0, 1.0, 6.0, 5.0, 4.0],
        ]),), expected=(AFFINE_PLANE,)),
)  # fmt: skip

MATRICES = (
    PublicCase(name="scan3.fwd_J.0", program=scan3, also=(scan3_tuples,), args=(TURNS,),
        expected=(TWO_BY_TWO,)),
    PublicCase(name="scan8.fwd.0", program=scan8, args=(np.stack([NINE, NINE[::-1]] * 2),),
        expected=(THREE_BY_THREE,)),
    # Of the Jacobian with 4096 numbers one row, the first number of the last matrix, and sums.
    PublicCase(name="scan9.fwd.0", program=scan9,
        args=(np.stack([SIXTEEN, SIXTEEN[::-1]] * 2),),
        seeds=np.eye(64)[48:49], expected=(FOUR_BY_FOUR,),
        summary={"sum": 2308368.0, "nonzeros": 1168, "max": 17760.0, "l2": 130600.15271047733}),
)  # fmt: skip

CASES = (*NUMBERS, *ROWS, *TUPLES, *MATRICES)
