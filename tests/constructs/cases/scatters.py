"""Elements written at indices that are data."""

from __future__ import annotations

import operator

import numpy as np

import retrograd as rg
from tests.constructs.cases.case import PublicCase

__all__ = ["CASES"]


def scatter2(xs):
    """The second half is out of range."""
    n = len(xs)
    places = np.concatenate((rg.iota(n), rg.replicate(n, -1)))
    return np.sum(rg.scatter(np.zeros(n), places, np.concatenate((xs, xs))))


def scatter3(xs):
    return rg.reduce(operator.add, 0.0, rg.scatter(np.array([0.0]), np.array([0]), xs))


def scatter4(xs):
    """Each place is written twice, with the same value."""
    n = len(xs)
    places = np.concatenate((rg.iota(n), rg.iota(n)))
    return rg.scatter(np.zeros((n, 1)), places, np.concatenate((xs, xs)))


def scatter4_indexed(xs):
    out = np.zeros((len(xs), 1))
    places = np.arange(len(xs))
    out[np.concatenate((places, places))] = np.concatenate((xs, xs))
    return out


def acc0(xs):
    out = xs.copy()
    for x in xs:
        out[int(x)] += x
    return out


def acc0_by_index(xs):
    return rg.reduce_by_index(xs, operator.add, 0.0, rg.map(int, xs), xs)


CASES = (
    PublicCase(name="scatter2.main.0", program=scatter2, args=(np.array([1.0]),),
        expected=([1.0],)),
    PublicCase(name="scatter3.main.0", program=scatter3, args=(np.array([3.0]),),
        seeds=[[1.0], [2.0]], expected=([[1.0], [2.0]],)),
    PublicCase(name="scatter4.main.0", program=scatter4, also=(scatter4_indexed,),
        args=(np.array([[1.0], [2.0], [3.0]]),), seeds=np.ones((1, 3)),
        expected=([[1.0], [1.0], [1.0]],)),
    PublicCase(name="acc0.rev_map.0", program=acc0, also=(acc0_by_index,),
        args=(np.array([0.0, 1.0, 2.0, 3.0]),),
        expected=([[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 2]],)),
    PublicCase(name="acc0.rev_map.1", program=acc0, also=(acc0_by_index,),
        args=(np.array([0.0, 0.0, 1.0, 1.0]),),
        expected=([[2, 1, 0, 0], [0, 1, 1, 1], [0, 0, 1, 0], [0, 0, 0, 1]],)),
)  # fmt: skip
