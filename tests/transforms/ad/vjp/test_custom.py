"""Custom rules under reverse mode: the sweep uses the rule, not the body."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.ir.terms import Program
from tests.backends.llvm.native import compiled, native, parsed
from tests.transforms.ad.vjp.support import check_gradient, evaluate, lowered, with_vjp

X = np.array([0.7, -0.3, 1.1])

# The rule says 3 where the body says 2, so that the two can be told apart.
BY_JVP = """
function twice(x: f64, n: i64) -> (f64) custom jvp(twice_rule):
  y: f64 = mul(x, 2.0)
  return y

function twice_rule(x: f64, n: i64, t: f64) -> (f64, f64):
  y: f64 = call twice(x, n)
  z: f64 = mul(t, 3.0)
  return y, z
"""

BY_VJP = """
function twice(x: f64, n: i64) -> (f64) custom vjp(twice_ahead, twice_back):
  y: f64 = mul(x, 2.0)
  return y

function twice_ahead(x: f64, n: i64) -> (f64, f64):
  y: f64 = mul(x, 2.0)
  return y, x

function twice_back(kept: f64, bar: f64) -> (f64):
  a: f64 = mul(bar, kept)
  b: f64 = mul(a, 3.0)
  return b
"""

STRAIGHT = """
program f

function f(x: f64) -> (f64):
  s: f64 = sin(x)
  y: f64 = call twice(s, 1)
  z: f64 = mul(y, y)
  return z
"""

LOOP = """
program f

function f(x: f64) -> (f64):
  r: f64 = for k < 3 with (c: f64 = x):
      s: f64 = sin(c)
      y: f64 = call twice(s, k)
      yield y
  return r
"""

ARRAYS = """
program f

function f(x: f64[1], y: f64[1]) -> (f64[1], f64):
  a: f64[1] = sin(x)
  b: f64[1], s: f64 = call put(a, y)
  c: f64[1] = mul(b, x)
  return c, s

function put(p: f64[1], q: f64[1]) -> (f64[1], f64) custom vjp(ahead, back):
  v: f64 = matmul(p, q; span=none)
  r: f64[1] = update(p, v, 0; checked=false, span=none)
  return r, v

function ahead(p: f64[1], q: f64[1]) -> (f64[1], f64, f64[1], f64[1]):
  kept: f64[1] = copy(p)
  same: f64[1] = copy(q)
  v: f64 = matmul(p, q; span=none)
  r: f64[1] = update(p, v, 0; checked=false, span=none)
  return r, v, kept, same

function back(p: f64[1], q: f64[1], r_bar: f64[1], v_bar: f64) -> (f64[1], f64[1]):
  first: f64 = index(r_bar, 0; checked=false, span=none)
  both: f64 = add(first, v_bar)
  rest: f64[1] = update(r_bar, 0.0, 0; checked=false, span=none)
  p_part: f64[1] = mul(q, both)
  p_bar: f64[1] = add(p_part, rest)
  q_bar: f64[1] = mul(p, both)
  return p_bar, q_bar
"""


def slope(program: Program, x: float) -> float:
    """The derivative of a scalar function, the same interpreted and native."""
    back = lowered(with_vjp(program))
    _, gradient = evaluate(back, [x, 1.0])
    assert native(compiled(back), [x, 1.0])[1] == pytest.approx(gradient, rel=1e-13)
    return float(gradient)


def test_a_jvp_rule_is_transposed() -> None:
    found = slope(parsed(STRAIGHT + BY_JVP), 0.4)
    assert found == pytest.approx(2 * 2 * np.sin(0.4) * 3 * np.cos(0.4))


def test_a_vjp_rule_is_called() -> None:
    found = slope(parsed(STRAIGHT + BY_VJP), 0.4)
    s, y = np.sin(0.4), 2 * np.sin(0.4)
    assert found == pytest.approx(2 * y * s * 3 * np.cos(0.4))


@pytest.mark.parametrize("rule", [BY_JVP, BY_VJP], ids=["jvp", "vjp"])
def test_rules_in_a_loop(rule: str) -> None:
    x, expected = 0.4, 1.0
    for _ in range(3):
        s = np.sin(x)
        expected *= np.cos(x) * 3 * (1.0 if rule is BY_JVP else s)
        x = 2 * s
    assert slope(parsed(LOOP + rule), 0.4) == pytest.approx(expected)


def test_a_jvp_rule_satisfies_the_identities_twice() -> None:
    rng = np.random.default_rng(1)
    program = parsed(LOOP + BY_JVP)
    check_gradient(program, [0.4], rng)
    check_gradient(with_vjp(program), [0.4, 0.7], rng)


def test_a_rule_that_takes_over_arrays() -> None:
    program = parsed(ARRAYS)
    rng = np.random.default_rng(1)
    y, bars = rng.uniform(-1, 1, 3), [rng.uniform(-1, 1, 3), 0.3]
    back = lowered(with_vjp(program))
    found = evaluate(back, [X, y, *bars])

    def value(x: np.ndarray, y: np.ndarray) -> float:
        c, s = evaluate(program, [x, y])
        return float(np.sum(c * bars[0]) + s * bars[1])

    for e in np.eye(3) * 1e-6:
        step = float(e.max())
        slope_x = (value(X + e, y) - value(X - e, y)) / (2 * step)
        slope_y = (value(X, y + e) - value(X, y - e)) / (2 * step)
        assert float(found[2] @ e) / step == pytest.approx(slope_x, rel=1e-6, abs=1e-8)
        assert float(found[3] @ e) / step == pytest.approx(slope_y, rel=1e-6, abs=1e-8)
    for mine, theirs in zip(native(compiled(back), [X, y, *bars]), found, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-13)


@pytest.mark.parametrize("rule", [BY_JVP, BY_VJP], ids=["jvp", "vjp"])
def test_a_function_with_a_rule_as_the_whole_of_what_is_differentiated(rule: str) -> None:
    program = parsed(
        "program f\n\nfunction f(x: f64) -> (f64, f64):\n"
        + """
  y: f64, g: f64 = vjp twice(x, 1; cotangents=(1.0,), wrt=(0,))
  return y, g
"""
        + rule
    )
    y, gradient = evaluate(lowered(program), [0.4])
    assert y == pytest.approx(0.8)
    assert gradient == pytest.approx(3.0 if rule is BY_JVP else 1.2)


def test_a_reverse_rule_is_differentiated_as_it_is_written() -> None:
    program = parsed("program twice\n" + BY_VJP)
    back = lowered(with_vjp(with_vjp(program, (0,)), (0, 2)))
    # Of x -> (2 x, 3 x bar), with cotangents 0 and 1.
    results = evaluate(back, [0.4, 1, 0.5, 0.0, 1.0])
    assert results[-2:] == pytest.approx((3 * 0.5, 3 * 0.4))
    twice = evaluate(back, [0.4, 1, 0.5, 1.0, 0.0])
    assert twice[-2:] == pytest.approx((2.0, 0.0))
