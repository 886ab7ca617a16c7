"""What packages ask before they calculate: masks, loggers, real domains, and parts of arrays."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

X = np.arange(12.0).reshape(3, 4) + 1.0
GAPS = np.where(X == 6.0, np.nan, X)


def masks(x):
    masked = np.ma.isMaskedArray(x) or np.ma.is_masked(x) or isinstance(x, np.ma.MaskedArray)
    y = np.ma.filled(x, 0.0) if hasattr(x, "mask") else np.ma.getdata(x)
    return masked, y, np.ma.filled(x[0], 0.0), np.ma.getmaskarray(x)


def logged(x):
    logging.getLogger(__name__).debug("shape %s", x.shape)
    logging.getLogger().debug("shape")
    return x


def real_domains(x):
    roots = np.emath.sqrt(x) + np.emath.log(x) + np.emath.log2(x) + np.emath.log10(x)
    small = np.emath.arcsin(x / 20.0) + np.emath.arccos(x / 20.0) + np.emath.arctanh(x / 20.0)
    return roots, small, np.emath.power(x, 0.5), np.abs(np.emath.sqrt(x - 3.0 + 0j))


def quantiles_without_nan(x):
    both = np.nanquantile(x, np.array([0.1, 0.9]), axis=1, keepdims=True)
    return np.nanpercentile(x, [25, 75]), np.nanquantile(x, (0.25, 0.5), axis=0), both


def chosen(x):
    large = x > 2.5
    none = np.max(x[:0], initial=0.5), x[x > 100.0].max(initial=0.0)
    both = np.max(x, axis=(0, 1), where=large, initial=0.0)
    kept = x.max(axis=None, keepdims=True, initial=0.0), x.sum(where=large), x.mean(where=large)
    return none, both, kept, np.sum(x, where=True), np.min(x, axis=0, where=large, initial=9.0)


@pytest.mark.parametrize("f", [masks, logged, real_domains, chosen])
def test_values_agree(f: Callable[..., Any]) -> None:
    agree(f, X)


def test_several_quantiles_agree() -> None:
    agree(quantiles_without_nan, GAPS)


def test_slopes_are_those_of_what_is_chosen() -> None:
    def loss(x):
        extreme = np.max(x, initial=20.0) + np.min(x, where=x > 3.0, initial=50.0)
        return extreme + np.sum(x, where=x > 3.0) * 2.0 + np.mean(x[0], where=x[0] > 2.0)

    expected = np.where(X > 3.0, 2.0, 0.0) + np.where(X == 4.0, 1.0, 0.0)
    expected[0, 2:] += 0.5
    np.testing.assert_allclose(rg.grad(loss)(X), expected)


@pytest.mark.parametrize(
    ("f", "error", "words"),
    [
        (lambda x: np.emath.sqrt(x - 3.0), ValueError, "the result is complex"),
        (lambda x: np.emath.arcsin(x), ValueError, "the result is complex"),
        (lambda x: np.max(x, where=x > 2.0), ValueError, "has no identity|not have an identity"),
        (lambda x: np.any(x, initial=True), UserError, "np.any with the argument 'initial'"),
        (lambda x: np.sum(x, where=x > 2.0, out=x), UserError, "the argument 'out'"),
    ],
)
def test_what_is_refused(f: Callable[..., Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        rg.jit(f)(X)
