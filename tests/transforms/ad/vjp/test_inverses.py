"""Functions with inverses under reverse mode: their adjoints are called, and record nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from retrograd.api.compile.known import known
from retrograd.ir.terms import Block, Function, Jvp, Program, Stm
from retrograd.ir.traverse import supply_for
from retrograd.transforms.driver import BY_SCHEDULE, INTERRUPTIBLE, LOWEST, PLAIN, Pipeline
from tests.backends.llvm.native import agree, parsed
from tests.transforms.ad.inverses import LEAPFROG, plain, random_step
from tests.transforms.ad.vjp.support import (
    check_gradient,
    evaluate,
    lowered,
    pushed_words,
    with_vjp,
)

pytestmark = pytest.mark.thinned(3)

RNG = np.random.default_rng(5)
X, V = RNG.uniform(0.5, 1.0, 4), RNG.uniform(0.5, 1.0, 4)
P, Q = RNG.uniform(-0.02, 0.02, 4), 0.01
FEW = (PLAIN, INTERRUPTIBLE)
PIPELINES = (*FEW, LOWEST, BY_SCHEDULE)
SEEDS = (0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 9)))

HEAD = """program f

function f(x: f64[1], v: f64[1], p: f64[1], q: f64, n: i64) -> (f64):
  x0: f64[1] = copy(x)
  v0: f64[1] = copy(v)
"""

LOOP = (
    HEAD
    + """
  xn: f64[1], vn: f64[1], s: f64 = for k < n with (a: f64[1] = x0, b: f64[1] = v0, c: f64 = 0.0):
      e: f64 = index(a, 1; checked=true, span=none)
      f: f64 = mul(e, e)
      a2: f64[1], b2: f64[1] = call step(a, b, p, q)
      d: f64 = index(a2, 2; checked=true, span=none)
      g: f64 = mul(d, d)
      h: f64 = fma(f, 0.1, c)
      i: f64 = add(h, g)
      yield a2, b2, i
  r: f64 = reduce_sum(vn; axes=(0,), keepdims=false)
  z: f64 = mul(r, s)
  return z
"""
)

# One element before a call meets one after it: the first is recorded, and nothing else.
BOTH = (
    HEAD
    + """
  xn: f64[1], vn: f64[1], s: f64 = for k < n with (a: f64[1] = x0, b: f64[1] = v0, c: f64 = 0.0):
      e: f64 = index(a, 1; checked=true, span=none)
      a2: f64[1], b2: f64[1] = call step(a, b, p, q)
      d: f64 = index(a2, 2; checked=true, span=none)
      g: f64 = mul(e, d)
      h: f64 = add(c, g)
      yield a2, b2, h
  return s
"""
)

TWO_CALLS = (
    HEAD
    + """
  a: f64[1], b: f64[1] = call step(x0, v0, p, q)
  t: f64 = index(a, 0; checked=true, span=none)
  a2: f64[1], b2: f64[1] = call step(b, a, p, t)
  s: f64[1] = mul(a2, b2)
  r: f64 = reduce_sum(s; axes=(0,), keepdims=false)
  return r
"""
)

NESTED = (
    HEAD
    + """
  xn: f64[1], vn: f64[1], s: f64 = for k < n with (a: f64[1] = x0, b: f64[1] = v0, c: f64 = 0.0):
      odd: bool = gt(k, 1)
      a2: f64[1], b2: f64[1] = if odd:
          a3: f64[1], b3: f64[1] = for l < k with (a4: f64[1] = a, b4: f64[1] = b):
              a5: f64[1], b5: f64[1] = call step(a4, b4, p, q)
              yield a5, b5
          yield a3, b3
        else:
          yield a, b
      a6: f64[1], b6: f64[1] = call step(a2, b2, p, q)
      t: f64[1] = mul(a6, b6)
      g: f64 = reduce_sum(t; axes=(0,), keepdims=false)
      h: f64 = add(c, g)
      yield a6, b6, h
  return s
"""
)

CONDITION = (
    HEAD
    + """
  xn: f64[1], vn: f64[1], m: i64 = while (a: f64[1] = x0, b: f64[1] = v0, k: i64 = 0):
      go: bool = lt(k, n)
      yield go
    do:
      a2: f64[1], b2: f64[1] = call step(a, b, p, q)
      k2: i64 = iadd(k, 1; span=none)
      yield a2, b2, k2
  s: f64[1] = mul(xn, vn)
  r: f64 = reduce_sum(s; axes=(0,), keepdims=false)
  return r
"""
)

# An element is written between the calls: it alone is logged.
WRITTEN = (
    HEAD
    + """
  xn: f64[1], vn: f64[1], s: f64 = for k < n with (a: f64[1] = x0, b: f64[1] = v0, c: f64 = 0.0):
      a2: f64[1], b2: f64[1] = call step(a, b, p, q)
      d: f64 = index(a2, 2; checked=true, span=none)
      g: f64 = mul(d, d)
      a3: f64[1] = update(a2, g, 1; checked=true, span=none)
      h: f64 = add(c, g)
      yield a3, b2, h
  t: f64[1] = mul(xn, vn)
  r: f64 = reduce_sum(t; axes=(0,), keepdims=false)
  z: f64 = mul(r, s)
  return z
"""
)

# The array that the calls begin with is another one each time: its versions are no chain.
SWAPPED = (
    HEAD
    + """
  xn: f64[1], vn: f64[1], s: f64 = for k < n with (a: f64[1] = x0, b: f64[1] = v0, c: f64 = 0.0):
      a2: f64[1], b2: f64[1] = call step(a, b, p, q)
      d: f64 = index(a2, 2; checked=true, span=none)
      h: f64 = fma(d, d, c)
      yield b2, a2, h
  return s
"""
)

# What is read of a table belongs to a place that a position decides.
PLACES = (
    HEAD
    + """
  xn: f64[1], vn: f64[1], s: f64 = for k < n with (a: f64[1] = x0, b: f64[1] = v0, c: f64 = 0.0):
      a2: f64[1], b2: f64[1] = call step(a, b, p, q)
      d: f64 = index(a2, 2; checked=true, span=none)
      far: bool = gt(d, 0.7)
      t: f64 = if far:
          u: f64 = mul(d, d)
          w: f64 = mul(u, u)
          yield w
        else:
          yield d
      e: f64 = mul(d, 2.0)
      i: i64 = convert(e; dtype="i64")
      o: f64 = index(p, i; checked=true, span=none)
      h: f64 = fma(o, t, c)
      yield a2, b2, h
  return s
"""
)

HELPER = (
    HEAD
    + """
  a: f64[1], b: f64[1], s: f64 = call some(x0, v0, p, q, n)
  a2: f64[1], b2: f64[1], t: f64 = call some(b, a, p, q, 2)
  z: f64 = mul(s, t)
  return z

function some(x: f64[1], v: f64[1], p: f64[1], q: f64, n: i64) -> (f64[1], f64[1], f64):
  xn: f64[1], vn: f64[1], s: f64 = for k < n with (a: f64[1] = x, b: f64[1] = v, c: f64 = 0.0):
      a2: f64[1], b2: f64[1] = call step(a, b, p, q)
      d: f64 = index(a2, 2; checked=true, span=none)
      far: bool = gt(d, 0.7)
      t: f64 = if far:
          u: f64 = mul(d, d)
          yield u
        else:
          yield d
      h: f64 = add(t, c)
      yield a2, b2, h
  return xn, vn, s
"""
)

CONSTANT = {"loop": LOOP, "nested": NESTED, "condition": CONDITION}
OTHERS = {"both": BOTH, "two calls": TWO_CALLS, "written": WRITTEN, "swapped": SWAPPED,
          "places": PLACES, "helper": HELPER}  # fmt: skip
ALL = {**CONSTANT, **OTHERS}


def check_with_plain(
    program: Program, args: Sequence[Any], pipelines: Sequence[Pipeline] = FEW, rtol: float = 1e-12
) -> None:
    """The gradient is that of the functions as they are written, natively to the bit."""
    back = with_vjp(program)
    found = evaluate(lowered(back), args)
    wanted = evaluate(lowered(with_vjp(plain(program))), args)
    for mine, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=rtol)
    for pipeline in pipelines:
        code = pipeline.run(back, known(), check=True)
        for mine, theirs in zip(agree(code, args), wanted, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("text", ALL.values(), ids=ALL)
def test_the_adjoint_is_called(text: str) -> None:
    check_with_plain(parsed(text + LEAPFROG.text("step")), [X, V, P, Q, 5, 1.0])


@pytest.mark.slow
@pytest.mark.parametrize("text", ALL.values(), ids=ALL)
def test_the_adjoint_is_called_in_all_products(text: str) -> None:
    check_with_plain(parsed(text + LEAPFROG.text("step")), [X, V, P, Q, 5, 1.0], PIPELINES)


@pytest.mark.parametrize("text", CONSTANT.values(), ids=CONSTANT)
def test_loops_of_calls_record_nothing(text: str) -> None:
    program = parsed(text + LEAPFROG.text("step"))
    back = lowered(with_vjp(program))
    words = [pushed_words(back, [X, V, P, Q, n, 1.0]) for n in (3, 40)]
    assert words[0] == words[1] <= 20
    for pipeline in FEW:
        code = pipeline.run(with_vjp(program), known())
        words = [pushed_words(code, [X, V, P, Q, n, 1.0]) for n in (3, 40)]
        assert words[0] == words[1]


@pytest.mark.parametrize(("text", "most"), [(BOTH, 1), (WRITTEN, 2), (PLACES, 3)])
def test_what_an_iteration_records_besides(text: str, most: int) -> None:
    back = lowered(with_vjp(parsed(text + LEAPFROG.text("step"))))
    three, forty = (pushed_words(back, [X, V, P, Q, n, 1.0]) for n in (3, 40))
    assert three < forty <= three + 37 * most


@pytest.mark.parametrize("kind", ["f64", "f64[1]"])
@pytest.mark.parametrize("seed", SEEDS)
def test_random_steps(seed: int, kind: str) -> None:
    step = random_step(seed, kind)
    program, rng = parsed(step.caller("step")), np.random.default_rng(seed)
    size = (3,) if kind == "f64[1]" else ()
    args = [rng.uniform(-0.5, 0.5, size if t == kind else ())[()] for t in step.kinds.values()]
    args = [a * 0.1 if name in "pq" else a for a, name in zip(args, step.kinds, strict=True)]
    check_with_plain(program, [*args, 4, 0.7])
    back = lowered(with_vjp(program))
    words = [pushed_words(back, [*args, n, 0.7]) for n in (2, 30)]
    assert words[0] == words[1]


def with_jvp(program: Program) -> Program:
    """`entry(*args, *tangents) -> (*results, *tangents)`, of all float arguments but the last."""
    main, names = program.main, supply_for(program)
    params = tuple(names.var("a", p.type) for p in main.params)
    dots = tuple(names.var("a_dot", p.type) if p.type.is_float else None for p in params)
    dots = (*dots[:-1], None)
    types = (*main.result_types, *(t for t in main.result_types if t.is_float))
    outs = tuple(names.var("r", t) for t in types)
    body = Block((Stm(outs, Jvp(program.entry, params, dots)),), outs)
    given = (*params, *(dot for dot in dots if dot is not None))
    entry = Function(names.name("along"), given, body)
    return Program((*program.functions, entry), entry.name)


@pytest.mark.parametrize("text", ALL.values(), ids=ALL)
def test_tangents_have_inverses(text: str) -> None:
    program, rng = parsed(text + LEAPFROG.text("step")), np.random.default_rng(3)
    args = [X, V, P, Q, 5]
    check_gradient(program, args, rng)
    check_gradient(program, args, rng, (1,))
    check_gradient(with_vjp(program, (0, 3)), [*args, 0.3], rng)
    dots = [rng.uniform(-1, 1, np.shape(a))[()] for a in (X, V, P, Q)]
    along = [lowered(with_jvp(with_vjp(p))) for p in (program, plain(program))]
    found, wanted = (evaluate(p, [*args, 1.0, *dots]) for p in along)
    for mine, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("text", CONSTANT.values(), ids=CONSTANT)
def test_second_derivatives_record_nothing(text: str) -> None:
    program, rng = parsed(text + LEAPFROG.text("step")), np.random.default_rng(3)
    dots = [rng.uniform(-1, 1, np.shape(a))[()] for a in (X, V, P, Q)]
    along = lowered(with_jvp(with_vjp(program)))
    words = [pushed_words(along, [X, V, P, Q, n, 1.0, *dots]) for n in (3, 40)]
    assert words[0] == words[1]
    twice = lowered(with_vjp(with_vjp(program)))
    bars = [1.0, 1.0, *dots]
    words = [pushed_words(twice, [X, V, P, Q, n, *bars]) for n in (3, 40)]
    assert words[0] == words[1]
