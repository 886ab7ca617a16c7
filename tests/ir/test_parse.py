"""The text form: what is printed is read back as it was, and errors have a place."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given, settings

from retrograd.errors import Span, UserError
from retrograd.ir.parse import parse_program
from retrograd.ir.print import print_atom, print_name, print_program
from retrograd.ir.terms import Block, Function, Prim, Program, Prov, Stm, Var, flit
from retrograd.ir.types import F64
from tests.ir.random_terms import programs


@settings(max_examples=25)
@given(programs())
def test_text_is_read_back_as_the_same_program(program: Program) -> None:
    text = print_program(program)
    again = parse_program(text)
    assert print_program(again) == text  # decides on the sign of zeros, too
    if "nan" not in text:
        assert again == program


def test_floats_keep_their_bits() -> None:
    for value in (0.1, -0.0, 5e-324, 1.7976931348623157e308, math.inf, -math.inf):
        (atom,) = parse_program(
            f"program f\nfunction f() -> (f64):\n  return {print_atom(flit(value))}"
        ).main.body.results
        assert repr(atom.value) == repr(value)


def test_a_nan_is_read_back() -> None:
    (atom,) = parse_program("program f\nfunction f() -> (f64):\n  return nan").main.body.results
    assert math.isnan(atom.value)


def test_names_that_are_not_words_are_quoted() -> None:
    assert [print_name(n) for n in ("x_1", "a.b", "for", "a b", "`")] == [
        "x_1", "a.b", "`for`", "`a b`", "`\\u0060`",
    ]  # fmt: skip


def test_provenance_is_a_comment() -> None:
    x, y = Var("x", F64), Var("y", F64)
    prov = Prov(Span("dir/model.py", 12, 0, 12, 4), ("jvp",))
    body = Block((Stm((y,), Prim("neg", (x,)), prov),), (y,))
    program = Program((Function("f", (x,), body),), "f")
    text = print_program(program, provenance=True)
    assert "neg(x)  # model.py:12 jvp" in text
    assert parse_program(text) == parse_program(print_program(program))


HEAD = "program f\n\nfunction f(x: f64) -> (f64):\n"


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ("", "2:1", "program"),
        ("program f\n\nfunction f(x: f32) -> (f64):", "3:15", "a type"),
        (HEAD + "  y: f64 = neg(z)\n  return y\n", "4:16", "not in scope"),
        (HEAD + "  y: f64 = neg(x\n  return y\n", "4:17", "expected"),
        (HEAD + "  y: f64 = neg(x) ?\n  return y\n", "4:19", "unexpected"),
        (HEAD + "  y: f64 = neg(x)\n", "5:1", "expected"),
        (HEAD + "  y: f64 = if true:\n    yield x\n  return y\n", "6:3", "'else'"),
        (HEAD + "  return x, x\n", "3:1", "other types"),
        (HEAD + '  y: f64 = neg(x; a="\\q")\n  return y\n', "4:21", "escape"),
    ],
)
def test_errors_have_a_place(text: str, place: str, what: str) -> None:
    with pytest.raises(UserError, match=re.escape(what)) as caught:
        parse_program(text)
    assert caught.value.code == "RG0901"
    assert f"line {place}: " in caught.value.message
