"""Maxima and minima of arrays: lanes give the bits of the serial loop, NaN and zeros included."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.backends.llvm.module import module_text
from retrograd.prims import DEFAULT
from tests.backends.llvm.native import bits, compiled, native, parsed, reference

ROWS = """program f

function f(x: f64[1], y: f64[2]) -> (f64, f64, f64[1]):
  a: f64 = reduce_max(x; axes=(0,), keepdims=false, span=none)
  b: f64 = reduce_min(x; axes=(0,), keepdims=false, span=none)
  c: f64[1] = reduce_max(y; axes=(1,), keepdims=false, span=none)
  return a, b, c
"""


def data(n: int, kind: str) -> np.ndarray:
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    places = rng.integers(n, size=4)
    match kind:
        case "nan":
            x[places[0]] = np.nan
        case "zeros on top":
            x = -np.abs(x)
            x[places] = (0.0, -0.0, 0.0, -0.0)
        case "zeros below":
            x = np.abs(x)
            x[places] = (-0.0, 0.0, -0.0, 0.0)
        case "infinite":
            x[places] = (np.inf, -np.inf, np.inf, -np.inf)
        case _:
            pass
    return x


@pytest.mark.parametrize("kind", ["usual", "nan", "zeros on top", "zeros below", "infinite"])
def test_every_length(kind: str) -> None:
    program = parsed(ROWS)
    code = compiled(program, level=2)
    for n in (*range(1, 5), 31, 32, 33, *range(62, 102), 300):
        x = data(n, kind)
        args = (x, np.stack([x, -x, x[::-1]]))
        assert bits(native(code, args)) == bits(reference(program, args)), n


BUFFER = """program f

function f(n: i64) -> (f64{more}):
  x: f64[1] = empty({size}; dtype="f64")
  y: f64[1] = for k < 16 with (c: f64[1] = x):
      v: f64 = convert(k; dtype="f64")
      d: f64[1] = update(c, v, k; checked=false, span=none)
      yield d
  s: f64 = for k2 < 16 with (a: f64 = 0.0):
      u: f64 = index(y, k2; checked=false, span=none)
      t: f64 = add(a, u)
      yield t
  return s{result}
"""


@pytest.mark.parametrize(
    ("size", "more", "result", "allocates"),
    [
        ("16", "", "", False),
        ("16", ", f64[1]", ", y", True),
        ("1000", "", "", True),
        ("n", "", "", True),
    ],
)
def test_small_buffers_of_loops_are_in_the_frame(
    size: str, more: str, result: str, allocates: bool
) -> None:
    program = parsed(BUFFER.format(size=size, more=more, result=result))
    text = module_text(program, DEFAULT).text
    body = text[text.index("@rg.f(") :]
    assert ("@rg_alloc" in body) == allocates
    assert bits(native(compiled(program), (16,))) == bits(reference(program, (16,)))
