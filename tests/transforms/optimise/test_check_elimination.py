"""Checks that range analysis proves, and checks that must stay."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.ir.print import print_program
from retrograd.ir.terms import Program
from retrograd.transforms.analysis.bounds import I64_MAX, I64_MIN, Facts, constant
from retrograd.transforms.analysis.shapes import Axis
from retrograd.transforms.cleanup import DEAD_CODE, HOIST, RANGES, SIMPLIFY
from tests.transforms.support import after, outcome, program

HEAD = "(x: f64[1], y: f64[1], n: i64) -> "


def settled(source: Program) -> str:
    done = after(source, SIMPLIFY, HOIST, RANGES, SIMPLIFY, DEAD_CODE)
    for n in (0, 1, 2, 3, 7):
        for k in (-9, -1, 0, 2, 9):
            args = (np.arange(float(n)), np.ones(n), np.int64(k))
            assert outcome(done, args) == outcome(source, args)
    again = after(done, RANGES, SIMPLIFY, DEAD_CODE)
    assert print_program(again).count("checked=true") <= print_program(done).count("checked=true")
    return print_program(done)


PROVED = {
    "range(len(x))": """
d: i64 = dim(x; axis=0)
s: f64 = for i < d with (acc: f64 = 0.0):
    w: i64 = wrap(i, d)
    v: f64 = index(x, w; checked=true, span=none)
    t: f64 = add(acc, v)
    yield t
return s""",
    "range(1, len(x) - 1) with both neighbours": """
d: i64 = dim(x; axis=0)
e: i64 = isub(d, 1; span=none)
m: i64 = isub(e, 1; span=none)
s: f64 = for i < m with (acc: f64 = 0.0):
    j: i64 = iadd(i, 1; span=none)
    k: i64 = iadd(j, 1; span=none)
    l: i64 = isub(j, 1; span=none)
    a: f64 = index(x, k; checked=true, span=none)
    b: f64 = index(x, l; checked=true, span=none)
    c: f64 = add(a, b)
    t: f64 = add(acc, c)
    yield t
return s""",
    "range(len(x) - 1, -1, -1)": """
d: i64 = dim(x; axis=0)
e: i64 = isub(d, 1; span=none)
s: f64 = for i < d with (acc: f64 = 0.0):
    j: i64 = isub(e, i; span=none)
    v: f64 = index(x, j; checked=true, span=none)
    t: f64 = add(acc, v)
    yield t
return s""",
    "range(0, len(x), 3)": """
d: i64 = dim(x; axis=0)
e: i64 = iadd(d, 2; span=none)
m: i64 = floordiv(e, 3)
s: f64 = for i < m with (acc: f64 = 0.0):
    j: i64 = imul(i, 3; span=none)
    v: f64 = index(x, j; checked=true, span=none)
    t: f64 = add(acc, v)
    yield t
return s""",
    "min(len(x), n)": """
d: i64 = dim(x; axis=0)
m: i64 = imin(d, n)
s: f64 = for i < m with (acc: f64 = 0.0):
    v: f64 = index(x, i; checked=true, span=none)
    t: f64 = add(acc, v)
    yield t
return s""",
    "a counter of a while": """
d: i64 = dim(x; axis=0)
k: i64, s: f64 = while (i: i64 = 0, acc: f64 = 0.0):
    go: bool = lt(i, d)
    yield go
  do:
    v: f64 = index(x, i; checked=true, span=none)
    t: f64 = add(acc, v)
    i2: i64 = iadd(i, 1; span=none)
    yield i2, t
return s""",
    "a carried index": """
d: i64 = dim(x; axis=0)
k: i64, s: f64 = for i < d with (j: i64 = 0, acc: f64 = 0.0):
    v: f64 = index(x, j; checked=true, span=none)
    t: f64 = add(acc, v)
    j2: i64 = iadd(j, 1; span=none)
    yield j2, t
return s""",
    "an index that moves on a condition": """
d: i64 = dim(x; axis=0)
k: i64, s: f64 = for i < d with (j: i64 = 0, acc: f64 = 0.0):
    v: f64 = index(x, j; checked=true, span=none)
    c: bool = lt(v, 1.0)
    j2: i64 = if c:
        j3: i64 = iadd(j, 1; span=none)
        yield j3
      else:
        yield j
    t: f64 = add(acc, v)
    yield j2, t
return s""",
    "a remainder": """
d: i64 = dim(x; axis=0)
s: f64 = for i < d with (acc: f64 = 0.0):
    j: i64 = mod(n, d)
    w: i64 = wrap(j, d)
    v: f64 = index(x, w; checked=true, span=none)
    t: f64 = add(acc, v)
    yield t
return s""",
    "inside a test": """
d: i64 = dim(x; axis=0)
a: bool = le(0, n)
b: bool = lt(n, d)
c: bool = and_(a, b)
s: f64 = if c:
    v: f64 = index(x, n; checked=true, span=none)
    yield v
  else:
    yield 0.0
return s""",
    "a negative literal after a test of the length": """
d: i64 = dim(x; axis=0)
c: bool = ge(d, 2)
s: f64 = if c:
    w: i64 = wrap(-2, d)
    v: f64 = index(x, w; checked=true, span=none)
    yield v
  else:
    yield 0.0
return s""",
    "an array that the loop carries": """
d: i64 = dim(x; axis=0)
z: f64[1] = zeros(d; dtype="f64")
r: f64[1] = for i < d with (p: f64[1] = z):
    e: i64 = dim(p; axis=0)
    w: i64 = wrap(i, e)
    v: f64 = index(p, w; checked=true, span=none)
    q: f64[1] = update(p, v, i; checked=true, span=none)
    yield q
s: f64 = reduce_sum(r; axes=(0,), keepdims=false)
return s""",
    "after a check that moves out of the loop": """
d: i64 = dim(x; axis=0)
c: bool = ne(d, 0)
s: f64 = for i < n with (acc: f64 = 0.0):
    check(c; kind="ZeroDivisionError", message="integer modulo by zero", span=none)
    k: i64 = mod(i, d)
    v: f64 = index(x, k; checked=true, span=none)
    t: f64 = add(acc, v)
    yield t
return s""",
    "the side of a disjunction that is left": """
d: i64 = dim(x; axis=0)
a: bool = le(n, 3)
b: bool = gt(d, 3)
c: bool = or_(a, b)
check(c; kind="ValueError", message="too short", span=none)
e: bool = gt(n, 4)
s: f64 = if e:
    v: f64 = index(x, 3; checked=true, span=none)
    yield v
  else:
    yield 0.0
return s""",
}


@pytest.mark.parametrize("name", PROVED)
def test_proved(name: str) -> None:
    text = settled(program(HEAD + "(f64)", PROVED[name]))
    for left in ("checked=true", "iadd", "isub", "imul", "wrap", "check_index"):
        assert left not in text


KEPT = {
    "the caller's index": ("v: f64 = index(x, n; checked=true, span=none)\nreturn v", 1),
    "one past the end": (
        """
d: i64 = dim(x; axis=0)
s: f64 = for i < d with (acc: f64 = 0.0):
    j: i64 = iadd(i, 1; span=none)
    v: f64 = index(x, j; checked=true, span=none)
    yield v
return s""", 1),
    "another array": (
        """
d: i64 = dim(x; axis=0)
s: f64 = for i < d with (acc: f64 = 0.0):
    v: f64 = index(y, i; checked=true, span=none)
    yield v
return s""", 1),
    "the same check again": (
        """
a: f64 = index(x, n; checked=true, span=none)
m: i64 = add(n, 0)
u: f64[1] = mul(x, 2.0)
b: f64 = index(u, m; checked=true, span=none)
c: f64 = add(a, b)
return c""", 1),
    "a counter that the loop moves too far": (
        """
d: i64 = dim(x; axis=0)
k: i64, s: f64 = for i < d with (j: i64 = 0, acc: f64 = 0.0):
    j2: i64 = iadd(j, 1; span=none)
    v: f64 = index(x, j2; checked=true, span=none)
    yield j2, v
return s""", 1),
    "a test on the other side": (
        """
d: i64 = dim(x; axis=0)
c: bool = lt(n, d)
s: f64 = if c:
    yield 0.0
  else:
    v: f64 = index(x, n; checked=true, span=none)
    yield v
return s""", 1),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_kept(name: str) -> None:
    text, checks = KEPT[name]
    assert settled(program(HEAD + "(f64)", text)).count("checked=true") == checks


TORUS = """
d: i64 = dim(x; axis=0)
s: f64 = for i < {trips} with (acc: f64 = 0.0):
    j: i64 = {neighbour}
    k: i64 = mod(j, d)
    v: f64 = index(x, k; checked=true, span=none)
    w: f64 = convert(i; dtype="f64")
    p: f64 = mul(v, w)
    t: f64 = add(acc, p)
    yield t
return s"""


@pytest.mark.parametrize(
    ("neighbour", "trips", "left"),
    [
        ("isub(i, 1; span=none)", "d", "wrap"),
        ("iadd(i, 1; span=none)", "d", "wrap"),
        ("neg(i)", "d", "wrap"),
        ("add(i, d)", "d", "sub("),
        ("add(i, 0)", "d", "index(x, i;"),
        ("isub(i, 1; span=none)", "n", "mod"),
        ("mul(i, 2)", "d", "wrap"),
        ("mul(i, 3)", "d", "mod"),
        ("add(i, n)", "d", "mod"),
    ],
)
def test_a_remainder_of_a_neighbour_takes_no_division(
    neighbour: str, trips: str, left: str
) -> None:
    text = settled(program(HEAD + "(f64)", TORUS.format(neighbour=neighbour, trips=trips)))
    assert left in text
    assert ("mod(" in text) == (left == "mod")


def test_a_counter_without_bound_stays_checked() -> None:
    source = program(
        "(x: f64[1], y: f64[1], n: i64) -> (i64)",
        """
k: i64 = while (i: i64 = n):
    go: bool = lt(i, 12)
    yield go
  do:
    i2: i64 = iadd(i, 1; span=none)
    yield i2
m: i64 = iadd(k, n; span=none)
return m""",
    )
    assert settled(source).count("iadd") == 1


def test_a_wrapping_counter_is_not_taken_to_grow() -> None:
    source = program(
        "(x: f64[1], y: f64[1], n: i64) -> (i64)",
        """
k: i64, r: i64 = while (i: i64 = 9223372036854775800, c: i64 = 0):
    go: bool = lt(c, 9)
    yield go
  do:
    i2: i64 = add(i, 1)
    c2: i64 = add(c, 1)
    yield i2, c2
low: bool = lt(k, 0)
s: i64 = convert(low; dtype="i64")
return s""",
    )
    text = settled(source)
    assert "lt(k, 0)" in text


# The prover by itself.


def test_facts_are_chained_and_forgotten() -> None:
    facts = Facts()
    n, i, j = (facts.unknown(name) for name in ("n", "i", "j"))
    mark = facts.mark()
    facts.assume(i)
    facts.assume(n.plus(i, -1).shift(-1))  # i < n
    facts.assume(i.plus(j, -1))  # j <= i
    assert facts.holds(n.plus(j, -1).shift(-1))
    assert not facts.holds(j)
    facts.release(mark)
    assert not facts.holds(n.plus(j, -1).shift(-1))


def test_scaled_facts_apply_to_multiples() -> None:
    facts = Facts()
    n, q = facts.unknown("n"), facts.unknown("q")
    facts.assume(n.plus(q, -3))  # 3 q <= n
    assert facts.holds(n.times(2).plus(q, -6))
    assert not facts.holds(n.plus(q, -4))


def test_a_multiple_bounds_smaller_multiples() -> None:
    facts = Facts()
    n = facts.unknown("n")
    facts.assume(n.times(-4).shift(I64_MAX))  # 4 n fits
    assert facts.holds(n.times(-3).shift(I64_MAX))
    assert facts.greatest(n) == I64_MAX // 4
    facts.assume(n.times(3).shift(-7))  # n is at least 7/3
    assert facts.least(n) == 3


def test_a_product_that_has_not_raised_covers_the_smaller_ones() -> None:
    source = program(
        HEAD + "(f64, i64)",
        """
d: i64 = dim(x; axis=0)
e: i64 = imul(4, d; span=none)
s: f64 = for i < d with (acc: f64 = 0.0):
    a: i64 = imul(3, d; span=none)
    k: i64 = iadd(a, i; span=none)
    v: f64 = convert(k; dtype="f64")
    t: f64 = add(acc, v)
    yield t
return s, e""",
    )
    text = settled(source)
    assert "iadd" not in text
    assert text.count("imul") == 1


def test_types_bound_what_nothing_else_does() -> None:
    facts = Facts()
    k, extent = facts.unknown("k"), facts.unknown(Axis("x", 0))
    assert facts.least(k) == I64_MIN
    assert facts.greatest(k) == I64_MAX
    assert facts.holds(extent)
    assert facts.holds(extent.times(-1).shift(I64_MAX))
    assert facts.holds(constant(0))
    assert not facts.holds(constant(-1))


def test_the_prover_gives_up_on_many_ways_to_fail() -> None:
    facts = Facts()
    previous = facts.unknown("v0")
    for k in range(1, 40):
        following = facts.unknown(f"v{k}")
        for _ in range(4):
            facts.assume(following.plus(previous, -1).shift(-1))
        previous = following
    assert not facts.holds(previous)


def test_an_index_is_wrapped_once_for_arrays_of_one_length() -> None:
    text = settled(
        program(
            HEAD + "(f64)",
            """
d: i64 = dim(x; axis=0)
e: i64 = dim(y; axis=0)
check_extents(d, e; how="same", message="no")
w: i64 = wrap(n, d)
u: f64 = index(x, w; checked=true, span=none)
o: i64 = wrap(n, 3)
q: i64 = add(o, 1)
z: i64 = wrap(n, e)
v: f64 = index(y, z; checked=true, span=none)
t: f64 = add(u, v)
return t""",
        )
    )
    assert text.count("wrap(") == 1
    assert text.count("checked=true") == 1
