"""What dead-code elimination drops, and what it must keep."""

from __future__ import annotations

from retrograd.ir.terms import For, If, While
from retrograd.transforms.cleanup import DEAD_CODE
from tests.transforms.support import after, ops, outcome, program


def test_unused_statements_go_and_effects_stay() -> None:
    source = program(
        "(x: f64[1], n: i64) -> (f64)",
        """
a: f64 = exp(1.0)
b: f64 = exp(a)
c: i64 = iadd(n, 1; span=none)
d: f64 = index(x, n; checked=false, span=none)
e: f64 = index(x, n; checked=true, span=none)
return 0.0""",
    )
    assert ops(after(source, DEAD_CODE)) == ["iadd", "index"]


def test_carried_values_that_only_feed_themselves_go() -> None:
    source = program(
        "(n: i64, z: f64) -> (f64)",
        """
a: f64, b: f64, c: f64, s: f64, t: f64 = for i < n with (p: f64 = z, q: f64 = z, r: f64 = z) sums=2:
    p2: f64 = add(p, r)
    q2: f64 = mul(q, q)
    yield p2, q2, r, q, p
u: f64 = add(a, t)
return u""",
    )
    done = after(source, DEAD_CODE)
    loop = done.main.body.stms[0]
    assert isinstance(loop.expr, For)
    assert [v.name for v in loop.expr.carried] == ["p", "r"]
    assert [v.name for v in loop.outs] == ["a", "c", "t"]
    assert loop.expr.sums == 1
    assert outcome(done, (3, 2.0)) == outcome(source, (3, 2.0))


def test_a_result_needs_its_initial_value_and_the_trip_count() -> None:
    source = program(
        "(x: f64, n: i64) -> (f64)",
        """
a: f64 = exp(x)
m: i64 = add(n, 1)
b: f64 = for i < m with (p: f64 = a):
    yield 1.0
return b""",
    )
    assert ops(after(source, DEAD_CODE)) == ["exp", "add", "for"]


def test_loops_and_branches_without_use_go() -> None:
    source = program(
        "(c: bool, n: i64) -> (i64)",
        """
a: i64 = for i < n with (p: i64 = 0):
    yield i
b: i64 = while (k: i64 = 0):
    go: bool = lt(k, a)
    yield go
  do:
    k2: i64 = add(k, 1)
    yield k2
d: i64 = if c:
    yield b
  else:
    yield a
return n""",
    )
    assert ops(after(source, DEAD_CODE)) == []


def test_an_effect_keeps_what_surrounds_it() -> None:
    source = program(
        "(c: bool, n: i64) -> (i64)",
        """
a: i64, b: i64 = for i < n with (p: i64 = 0, q: i64 = 0):
    d: i64 = if c:
        check_index(p, n; span=none)
        yield p
      else:
        yield q
    p2: i64 = add(p, 1)
    yield p2, d
return n""",
    )
    done = after(source, DEAD_CODE)
    loop = done.main.body.stms[0]
    assert isinstance(loop.expr, For)
    assert [v.name for v in loop.outs] == ["a"]
    branch = loop.expr.body.stms[0]
    assert isinstance(branch.expr, If)
    assert branch.outs == ()
    assert outcome(done, (True, 3)) == outcome(source, (True, 3))


def test_the_condition_of_a_while_is_needed() -> None:
    source = program(
        "(n: i64) -> (f64)",
        """
k: i64, x: f64, y: f64 = while (a: i64 = 0, p: f64 = 1.0, q: f64 = 1.0):
    go: bool = lt(a, n)
    yield go
  do:
    a2: i64 = add(a, 1)
    p2: f64 = mul(p, 2.0)
    q2: f64 = mul(q, 3.0)
    yield a2, p2, q2
return x""",
    )
    done = after(source, DEAD_CODE)
    loop = done.main.body.stms[0]
    assert isinstance(loop.expr, While)
    assert [v.name for v in loop.expr.carried] == ["a", "p"]
    assert outcome(done, (5,)) == outcome(source, (5,))


FUNCTIONS = """
function pure(x: f64) -> (f64):
  y: f64 = exp(x)
  return y

function through(n: i64) -> (i64):
  m: i64 = call raising(n)
  return m

function raising(n: i64) -> (i64):
  m: i64 = iadd(n, 1; span=none)
  return m

function alone(n: i64) -> (i64):
  return n
"""


def test_calls_go_by_the_effects_of_what_they_call() -> None:
    source = program(
        "(x: f64, n: i64) -> (f64)",
        "y: f64 = call pure(x)\nm: i64 = call through(n)\nreturn x",
        FUNCTIONS,
    )
    done = after(source, DEAD_CODE)
    assert ops(done) == ["call"]
    assert [f.name for f in done.functions] == ["main", "through", "raising"]
