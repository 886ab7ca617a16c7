"""Loops over the coordinates of a point are lines of statements, whatever is added up there."""

from __future__ import annotations

import pytest

from retrograd.api.compile.known import known
from retrograd.backends.llvm.jit import optimised_text
from retrograd.backends.llvm.module import module_text
from tests.backends.llvm.native import parsed

STEPS = """program main

function main(x: f64[1], v: f64[1], steps: i64, dt: f64) -> (f64[1], f64):
  a: f64[1] = copy(x)
  y: f64[1], s: f64 = for i < steps with (b: f64[1] = a, t: f64 = 0.0):
      c: f64[1], total: f64 = for d < {count} with (e: f64[1] = b) sums=1:
          p: f64 = index(e, d; checked=false)
          q: f64 = index(v, d; checked=false)
          r: f64 = mul(dt, q)
          w: f64 = add(p, r)
          g: f64[1] = update(e, w, d; checked=false)
          h: f64 = mul(p, q)
          yield g, h
      u: f64 = add(t, total)
      yield c, u
  return y, s
"""


@pytest.mark.parametrize(("count", "nests"), [(3, False), (4, False), (40, True)])
def test_a_loop_of_few_iterations_is_none(count: int, nests: bool) -> None:
    text = module_text(parsed(STEPS.replace("{count}", str(count))), known(), False, 32).text
    body = optimised_text(text).split("@rg_entry.body(")[1].split("\n}")[0]
    heads = [line for line in body.splitlines() if " = phi i64 " in line]
    assert (len(heads) > 1) == nests
