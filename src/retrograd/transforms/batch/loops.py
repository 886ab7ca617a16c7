"""Loops over directions become loops over bundles of directions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Call, For, Function, Lit, Prim, Program, Stm, Var, ilit
from retrograd.ir.traverse import atoms, blocks, free_vars_expr, stms_deep, with_blocks
from retrograd.ir.types import WIDTH
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.analysis.effects import reaching
from retrograd.transforms.batch.patterns import Patterns, Unbatchable
from retrograd.transforms.batch.rewrite import BlockRewriter, Rewriter
from retrograd.transforms.checkpoint.upcalls import is_capped

__all__ = ["batch_directions"]


def batch_directions(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program with its loops over directions batched, the outermost that can be of each nest.

    It has no derivative nodes left. Loops that cannot be batched stay as they are.
    """
    marked = [f.name for f in program.functions if any(map(_is_marked, stms_deep(f.body)))]
    if not marked:
        return program
    capped = reaching(program.functions, is_capped)
    batch = _Batch({f.name: f for f in program.functions}, capped, names, prims)
    functions: list[Function] = []
    for function in program.functions:
        if function.name in marked:
            function = replace(function, body=batch.block(function.body))
        functions.append(function)
    return Program((*functions, *batch.made), program.entry)


def _is_marked(stm: Stm) -> bool:
    return isinstance(stm.expr, For) and stm.expr.directions


@dataclass(slots=True)
class _Batch:
    functions: Mapping[str, Function]
    capped: frozenset[str]
    names: NameSupply
    prims: PrimitiveSet
    made: list[Function] = field(default_factory=list[Function])

    def block(self, block: Block) -> Block:
        stms: list[Stm] = []
        for stm in block.stms:
            expr = stm.expr
            if isinstance(expr, For) and expr.directions and not _is_short(expr):
                try:
                    stms += self.bundles(stm, expr)
                except Unbatchable:
                    pass
                else:
                    continue
            inner = tuple(map(self.block, blocks(expr)))
            stms.append(replace(stm, expr=with_blocks(expr, inner)) if inner else stm)
        return Block(tuple(stms), block.results)

    def bundles(self, stm: Stm, loop: For) -> list[Stm]:
        """The statements that take the place of the loop; Unbatchable where that cannot be."""
        calls = (s.expr for s in stms_deep(loop.body) if isinstance(s.expr, Call))
        if any(call.function in self.capped for call in calls):
            raise Unbatchable("several directions would need a multiple of what one may have")
        units = _units(loop)
        stores = _stores(loop)
        patterns = Patterns(self.functions, self.prims)
        inside = Block(tuple(s for s in loop.body.stms if s not in (*units, *stores)), ())
        patterns.settle(inside, [s.outs[0] for s in units])
        rewriter = Rewriter(patterns, self.names, self.prims)
        body = BlockRewriter(rewriter, patterns.bundled[None])
        b = Builder(self.names, self.prims.result_types, stm.prov)
        rounded = b.add(loop.trips, ilit(WIDTH - 1))
        trips = b.prim("floordiv", rounded, ilit(WIDTH))
        index = self.names.var("bundle", loop.index.type)
        inner = b.inner()
        first = inner.mul(index, ilit(WIDTH))
        count = inner.prim("imin", inner.sub(loop.trips, first), ilit(WIDTH))
        for inside_stm in loop.body.stms:
            inner.prov = inside_stm.prov
            if inside_stm in units:
                inner.stms.append(_made_units(body, inside_stm, first))
            elif inside_stm in stores:
                _store(body, inner, inside_stm, first, count)
            else:
                body.stm(inner, inside_stm)
        made = replace(
            loop, index=index, trips=trips, body=inner.block(loop.body.results), directions=False
        )
        self.made += rewriter.made.values()
        return [*b.stms, replace(stm, expr=made)]


def _is_short(loop: For) -> bool:
    """Whether it is known to have one direction at most."""
    return isinstance(loop.trips, Lit) and loop.trips.value <= 1


def _units(loop: For) -> list[Stm]:
    """The statements that make basis vectors."""
    return [s for s in loop.body.stms if isinstance(s.expr, Prim) and _is_unit(s.expr, loop)]


def _is_unit(expr: Prim, loop: For) -> bool:
    return expr.op == "unit" and expr.args[0] == loop.index and loop.index not in expr.args[1:]


def _stores(loop: For) -> list[Stm]:
    """The statements that fill a column or row of what the loop carries, in order.

    Unbatchable where the loop does anything else with what it carries or with its index.
    """
    found: list[Stm] = []
    last = dict(zip(loop.body.results, loop.carried, strict=False))
    for stm in loop.body.stms:
        out = stm.outs[0] if stm.outs else None
        if isinstance(stm.expr, Prim) and stm.expr.op == "update_slice" and out in last:
            spec, args = stm.expr.param("spec"), stm.expr.args
            if args[0] == last[out] and spec in ("ai", "ia") and args[2] == loop.index:
                found.append(stm)
    known = set(map(id, (*found, *_units(loop))))
    special = {loop.index, *loop.carried, *(s.outs[0] for s in found)}
    for stm in loop.body.stms:
        mentioned: set[Atom] = set(free_vars_expr(stm.expr))
        if id(stm) in known:
            mentioned = {a for k, a in enumerate(atoms(stm.expr)) if k == 1}
        if mentioned & special:
            raise Unbatchable("the number of the direction, or what the loop carries, is used")
    if loop.sums or loop.descending or loop.block or len(found) != len(loop.carried):
        raise Unbatchable("the loop over directions is not one that fills matrices")
    return found


def _made_units(body: BlockRewriter, stm: Stm, first: Var | Atom) -> Stm:
    expr = stm.expr
    assert isinstance(expr, Prim)
    made = Prim("units", (first, *expr.args[1:]), expr.params)
    return Stm(tuple(map(body.var, stm.outs)), made, stm.prov)


def _store(body: BlockRewriter, b: Builder, stm: Stm, first: Atom, count: Atom) -> None:
    """Several columns or rows instead of one."""
    expr = stm.expr
    assert isinstance(expr, Prim)
    columns = expr.param("spec") == "ai"
    lanes: Atom = expr.args[1]
    if not lanes.type.is_scalar:
        lanes = b.prim("unbundle", body.lifted(b, lanes))
        lanes = b.prim("slice", lanes, ilit(0), count, ilit(1), spec="as")
        if not columns:
            lanes = b.prim("transpose", lanes, perm=(1, 0))
    elif body.on(lanes):
        raise Unbatchable("a number that depends on the direction fills a whole column")
    spec: tuple[tuple[str, str], ...] = (("spec", "as" if columns else "sa"),)
    whole = Prim("update_slice", (expr.args[0], lanes, first, count, ilit(1)), spec)
    b.stms.append(Stm(stm.outs, whole, stm.prov))
