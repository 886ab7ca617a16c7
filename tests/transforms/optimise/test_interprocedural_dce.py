"""What crosses calls and the tape, and what no longer does."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.ir.parse import parse_program
from retrograd.ir.terms import Call, For, Function, Prim, Program
from retrograd.ir.traverse import stms_deep
from retrograd.prims import DEFAULT
from retrograd.transforms.analysis.demand import demand
from retrograd.transforms.pipelines import UNNEEDED
from tests.transforms.support import after, outcome, program


def signature(source: Program, name: str) -> tuple[list[str], int]:
    """Names of the parameters of a function, and how many results it has."""
    function = source.function(name)
    return [p.name for p in function.params], len(function.body.results)


def crossing(source: Program) -> int:
    """Parameters and results of all functions but the entry, and values on the tape."""
    others = [f for f in source.functions if f.name != source.entry]
    return sum(len(f.params) + len(f.body.results) for f in others) + sum(recorded(source))


def recorded(source: Program) -> list[int]:
    """How many values each push and each pop is of."""
    stms = [s for f in source.functions for s in stms_deep(f.body)]
    tape = [s for s in stms if isinstance(s.expr, Prim) and s.expr.op in ("push", "pop")]
    return [len(s.outs) + len(s.expr.args) for s in tape if isinstance(s.expr, Prim)]


COUNTDOWN = """
function down(x: f64, n: i64, seen: i64, log: f64) -> (f64, i64, f64):
  ended: bool = le(n, 0)
  a: f64, b: i64, c: f64 = if ended:
      yield x, seen, log
    else:
      n2: i64 = sub(n, 1)
      seen2: i64 = add(seen, n)
      log2: f64 = mul(log, x)
      y: f64, k: i64, l: f64 = call down(x, n2, seen2, log2)
      z: f64 = mul(y, x)
      k2: i64 = add(k, 1)
      l2: f64 = mul(l, z)
      yield z, k2, l2
  return a, b, c
"""


def test_what_only_feeds_itself_in_a_recursion_goes() -> None:
    source = program(
        "(x: f64, n: i64) -> (f64)",
        "a: f64, b: i64, c: f64 = call down(x, n, 0, x)\nreturn a",
        COUNTDOWN,
    )
    done = after(source, UNNEEDED)
    assert signature(done, "down") == (["x", "n"], 1)
    assert crossing(source) - crossing(done) == 4
    assert outcome(done, (1.5, 4)) == outcome(source, (1.5, 4))


def test_what_one_caller_needs_all_hand_on() -> None:
    source = program(
        "(x: f64, n: i64) -> (f64, i64)",
        """
a: f64, b: i64, c: f64 = call down(x, n, 0, x)
d: f64, e: i64, f: f64 = call down(x, 3, 1, x)
return a, e""",
        COUNTDOWN,
    )
    done = after(source, UNNEEDED)
    assert signature(done, "down") == (["x", "n", "seen"], 2)
    assert outcome(done, (1.5, 4)) == outcome(source, (1.5, 4))


def test_an_argument_of_a_call_that_is_not_made_is_not_needed() -> None:
    source = program(
        "(x: f64) -> (f64)",
        """
a: f64 = call g(x, x)
b: f64 = call h(x, a)
return a""",
        """
function g(x: f64, y: f64) -> (f64):
  a: f64 = exp(x)
  return a

function h(x: f64, y: f64) -> (f64):
  a: f64 = call g(x, y)
  return a
""",
    )
    done = after(source, UNNEEDED)
    assert [f.name for f in done.functions] == ["main", "g"]
    assert signature(done, "g") == (["x"], 1)


def test_what_can_raise_stays_with_what_it_needs() -> None:
    source = program(
        "(x: f64[1], n: i64, z: f64) -> (f64)",
        "a: f64 = call g(x, n, z)\nreturn z",
        """
function g(x: f64[1], n: i64, z: f64) -> (f64):
  a: f64 = index(x, n; checked=true, span=none)
  b: f64 = mul(a, z)
  return b
""",
    )
    done = after(source, UNNEEDED)
    assert signature(done, "g") == (["x", "n"], 0)
    for n in (0, 5):
        args = (np.array([1.0, 2.0]), n, 3.0)
        assert outcome(done, args) == outcome(source, args)


TAPED = """
function ahead(x: f64, n: i64) -> (f64):
  y: f64 = for k < n with (a: f64 = x) block:
      s: f64 = sin(a)
      c: f64 = cos(a)
      push(a, s, c; site="one")
      yield s
  push(n, x; site="two")
  return y

function back(bar: f64) -> (f64, f64):
  n: i64, x: f64 = pop(; site="two", types=("i64", "f64"))
  y: f64, u: f64 = for k < n with (b: f64 = bar, d: f64 = x) descending block:
      a: f64, s: f64, c: f64 = pop(; site="one", types=("f64", "f64", "f64"))
      e: f64 = mul(b, c)
      g: f64 = mul(d, s)
      yield e, g
  return y, u
"""


def test_values_on_the_tape_go_at_both_ends() -> None:
    source = program(
        "(x: f64, n: i64) -> (f64)",
        "y: f64 = call ahead(x, n)\nz: f64, u: f64 = call back(1.0)\nreturn z",
        TAPED,
    )
    done = after(source, UNNEEDED)
    assert recorded(source) == [3, 2, 2, 3]
    assert recorded(done) == [1, 1, 1, 1]
    assert signature(done, "ahead") == (["x", "n"], 0)
    assert outcome(done, (0.3, 4)) == outcome(source, (0.3, 4))


def test_a_site_that_nothing_is_taken_from_goes_and_its_loop_is_no_block() -> None:
    more = TAPED.replace("e: f64 = mul(b, c)", "e: f64 = mul(b, 2.0)")
    source = program(
        "(x: f64, n: i64) -> (f64, f64)",
        "y: f64 = call ahead(x, n)\nz: f64, u: f64 = call back(1.0)\nreturn y, z",
        more,
    )
    done = after(source, UNNEEDED)
    assert recorded(done) == [1, 1]
    loops = [s.expr for f in done.functions for s in stms_deep(f.body) if isinstance(s.expr, For)]
    assert len(loops) == 2
    assert not any(loop.block for loop in loops)
    assert outcome(done, (0.3, 4)) == outcome(source, (0.3, 4))


def test_positions_of_values_that_lie_on_the_tape_move() -> None:
    source = program(
        "(x: f64[1], y: f64[1]) -> (f64)",
        """
push(1.0, x, y; held=(1, 2), site="s")
a: f64, b: f64[1], c: f64[1] = pop(; held=(1, 2), site="s", types=("f64", "f64[1]", "f64[1]"))
d: f64 = index(c, 0; checked=false, span=none)
return d""",
    )
    done = after(source, UNNEEDED)
    pushed, popped = (s.expr for s in done.main.body.stms[:2])
    assert isinstance(pushed, Prim)
    assert isinstance(popped, Prim)
    assert pushed.param("held") == popped.param("held") == (0,)
    assert popped.param("types") == ("f64[1]",)
    args = (np.array([1.0]), np.array([2.0]))
    assert outcome(done, args) == outcome(source, args)


@pytest.mark.parametrize(
    "use",
    [
        "y: f64, d: f64 = jvp g(x, z; tangents=(1.0, none))",
        "y: f64, d: f64 = vjp g(x, z; cotangents=(1.0), wrt=(0))",
    ],
)
def test_functions_that_are_still_to_be_derived_keep_their_signatures(use: str) -> None:
    source = program(
        "(x: f64, z: f64) -> (f64)",
        f"{use}\nreturn d",
        """
function g(x: f64, z: f64) -> (f64):
  a: f64 = exp(x)
  return a
""",
    )
    assert signature(after(source, UNNEEDED), "g") == (["x", "z"], 1)


def test_rules_keep_their_signatures() -> None:
    source = program(
        "(x: f64, z: f64) -> (f64)",
        "a: f64 = call g(x, z)\nreturn a",
        """
function g(x: f64, z: f64) -> (f64) custom jvp(rule):
  a: f64 = exp(x)
  return a

function rule(x: f64, z: f64, dx: f64, dz: f64) -> (f64, f64):
  a: f64 = exp(x)
  return a, a
""",
    )
    done = after(source, UNNEEDED)
    assert signature(done, "g") == (["x", "z"], 1)
    assert signature(done, "rule") == (["x", "z", "dx", "dz"], 2)


def test_the_entry_keeps_its_signature_even_if_it_calls_itself() -> None:
    text = "program down\n" + COUNTDOWN
    done = after(parse_program(text), UNNEEDED)
    assert signature(done, "down") == (["x", "n", "seen", "log"], 3)


def test_nothing_goes_twice() -> None:
    """What is left is needed: the pass finds all at once."""
    source = program(
        "(x: f64, n: i64) -> (f64)",
        "y: f64 = call ahead(x, n)\nz: f64, u: f64 = call back(1.0)\nreturn z",
        TAPED,
    )
    done = after(source, UNNEEDED)
    assert after(done, UNNEEDED) == done
    found = demand(done, DEFAULT)
    functions: list[Function] = [f for f in done.functions if f.name != done.entry]
    assert all((f.name, p.name) in found.parameters for f in functions for p in f.params)
    calls = [s for f in done.functions for s in stms_deep(f.body) if isinstance(s.expr, Call)]
    assert len(calls) == 2


def test_what_may_leave_memory_is_known_by_its_place() -> None:
    mark = 'offloaded=((1, "/a"), (2, "/b")), site="s"'
    source = program(
        "(x: f64[1], y: f64[1], n: i64) -> (f64[1])",
        f"push(n, x, y; {mark})\n"
        f'k: i64, a: f64[1], b: f64[1] = pop(; {mark}, types=("i64", "f64[1]", "f64[1]"))\n'
        "return b",
    )
    done = after(source, UNNEEDED)
    found = [dict(s.expr.params) for s in done.main.body.stms if isinstance(s.expr, Prim)]
    assert [params["offloaded"] for params in found] == [((0, "/b"),)] * 2
