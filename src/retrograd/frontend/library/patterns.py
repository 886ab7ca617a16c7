"""Regular expressions of texts that are known: Python's `re` is asked when a program is translated.

Patterns and matches are constants of the program. The same question gives the same object, so that
a block that is translated several times has the same constants each time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, cast

from retrograd.frontend.library.args import bind
from retrograd.frontend.library.text_methods import object_of
from retrograd.frontend.library.text_options import lifted
from retrograd.frontend.library.texts import Piece, fails, known_text, pieces_of, text_of
from retrograd.frontend.values.dicts import dict_of
from retrograd.frontend.values.iterators import iterator_of
from retrograd.frontend.values.kinds import Bound, Static, TupleValue, Value, describe
from retrograd.frontend.values.tracer import Handler, Tracer

__all__ = ["TABLE", "call_expression", "expression_attribute", "is_expression"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]

_SEARCHES = ("match", "search", "fullmatch", "split", "findall", "finditer", "sub", "subn")
_METHODS: Mapping[type, tuple[str, ...]] = {
    re.Pattern: _SEARCHES,
    re.Match: ("group", "groups", "groupdict", "start", "end", "span", "expand"),
}
_ATTRIBUTES: Mapping[type, tuple[str, ...]] = {
    re.Pattern: ("pattern", "flags", "groups", "groupindex"),
    re.Match: ("string", "pos", "endpos", "lastindex", "lastgroup", "re"),
}


def is_expression(obj: object) -> bool:
    """Whether an object is a compiled pattern, or what one has found."""
    return isinstance(obj, re.Pattern | re.Match)


def expression_attribute(t: Tracer, value: Static, name: str) -> Value:
    """`pattern.name` and `match.name`."""
    kind = type(value.obj)
    if name in _METHODS[kind]:
        return Bound(value, name)
    if name in _ATTRIBUTES[kind]:
        return _made(t, getattr(value.obj, name))
    raise t.error(
        "RG0107", f"{describe(value)} has no attribute {name!r} here",
        f"it has {', '.join((*_METHODS[kind], *_ATTRIBUTES[kind]))}", AttributeError,
    )  # fmt: skip


def call_expression(t: Tracer, method: Bound, args: Args, kwargs: Kwargs) -> Value:
    """A call of a method of a pattern or of a match."""
    receiver = method.receiver
    assert isinstance(receiver, Static)
    if method.name in ("sub", "subn"):
        given = bind(t, method.name, args, kwargs, "repl string count", 2)
        pattern = cast("re.Pattern[str]", receiver.obj)
        return _substituted(t, method.name, pattern, given)
    made = _asked(t, getattr(type(receiver.obj), method.name), (receiver, *args), kwargs)
    return iterator_of(t, type(iter(())), made) if method.name == "finditer" else made


def _asked(t: Tracer, function: Callable[..., Any], args: Args, kwargs: Kwargs) -> Value:
    """What Python answers to a call of which everything is known."""
    known = tuple(object_of(t, arg) for arg in args)
    named = tuple((name, object_of(t, arg)) for name, arg in kwargs.items())
    try:
        return _made(t, _answer(function, known, named))
    except re.error as error:
        way_out = "see the documentation of Python's module re"
        raise t.error("RG0108", f"no pattern: {error}", way_out, re.error) from None
    except (TypeError, ValueError, IndexError) as error:
        fails(t, type(error).__name__, str(error))


@lru_cache(maxsize=1024, typed=True)
def _answer(
    function: Callable[..., Any], args: tuple[object, ...], kwargs: tuple[tuple[str, object], ...]
) -> object:
    found = function(*args, **dict(kwargs))
    return tuple(cast("Iterator[object]", found)) if isinstance(found, Iterator) else found


def _made(t: Tracer, found: object) -> Value:
    if isinstance(found, Mapping):
        pairs = cast("Mapping[str, object]", found)
        return dict_of(t, tuple(pairs), tuple(map(lifted, pairs.values())))
    return lifted(found)


def _substituted(
    t: Tracer, name: str, pattern: re.Pattern[str], given: Sequence[Value | None]
) -> Value:
    """`sub` and `subn`, by a template or by a function of the match."""
    repl, string, count = given
    assert repl is not None
    assert string is not None
    most = Static(0) if count is None else count
    if pieces_of(repl) is not None:
        return _asked(t, getattr(re.Pattern, name), (Static(pattern), repl, string, most), {})
    text, limit = known_text(t, string), object_of(t, most)
    if not isinstance(limit, int):
        fails(t, "TypeError", "an integer is required")
    made: list[Piece] = []
    end = number = 0
    for found in islice(_matches(pattern, text), limit or None):
        pieces = pieces_of(t.call(repl, (Static(found),), {}))
        if pieces is None:
            fails(t, "TypeError", "expected str instance")
        made += [text[end : found.start()], *pieces]
        end, number = found.end(), number + 1
    result = text_of([*made, text[end:]])
    return result if name == "sub" else TupleValue((result, lifted(number)))


def _matches(pattern: re.Pattern[str], text: str) -> tuple[re.Match[str], ...]:
    found = _answer(re.Pattern[str].finditer, (pattern, text), ())
    return cast("tuple[re.Match[str], ...]", found)


def _function(name: str) -> Handler:
    """A function of the module: the pattern comes first, and flags may be given."""
    words = {
        "split": "pattern string maxsplit flags", "sub": "pattern repl string count flags",
        "subn": "pattern repl string count flags",
    }.get(name, "pattern string flags")  # fmt: skip

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        needed = 3 if name in ("sub", "subn") else 2
        pattern, *others, flags = bind(t, f"re.{name}", args, kwargs, words, needed)
        assert pattern is not None
        compiled = _compiled(t, (pattern,) if flags is None else (pattern, flags), {})
        return t.call(Bound(compiled, name), [o for o in others if o is not None], {})

    return handler


def _compiled(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    return _asked(t, re.compile, args, kwargs)


def _escaped(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    return _asked(t, re.escape, args, kwargs)


TABLE: Mapping[object, Handler] = {
    **{getattr(re, name): _function(name) for name in _SEARCHES},
    re.compile: _compiled,
    re.escape: _escaped,
}
"""Functions of the module `re`."""
