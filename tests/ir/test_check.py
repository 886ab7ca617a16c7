"""The checker accepts sound programs and names the broken rule of the others."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from retrograd.errors import CompilerBug
from retrograd.ir.check import check_program, consumed_params
from retrograd.ir.linear import Consumption
from retrograd.ir.parse import parse_program
from retrograd.ir.print import print_program
from retrograd.ir.terms import (
    Block,
    CustomRule,
    For,
    Function,
    If,
    Lit,
    Prim,
    Program,
    Stm,
    Var,
    While,
    flit,
    ilit,
)
from retrograd.ir.types import BOOL, F64, I64, DType, Type
from retrograd.prims import DEFAULT

A = Type(DType.F64, 1)
X, Y, C, N = Var("x", F64), Var("y", F64), Var("c", BOOL), Var("n", I64)
PUSH = Stm((), Prim("push", (X,), (("site", "s"),)))
POP = Stm((Y,), Prim("pop", (), (("site", "s"), ("types", ("f64",)))))
WRITE = "update({}, 0.0, 0; checked=true, span=none)"


def program(*stms: Stm, results: tuple[Var | Lit, ...] = ()) -> Program:
    function = Function("f", (X, C, N), Block(stms, results))
    return Program((function,), "f")


def one(var: Var, *args: Var | Lit, op: str = "add") -> Stm:
    return Stm((var,), Prim(op, args))


def empty(*results: Var | Lit) -> Block:
    return Block((), results)


BROKEN = [
    (program(one(Y, X, Var("z", F64))), "'z' is not in scope"),
    (program(one(Y, X, X), one(Y, X, X)), "'y' is bound twice"),
    (program(one(X, X, X)), "'x' is bound twice"),
    (program(one(Y, X, Var("n", F64))), "'n' is mentioned as f64 but bound as i64"),
    (program(one(Y, X, Lit(1, F64))), "the literal 1 is not of type f64"),
    (program(one(Y, X, Lit(True, I64))), "the literal True is not of type i64"),
    (program(one(Var("y", I64), N, Lit(2**63, I64))), "outside i64"),
    (program(one(Var("y", I64), X, X)), r"results: \(i64\) where \(f64\) is due"),
    (program(Stm((), Prim("add", (X, X)))), r"results: \(\) where \(f64\) is due"),
    (program(one(Y, X, op="nope")), "no primitive named 'nope'"),
    (program(Stm((Y,), Prim("neg", (X,), (("b", 1), ("a", 2))))), "not sorted"),
    (program(Stm((Y,), If(X, empty(X), empty(X)))), "condition"),
    (program(Stm((Y,), If(C, empty(X), empty(N)))), "results of the branches"),
    (program(Stm((Y,), For(Var("i", I64), X, (), (), empty()))), "trip count and index"),
    (
        program(Stm((), For(Var("i", I64), N, (), (), empty())), one(Y, Var("i", I64), op="neg")),
        "'i' is not in scope",
    ),
    (
        program(Stm((Y,), For(Var("i", I64), N, (Y,), (X,), empty(Y)))),
        "'y' is bound twice",
    ),
    (
        program(Stm((Y,), For(Var("i", I64), N, (Var("p", F64),), (N,), empty(X)))),
        "initial values",
    ),
    (
        program(Stm((Y,), For(Var("i", I64), N, (), (), empty(N), sums=1))),
        "results of the body",
    ),
    (
        program(Stm((), For(Var("i", I64), N, (), (), Block((PUSH, POP), ()), block=True))),
        "a block loop both pushes and pops",
    ),
    (program(Stm((), While((), (), empty(X), empty()))), "results of the condition"),
    (program(results=(Y,)), "'y' is not in scope"),
]  # fmt: skip


@pytest.mark.parametrize(("broken", "rule"), BROKEN, ids=lambda v: v if isinstance(v, str) else "")
def test_a_broken_rule_is_named(broken: Program, rule: str) -> None:
    with pytest.raises(CompilerBug, match=rule) as caught:
        check_program(broken, DEFAULT)
    assert "in function 'f'" in caught.value.message


def test_the_statement_is_shown() -> None:
    with pytest.raises(CompilerBug, match=r"statement `y: f64 = add\(x, n\)`"):
        check_program(program(one(Y, X, N)), DEFAULT)


def test_functions_are_known_once_and_entries_exist() -> None:
    function = program().main
    with pytest.raises(CompilerBug, match="two functions"):
        check_program(Program((function, function), "f"), DEFAULT)
    with pytest.raises(CompilerBug, match="entry"):
        check_program(Program((function,), "g"), DEFAULT)
    custom = replace(function, custom=CustomRule("vjp", "f", "gone"))
    with pytest.raises(CompilerBug, match="'gone' is not in the program"):
        check_program(Program((custom,), "f"), DEFAULT)


UNDONE = """
program f

function f(n: i64, x: f64, p: f64) -> (f64, i64) custom inverse(g; changed=(1, 0)):
  y: f64 = add(x, p)
  return y, n

function g(n: i64, x: f64, p: f64, x_bar: f64, p_bar: f64) -> (f64, i64, f64, f64):
  y: f64 = sub(x, p)
  q_bar: f64 = add(p_bar, x_bar)
  return y, n, x_bar, q_bar
"""


def test_a_function_with_an_inverse_fits_its_adjoint() -> None:
    program = parse_program(UNDONE)
    check_program(program, DEFAULT)
    f, g = program.functions
    rule = f.custom
    assert rule is not None
    for broken, message in (
        (replace(rule, changed=()), "`changed` is not"),
        (replace(rule, changed=(1, 1)), "`changed` is not"),
        (replace(rule, changed=(1, 3)), "`changed` is not"),
        (replace(rule, changed=(0, 1)), "results of a function with an inverse"),
        (replace(rule, rule="f"), "parameters of the adjoint"),
        (replace(rule, pullback="g"), "does not fit"),
        (CustomRule("jvp", "g", None, (1,)), "with changed parameters"),
    ):
        with pytest.raises(CompilerBug, match=message):
            check_program(Program((replace(f, custom=broken), g), "f"), DEFAULT)
    fewer = replace(g, body=replace(g.body, results=g.body.results[:3]))
    with pytest.raises(CompilerBug, match="results of the adjoint"):
        check_program(Program((f, fewer), "f"), DEFAULT)


CALLS = """
program main

function main(x: f64, n: i64) -> (f64):
  {}
  return x

function g(a: f64, k: i64) -> (f64, i64):
  return a, k
"""


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("y: f64, m: i64 = call g(x, n)", None),
        ("y: f64 = call g(x, n)", "results"),
        ("y: f64, m: i64 = call g(n, x)", "arguments"),
        ("y: f64, m: i64 = call h(x, n)", "not a function"),
        ("y: f64, m: i64, d: f64 = jvp g(x, n; tangents=(x, none))", None),
        ("y: f64, m: i64, d: f64 = jvp g(x, n; tangents=(x,))", "1 tangents where 2"),
        ("y: f64, m: i64, d: f64 = jvp g(x, n; tangents=(x, n))", "a tangent of type i64"),
        ("y: f64, m: i64, d: f64 = vjp g(x, n; cotangents=(x, none), wrt=(0,))", None),
        ("y: f64, m: i64 = vjp g(x, n; cotangents=(n, none), wrt=())", "cotangent"),
        ("y: f64, m: i64, d: f64 = vjp g(x, n; cotangents=(x, none), wrt=(1,))", "`wrt`"),
    ],
)
def test_calls_and_derivatives(line: str, rule: str | None) -> None:
    program = parse_program(CALLS.format(line))
    if rule is None:
        assert check_program(program, DEFAULT) is None
        return
    with pytest.raises(CompilerBug, match=rule):
        check_program(program, DEFAULT)


ARRAYS = """
program main

function main(x: f64[1], c: bool, n: i64) -> (f64[1]):
{}

function writes(x: f64[1]) -> (f64[1]):
  y: f64[1] = update(x, 0.0, 0; checked=true, span=none)
  return y

function reads(x: f64[1]) -> (i64):
  y: i64 = dim(x; axis=0)
  return y

function hands_on(x: f64[1], y: f64[1]) -> (f64[1]):
  return y
"""


def arrays(body: str) -> Program:
    return parse_program(ARRAYS.format("\n".join("  " + line for line in body.splitlines())))


LINEAR = {
    "update, then the new array": "y: f64[1] = WRITE(x)\nreturn y",
    "copy first": "y: f64[1] = copy(x)\nz: f64[1] = WRITE(y)\nreturn x",
    "consumed by a loop": """\
y: f64[1] = for i < n with (p: f64[1] = x):
    q: f64[1] = WRITE(p)
    yield q
return y""",
    "carried unchanged": """\
y: f64[1] = for i < n with (p: f64[1] = x):
    d: i64 = dim(p; axis=0)
    yield p
return x""",
    "both branches consume": """\
y: f64[1] = if c:
    q: f64[1] = WRITE(x)
    yield q
  else:
    yield x
return y""",
    "a swap": """\
z: f64[1] = copy(x)
a: f64[1], b: f64[1] = for i < n with (p: f64[1] = x, q: f64[1] = z):
    yield q, p
return a""",
    "an array of the iteration": """\
for i < n:
    z: f64[1] = zeros(n; dtype="f64")
    w: f64[1] = WRITE(z)
    yield
return x""",
    "a call that reads": "d: i64 = call reads(x)\nreturn x",
    "a call that hands on": "z: f64[1] = copy(x)\ny: f64[1] = call hands_on(x, z)\nreturn x",
}

NOT_LINEAR = {
    "used after an update": ("y: f64[1] = WRITE(x)\nreturn x", "after it was consumed"),
    "updated twice": (
        "y: f64[1] = WRITE(x)\nz: f64[1] = WRITE(x)\nreturn y", "after it was consumed"),
    "added to itself": ("y: f64[1] = accumulate(x, x)\nreturn y", "same statement"),
    "consumed inside a loop": (
        "for i < n:\n    q: f64[1] = WRITE(x)\n    yield\nreturn x", "from outside the loop"),
    "handed on by a loop": (
        "z: f64[1] = copy(x)\ny: f64[1] = for i < n with (p: f64[1] = z):\n    yield x\nreturn y",
        "from outside the loop"),
    "carried and mentioned": (
        """\
y: f64[1] = for i < n with (p: f64[1] = x):
    d: i64 = dim(x; axis=0)
    q: f64[1] = WRITE(p)
    yield q
return y""", "carried by the loop and mentioned"),
    "carried twice": (
        """\
y: f64[1], z: f64[1] = for i < n with (p: f64[1] = x, q: f64[1] = x):
    r: f64[1] = WRITE(p)
    yield r, q
return y""", "same statement"),
    "an alias of what is carried unchanged": (
        """\
y: f64[1] = for i < n with (p: f64[1] = x):
    yield p
z: f64[1] = WRITE(y)
return x""", "after it was consumed"),
    "used after one branch consumed it": (
        """\
y: f64[1] = if c:
    q: f64[1] = WRITE(x)
    yield q
  else:
    z: f64[1] = copy(x)
    yield z
return x""", "after it was consumed"),
    "handed on twice": (
        "y: f64[1], z: f64[1] = if c:\n    yield x, x\n  else:\n    yield x, x\nreturn y", "twice"),
    "a call that writes": ("y: f64[1] = call writes(x)\nreturn x", "after it was consumed"),
    "a call that hands on": (
        "z: f64[1] = copy(x)\ny: f64[1] = call hands_on(x, z)\nreturn z", "after it was consumed"),
    "pushed": ("push(x)\nreturn x", "after it was consumed"),
    "consumed by the condition of a loop": (
        """\
y: f64[1] = while (p: f64[1] = x):
    q: f64[1] = WRITE(p)
    yield c
  do:
    yield p
return y""", "from outside the loop"),
}  # fmt: skip


def written(text: str) -> str:
    return re.sub(r"WRITE\((\w+)\)", lambda m: WRITE.format(m.group(1)), text)


@pytest.mark.parametrize("name", LINEAR)
def test_what_consumes_in_order_is_accepted(name: str) -> None:
    assert check_program(arrays(written(LINEAR[name])), DEFAULT) is None


@pytest.mark.parametrize("name", NOT_LINEAR)
def test_what_uses_a_consumed_array_is_not(name: str) -> None:
    text, rule = NOT_LINEAR[name]
    broken = arrays(written(text))
    assert check_program(broken, DEFAULT, linear=False) is None
    with pytest.raises(CompilerBug, match=rule):
        check_program(broken, DEFAULT)


EVEN_AND_ODD = """
program even

function even(x: f64[1], y: f64[1], n: i64) -> (f64[1]):
  c: bool = lt(n, 1)
  r: f64[1] = if c:
      z: f64[1] = copy(x)
      yield z
    else:
      m: i64 = sub(n, 1)
      z2: f64[1] = call odd(y, x, m)
      yield z2
  return r

function odd(x: f64[1], y: f64[1], n: i64) -> (f64[1]):
  w: f64[1] = update(x, 1.0, 0; checked=true, span=none)
  r: f64[1] = call even(y, w, n)
  return r
"""


def test_consumed_parameters_go_through_recursion() -> None:
    found = consumed_params(parse_program(EVEN_AND_ODD), DEFAULT)
    assert found == {"even": frozenset({1}), "odd": frozenset({0})}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["callers first", "callees first"])
def test_consumed_parameters_of_functions_that_come_one_by_one(order: tuple[int, ...]) -> None:
    functions = [parse_program(EVEN_AND_ODD).functions[k] for k in order]
    table: dict[str, Function] = {}
    known = Consumption()
    for function in functions:
        table[function.name] = function
        known = known.adding([function], table, DEFAULT)
    whole = Consumption.of(parse_program(EVEN_AND_ODD), DEFAULT)
    assert known.found == whole.found
    assert known.linear == whole.linear


def test_literals_have_no_array() -> None:
    body = Block((Stm((Y,), Prim("accumulate", (flit(1.0), flit(2.0)))),), (Y, ilit(3)))
    assert check_program(Program((Function("f", (), body),), "f"), DEFAULT) is None


CALLER = "program f\n\nfunction f(x: f64) -> (f64):\n  y: f64 = call g(x)\n  return y\n\n"
ONE = CALLER + "function g(z: f64) -> (f64):\n  return z\n"
OTHER = CALLER + "function g(z: i64) -> (f64):\n  return 1.0\n"


def test_a_caller_is_looked_at_again_where_its_callee_has_other_types() -> None:
    before = parse_program(ONE)
    check_program(before, DEFAULT)
    check_program(before, DEFAULT, before=before)
    with pytest.raises(CompilerBug, match="arguments"):
        check_program(parse_program(OTHER), DEFAULT, before=before)


def test_a_function_that_was_changed_is_looked_at_again() -> None:
    sound = program(one(Y, X, X), results=(Y,))
    with pytest.raises(CompilerBug, match="'z' is not in scope"):
        check_program(program(one(Y, X, Var("z", F64)), results=(Y,)), DEFAULT, before=sound)


TAPE = """
program f

function f(x: f64[1], y: f64) -> (f64[1], f64):
  push(x, y; offloaded=({put}), site="s")
  a: f64[1], b: f64 = pop(; offloaded=({taken}), site="s", types=("f64[1]", "f64"))
  return a, b
"""


def test_a_push_and_its_pop_say_the_same_of_what_may_leave_memory() -> None:
    mark = '(0, "/scratch"),'
    check_program(parse_program(TAPE.format(put=mark, taken=mark)), DEFAULT)
    other = parse_program(TAPE.format(put=mark, taken='(0, "/other"),'))
    with pytest.raises(CompilerBug, match="the site 's' offload differently"):
        check_program(other, DEFAULT)


@pytest.mark.parametrize("mark", ['(1, "/scratch"),', '(2, "/scratch"),', '(0, "a"), (0, "b")'])
def test_arrays_may_leave_memory_each_to_one_folder(mark: str) -> None:
    with pytest.raises(CompilerBug, match="push offloads"):
        check_program(parse_program(TAPE.format(put=mark, taken=mark)), DEFAULT)


def test_the_text_of_a_rule_has_its_tolerance() -> None:
    text = UNDONE.replace("changed=(1, 0)", "changed=(1, 0), atol=1e-08")
    program = parse_program(text)
    assert program.main.custom == CustomRule("inverse", "g", None, (1, 0), 1e-8)
    assert parse_program(print_program(program)) == program
