"""An array that a loop fills counted as an input of its body, though nothing recorded needs it.

So a body of which little would have to be recorded was not run again, and one that was had the
whole array on the tape in every iteration: words that grew with the square of the length.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import retrograd as rg


def filled(x):
    n = len(x)
    out = np.zeros(n)
    for i in range(n):
        m = x[i]
        for j in range(n):
            m = m + np.sin(m) * x[j]
        out[i] = m
    return np.sum(out)


def scored(w, x):
    """The inner loop fills `score`, which is read as a whole after it; `z` is overwritten."""
    n, d = x.shape
    k = len(w)
    score = np.empty(k)
    z = np.empty(d)
    total = 0.0
    for p in range(n):
        for c in range(k):
            for i in range(d):
                z[i] = x[p, i] - w[c]
            square = 0.0
            at = 0
            for i in range(d):
                for j in range(i):
                    square += z[i] * z[j] * w[at % k]
                    at += 1
            score[c] = square
        for c in range(k):
            total += math.exp(-score[c])
    return total


def taped(f, *args) -> int:
    gradient = rg.grad(f)
    found = gradient(*args)
    seed = np.eye(len(args[0]))[1]
    _, slope = rg.jvp(f, args, (seed, *(np.zeros_like(a) for a in args[1:])))
    np.testing.assert_allclose(found[1], slope, rtol=1e-10)
    stats = gradient.stats()
    assert stats is not None
    return stats.tape_bytes


@pytest.mark.parametrize("n", [50, 100])
def test_one_body_at_a_time(n: int) -> None:
    assert taped(filled, np.linspace(0.01, 0.02, n)) <= 8 * 4 * n


def test_as_many_words_as_scores() -> None:
    x = np.linspace(-1.0, 1.0, 400).reshape(100, 4)
    small = taped(scored, np.linspace(0.1, 0.5, 5), x)
    large = taped(scored, np.linspace(0.1, 0.5, 20), x)
    assert small <= 8 * 3 * 100 * 5 + 4000
    assert large <= 8 * 3 * 100 * 20 + 4000
