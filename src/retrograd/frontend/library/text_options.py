"""What Python says of texts of which the program chooses one at run time: an answer for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import cast

from retrograd.frontend.values.kinds import Scalar, Static, Text, TupleValue, Value, parts
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.text_choices import options_of
from retrograd.frontend.values.tracer import PathEnds, Tracer
from retrograd.ir.terms import Atom, false, ilit, true

__all__ = ["MOST_OPTIONS", "by_options", "lifted", "part_between"]

MOST_OPTIONS = 256
"""Of how many combinations of texts Python is asked."""


def lifted(found: object) -> Value:
    """A Python object as a value: numbers as literals, and the items of tuples and lists."""
    if isinstance(found, tuple | list):
        items = tuple(lifted(item) for item in cast("Sequence[object]", found))
        return TupleValue(items, type(cast("object", found)))
    return literal(found) if isinstance(found, bool | int | float) else Static(found)


def by_options(t: Tracer, texts: Sequence[Value], ask: Callable[..., object]) -> Value | None:
    """`ask(text, ..)` of texts that are known, or chosen at run time from those that are.

    None where one of them shows numbers, there are too many combinations, or the answers are of
    different kinds. Where Python raises for a combination, so does the program.
    """
    every = [options_of(text) for text in texts]
    known = [options for options in every if options is not None]
    if len(known) < len(every) or prod(map(len, known)) > MOST_OPTIONS:
        return None
    answers: list[object] = []
    errors: list[tuple[int, Exception]] = []
    for number, chosen in enumerate(product(*known)):
        try:
            answers.append(ask(*chosen))
        except (TypeError, ValueError) as error:
            errors.append((number, error))
            answers.append(None)
    number, wrong = _number(t, texts, [len(options) for options in known]), dict(errors)
    good = [answer for k, answer in enumerate(answers) if k not in wrong]
    if not good:
        t.stop(type(errors[0][1]).__name__, str(errors[0][1]))
        raise PathEnds
    for k, error in errors:
        t.check(t.prim("ne", number, ilit(k)), type(error).__name__, str(error))
    return _selected(t, number, [good[0] if k in wrong else a for k, a in enumerate(answers)])


def part_between(t: Tracer, text: str, start: Scalar | None, stop: Scalar | None) -> Value | None:
    """`text[start:stop]`, with places of the run; None where there would be too many parts."""
    longest = len(text)
    ends = (range(longest + 1) if start else (0,), range(longest + 1) if stop else (longest,))
    if prod(map(len, ends)) > MOST_OPTIONS:
        return None
    every = [text[first:last] for first, last in product(*ends)]
    different = tuple(dict.fromkeys(every))
    numbers = [ilit(different.index(one)) for one in every]
    at: Atom = ilit(0)
    for bound, known in zip((start, stop), ends, strict=True):
        if bound is not None:
            before = t.prim("mul", at, ilit(len(known)))
            at = t.prim("add", before, _place(t, bound.atom, longest))
    which = t.prim("array_of", *numbers, shape=(len(numbers),))
    number = t.prim("index", which, at, checked=False, span=t.span)
    return Text.of_options(different, Scalar(number))


def _place(t: Tracer, bound: Atom, longest: int) -> Atom:
    """A bound of a slice, counted from the front, within a text."""
    below = t.prim("lt", bound, ilit(0))
    at = t.prim("select", below, t.prim("add", bound, ilit(longest)), bound)
    return t.prim("imin", t.prim("imax", at, ilit(0)), ilit(longest))


def _number(t: Tracer, texts: Sequence[Value], counts: Sequence[int]) -> Atom:
    """The number of the combination that is meant."""
    found: Atom = ilit(0)
    for text, count in zip(texts, counts, strict=True):
        index = parts(text)[0] if isinstance(text, Text) else None
        found = t.prim("mul", found, ilit(count))
        if isinstance(index, Scalar):
            found = t.prim("add", found, index.atom)
    return found


def _selected(t: Tracer, number: Atom, answers: Sequence[object]) -> Value | None:
    """The answer with a number, of answers of one kind; None where they are of several."""
    first = answers[0]
    if all(type(a) is type(first) and a == first for a in answers):
        return lifted(first)
    if any(type(answer) is not type(first) for answer in answers):
        return None
    match first:
        case bool():
            return Scalar(_select(t, number, [true if a else false for a in answers]))
        case int():
            return Scalar(_select(t, number, [ilit(cast("int", a)) for a in answers]))
        case str():
            different = tuple(dict.fromkeys(cast("Sequence[str]", answers)))
            places = [ilit(different.index(cast("str", answer))) for answer in answers]
            return Text.of_options(different, Scalar(_select(t, number, places)))
        case tuple() | list():
            return _by_items(t, number, cast("Sequence[Sequence[object]]", answers))
        case _:
            return None


def _by_items(t: Tracer, number: Atom, answers: Sequence[Sequence[object]]) -> Value | None:
    if len({len(answer) for answer in answers}) > 1:
        return None
    items = [_selected(t, number, column) for column in zip(*answers, strict=True)]
    found = [item for item in items if item is not None]
    return TupleValue(tuple(found), type(answers[0])) if len(found) == len(items) else None


def _select(t: Tracer, number: Atom, given: Sequence[Atom]) -> Atom:
    found = given[0]
    for k, atom in enumerate(given[1:], 1):
        if atom != found:
            found = t.prim("select", t.prim("eq", number, ilit(k)), atom, found)
    return found
