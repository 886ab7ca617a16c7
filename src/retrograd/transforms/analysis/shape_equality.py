"""What all callers of a function agree on: which extents of its array parameters are equal.

A function that is called with square matrices only needs no checks against the second extent where
it has them against the first; in a recursion on minors that is all there is to check. First all
extents of the parameters of a function are taken to be equal. Every place that calls it divides
them into those that are equal there, with what is assumed of its own function; where that changes,
the function is looked at again, until nothing is divided any more. What is left holds by induction
over the calls of a run.

The entry is called from outside, and rules of custom derivatives by what derives: nothing is known
of their parameters. Later transformations make calls of new versions of a function with what the
old one was called with, so what was concluded in a function stays true.
"""

from __future__ import annotations

from collections.abc import Mapping

from retrograd.ir.terms import Atom, Call, Function, Jvp, Program, Var, Vjp
from retrograd.ir.traverse import stms_deep
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.analysis.shapes import (
    Axis,
    Equal,
    Extent,
    Shapes,
    kept_extents,
    shapes_of,
)

__all__ = ["agreed_shapes"]


def agreed_shapes(program: Program, prims: PrimitiveSet) -> Mapping[str, Shapes]:
    """The extents in each function, with axes of its parameters by the first that is always as
    long."""
    open_ = _open_functions(program, prims.costs.agreeing_axes)
    classes = {f.name: _together(f) for f in open_}
    table = {f.name: f for f in open_}
    calls = {f.name: _calls(f, table) for f in program.functions}
    found: dict[str, Shapes] = {}
    kept = kept_extents(program.functions)
    functions = {f.name: f for f in program.functions}
    pending = dict.fromkeys(functions)
    while pending:
        function = functions[next(iter(pending))]
        del pending[function.name]
        shapes = shapes_of(function, prims, classes.get(function.name), kept=kept)
        found[function.name] = shapes
        for name, args in calls[function.name]:
            callee = table[name]
            divided = _divided(callee, args, shapes, classes[name])
            if divided != classes[name]:
                classes[name] = divided
                pending[name] = None
    return found


def _open_functions(program: Program, most: int) -> list[Function]:
    """Those that are called by the program only. Of functions with more axes nothing is asked: it
    would take long and give little."""
    shut = {program.entry}
    for function in program.functions:
        if function.custom is not None:
            shut.add(function.custom.rule)
            shut.update(filter(None, (function.custom.pullback,)))
    return [
        f
        for f in program.functions
        if f.name not in shut and 1 < sum(p.type.rank for p in f.params) <= most
    ]


def _calls(function: Function, table: Mapping[str, Function]) -> list[tuple[str, tuple[Atom, ...]]]:
    """What a function calls those of the table with."""
    exprs = (stm.expr for stm in stms_deep(function.body))
    return [
        (e.function, e.args)
        for e in exprs
        if isinstance(e, Call | Jvp | Vjp) and e.function in table
    ]


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
