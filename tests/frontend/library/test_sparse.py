"""Sparse matrices of SciPy's: from outside, made in programs, and equations with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spl

import retrograd as rg

N = 6
X = np.arange(1.0, N + 1.0)


def some(height: int, width: int, seed: int, kind: str = "csr") -> Any:
    return sp.random(height, width, 0.4, format=kind, rng=np.random.default_rng(seed))


A = (some(N, N, 0) + sp.eye(N) * 3.0).tocsr()
B = some(N, 4, 1, "csc")
C = sp.csr_array(A)
D = some(N, N, 3, "coo")
ROWS, COLUMNS = np.array([0, 1, 2, 2, 0, 1]), np.array([1, 0, 2, 0, 1, 2])
STARTS, PLACES = np.array([0, 2, 3, 6]), np.array([0, 2, 1, 0, 1, 3])


def from_triplets(x):
    made = sp.csr_matrix((x, (ROWS, COLUMNS)), shape=(3, 3))
    return np.sum((made @ np.arange(3.0)) ** 2) + made.nnz * x[0]


def from_parts(x):
    rows = sp.csr_matrix((x, PLACES, STARTS), shape=(3, 4))
    columns = sp.csc_matrix((x, PLACES, STARTS), shape=(4, 3))
    return np.sum(rows.toarray() @ np.arange(4.0) * (columns @ np.arange(3.0))[:3])


def from_dense(x):
    """Elements that are zero have slopes."""
    made = sp.csr_matrix(np.outer(x, x) - 2.0)
    return np.sum(made @ x)


def from_diagonals(x):
    made = sp.diags([x, -x[:-1], 2.0], [0, 1, -2], shape=(N, N), format="csr")
    other = sp.spdiags([x, -2.0 * x, x * x], [-1, 0, 1], N, N)
    return np.sum(made @ x * x) + np.sum((other @ x) ** 2) + (sp.diags(x) @ A).sum()


def products(x):
    left = np.sum((x @ A) ** 2) + np.sum((x @ C) * x) + np.sum(np.outer(x, x) @ B)
    return left + np.sum((A @ B @ B.T).toarray() * x) + np.sum((A @ np.outer(x, x[:3])) ** 2)


def stars(x):
    """`*` is the product of matrices, and that of elements of arrays."""
    return np.sum(A * x) + np.sum((C * x).toarray()) + np.sum((2 * A * 0.5).toarray() * x)


def sums(x):
    both = ((A + D) - A.T * 2.0).multiply(A)
    total = np.sum(both @ x) + np.sum((C - np.outer(x, x)) ** 2) + (A / 3.0).sum() * x[0]
    scaled = C.multiply(x)
    return total + (-A).diagonal() @ x + A.trace() + np.sum(scaled.sum(axis=0)) + scaled.mean()


def blocks(x):
    tall, wide = sp.vstack([A, sp.diags(x)]), sp.hstack([A, B])
    both = sp.block_diag([A, sp.diags(x)])
    kron = sp.kron(sp.eye(2), sp.diags(x[:3])) + sp.kron(sp.diags(x[:2]), sp.eye(3))
    twice = np.concatenate([x, x])
    summed = sp.kronsum(sp.diags(x[:2]), A) @ twice
    return np.sum((tall @ x) ** 2) + np.sum(wide.T @ x) + both.dot(twice) @ twice + summed @ (
        twice * twice
    ) + np.sum(kron @ x)  # fmt: skip


def asked(x):
    is_one = 1.0 if sp.issparse(A) and isinstance(A, sp.csr_matrix) else 0.0
    return x.sum() * A.shape[0] + A.nnz * x[0] + is_one * A[1, 1] * x[1] + A.data @ A.data


def solved(x):
    return np.sum(spl.spsolve(A + sp.diags(x), x) ** 2)


def factored(x):
    solver = spl.splu((A + sp.diags(x)).tocsc())
    again = spl.factorized((A.T + sp.identity(N) * x[0]).tocsc())
    several = solver.solve(np.outer(x, x[:2]))
    return np.sum(solver.solve(x, trans="T") ** 2) + np.sum(again(x)) + np.sum(several**2)


def by_gradients(x):
    y, info = spl.cg(A + A.T + sp.eye(N) * x[0] * 4.0, x, rtol=1e-12)
    return np.sum(y**3) + info


def in_steps(x):
    u = x
    for _ in range(5):
        u = u - 0.01 * (A @ u) + 0.001 * A.T.dot(u)
    return u @ u


QUICK = (from_triplets, from_parts, stars, asked, in_steps)
SLOW = (solved, from_dense, from_diagonals, products, sums, blocks, factored, by_gradients)
ALL = (*QUICK, *(pytest.param(f, marks=pytest.mark.slow) for f in SLOW))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", ALL)
def test_values_are_those_of_scipy(f: Callable[..., Any]) -> None:
    value, gradient = rg.value_and_grad(f)(X)
    assert np.isclose(value, f(X), rtol=1e-11)
    along, h = np.cos(X), 1e-5
    slope = (f(X + h * along) - f(X - h * along)) / (2.0 * h)
    assert np.isclose(gradient @ along, slope, rtol=1e-6, atol=1e-7)
    _, tangent = rg.jvp(f, (X,), (along,))
    assert np.isclose(gradient @ along, tangent, rtol=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("f", [from_triplets, solved, factored])
def test_derivatives_of_second_order(f: Callable[..., Any]) -> None:
    gradient, along, h = rg.grad(f), np.cos(X), 1e-5
    _, tangent = rg.jvp(gradient, (X,), (along,))
    assert np.allclose(
        tangent, (gradient(X + h * along) - gradient(X - h * along)) / (2.0 * h), 1e-5
    )


@pytest.mark.slow
def test_a_third_derivative_of_a_solution() -> None:
    def along_a_line(t):
        return np.sum(spl.spsolve(A + sp.identity(N) * t, X))

    def by_lapack(t):
        return np.sum(np.linalg.solve(A.toarray() + np.eye(N) * t, X))

    third = rg.grad(rg.grad(rg.grad(along_a_line)))
    assert np.isclose(third(0.7), rg.grad(rg.grad(rg.grad(by_lapack)))(0.7), rtol=1e-9)


def test_arguments_attributes_and_results() -> None:
    class Model:
        def __init__(self) -> None:
            self.matrix = A

        def energy(self, u):
            return 0.5 * u @ (self.matrix @ u)

    def weighted(matrix, x):
        return np.sum((matrix @ x) ** 2)

    assert np.allclose(rg.grad(Model().energy)(X), 0.5 * (A + A.T) @ X)
    gradient = rg.grad(weighted)(A, X)
    assert np.allclose(gradient.values, 2.0 * (A @ X)[A.tocoo().row] * X[A.indices])
    for other in (A.tocsc(), D, A.tolil(), A.todok(), (A != 0), C):
        assert np.allclose(rg.grad(weighted, 1)(other, X), 2.0 * other.T @ (other @ X))
    made = rg.jit(lambda x: (A * x[1], C.T * 2.0))(X)
    assert isinstance(made[0], sp.csr_matrix)
    assert isinstance(made[1], sp.csr_array)
    assert abs(made[0] - A * 2.0).sum() == 0.0
    assert abs(made[1] - C.T * 2.0).sum() == 0.0


def test_a_budget_has_the_same_bits() -> None:
    gradient = rg.grad(in_steps, memory="1MB")(X)
    assert gradient.tobytes() == rg.grad(in_steps)(X).tobytes()


@pytest.mark.slow
def test_rows_are_exchanged() -> None:
    """No diagonal, and elements that come in besides."""
    rng = np.random.default_rng(5)
    dense = np.where(rng.uniform(size=(30, 30)) < 0.15, rng.normal(size=(30, 30)), 0.0)
    dense += np.roll(np.eye(30), 7, axis=1) * 3.0
    np.fill_diagonal(dense, 0.0)
    matrix, b = sp.csc_matrix(dense), rng.normal(size=30)
    assert np.allclose(rg.jit(spl.spsolve)(matrix, b), np.linalg.solve(dense, b), rtol=1e-11)


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("f", "error", "words"),
    [
        (lambda x: np.sum(A.tocsc().data * x[0]), rg.UserError, "compressed rows"),
        (lambda x: sp.coo_matrix((x, (ROWS, COLUMNS))).nnz * x[0], rg.UserError, "number of"),
        (lambda x: sp.csr_matrix((x, -PLACES, STARTS)).sum(), ValueError, "within the shape"),
        (lambda x: sp.csr_matrix((x, PLACES, STARTS[::-1])).sum(), ValueError, "start with 0"),
        (lambda x: sp.csr_matrix((x, PLACES, 2 * STARTS)).sum(), ValueError, "Last value"),
        (lambda x: (A + A.T).nnz * x[0], rg.UserError, "number of elements"),
        (lambda x: np.sum((A + x[0]).toarray()), rg.UserError, "added to a sparse matrix"),
        (lambda x: np.sum(A[1:3] @ x), rg.UserError, "part of a sparse matrix"),
        (lambda x: x[0] if isinstance(B, sp.csc_matrix) else x[1], rg.UserError, "issparse"),
        (lambda x: len(A) * x[0], rg.UserError, "has no len"),
        (lambda x: np.sum(np.asarray(A) @ x), rg.UserError, "np.array of"),
        (lambda x: sum(np.sum(row @ x) for row in A), rg.UserError, "a loop over"),
        (lambda x: np.sum((A > 0) @ x), rg.UserError, "comparison"),
        (lambda x: np.sum((A != A.T) @ x), rg.UserError, "comparison"),
        (lambda x: np.sum(A @ x[:3]), ValueError, "dimension mismatch"),
        (lambda x: np.sum(x[:3] @ A), ValueError, "dimension mismatch"),
        (lambda x: A[6, 0] * x[0], IndexError, "out of range"),
        (lambda x: sp.csr_matrix((x, (-ROWS, COLUMNS)), (3, 3)).sum(), ValueError, "negative"),
        (lambda x: sp.coo_matrix((x, (ROWS, COLUMNS)), shape=(2, 3)).sum(), ValueError, "exceeds"),
        (lambda x: sp.diags([x, x], [0, 1]).sum(), ValueError, "Diagonal length"),
        (lambda x: np.sum(A.sum(axis=0) * x), rg.UserError, "np.matrix"),
        (lambda x: np.sum(A - np.outer(x, x)), rg.UserError, "np.matrix"),
        (lambda x: np.sum(spl.spsolve(sp.eye(2) * 0.0, x[:2])), RuntimeError, "singular"),
    ],
)  # fmt: skip
def test_what_is_refused_or_raised(
    f: Callable[..., Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        rg.grad(f)(X)


def test_elements_that_are_there_twice_or_unsorted_stay_so() -> None:
    starts, places = np.array([0, 3, 3, 4]), np.array([2, 0, 2, 1])
    matrix = sp.csr_matrix((X[:4], places, starts), shape=(3, 3))
    f = rg.jit(lambda m, x: (m @ x, m.data * 2.0, m.power(2).toarray(), m.nnz * 1.0))
    for ours, theirs in zip(
        f(matrix, X[:3]),
        (matrix @ X[:3], matrix.data * 2.0, matrix.power(2).toarray(), 4.0),
        strict=True,
    ):
        assert np.array_equal(ours, theirs)


def with_index(index: int) -> Any:
    """A matrix that something has written to."""
    made = A.copy()
    made.indices[0] = index
    return made


def test_an_index_beyond_the_columns_is_an_error() -> None:
    for f in (lambda m, x: m @ x, lambda m, x: m.T @ x, lambda m, x: m.toarray() @ x):
        with pytest.raises(IndexError):
            rg.jit(f)(with_index(99), X)


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (A.astype(np.float32), "float32"),
        (A * 1j, "complex128"),
        (sp.coo_array(np.arange(3.0)), "with 1 axes"),
        (with_index(-1), "negative indices"),
    ],
)
def test_other_elements_and_axes_are_refused(matrix: Any, words: str) -> None:
    with pytest.raises(rg.UserError, match=words):
        rg.jit(lambda m, x: m @ x)(matrix, X)
