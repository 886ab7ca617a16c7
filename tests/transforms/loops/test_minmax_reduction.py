"""Running maxima and minima in lanes: which loops are, and that no bit changes."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.transforms.pipelines import MACHINE
from tests.transforms.loops.support import SPECIAL, check, vectors
from tests.transforms.support import after, ops, program

EXTREMES = next(step for step in MACHINE if step.name == "extremes")
HEAD = "(x: f64[1], n: i64, a: f64) -> (f64)"

LENGTHS = (*range(5), 31, 127, *range(128, 168), 200)


def runs(lengths: tuple[int, ...] = LENGTHS) -> list[tuple[object, ...]]:
    """Each length with each kind of data, from an element and from two other starts in turn."""
    starts = (-7.0, *SPECIAL, 9.0)
    found: list[tuple[object, ...]] = []
    for n in lengths:
        for k, x in enumerate(vectors(n)):
            first = float(x[0]) if n else 1.0
            found += [(x, n, a) for a in (first, starts[(n + k) % 7], starts[(n + 3 * k + 2) % 7])]
    return found


def loop(step: str, carried: str = "acc: f64 = a", index: str = "i") -> str:
    return f"""
s: f64 = for i < n with ({carried}){" descending" if index == "down" else ""}:
    u: f64 = index(x, i; checked=false, span=none)
    {step}
    yield t
return s"""


BRANCH = """{test}
    t: f64 = if c:
        yield {then}
      else:
        yield {orelse}"""

STEPS = {
    "x > m": BRANCH.format(test="c: bool = gt(u, acc)", then="u", orelse="acc"),
    "m < x": BRANCH.format(test="c: bool = lt(acc, u)", then="u", orelse="acc"),
    "x >= m": BRANCH.format(test="c: bool = ge(u, acc)", then="u", orelse="acc"),
    "x < m": "c: bool = lt(u, acc)\n    t: f64 = select(c, u, acc)",
    "x <= m": "c: bool = le(u, acc)\n    t: f64 = select(c, u, acc)",
    "maximum(m, x)": "t: f64 = maximum(acc, u)",
    "maximum(x, m)": "t: f64 = maximum(u, acc)",
    "minimum(m, x)": "t: f64 = minimum(acc, u)",
    "of a function": "v: f64 = mul(u, u)\n    t: f64 = maximum(acc, v)",
}


@pytest.mark.thinned(6)
@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("direction", ["up", "down"])
def test_in_lanes_with_the_same_bits(name: str, direction: str) -> None:
    source = program(HEAD, loop(STEPS[name], index=direction))
    check(source, runs())
    assert ops(after(source, EXTREMES)).count("for") == 6


def test_two_at_once() -> None:
    source = program(
        "(x: f64[1], n: i64, a: f64) -> (f64, f64)",
        """
s: f64, z: f64 = for i < n with (high: f64 = a, low: f64 = a):
    u: f64 = index(x, i; checked=false, span=none)
    c: bool = gt(u, high)
    h: f64 = select(c, u, high)
    l: f64 = minimum(low, u)
    yield h, l
return s, z""",
    )
    check(source, runs())
    assert ops(after(source, EXTREMES)).count("for") == 6


LEFT = {
    "a NaN would be taken": "c: bool = le(u, acc)\n    t: f64 = select(c, acc, u)",
    "the candidate depends on the result": """\
v: f64 = add(u, acc)
    c: bool = gt(v, acc)
    t: f64 = select(c, v, acc)""",
    "another test": """\
v: f64 = neg(u)
    c: bool = gt(v, acc)
    t: f64 = select(c, u, acc)""",
    "a check": """\
w: f64 = index(x, i; checked=true, span=none)
    c: bool = gt(w, acc)
    t: f64 = select(c, w, acc)""",
    "the test is used again": """\
c: bool = gt(u, acc)
    v: f64 = convert(c; dtype="f64")
    w: f64 = select(c, u, acc)
    t: f64 = add(v, w)""",
}


@pytest.mark.parametrize("name", LEFT)
def test_left_alone(name: str) -> None:
    source = program(HEAD, loop(LEFT[name]))
    assert ops(check(source, runs((0, 3, 150)))).count("for") == 1


def test_short_loops_stay() -> None:
    source = program(HEAD, loop(STEPS["x > m"]).replace("i < n", "i < 40"))
    assert ops(check(source, [(np.arange(40.0), 40, 0.0)])).count("for") == 1
