"""Texts in lists of run-time length: the buffer has the number of each among those that there are.

All lists of a program number texts in the same order (`Context.texts`), and a list knows those that
there were when the last of its items was put in: so of two lists one knows what the other does.
"""

from __future__ import annotations

from retrograd.frontend.identity.buffers import ListText, list_text
from retrograd.frontend.values.kinds import Scalar, Static, Text, TupleValue, Value, hole, parts
from retrograd.frontend.values.text_choices import carried, choice
from retrograd.frontend.values.tracer import Tracer
from retrograd.ir.terms import Atom, ilit
from retrograd.ir.types import DType, Type

__all__ = [
    "is_of_texts",
    "number_of",
    "text_as_item",
    "text_form",
    "text_numbered",
    "texts_in",
]


def text_form(t: Tracer, item: Value) -> TupleValue | None:
    """What a text is like as an item; None of what is none, or has numbers of the run in it."""
    options = carried(t, item)
    if options is None:
        return None
    t.ctx.texts += [text for text in options if text not in t.ctx.texts]
    return TupleValue((Scalar(hole(Type(DType.I64))),), list_text(tuple(t.ctx.texts)))


def is_of_texts(value: Value) -> bool:
    """Whether it is the form of a text, or the buffer of such items."""
    return isinstance(value, TupleValue) and issubclass(value.cls, ListText)


def texts_in(value: Value) -> tuple[str, ...]:
    """The texts that items may be, or have in them, in the order of their numbers."""
    if isinstance(value, TupleValue) and issubclass(value.cls, ListText):
        return value.cls.options
    return max(map(texts_in, parts(value)), key=len, default=())


def number_of(t: Tracer, item: Static | Text, form: TupleValue) -> Atom:
    """The number of a text."""
    return choice(t, item, Text.of_options(texts_in(form), Scalar(ilit(0))))


def text_as_item(t: Tracer, item: Static | Text, form: TupleValue) -> TupleValue:
    """A text in the form that it has in a list."""
    return TupleValue((Scalar(number_of(t, item, form), True),), form.cls)


def text_numbered(form: TupleValue, number: Value) -> Text:
    """The text with a number."""
    assert isinstance(number, Scalar)
    return Text.of_options(texts_in(form), number)
