"""What a test tells about names that may be None, on the path on which it is true or false."""

from __future__ import annotations

import ast

from retrograd.frontend.values.kinds import Instance, Option
from retrograd.frontend.values.optional import settle
from retrograd.frontend.values.several import kinds_in, settle_kind, without
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, Lit

__all__ = ["assume", "assume_kinds"]


def assume(t: Tracer, test: ast.expr, holds: bool) -> None:
    """Makes certain what a test says of `x is None`, `x is not None` and `x`, after it."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            assume(t, operand, not holds)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) == holds:
            for value in values:
                assume(t, value, holds)
        case ast.Compare(left=left, ops=[op], comparators=[ast.Constant(value=None)]):
            if isinstance(op, ast.IsNot | ast.NotEq):
                _known(t, left, holds)
            elif isinstance(op, ast.Is | ast.Eq):
                _known(t, left, not holds)
        case ast.Name() | ast.Attribute() | ast.NamedExpr() if holds:
            _known(t, test, True)
        case _:
            pass


def assume_kinds(t: Tracer, test: Atom, holds: bool) -> None:
    """Makes certain of which kind values are whose flags a test decides."""
    if not t.ctx.way.joins or isinstance(test, Lit):
        return
    for held in list(t.state.cells.values()):
        for one in kinds_in(held):
            if test in one.flags:
                position = one.flags.index(test)
                settle_kind(
                    t, one.flags, lambda v, k=position: v.values[k] if holds else without(v, k)
                )


def _known(t: Tracer, node: ast.expr, there: bool) -> None:
    held = _held(t, node)
    if isinstance(held, Option):
        settle(t, held, there)


def _held(t: Tracer, node: ast.expr) -> object:
    """What a name or an attribute of one holds; None for all else."""
    match node:
        case ast.NamedExpr(target=target):
            return _held(t, target)
        case ast.Name(id=name):
            cell = t.frame.locals.get(name, t.frame.outer.get(name))
            return None if cell is None else t.state.cells.get(cell)
        case ast.Attribute(value=value, attr=name):
            owner = _held(t, value)
            if isinstance(owner, Instance) and name in owner.names:
                return t.state.cells.get(owner.cell(name))
            return None
        case _:
            return None
