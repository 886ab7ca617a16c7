"""Elements that are written once: their cotangents are not cleared, and gradients stay right."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.report.stages import stage_text

X = np.array([0.5, -1.25, 2.0, 0.75])


def mapped(x):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = math.sin(x[i]) * x[0]
    return np.sum(out * out)


def backwards(x):
    n = len(x)
    out = np.empty(n)
    for i in range(n):
        out[n - 1 - i] = x[i] * x[i]
    return np.sum(out * x)


def recurrence(x):
    out = np.zeros(len(x))
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = out[i - 1] * x[i] + out[0]
    return np.sum(out * out)


def rows(x):
    out = np.zeros((len(x), 2))
    for i in range(len(x)):
        for j in range(2):
            out[i, j] = x[i] ** (j + 1) * x[j]
    return np.sum(out * out)


def whole_rows(x):
    out = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        out[i] = x * x[i]
    return np.sum(out * out)


def scanned(x):
    values, slopes = rg.scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (1.0, 0.0), x, x + 1.0)
    return np.sum(values * slopes)


ONCE = (mapped, backwards, rows, whole_rows, scanned)


def written_again(x):
    out = np.zeros(len(x))
    for _ in range(2):
        for i in range(len(x)):
            out[i] = out[i] * x[i] + x[i]
    return np.sum(out * out)


def into_a_copy(x):
    out = x * 2.0
    for i in range(len(x) - 1):
        out[i] = x[i] * x[i + 1]
    return np.sum(out * out)


def one_after_the_other(x):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] * x[i]
    for i in range(len(x)):
        out[i] = out[i] * x[0]
    out[1] = x[2]
    return np.sum(out * out)


def same_places(x):
    out = np.zeros(2)
    for i in range(len(x)):
        out[i % 2] = x[i] * (1.0 + out[i % 2])
    return np.sum(out * out)


def inner_index_alone(x):
    out = np.zeros(len(x))
    for i in range(3):
        for j in range(len(x)):
            out[j] = out[j] * x[i] + x[j]
    return np.sum(out * out)


def beginning_that_matters(x):
    out = np.full(len(x), x[0])
    for i in range(1, len(x) - 1):
        out[i] = x[i] * out[i + 1]
    return np.sum(out * out)


OTHERS = (
    recurrence, written_again, into_a_copy, one_after_the_other, same_places, inner_index_alone,
    beginning_that_matters,
)  # fmt: skip


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", [*ONCE, *OTHERS])
def test_gradients(f: Any) -> None:
    rg.check_grads(f, (X,), order=1)


@pytest.mark.parametrize("f", [rows, one_after_the_other])
def test_budgets(f: Any) -> None:
    np.testing.assert_array_equal(rg.grad(f, memory="40kB")(X), rg.grad(f)(X))


@pytest.mark.slow
@pytest.mark.parametrize("f", [*ONCE, *OTHERS])
def test_second_derivatives(f: Any) -> None:
    rg.check_grads(f, (X,), order=2)
    np.testing.assert_array_equal(rg.grad(f, memory="40kB")(X), rg.grad(f)(X))


@pytest.mark.parametrize("f", ONCE)
def test_nothing_is_cleared(f: Any) -> None:
    text = stage_text(f, (X,), "vjp")
    assert "once=true" in text
    assert re.search(r"update(_slice)?\(\w+, 0\.0", text) is None


@pytest.mark.parametrize("f", OTHERS[1:])
def test_what_is_written_again_is_not_marked(f: Any) -> None:
    marked = stage_text(f, (X,), "vjp").count("once=true")
    assert marked == (1 if f is one_after_the_other else 0)
