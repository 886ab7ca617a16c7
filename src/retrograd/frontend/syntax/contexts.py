"""`with`: the contexts that mean something, or nothing, to a compiled program.

Floating-point errors are no exceptions here and warnings are not given, so `np.errstate` and
`warnings.catch_warnings` leave their body as it is, unless they make exceptions of them.
"""

from __future__ import annotations

import ast
import contextlib
import warnings
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from retrograd.errors import UserError
from retrograd.frontend.library.output import is_loud
from retrograd.frontend.syntax.catching import suppressed
from retrograd.frontend.syntax.managers import Manager, managed, of_object, run_managed
from retrograd.frontend.syntax.targets import assign
from retrograd.frontend.values.kinds import NONE, Scalar, Static, Value, describe
from retrograd.frontend.values.liveness import stored_names
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import false, true

__all__ = ["run_with"]

_ERRORS = ("all", "divide", "over", "under", "invalid")


def run_with(t: Tracer, stm: ast.With) -> None:
    """A `with` statement."""
    _run(t, stm, stm.items)


def _run(t: Tracer, stm: ast.With, items: Sequence[ast.withitem]) -> None:
    if not items:
        t.ctx.engine.block(t, stm.body)
        return
    item, rest = items[0], items[1:]

    def block(given: Value) -> None:
        if item.optional_vars is not None:
            assign(t, item.optional_vars, given)
        _run(t, stm, rest)

    with t.at(item.context_expr):
        if not isinstance(item.context_expr, ast.Call):
            _entered(t, item.context_expr, of_object(t, t.eval(item.context_expr)), block)
            return
        function, args, kwargs = _call(t, item.context_expr)
        known = function.obj if isinstance(function, Static) else None
        value: Value = NONE
        if known is contextlib.suppress:
            suppressed(t, stm, args, lambda: _run(t, stm, rest))
            return
        check = _HARMLESS.get(known) if isinstance(known, type) else None
        if known is warnings.catch_warnings and kwargs.pop("record", None) == Scalar(true):
            _quiet(t, args, kwargs)
            _recorded(t, stm, item, rest)
            return
        if known is contextlib.nullcontext:
            value = args[0] if args else NONE
        elif check is not None:
            check(t, args, kwargs)
        else:
            _entered(t, item.context_expr, managed(t, function, args, kwargs), block)
            return
    block(value)


def _entered(
    t: Tracer, node: ast.expr, manager: Manager | None, block: Callable[[Value], None]
) -> None:
    """The block of a context of the user's."""
    if manager is None:
        raise _refused(t, node)
    run_managed(t, manager, block)


def _call(t: Tracer, node: ast.Call) -> tuple[Value, list[Value], dict[str, Value]]:
    """The function that gives a context, and its arguments."""
    starred = any(isinstance(arg, ast.Starred) for arg in node.args)
    if starred or any(one.arg is None for one in node.keywords):
        raise _refused(t, node)
    function = t.eval(node.func)
    if isinstance(function, Static):
        t.recorder.require(function.obj)
    args = [t.eval(arg) for arg in node.args]
    return function, args, {one.arg or "": t.eval(one.value) for one in node.keywords}


def _refused(t: Tracer, node: ast.expr) -> UserError:
    return t.error("RG0127", f"`with {ast.unparse(node)}`", "do it around the call")


def _errstate(t: Tracer, args: Sequence[Value], kwargs: dict[str, Value]) -> None:
    """Errors that are ignored, or warned of, are results like others."""
    for name, value in kwargs.items():
        how = value.obj if isinstance(value, Static) else describe(value)
        if name not in _ERRORS or how not in ("ignore", "warn", "print", None):
            raise t.error(
                "RG0127", f"`errstate` with {name}={how!r}",
                "test the result: np.isfinite(x); numbers follow IEEE 754 here and do not raise",
            )  # fmt: skip


def _quiet(t: Tracer, args: Sequence[Value], kwargs: dict[str, Value]) -> None:
    """Warnings are not given in a compiled program."""
    for name, value in kwargs.items():
        off = value == Scalar(false) if name == "record" else value in (Static("ignore"), NONE)
        if name not in ("record", "action") or not off:
            raise t.error("RG0127", f"`catch_warnings` with {name!r}", "do it around the call")


def _recorded(t: Tracer, stm: ast.With, item: ast.withitem, rest: Sequence[ast.withitem]) -> None:
    """The block of `catch_warnings(record=True)`; nobody may ask what has been recorded.

    NumPy's warnings are not given here, and the program's own would be shown.
    """
    stored = set[str]() if item.optional_vars is None else stored_names([item.optional_vars])
    nodes = (node for node in ast.walk(t.frame.source.node) if isinstance(node, ast.Name))
    if any(node.id in stored and isinstance(node.ctx, ast.Load) for node in nodes):
        raise t.error(
            "RG0127", "the record of warnings that `catch_warnings` makes is read",
            "test the result: np.isfinite(x); warnings are not given in a compiled program",
        )  # fmt: skip
    if t.regions:
        raise t.error(
            "RG0127", "`catch_warnings(record=True)` inside of a `try`", "do it around the `try`"
        )
    first = len(t.b.stms)
    _run(t, stm, rest)
    if is_loud(t, t.b.stms[first:], "warn"):
        raise t.error(
            "RG0127", "`catch_warnings(record=True)` around a warning of the program's own",
            "do not warn there: it would be shown",
        )  # fmt: skip


_HARMLESS: Mapping[object, Callable[[Tracer, Sequence[Value], dict[str, Value]], None]] = {
    np.errstate: _errstate,
    warnings.catch_warnings: _quiet,
}
