"""Functions that do the same are one function, for all later passes and for LLVM.

A loop that is translated iteration by iteration has a version of a function for each call of it.
Two functions do the same if they are equal up to the names of variables, call the same functions,
and have the same places in the user's text. They stay apart where more is known of the extents of
one's parameters, for which its callers are the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from retrograd.ir.equal import renamed
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Block, Call, Expr, Function, Jvp, Program, Stm, Var, Vjp
from retrograd.ir.traverse import blocks, stms_deep, with_blocks
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.analysis.shape_equality import agreed_shapes
from retrograd.transforms.analysis.shapes import Axis, Extent, Shapes

__all__ = ["merge_equal"]


def merge_equal(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """`program` with one function in the place of several equal ones."""
    while True:
        found = _equal(program, prims)
        if not found:
            return program
        kept = (f for f in program.functions if f.name not in found)
        functions = (f.with_body(_calling(f.body, found)) for f in kept)
        program = Program(tuple(functions), program.entry)


def _equal(program: Program, prims: PrimitiveSet) -> Mapping[str, str]:
    """For functions that go, those that stay and do the same."""
    alike: dict[object, list[Function]] = {}
    for function in program.functions:
        if function.custom is None and function.name != program.entry:
            alike.setdefault(_outline(function), []).append(function)
    several = [group for group in alike.values() if len(group) > 1]
    if not several:
        return {}
    rules = _named_by_rules(program)
    shapes = agreed_shapes(program, prims)
    first: dict[object, str] = {}
    found: dict[str, str] = {}
    for function in (f for group in several for f in group if f.name not in rules):
        key = _text(function), _known(function, shapes[function.name])
        stays = first.setdefault(key, function.name)
        if stays != function.name:
            found[function.name] = stays
    return found


def _named_by_rules(program: Program) -> frozenset[str]:
    """Functions that belong to derivatives of users' own."""
    customs = [f.custom for f in program.functions if f.custom is not None]
    return frozenset(name for c in customs for name in (c.rule, c.pullback) if name)


def _outline(function: Function) -> object:
    """What is quickly found, and is equal for functions that are."""
    types = tuple(p.type for p in function.params)
    return types, function.result_types, function.once("size", lambda: _size(function))


def _size(function: Function) -> int:
    return sum(1 for _ in stms_deep(function.body))


def _text(function: Function) -> str:
    """Equal for functions that do the same, and tells 0.0 from -0.0."""
    return function.once("unnamed", lambda: repr(replace(renamed(function), name="")))


def _known(function: Function, shapes: Shapes) -> tuple[object, ...]:
    """What is known of the extents of the parameters, in whatever names."""
    places: dict[Extent, int] = {}
    extents = [e for p in function.params if p.type.rank for e in shapes.arrays[p.name]]
    scalars = [shapes.scalar(p) for p in function.params if p.name in shapes.scalars]
    return tuple(
        e if not isinstance(e, Axis | Var) else ("", places.setdefault(e, len(places)))
        for e in (*scalars, *extents)
    )


def _calling(block: Block, found: Mapping[str, str]) -> Block:
    """The block with calls of the functions that stay."""
    return block.changed(tuple(_statement(stm, found) for stm in block.stms), block.results)


def _statement(stm: Stm, found: Mapping[str, str]) -> Stm:
    expr: Expr = stm.expr
    if isinstance(expr, Call | Jvp | Vjp):
        name = found.get(expr.function)
        return stm if name is None else stm.with_expr(replace(expr, function=name))
    inside = blocks(expr)
    changed = tuple(_calling(block, found) for block in inside)
    if all(a is b for a, b in zip(inside, changed, strict=True)):
        return stm
    return stm.with_expr(with_blocks(expr, changed))
