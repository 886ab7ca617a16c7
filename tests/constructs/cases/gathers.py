"""Elements at indices that are data."""

from __future__ import annotations

import numpy as np

import retrograd as rg
from tests.constructs.cases.case import PublicCase, numbers

__all__ = ["CASES"]


def index(i, xs):
    return xs[i]


def gather0(xs, places):
    return rg.gather(xs, places)


def gather0_mapped(xs, places):
    return rg.map(lambda i: xs[i], places)


def gather0_indexed(xs, places):
    return xs[places]


def gather1(xs, places):
    return rg.map(lambda row: rg.gather(row, places), xs)


def gather1_indexed(xs, places):
    return rg.map(lambda row: row[places], xs)


def gather2(xs, places):
    return rg.gather(xs, places)


def gather2_mapped(xs, places):
    return rg.map(lambda row: rg.map(lambda i: xs[i], row), places)


FOUR = np.array([4.0, 3.0, 2.0, 1.0])
WAYS = (gather0_mapped, gather0_indexed)

CASES = (
    PublicCase(name="index.fwd_vec.0", program=index, args=(0, np.array([1.0, 2.0, 3.0])),
        wrt=(1,), compared="columns", expected=([1.0, 0.0, 0.0],)),
    PublicCase(name="gather0.fwd_J.0", program=gather0, args=(FOUR, np.array([0, 1, 2, 3])),
        also=WAYS, expected=([
            [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0],
        ],)),
    PublicCase(name="gather0.fwd_J.1", program=gather0, args=(FOUR, np.array([0, 0, 3, 3])),
        also=WAYS, expected=([
            [1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0],
        ],)),
    PublicCase(name="gather1.fwd_J.0", program=gather1, also=(gather1_indexed,),
        args=(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, 0, 1, 1])), expected=(
            numbers((2, 4, 2, 2), "0 1|. | 1 0|. | 0 1|. | 0 1|. | .|0 1 | .|1 0 | .|0 1 | .|0 1"),
        )),
    PublicCase(name="gather2.fwd_J.0", program=gather2, also=(gather2_mapped,),
        args=(np.array([1.0, 2.0, 3.0, 4.0]), np.array([[1, 3], [2, 2]])),
        expected=(numbers((2, 2, 4), "0 1 0 0|0 0 0 1 | 0 0 1 0|0 0 1 0"),)),
)  # fmt: skip
