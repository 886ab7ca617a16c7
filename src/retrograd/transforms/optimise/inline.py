"""Inlining of small functions, and of functions that are called from one place only.

Functions with a rule of their own stay calls: the rule is for the call. So do members of recursive
cycles. Callees are done before callers, so a chain of small functions ends up in one body.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from retrograd.errors import Span
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Call, Function, Param, Prim, Program, Stm, Var
from retrograd.ir.traverse import (
    blocks,
    freshen_block,
    map_atoms,
    stms_deep,
    with_blocks,
)
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.analysis.effects import callees, reachable

__all__ = ["inline"]


def inline(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Inlines calls, and drops the functions that nothing calls any more."""
    table = {f.name: f for f in program.functions}
    calls = Counter(name for f in program.functions for name in callees(f))
    costs = prims.costs
    done: dict[str, Function] = {}
    sizes: dict[str, int] = {}
    for group in _groups(table):
        recursive = len(group) > 1 or group[0] in callees(table[group[0]])
        for name in group:
            function = _Inliner(names, done, sizes, costs.inline_largest).function(table[name])
            size = sum(1 for _ in stms_deep(function.body))
            table[name] = function
            once = calls[name] == 1 and size <= costs.inline_largest
            wanted = size <= costs.inline_small or once
            if not recursive and function.custom is None and wanted:
                done[name] = function
                sizes[name] = size
    kept = tuple(table[f.name] for f in program.functions)
    small = Program(kept, program.entry)
    alive = reachable(small)
    return Program(tuple(f for f in kept if f.name in alive), program.entry)


@dataclass(slots=True)
class _Inliner:
    """Replaces calls of `inlined` functions in one function, while `largest` is not exceeded."""

    names: NameSupply
    inlined: Mapping[str, Function]
    sizes: Mapping[str, int]
    largest: int
    grown: int = 0
    values: dict[Var, Atom] = field(default_factory=dict["Var", "Atom"])

    def function(self, function: Function) -> Function:
        return function.with_body(self.block(function.body))

    def swap(self, atom: Atom) -> Atom:
        return self.values.get(atom, atom) if isinstance(atom, Var) else atom

    def block(self, block: Block) -> Block:
        out: list[Stm] = []
        for stm in block.stms:
            expr = map_atoms(stm.expr, self.swap)
            if isinstance(expr, Call) and self.wanted(expr.function):
                callee = self.inlined[expr.function]
                mapping = dict(zip(callee.params, expr.args, strict=True))
                body = freshen_block(callee.body, self.names, mapping)
                if (span := callee.prov.span) is not None and span.shared:
                    body = _placed(body, stm.prov.span or span)
                out.extend(_marked(body, stm, self.names).stms)
                self.values.update(zip(stm.outs, body.results, strict=True))
                self.grown += self.sizes[expr.function]
                continue
            inner = tuple(self.block(b) for b in blocks(expr))
            out.append(stm.with_expr(with_blocks(expr, inner)))
        return block.changed(tuple(out), tuple(map(self.swap, block.results)))

    def wanted(self, name: str) -> bool:
        if name not in self.inlined:
            return False
        return self.grown + self.sizes[name] <= self.largest


def _placed(body: Block, span: Span) -> Block:
    """What has been inlined of a function that several lines call: said of this one of them."""

    def own(param: Param) -> Param:
        return span if isinstance(param, Span) and param.shared else param

    def visit(stm: Stm) -> Stm:
        expr, prov = stm.expr, stm.prov
        if isinstance(expr, Prim):
            expr = replace(expr, params=tuple((name, own(value)) for name, value in expr.params))
        if prov.span is not None and prov.span.shared:
            prov = replace(prov, span=span)
        return Stm(stm.outs, with_blocks(expr, tuple(map(walk, blocks(expr)))), prov)

    def walk(block: Block) -> Block:
        return Block(tuple(map(visit, block.stms)), block.results)

    return walk(body)


def _marked(body: Block, call: Stm, names: NameSupply) -> Block:
    """What has been inlined for a call: part of the executions that the call is part of.

    Executions inside of it are others than those of another call of the same function.
    """
    around, named = call.prov.checkpoints, dict[Var, tuple[tuple[int, str], ...]]()
    for position, name in call.prov.names:
        result = body.results[position]
        if isinstance(result, Var):
            named[result] = (*named.get(result, ()), (0, name))
    inside = {c.name for stm in stms_deep(body) for c in stm.prov.checkpoints}
    if not around and not named and not inside:
        return body
    fresh = {name: names.name("checkpoint") for name in sorted(inside)}

    def walk(block: Block) -> Block:
        return Block(tuple(map(visit, block.stms)), block.results)

    def visit(stm: Stm) -> Stm:
        own = tuple(replace(c, name=fresh[c.name]) for c in stm.prov.checkpoints)
        given = [(k, n) for k, out in enumerate(stm.outs) for _, n in named.get(out, ())]
        prov = replace(stm.prov, checkpoints=(*around, *own)).named(tuple(given))
        return Stm(stm.outs, with_blocks(stm.expr, tuple(map(walk, blocks(stm.expr)))), prov)

    return walk(body)


def _groups(table: Mapping[str, Function]) -> list[list[str]]:
    """Strongly connected components of the call graph, callees first (Tarjan, iteratively)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    held: set[str] = set()
    groups: list[list[str]] = []
    for start in table:
        if start in order:
            continue
        work = [(start, iter(sorted(set(callees(table[start])))))]
        order[start] = low[start] = len(order)
        stack.append(start)
        held.add(start)
        while work:
            name, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    caller = work[-1][0]
                    low[caller] = min(low[caller], low[name])
                if low[name] == order[name]:
                    groups.append(_unwind(stack, held, name))
            elif following not in order:
                order[following] = low[following] = len(order)
                stack.append(following)
                held.add(following)
                work.append((following, iter(sorted(set(callees(table[following]))))))
            elif following in held:
                low[name] = min(low[name], order[following])
    return groups


def _unwind(stack: list[str], held: set[str], last: str) -> list[str]:
    group: list[str] = []
    while True:
        name = stack.pop()
        held.discard(name)
        group.append(name)
        if name == last:
            return group
