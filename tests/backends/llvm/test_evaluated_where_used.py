"""What several statements use, of which one evaluates the others, is evaluated in its loop."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.compile.known import known
from retrograd.backends.llvm.plan import Planner, consumed_params
from tests.backends.llvm.native import agree, parsed

N = 320
X = np.random.default_rng(2).normal(size=N)


def masked(x: np.ndarray) -> np.ndarray:
    y = x * 1.5
    z = np.where(y < 0.0, y * 0.1, y)
    return z * z * z


def powers(x: np.ndarray) -> np.ndarray:
    y = x + 1.0
    z = y * y + y
    w = z * z - y
    return w * (w + z)


def doubled(x: np.ndarray) -> float:
    """Each step reads the one before twice: 2**40 evaluations, if every read were one."""
    for _ in range(40):
        x = 0.5 * x + 0.5 * x * x * 0.001
    return np.sum(x)


@pytest.mark.parametrize("each", [masked, powers])
def test_one_loop_needs_no_array(each: Callable[[np.ndarray], np.ndarray]) -> None:
    def f(x: np.ndarray) -> float:
        return np.sum(each(x))

    value, gradient = rg.jit(f), rg.value_and_grad(f)
    np.testing.assert_allclose(value(X), f(X), rtol=1e-12)
    assert value.stats().peak_bytes == 0
    found, slopes = gradient(X)
    assert found == value(X)
    assert gradient.stats().peak_bytes == 8 * N  # the result alone
    expected = (each(X + 1e-6) - each(X - 1e-6)) / 2e-6
    np.testing.assert_allclose(slopes, expected, rtol=1e-6, atol=1e-8)


TEXT = """
program f

function f(x: f64[1], y: f64[1], m: f64[2]) -> (f64[1], f64, f64[2]):
  a: f64[1] = mul(x, 2.0)
  b: f64[1] = add(a, y)
  c: f64[1] = mul(a, b)
  d: f64[1] = sub(c, a)
  e: f64[1] = exp(x)
  g: f64[1] = mul(e, d)
  h: f64[1] = add(g, e)
  k: f64[1] = mul(x, y)
  s: f64 = reduce_sum(k; axes=(0,), keepdims=false)
  t: f64[1] = add(h, k)
  p: f64[2] = mul(m, x)
  q: f64[2] = mul(p, p)
  r: f64[2] = sub(q, p)
  return t, s, r
"""


def test_which_are_evaluated_where_they_are_used() -> None:
    program = parsed(TEXT)
    planner = Planner(known(), consumed_params(program, known()))
    lazy = {v.name for v in planner.plan(program.functions[0].body).lazy}
    # `e` takes long and is used twice, `k` is used in two loops
    assert lazy == {"a", "b", "c", "d", "g", "h", "p", "q"}
    x, y = X[:5], X[5:10]
    agree(program, [x, y, X[:15].reshape(3, 5)])
    agree(program, [x, y, X[:3].reshape(3, 1)])  # where rows are stretched
    agree(program, [x[:1], y, X[:15].reshape(3, 5)])


def test_loops_over_elements_are_not_of_any_length() -> None:
    lines = ["  v0: f64[1] = mul(x, 0.5)"]
    for k in range(1, 200):
        lines += [f"  u{k}: f64[1] = add(v{k - 1}, x)", f"  v{k}: f64[1] = mul(u{k}, v{k - 1})"]
    body = "\n".join(lines)
    text = f"program f\n\nfunction f(x: f64[1]) -> (f64[1]):\n{body}\n  return v199\n"
    program = parsed(text)
    planner = Planner(known(), consumed_params(program, known()))
    made = len(program.functions[0].body.stms) - len(planner.plan(program.functions[0].body).lazy)
    assert 5 <= made <= 10
    agree(program, [X[:7] * 0.1])


def test_what_is_read_twice_is_evaluated_once() -> None:
    np.testing.assert_allclose(rg.jit(doubled)(X), doubled(X), rtol=1e-12)
    ours = rg.jit(doubled)
    assert ours(X) == rg.value_and_grad(doubled)(X)[0]
