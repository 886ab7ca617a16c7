"""Parts of a program that are translated once for each kind that a value in them may be of.

What is translated stops with `NeedKind` where it has to know of which kind a value is. Then all of
it is forgotten, and translated in a branch for each kind, at whose end the paths meet again.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection

from retrograd.errors import UserError
from retrograd.frontend.syntax.branches import join, start, trace_arm
from retrograd.frontend.syntax.taken_out import TakenOut, without_expression
from retrograd.frontend.syntax.trial import Saved
from retrograd.frontend.values.kinds import UNDEF, OneOf, Scalar, Value, describe
from retrograd.frontend.values.several import is_held, kinds_in, settle_kind, settled, without
from retrograd.frontend.values.tracer import NeedKind, PathEnds, State, Tracer
from retrograd.ir.terms import Atom, false

__all__ = ["in_each_kind", "test_in_each_kind", "value_in_each_kind", "with_names"]

_MOST = 5
"""Of how many values the kinds are told apart in one statement: 2^5 translations of it."""


def in_each_kind(
    t: Tracer,
    run: Callable[[], None],
    live: Collection[str] | None = None,
    elsewhere: Callable[[NeedKind], None] | None = None,
) -> None:
    """Translates a part of the program, if necessary once for each kind of the values in it.

    `live` are the names that are read afterwards, if that is known. `elsewhere` translates it where
    the value is made in the part itself.
    """
    if not t.ctx.way.joins:
        run()
        return
    saved, known = Saved.of(t), t.kinds_known
    consumed, ahead = t.consumed, t.ahead
    try:
        run()
    except NeedKind as need:
        found = need
    else:
        return
    saved.restore(t)
    t.consumed, t.ahead, t.kinds_known = consumed, ahead, known
    if is_held(t, found.value.flags):
        _apart(t, found, run, live, elsewhere)
    elif elsewhere is not None:
        elsewhere(found)
    else:
        raise found.error


def with_names(t: Tracer, stm: ast.stmt, need: NeedKind) -> None:
    """Translates a statement in which a value of several kinds is made: it gets a name before."""
    before = _taken_out(t, stm, need)
    t.ctx.engine.block(t, before.statements)
    _forget(t, before)


def test_in_each_kind(t: Tracer, node: ast.expr) -> Atom:
    """The truth of an expression, in which the kinds of values may matter."""
    value = _in_each_kind(t, node, lambda one: Scalar(t.test(one)))
    assert isinstance(value, Scalar)
    return value.atom


def value_in_each_kind(t: Tracer, node: ast.expr) -> Value:
    """The value of an expression, in which the kinds of values may matter."""
    return _in_each_kind(t, node, t.eval)


def _in_each_kind(t: Tracer, node: ast.expr, ask: Callable[[ast.expr], Value]) -> Value:
    if not t.ctx.way.joins:
        return ask(node)
    cell = t.ctx.fresh()

    def run() -> None:
        t.state.cells[cell] = ask(node)

    def elsewhere(need: NeedKind) -> None:
        before = _taken_out(t, ast.copy_location(ast.Expr(node), node), need)
        *first, last = before.statements
        assert isinstance(last, ast.Expr)
        t.ctx.engine.block(t, first)
        t.state.cells[cell] = _in_each_kind(t, last.value, ask)
        _forget(t, before)

    t.state.cells[cell] = UNDEF
    in_each_kind(t, run, None, elsewhere)
    value = t.state.cells.pop(cell)
    if t.state.raised:
        raise PathEnds
    return value


def _taken_out(t: Tracer, stm: ast.stmt, need: NeedKind) -> TakenOut:
    names = t.frame.locals

    def fresh() -> str:
        cell = t.ctx.fresh()
        names[f" kinds {cell}"] = cell
        return f" kinds {cell}"

    node = need.node
    if node is None and isinstance(stm, ast.Assign) and not isinstance(stm.value, ast.Name):
        node = stm.value
    if node and isinstance(stm, ast.Assign) and node is stm.value and _is_ours(stm.targets[0]):
        raise need.error  # it has a name, and yet the kind is not known
    out = node and without_expression(stm, node, fresh, t.frame.scope.captured)
    if out is None:
        raise need.error
    return out


def _is_ours(target: ast.expr) -> bool:
    """Whether `_taken_out` has made up the name."""
    return isinstance(target, ast.Name) and target.id.startswith(" kinds ")


def _forget(t: Tracer, out: TakenOut) -> None:
    for name in out.names:
        t.state.cells.pop(t.frame.locals.pop(name), None)


def _apart(
    t: Tracer,
    need: NeedKind,
    run: Callable[[], None],
    live: Collection[str] | None,
    elsewhere: Callable[[NeedKind], None] | None,
) -> None:
    """The part for the first kind of a value, and for the others."""
    if t.kinds_known == _MOST:
        raise need.error
    flags, name = need.value.flags, _name_of(t, need.value)

    def side(choose: Callable[[OneOf], Value]) -> None:
        settle_kind(t, flags, choose)
        try:
            in_each_kind(t, run, live, elsewhere)
        except UserError as error:
            if error.python is not None:
                raise
            found = _of_kind(error, name, need.value, choose(need.value))
            if found is error:
                raise
            raise found from error

    one, two, errors = start(t), start(t), len(t.kind_errors)
    t.kinds_known += 1
    trace_arm(t, one, lambda: side(_first), conditional=True)
    between = len(t.kind_errors)
    trace_arm(t, two, lambda: side(_others), conditional=True)
    t.kinds_known -= 1
    _refuse_common(t, errors, between)
    _put_back(t, flags, one.state, two.state)
    join(t, flags[0], one, two, live)


def _refuse_common(t: Tracer, first: int, between: int) -> None:
    """Refuses what Python raises whatever the kind is; `between` the errors are those of the other.

    What it raises for one of the kinds alone is raised when the program runs.
    """
    of_first = {error.span for error in t.kind_errors[first:between]}
    common = [error for error in t.kind_errors[between:] if error.span in of_first]
    t.kind_errors[first:] = common
    if common and not t.kinds_known:
        common[0].of_kind = True
        raise common[0]


def _name_of(t: Tracer, value: OneOf) -> str:
    """What the program calls a value of several kinds."""
    held = {cell for cell, one in t.state.cells.items() if value in kinds_in(one)}
    names = (name for name, cell in t.frame.locals.items() if cell in held)
    return next((repr(name) for name in names if name.isidentifier()), "the value")


def _of_kind(error: UserError, name: str, value: OneOf, kind: Value) -> UserError:
    """The refusal of what a statement does with a value of one kind, which it also says."""
    if error.of_kind or isinstance(kind, OneOf):
        return error
    others = [describe(one) for one in value.values if one is not kind]
    if describe(kind) in others:
        return error
    held = f"where {name} is {describe(kind)}, and {' or '.join(others)} on another path"
    message = f"{error.message}, {held}"
    found = UserError(error.code, message, error.span, error.way_out)
    found.python, found.of_kind = error.python, True
    return found


def _first(value: OneOf) -> Value:
    return value.values[0]


def _others(value: OneOf) -> Value:
    return without(value, 0)


def _put_back(t: Tracer, flags: tuple[Atom, ...], one: State, two: State) -> None:
    """What neither side has changed is of several kinds again."""
    if any(state.live == false or state.raised for state in (one, two)):
        return
    for cell, held in t.state.cells.items():
        here, there = settled(held, flags, _first), settled(held, flags, _others)
        if here is not held and one.cells.get(cell) == here and two.cells.get(cell) == there:
            one.cells[cell] = two.cells[cell] = held
