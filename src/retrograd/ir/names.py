"""An explicit supply of fresh names: the only source of them, handed from pass to pass."""

from __future__ import annotations

from retrograd.ir.terms import Var
from retrograd.ir.types import Type

__all__ = ["NameSupply"]


class NameSupply:
    """Hands out `hint_1`, `hint_2`, ... ; deterministic, and never a name in `taken`."""

    def __init__(self, taken: frozenset[str] = frozenset()) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    @property
    def known(self) -> int:
        """How many names are taken: more, once one has been handed out."""
        return len(self._taken)

    def name(self, hint: str) -> str:
        """A fresh name that starts with `hint` (a trailing `_7` of the hint is dropped)."""
        head, _, tail = hint.rpartition("_")
        stem = head if head and tail.isdigit() else hint
        number = self._next.get(stem, 0)
        while True:
            number += 1
            candidate = f"{stem}_{number}"
            if candidate not in self._taken:
                self._next[stem] = number
                self._taken.add(candidate)
                return candidate

    def var(self, hint: str, type_: Type) -> Var:
        """A fresh variable."""
        return Var(self.name(hint), type_)
