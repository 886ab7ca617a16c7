"""Loops over a known sequence, an iteration after the other; and what a loop's body may change."""

from __future__ import annotations

import ast
from collections.abc import Callable

from retrograd.frontend.identity.nodes import nodes_in
from retrograd.frontend.syntax.branches import branch
from retrograd.frontend.values.kinds import Scalar
from retrograd.frontend.values.liveness import Names, stored_names
from retrograd.frontend.values.scalars import logical_not
from retrograd.frontend.values.tracer import PathEnds, Tracer
from retrograd.ir.terms import Atom, false, true

__all__ = ["assigned_in", "unroll"]


def unroll(t: Tracer, steps: list[Callable[[], None]], loop_breaks: bool) -> Atom:
    """Translates the iterations one after the other; gives whether all of them ran to their end."""
    brk = t.ctx.fresh()
    t.frame.brk.append(brk)
    t.state.cells[brk] = Scalar(false)

    def go(k: int) -> None:
        if k == len(steps):
            return
        t.resume()
        try:
            steps[k]()
        except PathEnds as ends:
            t.end_path(ends.error)
        if t.state.raised:
            return
        flag = t.state.cells.get(brk)
        broken = flag.atom if isinstance(flag, Scalar) else false
        returned = t.returned()
        known = [f for f in (broken, returned) if f != false]
        left: Atom = known[0] if known else false
        for other in known[1:]:
            left = true if true in known else t.prim("or_", left, other)
        branch(t, left, _nothing, lambda: go(k + 1))

    go(0)
    t.frame.brk.pop()
    flag = t.state.cells.pop(brk, Scalar(false))
    if not t.state.raised:
        t.state.live = logical_not(t, t.returned())
    return logical_not(t, flag.atom) if loop_breaks and isinstance(flag, Scalar) else true


def _nothing() -> None:
    return


def assigned_in(body: list[ast.stmt]) -> tuple[Names, Names]:
    """Names assigned in a loop's body, and names whose array is written there."""
    written: set[str] = set()
    for top in body:
        for node in nodes_in(top):
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                base: ast.expr = node
                while isinstance(base, ast.Subscript):
                    base = base.value
                if isinstance(base, ast.Name):
                    written.add(base.id)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                written.add(node.target.id)
    return stored_names(body), frozenset(written)
