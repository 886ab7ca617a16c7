"""`print`, `rg.debug.print`, `logging` and `warnings.warn`: what is shown while programs run."""

from __future__ import annotations

import builtins
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from retrograd.frontend.library.args import bind
from retrograd.frontend.library.text_methods import fields
from retrograd.frontend.library.texts import (
    Piece,
    binary_text,
    convert_and_show,
    encoded,
    fails,
    known_text,
    pieces_of,
    show,
)
from retrograd.frontend.library.written_showing import show_elements
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    Bound,
    Failure,
    Static,
    Text,
    TupleValue,
    Value,
    describe,
    )  # fmt: skip
from retrograd.frontend.values.literals import static_int
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.ir.terms import Atom, Block, Param, Prim, Stm
from retrograd.ir.traverse import callees_of, stms_deep
from retrograd.messages import kind_of, unused
from retrograd.prims.control import MOST_SHOWN

__all__ = ["LEVELS", "TABLE", "call_logger", "debug_print", "is_loud", "of_logging"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def is_loud(t: Tracer, stms: Sequence[Stm], kind: str | None = None) -> bool:
    """Whether statements show something (of a kind), themselves or in what they call."""
    seen: set[str] = set()
    waiting = list(stms_deep(Block(tuple(stms), ())))
    while waiting:
        expr = waiting.pop().expr
        if isinstance(expr, Prim) and expr.op == "output":
            own: Param = expr.param("kind")
            if kind is None or (isinstance(own, tuple) and own[0] == kind):
                return True
        for name in set(callees_of(expr)) - seen:
            seen.add(name)
            function = t.ctx.functions.get(name)
            waiting += stms_deep(function.body) if function is not None else ()
    return False


def _say(t: Tracer, kind: Param, pieces: Sequence[Piece]) -> Value:
    if Text(tuple(pieces)).is_lost:
        raise t.error(
            "RG0126", "a text is shown that the run puts together, which is not kept",
            "show its parts where they are made",
        )  # fmt: skip
    match kind:
        case ("print", last, stream):
            *before, pieces = _in_parts(pieces)
            for part in before:
                _say_at_once(t, ("print", "", stream), part)
            return _say_at_once(t, ("print", last, stream), pieces)
        case _:
            return _say_at_once(t, kind, pieces)


def _in_parts(pieces: Sequence[Piece]) -> Sequence[Sequence[Piece]]:
    """What is printed one after the other, each with as many numbers as are shown at once."""
    parts: list[list[Piece]] = [[]]
    for piece in pieces:
        if sum(not isinstance(one, str) for one in parts[-1]) == MOST_SHOWN:
            parts.append([])
        parts[-1].append(piece)
    return parts


def _say_at_once(t: Tracer, kind: Param, pieces: Sequence[Piece]) -> Value:
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


def debug_print(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`rg.debug.print(fmt, ...)`: arrays are shown by a program, which prints their elements."""
    if not args:
        fails(t, "TypeError", "print() missing 1 required positional argument: 'fmt'")
    fmt, given = args[0], args[1:]
    named = {name: value for name, value in kwargs.items() if name != "ordered"}
    made = pieces_of(fmt)
    if made is None or (isinstance(fmt, Text) and (given or named or _has_fields(made))):
        raise t.error("RG0126", f"the format of rg.debug.print is {describe(fmt)}",
                      'give a text that is known first: rg.debug.print("{}", x)')  # fmt: skip
    if isinstance(fmt, Text):
        return _say(t, ("print", "\n", "stdout"), made)
    used: set[str | int] = set()
    pieces: list[Piece] = []
    for part in fields(t, known_text(t, fmt), given, named):
        if isinstance(part, str):
            pieces.append(part)
            continue
        used.add(int(part.name) if part.name.isdigit() else part.name)
        if isinstance(part.value, ArrayRef) and part.value.type.rank and not part.conversion:
            _say(t, ("print", "", "stdout"), pieces)
            pieces = []
            t.call(Static(show_elements), (part.value, Static(part.spec)), {})
        else:
            pieces += convert_and_show(t, part.value, part.conversion, part.spec)
    if (wrong := unused(used, len(given), tuple(named))) is not None:
        fails(t, "ValueError", wrong)
    return _say(t, ("print", "\n", "stdout"), pieces)


def _has_fields(pieces: Sequence[Piece]) -> bool:
    return any("{" in piece or "}" in piece for piece in pieces if isinstance(piece, str))


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
        yield {module.getLogger: _logger(module.getLogger)}


def _logger(given: Any) -> Handler:
    """`logging.getLogger`, of a name that is known."""

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        (name,) = bind(t, "logging.getLogger", args, kwargs, "name", 0)
        return Static(given(None if name is None or name == NONE else known_text(t, name)))

    return handler


def _filter(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`warnings.simplefilter` and `filterwarnings`: a program does not choose what is shown."""
    action = args[0] if args else kwargs.get("action", NONE)
    if known_text(t, action) == "error":
        raise t.error("RG0127", "warnings that are exceptions", "raise where the warning is given")
    return NONE


TABLE: Mapping[object, Handler] = {
    builtins.print: _print, warnings.warn: _warn, warnings.simplefilter: _filter,
    warnings.filterwarnings: _filter,
}  # fmt: skip
