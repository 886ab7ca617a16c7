"""Blocks cut at the statements in which a run can stop, with what lives across them.

The statements between two of those are units: they are evaluated in direct style.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from retrograd.ir.terms import Atom, Block, Call, Stm, Var
from retrograd.ir.traverse import binders, blocks, free_vars
from retrograd.transforms.points.cost_model import CallPlace, pointful

__all__ = ["Code", "Part", "code_of"]

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A statement with points, and the unit before it.

    `rest` are the variables that what follows it in its block mentions, but for its own results;
    `inside` those from around it that its blocks do. `place` is that of a call.
    """

    unit: tuple[Stm, ...]
    stm: Stm
    inner: tuple[Code, ...]
    rest: Names
    inside: Names
    place: CallPlace | None


@dataclass(frozen=True, slots=True, eq=False)
class Code:
    """A block: parts in order, the unit after the last of them, and the block's results."""

    parts: tuple[Part, ...]
    last: tuple[Stm, ...]
    results: tuple[Atom, ...]


def code_of(block: Block, places: Mapping[int, CallPlace]) -> Code:
    """A block with its parts found, at every depth; `places` are those of its function's calls."""
    parts: list[Part] = []
    begin = 0
    for position, stm in enumerate(block.stms):
        if not pointful(stm.expr):
            continue
        rest = free_vars(Block(block.stms[position + 1 :], block.results))
        bound = frozenset(binders(stm.expr))
        point = stm.expr.point if isinstance(stm.expr, Call) else None
        inside = [v for inner in blocks(stm.expr) for v in free_vars(inner) if v not in bound]
        parts.append(
            Part(
                block.stms[begin:position],
                stm,
                tuple(code_of(b, places) for b in blocks(stm.expr)),
                _names(v for v in rest if v not in stm.outs),
                _names(inside),
                None if point is None else places[point],
            )
        )
        begin = position + 1
    return Code(tuple(parts), block.stms[begin:], block.results)


def _names(variables: Iterable[Var]) -> Names:
    return tuple(dict.fromkeys(v.name for v in variables))
