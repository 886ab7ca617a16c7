"""Arrays that only have extents take no memory; others are cleared where that has to be."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.backends.llvm.module import module_text
from retrograd.prims import DEFAULT
from tests.backends.llvm.native import Raised, compiled, native, parsed, reference

pytestmark = pytest.mark.thinned(2)

LIKE = """program f

function f(g: f64[2], n: i64, m: i64, k: i64) -> (f64[2]):
  e: f64[2] = empty(n, m; dtype="f64")
  s: f64[2] = sum_like(g, e)
  t: f64[2] = {second}
  u: f64[2] = add(s, t)
  r: f64[2] = for i < k with (c: f64[2] = u):
      h: f64[2] = {inside}
      d: f64[2] = accumulate(c, h)
      yield d
  return r
"""
SHAPE = LIKE.format(second="sin(s)", inside="sum_like(g, s)")
TEXTS = {
    "extents alone": (SHAPE, 0),
    "elements, too": (LIKE.format(second="cos(e)", inside="sum_like(g, s)"), 1),
    "in a loop": (LIKE.format(second="sin(s)", inside="sum_like(g, e)"), 1),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("interruptible", [False, True])
@pytest.mark.parametrize(("n", "m"), [(2, 3), (1, 3), (2, 1), (1, 1)])
def test_who_gets_memory(name: str, interruptible: bool, n: int, m: int) -> None:
    text, cleared = TEXTS[name]
    program = parsed(text)
    if not interruptible:
        assert module_text(program, DEFAULT).text.count("call void @rg_clear") == cleared
    g = np.arange(6.0).reshape(2, 3)
    args = (g, n, m, 2)
    got = native(compiled(program, interruptible=interruptible), args)
    want = reference(program, args)
    assert not isinstance(got, Raised)
    assert not isinstance(want, Raised)
    np.testing.assert_allclose(got[0], want[0], rtol=1e-14)


def test_negative_extents_are_refused_all_the_same() -> None:
    program = parsed(SHAPE)
    args = (np.ones((2, 3)), -2, 3, 1)
    assert native(compiled(program), args) == reference(program, args)
    assert native(compiled(program), args) == Raised("ValueError")
