"""`pop` of a list of objects of run-time length ended in an AssertionError."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from tests.frontend.harness import agree


class Car:
    def __init__(self, arrival, weight):
        self.arrival = arrival
        self.weight = weight


def queue(x, n):
    waiting, delay = [], 0.0
    for k in range(n):
        waiting.append(Car(0.5 * k, x * k))
        if k % 2:
            car = waiting.pop(0)
            delay += car.weight * (k - car.arrival)
        if k % 5 == 4:
            delay += waiting.pop().weight
    return delay + len(waiting)


def test_it_is_the_one_that_was_there():
    agree(queue, 0.7, 12)
    slope = (queue(0.7 + 1e-6, 12) - queue(0.7 - 1e-6, 12)) / 2e-6
    assert rg.grad(queue)(0.7, 12) == pytest.approx(slope, rel=1e-7)


def found_late(x, n):
    """Its list is empty where its item is read for the first time."""
    rows, s = [], 0.0
    for k in range(n):
        if rows:
            s += rows[0]
        rows.append(x * k + x)
    return s


def into_a_slice(x, n):
    force = np.zeros(6)
    force[2:4] = x, 2.0 * n
    force[[0, 5]] = (x * x, 1.0)
    return force @ force + int("ff", 16) * x


@pytest.mark.parametrize("f", [found_late, into_a_slice])
def test_others_that_were_refused(f):
    agree(f, 0.7, 4)
    slope = (f(0.7 + 1e-6, 4) - f(0.7 - 1e-6, 4)) / 2e-6
    assert rg.grad(f)(0.7, 4) == pytest.approx(slope, rel=1e-7)
