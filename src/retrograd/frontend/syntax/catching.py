"""`try`: handlers run where a check of the body has jumped to them (`values.jumps`).

Where nothing in the body raises what a handler catches there is no jump, and the handler is not
even translated. A function that is called in the body, and may raise what is caught, is translated
in its place (`inline`), so that its checks jump as well.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from retrograd.errors import UserError
from retrograd.frontend.library.output import is_loud
from retrograd.frontend.syntax.branches import branch, close_splits
from retrograd.frontend.syntax.escapes import may_raise, refuse_escapes
from retrograd.frontend.syntax.exits import exits
from retrograd.frontend.syntax.trial import tried
from retrograd.frontend.values.jumps import MOST_FORMS, Catch, Region, Slot, flags_of, forget_inside
from retrograd.frontend.values.kinds import UNDEF, Scalar, Static, TupleValue, Value, describe
from retrograd.frontend.values.liveness import names_in
from retrograd.frontend.values.scopes import assign_name
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, Lit, false, true

__all__ = ["afterwards", "run_try", "suppressed"]


def run_try(t: Tracer, stm: ast.Try) -> None:
    """A `try` statement."""
    if stm.finalbody:
        _with_final(t, stm)
    else:
        _handled(t, stm)


def _handled(t: Tracer, stm: ast.Try) -> None:
    """The body with its handlers, and what is done `else`.

    The body is translated again for each kind of exception that a handler looks at.
    """
    region = _region(t, stm)
    while True:
        error = tried(t, lambda: _with_handlers(t, stm, region), ("RG0127",))
        if error is None:
            return
        wanting = [catch for catch in region.catches if catch.wanted]
        if not wanting or len(wanting[0].slots) == MOST_FORMS:
            raise error
        form = wanting[0].wanted.pop()
        wanting[0].wanted.clear()
        wanting[0].slots.append(Slot(t.ctx.fresh(), t.ctx.fresh(), form))


def _with_handlers(t: Tracer, stm: ast.Try, region: Region) -> None:
    slots = [(k, one) for k, catch in enumerate(region.catches) for one in catch.slots]
    for _, slot in slots:
        t.state.cells[slot.flag] = Scalar(false)
        if slot.error is not None:
            t.state.cells[slot.error] = UNDEF
    _body(t, lambda: t.ctx.engine.block(t, stm.body), replace(region, mark=t.ctx.counter))
    flags = [_popped(t, slot.flag) for _, slot in slots]
    if all(flag == false for flag in flags):
        t.ctx.engine.block(t, stm.orelse)
    else:
        _dispatch(t, stm, slots, flags)
    for _, slot in slots:
        if slot.error is not None:
            t.state.cells.pop(slot.error, None)


def suppressed(
    t: Tracer, stm: ast.With, classes: Sequence[Value], body: Callable[[], None]
) -> None:
    """A part of the program; where an exception of these classes is raised, it goes on after it."""
    mark, flag = t.ctx.counter, t.ctx.fresh()
    caught = (Catch(tuple(_class(t, one) for one in classes), [Slot(flag)]),)
    region = Region(
        caught, t.frame, t.frame.scope.header.get(id(stm), frozenset(t.frame.locals)), mark
    )
    t.state.cells[flag] = Scalar(false)
    _body(t, body, region)
    gone = _popped(t, flag)
    if gone == false or t.state.raised:
        return
    if not any(exits(stm.body)) and not t.regions:
        t.state.live = true
    elif t.state.live != true:
        branch(t, gone, t.resume, lambda: None, t.frame.scope.after.get(id(stm)))


def _popped(t: Tracer, cell: int) -> Atom:
    value = t.state.cells.pop(cell, None)
    return value.atom if isinstance(value, Scalar) else false


def _region(t: Tracer, stm: ast.Try) -> Region:
    mark = t.ctx.counter
    catches = tuple(_catch(t, handler) for handler in stm.handlers)
    kept = t.frame.scope.header.get(id(stm), frozenset(t.frame.locals))
    return Region(catches, t.frame, kept, mark)


def _catch(t: Tracer, handler: ast.ExceptHandler) -> Catch:
    classes = (BaseException,) if handler.type is None else _classes(t, handler.type)
    again = any(isinstance(n, ast.Raise) and n.exc is None for n in _inside(handler.body))
    looks = again or (handler.name is not None and handler.name in names_in(handler.body))
    match handler.body:
        case [ast.Raise(exc=None)]:
            return Catch(classes, [], passes=True)
        case _:
            return Catch(classes, [] if looks else [Slot(t.ctx.fresh())], looks)


def _inside(body: Sequence[ast.stmt]) -> Sequence[ast.AST]:
    return [node for stm in body for node in ast.walk(stm)]


def _classes(t: Tracer, node: ast.expr) -> tuple[type[BaseException], ...]:
    with t.at(node):
        value = t.eval(node)
        items = value.items if isinstance(value, TupleValue) else (value,)
        return tuple(_class(t, item) for item in items)


def _class(t: Tracer, value: Value) -> type[BaseException]:
    if isinstance(value, Static) and isinstance(value.obj, type):
        cls = value.obj
        if issubclass(cls, BaseException):
            return cls
    raise t.error("RG0127", f"`except` of {describe(value)}", "name a class of exceptions")


def _body(t: Tracer, body: Callable[[], None], region: Region) -> None:
    """Translates the body; then no path is parted any more."""
    count, first = len(t.splits), len(t.b.stms)
    t.regions.append(region)
    try:
        body()
        close_splits(t, count)
        refuse_escapes(t, t.b.stms[first:])
        forget_inside(t, t.state, region.mark)
    finally:
        del t.splits[count:]
        t.regions.pop()


def _dispatch(
    t: Tracer, stm: ast.Try, slots: Sequence[tuple[int, Slot]], flags: Sequence[Atom]
) -> None:
    """What comes after the body: one of the handlers, or what is done `else`."""
    later = t.frame.scope.after.get(id(stm))
    after = None if later is None else later | names_in(stm.finalbody)
    leaves = any(exits(stm.body))

    def run(k: int) -> None:
        if k == len(flags):
            if not leaves and not t.regions and t.state.live != false:
                t.state.live = true
            t.ctx.engine.block(t, stm.orelse)
        elif isinstance(flags[k], Lit):
            handle(k) if flags[k] == true else run(k + 1)
        else:
            branch(t, flags[k], lambda: handle(k), lambda: run(k + 1), after, conditional=True)

    def handle(k: int) -> None:
        t.resume()
        _handle(t, stm.handlers[slots[k][0]], slots[k][1])

    run(0)


def _handle(t: Tracer, handler: ast.ExceptHandler, slot: Slot) -> None:
    """The body of a handler, with the name of the exception."""
    error = UNDEF if slot.error is None else t.state.cells.pop(slot.error, UNDEF)
    if handler.name is not None and slot.error is not None:
        assign_name(t, handler.name, error)
    t.handling.append(error)
    try:
        t.ctx.engine.block(t, handler.body)
    finally:
        t.handling.pop()
    if handler.name is not None and not t.state.raised:
        t.state.cells.pop(t.frame.locals.get(handler.name, -1), None)


# `finally`.

_EXITS = ast.Return | ast.Break | ast.Continue | ast.Raise


def _with_final(t: Tracer, stm: ast.Try) -> None:
    """The last block runs on every path that does not leave the function by an exception."""
    inside = _inside(stm.finalbody)
    body = [*stm.body, *stm.orelse, *(one for handler in stm.handlers for one in handler.body)]
    if any(isinstance(node, _EXITS) for node in inside):
        leaves = any(isinstance(node, _EXITS) for node in _inside(body))
        _leave_at_the_end(t, stm, leaves or bool(t.regions))
        return
    reads = names_in(stm.finalbody) & t.frame.scope.local
    if reads and (exits(body)[1] or t.regions):
        raise t.error(
            "RG0127", f"a `finally` that reads {min(reads)!r}, of a `try` that may be left before",
            "assign the result in the `try`, and return it after",
        )  # fmt: skip
    calls = any(isinstance(node, ast.Call) for node in inside)
    final = stm.finalbody
    afterwards(t, lambda: _handled(t, stm), lambda: t.ctx.engine.block(t, final), calls)


def _leave_at_the_end(t: Tracer, stm: ast.Try, leaves: bool) -> None:
    """A last block that may leave the function or a loop, where nothing has left it before.

    An exception would be forgotten there: so none may come out of what is before.
    """
    first = len(t.b.stms)
    if not leaves:
        _handled(t, stm)
    if leaves or t.state.raised or may_raise(t, t.b.stms[first:]):
        raise t.error("RG0127", "a `finally` that leaves its block", "do this after the `try`")
    t.ctx.engine.block(t, stm.finalbody)


def afterwards(t: Tracer, body: Callable[[], None], final: Callable[[], None], calls: bool) -> None:
    """A part of the program, and what is done on every path that leaves it but by an exception.

    `calls`: the second is refused where an exception is certain, for it might be seen.
    """
    first, count = len(t.b.stms), len(t.splits)
    body()
    close_splits(t, count)
    state, last = t.state, len(t.b.stms)
    if state.raised and calls:
        raise _not_run(t)
    if state.raised:
        return
    live, cells = state.live, dict(state.cells)
    hidden = [t.frame.ret, *t.frame.brk]
    hidden += flags_of(t)
    t.resume()
    final()
    if is_loud(t, t.b.stms[last:]) and may_raise(t, t.b.stms[first:last]):
        raise _not_run(t)
    if t.state.raised:
        return
    for cell in hidden:
        t.state.cells.pop(cell, None)
        if cell in cells:
            t.state.cells[cell] = cells[cell]
    t.state.live = live


def _not_run(t: Tracer) -> UserError:
    return t.error(
        "RG0127", "a `finally` that prints, of a `try` that an exception may leave",
        "catch the exception, print, and raise it again",
    )  # fmt: skip
