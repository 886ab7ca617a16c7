"""Hoisting, inlining, copies that take over, and contraction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from retrograd.ir.print import print_program
from retrograd.ir.terms import CustomRule, Program, Prov
from retrograd.transforms.cleanup import COPIES, FMA, FMA_DERIVATIVES, HOIST, INLINE, SIMPLIFY
from tests.random.costs import costs
from tests.transforms.support import after, derived, in_loops, ops, outcome, program


def test_invariant_scalars_leave_as_many_loops_as_they_can() -> None:
    source = program(
        "(x: f64[1], a: f64, n: i64) -> (f64)",
        """
s: f64 = for i < n with (p: f64 = 0.0):
    t: f64 = for j < n with (q: f64 = p):
        e: f64 = exp(a)
        g: f64 = mul(e, p)
        k: i64 = dim(x; axis=0)
        l: i64 = mul(k, 2)
        f: f64 = convert(l; dtype="f64")
        h: f64 = add(q, g)
        o: f64 = add(h, f)
        yield o
    yield t
return s""",
    )
    done = after(source, HOIST)
    assert ops(done) == ["exp", "dim", "mul", "convert", "for", "mul", "for", "add", "add"]
    args = (np.ones(3), 0.5, 4)
    assert outcome(done, args) == outcome(source, args)


def test_reads_and_checks_stay_and_branches_keep_what_costs() -> None:
    source = program(
        "(x: f64[1], a: f64, n: i64, c: bool) -> (f64)",
        """
s: f64 = for i < n with (p: f64 = 0.0):
    v: f64 = index(x, n; checked=false, span=none)
    m: i64 = iadd(n, 1; span=none)
    r: f64 = if c:
        e: f64 = exp(a)
        yield e
      else:
        g: f64 = neg(a)
        yield g
    q: f64 = add(v, r)
    yield q
return s""",
    )
    assert ops(after(source, HOIST)) == ["neg", "for", "index", "iadd", "if", "exp", "add"]


def test_conditions_of_loops_are_hoisted_from() -> None:
    source = program(
        "(a: f64) -> (f64)",
        """
s: f64 = while (p: f64 = 0.0):
    e: f64 = exp(a)
    go: bool = lt(p, e)
    yield go
  do:
    q: f64 = add(p, 1.0)
    yield q
return s""",
    )
    done = after(source, HOIST)
    assert in_loops(done) == ["lt", "add"]
    assert outcome(done, (1.0,)) == outcome(source, (1.0,))


CALLEES = """
function small(x: f64[1], v: f64) -> (f64[1], f64):
  y: f64[1] = update(x, v, 0; checked=true, span=none)
  w: f64 = mul(v, v)
  return y, w

function down(n: i64) -> (i64):
  c: bool = lt(n, 1)
  r: i64 = if c:
      yield 0
    else:
      m: i64 = sub(n, 1)
      q: i64 = call down(m)
      yield q
  return r
"""


def test_small_functions_are_inlined_and_recursive_ones_are_not() -> None:
    source = program(
        "(x: f64[1], n: i64) -> (f64[1], f64, i64)",
        """
y: f64[1] = copy(x)
z: f64[1], a: f64 = call small(y, 2.0)
w: f64[1], b: f64 = call small(z, a)
k: i64 = call down(n)
return w, b, k""",
        CALLEES,
    )
    done = after(source, INLINE)
    assert [f.name for f in done.functions] == ["main", "down"]
    assert ops(done) == ["copy", "update", "mul", "update", "mul", "call"]
    args = (np.array([1.0, 5.0]), 3)
    assert outcome(done, args) == outcome(source, args)


def many(count: int) -> str:
    lines = ["function large(x: f64) -> (f64):"]
    lines += [f"  v{k}: f64 = exp({'x' if k == 0 else f'v{k - 1}'})" for k in range(count)]
    return "\n".join([*lines, f"  return v{count - 1}\n"])


def test_size_matters_only_for_what_is_called_more_than_once() -> None:
    once = "a: f64 = call large(x)\nreturn a"
    twice = "a: f64 = call large(x)\nb: f64 = call large(a)\nreturn b"
    head, small = "(x: f64) -> (f64)", costs().inline_small
    assert "call" not in ops(after(program(head, once, many(small + 1)), INLINE))
    assert "call" in ops(after(program(head, twice, many(small + 1)), INLINE))
    assert "call" not in ops(after(program(head, twice, many(small)), INLINE))


def test_functions_with_a_rule_of_their_own_stay() -> None:
    source = program("(x: f64) -> (f64)", "a: f64 = call large(x)\nreturn a", many(2))
    main, large = source.functions
    ruled = replace(large, custom=CustomRule("jvp", "large"))
    assert "call" in ops(after(Program((main, ruled), "main"), INLINE))


def test_a_copy_takes_over_what_is_not_used_any_more() -> None:
    source = program(
        "(x: f64[1], n: i64) -> (f64[1])",
        """
y: f64[1] = mul(x, 2.0)
z: f64[1] = copy(y)
w: f64[1] = update(z, 1.0, 0; checked=true, span=none)
r: f64[1] = for i < n with (p: f64[1] = w):
    q: f64[1] = copy(p)
    u: f64[1] = update(q, 2.0, i; checked=true, span=none)
    yield u
return r""",
    )
    done = after(source, COPIES)
    assert "copy" not in ops(done)
    args = (np.ones(3), 2)
    assert outcome(done, args) == outcome(source, args)


def test_a_copy_stays_where_the_source_is_used_or_not_owned() -> None:
    source = program(
        "(x: f64[1], n: i64) -> (f64[1], f64)",
        """
a: f64[1] = copy(x)
b: f64[1] = update(a, 1.0, 0; checked=true, span=none)
c: f64[1] = copy(b)
d: f64[1] = update(c, 2.0, 0; checked=true, span=none)
e: f64 = index(b, 0; checked=true, span=none)
for i < n:
    g: f64[1] = copy(b)
    h: f64[1] = update(g, 2.0, 0; checked=true, span=none)
    yield
return d, e""",
    )
    assert ops(after(source, COPIES)).count("copy") == 3


CONTRACTED = """
a: f64 = mul(x, y)
b: f64 = add(a, z)
c: f64 = mul(x, z)
d: f64 = sub(c, b)
e: f64 = mul(y, z)
f: f64 = sub(d, e)
g: f64 = mul(f, f)
h: f64 = add(g, g)
return h"""
FLOATS = "(x: f64, y: f64, z: f64) -> (f64)"


def test_products_with_one_use_become_fused() -> None:
    done = after(program(FLOATS, CONTRACTED), FMA)
    assert ops(done) == ["fma", "neg", "fma", "neg", "fma", "mul", "add"]
    text = print_program(done)
    assert "= fma(x, y, z)" in text
    x, y, z = 1.1, 2.3, 0.7
    expected = 2 * ((x * z - (x * y + z)) - y * z) ** 2
    (result,) = np.frombuffer(outcome(done, (x, y, z))[0][1])  # type: ignore[index]
    assert abs(result - expected) < 1e-13


def test_integers_and_products_in_other_blocks_stay() -> None:
    source = program(
        "(n: i64, x: f64, c: bool) -> (i64, f64)",
        """
a: i64 = mul(n, n)
b: i64 = add(a, n)
d: f64 = mul(x, x)
e: f64 = if c:
    f: f64 = add(d, x)
    yield f
  else:
    yield x
return b, e""",
    )
    assert "fma" not in ops(after(source, FMA))


def test_arrays_are_contracted_unless_an_operand_is_consumed() -> None:
    head = "(x: f64[1], y: f64[1]) -> (f64[1], f64[1])"
    text = "a: f64[1] = mul(x, {})\n{}r: f64[1] = add(a, x)\nreturn r, {}"
    plain = after(program(head, text.format("2.0", "", "y")), FMA)
    assert ops(plain) == ["fma"]
    update = "z: f64[1] = update(y, 0.0, 0; checked=true, span=none)\n"
    moved = after(program(head, text.format("y", update, "z")), FMA)
    assert "fma" not in ops(moved)


def test_after_a_derivative_only_its_own_statements_are_contracted() -> None:
    source = program(FLOATS, "a: f64 = mul(x, y)\nb: f64 = add(a, z)\nreturn b")
    assert ops(after(source, FMA_DERIVATIVES)) == ["mul", "add"]
    assert ops(after(derived(source), FMA_DERIVATIVES)) == ["fma"]


def test_sums_of_derivatives_are_fused_whatever_else_uses_the_product() -> None:
    """How often it is used, and where it stands, depends on what is recorded."""
    twice = program(
        "(x: f64, y: f64, z: f64, c: bool) -> (f64, f64)",
        """a: f64 = mul(x, y)
b: f64 = add(a, z)
d: f64 = if c:
    e: f64 = sub(z, a)
    yield e
  else:
    yield x
return b, d""",
    )
    assert ops(after(twice, FMA)) == ["mul", "add", "if", "sub"]
    assert ops(after(derived(twice), FMA_DERIVATIVES)) == ["fma", "if", "neg", "fma"]
    besides = program(
        FLOATS, "a: f64 = mul(x, y)\nb: f64 = add(a, z)\nd: f64 = mul(a, b)\nreturn d"
    )
    assert ops(after(derived(besides), FMA_DERIVATIVES)) == ["mul", "fma", "mul"]


def test_a_product_of_a_reverse_sweep_is_none_of_its_primal() -> None:
    source = program(FLOATS, "a: f64 = mul(x, y)\nb: f64 = mul(x, y)\nd: f64 = add(a, b)\nreturn d")
    (main,) = source.functions
    first, *rest = main.body.stms
    stms = (first, *(replace(s, prov=Prov(None, ("vjp",))) for s in rest))
    mixed = Program((replace(main, body=replace(main.body, stms=stms)),), "main")
    assert ops(after(source, SIMPLIFY)) == ["mul", "add"]
    assert ops(after(mixed, SIMPLIFY)) == ["mul", "mul", "add"]
