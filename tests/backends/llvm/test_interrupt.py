"""Interruptible code that is never interrupted gives the bits of plain code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from retrograd.ir.check import check_program
from retrograd.ir.terms import Block, Call, For, Prim, Program, Stm, While
from retrograd.ir.traverse import blocks, stms_deep, with_blocks
from retrograd.prims import DEFAULT
from tests.backends.llvm.lifetimes import ALL, text
from tests.backends.llvm.native import Raised, bits, compiled, native, parsed, ready
from tests.transforms.ad.vjp.support import data, lowered, with_vjp
from tests.transforms.ad.vjp.test_identities import FORMS
from tests.transforms.random_forms import random_program

PLENTY = 1 << 62


def numbered(program: Program) -> Program:
    """Every loop and call a point, also short ones that the pipeline leaves out."""
    count = iter(range(10**6))

    def walk(block: Block) -> Block:
        return Block(tuple(map(visit, block.stms)), block.results)

    def visit(stm: Stm) -> Stm:
        expr = with_blocks(stm.expr, tuple(map(walk, blocks(stm.expr))))
        if isinstance(expr, Call | For | While):
            expr = replace(expr, point=next(count))
        return replace(stm, expr=expr)

    found = Program(tuple(replace(f, body=walk(f.body)) for f in program.functions), program.entry)
    check_program(found, DEFAULT)
    return found


def pointed(program: Program) -> Program:
    """With points everywhere but in sweeps, which are parts of units."""
    tape = (s.expr for f in program.functions for s in stms_deep(f.body))
    return (
        program if any(isinstance(e, Prim) and e.op == "push" for e in tape) else numbered(program)
    )


def check_both_ways(program: Program, cases: Sequence[Sequence[Any]]) -> None:
    """Plain and interruptible code agree to the bit, and both leave nothing behind."""
    plain = compiled(program)
    other = compiled(pointed(program), interruptible=True)
    for args in cases:
        context = ready()
        context.set("budget", PLENTY)
        got, want = native(other, args, context), native(plain, args)
        if isinstance(want, Raised):
            assert got == want
        else:
            assert bits(got) == bits(want)
            left = context.get("budget")
            assert left <= PLENTY


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ALL)
def test_small_programs(name: str) -> None:
    check_both_ways(parsed(text(name)), ALL[name][1])


@pytest.mark.thinned(2)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_sweeps_of_forms(form: Callable[[], Program]) -> None:
    program = lowered(numbered(with_vjp(form())))
    rng = np.random.default_rng(3)
    check_both_ways(program, [data(program, rng)])


@pytest.mark.thinned(2)
@pytest.mark.parametrize("seed", [0, 1, 6, 8, 12, 15, 105, 112])
def test_random_programs(seed: int) -> None:
    program = random_program(seed)
    assert program is not None
    rng = np.random.default_rng(3)
    check_both_ways(program, [data(program, rng)])


def test_iterations_and_calls_are_charged() -> None:
    program = numbered(
        parsed("""
program f

function f(n: i64) -> (i64):
  a: i64 = for k < n with (c: i64 = 0):
      d: i64 = add(c, k)
      yield d
  r: i64 = while (c2: i64 = a):
      go: bool = gt(c2, 5)
      yield go
    do:
      e: i64 = sub(c2, 1)
      yield e
  return r
""")
    )
    assert sum(isinstance(s.expr, For | While) for s in stms_deep(program.main.body)) == 2
    code = compiled(program, interruptible=True)
    spent = []
    for n in (0, 10, 1000):
        context = ready()
        context.set("budget", PLENTY)
        native(code, [n], context)
        spent.append(PLENTY - context.get("budget"))
    assert spent[0] <= spent[1] < spent[2]
    assert spent[2] >= 1000


def test_errors_leave_interruptible_code_too() -> None:
    program = parsed("""
program f

function f(x: f64[1], n: i64) -> (f64):
  a: f64[1] = sin(x)
  r: f64 = for k < n with (c: f64 = 0.0):
      v: f64 = call read(a, k)
      d: f64 = add(c, v)
      yield d
  return r

function read(p: f64[1], k: i64) -> (f64):
  q: f64[1] = mul(p, 2.0)
  v: f64 = index(q, k; checked=true, span=none)
  return v
""")
    check_both_ways(program, [(np.ones(3), n) for n in (2, 3, 4)])
