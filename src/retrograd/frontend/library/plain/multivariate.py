"""Distributions of `scipy.stats` of several numbers."""

from __future__ import annotations

from typing import Any

import numpy
import scipy.special

from retrograd.frontend.library import written_functions as functions
from retrograd.frontend.library.lapack import tri_solve
from retrograd.frontend.library.plain import special as own

__all__ = [
    "dirichlet_logpdf", "dirichlet_pdf", "multivariate_logpdf", "multivariate_pdf",
    "student_logpdf", "student_pdf",
]  # fmt: skip

np: Any = numpy
special: Any = scipy.special

_LOG_2_PI = 1.8378770664093453


def _as_covariance(mean: Any, cov: Any) -> Any:
    """The mean as a vector and the covariances as a matrix."""
    if mean is None:
        mean = np.zeros(1) if cov.ndim == 0 else np.zeros(len(cov))
    mean = np.reshape(mean, (1,)) if np.ndim(mean) == 0 else np.asarray(mean) * 1.0
    if cov.ndim == 0:
        cov = cov * np.eye(len(mean))
    elif cov.ndim == 1:
        cov = np.diag(cov)
    if len(mean) != cov.shape[0] or len(mean) != cov.shape[1]:
        raise ValueError("`cov` must have as many rows and columns as `mean` has elements.")
    return mean, cov


def multivariate_logpdf(x: Any, mean: Any = None, cov: Any = 1) -> Any:
    squares, logs, count, form = _distances(x, mean, cov)
    return _in_form(-0.5 * (count * _LOG_2_PI + squares) - logs, form)


def multivariate_pdf(x: Any, mean: Any = None, cov: Any = 1) -> Any:
    return np.exp(multivariate_logpdf(x, mean, cov))


def _distances(x: Any, mean: Any, cov: Any) -> Any:
    """The squared distances of points from the mean, as the covariance measures them, half of the
    logarithm of its determinant, how many numbers a point has, and the form of the result."""
    x, cov = np.asarray(x) * 1.0, np.asarray(cov) * 1.0
    of_numbers = (mean is None or np.ndim(mean) == 0) and cov.ndim == 0
    mean, cov = _as_covariance(mean, cov)
    shape = (x.size, 1) if of_numbers else (1, x.size)
    points = np.reshape(x, shape) if x.ndim < 2 else x
    if points.ndim != 2:
        raise ValueError("the points must be a vector, or the rows of a matrix")
    if points.shape[1] != len(mean):
        raise ValueError("the points must have as many elements as `mean`")
    factor = functions.factor_of_covariance(cov)
    away = tri_solve(factor, (points - mean).T, True, False, False)
    several = x.ndim == 2 or (of_numbers and x.ndim == 1)
    return np.sum(away * away, axis=0), np.sum(np.log(np.diag(factor))), len(mean), several


def _in_form(found: Any, several: Any) -> Any:
    return found if several else np.reshape(found, (1,))[0]


def student_logpdf(x: Any, loc: Any = None, shape: Any = 1, df: Any = 1) -> Any:
    if not df > 0.0:
        raise ValueError("'df' must be greater than zero.")
    squares, logs, count, form = _distances(x, loc, shape)
    if df == np.inf:
        return _in_form(-0.5 * (count * _LOG_2_PI + squares) - logs, form)
    half = 0.5 * (df + count)
    front = special.gammaln(half) - special.gammaln(0.5 * df)
    front = front - 0.5 * count * np.log(df * np.pi) - logs
    return _in_form(front - half * np.log1p(squares / df), form)


def student_pdf(x: Any, loc: Any = None, shape: Any = 1, df: Any = 1) -> Any:
    return np.exp(student_logpdf(x, loc, shape, df))


def dirichlet_logpdf(x: Any, alpha: Any) -> Any:
    x, alpha = np.asarray(x) * 1.0, np.asarray(alpha) * 1.0
    if alpha.ndim != 1 or x.ndim < 1 or x.ndim > 2:
        raise ValueError("`alpha` must be a vector, and `x` one, or have them as columns")
    if np.any(alpha <= 0.0):
        raise ValueError("All parameters must be greater than 0")
    if len(x) + 1 == len(alpha):
        x = np.concatenate([x, 1.0 - np.sum(x, axis=0, keepdims=True)])
    if len(x) != len(alpha):
        raise ValueError("`x` must have as many entries as `alpha`, or one less")
    weights = alpha if x.ndim == 1 else alpha[:, None]
    if np.any(x < 0.0) or np.any(x > 1.0) or np.any(np.logical_and(x == 0.0, weights < 1.0)):
        raise ValueError("Each entry in `x` must be from 0 to 1, and above 0 where alpha < 1")
    if np.any(np.abs(np.sum(x, axis=0) - 1.0) > 1e-9):
        raise ValueError("The input vector `x` must lie within the normal simplex.")
    front = special.gammaln(np.sum(alpha)) - np.sum(special.gammaln(alpha))
    return front + np.sum(own.xlogy(weights - 1.0, x), axis=0)


def dirichlet_pdf(x: Any, alpha: Any) -> Any:
    return np.exp(dirichlet_logpdf(x, alpha))
