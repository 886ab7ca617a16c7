"""Methods of strings, and the built-in functions that make texts.

Where text and arguments are known, Python's own method is called while the program is translated.
"""

from __future__ import annotations

import builtins
import re
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from retrograd.frontend.library.args import bind, no_more
from retrograd.frontend.library.text_options import by_options, lifted
from retrograd.frontend.library.texts import (
    Piece,
    convert_and_show,
    fails,
    known_text,
    pieces_of,
    show,
    text_of,
)  # fmt: skip
from retrograd.frontend.values.iterate import steps_of
from retrograd.frontend.values.kinds import (
    Bound,
    Instance,
    Scalar,
    Static,
    Text,
    TupleValue,
    Value,
    describe,
)
from retrograd.frontend.values.list_texts import is_of_texts
from retrograd.frontend.values.lists import content_of, current, parts_of
from retrograd.frontend.values.optional import sure
from retrograd.frontend.values.text_choices import lost
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.ir.terms import Lit

__all__ = ["METHODS", "TABLE", "Field", "call_text", "fields", "object_of"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def _str(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "str", args, kwargs, "object", 0)
    return Static("") if value is None else text_of(show(t, value))


def _repr(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "repr", args, kwargs, "object")
    assert value is not None
    return text_of(show(t, value, "repr"))


def _format(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, spec = bind(t, "format", args, kwargs, "value format_spec")
    assert value is not None
    return text_of(show(t, value, "format", "" if spec is None else known_text(t, spec)))


def _template(t: Tracer, receiver: Value, args: Args, kwargs: Kwargs) -> Value:
    """`template.format(...)`."""
    made: list[Piece] = []
    for part in fields(t, known_text(t, receiver), args, kwargs):
        match part:
            case str():
                made.append(part)
            case Field():
                made += convert_and_show(t, part.value, part.conversion, part.spec)
    return text_of(made)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a template, by the value that it shows."""

    name: str
    value: Value
    conversion: str
    spec: str


def fields(t: Tracer, template: str, args: Args, kwargs: Kwargs) -> Iterator[str | Field]:
    """The parts of a template of `format`: plain texts, and fields."""
    count = 0
    for plain, field, spec, conversion in string.Formatter().parse(template):
        yield plain
        if field is None:
            continue
        if field == "":
            field, count = str(count), count + 1
        name = re.match(r"\w+", field)
        value = None if name is None else _argument(args, kwargs, name[0])
        if name is None or name[0] != field or "{" in (spec or ""):
            raise t.error("RG0126", f"the field {{{field}}} of a format",
                          "give what it shows as an argument of its own")  # fmt: skip
        if value is None and field.isdigit():
            text = f"Replacement index {field} out of range for positional args tuple"
            fails(t, "IndexError", text)
        if value is None:
            fails(t, "KeyError", field)
        yield Field(field, value, conversion or "", spec or "")


def _argument(args: Args, kwargs: Kwargs, name: str) -> Value | None:
    if name.isdigit():
        return args[int(name)] if int(name) < len(args) else None
    return kwargs.get(name)


def _join(t: Tracer, receiver: Value, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "join", args, kwargs, "iterable")
    assert value is not None
    value = sure(t, value, "can only join an iterable")
    items = steps_of(t, value).items
    if items is None and _has_texts(t, value):
        if t.ctx.way.loses:
            return lost()
        t.ctx.lost = True
    if items is None:
        raise t.error("RG0126", "join of as many texts as the run has", "join texts one by one")
    made: list[Piece] = []
    for k, item in enumerate(items):
        pieces = pieces_of(current(t, item))
        if pieces is None:
            fails(
                t, "TypeError", f"sequence item {k}: expected str instance, found {describe(item)}"
            )
        made += [*((pieces_of(receiver) or ()) if k else ()), *(pieces or ())]
    return text_of(made)


def _has_texts(t: Tracer, value: Value) -> bool:
    """Whether it is a list of run-time length whose items are texts."""
    if not isinstance(value, Instance) or value.cls is not list:
        return False
    return is_of_texts(parts_of(content_of(t, value))[0])


def _plain_method(name: str) -> Callable[[Tracer, Value, Args, Kwargs], Value]:
    """A method of strings whose arguments are known: Python's own is called."""

    def handler(t: Tracer, receiver: Value, args: Args, kwargs: Kwargs) -> Value:
        no_more(t, name, kwargs)
        chosen = [one for one in (receiver, *args) if isinstance(one, Text) and one.options]
        if chosen and (found := _in_each_option(t, name, receiver, args)) is not None:
            return found
        if name in _MAKING_TEXTS and isinstance(receiver, Text):
            if t.ctx.way.loses:
                return lost()
            t.ctx.lost = True
        plain = [object_of(t, arg) for arg in args]
        method = getattr(known_text(t, receiver), name)
        try:
            found: object = method(*plain)
        except (TypeError, ValueError) as error:
            fails(t, type(error).__name__, str(error))
        return lifted(found)

    return handler


_MAKING_TEXTS = (
    "capitalize", "casefold", "center", "ljust", "lower", "lstrip", "removeprefix", "removesuffix",
    "replace", "rjust", "rstrip", "strip", "swapcase", "title", "upper", "zfill",
)  # fmt: skip


def _in_each_option(t: Tracer, name: str, receiver: Value, args: Args) -> Value | None:
    """The method of each of the texts of which one is chosen at run time."""
    given = (receiver, *args)
    at = [k for k, one in enumerate(given) if isinstance(one, Text)]
    plain = [None if k in at else object_of(t, one) for k, one in enumerate(given)]

    def ask(*texts: str) -> object:
        whole = [texts[at.index(k)] if k in at else one for k, one in enumerate(plain)]
        return getattr(whole[0], name)(*whole[1:])

    return by_options(t, [given[k] for k in at], ask)


def object_of(t: Tracer, value: Value) -> object:
    """The Python object that a value is, of what is known; refused for numbers of the run."""
    match value:
        case Static():
            return value.obj
        case Scalar(atom=Lit(value=known)):
            return known
        case TupleValue():
            return tuple(object_of(t, item) for item in value.items)
        case _:
            raise t.error("RG0126", f"{describe(value)} in a call of a method of a string",
                          "write the value out")  # fmt: skip


METHODS: Mapping[str, Callable[[Tracer, Value, Args, Kwargs], Value]] = {
    **{
        name: _plain_method(name)
        for name in (
            "capitalize", "casefold", "center", "count", "endswith", "find", "index", "isalnum",
            "isalpha", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isspace",
            "istitle", "isupper", "ljust", "lower", "lstrip", "partition", "removeprefix",
            "removesuffix", "replace", "rfind", "rindex", "rjust", "rpartition", "rsplit",
            "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title", "upper",
            "zfill",
        )
    },
    "format": _template,
    "join": _join,
}  # fmt: skip
"""Methods of strings by name."""


def call_text(t: Tracer, method: Bound, args: Args, kwargs: Kwargs) -> Value:
    """A call of a method of a text."""
    return METHODS[method.name](t, method.receiver, args, kwargs)


TABLE: Mapping[object, Handler] = {
    builtins.str: _str,
    builtins.repr: _repr,
    builtins.format: _format,
}
