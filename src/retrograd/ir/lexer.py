"""Lines and tokens of the text form; comments and blank lines are gone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from retrograd.errors import Span, UserError

__all__ = ["Line", "Token", "lex", "syntax_error"]

_TOKEN = re.compile(
    r"""(?P<space>[ ]+)
    |(?P<comment>\#.*)
    |(?P<name>[^\W\d][\w.]*)
    |(?P<quoted>`[^`]*`)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<number>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|-(?:inf|nan)(?!\w))
    |(?P<mark>->|[()\[\],:;=<@-])""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is name, quoted, string, number, mark or end; `col` counts from 1."""

    kind: str
    text: str
    line: int
    col: int


@dataclass(frozen=True, slots=True)
class Line:
    """A line with something on it."""

    indent: int
    tokens: tuple[Token, ...]


def syntax_error(message: str, line: int, col: int) -> UserError:
    """The error of the text form, with its place."""
    span = Span("<program>", line, col - 1, line, col)
    return UserError("RG0901", f"line {line}:{col}: {message}", span)


def lex(text: str) -> Iterator[Line]:
    """The lines of `text`; each ends in a token of kind "end"."""
    for number, line in enumerate(text.split("\n"), start=1):
        tokens = tuple(_tokens(line, number))
        if len(tokens) > 1:
            yield Line(len(line) - len(line.lstrip(" ")), tokens)


def _tokens(line: str, number: int) -> Iterator[Token]:
    position = 0
    while position < len(line):
        match = _TOKEN.match(line, position)
        if match is None:
            raise syntax_error(f"unexpected {line[position]!r}", number, position + 1)
        kind, text = str(match.lastgroup), match.group()
        if kind not in ("space", "comment"):
            yield _token(kind, text, number, position + 1)
        position = match.end()
    yield Token("end", "the end of the line", number, len(line) + 1)


def _token(kind: str, text: str, line: int, col: int) -> Token:
    if kind not in ("quoted", "string"):
        return Token(kind, text, line, col)
    try:
        value = json.loads(f'"{text[1:-1]}"')
    except json.JSONDecodeError:
        raise syntax_error(f"bad escape in {text}", line, col) from None
    return Token(kind, str(value), line, col)
