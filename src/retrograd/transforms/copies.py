"""Copies of arrays that nothing uses afterwards: the copy takes the array over instead.

Only arrays that the block owns: made by one of its statements, or carried by the loop whose body
it is (and not an alias of another array).
(A copy that neither it nor its source is ever consumed is dropped by `simplify`.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from retrograd.ir.linear import alias_roots, consumed_params
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Expr, For, Function, Prim, Program, Stm, Var, While
from retrograd.ir.traverse import blocks, free_vars_expr, map_atoms, with_blocks
from retrograd.prims.core import PrimitiveSet

__all__ = ["take_over_copies"]


def take_over_copies(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Drops `copy(x)` where `x` is owned by the block and not mentioned after it."""
    consumed = consumed_params(program, prims)

    def one(function: Function) -> Function:
        walk = _Walk(alias_roots(function, prims, consumed))
        return replace(function, body=walk.block(function.body))

    return Program(tuple(map(one, program.functions)), program.entry)


@dataclass(slots=True)
class _Walk:
    """`roots` says which array each name stands for."""

    roots: Mapping[str, str]
    values: dict[str, Atom] = field(default_factory=dict[str, Atom])

    def swap(self, atom: Atom) -> Atom:
        return self.values.get(atom.name, atom) if isinstance(atom, Var) else atom

    def root(self, atom: Atom) -> str:
        return self.roots.get(atom.name, atom.name) if isinstance(atom, Var) else ""

    def block(self, block: Block, bound: tuple[Var, ...] = ()) -> Block:
        last: dict[str, int] = {}
        for position, stm in enumerate(block.stms):
            last.update((self.root(v), position) for v in free_vars_expr(stm.expr))
        last.update((self.root(a), len(block.stms)) for a in block.results)
        owned = set(self.own(bound))
        out: list[Stm] = []
        for position, stm in enumerate(block.stms):
            if self.is_copy(stm) and isinstance(stm.expr, Prim):
                (source,) = stm.expr.args
                root = self.root(source)
                if root in owned and last[root] == position:
                    self.values[stm.outs[0].name] = self.swap(source)
                    owned.add(self.root(stm.outs[0]))
                    continue
            owned.update(self.own(stm.outs))
            expr = map_atoms(stm.expr, self.swap)
            inner = tuple(
                self.block(b, bs) for b, bs in zip(blocks(expr), _bound(expr), strict=True)
            )
            out.append(replace(stm, expr=with_blocks(expr, inner) if inner else expr))
        return Block(tuple(out), tuple(map(self.swap, block.results)))

    def own(self, variables: tuple[Var, ...]) -> list[str]:
        """Those that are arrays of their own."""
        return [v.name for v in variables if not v.type.is_scalar and self.root(v) == v.name]

    def is_copy(self, stm: Stm) -> bool:
        return isinstance(stm.expr, Prim) and stm.expr.op == "copy"


def _bound(expr: Expr) -> tuple[tuple[Var, ...], ...]:
    """For each block of `expr`, the loop variables that its iterations own."""
    match expr:
        case For():
            return (expr.carried,)
        case While():  # the test does not own what the body goes on with
            return ((), expr.carried)
        case _:
            return ((),) * len(blocks(expr))
