"""Functions of many results and arguments: both are in memory, and the bits are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.backends.llvm.module import module_text
from retrograd.prims import DEFAULT
from tests.backends.llvm.native import agree
from tests.transforms.support import program, renamed

pytestmark = pytest.mark.thinned(2)

INNER = """
function inner(x: f64[1], n: i64) -> ({types}):
{lines}
  return {names}
"""


def many(results: int) -> Any:
    """A function of so many arrays and as many truths, called by another that adds them up."""
    lines = [f"  y_{k}: f64[1] = mul(x, {k}.5)\n  c_{k}: bool = lt(n, {k})" for k in range(results)]
    outs = [f"y_{k}: f64[1], c_{k}: bool" for k in range(results)]
    more = INNER.format(
        types=", ".join(["f64[1], bool"] * results), lines="\n".join(lines),
        names=", ".join(f"y_{k}, c_{k}" for k in range(results)),
    )  # fmt: skip
    body = f"""
{", ".join(outs)} = call inner(x, n)
s: f64[1] = select(c_0, y_0, y_{results - 1})
t: f64[1] = select(c_{results - 1}, s, y_1)
return t, y_0"""
    return renamed(program("(x: f64[1], n: i64) -> (f64[1], f64[1])", body, more))


@pytest.mark.parametrize("results", [2, 8, 9, 40])
def test_many_results_are_those_of_few(results: int) -> None:
    source = many(results)
    for n in (-1, 0, results - 1, results):
        agree(source, (np.linspace(0.0, 1.0, 5), n))
    text = module_text(source, DEFAULT).text
    assert ("writeonly %out" in text) is (3 * results > 24)


def summed(arrays, x):
    """One step for each array, which is written out; the run can stop between parts of that."""
    for a in arrays:
        x = np.cos(x) * a + x
    return np.sum(x)


@pytest.mark.parametrize("count", [20, pytest.param(70, marks=pytest.mark.slow)])
def test_runs_with_many_arguments_stop_and_go_on(count: int) -> None:
    arrays = tuple(np.full(4, 0.1 * k) for k in range(count))
    x = np.linspace(0.0, 1.0, 4)
    want = rg.jit(summed)(arrays, x)
    capsule = rg.interrupt(summed, arrays, x, steps=1)
    legs = 0
    while isinstance(capsule, rg.Capsule):
        legs += 1
        capsule = rg.resume(capsule, steps=1)
    assert legs == rg.primops(summed, arrays, x) - 1 >= count // 10
    assert capsule == want
    slopes = rg.grad(summed)(arrays, x)
    in_little = rg.grad(summed, memory="8kB")(arrays, x)
    assert all(map(np.array_equal, slopes, in_little))
