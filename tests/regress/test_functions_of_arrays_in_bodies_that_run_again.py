"""Functions of arrays were calculated three times where the body of a loop is run again.

In the forward sweep, in the second run, and in the reverse sweep of the body, although what the
second run records is there for one body only. ADBench's LSTM took a sixth longer for it.

Rows are recorded since. Matrices were, too: the blocks of a transformer kept exponentials and
hyperbolic tangents beside what those are of, 3.4 MB for 2.4, and were no faster.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import retrograd as rg
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


def blocks_of_heads(ws: Any, x: Any) -> Any:
    for w in ws:
        y = w @ x
        heads = np.empty(x.shape)
        for k in range(2):
            heads[k * 32 : (k + 1) * 32] = np.exp(-(y[k * 32 : (k + 1) * 32] ** 2))
        x = x + np.tanh(w @ heads)
    return np.sum(x * x)


def test_matrices_are_calculated_again() -> None:
    draw = np.random.default_rng(0)
    ws, x = draw.normal(size=(6, 64, 64)) / 8, draw.normal(size=(64, 64))
    gradient = rg.grad(blocks_of_heads, (0, 1))
    gradient(ws, x)
    carried, of_a_block = 6 + 1, 3  # x and the last one; y, heads and w @ heads
    assert gradient.stats().tape_bytes <= (carried + of_a_block) * 8 * 64 * 64 + 1500
