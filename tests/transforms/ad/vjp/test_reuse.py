"""What the reverse sweep takes from the forward sweep instead of making it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from retrograd.ir.terms import Call, Function, Prim, Program
from retrograd.ir.traverse import stms_deep
from retrograd.transforms.ad.vjp import calls
from retrograd.transforms.ad.vjp.choose import Attempt
from retrograd.transforms.ad.vjp.context import VjpContext
from retrograd.transforms.ad.vjp.version_chains import Chain
from retrograd.transforms.cleanup import DEAD_CODE
from tests.backends.llvm.native import parsed
from tests.transforms.ad.vjp.support import check_gradient, lowered, with_vjp
from tests.transforms.support import after

READ = "; checked=false, span=none"

# Outside an innermost loop sines and cosines are recorded; each is the other's derivative.
TURNED = f"""program f

function f(x: f64[1], n: i64) -> (f64):
  r: f64 = for k < n with (c: f64 = 0.5):
      v: f64 = index(x, k{READ})
      a: f64 = sin(c)
      b: f64 = cos(c)
      e: f64 = mul(a, v)
      d: f64 = fma(b, e, a)
      t: f64 = for j < 2 with (u: f64 = d):
          w: f64 = mul(u, v)
          yield w
      yield t
  return r
"""

# The body is run again in the reverse sweep: it overwrites its array element by element.
CARRIED = """program f

function f(x: f64[1], n: i64) -> (f64):
  y: f64[1] = copy(x)
  m: i64 = dim(x; axis=0)
  z: f64[1] = for k < n with (a: f64[1] = y):
      b: f64[1] = for i < m with (c: f64[1] = a):
          v: f64 = index(c, i; checked=true, span=none)
          w: f64 = mul(v, v)
          i2: i64 = iadd(i, 0; span=none)
          d: f64[1] = update(c, w, i2; checked=true, span=none)
          yield d
      e: f64[1] = for i3 < m with (g: f64[1] = b):
          l: i64 = sub(m, i3)
          j: i64 = sub(l, 1)
          p: bool = ge(j, 0)
          check(p; kind="ValueError", message="no", span=none)
          v2: f64 = index(g, j; checked=true, span=none)
          w2: f64 = sin(v2)
          h: f64[1] = update(g, w2, i3; checked=true, span=none)
          yield h
      yield e
  r: f64 = reduce_sum(z; axes=(0,), keepdims=false)
  return r
"""

SQUARED = """program f

function f(x: f64[1]) -> (f64):
  s: f64[1] = mul(x, x)
  r: f64 = reduce_sum(s; axes=(0,), keepdims=false)
  return r
"""


def primitives(program: Program, part: str = "") -> list[Prim]:
    functions = [f for f in program.functions if part in f.name]
    stms = [s.expr for f in functions for s in stms_deep(f.body)]
    return [e for e in stms if isinstance(e, Prim)]


def test_a_function_that_was_computed_is_recorded_not_computed_again() -> None:
    program = parsed(TURNED)
    back = after(lowered(with_vjp(program, (0,))), DEAD_CODE)
    names = [e.op for e in primitives(back, "_rev")]
    assert names.count("sin") == names.count("cos") == 0
    check_gradient(program, [np.array([0.3, -0.7, 1.1]), 3], np.random.default_rng(0), (0,))


def test_a_body_that_is_run_again_checks_nothing() -> None:
    program = parsed(CARRIED)
    back = lowered(with_vjp(program, (0,)))
    calls = [s.expr.function for f in back.functions for s in stms_deep(f.body)
             if isinstance(s.expr, Call)]  # fmt: skip
    assert any("_again" in name for name in calls)
    again = primitives(back, "_again")
    assert not {"check", "check_index", "iadd", "isub"} & {e.op for e in again}
    assert not any(("checked", True) in e.params for e in again)
    assert any(("checked", True) in e.params for e in primitives(back, "_keep") or primitives(back))
    draw = np.random.default_rng(0)
    check_gradient(program, [draw.uniform(0.1, 0.9, 5), 3], draw, (0,))


def test_a_square_adds_to_its_cotangent_once() -> None:
    program = parsed(SQUARED)
    back = after(lowered(with_vjp(program, (0,))), DEAD_CODE)
    names = [e.op for e in primitives(back, "_rev")]
    assert names.count("accumulate") == 1
    assert "broadcast" not in names
    check_gradient(program, [np.array([0.3, -0.7])], np.random.default_rng(0), (0,))


NESTED = f"""program f

function g(x: f64[1], y: f64) -> (f64):
  a: f64 = index(x, 0{READ})
  b: f64 = mul(a, y)
  r: f64 = sin(b)
  return r

function f(x: f64[1], y: f64) -> (f64):
  a: f64 = call g(x, y)
  b: f64 = call g(x, a)
  r: f64 = mul(a, b)
  return r
"""


def test_functions_are_swept_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """That they need their parameters is no reason to sweep them again."""
    swept: list[str] = []
    inner = calls.cheapest

    def counted(
        context: VjpContext, function: Function, sweep: Callable[[Sequence[Chain]], Attempt]
    ) -> Attempt:
        swept.append(function.name)
        return inner(context, function, sweep)

    monkeypatch.setattr(calls, "cheapest", counted)
    check_gradient(parsed(NESTED), [np.array([0.4, 2.0]), 0.7], np.random.default_rng(3))
    assert swept == ["f", "g"]
