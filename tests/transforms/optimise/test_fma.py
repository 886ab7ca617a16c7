"""Which products and sums become one operation."""

from __future__ import annotations

from retrograd.ir.names import NameSupply
from retrograd.ir.parse import parse_program
from retrograd.ir.terms import Prim
from retrograd.ir.traverse import stms_deep
from retrograd.prims import DEFAULT
from retrograd.transforms.optimise.fma import contract


def ops(body: str, carried: str = "s: f64 = 0.0", result: str = "r") -> list[str]:
    """The operations of a loop whose body is given, after contraction."""
    lines = "\n".join(f"      {line}" for line in body.splitlines())
    text = (
        f"program f\n\nfunction f(a: f64, b: f64, n: i64) -> (f64):\n"
        f"  t: f64 = for k < n with ({carried}):\n{lines}\n      yield {result}\n  return t\n"
    )
    program = parse_program(text)
    after = contract(program, NameSupply(), DEFAULT)
    return [s.expr.op for s in stms_deep(after.main.body) if isinstance(s.expr, Prim)]


def test_a_sum_over_a_loop_is_not_fused() -> None:
    """Each addition waits for the one before, and a fused one may take twice as long."""
    assert ops("p: f64 = mul(a, b)\nr: f64 = add(s, p)") == ["mul", "add"]
    assert ops("p: f64 = mul(a, b)\nr: f64 = add(p, s)") == ["mul", "add"]
    assert ops("p: f64 = mul(a, b)\nr: f64 = sub(s, p)") == ["mul", "sub"]


def test_nor_are_several_additions_in_a_row() -> None:
    text = "p: f64 = mul(a, b)\nq: f64 = mul(a, a)\nm: f64 = add(s, p)\nr: f64 = sub(m, q)"
    assert ops(text) == ["mul", "mul", "add", "sub"]


def test_what_is_multiplied_on_its_way_is() -> None:
    assert ops("p: f64 = mul(s, a)\nr: f64 = add(p, b)") == ["fma"]
    assert ops("p: f64 = mul(s, a)\nr: f64 = add(p, s)") == ["fma"]
    assert ops("q: f64 = sin(s)\np: f64 = mul(q, a)\nr: f64 = sub(s, p)") == ["sin", "neg", "fma"]
    assert ops("p: f64 = mul(a, b)\nr: f64 = sub(p, s)") == ["neg", "fma"]


def test_what_does_not_come_round_is() -> None:
    text = "p: f64 = mul(a, b)\nq: f64 = add(s, p)\nr: f64 = sqrt(q)"
    assert ops(text) == ["fma", "sqrt"]


def test_terms_of_a_sum_are() -> None:
    text = "p: f64 = mul(a, b)\nt: f64 = add(a, p)\nr: f64 = add(s, t)"
    assert ops(text) == ["fma", "add"]
