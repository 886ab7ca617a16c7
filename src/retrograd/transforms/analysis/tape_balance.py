"""Whether code leaves the tape as it found it, and takes nothing from below.

In reverse code that is the case where what is taken off the tape has been put there just before, by
a body that is run again: such code can be left out as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from retrograd.ir.terms import Block, Call, Expr, Function, Param, Prim, Stm
from retrograd.ir.traverse import blocks
from retrograd.prims.core import Effect, PrimitiveSet, param

__all__ = ["Balance"]

_NONE: frozenset[Param] = frozenset()


class _Sites(NamedTuple):
    """Where code puts something on the tape, and where it takes it off; by the names of sites."""

    pushed: frozenset[Param] = _NONE
    popped: frozenset[Param] = _NONE

    def joined(self, other: _Sites) -> _Sites:
        return _Sites(self.pushed | other.pushed, self.popped | other.popped)


@dataclass(frozen=True, slots=True)
class Balance:
    """What is known by now of each of `functions`."""

    functions: Mapping[str, Function]
    prims: PrimitiveSet
    known: dict[str, _Sites] = field(default_factory=dict[str, _Sites])

    def of(self, block: Block) -> bool:
        """Whether each statement that takes something off comes right after one that puts on the
        tape the records of the same sites; calls and blocks that do both are looked into."""
        waiting = _NONE
        for stm in block.stms:
            sites = self.sites(stm)
            if sites.pushed and sites.popped:
                if waiting or not self.inside(stm.expr):
                    return False
            elif sites.pushed or sites.popped:
                if (waiting or sites.pushed) != (sites.popped or sites.pushed):
                    return False
                waiting = sites.pushed
        return not waiting

    def inside(self, expr: Expr) -> bool:
        if isinstance(expr, Call):
            return self.of(self.functions[expr.function].body)
        return all(map(self.of, blocks(expr)))

    def sites(self, stm: Stm) -> _Sites:
        expr = stm.expr
        if isinstance(expr, Call):
            return self.called(expr.function)
        if isinstance(expr, Prim) and self.prims[expr.op].effect is Effect.TAPE:
            site = frozenset({param(expr.params, "site")})
            return _Sites(site, _NONE) if expr.op == "push" else _Sites(_NONE, site)
        return self.joined(blocks(expr))  # a derivative node leaves the tape as it found it

    def called(self, name: str) -> _Sites:
        if name not in self.known:
            self.known[name] = _Sites()
            self.known[name] = self.joined((self.functions[name].body,))
        return self.known[name]

    def joined(self, parts: tuple[Block, ...]) -> _Sites:
        found = _Sites()
        for block in parts:
            for stm in block.stms:
                found = found.joined(self.sites(stm))
        return found
