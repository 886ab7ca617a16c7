"""A sparse matrix times a vector, and a dot product, as sums that can be taken off again.

The product of a matrix in CSR format is a loop of updates; `rg.adjoint` is its derivative by
itself: it takes the product off and adds to the cotangents of the entries and of the vector in one
pass over the matrix.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import sparse

import retrograd as rg
from examples.reversible.plots import options

__all__ = ["ADJOINT", "PRODUCT", "data", "dot", "main", "product", "ratio"]


@rg.reversible
def product(y, rows, columns, values, x):
    """y += A @ x."""
    for i in range(len(y)):
        for k in range(rows[i], rows[i + 1]):
            y[i] += values[k] * x[columns[k]]


@rg.reversible
def dot(out, a, b):
    """out += a @ b."""
    for k in range(len(a)):
        out += a[k] * b[k]
    return out


PRODUCT = rg.jit(product)
ADJOINT = rg.adjoint(product)


def data(n: int, density: float) -> tuple[Any, tuple[Any, ...]]:
    """A random matrix, and the arguments of `product`."""
    rng = np.random.default_rng(4)
    a = sparse.random(n, n, density, "csr", random_state=rng)
    rows, columns = a.indptr.astype(np.int64), a.indices.astype(np.int64)
    return a, (np.zeros(n), rows, columns, a.data, rng.normal(size=n))


def ratio(one: Callable[[], Any], other: Callable[[], Any], times: int = 30) -> float:
    """The shortest time of the one over that of the other, run in turn."""
    shortest = [np.inf, np.inf]
    for _ in range(times):
        for k, run in enumerate((one, other)):
            start = time.perf_counter()
            run()
            shortest[k] = min(shortest[k], time.perf_counter() - start)
    return shortest[0] / shortest[1]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints what was compared with SciPy, and how long the adjoint takes."""
    asked = options(__doc__, arguments)
    a, args = data(100 if asked.quick else 1000, 0.05)
    y, rows, columns, values, x = args
    PRODUCT(*args)
    y_bar = np.random.default_rng(5).normal(size=len(y))
    bars = y_bar, np.zeros_like(values), np.zeros_like(x)
    (restored, *_), (_, values_bar, x_bar) = ADJOINT(*args, *bars)
    table = Table("", "largest difference", title=f"{len(y)} rows, {len(values):,} entries")
    of_rows = np.repeat(np.arange(len(y)), np.diff(rows))
    for name, found, expected in (
        ("product, and SciPy's", y, a @ x),
        ("restored, and zero", restored, np.zeros_like(y)),
        ("cotangent of the vector", x_bar, a.T @ y_bar),
        ("cotangent of the entries", values_bar, y_bar[of_rows] * x[columns]),
    ):
        table.add_row(name, f"{np.max(np.abs(found - expected)):.1e}")
        assert np.allclose(found, expected, rtol=1e-11, atol=1e-11)
    Console().print(table)
    times = ratio(lambda: ADJOINT(*args, *bars), lambda: PRODUCT(*args))
    print(f"the adjoint, with copies of all arguments, takes {times:.2f} times as long")
    assert rg.grad(dot, argnums=1)(0.0, x, y)[0] == y[0]


if __name__ == "__main__":
    main()
