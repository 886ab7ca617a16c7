"""A recursion through its own reverse derivative was derived again and again, without end."""

from __future__ import annotations

import pytest

import retrograd as rg
from retrograd.errors import Limitation
from retrograd.ir.parse import parse_program
from retrograd.ir.traverse import supply_for
from retrograd.prims import DEFAULT
from retrograd.transforms.ad.vjp import lower_vjp_nodes

ENDLESS = """
program endless

function endless(x: f64) -> (f64):
  y: f64, y_bar: f64 = vjp endless(x; cotangents=(1.0,), wrt=(0,))
  return y_bar
"""


def test_it_ends() -> None:
    program = parse_program(ENDLESS)
    with pytest.raises(Limitation, match="RG2103"):
        lower_vjp_nodes(program, supply_for(program), DEFAULT)


def powers(n, y):
    return y * y if n == 0 else rg.grad(lambda z: powers(n - 1, z) * z)(y)


@pytest.mark.slow
def test_it_has_a_place() -> None:
    with pytest.raises(Limitation, match="RG2103") as caught:
        rg.jit(powers)(2, 1.3)
    assert caught.value.span is not None
