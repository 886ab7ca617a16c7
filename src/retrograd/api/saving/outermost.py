"""The derivatives of a program that are inside of no other one, and whether loops repeat them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from retrograd.ir.terms import Block, Call, For, Jvp, Program, Vjp, While
from retrograd.ir.traverse import blocks, callees_of

__all__ = ["outermost_derivatives"]


def outermost_derivatives(program: Program) -> list[tuple[Vjp, bool]]:
    """What is differentiated in reverse, and whether a loop does so in each of its iterations.

    Loops over directions are none: their iterations are rows of one Jacobian.
    """
    return list(_Walk(program).block(program.main.body, False))


@dataclass(frozen=True, slots=True)
class _Walk:
    program: Program
    seen: set[tuple[str, bool]] = field(default_factory=set[tuple[str, bool]])

    def block(self, block: Block, repeated: bool) -> Iterator[tuple[Vjp, bool]]:
        for stm in block.stms:
            expr = stm.expr
            if isinstance(expr, Vjp):
                yield expr, repeated
            elif isinstance(expr, Call | Jvp):
                for name in callees_of(expr):
                    if (name, repeated) not in self.seen:
                        self.seen.add((name, repeated))
                        yield from self.block(self.program.function(name).body, repeated)
            loop = isinstance(expr, While) or (isinstance(expr, For) and not expr.directions)
            for inner in blocks(expr):
                yield from self.block(inner, repeated or loop)
