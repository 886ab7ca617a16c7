"""Densities that are estimated from samples (`scipy.stats`)."""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.written_densities import Density

__all__ = ["gaussian_kde"]

np: Any = numpy


def gaussian_kde(dataset: Any, bw_method: Any = None, weights: Any = None) -> Any:
    samples = np.atleast_2d(np.asarray(dataset) * 1.0)
    if samples.size <= 1:
        raise ValueError("`dataset` input should have multiple elements.")
    n = samples.shape[1]
    if weights is None:
        share = np.full(n, 1.0 / n)
    else:
        share = np.atleast_1d(weights) * 1.0
        if share.ndim != 1 or len(share) != n:
            raise ValueError("`weights` input should be of length n")
        share = share / np.sum(share)
    scaling = "scott" if bw_method is None else bw_method
    if isinstance(scaling, str) and scaling not in ("scott", "silverman"):
        raise ValueError("`bw_method` should be 'scott', 'silverman', a scalar or a callable.")
    return Density(samples, share, scaling)
