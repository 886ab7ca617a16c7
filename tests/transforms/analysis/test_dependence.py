"""What depends on a variable, through values, branches and loops."""

from __future__ import annotations

from retrograd.ir.traverse import binders, stms_deep
from retrograd.prims import DEFAULT
from retrograd.transforms.analysis.dependence import depending
from tests.backends.llvm.native import parsed

TEXT = """program f

function f(x: f64, a: f64[1], n: i64) -> (i64, f64, i64, f64[1]):
  far: bool = gt(x, 1.0)
  i: i64 = if far:
      yield 2
    else:
      yield n
  m: i64 = dim(a; axis=0)
  j: i64 = iadd(m, n; span=none)
  last: f64, k: i64 = for t < i with (s: f64 = 0.0, c: i64 = 0):
      d: i64 = iadd(c, 1; span=none)
      yield s, d
  other: f64, q: i64 = for u < n with (v: f64 = 0.0, w: i64 = 0):
      e: i64 = iadd(w, 1; span=none)
      g: f64 = add(v, x)
      yield g, e
  b: f64[1] = mul(a, 2.0)
  return k, other, j, b
"""


def names(source: str) -> set[str]:
    function = parsed(TEXT).main
    (chosen,) = (p for p in function.params if p.name == source)
    found = {v.name for v in depending(function, [chosen], DEFAULT)}
    bound = {v.name for s in stms_deep(function.body) for v in (*s.outs, *binders(s.expr))}
    return found & (bound | {p.name for p in function.params})


def test_values_and_choices_are_followed_and_extents_are_not() -> None:
    assert names("x") >= {"x", "far", "i", "last", "k", "d", "c", "other", "v", "g"}
    assert names("x").isdisjoint({"n", "m", "j", "q", "w", "e", "b", "a"})
    assert names("a") == {"a", "b"}
    assert {"i", "j", "k", "other", "q"} <= names("n")
