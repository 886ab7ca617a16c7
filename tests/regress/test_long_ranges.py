"""A range whose span needs more than 63 bits ran zero times: its length wrapped around."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import retrograd as rg
from tests.frontend.harness import agree, same
from tests.random.programs.module import load

LOW, HIGH = -(2**63), 2**63 - 1
RANGES = (
    (-1, HIGH, 1), (LOW, HIGH, 1), (5, LOW, 1), (LOW + 1, LOW, 5), (3, 9, 1), (0, LOW, 1),
    (-(2**62), 2**62, 3), (LOW, HIGH, 2**62), (0, HIGH, 2), (LOW, HIGH, 2), (4, 4, 2),
    (HIGH, LOW, -1), (HIGH, -1, -7), (HIGH, LOW, LOW), (LOW, HIGH, -1), (9, -2, -3),
    (LOW, LOW + 3, 1), (HIGH, HIGH - 3, -1),
)  # fmt: skip

FEW = """
import numpy as np

def few({parameters}):
    found = np.zeros(4, dtype=np.int64)
    n = 0
    for {target} in {range}:
        if n == 4:
            break
        found[n] = i
        n += 1
    return found, n

def whole({parameters}):
    s = 0
    for {target} in {range}:
        s = (s * 31 + i % 1000) % 1000003
    return s
"""


def written(number: int) -> str:
    return "(-9223372036854775807 - 1)" if number == LOW else str(number)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("known", ["", "a", "c", "bc", "abc"])
@pytest.mark.parametrize(("a", "b", "c"), RANGES)
def test_the_first_numbers(known: str, a: int, b: int, c: int, tmp_path: Path) -> None:
    """With literals or arguments as bounds; a range that ends is also run as a counted loop."""
    given = {"a": a, "b": b, "c": c}
    text = "range({})".format(", ".join(written(given[k]) if k in known else k for k in "abc"))
    args = [given[k] for k in "abc" if k not in known]
    source = FEW.format(
        parameters=", ".join(k for k in "abc" if k not in known), range=text, target="i"
    )
    module = load(source, tmp_path)
    agree(module.few, *args)
    if len(list(islice(range(a, b, c), 9))) < 9:
        agree(module.whole, *args)
    if known in ("", "c"):
        same(rg.jit(module.few)(*args), module.few(*args))


@pytest.mark.parametrize(
    ("iterable", "target"),
    [
        ("reversed(range(a, b, c))", "i"),
        ("enumerate(range(a, b, c))", "_, i"),
        ("zip(range(a, b, c), range(5))", "i, _"),
        ("enumerate(reversed(range(a, b)))", "_, i"),
    ],
)
@pytest.mark.parametrize(("a", "b", "c"), RANGES[::3])
def test_in_other_iterators(
    iterable: str, target: str, a: int, b: int, c: int, tmp_path: Path
) -> None:
    source = FEW.format(parameters="a, b, c", range=iterable, target=target)
    module = load(source, tmp_path)
    agree(module.few, a, b, c)
    if iterable.startswith("reversed"):
        same(rg.jit(module.few)(a, b, c), module.few(a, b, c))


def test_until_something_is_found() -> None:
    def first(x):
        for i in range(-1, sys.maxsize):
            if i * x > 10.0:
                return i
        return -5

    assert rg.jit(first)(3.0) == first(3.0) == 4


def lengths(a, b, c):
    return len(range(a, b, c))


@pytest.mark.parametrize(("a", "b", "c"), RANGES)
def test_lengths(a: int, b: int, c: int) -> None:
    agree(lengths, a, b, c)
    try:
        expected = lengths(a, b, c)
    except OverflowError:
        with pytest.raises(OverflowError):
            rg.jit(lengths)(a, b, c)
    else:
        assert rg.jit(lengths)(a, b, c) == expected


def test_sums_over_ranges() -> None:
    def squares(a, b, c):
        return sum(i % 7 for i in range(a, b, c)), np.array([i % 5 for i in range(a, b, c)])

    for a, b, c in ((LOW, HIGH, 2**62), (HIGH, LOW, -(2**61)), (2, 12, 3), (-3, -9, -2)):
        agree(squares, a, b, c)
        same(rg.jit(squares)(a, b, c), squares(a, b, c))
