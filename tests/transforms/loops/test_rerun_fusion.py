"""Maps that are run again are in the loop of their reverse, and bits stay."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.ir.print import print_program
from retrograd.ir.terms import Program
from retrograd.transforms.loops.rerun_fusion import fuse_reruns
from retrograd.transforms.passes import Pass
from tests.backends.llvm.native import compiled, native, reference, same
from tests.transforms.support import after, outcome, program, renamed

FUSE = Pass("fused-reruns", "", fuse_reruns)
RAISES = "      check_index({}, 3; axis=0, span=none)\n"
AGAIN = """\
  for i < n:
      row: f64[1] = slice(x, i; spec="ia")
      y: f64[1] = mul(row, row)
      push(y; site="a")
      yield"""
REVERSE = """\
  new: f64[2] = for i < n with (old: f64[2] = bar) descending:
      y: f64[1] = pop(; site="a", types=("f64[1]",))
      more: f64[2] = add_slice(old, y, i; spec="ia")
      yield more"""


def sweeps(
    again: str = AGAIN, reverse: str = REVERSE, given: str = "bar", between: str = "",
    count: str = "n", twice: str = "", more: str = "",
) -> Program:  # fmt: skip
    """A body that is run again and its reverse, in a loop."""
    return program(
        "(x: f64[2], n: i64, width: i64) -> (f64[2])",
        f"""
zero: f64[2] = zeros(n, width; dtype="f64")
own: f64[2] = copy(zero)
last: f64[2] = for k < 2 with (bar: f64[2] = zero):
    call again(x, n)
{between}    new: f64[2] = call reverse({given}, {count})
    yield new
{twice}return last
""",
        f"""
function again(x: f64[2], n: i64) -> ():
{again}
  return

function reverse(bar: f64[2], n: i64) -> (f64[2]):
{reverse}
  return new
{more}""",
    )


def test_an_iteration_does_both() -> None:
    """Nothing is on the tape then, and the bits are those that they were."""
    source = sweeps()
    done = after(source, FUSE)
    text = print_program(done)
    assert "function again" not in text
    assert "push" not in text
    assert "pop" not in text
    for extents in ((3, 2), (1, 4), (0, 2)):
        given = (np.random.default_rng(1).normal(size=extents), *extents)
        assert outcome(done, given) == outcome(source, given)
        assert same(native(compiled(renamed(done)), given), reference(renamed(source), given))


def test_what_loops_within_record_stays_on_the_tape() -> None:
    inner = """\
      t: f64 = for j < 3 with (s: f64 = 0.0):
          e: f64 = index(row, 0; checked=false, span=none)
          u: f64 = fma(e, 0.5, s)
          push(s; site="b")
          yield u
      push(t; site="c")
      yield"""
    back = """\
      t: f64 = pop(; site="c", types=("f64",))
      w: f64 = for j < 3 with (v: f64 = 1.0) descending:
          s: f64 = pop(; site="b", types=("f64",))
          v2: f64 = fma(v, s, t)
          yield v2"""
    head, tail = AGAIN.rsplit("\n", 1)[0], REVERSE.split("\n")
    reverse = "\n".join((tail[0], back, tail[1], "      z: f64[1] = mul(y, w)", *tail[2:]))
    source = sweeps(f"{head}\n{inner}", reverse.replace("(old, y,", "(old, z,"))
    done = after(source, FUSE)
    text = print_program(done)
    assert text.count("push(") == text.count("pop(") == 1
    given = (np.random.default_rng(2).normal(size=(3, 2)), 3, 2)
    assert outcome(done, given) == outcome(source, given)
    assert same(native(compiled(renamed(done)), given), reference(renamed(source), given))


BODIES = """
function one(x: f64[2], i: i64) -> ():
  row: f64[1] = slice(x, i; spec="ia")
  y: f64[1] = mul(row, row)
  s: f64 = reduce_sum(y; axes=(0,), keepdims=false)
  push(y, s; site="a")
  return

function other(bar: f64[2], i: i64) -> (f64[2]):
  y: f64[1], s: f64 = pop(; site="a", types=("f64[1]", "f64"))
  z: f64[1] = mul(y, s)
  more: f64[2] = add_slice(bar, z, i; spec="ia")
  return more
"""
ONE = """\
  for i < n:
      call one(x, i)
      yield"""
OTHER = """\
  new: f64[2] = for i < n with (old: f64[2] = bar) descending:
      more: f64[2] = call other(old, i)
      yield more"""


def test_bodies_that_are_functions_hand_over_what_they_record() -> None:
    source = sweeps(ONE, OTHER, more=BODIES)
    done = after(source, FUSE)
    text = print_program(done)
    assert "push" not in text
    assert "pop" not in text
    assert "function one" not in text
    assert "function other" not in text
    for extents in ((3, 2), (1, 4), (0, 2)):
        given = (np.random.default_rng(1).normal(size=extents), *extents)
        assert outcome(done, given) == outcome(source, given)
        assert same(native(compiled(renamed(done)), given), reference(renamed(source), given))


def test_bodies_that_others_call_stay() -> None:
    again = ONE.replace("      yield", "      call one(x, i)\n      yield")
    source = sweeps(again, OTHER, more=BODIES)
    assert "call one" in print_program(after(source, FUSE))


LEFT = {
    "numbers alone": sweeps(
        """\
  for i < n:
      v: f64 = index(x, i, 0; checked=false, span=none)
      y: f64 = sin(v)
      push(y; site="a")
      yield""",
        """\
  new: f64[2] = for i < n with (old: f64[2] = bar) descending:
      y: f64 = pop(; site="a", types=("f64",))
      more: f64[2] = add_at(old, y, i, 0)
      yield more""",
    ),
    "may raise": sweeps(AGAIN.replace("      push", f"{RAISES.format('i')}      push")),
    "more iterations": sweeps(
        between="    m: i64 = add(n, 0)\n", count="m",
        again=AGAIN.replace("for i < n", "less: i64 = sub(n, 0)\n  for i < less"),
    ),
    "upwards": sweeps(reverse=REVERSE.replace(" descending", "")),
    "raises between": sweeps(between=RAISES.format("k")[2:]),
    "taken over between": sweeps(
        between="    c: f64[2] = copy(x)\n    d: f64[2] = accumulate(c, bar)\n", given="d"
    ),
    "called twice": sweeps(twice="call again(x, 0)\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_alone(name: str) -> None:
    assert after(LEFT[name], FUSE) == LEFT[name]


def test_the_tape_of_steps_that_are_maps_has_states_only() -> None:
    """A step of rows of numbers, which is run again in the reverse sweep."""

    def steps(x, w, count):
        for _ in range(count):
            x = rg.map(lambda row: np.tanh(w @ row) * np.sum(row * row), x)
        return np.sum(x)

    x, w = np.ones((40, 5)) / 3, np.eye(5) * 0.5 + 0.1
    slopes = rg.grad(steps)
    slopes(x, w, 6)
    stats = slopes.stats()
    assert stats is not None
    assert stats.tape_bytes <= 6 * x.nbytes + 4096
