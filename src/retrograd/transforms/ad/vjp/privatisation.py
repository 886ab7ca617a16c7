"""Loops whose iterations touch elements of their own.

Where the iterations of a counted loop access an array at indices a*i + c with one stride a and all
offsets c within a of each other, no iteration reads what another has written. Then what the body
reads of the carried array, before writing, is what the loop was given: the reverse sweep can read
it from the array before the loop, and nothing need be recorded in the loop. That keeps the whole
array, so it is done only where the loop provably runs through about all of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from retrograd.ir.terms import Atom, Block, For, Lit, Prim, Stm, Var
from retrograd.ir.traverse import blocks, free_vars_expr
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.ad.vjp.shaping import ShapeTable

__all__ = ["definitions", "private_arrays"]


@dataclass(frozen=True, slots=True)
class _Affine:
    """stride * index + offset."""

    stride: int
    offset: int


def private_arrays(
    loop: For, defs: Mapping[Var, Stm], shapes: ShapeTable, prims: PrimitiveSet
) -> dict[Var, Var]:
    """For each carried rank-1 array of that kind, the array before the loop."""
    found: dict[Var, Var] = {}
    slack = prims.costs.private_slack
    if any(blocks(stm.expr) for stm in loop.body.stms):
        return found
    for var, init, result in zip(loop.carried, loop.inits, loop.body.results, strict=False):
        if var.type.rank == 1 and isinstance(init, Var) and isinstance(result, Var):
            strides = _accesses(loop, var, result, prims)
            if strides is None:
                continue
            offsets = [a.offset for a in strides]
            stride = strides[0].stride
            one = all(a.stride == stride for a in strides)
            apart = one and stride > 0 and max(offsets) - min(offsets) < stride
            if apart and _covers(loop.trips, stride, init, defs, shapes, slack):
                found[var] = init
    return found


def _accesses(loop: For, var: Var, result: Var, prims: PrimitiveSet) -> list[_Affine] | None:
    """Every index at which the body accesses the array, None if one of them is not affine."""
    made = {out: stm for stm in loop.body.stms for out in stm.outs}
    versions = {var}
    found: list[_Affine] = []
    for stm in loop.body.stms:
        if not versions & free_vars_expr(stm.expr).keys():
            continue
        match stm.expr:
            case Prim(op=op, args=(base, *rest)) if prims[op].facts.element and base in versions:
                if not versions.isdisjoint(rest):
                    return None
                place = _affine(rest[-1], loop.index, made)
                if prims[op].facts.writes:
                    versions.add(stm.outs[0])
            case _:
                return None
        if place is None:
            return None
        found.append(place)
    return found if found and result in versions else None


def _affine(atom: Atom, index: Var, made: Mapping[Var, Stm]) -> _Affine | None:
    if atom == index:
        return _Affine(1, 0)
    if not isinstance(atom, Var) or atom not in made:
        return None
    match made[atom].expr:
        case Prim(op="add", args=(a, Lit(value=c))):
            inner = _affine(a, index, made)
            return None if inner is None else _Affine(inner.stride, inner.offset + int(c))
        case Prim(op="sub", args=(a, Lit(value=c))):
            inner = _affine(a, index, made)
            return None if inner is None else _Affine(inner.stride, inner.offset - int(c))
        case Prim(op="mul", args=(a, Lit(value=c))):
            inner = _affine(a, index, made)
            factor = int(c)
            return None if inner is None else _Affine(inner.stride * factor, inner.offset * factor)
        case _:
            return None


def _covers(
    trips: Atom, stride: int, array: Var, defs: Mapping[Var, Stm], shapes: ShapeTable, slack: int
) -> bool:
    """Whether the trip count is (extent + small) // stride; `slack` is the largest small number."""
    if stride == 1:
        return _about(trips, array, defs, shapes, slack)
    if not isinstance(trips, Var) or trips not in defs:
        return False
    match defs[trips].expr:
        case Prim(op="floordiv", args=(a, Lit(value=c))) if int(c) == stride:
            return _about(a, array, defs, shapes, slack)
        case _:
            return False


def _about(atom: Atom, array: Var, defs: Mapping[Var, Stm], shapes: ShapeTable, slack: int) -> bool:
    if shapes.spans(atom, array):
        return True
    if not isinstance(atom, Var) or atom not in defs:
        return False
    match defs[atom].expr:
        case Prim(op="add" | "sub" | "iadd" | "isub", args=(a, Lit(value=c))) if (
            abs(int(c)) <= slack
        ):
            return _about(a, array, defs, shapes, slack)
        case _:
            return False


def definitions(block: Block) -> dict[Var, Stm]:
    """The statement that binds each variable, in a block and all blocks inside it."""
    found: dict[Var, Stm] = {}
    for stm in block.stms:
        found.update((out, stm) for out in stm.outs)
        for inner in blocks(stm.expr):
            found.update(definitions(inner))
    return found
