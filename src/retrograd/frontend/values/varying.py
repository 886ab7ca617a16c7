"""Lengths that are others in each iteration of a loop: of the rows of a triangle, of what is found.

What is not known to differ is taken for equal, and compared when the program runs.
"""

from __future__ import annotations

from collections.abc import Mapping

from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, Expr, For, If, Lit, Prim, Var, While, ilit

__all__ = ["varies"]

_SUMS = {"add": 1, "iadd": 1, "sub": -1, "isub": -1}
Made = Mapping[Var, tuple[Expr, int]]


class _UnevenError(Exception):
    """A number is what a branch or a loop makes it."""


def varies(t: Tracer, length: Atom) -> bool:
    """Whether a length is known to depend on the iteration of the innermost loop."""
    if not t.indices or isinstance(length, Lit):
        return False
    index, body = t.indices[-1]
    stms = (stm for b in (body, t.b) for stm in b.stms)
    made = {var: (stm.expr, k) for stm in stms for k, var in enumerate(stm.outs)}
    try:
        return _slope(length, index, made) not in (0, None)
    except _UnevenError:
        return True


def _slope(atom: Atom, index: Var, made: Made) -> int | None:
    """By how much a number grows with the index; None where that is not known."""
    if atom == index:
        return 1
    found = made.get(atom) if isinstance(atom, Var) else None
    if found is None:
        return 0
    expr, k = found
    if isinstance(expr, Prim):
        return _of_primitive(expr, index, made)
    if isinstance(expr, For):
        return _of_loop(expr, k, index, made)
    if isinstance(expr, If | While):
        raise _UnevenError
    return None


def _of_primitive(prim: Prim, index: Var, made: Made) -> int | None:
    ops = prim.args
    if (sign := _SUMS.get(prim.op)) is not None:
        return _sum(_slope(ops[0], index, made), _slope(ops[1], index, made), sign)
    if prim.op in ("mul", "imul"):
        factor, other = ops if isinstance(ops[0], Lit) else ops[::-1]
        slope = _slope(other, index, made)
        if isinstance(factor, Lit) and slope is not None:
            return int(factor.value) * slope
        return 0 if slope == 0 == _slope(factor, index, made) else None
    if prim.op == "imax" and ilit(0) in ops:
        return _slope(ops[0] if ops[1] == ilit(0) else ops[1], index, made)
    if prim.op == "range_len" and ops[2] == ilit(1):
        return _sum(_slope(ops[1], index, made), _slope(ops[0], index, made), -1)
    return None


def _sum(one: int | None, other: int | None, sign: int) -> int | None:
    return None if one is None or other is None else one + sign * other


def _of_loop(loop: For, k: int, index: Var, made: Made) -> int | None:
    """Of what a loop carries: it has to be the same, or to grow by a number, in each iteration."""
    first, now, then = _slope(loop.inits[k], index, made), loop.carried[k], loop.body.results[k]
    if then == now:
        return first
    for stm in loop.body.stms:
        expr = stm.expr
        if isinstance(expr, Prim) and expr.op in ("add", "iadd") and stm.outs == (then,):
            one, step = expr.args
            if one == now and isinstance(step, Lit):
                trips = _slope(loop.trips, index, made)
                return None if trips is None else _sum(first, int(step.value) * trips, 1)
    raise _UnevenError
