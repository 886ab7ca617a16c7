"""Texts: how values are shown, f-strings, `%` and `format`, and the methods of constant strings.

A text that is known is a `Static` string, and Python's own methods make others of it. One that
shows numbers of the run is a `Text`; it is formatted where it is raised or printed, by Python.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from types import FunctionType
from typing import NoReturn, cast

import numpy as np

from retrograd.frontend.identity.record_fields import fields_of
from retrograd.frontend.identity.surroundings import package_of
from retrograd.frontend.library.instances import exception_object, special
from retrograd.frontend.library.text_options import by_options
from retrograd.frontend.values.arrays import extent
from retrograd.frontend.values.clocks import refuse_times
from retrograd.frontend.values.freezing import frozen
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    DictValue,
    Failure,
    Instance,
    Scalar,
    Shown,
    Static,
    Text,
    TupleValue,
    Value,
    describe,
    parts,
)  # fmt: skip
from retrograd.frontend.values.lists import current, sized
from retrograd.frontend.values.literals import static_int
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.text_choices import choice, is_text, lost, options_of
from retrograd.frontend.values.tracer import PathEnds, Tracer
from retrograd.ir.terms import Atom, Lit, Param, ilit
from retrograd.ir.types import BOOL, I64

__all__ = [
    "Piece", "binary_text", "compare_texts", "constant_of", "contains_text", "convert_and_show",
    "encoded", "part_of_text",
    "fails", "known_text", "pieces_of", "show", "text_of",
]  # fmt: skip

Piece = str | Shown

_NUMBER_IT = "number the texts, and compare the numbers"


def constant_of(value: Value) -> str | None:
    """The text that a value is, if it is a text that is known."""
    return value.obj if isinstance(value, Static) and isinstance(value.obj, str) else None


def pieces_of(value: Value) -> tuple[Piece, ...] | None:
    """What a text is made of; None for other values."""
    if isinstance(value, Text):
        return value.pieces
    known = constant_of(value)
    return None if known is None else (known,)


def text_of(pieces: Iterator[Piece] | Sequence[Piece]) -> Value:
    """The text of pieces; neighbouring constant ones become one."""
    made: list[Piece] = []
    for piece in pieces:
        last = made[-1] if made else None
        if isinstance(piece, str) and isinstance(last, str):
            made[-1] = last + piece
        elif piece != "":
            made.append(piece)
    if Text(tuple(made)).is_lost:
        return lost()
    if all(isinstance(piece, str) for piece in made):
        return Static("".join(cast("list[str]", made)))
    return Text(tuple(made))


def encoded(pieces: Sequence[Piece], values: list[Atom]) -> Param:
    """Pieces as data (`retrograd.messages`); the numbers in them are appended to `values`."""
    made: list[Param] = []
    for piece in pieces:
        if isinstance(piece, str):
            made.append(piece)
            continue
        if piece.value.atom not in values:
            values.append(piece.value.atom)
        made.append((piece.how, values.index(piece.value.atom), piece.spec))
    return tuple(made)


# How values are shown.


def show(t: Tracer, value: Value, how: str = "str", spec: str = "") -> tuple[Piece, ...]:
    """The pieces that show a value as `str`, `repr` or `format` with a spec do."""
    match value:
        case Scalar():
            return (_number(t, value, how, spec),)
        case Static():
            refuse_times(t, value)
            return (_formatted(t, _plain(value.obj), how, spec),)
        case Text() if how == "str" or (how == "format" and spec in ("", "s")) or value.is_lost:
            return value.pieces
        case Text(pieces=(Shown(how="choose", value=index),), options=tuple() as options):
            texts = tuple(_formatted(t, text, how, spec) for text in options)
            return (Shown("choose", texts, index),)
        case Instance() if value.cls is not list:
            return _object(t, value, how, spec)
        case _ if how == "format" and spec:
            raise t.error("RG0126", f"{describe(value)} with the format {spec!r}",
                          "format its numbers one by one")  # fmt: skip
        case ArrayRef():
            return _array(t, value)
        case TupleValue() | Instance():
            return _items(t, value)
        case Failure():
            return _failure(t, value, how)
        case _:
            if how == "repr" and isinstance(value, Text):
                raise t.error("RG0126", "the repr of a text with numbers of the run", "use str")
            return (f"<{describe(value)}>",)


def _plain(obj: object) -> object:
    """An object as a message shows it: without an address, which differs from run to run."""
    if obj is None or isinstance(obj, str | type | Enum):
        return obj
    if isinstance(obj, np.dtype):
        return cast("object", obj)
    name: object = getattr(obj, "__qualname__", getattr(obj, "__name__", None))
    return f"<{type(obj).__name__} {name}>" if isinstance(name, str) else obj


def _formatted(t: Tracer, obj: object, how: str, spec: str) -> str:
    """A value that is known, formatted by Python; what that raises is raised at run time."""
    try:
        match how:
            case "repr":
                return repr(obj)
            case "format":
                return format(obj, spec)
            case "printf":
                return spec % (obj,)
            case _:
                return str(obj)
    except (TypeError, ValueError) as error:
        t.stop(type(error).__name__, str(error))
        raise PathEnds from None


_SAMPLES: Mapping[object, object] = {I64: 1, BOOL: True}


def _number(t: Tracer, value: Scalar, how: str, spec: str) -> Piece:
    if isinstance(value.atom, Lit):
        return _formatted(t, value.atom.value, how, spec)
    _formatted(t, _SAMPLES.get(value.type, 1.0), how, spec)
    return Shown("str", "", value) if (how, spec) == ("format", "") else Shown(how, spec, value)


def _array(t: Tracer, value: ArrayRef) -> tuple[Piece, ...]:
    """An array is shown by its shape and dtype: its elements may be many."""
    made: list[Piece] = ["array(shape="]
    dims = tuple(Scalar(dim, True) for dim in (extent(t, value, k) for k in range(value.type.rank)))
    made += _joined(t, TupleValue(dims))
    dtype = {"f64": "float64", "i64": "int64", "bool": "bool"}[value.type.dtype.value]
    return (*made, f", dtype={dtype})")


def _items(t: Tracer, value: TupleValue | Instance) -> tuple[Piece, ...]:
    """A tuple, a list, or a record."""
    inside = frozen(t, value)
    if not isinstance(inside, TupleValue):
        assert isinstance(value, Instance)
        return ("<list of ", *show(t, sized(t, value)), " items>")
    names = fields_of(inside.cls)
    if names is None:
        return tuple(_joined(t, inside))
    for name in ("__str__", "__repr__"):
        member: object = vars(inside.cls).get(name)
        if isinstance(member, FunctionType) and _written(member):
            return show(t, t.call(Static(member), (inside,), {}))
    made: list[Piece] = [f"{inside.cls.__qualname__}("]
    for k, (name, item) in enumerate(zip(names, inside.items, strict=True)):
        made += [", " * (k > 0), f"{name}=", *show(t, item, "repr")]
    return (*made, ")")


def _written(function: FunctionType) -> bool:
    """Whether a user has written it: it is not what `dataclass` or `NamedTuple` generate."""
    generated = function.__code__.co_filename.startswith("<")
    return not generated and package_of(function) is None


def _joined(t: Tracer, value: TupleValue) -> Iterator[Piece]:
    begin, end = ("[", "]") if value.cls is list else ("(", ")")
    yield begin
    for k, item in enumerate(value.items):
        if k:
            yield ", "
        yield from show(t, current(t, item), "repr")
    yield "," * (len(value.items) == 1 and value.cls is not list) + end


def _object(t: Tracer, value: Instance, how: str, spec: str) -> tuple[Piece, ...]:
    """By the methods of its class; without them its class alone, and no address."""
    found = special(t, "__format__", value, Static(spec)) if how == "format" else None
    if found is None and how != "repr":
        found = special(t, "__str__", value)
    if found is None:
        found = special(t, "__repr__", value)
    if found is None:
        return (f"<{value.cls.__module__}.{value.cls.__qualname__} object>",)
    return show(t, found, "format" if how == "format" else "str", spec)


def _failure(t: Tracer, value: Failure, how: str) -> tuple[Piece, ...]:
    made = exception_object(t, value) if how == "str" else None
    if made is not None and _in_python(value.cls, "__str__"):
        return show(t, special(t, "__str__", made) or NONE)
    if made is not None:
        return _of_arguments(t, value.cls, parts(t.content(made.cell("args"))))
    own = [name for name in ("__str__", "__init__", "__repr__") if _in_python(value.cls, name)]
    if own:
        raise t.error("RG0126", f"the text of an exception whose class has {own[0]}",
                      "show its numbers one by one")  # fmt: skip
    if how == "repr":
        plain = _joined(t, TupleValue(value.args, list))
        inner = list(plain)[1:-1]
        return (f"{value.cls.__name__}(", *inner, ")")
    return _of_arguments(t, value.cls, value.args)


def _of_arguments(t: Tracer, cls: type, args: tuple[Value, ...]) -> tuple[Piece, ...]:
    """What `BaseException.__str__` makes of the arguments."""
    match args:
        case ():
            return ("",)
        case (only,):
            return show(t, only, "repr" if issubclass(cls, KeyError) else "str")
        case _:
            return tuple(_joined(t, TupleValue(args)))


def _in_python(cls: type, name: str) -> bool:
    return any(name in vars(base) for base in cls.__mro__ if base.__module__ != "builtins")


# Operators.

_PRINTF = re.compile(r"%(?:\((\w+)\))?([#0\- +]*)(\d+|\*)?(?:\.(\d+|\*))?[hlL]?(.)")


def binary_text(t: Tracer, op: str, a: Value, b: Value) -> Value | None:
    """`+`, `*` and `%` of texts; None if the first is no text."""
    one, two = pieces_of(a), pieces_of(b)
    if op == "add" and one is not None and two is not None:
        return text_of((*one, *two))
    for text, other in ((one, b), (two, a)):
        if op == "mul" and text is not None and (count := static_int(other)) is not None:
            return text_of(text * max(count, 0))
    if op == "mod" and one is not None:
        return _percent(t, one, b)
    return None


def _percent(t: Tracer, template: tuple[Piece, ...], operand: Value) -> Value:
    given = (
        list(operand.items)
        if isinstance(operand, TupleValue) and operand.cls is tuple
        else [operand]
    )
    made: list[Piece] = []
    for piece in template:
        if not isinstance(piece, str):
            made.append(piece)
            continue
        end = 0
        for match in _PRINTF.finditer(piece):
            made += [piece[end : match.start()], *_converted(t, match, given, operand)]
            end = match.end()
        made.append(piece[end:])
    if given and not isinstance(operand, DictValue):
        fails(t, "TypeError", "not all arguments converted during string formatting")
    return text_of(made)


def _of_key(t: Tracer, operand: Value, key: str) -> Value:
    """What a `%(key)..` shows."""
    if not isinstance(operand, DictValue):
        fails(t, "TypeError", "format requires a mapping")
    if key not in operand.keys:
        fails(t, "KeyError", key)
    return operand.items[operand.keys.index(key)]


def _converted(
    t: Tracer, match: re.Match[str], given: list[Value], operand: Value
) -> Sequence[Piece]:
    """What stands for one `%..` of a template; it takes its value off the list."""
    if match[5] == "%":
        return ("%",)
    if "*" in (match[3], match[4]):
        raise t.error("RG0126", f"the format {match[0]!r}", "write an f-string")
    if match[1] is None and not given:
        fails(t, "TypeError", "not enough arguments for format string")
    value = given.pop(0) if match[1] is None else _of_key(t, operand, match[1])
    how = match[0] if match[1] is None else match[0].replace(f"({match[1]})", "", 1)
    if isinstance(value, Scalar):
        return (_number(t, value, "printf", how),)
    if match[5] not in "sra":
        fails(
            t, "TypeError", f"%{match[5]} format: a real number is required, not {describe(value)}"
        )
    pieces = show(t, value, "str" if match[5] == "s" else "repr")
    if all(isinstance(piece, str) for piece in pieces):
        plain = "".join(cast("tuple[str, ...]", pieces))
        return (_formatted(t, plain, "printf", how[:-1] + "s"),)
    if match[2] or match[3] or match[4]:
        raise t.error("RG0126", f"{describe(value)} with the format {match[0]!r}",
                      "format its numbers one by one")  # fmt: skip
    return pieces


def fails(t: Tracer, kind: str, message: str) -> NoReturn:
    """Ends the path with an exception that formatting raises in Python."""
    t.stop(kind, message)
    raise PathEnds


def compare_texts(t: Tracer, op: str, a: Value, b: Value) -> Value | None:
    """A comparison of two texts; None where there are not two."""
    one, two = constant_of(a), constant_of(b)
    if one is not None and two is not None:
        found = {"lt": one < two, "le": one <= two, "gt": one > two, "ge": one >= two}
        return literal(found.get(op, (one == two) == (op == "eq")))
    for text, other in ((a, two), (b, one)):
        options = text.options if isinstance(text, Text) else None
        if options is not None and other is not None and op in ("eq", "ne"):
            return _chosen(t, op, cast("Text", text), options, other)
    every = tuple(options_of(one) for one in (a, b) if is_text(one))
    if len(every) == 2 and None not in every:
        return _by_numbers(t, op, a, b)
    if isinstance(a, Text) or isinstance(b, Text):
        if op in ("eq", "ne") and any(isinstance(one, Scalar) for one in (a, b)):
            return literal(op == "ne")
        raise t.error("RG0126", "a text that is known at run time only is compared", _NUMBER_IT)
    return None


def _by_numbers(t: Tracer, op: str, *texts: Value) -> Value:
    """A comparison of texts that are chosen at run time, by their places in order."""
    found = {option for text in texts for option in options_of(text) or ()}
    order = Text.of_options(tuple(sorted(found)), Scalar(ilit(0)))
    numbers = [choice(t, text, order) for text in texts if isinstance(text, Static | Text)]
    return Scalar(t.prim(op, *numbers))


def _chosen(t: Tracer, op: str, text: Text, options: tuple[str, ...], other: str) -> Value:
    """Whether the text that is chosen is this one."""
    if other not in options:
        return literal(op == "ne")
    (index,) = (piece.value for piece in text.pieces if isinstance(piece, Shown))
    return Scalar(t.prim(op, index.atom, ilit(options.index(other))))


def part_of_text(t: Tracer, value: Value, index: int | slice | None) -> Value:
    """`text[index]`, also of one of several texts that is chosen at run time."""
    if isinstance(value, Text) and value.is_lost and isinstance(index, slice | None):
        return lost()
    options = value.options if isinstance(value, Text) else (constant_of(value) or "",)
    if options is None or index is None:
        way_out = "write the part out, or loop over a text that is known"
        raise t.error("RG0126", "this part of a text is known at run time only", way_out)
    try:
        found = [text[index] for text in options]
    except IndexError:
        if len(options) == 1:
            fails(t, "IndexError", "string index out of range")
        message = f"one of the texts {options!r} has no letter {index!r}"
        raise t.error("RG0126", message, "make them equally long") from None
    different = tuple(dict.fromkeys(found))
    if len(different) == 1 or not isinstance(value, Text):
        return Static(found[0])
    (chosen,) = (piece.value for piece in value.pieces if isinstance(piece, Shown))
    number = ilit(different.index(found[0]))
    for k, text in enumerate(found[1:], 1):
        same = t.prim("eq", chosen.atom, ilit(k))
        number = t.prim("select", same, ilit(different.index(text)), number)
    return Text.of_options(different, Scalar(number))


def contains_text(t: Tracer, text: Value, part: Value) -> Value | None:
    """`part in text`, of texts that are known or chosen; None where `text` is none."""
    if isinstance(text, Text) or (constant_of(text) is not None and isinstance(part, Text)):
        found = by_options(t, (text, part), operator.contains) if is_text(part) else None
        if found is not None:
            return found
        raise t.error("RG0126", "a text that is known at run time only is looked into", _NUMBER_IT)
    whole = constant_of(text)
    if whole is None:
        return None
    piece = constant_of(part)
    if piece is None:
        message = f"'in <string>' requires string as left operand, not {describe(part)}"
        fails(t, "TypeError", message)
    return literal(str(piece) in whole)


def convert_and_show(t: Tracer, value: Value, conversion: str, spec: str) -> tuple[Piece, ...]:
    """The pieces of a field of an f-string, or of a template of `format`."""
    if not conversion:
        return show(t, value, "format", spec)
    pieces = show(t, value, "repr" if conversion in "ra" else "str")
    return pieces if not spec else show(t, text_of(pieces), "format", spec)


def known_text(t: Tracer, value: Value) -> str:
    """The text that a value is; refused where it is known at run time only."""
    found = constant_of(value)
    if found is None:
        raise t.error(
            "RG0126", "a text that has to be known at compile time",
            "write it out, or ask the number that it shows",
        )  # fmt: skip
    return found
