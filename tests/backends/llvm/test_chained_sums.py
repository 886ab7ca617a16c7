"""Sums in loops that carry a chain: one copy of the body for all lanes, the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.backends.llvm.execute import Executable
from retrograd.backends.llvm.module import module_text
from retrograd.prims import DEFAULT
from tests.backends.llvm.native import bits, compiled, native, parsed, reference

LOOP = """program f

function f(x: f64[1], n: i64, c: f64) -> (f64, f64, f64):
  last: f64, a: f64, b: f64 = for k < n with (s: f64 = 0.25) sums=2:
      v: f64 = index(x, k; checked=false, span=none)
      u: f64 = mul(s, c)
      t: f64 = {carried}
      w: f64 = div(v, 3.0)
      d: f64 = mul(w, s)
      yield t, w, d
  return last, a, b
"""

CHAINED = parsed(LOOP.format(carried="add(u, v)"))
BEFORE = parsed(LOOP.format(carried="mul(v, c)"))
"""Carries the element before, which lanes can have from their neighbours."""


@pytest.fixture(scope="module")
def code() -> Executable:
    return compiled(CHAINED)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("n", [0, 1, 2, 31, 32, 33, 95, 8191, 8192, 8193, 8224, 20000])
def test_bits_of_the_definition(n: int, code: Executable) -> None:
    x = np.random.default_rng(n).normal(size=n)
    args = [x, n, 0.75]
    assert bits(native(code, args)) == bits(reference(CHAINED, args))


def test_copies_of_the_body() -> None:
    """One for short loops and one for lanes; where vectors can be had, one more for groups."""
    counts = [
        module_text(program, DEFAULT).text.count("fdiv double") for program in (CHAINED, BEFORE)
    ]
    assert counts == [2, 3]
