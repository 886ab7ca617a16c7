"""Pushes in front of later loops: where, of what, and that results stay."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.ir.terms import For, Function, Prim, Program
from retrograd.transforms.checkpoint.residual_sinking import record_early
from retrograd.transforms.passes import Pass
from tests.backends.llvm.native import agree
from tests.transforms.support import after, program, renamed

EARLY = Pass("early", "residuals are recorded before the next long loop", record_early)

HEAD = "(x: f64[1], n: i64) -> (f64)"

BODY = """
l: f64 = call ahead(x, n)
r: f64 = call back(l, n)
return r"""

SWEEPS = """
function ahead(x: f64[1], n: i64) -> (f64):
  a: f64 = index(x, 0; checked=true, span=none)
  b: f64 = for i < n with (c: f64 = a) point=1:
      d: f64 = mul(c, 0.5)
      yield d
  e: f64 = add(b, 1.0)
  y: f64[1] = copy(x)
  {between}
  f: f64 = for j < n with (g: f64 = e) point=2:
      h: f64 = mul(g, 0.75)
      yield h
  {late}
  l: f64 = mul(f, e)
  push(b, e, f, y; site="s"{held})
  return l

function back(l: f64, n: i64) -> (f64):
  b: f64, e: f64, f: f64, y: f64[1] = pop(; site="s"{held}, types=("f64", "f64", "f64", "f64[1]"))
  o: f64 = mul(b, 3.0)
  p: f64 = for k < n with (q: f64 = l) descending point={second}:
      r: f64 = mul(q, {inside})
      yield r
  t: f64 = index(y, 0; checked=true, span=none)
  s: f64 = mul(p, t)
  u: f64 = add(s, e)
  v: f64 = for m < n with (w: f64 = u) descending point={first}:
      z: f64 = mul(w, 0.5)
      yield z
  aa: f64 = add(v, o)
  ab: f64 = add(aa, f)
  return ab
"""


def sweeps(
    *, between: str = "", late: str = "", held: str = "", inside: str = "0.75", first: int = 1,
    second: int = 2,
) -> Program:  # fmt: skip
    """A forward sweep with two loops, and the reverse sweep."""
    given = {"between": between, "late": late, "held": held, "inside": inside}
    text = SWEEPS.format(**given, first=first, second=second)
    return program(HEAD, BODY, text)


def sequence(function: Function) -> list[str]:
    """Loops, and what is pushed, popped and multiplied, in order."""
    found: list[str] = []
    for stm in function.body.stms:
        match stm.expr:
            case For():
                found.append("loop")
            case Prim(op="push", args=args):
                found.append("push " + " ".join(str(getattr(a, "name", a)) for a in args))
            case Prim(op="pop"):
                found.append("pop " + " ".join(v.name for v in stm.outs))
            case Prim(op="mul"):
                found.append("mul " + stm.outs[0].name)
            case _:
                pass
    return found


def both(source: Program) -> tuple[list[str], list[str]]:
    done = after(source, EARLY)
    args = (np.array([3.0]), 4)
    assert agree(renamed(done), args) == agree(renamed(source), args)
    table = {f.name: f for f in done.functions}
    return sequence(table["ahead"]), sequence(table["back"])


WHOLE = ["loop", "loop", "mul l", "push b e f y"], [
    "pop b e f y", "mul o", "loop", "mul s", "loop",
]  # fmt: skip


def test_each_value_is_pushed_in_front_of_the_first_loop_that_its_turn_allows() -> None:
    ahead, back = both(sweeps())
    assert ahead == ["loop", "push b e y", "loop", "mul l", "push f"]
    assert back == ["pop f", "loop", "pop b e y", "mul s", "loop", "mul o"]


def test_what_the_reverse_of_a_loop_reads_is_pushed_after_the_loop() -> None:
    ahead, back = both(sweeps(inside="e"))
    assert ahead == ["loop", "push b y", "loop", "mul l", "push e f"]
    assert back[:2] == ["pop e f", "loop"]


def test_an_array_that_is_read_after_the_loop_is_not_handed_over_before() -> None:
    read = "ac: f64 = index(y, 0; checked=true, span=none)\n  ad: f64 = add(ac, 1.0)"
    ahead, _ = both(sweeps(late=read))
    assert ahead == ["loop", "push b e", "loop", "mul l", "push f y"]


@pytest.mark.parametrize(
    "different",
    [
        {"first": 2, "second": 1},  # the reverse loops are not in turn
        {"first": 7, "second": 8},  # nobody knows what they belong to
    ],
)
def test_pushes_stay_where_the_loops_do_not_correspond(different: dict[str, int]) -> None:
    assert both(sweeps(**different)) == WHOLE


def test_a_site_with_two_pushes_stays() -> None:
    twice = SWEEPS.replace("function ahead", "function other")
    again = BODY.replace("return r", "m: f64 = call other(x, n)\nreturn r")
    text = SWEEPS + twice[: twice.index("function back")]
    plain = {"between": "", "late": "", "held": "", "inside": "0.75", "first": 1, "second": 2}
    found = after(program(HEAD, again, text.format(**plain)), EARLY)
    assert [sequence(f) for f in found.functions if f.name == "ahead"] == [WHOLE[0]]
