"""What `simplify` rewrites, and the rewrites that would be wrong."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.ir.parse import parse_program
from retrograd.ir.print import print_program
from retrograd.prims import DEFAULT
from retrograd.transforms.cleanup import DEAD_CODE, SIMPLIFY
from retrograd.transforms.optimise.algebra import fold, rewrite
from tests.transforms.support import after, in_loops, ops, outcome, program

HEAD = "(x: f64, y: f64, n: i64, m: i64, c: bool, d: bool) -> "
VALUES = [0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan, 5e-324, 1e308]

# (expression with {} for nothing, what is left of it)
RULES = [
    ("f64", "mul(x, 1.0)", []),
    ("f64", "mul(-1.0, x)", ["neg"]),
    ("f64", "mul(x, 0.0)", ["mul"]),
    ("f64", "add(x, -0.0)", []),
    ("f64", "add(x, 0.0)", ["add"]),
    ("f64", "sub(x, 0.0)", []),
    ("f64", "sub(x, -0.0)", ["sub"]),
    ("f64", "sub(x, x)", ["sub"]),
    ("f64", "div(x, 1.0)", []),
    ("f64", "div(x, 4.0)", ["mul"]),
    ("f64", "div(x, 3.0)", ["div"]),
    ("f64", "fma(x, 1.0, y)", ["add"]),
    ("f64", "fma(x, y, -0.0)", ["mul"]),
    ("f64", "fma(x, y, 0.0)", ["fma"]),
    ("f64", "pow(x, 2.0)", ["mul"]),
    ("f64", "pow(x, 0.0)", []),
    ("f64", "select(c, x, x)", []),
    ("f64", "select(true, x, y)", []),
    ("f64", "select(c, 0.0, -0.0)", ["select"]),
    ("f64", "maximum(x, x)", []),
    ("i64", "add(n, 0)", []),
    ("i64", "sub(n, n)", []),
    ("i64", "mul(0, n)", []),
    ("i64", "imul(n, 1; span=none)", []),
    ("i64", "iadd(n, 1; span=none)", ["iadd"]),
    ("i64", "floordiv(n, 1)", []),
    ("i64", "mod(n, 1)", []),
    ("i64", "wrap(2, n)", []),
    ("i64", "wrap(-2, n)", ["add"]),
    ("i64", "imin(n, n)", []),
    ("bool", "and_(c, true)", []),
    ("bool", "or_(c, true)", []),
    ("bool", "xor(c, true)", ["not_"]),
    ("bool", "le(n, n)", []),
    ("bool", "le(x, x)", ["le"]),
    ("bool", "select(c, true, false)", []),
]


@pytest.mark.parametrize(("type_", "text", "left"), RULES, ids=[r[1] for r in RULES])
def test_identities_hold_to_the_bit(type_: str, text: str, left: list[str]) -> None:
    source = program(f"{HEAD}({type_})", f"r: {type_} = {text}\nreturn r")
    done = after(source, SIMPLIFY)
    assert ops(done) == left
    for x in VALUES:
        for y in VALUES:
            args = (np.float64(x), np.float64(y), np.int64(5), np.int64(-3), np.True_, np.False_)
            assert outcome(done, args) == outcome(source, args)


CHAINS = [
    ("f64", "t: f64 = neg(x)\nr: f64 = neg(t)", ["neg"]),
    ("f64", "t: f64 = neg(x)\nr: f64 = add(y, t)", ["neg", "sub"]),
    ("f64", "t: f64 = neg(x)\nr: f64 = sub(y, t)", ["neg", "add"]),
    ("f64", "t: f64 = neg(x)\nr: f64 = abs(t)", ["neg", "abs"]),
    ("i64", "t: i64 = add(n, 3)\nr: i64 = add(t, -3)", ["add"]),
    ("i64", "t: i64 = iadd(n, 3; span=none)\nr: i64 = isub(t, 3; span=none)", ["iadd", "isub"]),
    ("bool", "t: bool = lt(n, m)\nr: bool = not_(t)", ["lt", "ge"]),
    ("bool", "t: bool = lt(x, y)\nr: bool = not_(t)", ["lt", "not_"]),
    ("f64", "s: f64 = exp(x)\nt: f64 = exp(x)\nr: f64 = mul(s, t)", ["exp", "mul"]),
    ("f64", "s: f64 = mul(x, y)\nt: f64 = mul(y, x)\nr: f64 = sub(s, t)", ["mul", "sub"]),
    ("f64", "s: f64 = add(x, 0.0)\nt: f64 = add(x, -0.0)\nr: f64 = mul(s, t)", ["add", "mul"]),
    ("f64", "s: f64 = add(2.0, 0.5)\nr: f64 = mul(s, 4.0)", []),
    ("f64", "s: f64 = exp(0.5)\nr: f64 = mul(s, 1.0)", ["exp"]),
    ("i64", "t: i64 = iadd(2, 3; span=none)\nr: i64 = imul(t, 4; span=none)", []),
    ("i64", "r: i64 = iadd(9223372036854775807, 1; span=none)", ["iadd"]),
]


@pytest.mark.parametrize(("type_", "text", "left"), CHAINS, ids=[r[1] for r in CHAINS])
def test_chains(type_: str, text: str, left: list[str]) -> None:
    source = program(f"{HEAD}({type_})", f"{text}\nreturn r")
    done = after(source, SIMPLIFY)
    assert ops(done) == left
    for x in VALUES:
        args = (np.float64(x), np.float64(0.75), np.int64(5), np.int64(-3), np.True_, np.False_)
        assert outcome(done, args) == outcome(source, args)


def test_functions_that_are_not_correctly_rounded_are_not_folded() -> None:
    (stm,) = parse_program(
        "program f\nfunction f() -> (f64):\n  y: f64 = exp(0.5)\n  return y"
    ).main.body.stms
    assert fold(stm.expr, DEFAULT) is None
    assert rewrite(stm.expr, lambda atom: None) is None


def test_a_check_serves_an_unchecked_read_and_not_the_other_way() -> None:
    text = """
a: f64 = index(x, n; checked={}, span=none)
b: f64 = index(x, n; checked={}, span=none)
s: f64 = mul(a, b)
return s"""
    head = "(x: f64[1], n: i64) -> (f64)"
    both = after(program(head, text.format("true", "false")), SIMPLIFY)
    assert ops(both) == ["index", "mul"]
    assert "checked=true" in print_program(both)
    apart = after(program(head, text.format("false", "true")), SIMPLIFY)
    assert ops(apart) == ["index", "index", "mul"]


def test_sharing_ends_with_the_block() -> None:
    source = program(
        "(x: f64, c: bool) -> (f64)",
        """
a: f64 = if c:
    t: f64 = exp(x)
    yield t
  else:
    u: f64 = exp(x)
    yield u
b: f64 = exp(x)
r: f64 = add(a, b)
return r""",
    )
    assert ops(after(source, SIMPLIFY)).count("exp") == 3


ARRAYS = """
a: f64[1] = mul(x, x)
b: f64[1] = mul(x, x)
r: f64[1] = {}
return r"""


def test_equal_arrays_are_shared_unless_one_is_consumed() -> None:
    head = "(x: f64[1]) -> (f64[1])"
    shared = after(program(head, ARRAYS.format("add(a, b)")), SIMPLIFY)
    assert ops(shared) == ["mul", "add"]
    apart = after(program(head, ARRAYS.format("accumulate(a, b)")), SIMPLIFY)
    assert ops(apart) == ["mul", "mul", "accumulate"]


def test_a_copy_that_nobody_writes_goes() -> None:
    head = "(x: f64[1]) -> (f64)"
    tail = "\ns: f64 = reduce_sum({}; axes=(0,), keepdims=false)\nreturn s"
    assert ops(after(program(head, "y: f64[1] = copy(x)" + tail.format("y")), SIMPLIFY)) == [
        "reduce_sum"
    ]
    written = "y: f64[1] = copy(x)\nz: f64[1] = update(y, 1.0, 0; checked=true, span=none)"
    assert "copy" in ops(after(program(head, written + tail.format("z")), SIMPLIFY))


def test_an_array_of_which_all_is_replaced_is_not_written_to() -> None:
    body = (
        "y: f64[1] = mul(a, 1.5)\nc: bool[1] = lt(y, 0.0)\nh: f64[1] = mul(y, 0.1)\n"
        "v: f64[1] = select(c, h, y)\n"
        'z: f64[1] = update_slice(y, v; spec="a")\n'
        "s: f64 = reduce_sum(z; axes=(0,), keepdims=false)\nreturn s"
    )
    source = program("(a: f64[1]) -> (f64)", body)
    done = after(source, SIMPLIFY)
    assert ops(done) == ["mul", "lt", "mul", "select", "reduce_sum"]
    assert outcome(done, (np.array(VALUES),)) == outcome(source, (np.array(VALUES),))
    body = 'y: f64[1] = copy(a)\nz: f64[1] = update_slice(y, b; spec="a")\nreturn z'
    stretched = program("(a: f64[1], b: f64[1]) -> (f64[1])", body)
    assert "update_slice" in ops(after(stretched, SIMPLIFY))  # by what may be one element


def test_a_sum_over_no_axis_is_what_it_sums() -> None:
    body = (
        "y: f64[1] = mul(a, 1.5)\nz: f64[1] = sum_like(y, a)\n"
        "s: f64 = reduce_sum(z; axes=(0,), keepdims=false)\nreturn s"
    )
    source = program("(a: f64[1], b: f64[1]) -> (f64)", body)
    done = after(source, SIMPLIFY)
    assert ops(done) == ["mul", "reduce_sum"]
    given = (np.array(VALUES), np.array(VALUES))
    assert outcome(done, given) == outcome(source, given)
    for old, new in (("like(y, a)", "like(y, b)"), ("reduce_sum(z; axes=(0,), keepdims=false)",
                                                    "index(w, 0; checked=true)")):  # fmt: skip
        text = body.replace(old, new).replace("s: f64 = index", "w: f64[1] = update(z, 1.0, 0; "
                                              "checked=true)\ns: f64 = index")  # fmt: skip
        assert "sum_like" in ops(after(program("(a: f64[1], b: f64[1]) -> (f64)", text), SIMPLIFY))


def test_an_element_that_was_just_written_is_known() -> None:
    source = program(
        "(x: f64[1], v: f64, n: i64) -> (f64, f64)",
        """
y: f64[1] = copy(x)
z: f64[1] = update(y, v, n; checked=true, span=none)
a: f64 = index(z, n; checked=true, span=none)
b: f64 = index(z, 0; checked=true, span=none)
return a, b""",
    )
    done = after(source, SIMPLIFY)
    assert ops(done) == ["copy", "update", "index"]
    args = (np.array([1.0, 2.0]), 7.0, np.int64(0))
    assert outcome(done, args) == outcome(source, args)


def test_control_that_is_decided_goes() -> None:
    source = program(
        "(x: f64) -> (f64)",
        """
c: bool = lt(1, 2)
a: f64 = if c:
    t: f64 = exp(x)
    yield t
  else:
    yield x
b: f64 = for i < -1 with (p: f64 = a):
    q: f64 = mul(p, p)
    yield q
d: f64 = for j < 1 with (u: f64 = b):
    v: f64 = mul(u, u)
    yield v
e: f64, k: i64 = while (w: f64 = d, l: i64 = 0):
    yield false
  do:
    w2: f64 = mul(w, w)
    yield w2, l
return e""",
    )
    done = after(source, SIMPLIFY, DEAD_CODE)
    assert ops(done) == ["exp", "mul"]
    assert outcome(done, (0.3,)) == outcome(source, (0.3,))


def test_carried_values_that_do_not_change_are_propagated() -> None:
    source = program(
        "(x: f64[1], a: f64, n: i64) -> (f64, f64[1])",
        """
s: f64, b: f64, y: f64[1] = for i < n with (acc: f64 = 0.0, p: f64 = a, q: f64[1] = x):
    v: f64 = index(q, i; checked=true, span=none)
    t: f64 = mul(v, p)
    u: f64 = add(acc, t)
    yield u, p, q
return s, y""",
    )
    done = after(source, SIMPLIFY)
    assert len(done.main.body.stms[0].outs) == 1
    assert done.main.body.results[1] == source.main.params[0]


EXTENTS = """
n: i64 = dim(x; axis=0)
z: f64[1] = zeros(n; dtype="f64")
w: f64[1] = mul(z, 2.0)
r: f64[1] = for i < n with (p: f64[1] = z):
    k: i64 = dim(p; axis=0)
    last: i64 = sub(k, 1)
    q: f64[1] = update(p, 1.0, last; checked=true, span=none)
    l: i64 = dim(q; axis=0)
    f: f64 = convert(l; dtype="f64")
    q2: f64[1] = add_at(q, f, i)
    yield q2
m: i64 = dim(r; axis=0)
return r, m"""


def test_extents_are_followed_through_updates_and_loops() -> None:
    source = program("(x: f64[1]) -> (f64[1], i64)", EXTENTS)
    done = after(source, SIMPLIFY, DEAD_CODE)
    assert ops(done).count("dim") == 1
    assert "dim" not in in_loops(done)
    args = (np.ones(4),)
    assert outcome(done, args) == outcome(source, args)


def test_a_loop_that_changes_the_extent_keeps_its_dim() -> None:
    source = program(
        "(x: f64[1], n: i64) -> (i64)",
        """
r: f64[1] = for i < n with (p: f64[1] = x):
    k: i64 = dim(p; axis=0)
    l: i64 = add(k, 1)
    q: f64[1] = zeros(l; dtype="f64")
    yield q
m: i64 = dim(r; axis=0)
return m""",
    )
    done = after(source, SIMPLIFY)
    assert "dim" in in_loops(done)
    assert outcome(done, (np.ones(2), 3)) == outcome(source, (np.ones(2), 3))


def test_extents_that_a_loop_keeps_are_asked_for_before_it() -> None:
    source = program(
        "(x: f64[1], n: i64) -> (f64[1])",
        """
c: f64[1] = copy(x)
r: f64[1] = for i < n with (p: f64[1] = c):
    k: i64 = dim(p; axis=0)
    j: i64 = mod(i, k)
    q: f64[1] = update(p, 1.0, j; checked=true, span=none)
    yield q
return r""",
    )
    done = after(source, SIMPLIFY)
    assert "dim" not in in_loops(done)
    assert outcome(done, (np.ones(2), 3)) == outcome(source, (np.ones(2), 3))


OF_ARRAYS = [
    ("mul(x, 1.0)", False), ("mul(1.0, x)", False), ("div(x, 1.0)", False),
    ("sub(x, 0.0)", False), ("add(-0.0, x)", False), ("copy(x)", False),
    ("mul(x, -1.0)", True), ("div(1.0, x)", True), ("add(x, 0.0)", True), ("sub(x, -0.0)", True),
    ("sub(0.0, x)", True),
]  # fmt: skip


@pytest.mark.parametrize(("text", "stays"), OF_ARRAYS, ids=[r[0] for r in OF_ARRAYS])
def test_numbers_that_change_no_element(text: str, stays: bool) -> None:
    source = program("(x: f64[1]) -> (f64[1])", f"t: f64[1] = {text}\nr: f64[1] = abs(t)\nreturn r")
    done = after(source, SIMPLIFY)
    assert ops(done) == ([text.partition("(")[0]] if stays else []) + ["abs"]
    assert outcome(done, (np.array(VALUES),)) == outcome(source, (np.array(VALUES),))


def test_they_make_an_array_of_what_is_written_to() -> None:
    body = "t: f64[1] = mul(x, 1.0)\nu: f64[1] = update(t, 7.0, 0; checked=true, span=none)\n"
    source = program("(x: f64[1]) -> (f64[1], f64[1])", f"{body}return x, u")
    done = after(source, SIMPLIFY)
    assert ops(done) == ["mul", "update"]
    assert outcome(done, (np.array(VALUES),)) == outcome(source, (np.array(VALUES),))
