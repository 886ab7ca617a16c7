"""A sweep knew forward versions of statements by `id`, also of statements that were gone.

Another statement could get the id, and with it somebody else's forward version: about one
compilation in a hundred of a program with a body that is run again failed, or could have been
wrong.
"""

from __future__ import annotations

from retrograd.ir.parse import parse_program
from retrograd.ir.terms import Block, Prim, Stm, Var, flit
from retrograd.ir.traverse import supply_for
from retrograd.ir.types import F64
from retrograd.prims import DEFAULT
from retrograd.transforms.ad.vjp.calls import reverse_call
from retrograd.transforms.ad.vjp.context import VjpContext
from retrograd.transforms.ad.vjp.reverse import Sweep

PROGRAM = """program f

function f(x: f64) -> (f64):
  return x
"""


def made(name: str) -> Stm:
    return Stm((Var(name, F64),), Prim("neg", (flit(1.0),)))


def test_a_statement_that_is_gone_says_nothing_about_others() -> None:
    program = parse_program(PROGRAM)
    context = VjpContext.of(program, supply_for(program), DEFAULT)
    none = frozenset[Var]()
    sweep = Sweep(context, none, none, reverse_call, {})
    for k in range(200):
        sweep.goes_forward(made(f"old{k}"), made(f"wrong{k}"))
    block = Block(tuple(made(f"new{k}") for k in range(200)), ())
    assert sweep.forward_stms(block) == block.stms
    sweep.goes_forward(block.stms[0], made("ahead"))
    assert sweep.forward_stms(block) == (made("ahead"), *block.stms[1:])
