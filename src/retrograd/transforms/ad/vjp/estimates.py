"""Estimates of what code records and does, by which the reverse transformation chooses.

Extents are unknown when it chooses: every loop and every axis counts as `Costs.extent`. Each
function is looked at once, however many ways of calls lead to it. A call that leads back to a
function which is being looked at adds nothing: how deep a recursion goes is unknown, too.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from retrograd.ir.formers import Runs, former_of
from retrograd.ir.terms import Atom, Block, Call, Expr, Function, Prim
from retrograd.ir.traverse import blocks

__all__ = ["Again", "Estimates"]


class Again(NamedTuple):
    """What reverse code records when it runs bodies again, and the operations that it runs then."""

    words: float
    work: float


@dataclass(frozen=True, slots=True)
class Estimates:
    """What is known by now of each of `functions`; 0 for those that are being looked at.

    `extent` is what every loop and every axis counts as. Values in `asked` are not counted.
    """

    functions: Mapping[str, Function]
    extent: float
    asked: Container[Atom] = ()
    words: dict[str, float] = field(default_factory=dict[str, float])
    work: dict[str, float] = field(default_factory=dict[str, float])
    repeated: dict[str, Again] = field(default_factory=dict[str, Again])

    def recorded(self, block: Block) -> float:
        """Words that one run of forward code records."""
        total = 0.0
        for stm in block.stms:
            expr = stm.expr
            if isinstance(expr, Prim):
                if expr.op == "push":
                    total += sum(self.extent**a.type.rank for a in expr.args if a not in self.asked)
            elif isinstance(expr, Call):
                if expr.function in self.functions:
                    total += self.once(self.words, expr.function, self.recorded)
                else:
                    total += self.extent  # a recursion that is being swept now
            elif inner := [self.recorded(b) for b in blocks(expr)]:
                total += self.times(expr) * sum(inner) if _is_loop(expr) else max(inner)
        return total

    def operations(self, block: Block) -> float:
        """Primitives that a block runs."""
        total = 0.0
        for stm in block.stms:
            expr = stm.expr
            if isinstance(expr, Prim):
                total += max((self.extent**out.type.rank for out in stm.outs), default=0.0)
            elif isinstance(expr, Call):
                if expr.function in self.functions:
                    total += self.once(self.work, expr.function, self.operations)
            else:
                total += self.times(expr) * sum(map(self.operations, blocks(expr)))
        return total

    def again(self, block: Block) -> Again:
        """Looks for calls of forward code in reverse code.

        What is recorded there is taken off before the next iteration.
        """
        words = work = 0.0
        for stm in block.stms:
            expr = stm.expr
            found = [self.again(inner) for inner in blocks(expr)]
            if isinstance(expr, Call) and expr.function in self.functions:
                found.append(self.called_again(expr.function))
            words += sum(one.words for one in found)
            work += self.times(expr) * sum(one.work for one in found)
        return Again(words, work)

    def called_again(self, name: str) -> Again:
        if name not in self.repeated:
            self.repeated[name] = Again(0.0, 0.0)
            words = self.once(self.words, name, self.recorded)
            if words > 0.0:
                found = Again(words, self.once(self.work, name, self.operations))
            else:
                found = self.again(self.functions[name].body)
            self.repeated[name] = found
        return self.repeated[name]

    def once(self, known: dict[str, float], name: str, estimate: Callable[[Block], float]) -> float:
        """The estimate of a function's body, made where it is asked for first."""
        if name not in known:
            known[name] = 0.0
            known[name] = estimate(self.functions[name].body)
        return known[name]

    def times(self, expr: Expr) -> float:
        """How often the blocks of an expression run."""
        return self.extent if _is_loop(expr) else 1.0


def _is_loop(expr: Expr) -> bool:
    return former_of(expr).runs is Runs.AGAIN_AND_AGAIN
