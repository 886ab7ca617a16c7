"""Cotangents of a map's elements that each element itself decides, as in a sum of squares.

They are arrays that are calculated, element by element, of what the map has made. Where both sweeps
of the map are one loop (`fusion.py`), an iteration calculates the element that it needs from the
one that it has just written; no sweep has to wait until all elements are there.

The arithmetic is that of the array statements, statement by statement, so no bits change. For that
nothing may be contracted to `fma` here that is not there: a product is marked where it meets the
iteration's own statements, and no other product may meet a sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Expr, For, Prim, Stm, Var
from retrograd.ir.traverse import atoms, blocks, free_vars, free_vars_expr, stms_deep, substitute
from retrograd.ir.types import Type
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.transforms.analysis.effects import prim_effect
from retrograd.transforms.analysis.shapes import Extent, Shapes

__all__ = ["OwnElements", "copies_of", "depending_on", "original", "unchanged_apart"]


def depending_on(made: Sequence[Var], stms: Sequence[Stm]) -> frozenset[Var]:
    """What is calculated of some variables, through the tape as well."""
    found, sites = set(made), set[object]()
    for stm in stms:
        expr = stm.expr
        site = dict(expr.params).get("site") if isinstance(expr, Prim) else None
        if not found.isdisjoint(free_vars_expr(expr)):
            found.update(stm.outs)
            sites.add(site)
        elif site is not None and site in sites:
            found.update(stm.outs)
    return frozenset(found)


def copies_of(stms: Sequence[Stm]) -> Mapping[Var, Atom]:
    """What variables are copies of: arrays that were copied, and what was pushed and is popped."""
    pushes: dict[object, tuple[Atom, ...]] = {}
    same: dict[Var, Atom] = {}
    for stm in stms:
        expr = stm.expr
        if not isinstance(expr, Prim):
            continue
        if expr.op == "push":
            pushes[expr.param("site")] = expr.args
        elif expr.op == "pop":
            same.update(zip(stm.outs, pushes.get(expr.param("site"), ()), strict=False))
        elif expr.op == "copy":
            same[stm.outs[0]] = expr.args[0]
    return same


def original(atom: Atom, same: Mapping[Var, Atom]) -> Atom:
    """What something is a copy of, on the tape or off it (`copies_of`)."""
    while isinstance(atom, Var) and atom in same:
        atom = same[atom]
    return atom


def unchanged_apart(stm: Stm, loop: For, prims: PrimitiveSet) -> tuple[Stm, For, list[Stm]]:
    """A loop without the arrays that it carries from one iteration to the next as they are.

    Returns:
        the loop as a statement and an expression, and copies that stand for those results.
    """
    same, written = copies_of(loop.body.stms), _written(loop.body, prims)
    inits: dict[Var, Atom] = {}
    for var, init, result in zip(loop.carried, loop.inits, loop.body.results, strict=False):
        if original(result, same) == var and var.type.rank and var not in written:
            inits[var] = init
    if not inits:
        return stm, loop, []
    kept = [k for k, var in enumerate(loop.carried) if var not in inits]
    kept += range(len(loop.carried), len(loop.body.results))
    body = Block(loop.body.stms, tuple(loop.body.results[k] for k in kept))
    body = _without_copies(substitute(body, _only_read(body, inits, same, prims)))
    expr = replace(
        loop,
        carried=tuple(v for v in loop.carried if v not in inits),
        inits=tuple(a for v, a in zip(loop.carried, loop.inits, strict=True) if v not in inits),
        body=substitute(body, inits),
    )
    copies = [
        Stm((out,), Prim("copy", (inits[var],)), stm.prov)
        for var, out in zip(loop.carried, stm.outs, strict=False) if var in inits
    ]  # fmt: skip
    return replace(stm, outs=tuple(stm.outs[k] for k in kept), expr=expr), expr, copies


def _written(block: Block, prims: PrimitiveSet) -> set[Var]:
    """What a block does anything with but read elements, ask for extents and copy."""
    found: set[Atom] = set()
    for stm in stms_deep(block):
        if not _reads(stm.expr, prims):
            found.update(atoms(stm.expr))
        for inner in blocks(stm.expr):
            found.update(inner.results)
    return {a for a in found if isinstance(a, Var)}


def _reads(expr: Expr, prims: PrimitiveSet) -> bool:
    """Whether a primitive loads an element, asks for an extent or copies."""
    if not isinstance(expr, Prim):
        return False
    access = prims[expr.op].facts.access
    part = access is not None and access.element and not access.writes
    return part or bool(prims[expr.op].facts.shape_only) or expr.op == "copy"


def _only_read(
    block: Block, inits: Mapping[Var, Atom], same: Mapping[Var, Atom], prims: PrimitiveSet
) -> dict[Var, Atom]:
    """What copies in a block are copies of, where elements of them are read and nothing else."""
    written = _written(block, prims) | set(block.results)
    found: dict[Var, Atom] = {}
    for copy, array in same.items():
        array = found.get(array, array) if isinstance(array, Var) else array
        if copy not in written and array in inits:
            found[copy] = array
    return found


def _without_copies(block: Block) -> Block:
    """A block without copies that it does not use."""
    used, stms = set(block.results), list[Stm]()
    for stm in reversed(block.stms):
        copied = isinstance(stm.expr, Prim) and stm.expr.op == "copy"
        if not copied or not used.isdisjoint(stm.outs):
            used.update(free_vars(Block((stm,), ())))
            stms.append(stm)
    return Block(tuple(reversed(stms)), block.results)


@dataclass(slots=True)
class OwnElements:
    """Elements of arrays that depend on a map, at the index of an iteration of it.

    `made` has the map's results as they are within the iteration, after it has written its element;
    `late` is all that depends on the map, `same` what others are copies of, or was pushed for what
    is popped. `before` are the variables that the elements need besides, which do not depend on it.
    """

    defs: Mapping[Var, Stm]
    made: Mapping[Var, Atom]
    late: Set[Var]
    same: Mapping[Var, Atom]
    shapes: Shapes
    names: NameSupply
    prims: PrimitiveSet
    before: dict[Var, None] = field(default_factory=dict[Var, None])

    def replaced(self, body: Block, index: Var) -> Block | None:
        """A body in which elements at its index of arrays in `late` are calculated.

        None where one of them is used in another way, or is not calculated element by element.
        """
        stms: list[Stm] = []
        for stm in body.stms:
            array = self.asked(stm, index)
            found = [stm] if array is None else self.element(array, index)
            if found is None:
                return None
            stms += found if array is None else _named(found, stm.outs[0])
        block = Block(tuple(stms), body.results)
        return block if self.late.isdisjoint(free_vars(block)) else None

    def asked(self, stm: Stm, index: Var) -> Var | None:
        """The array in `late` of which a statement loads the element at an index."""
        match stm.expr:
            case Prim("index", (Var() as array, at)) if array in self.late and at == index:
                return None if stm.expr.param("checked") else array
            case _:
                return None

    def element(self, array: Var, index: Var) -> list[Stm] | None:
        """The statements that calculate an element, it last; None where there are none."""
        order: dict[Var, None] = {}
        leaves: dict[Var, Atom] = {}
        last = original(array, self.same)
        if not isinstance(last, Var) or not self.visit(last, order, leaves):
            return None
        extents = {self.extent(v) for v in leaves if v.type.rank}
        if len(extents) != 1 or self.contracts(order, leaves):
            return None
        values: dict[Atom, Atom] = {}
        b = Builder(self.names, self.prims.result_types, self.defs[last].prov)
        for leaf, atom in leaves.items():
            rank = leaf.type.rank
            values[leaf] = b.prim("index", atom, index, checked=False, span=None) if rank else atom
        for var in order:
            stm = self.defs[var]
            assert isinstance(stm.expr, Prim)
            b.prov = stm.prov.through("element") if var == last else stm.prov
            args = (original(a, self.same) for a in stm.expr.args)
            given = tuple(values.get(a, a) for a in args)
            kind = Type(var.type.dtype, 0)
            values[var] = b.bind(replace(stm.expr, args=given), (kind,))[0]
        return b.stms

    def extent(self, array: Var) -> Extent | None:
        found = self.shapes.arrays.get(array.name)
        return found[0] if found else None

    def visit(self, atom: Atom, order: dict[Var, None], leaves: dict[Var, Atom]) -> bool:
        """Finds the statements of an element, operands first, and what they begin with."""
        atom = original(atom, self.same)
        if not isinstance(atom, Var) or atom in order or atom in leaves:
            return True
        if atom in self.made or atom not in self.late:
            leaves[atom] = self.made.get(atom, atom)
            if atom not in self.made:
                self.before[atom] = None
            return atom.type.rank <= 1
        expr = self.defs[atom].expr
        if not isinstance(expr, Prim) or not self.prims[expr.op].elementwise or not atom.type.rank:
            return False
        if prim_effect(expr, self.prims) is not Effect.PURE or self.prims[expr.op].consumes:
            return False
        found = all(self.visit(a, order, leaves) for a in expr.args)
        order[atom] = None
        return found

    def contracts(self, order: Mapping[Var, None], leaves: Mapping[Var, Atom]) -> bool:
        """Whether a product may meet a sum here, which would be contracted, or not."""
        exprs = [e for v in order if isinstance(e := self.defs[v].expr, Prim)]
        known = (v for v in (*order, *leaves) if v in self.defs)
        products = {v for v in known if _applies("mul", self.defs[v].expr)}
        sums = (e.args for e in exprs if _applies("add", e) or _applies("sub", e))
        return any(original(a, self.same) in products for args in sums for a in args)


def _applies(op: str, expr: Expr) -> bool:
    return isinstance(expr, Prim) and expr.op == op


def _named(stms: Sequence[Stm], out: Var) -> list[Stm]:
    """The statements with another name for the last one's result."""
    return [*stms[:-1], replace(stms[-1], outs=(out,))]
