"""Small programs of constructs: each a function, and the arguments that it is tried with."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

import retrograd as rg

__all__ = ["PROGRAMS", "Case"]

Case = tuple[Callable[..., Any], tuple[Any, ...]]

X = np.array([0.5, -1.25, 2.0, 0.75])
Y = np.array([1.5, 0.25, -0.5, 1.0])
M = np.array([[0.5, 1.0, -0.5], [1.5, 0.25, 2.0]])
IX = np.array([0, 2, 0, 5, -1, 1])
V = np.array([0.625, 1.5, -2.0, 3.0, 4.0, 0.25])


def built(x):
    return np.sum(rg.build(4, lambda i: x[i] * x[3 - i]))


def mapped(x, y):
    return np.sum(rg.map(lambda a, b: a * np.sin(b), x, y) ** 2.0)


def rows(m):
    return np.sum(rg.map(lambda row: row * np.sum(row), m) ** 2.0)


def matrices(x):
    return np.sum(rg.map(lambda a: a * np.ones((2, 3)), x) * 0.5)


def pairs(x, y):
    s, p = rg.map(lambda a, b: (a + b, a * b), x, y)
    return np.sum(s * p)


def nested(x):
    return np.sum(rg.map(lambda a: rg.reduce(operator.add, 0.0, rg.map(lambda b: a * b * b, x)), x))


def free_array(x, m):
    return np.sum(rg.map(lambda row: np.dot(row, x[:3]), m) ** 2.0)


def free_scalar(x, y):
    return np.sum(rg.map(lambda a: a * y[0], x) * y)


def product(x):
    return rg.reduce(lambda a, b: a * b, 1.0, x)


def product_of_rows(m):
    return np.sum(rg.reduce(lambda a, b: a * b, np.ones(3), m))


def least(x):
    return rg.reduce(min, np.inf, x)


def largest_of_rows(m):
    return np.sum(rg.reduce(np.maximum, np.full(3, -np.inf), m) ** 2.0)


def composed(x, y):
    a, b = rg.reduce(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (1.0, 0.0), x, y)
    return a * b


def many(x):
    return rg.reduce(
        lambda a, b: a + b - 0.001 * a * b, 0.0, np.sin(np.arange(3000.0) * 0.001 * x[0])
    )


def scanned(x):
    return np.sum(rg.scan(lambda a, b: a * b, 1.0, x) ** 2.0)


def scanned_without(x, y):
    return np.sum(rg.scan(lambda a, b: a + b, 0.0, x, exclusive=True) * y)


def recurrence(x, y):
    a, b = rg.scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (1.0, 0.0), x, y)
    return np.sum(a * b)


def scanned_rows(m):
    return np.sum(rg.scan(lambda a, b: a * b, np.ones(3), m) ** 2.0)


def folded(x):
    return rg.fold(lambda total, a: 0.5 * total + a * a, 1.0, x)


def added(v):
    return np.sum(rg.reduce_by_index(np.ones(3), operator.add, 0.0, IX, v) ** 2.0)


def multiplied(d, v):
    return np.sum(rg.hist(d, lambda a, b: a * b, 1.0, IX, v) ** 2.0)


def largest(d, v):
    return np.sum(rg.hist(d, max, -np.inf, IX, v) ** 2.0)


def two_histograms(d, v):
    one, two = rg.hist(
        (d, d), lambda a, b: (a[0] * b[0], a[1] + b[1]), (1.0, 0.0), IX, v, v * v
    )  # fmt: skip
    return np.sum(one * two)


def rows_by_index(m, v):
    values = rg.map(lambda a: a * np.ones(3), v)
    return np.sum(rg.hist(m, lambda a, b: a * b, np.ones(3), IX, values) ** 2.0)


def scattered(d, v):
    return np.sum(rg.scatter(d, IX, v) ** 2.0)


def gathered(x):
    return np.sum(rg.gather(x, np.array([2, 0, -1, 2])) ** 2.0)


def gathered_rows(m):
    return np.sum(rg.gather(m, np.array([[1, 0], [-1, 1]]))[0, 1] ** 2.0)


def replicated(x):
    return np.sum(rg.replicate(3, x) * M[0, 0]) + np.sum(rg.iota(4) * x)


PROGRAMS: dict[str, Case] = {
    f.__name__: (f, args)
    for f, args in (
        (built, (X,)), (mapped, (X, Y)), (rows, (M,)), (matrices, (X,)), (pairs, (X, Y)),
        (nested, (X,)), (free_array, (X, M)), (free_scalar, (X, Y)), (product, (X,)),
        (product_of_rows, (M,)), (least, (X,)), (largest_of_rows, (M,)), (composed, (X, Y)),
        (many, (X,)), (scanned, (X,)), (scanned_without, (X, Y)), (recurrence, (X, Y)),
        (scanned_rows, (M,)), (folded, (X,)), (added, (V,)), (multiplied, (X[:3], V)),
        (largest, (X[:3], V)), (two_histograms, (X[:3], V)), (rows_by_index, (M, V)),
        (scattered, (X[:3], V)), (gathered, (X,)), (gathered_rows, (M,)), (replicated, (X,)),
    )
}  # fmt: skip
