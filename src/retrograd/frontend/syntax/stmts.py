"""Statements: assignments, branches, loops and the ways out of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from retrograd.errors import UserError
from retrograd.frontend.library.operators import augmented, in_place, sign_of, symbol_of
from retrograd.frontend.syntax import subscript
from retrograd.frontend.syntax.assume import assume, assume_kinds
from retrograd.frontend.syntax.branches import Arm, branch, join, start, trace_arm
from retrograd.frontend.syntax.catching import run_try
from retrograd.frontend.syntax.comprehension import comprehend
from retrograd.frontend.syntax.contexts import run_with
from retrograd.frontend.syntax.dict_objects import complete
from retrograd.frontend.syntax.dicts import dict_in_place
from retrograd.frontend.syntax.flat_places import to_elements
from retrograd.frontend.syntax.flow import run_break, run_continue, run_for, run_while
from retrograd.frontend.syntax.functions import closure_of
from retrograd.frontend.syntax.importing import run_global, run_import, run_import_from
from retrograd.frontend.syntax.iterators import kept
from retrograd.frontend.syntax.keyed import as_comprehension
from retrograd.frontend.syntax.kinds_apart import in_each_kind, with_names
from retrograd.frontend.syntax.list_operators import list_binary, list_in_place
from retrograd.frontend.syntax.object_rows import in_place_of
from retrograd.frontend.syntax.peeling import Then, run_then
from retrograd.frontend.syntax.raising import run_assert, run_raise
from retrograd.frontend.syntax.static_errors import ends_path, place_before
from retrograd.frontend.syntax.targets import assign, assign_attribute, taken_first
from retrograd.frontend.values.complexes import is_array
from retrograd.frontend.values.freezing import frozen
from retrograd.frontend.values.kinds import NONE, Static, Value
from retrograd.frontend.values.optional import sure, sure_pair
from retrograd.frontend.values.scopes import assign_name, read_name
from retrograd.frontend.values.tracer import PathEnds, Tracer
from retrograd.ir.terms import Lit, false

__all__ = ["run_block"]


def run_block(t: Tracer, body: Sequence[ast.stmt]) -> None:
    """Translates statements; what follows a possible exit is guarded by its flag."""
    for k, stm in enumerate(body):
        live = t.state.live
        if isinstance(live, Lit):
            if not live.value:
                return
        else:
            after = t.frame.scope.after.get(id(body[-1]))
            _guarded(t, body[k:], after)
            return
        before = place_before(t)
        with t.at(stm):
            try:
                if _whole(t, stm, body[k + 1 :]):
                    return
            except PathEnds as end:
                t.end_path(end.error)
            except UserError as error:
                if not ends_path(t, error, before):
                    raise


def _whole(t: Tracer, stm: ast.stmt, rest: Sequence[ast.stmt]) -> bool:
    """A statement, for each kind of the values in it; true if the `rest` has become part of it."""
    if not t.ctx.way.joins:
        return _single(t, stm, rest)
    absorbed, known = [False], t.kinds_known

    def run() -> None:
        absorbed[0] = _single(t, stm, rest if t.kinds_known == known else ())

    in_each_kind(t, run, t.frame.scope.after.get(id(stm)), partial(with_names, t, stm))
    return absorbed[0]


def _single(t: Tracer, stm: ast.stmt, rest: Sequence[ast.stmt]) -> bool:
    if isinstance(stm, ast.If):
        return _if(t, stm, rest)
    _statement(t, stm)
    return False


def _guarded(t: Tracer, rest: Sequence[ast.stmt], after: frozenset[str] | None) -> None:
    """The rest of a block, which runs only if no exit has been taken."""

    def go_on() -> None:
        t.resume()
        run_block(t, rest)

    def skip() -> None:
        t.state.live = false

    branch(t, t.state.live, go_on, skip, after, conditional=True)


def _if(t: Tracer, stm: ast.If, rest: Sequence[ast.stmt]) -> bool:
    """An `if`. Where one side leaves the block, the rest becomes part of the other: true then."""
    with t.at(stm.test):
        cond = t.test(stm.test)
    if isinstance(cond, Lit):
        run_block(t, stm.body if cond.value else stm.orelse)
        return False

    def side(holds: bool, body: Sequence[ast.stmt]) -> None:
        assume(t, stm.test, holds)
        assume_kinds(t, cond, holds)
        run_block(t, body)

    one, two = start(t), start(t)
    trace_arm(t, one, lambda: side(True, stm.body), conditional=True)
    trace_arm(t, two, lambda: side(False, stm.orelse), conditional=True)
    last: ast.stmt = stm
    absorbed = False
    for gone, other in ((one, two), (two, one)):
        if _left(gone) and not _left(other) and not other.state.raised and rest:
            trace_arm(t, other, lambda: run_block(t, rest), conditional=True)
            last, absorbed = rest[-1], True
            break
    join(t, cond, one, two, t.frame.scope.after.get(id(last)))
    return absorbed


def _left(arm: Arm) -> bool:
    return arm.state.live == false and not arm.state.raised


def _statement(t: Tracer, stm: ast.stmt) -> None:
    handler = _HANDLERS.get(type(stm))
    if handler is None:
        raise _refusal(t, stm)
    handler(t, stm)


_REFUSED: Mapping[type[ast.stmt], tuple[str, str]] = {
    ast.ClassDef: ("a class", "define the class at module level"),
    ast.AsyncFunctionDef: ("`async`", "use an ordinary function"),
    ast.AsyncFor: ("`async`", "use an ordinary loop"),
    ast.AsyncWith: ("`async`", "do this outside of the compiled function"),
}


def _refusal(t: Tracer, stm: ast.stmt) -> Exception:
    what, way_out = _REFUSED.get(
        type(stm), (f"`{type(stm).__name__.lower()}`", "write it as a loop")
    )
    return t.error("RG0101", f"{what} is not accepted in a compiled function", way_out)


def _assign(t: Tracer, stm: ast.Assign) -> None:
    value = _assigned(t, stm)
    for target in stm.targets:
        assign(t, target, taken_first(t, target, stm.value, value))
        complete(t, target)


def _assigned(t: Tracer, stm: ast.Assign) -> Value:
    """The value; a `map` or `filter` that is unpacked at once is as good as a tuple of it."""
    match stm.targets:
        case [ast.Tuple() | ast.List()]:
            every = Static(tuple)
            made = as_comprehension(t, stm.value, every)
        case _:
            return kept(t, stm.value, t.held(stm.value), stm)
    if made is None:
        return t.eval(stm.value)
    with t.at(stm.value):
        return comprehend(t, made, every)


def _annotated(t: Tracer, stm: ast.AnnAssign) -> None:
    if stm.value is not None:
        assign(t, stm.target, kept(t, stm.value, t.held(stm.value)))


def _augmented(t: Tracer, stm: ast.AugAssign) -> None:
    op = symbol_of(stm.op)
    match stm.target:
        case ast.Subscript() as target:
            to_elements(t, target, lambda node: subscript.augment(t, node, op, stm.value))
        case ast.Name() as target:
            old = read_name(t, target.id)
            old, operand = sure_pair(t, op, old, t.eval(stm.value), f"{sign_of(stm.op)}=")
            if is_array(old):
                in_place(t, op, old, frozen(t, operand))
            elif not _changed_in_place(t, op, old, operand):
                assign_name(t, target.id, _augmented_value(t, op, old, operand))
        case ast.Attribute() as target:
            text = f"'NoneType' object has no attribute '{target.attr}'"
            owner = sure(t, t.eval(target.value), text, "AttributeError")
            name = t.frame.source.mangled(target.attr)
            old = in_place_of(t, owner, name)
            old, operand = sure_pair(t, op, old, t.eval(stm.value), f"{sign_of(stm.op)}=")
            if is_array(old):
                in_place(t, op, old, frozen(t, operand))
            elif not _changed_in_place(t, op, old, operand):
                assign_attribute(t, owner, name, _augmented_value(t, op, old, operand))


def _changed_in_place(t: Tracer, op: str, old: Value, operand: Value) -> bool:
    """`old op= operand` of a list or dict; False for all else."""
    done = list_in_place(t, op, old, operand) or dict_in_place(t, op, old, operand)
    return done is not None


def _augmented_value(t: Tracer, op: str, old: Value, operand: Value) -> Value:
    """What a name holds after `old op= operand` that makes a new value."""
    made = list_binary(t, op, old, operand)
    return augmented(t, op, old, operand) if made is None else made


def _return(t: Tracer, stm: ast.Return) -> None:
    value = NONE if stm.value is None else kept(t, stm.value, t.held(stm.value), stm)
    t.state.cells[t.frame.ret] = value
    t.leave()


def _def(t: Tracer, stm: ast.FunctionDef) -> None:
    decorators: list[tuple[ast.expr, Value]] = []
    for node in stm.decorator_list:
        with t.at(node):
            decorators.append((node, t.eval(node)))
    value: Value = closure_of(t, stm)
    for node, decorator in reversed(decorators):
        with t.at(node):
            value = t.call(decorator, (value,), {})
    assign_name(t, stm.name, value)


def _expr(t: Tracer, stm: ast.Expr) -> None:
    if isinstance(stm.value, ast.Constant):
        return  # a docstring
    if isinstance(stm.value, ast.Yield | ast.YieldFrom | ast.Await):
        raise t.error("RG0101", "a generator or coroutine", "return the result")
    t.eval(stm.value)
    complete(t, stm.value)


def _pass(t: Tracer, stm: ast.Pass | ast.Nonlocal) -> None:
    return


def _delete(t: Tracer, stm: ast.Delete) -> None:
    for target in stm.targets:
        if isinstance(target, ast.Subscript):
            with t.at(target):
                subscript.delete(t, target)
            continue
        if not isinstance(target, ast.Name) or target.id not in t.frame.locals:
            raise t.error("RG0101", "`del` of anything but a variable", "leave it out")
        read_name(t, target.id)
        t.state.cells.pop(t.frame.locals[target.id], None)


_HANDLERS: Mapping[type[ast.stmt], Callable[[Tracer, Any], None]] = {
    Then: run_then,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Return: _return,
    ast.FunctionDef: _def,
    ast.Assert: run_assert,
    ast.Raise: run_raise,
    ast.Expr: _expr,
    ast.Pass: _pass,
    ast.Delete: _delete,
    ast.Nonlocal: _pass,
    ast.Global: run_global,
    ast.Import: run_import,
    ast.ImportFrom: run_import_from,
    ast.For: run_for,
    ast.Try: run_try,
    ast.With: run_with,
    ast.While: run_while,
    ast.Break: run_break,
    ast.Continue: run_continue,
}
