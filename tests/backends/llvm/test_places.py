"""Indices that come round and are checked: one comparison where they do not, the same otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.compile.known import known
from retrograd.backends.llvm.module import module_text
from tests.backends.llvm.native import parsed

pytestmark = pytest.mark.thinned(2)

X = np.array([1.0, 2.0, 3.0, 4.0])
W = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -3.0]])


def gathered(x: Any, places: Any) -> Any:
    total = 0.0
    for k in range(len(places)):
        total += x[places[k]] * (k + 1.0)
    return total


def spread(x: Any, places: Any) -> Any:
    """The same place is read, added to and written, and used again in a branch."""
    y = np.zeros(len(x))
    for k in range(len(places)):
        i = places[k]
        y[i] += x[i] * x[i]
        if x[i] > 2.5:
            y[i] *= x[i]
        for j in range(2):
            y[i] += x[j] * x[i]
    return np.sum(y * y)


def of_rows(x: Any, bounds: Any) -> Any:
    """Ranges that are data, of which some begin before 0."""
    total = 0.0
    for i in range(len(bounds) - 1):
        for k in range(bounds[i], bounds[i + 1]):
            total += x[k] * (i + 1.0)
    return total


def of_two(x: Any, places: Any) -> Any:
    """Both axes come round; x[0] is W."""
    total = 0.0
    for k in range(len(places) - 1):
        total += W[places[k], places[k + 1]] * x[places[k]]
    return total


PROGRAMS = [
    (gathered, np.array([0, -1, 3, -4, 2])),
    (spread, np.array([1, -1, 1, -3, 0])),
    (of_rows, np.array([-3, 0, 2, 2, 4, 1])),
    (of_two, np.array([0, -1, 1, -2, 0])),
]


@pytest.mark.parametrize(("program", "places"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_places_are_those_of_python(program: Any, places: Any) -> None:
    value, slopes = rg.value_and_grad(program)(X, places)
    assert value == pytest.approx(program(X, places), rel=1e-14)
    assert rg.jit(program)(X, places) == value
    step = 1e-6
    for k, slope in enumerate(slopes):
        more, less = X.copy(), X.copy()
        more[k], less[k] = X[k] + step, X[k] - step
        assert slope == pytest.approx(
            (program(more, places) - program(less, places)) / (2 * step), rel=1e-6, abs=1e-7
        )
    given = rg.value_and_grad(program, memory="64kB")(X, places)
    assert given[0] == value
    np.testing.assert_array_equal(given[1], slopes)


@pytest.mark.parametrize("way", [lambda f: f, rg.jit, rg.grad], ids=["python", "jit", "grad"])
@pytest.mark.parametrize(
    ("program", "places", "message"),
    [
        (gathered, [0, 4, 9], "index 4 is out of bounds for axis 0 with size 4"),
        (gathered, [0, -5, 9], "index -5 is out of bounds for axis 0 with size 4"),
        (spread, [1, 2**62, 0], "is out of bounds for axis 0 with size 4"),
        (spread, [-(2**63), 0, 0], "is out of bounds for axis 0 with size 4"),
        (of_rows, [3, 6, 1], "index 4 is out of bounds for axis 0 with size 4"),
        (of_rows, [-6, 0, 1], "index -6 is out of bounds for axis 0 with size 4"),
        (of_two, [0, 3, 1], "index 3 is out of bounds for axis 1 with size 3"),
        (of_two, [2, 0, 1], "index 2 is out of bounds for axis 0 with size 2"),
    ],
)
def test_errors_are_those_of_python(program: Any, places: Any, message: str, way: Any) -> None:
    with pytest.raises(IndexError, match=message):
        way(program)(X, np.array(places))


TEXT = """program main

function main(x: f64[1], k: i64) -> (f64, f64):
  n: i64 = dim(x; axis=0)
  w: i64 = wrap(k, n)
  y: f64 = index(x, w)
  z: f64 = index(x, w; checked=false)
  return y, z
"""


def test_the_place_itself_is_compared_first() -> None:
    text = module_text(parsed(TEXT), known(), False, 32).text
    assert text.count("icmp ult i64 %p1, %p0d0") == 1
    place = text.split("phi i64 [%p1, ")[0].rsplit("%", 1)[-1].split(" ")[0]
    assert text.count(f"getelementptr inbounds double, ptr %p0, i64 %{place}") == 2
