"""Where repeated statements stand in reverse code: each just before its first use.

If all of them stood at the head of their scope's reverse code, all their results would be alive at
once, and the peak of memory would be that of their sum, however little is recorded.

Scalars stay at the head, with the statements that the vectoriser looks at; except those that are
read of a repeated array. So does what is read of a version of a logged array, which is there in a
window only. And so does an array that is smaller than the recorded arrays that it alone is
calculated from: after it they are not alive any more.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace

from retrograd.ir.terms import Block, Stm, Var
from retrograd.ir.traverse import free_vars_expr
from retrograd.transforms.ad.vjp.residuals import Residuals

__all__ = ["just_before_use"]


def just_before_use(
    found: Residuals, reverse: Block, versions: Container[Var], extent: float
) -> Residuals:
    """Residuals whose repeated statements have the latest places that are right.

    Args:
        found: residuals; repeated statements stand in the order in which they depend on each other.
        reverse: the reverse code, without what is repeated.
        versions: versions of logged arrays, which are there in windows of the reverse code.
        extent: what every axis counts as.
    """
    arrays = {v for _, s in found.repeated for v in s.outs if not v.type.is_scalar}
    if not arrays:
        return found
    uses = _Uses.of(found, reverse)
    recorded = frozenset(found.recorded)
    places: list[tuple[int, Stm]] = []
    for place, stm in reversed(found.repeated):
        read = free_vars_expr(stm.expr).keys()
        late = (stm.outs[0] in arrays or not arrays.isdisjoint(read)) and not any(
            v in versions for v in read
        )
        latest = uses.first(stm.outs[0], place)
        if late and not _larger(stm, read & recorded, latest, uses, extent):
            place = latest
        uses.repeated(stm, place)
        places.append((place, stm))
    return replace(found, repeated=tuple(reversed(places)))


@dataclass(slots=True)
class _Uses:
    """Places at which reverse code first reads variables, and those at which it last does.

    `readers`: how many repeated statements read a variable.
    """

    early: dict[Var, int] = field(default_factory=dict[Var, int])
    last: dict[Var, int] = field(default_factory=dict[Var, int])
    readers: dict[Var, int] = field(default_factory=dict[Var, int])

    @staticmethod
    def of(found: Residuals, reverse: Block) -> _Uses:
        uses = _Uses()
        for place, stm in enumerate(reverse.stms):
            uses.read(free_vars_expr(stm.expr), place)
        uses.read([a for a in reverse.results if isinstance(a, Var)], len(reverse.stms))
        for _, stm in found.repeated:
            for var in free_vars_expr(stm.expr):
                uses.readers[var] = uses.readers.get(var, 0) + 1
        return uses

    def read(self, variables: Iterable[Var], place: int) -> None:
        for var in variables:
            self.early[var] = min(place, self.early.get(var, place))
            self.last[var] = max(place, self.last.get(var, place))

    def repeated(self, stm: Stm, place: int) -> None:
        self.read(free_vars_expr(stm.expr), place)

    def first(self, var: Var, place: int) -> int:
        """The place of its first use, which is not before `place`."""
        return max(place, self.early.get(var, place))


def _larger(stm: Stm, recorded: Iterable[Var], latest: int, uses: _Uses, extent: float) -> bool:
    """Whether the recorded arrays that nothing else reads later are larger than the result."""
    alone = [
        v
        for v in recorded
        if uses.readers[v] == 1 and uses.last.get(v, 0) < latest and not v.type.is_scalar
    ]
    return sum(extent**v.type.rank for v in alone) > extent ** stm.outs[0].type.rank
