"""An operation that is new: what it says of itself is all that the compiler needs to be told.

A cumulative sum is added to the table here. Nothing outside this file knows its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from retrograd.backends.interp.eval import run
from retrograd.backends.interp.tape import Tape
from retrograd.ir.build import Builder
from retrograd.ir.check import check_program
from retrograd.ir.names import NameSupply
from retrograd.ir.parse import parse_program
from retrograd.ir.terms import Atom, Lit, Params, Prim, Program, Prov, Var
from retrograd.ir.traverse import stms_deep, supply_for
from retrograd.ir.types import F64, I64, WIDTH, Type
from retrograd.prims import DEFAULT
from retrograd.prims.core import Primitive, PrimitiveSet, Pullback
from retrograd.prims.facts import IN_FIRST, SERIAL
from retrograd.prims.rules import F1, require, shaped_case
from retrograd.transforms.ad.jvp import jvp_function
from retrograd.transforms.ad.vjp import lower_vjp_nodes
from retrograd.transforms.ad.vjp.shaping import ReverseBuilder
from retrograd.transforms.analysis.linearity import is_linear
from retrograd.transforms.analysis.shapes import Axis, shapes_of
from retrograd.transforms.batch import batch_directions
from retrograd.transforms.batch.patterns import Patterns, Unbatchable
from tests.transforms.ad.vjp.support import with_vjp


def _type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    require(types == (F1,), "cumsum", types)
    return types


def _jvp(
    b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: tuple[Atom | None, ...],
    params: Params,
) -> tuple[Atom | None, ...]:  # fmt: skip
    return tuple(None if t is None else b.prim("cumsum", t) for t in tangents)


def _turned(b: Builder, x: Atom) -> Atom:
    n = b.dims(x)[0]
    last = b.sub(n, Lit(1, I64))
    return b.prim("slice", x, last, n, Lit(-1, I64), spec="s")


def _vjp(p: Pullback) -> None:
    (bar,) = p.out_bars
    if bar is not None and p.wants(0):
        p.add(0, _turned(p.b, p.b.prim("cumsum", _turned(p.b, bar))))


CUMSUM = Primitive(
    "cumsum", _type, lambda args, params: (np.cumsum(args[0]),), _jvp, _vjp,
    (shaped_case((4,)),), replace(SERIAL, linear_in=IN_FIRST),
)  # fmt: skip

TABLE = PrimitiveSet.of((DEFAULT.table.values(), (CUMSUM,)))

PROGRAM = """
program f

function f(x: f64[1], k: i64) -> (f64):
  y: f64[1] = cumsum(x)
  z: f64[1] = mul(y, x)
  w: f64[1] = cumsum(z)
  v: f64[1] = sin(w)
  s: f64 = reduce_sum(v; axes=(0,), keepdims=false)
  return s
"""

X = np.array([0.3, -0.7, 0.4, 0.9])


def value(x: Any) -> float:
    return float(np.sum(np.sin(np.cumsum(np.cumsum(x) * x))))


def slope(x: Any, along: Any, step: float = 1e-6) -> float:
    return (value(x + step * along) - value(x - step * along)) / (2 * step)


def evaluated(program: Program, args: Sequence[Any], entry: str | None = None) -> tuple[Any, ...]:
    tape = Tape()
    found = run(program, args, TABLE, tape=tape, entry=entry)
    assert tape.entries == []
    return found


def parsed(text: str = PROGRAM) -> Program:
    program = parse_program(text)
    check_program(program, TABLE)
    return program


def test_the_interpreter_and_the_checker_know_it() -> None:
    assert evaluated(parsed(), [X, 0])[0] == pytest.approx(value(X))


def test_forward_mode() -> None:
    program = parsed()
    lifted, name = jvp_function(program, "f", (True, False), supply_for(program), TABLE)
    check_program(lifted, TABLE)
    along = np.array([1.0, -2.0, 0.5, 0.25])
    assert evaluated(lifted, [X, 0, along], name)[-1] == pytest.approx(slope(X, along))


def reversed_program() -> Program:
    program = with_vjp(parsed(), (0,))
    program = lower_vjp_nodes(program, supply_for(program), TABLE)
    check_program(program, TABLE)
    return program


def test_reverse_mode() -> None:
    _, bar = evaluated(reversed_program(), [X, 0, 1.0])
    want = [slope(X, unit) for unit in np.eye(len(X))]
    np.testing.assert_allclose(bar, want, rtol=1e-7)


def test_what_is_not_cheap_is_recorded_and_not_calculated_again() -> None:
    program = reversed_program()
    ops = [
        s.expr.op for f in program.functions for s in stms_deep(f.body) if isinstance(s.expr, Prim)
    ]
    # Two of the forward code and two of the reverse code.
    assert ops.count("cumsum") == 4
    assert ops.count("push") >= 1


def test_its_extent_is_known() -> None:
    shapes = shapes_of(parsed().main, TABLE)
    assert shapes.arrays["y"] == shapes.arrays["w"] == (Axis("x", 0),)


def test_the_builder_of_reverse_code_knows_its_extent() -> None:
    names = NameSupply()
    b = ReverseBuilder(names, TABLE.result_types, Prov(), table=TABLE)
    n = names.var("n", I64)
    x = b.prim("zeros", n, dtype="f64")
    y = b.prim("cumsum", x)
    assert b.shapes.same(x, y)
    kept = b.prim("reduce_sum", x, axes=(0,), keepdims=True)
    assert not b.shapes.same(x, kept)
    assert b.shapes.of(kept) == (Lit(1, I64),)


def test_a_rule_with_it_is_linear() -> None:
    program = parse_program("""
program rule

function rule(bar: f64[1], x: f64[1]) -> (f64[1]):
  y: f64[1] = cumsum(bar)
  z: f64[1] = mul(y, x)
  return z
""")
    functions = {f.name: f for f in program.functions}
    assert is_linear(functions, "rule", [0], TABLE)
    assert not is_linear(functions, "rule", [0, 1], TABLE)


def test_several_directions_at_once_are_refused() -> None:
    function = parsed().main
    x: Var = function.params[0]
    with pytest.raises(Unbatchable, match="cumsum of a value that depends on the direction"):
        Patterns({}, TABLE).settle(function.body, [x])
    bundle = F64.bundled.with_rank(1)
    assert WIDTH > 1
    with pytest.raises(Exception, match="cumsum does not apply"):
        TABLE.result_types("cumsum", (bundle,), ())


def test_a_program_without_directions_is_as_it_was() -> None:
    program = parsed()
    assert batch_directions(program, supply_for(program), TABLE) is program
