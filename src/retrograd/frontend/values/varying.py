"""Lengths that are others in each iteration of a loop: of the rows of a triangle, of what is found.

What is not known to differ is taken for equal, and compared when the program runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, Expr, For, If, Lit, Prim, Var, While, ilit
from retrograd.ir.types import I64

__all__ = ["SUMS", "Sum", "changes", "summands", "varies"]

SUMS = {"add": 1, "iadd": 1, "sub": -1, "isub": -1}


class _UnevenError(Exception):
    """A number is what a branch or a loop makes it."""


def varies(t: Tracer, length: Atom) -> bool:
    """Whether a length is known to depend on the iteration of the innermost loop: on its index, or
    on what it carries, as the length of a list to which it has appended."""
    if not t.indices or isinstance(length, Lit):
        return False
    index, body, variables, _ = t.indices[-1]
    carried = frozenset(var for var in variables if var.type == I64)
    stms = (stm for b in (body, t.b) for stm in b.stms)
    made = {var: (stm.expr, k) for stm in stms for k, var in enumerate(stm.outs)}
    try:
        found = _linear(length, _Known(frozenset((index,)), carried, made))
    except _UnevenError:
        return True
    if found is None:
        return False
    changed = found.get(None, 0) != 0 and any(found.get(var, 0) for var in carried)
    return changed or found.get(index, 0) != 0


def changes(
    number: Atom, indices: frozenset[Var], carried: frozenset[Var],
    made: Mapping[Var, tuple[Expr, int]],
) -> bool | None:  # fmt: skip
    """Whether a sum is known to have an index, or what is carried, in it; None where it is no sum.

    The last of several parts is often shorter, so an end of a slice says nothing here unless it
    moves by one.
    """
    try:
        found = _linear(number, _Known(indices, carried, made, exact=True))
    except _UnevenError:
        return True
    return None if found is None else any(found.get(var, 0) for var in indices | carried)


@dataclass(frozen=True, slots=True)
class Sum:
    """How often a number has each variable in it; None: a literal."""

    items: frozenset[tuple[Var | None, int]]


def summands(number: Atom, made: Mapping[Var, tuple[Expr, int]]) -> Sum | None:
    """What a sum is made of, but for extents of arrays; None where it is no sum."""
    try:
        found = _linear(number, _Known(_Given(made), frozenset(), made))
    except _UnevenError:
        return None
    return None if found is None else Sum(frozenset(item for item in found.items() if item[1]))


@dataclass(frozen=True, slots=True)
class _Given:
    """The variables that nothing here makes."""

    made: Mapping[Var, tuple[Expr, int]]

    def __contains__(self, atom: object) -> bool:
        return isinstance(atom, Var) and atom not in self.made


@dataclass(frozen=True, slots=True)
class _Known:
    """The indices of loops, what they carry, and what has been made so far; `exact`: nothing is
    said of the least of two numbers of which one is not known."""

    indices: frozenset[Var] | _Given
    carried: frozenset[Var]
    made: Mapping[Var, tuple[Expr, int]]
    exact: bool = False


_Linear = dict[Var | None, int]
"""How often a number has the index in it, and each of what is carried; None: a literal. What the
iterations have in common is left out."""


def _linear(atom: Atom, known: _Known) -> _Linear | None:
    """What a number is made of; None where that is not known."""
    if isinstance(atom, Lit):
        return {None: int(atom.value)}
    if atom in known.indices or atom in known.carried:
        return {atom: 1}
    found = known.made.get(atom)
    if found is None:
        return {}
    expr, k = found
    if isinstance(expr, Prim):
        return _of_primitive(expr, known)
    if isinstance(expr, For):
        return _of_loop(expr, k, known)
    if isinstance(expr, If | While):
        raise _UnevenError
    return None


def _of_primitive(prim: Prim, known: _Known) -> _Linear | None:
    ops = prim.args
    if (sign := SUMS.get(prim.op)) is not None:
        return _sum(_linear(ops[0], known), _linear(ops[1], known), sign)
    if prim.op in ("mul", "imul"):
        factor, other = ops if isinstance(ops[0], Lit) else ops[::-1]
        made = _linear(other, known)
        if isinstance(factor, Lit) and made is not None:
            return {var: int(factor.value) * n for var, n in made.items()}
        return {} if made == {} == _linear(factor, known) else None
    if prim.op == "imax" and ilit(0) in ops:
        return _linear(ops[0] if ops[1] == ilit(0) else ops[1], known)
    if prim.op == "dim" and ops[0] not in known.made:
        return {}
    if prim.op == "imin":
        one, two = _linear(ops[0], known), _linear(ops[1], known)
        return None if known.exact and _is_last(known, one, two) else _least(one, two)
    if prim.op == "range_len" and ops[2] == ilit(1):
        return _sum(_linear(ops[1], known), _linear(ops[0], known), -1)
    return None


def _is_last(known: _Known, *ends: _Linear | None) -> bool:
    """Whether one of these is not known, or moves by more than one, or by what is not known."""
    indices = known.indices if isinstance(known.indices, frozenset) else ()
    return any(
        end is None
        or any(end.get(var, 0) for var in known.carried)
        or any(end.get(var, 0) not in (0, 1) for var in indices)
        for end in ends
    )


def _least(one: _Linear | None, other: _Linear | None) -> _Linear | None:
    """The end of a slice, which is seldom beyond that of what is sliced."""
    if one is None or not any(one.values()):
        return other
    return one if other is None or not any(other.values()) or one == other else None


def _sum(one: _Linear | None, other: _Linear | None, sign: int) -> _Linear | None:
    if one is None or other is None:
        return None
    return {var: one.get(var, 0) + sign * other.get(var, 0) for var in {**one, **other}}


def _of_loop(loop: For, k: int, known: _Known) -> _Linear | None:
    """Of what a loop carries: it has to be the same, or to grow by a number, in each iteration."""
    first, now, then = _linear(loop.inits[k], known), loop.carried[k], loop.body.results[k]
    if then == now:
        return first
    for stm in loop.body.stms:
        expr = stm.expr
        if isinstance(expr, Prim) and expr.op in ("add", "iadd") and stm.outs == (then,):
            one, step = expr.args
            if one == now and isinstance(step, Lit):
                trips = _linear(loop.trips, known)
                if trips is None:
                    return None
                grown = {var: int(step.value) * n for var, n in trips.items()}
                return _sum(first, grown, 1)
    raise _UnevenError
