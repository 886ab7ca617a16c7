"""Contraction of products and sums into `fma`, on floats.

The language decides where a product is rounded, once, so that every variant of a program that is
made from the result has the same bits. A product of the primal is contracted if the sum is its only
use. Which products of derivatives are one, and where they stand, depends on what is recorded; so
each sum that has one is contracted, whatever else uses it. Array operands must not be consumed,
since the product moves to where the sum is.

A number that a loop adds to, as `s += a[k] * b[k]` does, is not contracted: each addition waits for
the one before, and there are processors (AMD Zen 5) where a fused one takes twice as long as a sum.
Where the product has to wait for it as well, as in `s += h * f(s)`, fused is faster.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from retrograd.ir.linear import linear_functions
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Expr,
    For,
    Function,
    Prim,
    Program,
    Stm,
    Var,
    While,
)
from retrograd.ir.traverse import atoms, blocks, free_vars_expr, stms_deep, with_blocks
from retrograd.prims.core import PrimitiveSet
from retrograd.records import Itself
from retrograd.transforms.passes import unless_settled

__all__ = ["contract", "contract_derivatives"]


def contract(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Contracts everywhere."""
    return _contract(program, names, prims, None)


def contract_derivatives(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Contracts what the last derivative transformation has added.

    The bits of its primal are settled, those of tangents too that have become a part of it: which
    of them is used once depends on what is recorded.
    """
    stms = (stm for function in program.functions for stm in stms_deep(function.body))
    last = "vjp" if any(stm.prov.via[-1:] == ("vjp",) for stm in stms) else "jvp"
    return _contract(program, names, prims, last)


def _contract(
    program: Program, names: NameSupply, prims: PrimitiveSet, made_by: str | None
) -> Program:
    """`made_by`: the transformation whose statements are contracted; None: all, by their uses."""
    linear = linear_functions(program, prims)

    def one(function: Function) -> Function:
        known = linear[function.name]

        def contracted(function: Function) -> Function:
            walk = _Walk(names, _uses(function), known.names, made_by)
            return function.with_body(walk.block(function.body))

        return unless_settled(function, names, ("contracted", made_by, Itself(known)), contracted)

    return Program(tuple(map(one, program.functions)), program.entry)


def _uses(function: Function) -> Counter[str]:
    uses: Counter[str] = Counter()

    def count(items: tuple[Atom, ...]) -> None:
        uses.update(a.name for a in items if isinstance(a, Var))

    count(function.body.results)
    for stm in stms_deep(function.body):
        count(atoms(stm.expr))
        for block in blocks(stm.expr):
            count(block.results)
    return uses


_SUMS = ("add", "sub")


def _chains(loop: Expr) -> set[Var]:
    """The sums in a loop's body that lead from a number it carries to what that becomes, and whose
    other terms do not wait for what it carries."""
    found: set[Var] = set()
    if not isinstance(loop, For | While):
        return found
    made = {v: stm.expr for stm in loop.body.stms for v in stm.outs if isinstance(stm.expr, Prim)}
    sums = _sums_of(made)
    for var, result in zip(loop.carried, loop.body.results, strict=False):
        if var.type.is_float and var.type.is_scalar:
            found.update(_path(result, var, made, sums))
    if not found:
        return found
    waiting: set[Atom] = {v for v in loop.carried if v.type.is_float}
    start = frozenset(waiting)
    for stm in loop.body.stms:
        if not waiting.isdisjoint(free_vars_expr(stm.expr)):
            waiting.update(stm.outs)
    own = found | start
    return {v for v in found if all(a in own or a not in waiting for a in made[v].args)}


def _path(
    result: Atom, start: Var, made: Mapping[Var, Prim], sums: Mapping[Atom, Sequence[Var]]
) -> list[Var]:
    """The sums from `start` to `result`, the last one first; none where there is no such way."""
    path: list[Var] = []
    reached = _reached(start, sums)
    while isinstance(result, Var) and result != start:
        if result not in reached:
            return []
        path.append(result)
        result = next(a for a in made[result].args if a == start or a in reached)
    return path if result == start else []


def _sums_of(made: Mapping[Var, Prim]) -> dict[Atom, list[Var]]:
    """What is calculated by adding something to a variable, or taking something away from it."""
    found: dict[Atom, list[Var]] = {}
    for var, expr in made.items():
        ways = {"add": expr.args, "sub": expr.args[:1]}.get(expr.op, ())
        for atom in ways:
            if isinstance(atom, Var):
                found.setdefault(atom, []).append(var)
    return found


def _reached(start: Var, sums: Mapping[Atom, Sequence[Var]]) -> set[Atom]:
    """What is `start` with something added to it or taken away from it."""
    found: set[Atom] = set()
    pending = list(sums.get(start, ()))
    while pending:
        var = pending.pop()
        if var not in found:
            found.add(var)
            pending += sums.get(var, ())
    return found


@dataclass(slots=True)
class _Walk:
    names: NameSupply
    uses: Counter[str]
    consumed: frozenset[str]
    made_by: str | None
    products: dict[str, Stm] = field(default_factory=dict[str, Stm])
    chained: set[Var] = field(default_factory=set[Var])

    def block(self, block: Block) -> Block:
        outer = self.products
        if self.made_by is None:
            self.products = {}
        out: list[Stm] = []
        for stm in block.stms:
            self.chained.update(_chains(stm.expr))
            inner = tuple(self.block(b) for b in blocks(stm.expr))
            current = stm.with_expr(with_blocks(stm.expr, inner)) if inner else stm
            replaced = self.contracted(current)
            out.extend(replaced)
            if len(replaced) == 1 and self.is_product(current):
                self.products[current.outs[0].name] = current
        kept = [s for s in out if not self.is_gone(s)]
        self.products = outer
        return block.changed(tuple(kept), block.results)

    def where(self, stm: Stm) -> bool:
        """Whether a statement may become, or become a part of, a fused one."""
        return self.made_by is None or stm.prov.via[-1:] == (self.made_by,)

    def is_gone(self, stm: Stm) -> bool:
        """Whether it is a product that only fused statements have used."""
        name = stm.outs[0].name if stm.outs else ""
        return name in self.products and not self.uses[name]

    def is_product(self, stm: Stm) -> bool:
        expr = stm.expr
        if not isinstance(expr, Prim) or expr.op != "mul" or not stm.outs[0].type.is_float:
            return False
        names = [stm.outs[0].name, *(a.name for a in expr.args if isinstance(a, Var))]
        fixed = self.consumed.isdisjoint(names[1:])
        once = self.made_by is not None or self.uses[names[0]] == 1
        return fixed and once and self.where(stm)

    def product(self, atom: Atom) -> tuple[Atom, Atom] | None:
        """The factors of a product that may move here; it is not used here any more then."""
        if not isinstance(atom, Var) or atom.name not in self.products:
            return None
        stm = self.products[atom.name]
        if not isinstance(stm.expr, Prim):
            return None
        self.uses[atom.name] -= 1
        a, b = stm.expr.args
        return a, b

    def contracted(self, stm: Stm) -> list[Stm]:
        expr = stm.expr
        if not isinstance(expr, Prim) or not stm.outs or not stm.outs[0].type.is_float:
            return [stm]
        if expr.op not in _SUMS or stm.outs[0] in self.chained or not self.where(stm):
            return [stm]
        left, right = expr.args
        if (factors := self.product(left)) is not None:
            if expr.op == "add":
                return [self.fused(stm, *factors, right)]
            return self.negated(stm, right, lambda minus: self.fused(stm, *factors, minus))
        if (factors := self.product(right)) is None:
            return [stm]
        a, b = factors
        if expr.op == "add":
            return [self.fused(stm, a, b, left)]
        return self.negated(stm, b, lambda minus: self.fused(stm, minus, a, left))

    def fused(self, stm: Stm, a: Atom, b: Atom, c: Atom) -> Stm:
        return replace(stm, expr=Prim("fma", (a, b, c)))

    def negated(self, stm: Stm, atom: Atom, use: Callable[[Atom], Stm]) -> list[Stm]:
        minus = self.names.var("m", atom.type)
        return [Stm((minus,), Prim("neg", (atom,)), stm.prov), use(minus)]
