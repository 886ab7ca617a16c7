"""Parameters of functions that are given arrays of other extents in each iteration of a loop.

A list that such an array is appended to, in the function, has arrays of different lengths
(`retrograd.frontend.values.uneven_arrays`), which only the caller can see.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from retrograd.frontend.identity.source import FunctionSource
from retrograd.frontend.syntax.trial import forget
from retrograd.frontend.values.kinds import ArrayRef, Value
from retrograd.frontend.values.tracer import Tracer
from retrograd.frontend.values.varying_shapes import has_varying_shape, is_made_shorter
from retrograd.frontend.values.views import Part
from retrograd.ir.terms import Atom, Var

__all__ = ["bent_parameters", "note_bending"]


def note_bending(t: Tracer, source: FunctionSource, given: Mapping[str, Value]) -> None:
    """Notes parameters that are given arrays of other extents each time.

    What has been translated of the function did not know of it, so it is translated again.
    """
    ctx = t.ctx
    if not ctx.way.lists:
        return
    for name, value in given.items():
        if not isinstance(value, ArrayRef) or (source, name) in ctx.bending:
            continue
        part = value.view is not None and not t.indices
        if has_varying_shape(t, value) or (part and is_made_shorter(t, value)):
            ctx.bending.add((source, name))
            forget(
                ctx,
                {
                    k
                    for k, one in ctx.specs.items()
                    if getattr(one, "source", None) is source and one.done
                },
            )


def bent_parameters(
    t: Tracer, source: FunctionSource, given: Iterable[tuple[str, Value]]
) -> frozenset[Var]:
    """Of the parameters of a function of which that has been noted, the arrays, and the extents of
    parts of arrays."""
    found: set[Atom] = set()
    for name, value in given:
        if isinstance(value, ArrayRef) and (source, name) in t.ctx.bending:
            found |= {t.state.arrays[value.loc]} if value.view is None else {
                axis.size for axis in value.view if isinstance(axis, Part)
            }  # fmt: skip
    return frozenset(one for one in found if isinstance(one, Var))
