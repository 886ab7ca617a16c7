"""What a step costs, and where a run can stop: one definition for native code and the evaluators.

A run is charged for calls that are points (`CALL`, and again for the return from a recursive one)
and for iterations of loops that are points: `iteration_cost`, the statements of the body, without
what is inside statements that are charged for themselves. It asks before it is charged: at a point
where as many steps have been done as were asked for it stops. Loops with nothing inside that could
be interrupted ask once for a chunk of iterations (`runs_in_chunks`, `chunk_end`).

An invocation of a function can be left at a *place*: at a point by the point's number; inside a
call, and after the return from a recursive one, by numbers of their own (`call_places`). See
docs/decisions/0010.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from retrograd.ir.terms import Block, Call, Expr, For, Function, While
from retrograd.ir.traverse import blocks
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.points.safepoints import cost_bound

__all__ = [
    "CALL", "FIRST_CALL", "CallPlace", "call_places", "chunk_end", "iteration_cost", "pointful",
    "runs_in_chunks",
]  # fmt: skip

CALL = 1
"""What a call costs, and what the return from a recursive one does."""

FIRST_CALL = 1 << 32
"""Places in and after calls are numbered from here, points as in the program."""


def pointful(expr: Expr) -> bool:
    """Whether code may be interrupted inside an expression; a callee has points of its own."""
    if isinstance(expr, Call | For | While) and expr.point is not None:
        return True
    return any(pointful(stm.expr) for block in blocks(expr) for stm in block.stms)


def iteration_cost(body: Block) -> int:
    """Cost of an iteration of a loop in statements, without what has points of its own."""
    return max(1, _statements(body))


def _statements(block: Block) -> int:
    return sum(
        1 if pointful(stm.expr) else 1 + sum(map(_statements, blocks(stm.expr)))
        for stm in block.stms
    )


def runs_in_chunks(expr: For, prims: PrimitiveSet) -> bool:
    """Whether a loop asks for several iterations at once: each is short, and known to be.

    A loop whose residuals are one block on the tape has iterations of primitives only.
    """
    if expr.point is None:
        return False
    return expr.block or all(
        not pointful(stm.expr) and cost_bound(stm.expr, prims) is not None for stm in expr.body.stms
    )


def chunk_end(k: int, trips: int, left: int, cost: int, grain: int, from_end: bool) -> int:
    """The iteration before which a chunk ends that begins with iteration `k`.

    Args:
        k: the iterations that have been done, below `trips`.
        trips: all iterations of the loop.
        left: the steps that are left, at least 1.
        cost: steps for each iteration.
        grain: a power of two; chunks end where a multiple of it has been done ...
        from_end: ... or is left: where the reverse loop has sums, which begins there.

    Wherever the chunk begins, it ends at the first such place where `left` is used up, so that a
    run to a given number of steps ends at the same place however it is cut.

    >>> chunk_end(0, 100, 10, 2, 4, False), chunk_end(0, 98, 10, 2, 4, True)
    (8, 6)
    """
    wanted = k + (left + cost - 1) // cost
    if from_end:
        return trips - (max(trips - wanted, 0) & -grain)
    return min((wanted + grain - 1) & -grain, trips)


@dataclass(frozen=True, slots=True)
class CallPlace:
    """Numbers of the places inside a call, and after it where that is a point, too."""

    inside: int
    after: int | None


def call_places(function: Function, recursive: frozenset[str]) -> Mapping[int, CallPlace]:
    """For each call that is a point, by the point's number, its other places.

    All places of a function are counted in the order of its text, so that native code, which
    numbers them as it is generated, has the same.
    """
    found: dict[int, CallPlace] = {}
    count = 0

    def walk(block: Block) -> None:
        for stm in block.stms:
            visit(stm.expr)

    def visit(expr: Expr) -> None:
        nonlocal count
        point = expr.point if isinstance(expr, For | While | Call) else None
        match expr:
            case Call() if point is not None:
                deep = expr.function in recursive
                inside = FIRST_CALL + count + 1
                found[point] = CallPlace(inside, inside + 1 if deep else None)
                count += 3 if deep else 2
            case While():
                walk(expr.cond)
                count += point is not None
                walk(expr.body)
            case _:
                count += point is not None
                for block in blocks(expr):
                    walk(block)

    walk(function.body)
    return found
