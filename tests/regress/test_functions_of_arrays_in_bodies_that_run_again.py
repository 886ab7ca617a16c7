"""Functions of arrays were calculated three times where the body of a loop is run again.

In the forward sweep, in the second run, and in the reverse sweep of the body, although what the
second run records is there for one body only. ADBench's LSTM took a sixth longer for it.
"""

from __future__ import annotations

import numpy as np

from retrograd.ir.terms import Prim
from retrograd.ir.traverse import stms_deep
from retrograd.transforms.cleanup import DEAD_CODE
from tests.backends.llvm.native import parsed
from tests.transforms.ad.vjp.support import check_gradient, lowered, with_vjp
from tests.transforms.support import after

ROWS = """program f

function f(x: f64[2], w: f64[1], n: i64) -> (f64):
  first: f64[2] = copy(x)
  rows: i64 = dim(x; axis=0)
  last: f64[2] = for i < n with (h: f64[2] = first):
      begin: f64[1] = copy(w)
      y: f64[1], g: f64[2] = for k < rows with (y0: f64[1] = begin, h0: f64[2] = h):
          row: f64[1] = slice(h0, k; spec="ia")
          m: f64[1] = mul(y0, row)
          e: f64[1] = exp(m)
          a: f64[1] = mul(e, row)
          t: f64[1] = sin(a)
          h1: f64[2] = update_slice(h0, t, k; spec="ia")
          yield a, h1
      yield g
  r: f64 = reduce_sum(last; axes=(0, 1), keepdims=false)
  return r
"""


def test_once_in_the_second_run() -> None:
    program = parsed(ROWS)
    back = after(lowered(with_vjp(program, (0, 1))), DEAD_CODE)
    ops = {
        f.name: [s.expr.op for s in stms_deep(f.body) if isinstance(s.expr, Prim)]
        for f in back.functions
    }
    (again,) = (name for name in ops if "_again" in name)
    (reverse,) = (name for name in ops if "loop_body" in name and "_rev" in name)
    assert ops[again].count("exp") == 1
    assert ops[reverse].count("exp") == 0
    draw = np.random.default_rng(0)
    arguments = [draw.normal(size=(3, 4)), draw.normal(size=4), 3]
    check_gradient(program, arguments, draw, (0, 1))
