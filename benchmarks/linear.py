"""Linear algebra that LAPACK does, against SciPy, and its gradients against the values."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import scipy.linalg

from benchmarks import adapter
from benchmarks.figures import Bounds, Figure
from benchmarks.timing import interleave

__all__ = ["CASES", "linear"]


def solved(a, b):
    return scipy.linalg.solve(a, b, check_finite=False)


def factored(a, b):
    return scipy.linalg.cholesky(a, lower=True, check_finite=False)


CASES: Mapping[str, Callable[..., Any]] = {"solve": solved, "cholesky": factored}


def linear(bounds: Bounds, quick: bool) -> Iterator[Figure]:
    """The values are compared, too; processor time counts, since SciPy may use several threads."""
    n, pairs, seconds = (20, 3, 0.002) if quick else (200, 15, 0.2)
    whole = np.random.default_rng(3).normal(size=(n, n))
    a, b = whole @ whole.T + n * np.eye(n), whole[0].copy()
    for subject, function in CASES.items():
        ours, rival = partial(adapter.primal(function), a, b), partial(function, a, b)
        if not np.allclose(ours(), rival(), rtol=1e-12, atol=1e-12):
            raise ValueError(f"{subject}: another value than SciPy's")
        pair = interleave(ours, rival, pairs, seconds, time.process_time)
        kind = "linear_over_scipy"
        bar = bounds.bar(kind, subject)
        yield Figure(kind, subject, pair.ratio, 1e3 * pair.ours, 1e3 * pair.rival, bar=bar)
