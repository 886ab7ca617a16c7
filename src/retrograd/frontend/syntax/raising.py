"""`raise` and `assert`: exceptions of the program, with messages that show numbers of the run."""

from __future__ import annotations

import ast

from retrograd.frontend.library.texts import convert_and_show, encoded, pieces_of, show, text_of
from retrograd.frontend.syntax.branches import branch
from retrograd.frontend.values.kinds import (
    Failure,
    Scalar,
    Shown,
    Static,
    Text,
    TupleValue,
    Value,
    describe,
)  # fmt: skip
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, Lit, Param
from retrograd.messages import kind_of
from retrograd.prims.control import MOST_SHOWN

__all__ = ["joined_text", "run_assert", "run_raise", "stop_with"]


def joined_text(t: Tracer, node: ast.JoinedStr) -> Value:
    """An f-string."""
    pieces: list[str | Shown] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            value = t.eval(part.value)
            spec = Static("") if part.format_spec is None else t.eval(part.format_spec)
            if not isinstance(spec, Static):
                raise t.error("RG0126", "a format that depends on the run", "write it out")
            conversion = chr(part.conversion) if part.conversion >= 0 else ""
            pieces += convert_and_show(t, value, conversion, str(spec.obj))
        else:
            pieces += pieces_of(t.eval(part)) or ()
    return text_of(pieces)


def run_assert(t: Tracer, stm: ast.Assert) -> None:
    """`assert`: the message is formed only where the test fails."""
    test, message = t.test(stm.test), stm.msg
    if message is None or isinstance(message, ast.Constant):
        text = "" if message is None else message.value
        if isinstance(text, str):
            t.check(test, "AssertionError", text)
            return

    def fail() -> None:
        assert message is not None
        with t.at(stm):
            stop_with(t, Failure(AssertionError, (t.eval(message),)))

    branch(t, test, _nothing, fail, t.frame.scope.after.get(id(stm)), conditional=True)


def _nothing() -> None:
    return


def run_raise(t: Tracer, stm: ast.Raise) -> None:
    """`raise`; what it is raised `from` is evaluated, and forgotten."""
    if stm.exc is None and t.handling:
        stop_with(t, as_failure(t, t.handling[-1]))
        return
    if stm.exc is None:
        t.stop("RuntimeError", "No active exception to reraise")
        return
    value = t.eval(stm.exc)
    if stm.cause is not None:
        t.eval(stm.cause)
    stop_with(t, as_failure(t, value))


def as_failure(t: Tracer, value: Value) -> Failure:
    """The exception that `raise value` raises."""
    match value:
        case Failure():
            return value
        case Static(obj=type() as cls) if issubclass(cls, BaseException):
            return Failure(cls, ())
        case Static(obj=str()) | Text() | Scalar() | Static(obj=None):
            return Failure(TypeError, (Static("exceptions must derive from BaseException"),))
        case _:
            raise t.error("RG0101", f"`raise` of {describe(value)}",
                          "raise an exception with a message")  # fmt: skip


def stop_with(t: Tracer, failure: Failure) -> None:
    """Ends the path with an exception."""
    kind = kind_of(failure.cls)
    if kind is None:
        raise t.error(
            "RG0101", f"the exception {failure.cls.__qualname__!r} is not found in its module",
            "define its class at the top of the module",
        )  # fmt: skip
    values: list[Atom] = []
    simple = not failure.names and len(failure.args) == 1
    message: Param = ()
    if simple and isinstance(failure.args[0], Static) and isinstance(failure.args[0].obj, str):
        message = failure.args[0].obj
    elif failure.args:
        message = _arguments(t, failure, values)
    if len(values) > MOST_SHOWN:
        raise t.error("RG0126", f"a message that shows more than {MOST_SHOWN} numbers",
                      "show fewer of them")  # fmt: skip
    t.stop(kind, message, values, failure)


def _arguments(t: Tracer, failure: Failure, values: list[Atom]) -> Param:
    plain = len(failure.args) - len(failure.names)
    names = ("",) * plain + failure.names
    pairs = zip(names, failure.args, strict=True)
    return tuple((name, *_argument(t, value, values)) for name, value in pairs)


def _argument(t: Tracer, value: Value, values: list[Atom]) -> tuple[str, Param]:
    """An argument of an exception as data; the numbers in it are appended to `values`."""
    match value:
        case Scalar(atom=Lit(value=known)):
            return "literal", known
        case Scalar():
            return "value", _position(values, value.atom)
        case Static(obj=None | str() as known):
            return "literal", known
        case TupleValue() if value.cls is tuple:
            return "tuple", tuple(("", *_argument(t, item, values)) for item in value.items)
        case _:
            return "text", encoded(show(t, value), values)


def _position(values: list[Atom], atom: Atom) -> int:
    if atom not in values:
        values.append(atom)
    return values.index(atom)
