"""Equality up to names, and a hash that does not depend on the process."""

from __future__ import annotations

import os
import subprocess
import sys

from hypothesis import given, settings

from retrograd.errors import Span
from retrograd.ir.equal import alpha_equal, canonical, structural_hash
from retrograd.ir.parse import parse_program
from retrograd.ir.terms import Program, Prov
from retrograd.ir.traverse import stms_deep
from tests.ir.random_terms import programs

TEXT = """
program f

function f({a}: f64) -> (f64):
  {b}: f64 = neg({a}; k={k})
  return {b}
"""


def small(a: str = "x", b: str = "y", k: str = "0.0") -> Program:
    return parse_program(TEXT.format(a=a, b=b, k=k))


def test_names_of_variables_do_not_matter() -> None:
    assert alpha_equal(small(), small("u", "v"))
    assert structural_hash(small()) == structural_hash(small("u", "v"))


def test_everything_else_does() -> None:
    variants = [small(), small(k="-0.0"), small(k="0"), small(k="false"), small(k="none")]
    assert len({structural_hash(p) for p in variants}) == len(variants)
    assert not alpha_equal(small(k="0.0"), small(k="-0.0"))


def test_provenance_does_not_matter() -> None:
    plain = small()
    (stm,) = stms_deep(plain.main.body)
    other = parse_program(canonical(plain))
    assert stm.prov == Prov()
    assert alpha_equal(plain, other)
    assert "model.py" not in canonical(plain)
    assert Span("model.py", 1, 0, 1, 1) != Span("model.py", 2, 0, 2, 1)


@settings(max_examples=20)
@given(programs())
def test_the_canonical_text_is_its_own_canonical_text(program: Program) -> None:
    text = canonical(program)
    assert canonical(parse_program(text)) == text


def test_the_hash_is_the_same_in_another_process() -> None:
    code = (
        "from retrograd.ir.equal import structural_hash\n"
        "from retrograd.ir.parse import parse_program\n"
        f"print(structural_hash(parse_program({TEXT.format(a='x', b='y', k='0.0')!r})))"
    )
    env = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(sys.path)}
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env
    )
    assert out.stdout.strip() == structural_hash(small())
