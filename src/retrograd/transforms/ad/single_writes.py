"""What is written once into an array of constants is marked before sweeps are made.

The reverse of `x[i] = v` takes the cotangent of x[i] for v, and clears it: what was there before
has no part in what comes after. Where x began as an array of constants, and no other iteration
writes the same element, nothing looks at that cotangent again, so the mark `once` lets it be. The
reverse loop then only reads the cotangent of x, which needs no copy, and nothing is stored for it.

Loops inside each other count as one where each hands the array on: every index of theirs has to
be, up to what does not change in any of them, one of the indices of the element.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Expr, For, Function, Lit, Prim, Program, Stm, Var
from retrograd.ir.traverse import binders, blocks, with_blocks
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.prims.facts import How
from retrograd.transforms.analysis.affine import forms_of, linear, resolved
from retrograd.transforms.analysis.bounds import Linear
from retrograd.transforms.passes import per_function

__all__ = ["mark_single_writes"]


def mark_single_writes(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Marks the updates of arrays of constants that never meet the same element again."""
    return per_function(program, lambda function: _marked(function, prims))


def _marked(function: Function, prims: PrimitiveSet) -> Function:
    found = _Search(prims)
    found.block(function.body, [])
    if not found.once:
        return function
    return replace(function, body=_with_marks(function.body, found.once))


@dataclass(slots=True)
class _Search:
    """`made` has what each variable is bound to, `forms` the linear forms of integers, `depth` the
    number of loops around a variable, and `once` the arrays that a single write makes."""

    prims: PrimitiveSet
    made: dict[str, Stm] = field(default_factory=dict[str, Stm])
    forms: dict[str, Linear] = field(default_factory=dict[str, Linear])
    depth: dict[str, int] = field(default_factory=dict[str, int])
    once: set[str] = field(default_factory=set[str])

    def block(self, block: Block, around: Sequence[For]) -> None:
        self.forms |= forms_of(block)
        for stm in block.stms:
            for out in stm.outs:
                self.made[out.name] = stm
                self.depth[out.name] = len(around)
            expr = stm.expr
            inside = [*around, expr] if isinstance(expr, For) else around
            for var in binders(expr):
                self.depth[var.name] = len(inside)
            for inner in blocks(expr):
                self.block(inner, inside)
            if isinstance(expr, For):
                self.loop(expr, len(around))

    def loop(self, expr: For, depth: int) -> None:
        """Looks at the arrays that a loop carries and that begin as constants."""
        for k, init in enumerate(expr.inits):
            source = self.made.get(init.name) if isinstance(init, Var) else None
            if source is not None and not init.type.is_scalar and self.constant(source.expr):
                self.written(expr, k, [expr.index], depth)

    def constant(self, expr: Expr) -> bool:
        """Whether nothing that is differentiated goes into what a primitive makes."""
        if not isinstance(expr, Prim) or self.prims[expr.op].effect is Effect.TAPE:
            return False
        return all(isinstance(a, Lit) or not a.type.is_float for a in expr.args)

    def written(self, expr: For, k: int, indices: list[Var], depth: int) -> None:
        """Follows a carried array to the one place that writes it, in this loop or inside."""
        carried, result = expr.carried[k], expr.body.results[k]
        stm = self.made.get(result.name) if isinstance(result, Var) else None
        if stm is None or expr.directions:
            return
        inner = stm.expr
        if isinstance(inner, Prim):
            places = self.places(inner) if inner.args and inner.args[0] == carried else []
            if all(any(self.moves(p, i, depth) for p in places) for i in indices):
                self.once.add(stm.outs[0].name)
        elif isinstance(inner, For) and carried in inner.inits:
            position = inner.inits.index(carried)
            if position < len(stm.outs) and stm.outs[position] == result:
                self.written(inner, position, [*indices, inner.index], depth)

    def places(self, expr: Prim) -> list[Atom]:
        """The indices of the element, or of the rows, that a primitive replaces."""
        access = self.prims[expr.op].facts.access
        if access is None or access.how is not How.REPLACES:
            return []
        given = list(expr.args[access.places :])
        if access.element:
            return given
        found: list[Atom] = []
        for letter in str(expr.param("spec")):
            if letter == "i":
                found.append(given.pop(0))
            elif letter == "s":
                del given[:3]
        return found

    def moves(self, place: Atom, index: Var, depth: int) -> bool:
        """Whether a place is a multiple of an index, counted from what no loop changes."""
        terms = resolved(linear(place, self.forms), self.forms).terms
        others = (u for u in terms if u != index.name)
        return index.name in terms and all(self.depth.get(str(u), 0) <= depth for u in others)


def _with_marks(block: Block, once: Set[str]) -> Block:
    out: list[Stm] = []
    for stm in block.stms:
        inner = tuple(_with_marks(b, once) for b in blocks(stm.expr))
        new = replace(stm, expr=with_blocks(stm.expr, inner)) if inner else stm
        if isinstance(new.expr, Prim) and new.outs and new.outs[0].name in once:
            params = tuple(sorted({**dict(new.expr.params), "once": True}.items()))
            new = replace(new, expr=replace(new.expr, params=params))
        out.append(new)
    return Block(tuple(out), block.results)
