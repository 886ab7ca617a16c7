"""Eigenvalues of any square matrix, with the rule for their derivatives, written out in Python.

The slope of a simple eigenvalue is y dA x / y x, of its right and left eigenvectors. Each is the
solution of a system with one row and one column more, which is regular there and smooth around it:
so the rule has derivatives of its own. W. Govaerts, Numerical methods for bifurcations of dynamical
equilibria, 2000, chapter 3.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.lapack import eigenvalues_of
from retrograd.frontend.library.plain.told import WithRule, constant

__all__ = ["eigenvalues"]

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
