"""Statements over the same elements share a loop: the bits are those of loops of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from retrograd.backends.llvm.plan import Planner, consumed_params
from retrograd.ir.terms import Program
from retrograd.transforms.analysis.shape_equality import agreed_shapes
from tests.backends.llvm.native import agree, known, parsed

SIZES = (0, 1, 2, 31, 32, 33, 70, 8192 + 40)
RNG = np.random.default_rng(7)
DATA = RNG.normal(size=(3, max(SIZES)))


def joined(text: str) -> tuple[Program, dict[str, str]]:
    """The program, and what waits in its entry for which loop."""
    program = parsed(f"program f\n\nfunction f{text}")
    planner = Planner(known(), consumed_params(program, known()))
    extents = agreed_shapes(program, known())["f"].arrays
    plan = planner.plan(program.functions[0].body, extents=extents)
    return program, {v.name: end.name for v, end in plan.joined.items()}


def everywhere(program: Program, *more: Any, arrays: int = 1) -> None:
    for n in SIZES:
        agree(program, [*(DATA[k, :n].copy() for k in range(arrays)), *more])


def test_arrays_sums_and_additions_are_one_loop() -> None:
    program, waits = joined("""(x: f64[1], s: f64) -> (f64[1], f64[1], f64, f64):
  old: f64[1] = mul(x, x)
  first: f64[1] = add(x, 1.0)
  cheap: f64[1] = mul(first, s)
  more: f64[1] = accumulate(old, cheap)
  t: f64 = sum_like(more, 0.0)
  y: f64[1] = sub(cheap, more)
  z: f64[1] = mul(y, y)
  u: f64 = reduce_sum(z; axes=(0,), keepdims=false)
  return y, more, t, u
""")
    # `first` and `cheap` are in registers only; `old` is added to in its memory
    assert waits == dict.fromkeys(("old", "more", "t", "y", "u"), "u")
    everywhere(program, 1.5)


def test_what_is_added_to_is_read_as_it_was_before() -> None:
    program, waits = joined("""(x: f64[1]) -> (f64[1], f64[1], f64[1]):
  old: f64[1] = mul(x, 2.0)
  before: f64[1] = mul(old, x)
  more: f64[1] = accumulate(old, x)
  again: f64[1] = accumulate(more, before)
  after: f64[1] = mul(again, x)
  return before, again, after
""")
    assert set(waits.values()) == {"after"}
    everywhere(program)


def test_a_sum_that_is_needed_ends_the_run() -> None:
    program, waits = joined("""(x: f64[1]) -> (f64[1], f64[1], f64):
  y: f64[1] = mul(x, 2.0)
  s: f64 = reduce_sum(y; axes=(0,), keepdims=false)
  z: f64[1] = mul(x, s)
  w: f64[1] = add(z, y)
  return y, w, s
""")
    assert waits == {"y": "s", "s": "s"}
    everywhere(program)


def test_numbers_of_other_kinds() -> None:
    program, waits = joined("""(x: f64[1]) -> (bool[1], f64[1], i64[1]):
  b: bool[1] = lt(x, 0.1)
  c: bool[1] = not_(b)
  y: f64[1] = select(c, x, 0.5)
  k: i64[1] = convert(b; dtype="i64")
  m: i64[1] = mul(k, 3)
  return c, y, m
""")
    assert waits == dict.fromkeys(("c", "y", "m"), "m")
    everywhere(program)


STRETCHED = """(x: f64[2], y: f64[1]) -> (f64[2], f64):
  d: f64[2] = sub(x, y)
  p: f64[2] = mul(d, 2.0)
  q: f64[2] = mul(d, d)
  s: f64 = reduce_sum(q; axes=(0, 1), keepdims=false)
  return p, s
"""


@pytest.mark.parametrize("shapes", [((3, 40), 40), ((3, 40), 1), ((3, 1), 40), ((0, 4), 4)])
def test_what_is_stretched_is_made_before(shapes: tuple[tuple[int, int], int]) -> None:
    program, _ = joined(STRETCHED)
    rows, columns = shapes
    agree(program, [RNG.normal(size=rows), RNG.normal(size=columns)])


def test_views_are_read_where_they_lie() -> None:
    """A view from outside of a loop has strides, of which its body knows nothing."""
    program, _ = joined("""(x: f64[2], n: i64) -> (f64[1], f64[1]):
  v: f64[1] = slice(x, 1; spec="ai")
  a: f64[1] = mul(v, 2.0)
  b: f64[1] = mul(v, 3.0)
  y: f64[1], z: f64[1] = for i < n with (p: f64[1] = a, q: f64[1] = b):
      t: f64[1] = mul(v, p)
      u: f64[1] = add(v, q)
      yield t, u
  return y, z
""")
    for rows in (1, 5, 40):
        agree(program, [RNG.normal(size=(rows, 3)), 5])


def test_loops_that_share_nothing_stay_apart() -> None:
    program, waits = joined("""(x: f64[1], y: f64[1]) -> (f64[1], f64[1]):
  m: i64 = dim(x; axis=0)
  n: i64 = dim(y; axis=0)
  check_extents(m, n; how="same", message="", span=none)
  a: f64[1] = mul(x, 2.0)
  b: f64[1] = mul(y, 3.0)
  return a, b
""")
    assert set(waits) <= {"a", "b"}
    everywhere(program, arrays=2)


def test_no_array_waits_that_would_be_freed() -> None:
    """`a` is freed before `c` is made: it is not kept for a loop that makes both."""
    _, waits = joined("""(x: f64[1]) -> (f64[1], f64[1]):
  a: f64[1] = exp(x)
  b: f64[1] = mul(a, a)
  s: f64 = reduce_sum(b; axes=(0,), keepdims=false)
  c: f64[1] = mul(x, 3.0)
  return b, c
""")
    assert "c" not in waits or waits["b"] != waits["c"]


def test_very_many() -> None:
    n = 40
    lines: list[str] = []
    for k in range(n):
        lines += [f"  u{k}: f64[1] = add(x, {k}.0)", f"  v{k}: f64[1] = mul(u{k}, x)"]
    results: Sequence[str] = [f"v{k}" for k in range(n)]
    types = ", ".join(["f64[1]"] * n)
    body = "\n".join(lines)
    program, waits = joined(f"(x: f64[1]) -> ({types}):\n{body}\n  return {', '.join(results)}\n")
    assert set(waits) == set(results)
    agree(program, [DATA[0, :45].copy()])
