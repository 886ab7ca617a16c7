"""Roots of polynomials and polynomials through points: NumPy's functions."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain import products
from retrograd.frontend.library.plain.factorisations import lstsq
from retrograd.frontend.library.written_roots import roots_of

__all__ = ["check_places", "polyfit", "roots"]

np: Any = numpy

_EPS = 2.220446049250313e-16


def roots(p: Any) -> Any:
    p = np.atleast_1d(p) * 1.0
    if p.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    places = np.nonzero(p)[0]
    if len(places) == 0:
        return np.zeros(0)
    first, last = places[0], places[-1]
    inner = p[first : last + 1].copy()
    if not np.all(np.isfinite(inner)):
        raise np.linalg.LinAlgError("Array must not contain infs or NaNs")
    real, imaginary = roots_of(inner)
    if np.any(np.isnan(imaginary)):
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    if np.any(imaginary != 0.0):
        raise ValueError(
            "np.roots: some roots are complex numbers, which compiled programs do not have; divide "
            "by the factor that has them, or call np.roots before"
        )
    return np.concatenate((real, np.zeros(len(p) - 1 - last)))


def check_places(x: Any, deg: Any) -> None:
    """Refuses what no polynomial of this degree can be fitted at."""
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")


def _check_points(x: Any, y: Any, deg: Any) -> None:
    check_places(x, deg)
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")


def polyfit(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: Any = False, w: Any = None, cov: Any = False
) -> Any:
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    _check_points(x, y, deg)
    cutoff = len(x) * _EPS if rcond is None else rcond
    powers, right = products.vander(x, deg + 1), y
    if w is not None:
        powers, right = _weighted(powers, y, np.asarray(w) * 1.0)
    scale = np.sqrt(np.sum(powers * powers, axis=0))
    scaled = powers / scale
    found, squares, rank, values = lstsq(scaled, right, cutoff)
    c = found / scale if y.ndim == 1 else found / scale[:, None]
    if full:
        return c, squares, rank, values, cutoff
    if cov is False:
        return c
    return c, _covariances(scaled, scale, cov, squares, y.ndim)


def _weighted(powers: Any, y: Any, w: Any) -> Any:
    if w.ndim != 1:
        raise TypeError("expected a 1-d array for weights")
    if w.shape[0] != y.shape[0]:
        raise TypeError("expected w and y to have the same length")
    return powers * w[:, None], y * w if y.ndim == 1 else y * w[:, None]


def _covariances(scaled: Any, scale: Any, cov: Any, squares: Any, rank: Any) -> Any:
    base = np.linalg.inv(scaled.T @ scaled) / np.outer(scale, scale)
    if cov == "unscaled":
        return base if rank == 1 else base[:, :, None] * 1.0
    rows, order = scaled.shape
    if rows <= order:
        raise ValueError(
            "the number of data points must exceed order to scale the covariance matrix"
        )
    factor = squares / (rows - order)
    return base * factor if rank == 1 else base[:, :, None] * factor
