"""Products of matrices and vectors: native bits are those of the documented order."""

from __future__ import annotations

import numpy as np
import pytest

from tests.backends.llvm.native import bits, compiled, native, parsed, reference

PROGRAM = """program f

function f(a: f64[{left}], b: f64[{right}]) -> (f64{out}):
  c: f64{out} = matmul(a, b; span=none)
  return c
"""


def filled(rng: np.random.Generator, *shape: int) -> np.ndarray:
    values = rng.normal(size=shape)
    values[rng.random(shape) < 0.1] = -0.0
    return values


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("left", "right"), [(1, 1), (2, 1), (1, 2), (2, 2)])
def test_every_remainder(left: int, right: int) -> None:
    rank = left + right - 2
    out = f"[{rank}]" if rank else ""
    program = parsed(PROGRAM.format(left=left, right=right, out=out))
    code = compiled(program, level=2)
    rng = np.random.default_rng(7)
    inners = (0, 1, 3, 4, 5, 31, 32, 33, 64, 71)
    for inner in inners:
        for rows in (0, 1, 3, 4, 5, 9) if left == 2 else (1,):
            for columns in (0, 1, 2, 3, 4, 9, 11) if right == 2 else (1,):
                a = filled(rng, rows, inner) if left == 2 else filled(rng, inner)
                b = filled(rng, inner, columns) if right == 2 else filled(rng, inner)
                got, want = native(code, (a, b)), reference(program, (a, b))
                assert bits(got) == bits(want), (rows, inner, columns)


def test_long_rows_are_added_up_in_blocks() -> None:
    program = parsed(PROGRAM.format(left=2, right=1, out="[1]"))
    rng = np.random.default_rng(8)
    a, b = rng.normal(size=(5, 2 * 8192 + 45)), rng.normal(size=2 * 8192 + 45)
    a[2, 9000] = np.inf
    a[3, 77] = np.nan
    code = compiled(program, level=2)
    assert bits(native(code, (a, b))) == bits(reference(program, (a, b)))
