"""What all callers of a function agree on: which extents of its array parameters are equal.

A function that is called with square matrices only needs no checks against the second extent where
it has them against the first; in a recursion on minors that is all there is to check. First all
extents of the parameters of a function are taken to be equal. Every place that calls it divides
them into those that are equal there, with what is assumed of its own function; this is repeated
until nothing is divided any more. What is left holds by induction over the calls of a run.

The entry is called from outside, and rules of custom derivatives by what derives: nothing is known
of their parameters. Later transformations make calls of new versions of a function with what the
old one was called with, so what was concluded in a function stays true.
"""

from __future__ import annotations

from collections.abc import Mapping

from retrograd.ir.terms import Atom, Call, Function, Jvp, Program, Var, Vjp
from retrograd.ir.traverse import stms_deep
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.analysis.shapes import Axis, Equal, Extent, Shapes, shapes_of

__all__ = ["agreed_extents"]


def agreed_extents(program: Program, prims: PrimitiveSet) -> Mapping[str, Equal]:
    """For each function, axes of its parameters by the first one that is always as long."""
    most = prims.costs.agreeing_axes
    classes = {f.name: _together(f) for f in program.functions if _may_agree(f, program, most)}
    table = {f.name: f for f in program.functions}
    while classes:
        before = dict(classes)
        for function in program.functions:
            shapes = shapes_of(function, prims, classes.get(function.name, {}))
            for stm in stms_deep(function.body):
                expr = stm.expr
                if isinstance(expr, Call | Jvp | Vjp) and expr.function in classes:
                    callee = table[expr.function]
                    old = classes[callee.name]
                    classes[callee.name] = _divided(callee, expr.args, shapes, old)
        if classes == before:
            break
    return classes


def _may_agree(function: Function, program: Program, most: int) -> bool:
    """Of functions with more axes nothing is asked: it would take long and give little."""
    axes = sum(p.type.rank for p in function.params)
    rules = {
        name
        for f in program.functions
        if f.custom is not None
        for name in (f.custom.rule, f.custom.pullback)
    }
    return function.name not in (program.entry, *rules) and 1 < axes <= most


def _axes(function: Function) -> list[Axis]:
    return [Axis(p.name, k) for p in function.params for k in range(p.type.rank)]


def _together(function: Function) -> dict[Axis, Axis]:
    axes = _axes(function)
    return dict.fromkeys(axes, axes[0])


def _divided(
    callee: Function, args: tuple[Atom, ...], shapes: Shapes, old: Equal
) -> dict[Axis, Axis]:
    """The axes that were equal and are so in this call."""
    first: dict[tuple[Axis, Extent], Axis] = {}
    found: dict[Axis, Axis] = {}
    for param, atom in zip(callee.params, args, strict=False):
        for k in range(param.type.rank):
            own = Axis(param.name, k)
            known = shapes.arrays.get(atom.name, ()) if isinstance(atom, Var) else ()
            extent = known[k] if k < len(known) else own
            found[own] = first.setdefault((old[own], extent), own)
    return found
