"""Reverse mode of straight-line functions, just enough to give `Vjp` nodes a value in tests."""

from __future__ import annotations

from dataclasses import replace

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Call, Function, Lit, Prim, Program, Stm, Var, Vjp
from retrograd.ir.traverse import blocks, freshen_block, with_blocks
from retrograd.prims import DEFAULT
from retrograd.prims.core import Unsupported, Zero
from tests.prims.harness import StraightPullback


def add_bars(b: Builder, bars: dict[Var, Atom], var: Atom, bar: Atom) -> None:
    if isinstance(var, Var):
        bars[var] = b.add(bars[var], bar) if var in bars else bar


def reverse_stm(b: Builder, stm: Stm, bars: dict[Var, Atom], active: set[Var]) -> None:
    assert isinstance(stm.expr, Prim)
    rule = DEFAULT[stm.expr.op].vjp
    out_bars = tuple(bars.get(out) for out in stm.outs)
    if isinstance(rule, Zero | Unsupported) or all(bar is None for bar in out_bars):
        return
    wanted = frozenset(k for k, a in enumerate(stm.expr.args) if a in active)
    pullback = StraightPullback(b, stm.expr.args, stm.outs, out_bars, stm.expr.params, wanted)
    rule(pullback)
    for position, bar in pullback.bars.items():
        add_bars(b, bars, stm.expr.args[position], bar)


def inline_calls(program: Program, block: Block, names: NameSupply) -> Block:
    """A straight-line block with the calls in it replaced by the functions' bodies."""
    stms: list[Stm] = []
    table: dict[Var, Atom] = {}

    def swap(atom: Atom) -> Atom:
        return table.get(atom, atom) if isinstance(atom, Var) else atom

    for stm in block.stms:
        assert isinstance(stm.expr, Prim | Call)
        args = tuple(map(swap, stm.expr.args))
        if isinstance(stm.expr, Prim):
            stms.append(replace(stm, expr=replace(stm.expr, args=args)))
            continue
        callee = program.function(stm.expr.function)
        mapping = dict(zip(callee.params, args, strict=True))
        inner = inline_calls(program, freshen_block(callee.body, names, mapping), names)
        stms.extend(inner.stms)
        table.update(zip(stm.outs, inner.results, strict=True))
    return Block(tuple(stms), tuple(map(swap, block.results)))


def reverse_function(program: Program, node: Vjp, name: str, names: NameSupply) -> Function:
    """(args, present cotangents) -> (results, cotangents of `wrt`)."""
    source = program.function(node.function)
    body = inline_calls(program, source.body, names)
    b = Builder(names, DEFAULT.result_types)
    b.stms.extend(body.stms)
    active = set(source.params)
    bars: dict[Var, Atom] = {}
    given: list[Var] = []
    for result, bar in zip(body.results, node.cotangents, strict=True):
        if bar is not None:
            given.append(names.var("bar", result.type))
            add_bars(b, bars, result, given[-1])
    for stm in body.stms:
        active |= {out for out in stm.outs if out.type.is_float}
    for stm in reversed(body.stms):
        reverse_stm(b, stm, bars, active)
    wanted = [source.params[k] for k in node.wrt]
    results = [*body.results, *(bars.get(p, b.zeros_like(p)) for p in wanted)]
    return Function(name, (*source.params, *given), b.block(results))


def expand_straight_vjps(program: Program, names: NameSupply) -> Program:
    """The program with its `Vjp` nodes (of straight-line functions) as calls."""
    added: list[Function] = []

    def walk(block: Block) -> Block:
        stms: list[Stm] = []
        for stm in block.stms:
            expr = stm.expr
            if isinstance(expr, Vjp):
                name = names.name("rev")
                added.append(reverse_function(program, expr, name, names))
                bars = tuple(c for c in expr.cotangents if c is not None)
                assert not any(isinstance(a, Lit) and a.type.rank for a in expr.args)
                expr = Call(name, (*expr.args, *bars))
            else:
                expr = with_blocks(expr, tuple(map(walk, blocks(expr))))
            stms.append(replace(stm, expr=expr))
        return Block(tuple(stms), block.results)

    functions = tuple(replace(f, body=walk(f.body)) for f in program.functions)
    return Program((*functions, *added), program.entry)
