"""Assignment to names, elements and patterns of them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from retrograd.frontend.syntax import subscript
from retrograd.frontend.values.iterate import steps_of
from retrograd.frontend.values.kinds import Scalar, TupleValue, Value, describe
from retrograd.frontend.values.scopes import assign_name
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import ilit

__all__ = ["assign"]


def assign(t: Tracer, target: ast.expr, value: Value) -> None:
    """`target = value`."""
    match target:
        case ast.Name():
            assign_name(t, target.id, value)
        case ast.Tuple() | ast.List():
            _unpack(t, target.elts, value)
        case ast.Subscript():
            with t.at(target):
                subscript.assign(t, target, value)
        case ast.Attribute():
            raise t.error(
                "RG0101", f"assignment to the attribute {target.attr!r}", "build a new tuple"
            )
        case _:
            raise t.error("RG0101", "this assignment target is not accepted")


def _unpack(t: Tracer, targets: Sequence[ast.expr], value: Value) -> None:
    starred = [k for k, target in enumerate(targets) if isinstance(target, ast.Starred)]
    items = _items(t, value, len(targets), bool(starred))
    if not starred:
        if len(items) != len(targets):
            message = f"{describe(value)} is unpacked into {len(targets)} names"
            raise t.error("RG0104", message, "use as many names as there are items")
        for target, item in zip(targets, items, strict=True):
            assign(t, target, item)
        return
    k, tail = starred[0], len(targets) - starred[0] - 1
    if len(items) < len(targets) - 1:
        raise t.error("RG0104", f"{describe(value)} has too few items to unpack")
    end = len(items) - tail
    for target, item in zip(targets[:k], items[:k], strict=True):
        assign(t, target, item)
    star = targets[k]
    if isinstance(star, ast.Starred):
        assign(t, star.value, TupleValue(tuple(items[k:end]), list))
    for target, item in zip(targets[k + 1 :], items[end:], strict=True):
        assign(t, target, item)


def _items(t: Tracer, value: Value, count: int, starred: bool) -> tuple[Value, ...]:
    steps = steps_of(t, value)
    if steps.items is not None:
        return steps.items
    if starred or steps.at is None:
        raise t.error("RG0101", f"{describe(value)} is unpacked with `*`", "index it instead")
    at = steps.at
    same = t.prim("eq", steps.trips, ilit(count))
    t.check(same, "ValueError", f"expected {count} values to unpack")
    return tuple(at(Scalar(ilit(k))) for k in range(count))
