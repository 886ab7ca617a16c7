"""Further distances of `scipy.spatial.distance`: relative ones, and those of sets."""

from __future__ import annotations

from typing import Any

import numpy

__all__ = [
    "BY_NAME", "braycurtis", "canberra", "correlation", "dice", "hamming", "jaccard",
    "jensenshannon", "mahalanobis", "minkowski", "named", "of_power", "rogerstanimoto",
    "russellrao", "seuclidean", "sokalsneath", "vector", "weighted", "yule",
]  # fmt: skip

np: Any = numpy


def vector(u: Any) -> Any:
    u = np.asarray(u)
    if u.ndim != 1:
        raise ValueError("Input vector should be 1-D.")
    return u * 1.0


def weighted(terms: Any, w: Any) -> Any:
    if w is None:
        return terms
    w = vector(w)
    if np.any(w < 0):
        raise ValueError("Input weights should be all non-negative")
    return w * terms


def minkowski(u: Any, v: Any, p: Any = 2, w: Any = None) -> Any:
    return _norm(vector(u) - vector(v), p, w)


def _norm(off: Any, p: Any, w: Any) -> Any:
    if p <= 0:
        raise ValueError("p must be greater than 0")
    if not np.all(np.isfinite(off)):
        raise ValueError("array must not contain infs or NaNs")
    return of_power(np.abs(off), p, w)


def of_power(off: Any, p: Any, w: Any) -> Any:
    """The norm of sizes."""
    if p == np.inf:
        return np.max(off if w is None else off * (vector(w) != 0))
    if p == 1:
        return np.sum(weighted(off, w))
    if p == 2:
        return np.sqrt(np.sum(weighted(off * off, w)))
    return np.sum(weighted(off**p, w)) ** (1.0 / p)


def braycurtis(u: Any, v: Any, w: Any = None) -> Any:
    u, v = vector(u), vector(v)
    return np.sum(weighted(np.abs(u - v), w)) / np.sum(weighted(np.abs(u + v), w))


def canberra(u: Any, v: Any, w: Any = None) -> Any:
    u, v = vector(u), vector(v)
    size = np.abs(u) + np.abs(v)
    some = size != 0.0
    parts = np.where(some, np.abs(u - v) / np.where(some, size, 1.0), 0.0)
    return np.nansum(weighted(parts, w))


def correlation(u: Any, v: Any, w: Any = None, centered: Any = True) -> Any:
    u, v = vector(u), vector(v)
    if len(u) != len(v):
        raise ValueError("shapes not aligned")
    share = None if w is None else vector(w) / np.sum(vector(w))
    if centered:
        u = u - (np.mean(u) if share is None else np.sum(weighted(u, share)))
        v = v - (np.mean(v) if share is None else np.sum(weighted(v, share)))
    both, one, other = (np.sum(weighted(x, share)) for x in (u * v, u * u, v * v))
    return np.clip(1.0 - both / np.sqrt(one * other), 0.0, 2.0)


def seuclidean(u: Any, v: Any, V: Any) -> Any:
    off, variances = vector(u) - vector(v), vector(V)
    if len(variances) != len(off):
        raise TypeError("V must be a 1-D array of the same dimension as u and v.")
    return _norm(off / np.sqrt(variances), 2, None)


def mahalanobis(u: Any, v: Any, VI: Any) -> Any:
    off = vector(u) - vector(v)
    return np.sqrt(np.dot(np.dot(off, np.atleast_2d(VI) * 1.0), off))


def jensenshannon(p: Any, q: Any, base: Any = None, axis: Any = 0, keepdims: Any = False) -> Any:
    p, q = np.asarray(p) * 1.0, np.asarray(q) * 1.0
    p = p / np.sum(p, axis=axis, keepdims=True)
    q = q / np.sum(q, axis=axis, keepdims=True)
    middle = (p + q) / 2.0
    found = np.sum(_relative(p, middle), axis=axis, keepdims=keepdims)
    found = found + np.sum(_relative(q, middle), axis=axis, keepdims=keepdims)
    if base is not None:
        found = found / np.log(base)
    return np.sqrt(found / 2.0)


def _relative(p: Any, q: Any) -> Any:
    """p log(p / q), zero where p is."""
    some = np.logical_and(p > 0.0, q > 0.0)
    a, b = np.where(some, p, 1.0), np.where(some, q, 1.0)
    edge = np.where(np.logical_and(p == 0.0, q >= 0.0), 0.0, np.inf)
    rest = np.where(np.logical_or(np.isnan(p), np.isnan(q)), np.nan, edge)
    return np.where(some, a * np.log(a / b), rest)


def hamming(u: Any, v: Any, w: Any = None) -> Any:
    apart = (vector(u) != vector(v)) * 1.0
    if len(vector(u)) != len(vector(v)):
        raise ValueError("The 1d arrays must have equal lengths.")
    return np.mean(apart) if w is None else np.sum(weighted(apart, w)) / np.sum(vector(w))


def _counts(u: Any, v: Any, w: Any) -> Any:
    """How often neither, one, the other and both are there."""
    u, v = vector(u), vector(v)
    pairs = ((1.0 - u) * (1.0 - v), (1.0 - u) * v, u * (1.0 - v), u * v)
    return tuple([np.sum(weighted(x, w)) for x in pairs])


def jaccard(u: Any, v: Any, w: Any = None) -> Any:
    u, v = vector(u) != 0, vector(v) != 0
    apart = np.sum(weighted(np.logical_xor(u, v) * 1.0, w))
    some = np.sum(weighted(np.logical_or(u, v) * 1.0, w))
    return apart / some if some != 0.0 else 0.0


def dice(u: Any, v: Any, w: Any = None) -> Any:
    _, one, other, both = _counts(u, v, w)
    return (one + other) / (2.0 * both + one + other)


def rogerstanimoto(u: Any, v: Any, w: Any = None) -> Any:
    neither, one, other, both = _counts(u, v, w)
    apart = 2.0 * (one + other)
    return apart / (both + neither + apart)


def russellrao(u: Any, v: Any, w: Any = None) -> Any:
    both = _counts(u, v, w)[3]
    whole = len(vector(u)) * 1.0 if w is None else np.sum(vector(w))
    return (whole - both) / whole


def sokalsneath(u: Any, v: Any, w: Any = None) -> Any:
    _, one, other, both = _counts(u, v, w)
    apart = 2.0 * (one + other)
    if both + apart == 0.0:
        raise ValueError(
            "Sokal-Sneath dissimilarity is not defined for vectors that are entirely false."
        )
    return apart / (both + apart)


def yule(u: Any, v: Any, w: Any = None) -> Any:
    neither, one, other, both = _counts(u, v, w)
    half = one * other
    return 0.0 if half == 0.0 else 2.0 * half / (both * neither + half)


BY_NAME = (
    "braycurtis", "canberra", "correlation", "dice", "hamming", "jaccard", "jensenshannon",
    "mahalanobis", "rogerstanimoto", "russellrao", "seuclidean", "sokalsneath", "yule",
)  # fmt: skip
"""The metrics that `named` knows."""


def named(u: Any, v: Any, metric: Any, more: Any) -> Any:
    """The distance by one of these metrics."""
    _, V, VI, w = more
    if metric == "seuclidean":
        return np.sqrt(np.sum((u - v) ** 2 / V))
    if metric == "mahalanobis":
        return mahalanobis(u, v, VI)
    if metric == "jensenshannon":
        return jensenshannon(u, v)
    if metric == "braycurtis":
        return braycurtis(u, v, w)
    if metric == "canberra":
        return canberra(u, v, w)
    if metric == "correlation":
        return correlation(u, v, w)
    if metric == "hamming":
        return hamming(u, v, w)
    return _of_sets(u * 1.0, v * 1.0, metric, w)


def _of_sets(u: Any, v: Any, metric: Any, w: Any) -> Any:
    if metric == "jaccard":
        return jaccard(u, v, w)
    u, v = (u != 0.0) * 1.0, (v != 0.0) * 1.0
    if metric == "dice":
        return dice(u, v, w)
    if metric == "rogerstanimoto":
        return rogerstanimoto(u, v, w)
    if metric == "russellrao":
        return russellrao(u, v, w)
    return sokalsneath(u, v, w) if metric == "sokalsneath" else yule(u, v, w)
