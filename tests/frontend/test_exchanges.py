"""Loops that exchange the names of arrays, which the caller has as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

pytestmark = pytest.mark.thinned(2)


def waves(u, w, n):
    for _ in range(n):
        u[1:-1] += 0.1 * (w[2:] - 2 * w[1:-1] + w[:-2])
        u, w = w, u
    return u, w


def by_another_name(u, w, n):
    for k in range(n):
        u[k % 3] += w[0] * k
        old = u
        u = w
        w = old
    return u + 2 * w


def three_names(u, w, n):
    x = 2 * u
    for k in range(1, 2 * n + 1, 2):
        u[0] += w[1] * k
        u, w, x = w, x, u
        if k % 3 == 1:
            continue
        x[2] += u[0]
    return u - w, x


def two_exchanges(u, w, n):
    x, y, z = 2 * u, 3 * u, u + 1
    first = x
    for _ in range(n):
        u, w = w, u
        x, y, z = y, z, x
        u[0] += x[0]
        y[1] += w[2]
    return u[0], y, first


def rows(u, w, n):
    m = np.stack((u, w))
    a, b = m[0], m[1]
    for k in range(n):
        a[k % 3] += b[0]
        a, b = b, a
    return m, a


def nested(u, w, n):
    total = 0.0
    for _ in range(3):
        a, b = u.copy(), w
        keep = a
        for k in range(n):
            a[0] += b[k % 3]
            a, b = b, a
        total += a[0] - b[1] + keep[0]
    return total


def of_a_variable(u, w, n):
    for k in range(n):
        u[0] += k
        u, w = w, u
    else:
        u = u * 2.0
    return u, n


def known_trips(u, w, n):
    for _ in range(5):
        u[0] += w[1]
        u, w = w, u
    u[1] += n
    return w


PROGRAMS = [
    waves, by_another_name, three_names, two_exchanges, rows, nested, of_a_variable, known_trips,
]  # fmt: skip


@pytest.mark.parametrize("n", [0, 1, 2, 5, 6, 7])
@pytest.mark.parametrize("program", PROGRAMS)
def test_by_python(program: Callable[..., Any], n: int) -> None:
    agree(program, np.array([1.0, 2.0, -0.5]), np.array([0.3, 0.1, 0.7]), n)


@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize("program", [waves, three_names, two_exchanges, nested])
def test_derivatives(program: Callable[..., Any], n: int) -> None:
    def loss(u, w):
        found = program(u.copy(), w.copy(), n)
        parts = found if isinstance(found, tuple) else (found,)
        return sum(np.sum(part * part) for part in parts)

    u, w = np.array([1.0, 2.0, -0.5]), np.array([0.3, 0.1, 0.7])
    found = rg.grad(loss, argnums=(0, 1))(u, w)
    for bar, x, k in zip(found, (u, w), range(2), strict=True):
        for j in range(3):
            e = np.zeros(3)
            e[j] = 1e-6
            up, down = ([*(u, w)[:k], x + s * e, *(u, w)[k + 1 :]] for s in (1, -1))
            assert abs(bar[j] - (loss(*up) - loss(*down)) / 2e-6) < 1e-6


def while_loop(u, w, n):
    k = 0
    while k < n:
        u[0] += w[1]
        u, w = w, u
        k += 1
    return u[0]


def left_early(u, w, n):
    for k in range(n):
        u[0] += w[1]
        if u[0] > 10.0:
            break
        u, w = w, u
    return u[0]


def sometimes(u, w, n):
    for k in range(n):
        u[0] += w[1]
        if k % 3 == 1:
            u, w = w, u
    return u[0]


def written_afterwards(u, w, n):
    for k in range(n):
        u[0] += w[1]
        u, w = w, u
    u[0] = 1.0
    return u[0]


@pytest.mark.parametrize("program", [while_loop, left_early, sometimes, written_afterwards])
def test_refused(program: Callable[..., Any]) -> None:
    with pytest.raises(UserError, match="RG0106"):
        rg.jit(program)(np.ones(3), np.ones(3), 4)
