"""Ints were converted to floats before they were compared with one: 2**53 + 1 equalled 2.0**53."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import retrograd as rg
from retrograd.ir.print import print_program
from retrograd.prims import DEFAULT
from retrograd.transforms.passes import run_pipeline
from retrograd.transforms.pipelines import OPTIMISE
from tests.frontend.harness import agree, traced

INTS = (
    0, 1, -1, 3, 2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**60 + 1, 2**62 + 512, 2**63 - 1,
    2**63 - 513, -(2**63), -(2**63) + 1,
)  # fmt: skip
FLOATS = (
    0.0, -0.0, 0.5, -0.5, 1.0, 2.5, 2.0**53, -(2.0**53), 2.0**53 + 2, 2.0**60, 2.0**62, 2.0**63,
    -(2.0**63), 2.0**63 - 1024.0, 1e300, -1e300, math.inf, -math.inf, math.nan,
)  # fmt: skip


def relations(i, x):
    one = i == x, i != x, i < x, i <= x, i > x, i >= x
    return one, (x == i, x != i, x < i, x <= i, x > i, x >= i), x in (i, 5)


def test_as_python_compares() -> None:
    run = rg.jit(relations)
    for i in INTS:
        for x in FLOATS:
            agree(relations, i, x)
            assert run(i, x) == relations(i, x), (i, x)


def literal_floats(i):
    return (
        i < 10.0, i <= 2.5, i > -2.5, i >= 2.5, i == 2.0**53, i != 0.5, i == 0.5, i < 1e300,
        i >= 9223372036854775808.0, i < -9223372036854775808.0, i > math.inf, i == math.nan,
        i != math.nan, 2.5 < i, 9007199254740992.0 != i,
    )  # fmt: skip


def literal_ints(x):
    return x == 9007199254740993, x < 9007199254740993, 3 <= x, x > 9223372036854775807


def test_literals() -> None:
    ints, floats = rg.jit(literal_floats), rg.jit(literal_ints)
    for i in INTS:
        agree(literal_floats, i)
        assert ints(i) == literal_floats(i), i
    for x in FLOATS:
        agree(literal_ints, x)
        assert floats(x) == literal_ints(x), x


def test_numpy_converts() -> None:
    def f(a, x):
        return a == x, np.equal(a[0], x)

    found = rg.jit(f)(np.array([2**53 + 1]), 2.0**53)
    assert (found[0].tolist(), found[1]) == ([True], True)


def count(n, x):
    s = 0.0
    for i in range(n):
        if i == 0.0 or i < 3.5:
            s += 1.0
    return s if n < 10.0 and x > 3 else -s


def optimised(f: Callable[..., Any], *args: Any) -> str:
    program = run_pipeline(OPTIMISE, traced(f, *args).program, DEFAULT, check=True)
    return print_program(program)


def test_nothing_is_added_where_one_is_a_literal() -> None:
    assert "mixed_" not in optimised(count, 5, 1.0)
    assert rg.jit(count)(5, 4.0) == count(5, 4.0) == 4.0


def test_a_small_int_is_converted() -> None:
    def f(n, x):
        s = 0.0
        for i in range(n % 1000):
            if i < x:
                s += 1.0
        return s

    assert "mixed_" not in optimised(f, 5, 1.0)
    assert rg.jit(f)(5, 2.5) == 3.0
