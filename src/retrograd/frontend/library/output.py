"""`print`, `logging` and `warnings.warn`: texts that are shown while the program runs."""

from __future__ import annotations

import builtins
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from retrograd.frontend.library.args import bind
from retrograd.frontend.library.texts import (
    Piece,
    binary_text,
    encoded,
    known_text,
    pieces_of,
    show,
)
from retrograd.frontend.values.kinds import (
    NONE,
    Bound,
    Failure,
    Static,
    TupleValue,
    Value,
    describe,
    static_int,
)  # fmt: skip
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.ir.terms import Atom, Param
from retrograd.messages import kind_of
from retrograd.prims.control import MOST_SHOWN

__all__ = ["LEVELS", "TABLE", "call_logger", "of_logging"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def _say(t: Tracer, kind: Param, pieces: Sequence[Piece]) -> Value:
    values: list[Atom] = []
    message = encoded(pieces, values)
    if len(values) > MOST_SHOWN:
        raise t.error("RG0126", f"a line that shows more than {MOST_SHOWN} numbers",
                      "show them in several lines")  # fmt: skip
    t.b.effect("output", *values, kind=kind, message=message, span=t.span)
    return NONE


def _print(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    names = ("sep", "end", "file", "flush")
    sep, end, file, _ = bind(t, "print", (), kwargs, " ".join(names), 0)
    between = " " if sep is None or sep == NONE else known_text(t, sep)
    last = "\n" if end is None or end == NONE else known_text(t, end)
    stream = "stdout"
    if file not in (None, NONE):
        streams = {name: getattr(sys, name) for name in ("stdout", "stderr")}
        known = [n for n, one in streams.items() if isinstance(file, Static) and file.obj is one]
        if not known:
            raise t.error("RG0128", "print to a file", "print to sys.stdout or sys.stderr")
        stream = known[0]
    pieces: list[Piece] = []
    for k, value in enumerate(args):
        pieces += [between, *show(t, value)] if k else show(t, value)
    return _say(t, ("print", last, stream), pieces)


def _warn(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    message, category, level = bind(t, "warnings.warn", args, kwargs, "message category stacklevel")
    assert message is not None
    cls: type[Any] = UserWarning
    if isinstance(category, Static) and isinstance(category.obj, type):
        cls = category.obj
    pieces = show(t, message)
    if isinstance(message, Failure):
        cls = message.cls
    kind = kind_of(cls) if issubclass(cls, Warning) else None
    if kind is None or (level is not None and static_int(level) is None):
        raise t.error("RG0128", f"a warning of {describe(message)}",
                      "warn with a text and a class of warnings")  # fmt: skip
    span = t.span
    place = ("", 0) if span is None else (span.file, span.line)
    module: object = t.frame.origin.globals.get("__name__", "")
    return _say(t, ("warn", kind, *place, str(module)), pieces)


LEVELS: Mapping[str, int] = {
    "debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50,
}  # fmt: skip


def _log(t: Tracer, name: str, level: int, args: Args, kwargs: Kwargs) -> Value:
    if not args or kwargs:
        raise t.error("RG0128", "a log record with more than a text and its values",
                      "format what it shows into the text")  # fmt: skip
    text, values = args[0], tuple(args[1:])
    pieces = pieces_of(text)
    if pieces is None:
        pieces = show(t, text)
    elif values:
        pieces = pieces_of(binary_text(t, "mod", text, TupleValue(values)) or NONE) or ()
    return _say(t, ("log", name, level), pieces)


def call_logger(t: Tracer, method: Bound, args: Args, kwargs: Kwargs) -> Value:
    """A method of a logger."""
    assert isinstance(method.receiver, Static)
    name = str(cast("Any", method.receiver.obj).name)
    root = "" if name == "root" else name
    return _log(t, root, LEVELS[method.name], args, kwargs)


def _to_root(level: int) -> Handler:
    return lambda t, args, kwargs: _log(t, "", level, args, kwargs)


def of_logging() -> Iterator[Mapping[object, Handler]]:
    """The functions of `logging`, if it is loaded: nobody logs without."""
    module = sys.modules.get("logging")
    if module is not None:
        yield {getattr(module, name): _to_root(level) for name, level in LEVELS.items()}


TABLE: Mapping[object, Handler] = {builtins.print: _print, warnings.warn: _warn}
