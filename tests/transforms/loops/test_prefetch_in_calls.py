"""Forward sweeps ask for what their reverse adds to, and bits stay."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.ir.print import print_program
from retrograd.ir.terms import Program
from retrograd.transforms.loops.prefetch_in_calls import prefetch_in_calls
from retrograd.transforms.passes import Pass
from tests.backends.llvm.native import compiled, native, reference, same
from tests.transforms.support import after, outcome, program, renamed

ASK = Pass("prefetch-in-calls", "", prefetch_in_calls)
SEARCH = """\
  low: i64 = while (at: i64 = 0):
      value: f64 = convert(at; dtype="f64")
      more: bool = lt(value, v)
      yield more
    do:
      next: i64 = add(at, 1)
      yield next"""
ROW = """\
  row: f64[1] = full(v, width)
  new: f64[2] = add_slice(old, row, place; spec="ia")"""


def sweeps(
    search: str = SEARCH, add: str = ROW, found: str = "wrap(low, rows)", start: str = "old",
    again: str = "",
) -> Program:  # fmt: skip
    """A loop of a search for a row, and of additions to it."""
    return program(
        "(x: f64[1], rows: i64, width: i64, n: i64) -> (f64, f64[2])",
        f"""
zero: f64[2] = zeros(rows, width; dtype="f64")
total: f64, bar: f64[2] = for i < n with (sum: f64 = 0.0, old: f64[2] = zero):
    v: f64 = index(x, i; checked=true, span=none)
    next: f64 = call ahead(v, sum, rows)
    copied: f64[2] = copy(old)
    new: f64[2] = call back(v, {start}, rows, width)
    yield next, new
{again}return total, bar
""",
        f"""
function ahead(v: f64, sum: f64, rows: i64) -> (f64):
{search}
  place: i64 = {found}
  check_index(place, rows; axis=0, span=none)
  w: f64 = convert(place; dtype="f64")
  s: f64 = add(sum, w)
  push(low; site="a")
  return s

function back(v: f64, old: f64[2], rows: i64, width: i64) -> (f64[2]):
  low: i64 = pop(; site="a", types=("i64",))
  place: i64 = wrap(low, rows)
{add}
  return new
""",
    )


def requests(source: Program) -> int:
    return print_program(after(source, ASK)).count("prefetch(")


ASKED = {
    "rows": (sweeps(), 2),
    "elements": (sweeps(add="  new: f64[2] = add_at(old, v, place, 0)"), 1),
    "elements of a place": (
        sweeps(add="  c: i64 = imin(low, 1)\n  new: f64[2] = add_at(old, v, place, c)"), 0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_what_is_asked_for(name: str) -> None:
    """A place that the forward sweep does not calculate is not asked for."""
    source, count = ASKED[name]
    assert requests(source) == count
    done = after(source, ASK)
    for args in (([1.0, 2.0, 0.5], 4, 3, 3), ([9.0], 4, 3, 1), ([], 4, 2, 0), ([1.0], 0, 3, 1)):
        given = (np.array(args[0]), *args[1:])
        assert outcome(done, given) == outcome(source, given)
        assert same(native(compiled(renamed(done)), given), reference(renamed(source), given))


def test_a_place_that_is_known_later_only() -> None:
    """The inner loop knows the one index, what comes after it the other."""
    inner = SEARCH.replace("\n", "\n    ").replace("  low: i64", "    low2: i64", 1)
    search = f"""\
  low: i64 = for k < 1 with (kept: i64 = 0):
  {inner}
      push(low2; site="b")
      yield low2
  after: i64 = add(rows, -1)"""
    add = """\
  other: i64 = pop(; site="b", types=("i64",))
  after: i64 = add(rows, -1)
  new: f64[2] = add_at(old, v, other, after)"""
    source = sweeps(search=search, add=add)
    assert "prefetch" not in print_program(after(source, ASK))


def test_the_entry_keeps_its_parameters() -> None:
    """It calls itself once, before a call that adds to an array."""
    source = program(
        "(x: f64[1], n: i64) -> (f64, f64[1])",
        """
own: f64[1] = copy(x)
total: f64, bar: f64[1] = for i < n with (sum: f64 = 0.0, old: f64[1] = own):
    less: i64 = sub(n, 1)
    low: i64 = while (at: i64 = 0):
        more: bool = lt(at, less)
        yield more
      do:
        next: i64 = add(at, 1)
        yield next
    copied: f64[1] = copy(x)
    s: f64, same: f64[1] = call main(copied, less)
    new: f64[1] = call back(old, low)
    yield s, new
return total, bar
""",
        """
function back(old: f64[1], low: i64) -> (f64[1]):
  new: f64[1] = add_at(old, 1.0, low)
  return new
""",
    )
    assert after(source, ASK) == source


LEFT = {
    "another place": sweeps(found="wrap(rows, low)"),
    "an array that is made in between": sweeps(start="copied"),
    "an array of the reverse sweep's own": sweeps(
        add="""\
  zero: f64[2] = zeros(rows, width; dtype="f64")
  mine: f64[2] = for j < 2 with (each: f64[2] = zero):
      more: f64[2] = add_at(each, v, place, 0)
      yield more
  new: f64[2] = accumulate(old, mine)"""
    ),
    "no loop beside it": sweeps(search='  low: i64 = convert(v; dtype="i64")'),
    "called twice": sweeps(again="more: f64 = call ahead(1.0, 2.0, rows)\n"),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_alone(name: str) -> None:
    assert after(LEFT[name], ASK) == LEFT[name]
