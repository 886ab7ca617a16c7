"""Rules of derivatives that ask for themselves, without an end.

A pullback may call its own function: that of a solver solves the transposed system. Its tangents
are made by transposing it, and the reverse of those asks for the reverse of the same tangents
again. Such functions call each other on every path, so no run would ever return.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from retrograd.errors import Limitation
from retrograd.ir.terms import Call, Function, Program

__all__ = ["refuse_endless"]


def refuse_endless(before: Program, after: Program) -> None:
    """Raises RG2103 where a function calls itself on every path that did not do so before.

    Args:
        before: the program whose derivatives were taken.
        after: the program of both sweeps.
    """
    if all(f.custom is None or f.custom.pullback is None for f in before.functions):
        return
    own = {f.name for f in before.functions}
    table = {f.name: f for f in after.functions}
    always = {name: tuple(_always(function, table)) for name, function in table.items()}
    for name, function in table.items():
        if name not in own and _reaches(always, name):
            raise Limitation(
                "RG2103",
                "a second derivative of a function whose pullback calls the function itself",
                function.prov.span,
                "write the pullback without the function, or give it a tangent rule: rg.custom_jvp",
            )


def _always(function: Function, table: Mapping[str, Function]) -> Iterator[str]:
    """What a function calls on every path."""
    for stm in function.body.stms:
        if isinstance(stm.expr, Call) and stm.expr.function in table:
            yield stm.expr.function


def _reaches(always: Mapping[str, tuple[str, ...]], name: str) -> bool:
    """Whether a function comes back to itself."""
    seen: set[str] = set()
    pending = list(always[name])
    while pending:
        called = pending.pop()
        if called == name:
            return True
        if called not in seen:
            seen.add(called)
            pending += always[called]
    return False
