"""Inner derivatives that machine code can leave to somebody else.

`lower_vjp_nodes` has made functions of them, which do nothing but call a forward and a reverse
program. As a rule such a call is part of a unit. Where there is no room for its tape, or its user
has chosen another way to pay for it, the code around it is interrupted there, and whoever runs it
calculates that derivative by a schedule of its own. For that the call needs a point.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from retrograd.ir.linear import consumed_params
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Block, Call, For, Function, Prim, Program, Stm
from retrograd.ir.traverse import blocks, stms_deep, substitute, with_blocks
from retrograd.ir.types import DType, Type
from retrograd.options.checkpointing import SHARED
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.passes import per_function

__all__ = ["ASKED", "asked", "is_capped", "sites", "with_asks"]

ASKED = (1 << 20) + 1
"""The point of the call of an inner derivative: not one that the program has."""


def sites(block: Block, op: str) -> Iterator[object]:
    """What tells the pushes, or pops, of a block from others."""
    for stm in stms_deep(block):
        if isinstance(stm.expr, Prim) and stm.expr.op == op:
            yield stm.expr.param("site")


def is_capped(function: Function) -> bool:
    return function.derivative is not None and function.derivative != SHARED


def with_asks(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program with points at calls of inner derivatives, wherever it can be interrupted.

    Their functions take nothing over, so that they may be tried and then left. Loops around them
    record iteration by iteration: a block of residuals has to be there as a whole.
    """
    able = {f.name for f in program.functions if _able(f)}
    if not able:
        return program
    program = _lending(program, able, names, prims)
    mixed: set[object] = set()
    for function in program.functions:
        for stm in stms_deep(function.body):
            expr = stm.expr
            if isinstance(expr, For) and expr.block and expr.point is not None:
                inside = (s.expr for s in stms_deep(expr.body))
                if any(isinstance(e, Call) and e.function in able for e in inside):
                    mixed.update((*sites(expr.body, "push"), *sites(expr.body, "pop")))

    def walk(block: Block, free: bool) -> Block:
        return Block(tuple(visit(stm, free) for stm in block.stms), block.results)

    def visit(stm: Stm, free: bool) -> Stm:
        expr = stm.expr
        if isinstance(expr, Call) and expr.function in able and free:
            return replace(stm, expr=replace(expr, point=ASKED))
        whole = isinstance(expr, For) and expr.block and expr.point is None
        inner = tuple(walk(b, free and not whole) for b in blocks(expr))
        if isinstance(expr, For) and expr.block and not whole:
            mine = {*sites(expr.body, "push"), *sites(expr.body, "pop")}
            expr = replace(expr, block=not mine & mixed)
        return replace(stm, expr=with_blocks(expr, inner))

    return per_function(program, lambda f: replace(f, body=walk(f.body, True)))


def asked(program: Program, pointed: frozenset[str]) -> list[str]:
    """The inner derivatives that functions which can be interrupted call at points, in order."""
    table = {f.name: f for f in program.functions}
    found: dict[str, None] = {}
    for function in program.functions:
        for stm in stms_deep(function.body) if function.name in pointed else ():
            expr = stm.expr
            if not isinstance(expr, Call) or expr.point is None:
                continue
            if table[expr.function].derivative is not None:
                found[expr.function] = None
    return list(found)


def _able(function: Function) -> bool:
    """Whether it is an inner derivative with two sweeps, of values that frames can hold."""
    if function.derivative is None:
        return False
    calls = [stm for stm in function.body.stms if isinstance(stm.expr, Call)]
    types: tuple[Type, ...] = (*(p.type for p in function.params), *function.result_types)
    return len(calls) == 2 and all(t.dtype is not DType.BUNDLE for t in types)


def _lending(program: Program, able: set[str], names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program where those functions copy what they would take over."""
    consumed = consumed_params(program, prims)

    def change(function: Function) -> Function:
        taken = consumed[function.name] if function.name in able else frozenset[int]()
        own = {p: names.var(p.name, p.type) for k, p in enumerate(function.params) if k in taken}
        if not own:
            return function
        copies = [Stm((new,), Prim("copy", (old,)), function.prov) for old, new in own.items()]
        body = substitute(function.body, own)
        return replace(function, body=Block((*copies, *body.stms), body.results))

    return per_function(program, change)
