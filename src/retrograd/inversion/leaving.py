"""What leaves a statement from inside, so that the way back would not know where."""

from __future__ import annotations

import ast
from collections.abc import Iterator

__all__ = ["Leaving", "leaving"]

Leaving = (
    ast.Return | ast.Break | ast.Continue | ast.Global | ast.Nonlocal | ast.Yield | ast.YieldFrom
    | ast.Await | ast.NamedExpr
)  # fmt: skip


def leaving(node: ast.AST, in_loop: bool = False) -> Iterator[Leaving]:
    """What leaves or writes beyond a statement; functions inside of it are their own affair.

    `in_loop`: it is in the body of a loop that may be left.
    """
    match node:
        case ast.FunctionDef() | ast.Lambda():
            return
        case ast.Break() | ast.Continue():
            if not in_loop:
                yield node
        case ast.For() | ast.While():
            for part in node.body:
                yield from leaving(part, True)
            rest = (node.test,) if isinstance(node, ast.While) else (node.target, node.iter)
            for part in (*rest, *node.orelse):
                yield from leaving(part, in_loop)
        case _:
            if isinstance(node, Leaving):
                yield node
            for part in ast.iter_child_nodes(node):
                yield from leaving(part, in_loop)
