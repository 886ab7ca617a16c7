"""What a reversible function returns: parameters, those that change among them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from retrograd.inversion.complaints import Complaints
from retrograd.inversion.facts import blocks_of, every, written_by
from retrograd.inversion.places import root_of, text
from retrograd.inversion.statements import Block, CallStep, Change, Exchange, Statement, Update

__all__ = ["Returned", "read_return"]


@dataclass(frozen=True, slots=True)
class Returned:
    """The last statement: the names that it returns, None without one."""

    node: ast.Return | None
    names: tuple[str, ...] | None
    single: bool
    complaints: Complaints

    def changed(self, body: Block, parameters: Sequence[str]) -> tuple[str, ...]:
        """The parameters that the body changes.

        Raises:
            UserError: a number that changes is not returned.
        """
        writes = {root_of(place): stm for stm in every(body) for place in written_by(stm)}
        found = tuple(name for name in parameters if name in writes)
        for stm in every(body):
            for name in _rebound(stm):
                if name in found and name not in (self.names or ()):
                    raise self._lost(stm, name, found)
        return found

    def arrays(self, body: Block, changed: Sequence[str]) -> tuple[str, ...]:
        """The changed parameters that are updated as a whole and not returned: arrays only.

        Of what a function changes and does not return, that function knows.
        """
        own = (stm for stm in every(body) if not blocks_of(stm))
        names = (place for stm in own for place in _put(stm))
        whole = {place.id for place in names if isinstance(place, ast.Name)}
        return tuple(n for n in changed if n in whole and n not in (self.names or ()))

    def _lost(self, stm: Statement, name: str, changed: Sequence[str]) -> Exception:
        returned = ", ".join(n for n in changed if n == name or n in (self.names or ()))
        return self.complaints.error(
            "RG0506", f"{name!r}, which `{text(stm.node).partition(chr(10))[0]}` changes, is not "
            "returned", stm.node, f"return it: return {returned}",
        )  # fmt: skip


def _put(stm: Statement) -> list[ast.expr]:
    """The places that a statement itself gives a value."""
    match stm:
        case CallStep(targets=None):
            return []
        case CallStep(targets=ast.Tuple(elts=places)):
            return places
        case CallStep(targets=ast.expr() as place):
            return [place]
        case _:
            return written_by(stm)


def _rebound(stm: Statement) -> list[str]:
    """The names that a statement binds to another value, for which nothing is known outside."""
    match stm:
        case Update(target=ast.Name(id=name), rebinding=True):
            return [name]
        case Exchange() | Change():
            return [place.id for place in stm.targets if isinstance(place, ast.Name)]
        case CallStep() | _:
            return []


def read_return(
    body: Sequence[ast.stmt], parameters: Sequence[str], complaints: Complaints
) -> Returned:
    """The `return` at the end of a function.

    Raises:
        UserError: it returns something else than parameters.
    """
    last = body[-1] if body else None
    if not isinstance(last, ast.Return):
        return Returned(None, None, False, complaints)
    match last.value:
        case None | ast.Constant(value=None):
            return Returned(last, None, False, complaints)
        case ast.Name(id=name):
            names, single = (name,), True
        case ast.Tuple(elts=items) if all(isinstance(item, ast.Name) for item in items):
            names = tuple(item.id for item in items if isinstance(item, ast.Name))
            single = False
        case _:
            names, single = ("",), True
    if not set(names) <= set(parameters) or len(set(names)) < len(names):
        raise complaints.error(
            "RG0506", f"`{text(last)}` returns something else than parameters", last,
            "make the result a parameter that is updated: y += ..., and return it",
        )  # fmt: skip
    return Returned(last, names, single, complaints)
