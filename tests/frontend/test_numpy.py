"""NumPy's functions, array methods and comprehensions."""

import numpy as np
import pytest

from tests.frontend.harness import agree


def constructors(n, x):
    return (
        np.zeros(n), np.zeros((n, 2)), np.ones((2, n), dtype=int), np.full((n,), x), np.full(2, 3),
        np.zeros(2, dtype=bool), np.eye(n), np.identity(2), np.ones(()),
        np.zeros_like(np.ones((2, 2))),
        np.full_like(np.ones(2), x), np.ones_like(np.ones(3)), np.empty((2,)) * 0.0,
    )  # fmt: skip


def ranges(n, x):
    return (
        np.arange(n), np.arange(2, n), np.arange(n, 0, -2), np.arange(0, n, 3), np.arange(x),
        np.arange(0.0, 2.0, 0.3), np.arange(1, x), np.linspace(0, x, n), np.linspace(0.0, 1.0),
        np.arange(3, dtype=float), np.linspace(1.0, 2.0, 1), np.arange(5, 2),
    )  # fmt: skip


def arrays_of(x, n):
    return (
        np.array([1, 2, 3]), np.array([x, n]), np.array([[x, 1.0], [2, n]]), np.array((n, 2)),
        np.array([True, n > 2]), np.array([]), np.array([1, 2], dtype=float), np.asarray([x]),
        np.array([np.array([x, 1.0]), np.array([2.0, x])]), np.array(n), np.array(range(3)),
    )  # fmt: skip


def unary(x):
    return (
        np.sin(x), np.exp(-x), np.sqrt(x), np.log1p(x), np.abs(-x), np.square(x), np.negative(x),
        np.sign(x), np.floor(x), np.tanh(x), np.reciprocal(x), np.isnan(x), np.rint(x), -x, +x,
    )  # fmt: skip


def binary(x, y):
    return (
        x + y, x - y, x * y, x / y, x // y, x % y, x**2, x**3, x**1.5, x**y, 2.0**x,
        np.maximum(x, y),
        np.minimum(x, 2), np.arctan2(x, y), np.hypot(x, y), np.power(x, 2), np.add(x, 1),
        np.where(x > y, x, y), np.where(x > 2, 1, 0), np.clip(x, 1.5, 2.5), np.copysign(x, -y),
    )  # fmt: skip


def comparisons(x, y):
    return (
        x < y,
        x <= 2,
        2 > y,
        x == y,
        x != 1,
        (x > 1) & (y > 1),
        ~(x > 1),
        np.logical_and(x, y > 1),
    )


def reductions(a):
    return (
        np.sum(a), a.sum(axis=0), np.sum(a, axis=1), np.sum(a, axis=-1, keepdims=True), a.mean(),
        np.mean(a, axis=0), np.max(a), a.min(axis=1), np.prod(a), np.any(a > 2), np.all(a > 2),
        (a > 2).sum(), np.var(a), a.std(axis=0), np.sum(a, axis=(0, 1)), np.linalg.norm(a),
    )  # fmt: skip


def builtin_reductions(x):
    return sum(x), max(x), min(x), any(x > 2), all(x > 0), len(x), abs(x)


def linear_algebra(a, x):
    return (
        a @ x, x @ a, x @ x, a @ a, np.dot(a, x), np.dot(x, 2), x.dot(x), np.outer(x, x), a.T,
        np.matmul(a, a), np.transpose(a), np.trace(a), a.T @ x, np.dot(a.T, a),
    )  # fmt: skip


def shapes(a):
    n, m = np.shape(a)
    return (
        a.reshape(n * m), a.reshape((m, n)), a.reshape(-1), a.flatten(), a[:, None] + a[None], a.T,
        a.astype(int), a.copy(), np.copy(a), np.concatenate((a, a)), np.concatenate([a, a], axis=1),
        np.stack([a, a]), np.broadcast_to(a[0], (3, m)), a.size, a.ndim, np.ravel(a),
    )  # fmt: skip


def broadcasting(a, x, y):
    return (
        a + x,
        a * y[:, None],
        x + y[:, None],
        a - np.mean(a, axis=0),
        a / a.sum(axis=1, keepdims=True),
    )


def softmax(x):
    e = np.exp(x - np.max(x))
    return e / e.sum()


def comprehensions(x, n):
    return (
        sum(v * v for v in x), sum([v for v in x]), np.array([i * 0.5 for i in range(n)]),
        np.sum([v + 1 for v in x]), any(v > 2 for v in x), all(v > 2 for v in x),
        [k * 2 for k in (1, 2, 3)], tuple([k + n for k in (1, 2) if k > 1]),
        max([i for i in range(n)]),
        sum(x[i] * i for i in range(len(x))), np.array([v > 1 for v in x]),
    )  # fmt: skip


def comprehension_scope(n):
    i = 100
    s = sum(i for i in range(n))
    return s, i


def integer_arrays(k):
    return (
        k + 1,
        k * k,
        k / 2,
        k // 2,
        k % 2,
        k.sum(),
        k.max(),
        k * 0.5,
        k**2,
        k & 3,
        np.exp(k),
        k.mean(),
    )


def ints_wrap(k):
    return k * k


def fill_and_methods(x):
    x.fill(2.0)
    y = x.clip(0.0, 1.0)
    return y, x.any(), x.prod()


def shape_errors(x, y):
    return x + y


def matmul_errors(a, x):
    return a @ x


def dtype_of_likes(k, x):
    z = np.zeros_like(k)
    z[0] = 1
    return z, np.zeros_like(x, dtype=int), np.zeros(len(k), dtype=k.dtype)


def grown(n):
    out = np.zeros(n)
    for i in range(n):
        out[i] = np.sum(out) + np.sin(i)
    return out


def largest(x):
    return np.max(x)


A = np.array


def m():
    return np.arange(1.0, 7).reshape(2, 3)


def v():
    return np.array([1.0, 2, 3])


CASES = [
    (constructors, 3, 1.5), (ranges, 5, 2.5), (arrays_of, 1.5, 3), (unary, v()), (unary, m()),
    (binary, v(), A([3.0, 2, 1])), (binary, m(), v()), (binary, v(), 2.5),
    (comparisons, v(), A([1.0, 5, 0])), (reductions, m()), (builtin_reductions, v()),
    (linear_algebra, A([[1.0, 2], [3, 4]]), A([1.0, -1])), (shapes, m()),
    (broadcasting, m(), v(), A([1.0, 2])), (softmax, v()), (comprehensions, v(), 4),
    (comprehension_scope, 4), (integer_arrays, A([1, 2, 7])), (ints_wrap, A([2**40, 3])),
    (fill_and_methods, v()), (shape_errors, v(), A([1.0, 2])), (matmul_errors, m(), A([1.0, 2])),
    (dtype_of_likes, A([1, 2]), v()), (grown, 4), (largest, A([])),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), [(f, args) for f, *args in CASES])
def test_same_as_python(f, args):
    agree(f, *args)
