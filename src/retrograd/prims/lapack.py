"""Factorisations of matrices by LAPACK, as the machine code calls it.

A factorisation has no derivative of its own: what is calculated with it has one, in the matrix that
was factored (`retrograd.prims.solve`, and the rules of the programs in `frontend/library`). So any
derivative needs one factorisation. Its result is one array, in which the factors lie below each
other; the extents are operands. What cannot be factored is marked in it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from retrograd.ir.terms import Atom, Params
from retrograd.ir.types import I64, Type
from retrograd.prims.core import ZERO, Case, Primitive, Unsupported
from retrograd.prims.facts import SERIAL
from retrograd.prims.lengths import Along, Lengths, ShapeRule, from_operands, like
from retrograd.prims.rules import F2, require

__all__ = ["LAPACK", "cholesky_factor", "lu_factors", "of_scipy"]


def of_scipy() -> Any:
    """SciPy's LAPACK, which takes longer to load than most programs."""
    return importlib.import_module("scipy.linalg.lapack")


def _packed_type(name: str, extents: int) -> Any:
    def rule(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
        require(types == (F2, *(I64,) * extents), name, types)
        return (F2,)

    return rule


def _packed(args: tuple[Atom, ...], params: Params) -> Lengths | None:
    return (args[1], Along(0, 1))


def lu_factors(a: Any) -> Any:
    """The transpose of the matrix with both factors; in the last row the row that was swapped with
    each. Where a pivot is zero, the first one is exactly so."""
    n = a.shape[0]
    found = np.zeros((n + 1, n))
    if n > 0:
        lu, swaps, info = of_scipy().dgetrf(a)
        if info > 0:
            lu[info - 1, info - 1] = 0.0
        found[:n], found[n] = lu.T, swaps
    return found


def cholesky_factor(a: Any) -> Any:
    """L of A = L L' from the lower triangle; minus the order of the first leading minor that is not
    positive in the place of L[0, 0]."""
    if a.shape[0] == 0:
        return np.zeros((0, 0))
    lower, info = of_scipy().dpotrf(a, lower=1, clean=1)
    found = np.ascontiguousarray(lower)
    if info > 0:
        found[0, 0] = -float(info)
    return found


def eigen_factors(a: Any) -> Any:
    """Eigenvalues from the lower triangle, upwards, and the eigenvectors as rows below them; -2 as
    the first element of a vector where they are not found."""
    n = a.shape[0]
    found = np.zeros((n + 1, n))
    if n > 0:
        values, vectors, info = of_scipy().dsyevd(a, compute_v=1, lower=1)
        found[0], found[1:] = values, vectors.T
        if info != 0:
            found[1, 0] = -2.0
    return found


def singular_factors(a: Any) -> Any:
    """Singular values downwards, -1 as the first where they are not found; V and U below them."""
    m, n = a.shape
    k = min(m, n)
    found = np.zeros((1 + n + m, k))
    if k > 0:
        u, s, vt, info = of_scipy().dgesdd(a, compute_uv=1, full_matrices=0)
        found[0], found[1 : n + 1], found[n + 1 :] = s, vt.T, u
        if info != 0:
            found[0, 0] = -1.0
    return found


def qr_factors(a: Any) -> Any:
    """The transpose of R, and Q below it."""
    m, n = a.shape
    k = min(m, n)
    found = np.zeros((n + m, k))
    if k > 0:
        reflectors, tau, *_ = of_scipy().dgeqrf(a)
        found[:n] = np.triu(reflectors[:k]).T
        found[n:] = of_scipy().dorgqr(reflectors[:, :k], tau)[0]
    return found


def general_eigenvalues(a: Any) -> Any:
    """The real and the imaginary parts of the eigenvalues of a square matrix; the first imaginary
    part is nan where they are not found."""
    n = a.shape[0]
    found = np.zeros((2, n))
    if n > 0:
        found[0], found[1], _, _, info = of_scipy().dgeev(a, compute_vl=0, compute_vr=0)
        if info != 0:
            found[1, 0] = np.nan
    return found


def general_eigen(a: Any) -> Any:
    """The same two rows, and below them a row for each right eigenvector, as LAPACK has them."""
    n = a.shape[0]
    found = np.zeros((n + 2, n))
    if n > 0:
        found[0], found[1], _, vectors, info = of_scipy().dgeev(a, compute_vl=0, compute_vr=1)
        found[2:] = vectors.T
        if info != 0:
            found[1, 0] = np.nan
    return found


def _matrix_case(m: int, n: int, extents: tuple[int, ...], positive: bool, smooth: bool) -> Case:
    def draw(rng: Any) -> Sequence[Any]:
        a = rng.uniform(-2.0, 2.0, (m, n))
        a = a @ a.T + np.eye(m) if positive else a
        return (a, *map(np.int64, extents))

    return Case((F2, *(I64,) * len(extents)), draw=draw, smooth=smooth)


def _family() -> tuple[Primitive, ...]:
    ruled = Unsupported("the program over it has a rule")
    square, sizes = (3, 1, 0, 20), ((3, 2), (2, 3), (1, 1), (0, 2), (12, 20))

    def squares(extents: Callable[[int], tuple[int, ...]], positive: bool) -> tuple[Case, ...]:
        return tuple(_matrix_case(n, n, extents(n), positive, n == 3) for n in square)

    def cases(extents: Callable[[int, int, int], tuple[int, ...]]) -> tuple[Case, ...]:
        return tuple(_matrix_case(m, n, extents(m, n, min(m, n)), False, m == 3) for m, n in sizes)

    def made(name: str, evaluate: Callable[[Any], Any], shape: ShapeRule, cases: Any) -> Primitive:
        derivative = ZERO if name == "lu" else ruled
        extents = len(cases[0].types) - 1
        return Primitive(
            name, _packed_type(name, extents), lambda args, params: (evaluate(args[0]),),
            derivative, derivative, cases, replace(SERIAL, shape=shape), cost=100.0,
        )  # fmt: skip

    below = squares(lambda n: (n + 1,), False)
    return (
        made("lu", lu_factors, _packed, below),
        made("cholesky", cholesky_factor, like(0), squares(lambda n: (), True)),
        made("eigh", eigen_factors, _packed, below),
        made("svd", singular_factors, from_operands(1), cases(lambda m, n, k: (1 + n + m, k))),
        made(
            "eigvals",
            general_eigenvalues,
            from_operands(1),
            tuple(_matrix_case(n, n, (2, n), n == 3, n == 3) for n in square),
        ),
        made(
            "eig",
            general_eigen,
            from_operands(1),
            tuple(_matrix_case(n, n, (n + 2, n), n == 3, n == 3) for n in square),
        ),
        made("qr", qr_factors, from_operands(1), cases(lambda m, n, k: (n + m, k))),
    )


LAPACK: tuple[Primitive, ...] = _family()
