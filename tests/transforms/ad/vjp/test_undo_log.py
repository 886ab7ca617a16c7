"""Logged arrays: as much is recorded as is overwritten, and every version is restored exactly."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.report.stages import stage_text
from tests.random.costs import log_everything


def sweeps(a, b, rounds):
    n = len(b)
    x = np.zeros(n)
    for _ in range(rounds):
        for i in range(n):
            rest = b[i]
            for j in range(n):
                if j != i:
                    rest -= a[i, j] * x[j]
            x[i] = rest / a[i, i]
    return np.sum(x * x)


def edit_distance(costs, gap):
    n, m = costs.shape
    d = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        d[i, 0] = d[i - 1, 0] + gap
    for j in range(1, m + 1):
        d[0, j] = d[0, j - 1] + gap
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            down, right = d[i - 1, j] + gap, d[i, j - 1] + gap
            both = d[i - 1, j - 1] + costs[i - 1, j - 1]
            d[i, j] = -np.log(np.exp(-down) + np.exp(-right) + np.exp(-both))
    return d[n, m]


def cholesky(matrix):
    a = matrix.copy()
    n = a.shape[0]
    for j in range(n):
        s = a[j, j]
        for k in range(j):
            s -= a[j, k] * a[j, k]
        a[j, j] = np.sqrt(s)
        for i in range(j + 1, n):
            s = a[i, j]
            for k in range(j):
                s -= a[i, k] * a[j, k]
            a[i, j] = s / a[j, j]
    total = 0.0
    for j in range(n):
        total += np.log(a[j, j])
    return total


def elimination(matrix):
    a = matrix.copy()
    n = a.shape[0]
    total = 0.0
    for k in range(n):
        total += np.log(np.abs(a[k, k]))
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= factor * a[k, j]
    return total


def coordinate_descent(gram, target, rounds):
    n = len(target)
    w = np.zeros(n)
    for _ in range(rounds):
        for j in range(n):
            rho = target[j]
            for k in range(n):
                if k != j:
                    rho -= gram[j, k] * w[k]
            w[j] = math.tanh(rho) / gram[j, j]
    return np.sum(w * w)


def triangular(data, columns, starts, b):
    n = len(b)
    x = np.zeros(n)
    for i in range(n):
        s = b[i]
        for k in range(starts[i], starts[i + 1]):
            s -= data[k] * x[columns[k]]
        x[i] = s
    return np.sum(np.sin(x))


def events(w, places, most):
    n = len(w)
    x = w.copy()
    count = 0
    error = 1.0
    total = 0.0
    while error > 1e-3 and count < most:
        i = places[count % n]
        total = 0.0
        for j in range(n):
            total += math.sin(x[j]) * w[j]
        error = abs(total - x[i])
        if x[i] > 0.0:
            x[i] = 0.5 * x[i] + 0.1 * total
        else:
            x[i] -= 0.1 * total
        count += 1
    return total + x[0]


def permuted(x, rounds):
    n = len(x)
    order = np.arange(n)
    y = x.copy()
    for r in range(rounds):
        i, j = r % n, (3 * r + 1) % n
        order[i], order[j] = order[j], order[i]
        for k in range(n):
            y[k % 2] += 0.1 * math.sin(y[order[k]])
    return y[0] * y[1]


def rows(a, rounds):
    x = a.copy()
    n = x.shape[0]
    for r in range(rounds):
        i = (2 * r) % n
        row = np.zeros(x.shape[1])
        for j in range(n):
            row = row + np.sin(x[j]) * x[i]
        if r % 3 == 0:
            x[i] = 0.3 * row
        else:
            x[:, 0] = 0.1 * row[0]
    return np.sum(x)


def halved(x, n):
    if n == 0:
        return 0.0
    for i in range(len(x)):
        total = 0.0
        for j in range(len(x)):
            total += x[j] * x[j]
        x[i] = 0.1 * total
    return x[0] + halved(x, n - 1)


def handed_over(a, n):
    x = a.copy()
    for i in range(len(x)):
        total = 0.0
        for j in range(len(x)):
            total += math.cos(x[j])
        x[i] = 0.2 * total
    return halved(x, n) + x[1]


def exchanged(a, b, rounds):
    x, y = a.copy(), b.copy()
    for _ in range(rounds):
        for i in range(len(x)):
            total = 0.0
            for j in range(len(x)):
                total += x[j] * y[j]
            x[i] = 0.1 * total
        x, y = y, x
    return np.sum(x * y)


def copied_on(x, y):
    first = x[0] - 2.0
    if np.any(x < 0.5):
        x[1] = x[0]
    return np.sum(x) + first / (1.0 + y * y)


def lower(n: int) -> tuple[Any, ...]:
    """The strictly lower triangle of a sparse matrix, by rows, and a right side."""
    columns = [j for i in range(n) for j in range(i)]
    starts = [i * (i - 1) // 2 for i in range(n + 1)]
    rng = np.random.default_rng(1)
    data = rng.uniform(-0.2, 0.2, len(columns))
    return data, np.array(columns), np.array(starts), rng.uniform(-1.0, 1.0, n)


def square(n: int, seed: int = 0) -> np.ndarray:
    """A matrix that is symmetric and dominated by its diagonal."""
    a = np.random.default_rng(seed).uniform(-1.0, 1.0, (n, n))
    return a + a.T + 2 * n * np.eye(n)


def vector(n: int, seed: int = 2) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1.0, 1.0, n)


def words(f: Callable[..., Any], argnums: tuple[int, ...], *args: Any) -> float:
    """Words on the tape of one gradient."""
    gradient = rg.value_and_grad(f, argnums=argnums)
    gradient(*args)
    return gradient.stats().tape_bytes / 8


CASES: tuple[tuple[Callable[..., Any], tuple[Any, ...]], ...] = (
    (sweeps, (square(4), vector(4), 3)),
    (edit_distance, (np.abs(square(3)) / 9, 0.7)),
    (cholesky, (square(4),)),
    (elimination, (square(4),)),
    (coordinate_descent, (square(4), vector(4), 2)),
    (triangular, lower(5)),
    (events, (vector(4), np.array([2, 0, 3, 1]), 7)),
    (permuted, (vector(4), 5)),
    (rows, (square(3)[:, :2], 5)),
    (handed_over, (vector(3), 2)),
    (exchanged, (vector(3), vector(3, 5), 3)),
    (copied_on, (vector(3), 0.4)),
)


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("f", "args"), CASES)
def test_gradients(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    assert rg.check_grads(f, args, order=1, modes=("rev",)).ok


@pytest.mark.thinned(6)
@pytest.mark.parametrize(("f", "args"), CASES)
def test_gradients_with_everything_logged(
    f: Callable[..., Any], args: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    log_everything(monkeypatch)
    assert rg.check_grads(f, args).ok


def test_a_sweep_records_what_it_overwrites() -> None:
    n, rounds = 50, 20
    assert words(sweeps, (0, 1), square(n), vector(n), rounds) < 1.05 * rounds * n + n + 20
    assert words(coordinate_descent, (0, 1), square(n), vector(n), 20) < 2.1 * rounds * n + n


def test_a_table_records_its_entries_and_the_last_version() -> None:
    n = 40
    assert words(edit_distance, (0,), np.abs(square(n)) / n, 0.7) < 2 * (n + 2) ** 2


def test_decompositions_record_what_they_overwrite() -> None:
    n = 40
    writes = n * (n + 1) / 2
    assert words(cholesky, (0,), square(n)) < 1.1 * writes + n * n + 20
    writes = (n**3 - n) / 3
    assert words(elimination, (0,), square(n)) < 1.1 * writes + 2 * n * n


def test_a_substitution_records_what_it_overwrites() -> None:
    n = 60
    assert words(triangular, (0, 3), *lower(n)) < 2 * n + 20


def test_loops_that_data_end_record_what_they_overwrite() -> None:
    n, most = 50, 40
    places = np.arange(n)
    found = words(events, (0,), vector(n), places, most)
    assert found < 8 * most + 2 * n + 20  # reads: n * most


def test_old_values_come_back_bit_by_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sign of a zero and a nan are seen by the derivative."""

    def signs(c, x):
        total = 0.0
        for i in range(len(x)):
            s = 0.0
            for j in range(len(x)):
                s += math.copysign(c, x[j])
            x[i] = s
            total += s
        return total

    def reference(c, x):
        c_bar = 0.0
        for i in range(len(x)):
            c_bar += sum(math.copysign(1.0, v) for v in x)
            x[i] = sum(math.copysign(c, v) for v in x)
        return c_bar

    log_everything(monkeypatch)
    x = np.array([-0.0, 0.0, np.nan, -np.inf, -0.0, -0.0])
    assert rg.grad(signs)(0.75, x) == reference(0.75, x.copy())


def test_the_text_tells_what_is_logged() -> None:
    text = stage_text(sweeps, (square(4), vector(4), 3), "vjp").replace(__file__, "")
    assert "_undo" in text
    assert "_again" not in text


def test_a_log_that_takes_as_much_as_it_saves_is_not_kept() -> None:
    """All elements are overwritten, each from its neighbours: the body is run again instead."""

    def wave(x, v, rounds):
        q, p = x.copy(), v.copy()
        for _ in range(rounds):
            for i in range(1, len(q) - 1):
                p[i] += 0.1 * (math.sin(q[i - 1]) - 2.0 * q[i] + math.sin(q[i + 1]))
            for i in range(len(q)):
                q[i] += 0.1 * p[i]
        return np.sum(q * q)

    text = stage_text(wave, (vector(5), vector(5), 3), "vjp").replace(__file__, "")
    assert "_undo" not in text
