"""Extents of what a loop carries, in programs that are for certain extents.

An array is taken to keep the extents that it has before the loop. Where the end of the body shows
others, they are not known, and the body is translated again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from retrograd.frontend.values.heads import same_head
from retrograd.frontend.values.kinds import (
    UNDEF,
    ArrayRef,
    ComplexValue,
    Maybe,
    OneOf,
    Option,
    Value,
    parts,
)
from retrograd.frontend.values.several import counterpart
from retrograd.frontend.values.sizes import Extents
from retrograd.frontend.values.state import State
from retrograd.frontend.values.tracer import Tracer
from retrograd.frontend.values.views import At, New, Part, Whole
from retrograd.ir.terms import Atom, Lit, Var

__all__ = ["CarriedExtents"]


@dataclass(slots=True)
class CarriedExtents:
    """What is assumed of the extents of carried arrays, by location."""

    assumed: dict[int, Extents] = field(default_factory=dict[int, Extents])

    def begin(
        self, t: Tracer, states: tuple[State, State], given: Mapping[int, Value],
        cells: Mapping[int, Value], outer: Collection[int],
    ) -> None:  # fmt: skip
        """Notes the extents of the variables of an attempt.

        `states` are those before the loop and at the beginning of its body, `given` the values
        before the loop of the variables in `cells`.
        """
        sizes = t.ctx.sizes
        if sizes is None:
            return
        before, header = (state.arrays for state in states)
        for loc in outer:
            if loc in before and header.get(loc) not in (None, before[loc]):
                self.assumed.setdefault(loc, sizes.of(before[loc]))
        for cell, h in cells.items():
            for loc, ref in _joined(given[cell], h, outer):
                known = (None,) * ref.type.rank
                if ref.loc in before:
                    known = _extents(sizes.of(before[ref.loc]), ref)
                self.assumed.setdefault(loc, known)
        for loc, known in self.assumed.items():
            if loc in header:
                sizes.note(header[loc], known)

    def change(
        self, t: Tracer, header: State, variables: Sequence[Var], ends: Sequence[Atom]
    ) -> bool:
        """Whether the arrays at the end of a body have other extents; those are not known then."""
        sizes, changed = t.ctx.sizes, False
        if sizes is None:
            return False
        locs = {array: loc for loc, array in header.arrays.items()}
        for variable, atom in zip(variables, ends, strict=True):
            loc = locs.get(variable)
            if loc is None:
                continue
            known = sizes.of(variable)
            found = sizes.of(atom)
            common = sizes.agreed(variable, atom) if loc in self.assumed else found
            if known != common:
                self.assumed[loc] = common
                changed = True
        return changed

    def end(self, t: Tracer, variables: Sequence[Var], outs: Sequence[Var]) -> None:
        """Notes the extents of what there is after the loop."""
        if (sizes := t.ctx.sizes) is not None:
            for out, variable in zip(outs, variables, strict=True):
                sizes.note(out, sizes.of(variable))


def _joined(value: Value, h: Value, outer: Collection[int]) -> Iterator[tuple[int, ArrayRef]]:
    """The joined locations of `h`, each with the array that it is before the loop."""
    match value, h:
        case (ArrayRef(), ArrayRef()):
            if h.loc not in outer:
                yield h.loc, value
        case (Maybe() | Option(), _):
            yield from _joined(value.value, h, outer)
        case (_, Maybe() | Option()):
            yield from _joined(value, h.value, outer)
        case (ArrayRef(), ComplexValue()):
            yield from _joined(value, h.real, outer)
        case (_, OneOf()):
            for kind in h.values:
                yield from _joined(counterpart(value, kind) or UNDEF, kind, outer)
        case _ if same_head(value, h):
            for one, two in zip(parts(value), parts(h), strict=True):
                yield from _joined(one, two, outer)
        case _:
            return


def _extents(whole: Extents, ref: ArrayRef) -> Extents:
    """The extents of a reference to an array of such extents, as far as they are known."""
    found: list[int | None] = []
    axes = iter(whole)
    for axis in ref.view or (Whole(),) * ref.base.rank:
        if isinstance(axis, New):
            found.append(1)
            continue
        known = next(axes)
        if isinstance(axis, Part):
            known = int(axis.size.value) if isinstance(axis.size, Lit) else None
        if not isinstance(axis, At):
            found.append(known)
    return tuple(found)
