"""Eigenvalues of any square matrix, with the rule for their derivatives, written out in Python.

The slope of a simple eigenvalue is y dA x / y x, of its right and left eigenvectors. Each is the
solution of a system with one row and one column more, which is regular there and smooth around it:
so the rule has derivatives of its own. W. Govaerts, Numerical methods for bifurcations of dynamical
equilibria, 2000, chapter 3.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.lapack import eigenvalues_of, general_eigen_of
from retrograd.frontend.library.plain.told import WithRule, constant

__all__ = ["eigenvalues", "real_eigen"]

np: Any = numpy


def _eigenvalues(a: Any) -> Any:
    """The real and the imaginary parts."""
    found = eigenvalues_of(a)
    return found[0].copy(), found[1].copy()


def _bordered(a: Any, real: Any, imag: Any, column: Any, row: Any) -> Any:
    """The matrix less the eigenvalue, with a column and a row; real parts beside imaginary ones."""
    n = len(a)
    m = n + 1
    out = np.zeros((2 * m, 2 * m))
    for part in range(2):
        at = part * m
        out[at : at + n, at : at + n] = a - real * np.eye(n)
        out[at : at + n, at + n] = column[0]
        out[at + n, at : at + n] = row[0]
    out[:n, m + n] = -column[1]
    out[m : m + n, n] = column[1]
    out[n, m : m + n] = -row[1]
    out[m + n, :n] = row[1]
    for j in range(n):
        out[j, m + j] = imag
        out[m + j, j] = -imag
    return out


def _null(a: Any, real: Any, imag: Any, column: Any, row: Any) -> Any:
    """The vector that the matrix less the eigenvalue takes to zero: its real and imaginary part."""
    n = len(a)
    right = np.zeros(2 * (n + 1))
    right[n] = 1.0
    found = np.linalg.solve(_bordered(a, real, imag, column, row), right)
    return np.stack((found[:n], found[n + 1 : 2 * n + 1]))


def _unit(vector: Any) -> Any:
    """The conjugate of a vector, of length one, as a constant."""
    scaled = vector / np.sqrt(np.sum(vector * vector))
    return constant(np.stack((scaled[0], -scaled[1])))


def _slope(a: Any, moved: Any, real: Any, imag: Any) -> Any:
    n = len(a)
    spread = np.stack((np.cos(1.0 + 0.7 * np.arange(n)), np.sin(0.3 + 1.1 * np.arange(n))))
    fixed, at, beside = constant(a), constant(real), constant(imag)
    row = _unit(_null(fixed, at, beside, spread, spread))
    column = _unit(_null(fixed.T, at, beside, spread, spread))
    x = _null(a, real, imag, column, row)
    y = _null(a.T, real, imag, row, column)
    up, down = y @ moved, y @ x.T
    change = up @ x.T
    p, q = change[0, 0] - change[1, 1], change[0, 1] + change[1, 0]
    r, s = down[0, 0] - down[1, 1], down[0, 1] + down[1, 0]
    size = r * r + s * s
    return (p * r + q * s) / size, (q * r - p * s) / size


def _rule(primals: Any, tangents: Any) -> Any:
    a, moved = primals[0], tangents[0]
    real, imag = eigenvalues(a)
    real_dot, imag_dot = np.zeros(len(real)), np.zeros(len(real))
    for k in range(len(real)):
        real_dot[k], imag_dot[k] = _slope(a, moved, real[k], imag[k])
    return (real, imag), (real_dot, imag_dot)


eigenvalues = WithRule("jvp", _eigenvalues, (), _rule)
"""The real and the imaginary parts of the eigenvalues of a square matrix. Derivatives are those of
simple ones; others have none."""


def _real_eigen(a: Any) -> Any:
    found = general_eigen_of(a)
    if np.any(np.isnan(found[1])):
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    if np.any(found[1] != 0.0):
        raise RuntimeError("eig: there are complex eigenvalues, and it gives real ones here")
    return found[0].copy(), found[2:].T.copy()


def _real_rule(primals: Any, tangents: Any) -> Any:
    """Of (A - w) x = 0 and x x = 1, for each: slopes of x and w solve one system, regular where w
    is simple."""
    a, moved = primals[0], tangents[0]
    values, vectors = real_eigen(a)
    n = len(values)
    values_dot, vectors_dot = np.zeros(n), np.zeros((n, n))
    for k in range(n):
        x = vectors[:, k]
        bordered, right = np.zeros((n + 1, n + 1)), np.zeros(n + 1)
        bordered[:n, :n] = a - values[k] * np.eye(n)
        bordered[:n, n] = -x
        bordered[n, :n] = x
        right[:n] = -(moved @ x)
        found = np.linalg.solve(bordered, right)
        vectors_dot[:, k] = found[:n]
        values_dot[k] = found[n]
    return (values, vectors), (values_dot, vectors_dot)


real_eigen = WithRule("jvp", _real_eigen, (), _real_rule)
"""The eigenvalues of a square matrix and the eigenvectors, where all are real. Derivatives are
those of simple ones; others have none."""
