"""Texts with numbers that are known at run time only, and the exceptions that programs raise.

The compiled program hands over numbers, and says by plain data (strings, numbers and tuples of
them, so that it can be printed, stored and compared) what Python makes of them. Formatting is
Python's own, so a message reads as it would have without compilation.

A text is a tuple of pieces: a string, which stands for itself, or `(how, k, spec)`, which shows
number k: "format" is `format(number, spec)`, "str" and "repr" are the functions of these names,
"printf" is `spec % number`, and "choose" is the text of that index in the tuple `spec`.

What a program shows while it runs is a text with a `kind`: "print" has an end and the name of a
stream, "log" the name of a logger and a level, "warn" the class of a warning and a place.

The arguments of an exception are tuples `(keyword, form, content)`, with an empty keyword for those
by position: the form "text" has pieces, "value" the position of a number, "literal" a constant and
"tuple" arguments.
"""

from __future__ import annotations

import builtins
import importlib
import string
import sys
import warnings
from collections.abc import Mapping, Sequence, Set
from typing import Any, cast

import numpy as np

__all__ = [
    "LONG",
    "ENDS",
    "class_named",
    "elements",
    "exception_of",
    "filled",
    "kind_of",
    "shown",
    "speak",
    "unused",
]

LONG, ENDS = 20, 3
"""Of an axis with more entries than `LONG`, so many are shown at each end."""


def shown(pieces: Sequence[Any], values: Sequence[Any]) -> str:
    """The text that pieces make of numbers.

    >>> shown(("x is ", ("format", 0, ".2f"), ", ", ("printf", 1, "%03d")), (1.0, 7))
    'x is 1.00, 007'
    """
    return "".join(p if isinstance(p, str) else _shown_number(p, values) for p in pieces)


def _shown_number(piece: Sequence[Any], values: Sequence[Any]) -> str:
    how, k, spec = piece
    value = values[k]
    match how:
        case "format":
            return format(value, spec)
        case "repr":
            return repr(value)
        case "printf":
            return cast("str", spec % value)
        case "choose":
            return cast("str", spec[value])
        case _:
            return str(value)


def kind_of(cls: type[BaseException]) -> str | None:
    """The name by which `class_named` finds a class; None if it would not find that very one.

    >>> kind_of(ValueError)
    'ValueError'
    """
    if vars(builtins).get(cls.__name__) is cls:
        return cls.__name__
    found: object = sys.modules.get(cls.__module__)
    for name in cls.__qualname__.split("."):
        found = getattr(found, name, None)
    return f"{cls.__module__}:{cls.__qualname__}" if found is cls else None


def class_named(kind: str) -> type[BaseException]:
    """The class of exceptions of that name.

    >>> class_named("decimal:InvalidOperation").__name__
    'InvalidOperation'
    """
    module, colon, path = kind.rpartition(":")
    if not colon:
        return cast("type[BaseException]", getattr(builtins, kind))
    found: object = sys.modules.get(module) or importlib.import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    return cast("type[BaseException]", found)


def exception_of(kind: str, message: object, values: Sequence[Any] = ()) -> BaseException:
    """The exception itself: `message` is its only text, or its arguments as data (see above).

    >>> exception_of("ValueError", (("", "text", ("no ", ("str", 0, ""))), ("", "value", 0)), (3,))
    ValueError('no 3', 3)
    """
    cls = class_named(kind)
    if isinstance(message, str):
        return cls(message)
    every = cast("Sequence[tuple[str, str, Any]]", message)
    positional = [_argument(form, content, values) for name, form, content in every if not name]
    named = {name: _argument(form, content, values) for name, form, content in every if name}
    return cls(*positional, **named)


def _argument(form: str, content: Any, values: Sequence[Any]) -> object:
    match form:
        case "text":
            return shown(content, values)
        case "value":
            return values[content]
        case "tuple":
            return tuple(_argument(inner, part, values) for _, inner, part in content)
        case _:
            return content


def speak(kind: Sequence[Any], pieces: Sequence[Any], values: Sequence[Any]) -> None:
    """Shows what a program has printed, logged or warned of.

    >>> speak(("print", "!", "stdout"), ("x = ", ("str", 0, "")), (1.5,))
    x = 1.5!
    """
    text = shown(pieces, values)
    match kind:
        case ("print", end, stream):
            print(text, end=end, file=getattr(sys, str(stream)))
        case ("log", name, level):
            import logging

            to = logging.getLogger(name).log if name else logging.log
            to(level, "%s", text)
        case ("warn", category, file, line, module):
            space = vars(sys.modules[module]) if module in sys.modules else {}
            known = space.setdefault("__warningregistry__", {})
            cls = cast("Any", class_named(category))
            warnings.warn_explicit(text, cls, file, line, module, known)
        case _:
            raise ValueError(f"a program does not show anything by {kind}")


def unused(used: Set[str | int], count: int, names: Sequence[str]) -> str | None:
    """What is wrong with a format that does not show all of its values; None if nothing is."""
    left = [*(str(k) for k in range(count) if k not in used), *(n for n in names if n not in used)]
    if not left:
        return None
    return (
        f"the format of rg.debug.print does not show the argument{'s' * (len(left) > 1)} "
        f"{', '.join(left)}: write a field for each, in a text that is no f-string"
    )


class _Template(string.Formatter):
    """`str.format` with arrays that are shown by their elements, and no value that is not shown."""

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        value = super().get_value(key, args, kwargs)
        return cast("object", value.item() if isinstance(value, np.generic) else value)

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, np.ndarray):
            return elements(cast("Any", value), format_spec)
        return cast("str", super().format_field(value, format_spec))

    def check_unused_args(
        self, used_args: Set[str | int], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:
        if (wrong := unused(used_args, len(args), tuple(kwargs))) is not None:
            raise ValueError(wrong)


def filled(fmt: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """The text of `rg.debug.print`.

    >>> filled("{} {x:.1f}", (1,), {"x": np.arange(3.0)})
    '1 [0.0, 1.0, 2.0]'
    """
    return _Template().vformat(fmt, args, kwargs)


def elements(x: np.ndarray[Any, Any], spec: str) -> str:
    """An array by its elements, each formatted.

    >>> elements(np.eye(2), "g")
    '[[1, 0], [0, 1]]'
    """
    if x.ndim == 0:
        return format(x.item(), spec)
    n = len(x)
    made = [elements(x[k], spec) for k in range(n) if n <= LONG or not ENDS <= k < n - ENDS]
    if n > LONG:
        made.insert(ENDS, "...")
    return f"[{', '.join(made)}]"
