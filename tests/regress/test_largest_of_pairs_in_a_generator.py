"""`max` and `min` of a comprehension or generator of tuples were refused (RG0101), though lists of
tuples that are made before were not."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg


def of_known(x):
    best, k = max((x[k] * 2.0, k) for k in range(3))
    return best + k


def of_the_run(x, n):
    best, k = min((x[k] * 2.0, k) for k in range(n))
    return best + k


def by_a_key(x, n):
    best = max([(k, x[k] * x[k]) for k in range(n)], key=lambda pair: pair[1])
    return best[0] + best[1]


def viterbi(start):
    step = [[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.2, 0.3, 0.5]]
    seen = {"x": [0.5, 0.1, 0.4], "y": [0.5, 0.9, 0.6]}
    told = "xyyxyx"
    best = [{}]
    path = {}
    for s in range(3):
        best[0][s] = np.log(start[s] * seen[told[0]][s])
        path[s] = [s]
    for t in range(1, len(told)):
        best.append({})
        longer = {}
        for s in range(3):
            (odds, state) = max(
                (best[t - 1][r] + np.log(step[r][s] * seen[told[t]][s]), r) for r in range(3)
            )
            best[t][s] = odds
            longer[s] = [*path[state], s]
        path = longer
    (odds, state) = max((best[-1][s], s) for s in range(3))
    return odds + 0.1 * len(path[state])


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("f", "rest"), [(of_known, ()), (of_the_run, (3,)), (by_a_key, (3,)), (viterbi, ())]
)
def test_values_and_gradients(f, rest) -> None:
    x = np.array([0.3, 0.6, 0.1])
    value, x_bar = rg.value_and_grad(f)(x, *rest)
    np.testing.assert_allclose(value, f(x, *rest), rtol=1e-14)
    steps = 1e-6 * np.eye(3)
    want = [(f(x + h, *rest) - f(x - h, *rest)) / 2e-6 for h in steps]
    np.testing.assert_allclose(x_bar, want, rtol=1e-6, atol=1e-8)


def test_of_nothing() -> None:
    with pytest.raises(ValueError, match="empty"):
        rg.grad(of_the_run)(np.array([0.3]), 0)
