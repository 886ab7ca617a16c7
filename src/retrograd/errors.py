"""The three classes of errors, and how they are shown.

`UserError` is about the user's program or data: it has a place, a code with a page, and a way out.
`Limitation` is a declared limit of this version. `CompilerBug` is ours and asks for a report.
Errors that the *program* raises at run time (IndexError, ...) leave native code as plain Python
exceptions and are not in this file.
"""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from typing import ClassVar

from retrograd.records import quickly_made

__all__ = [
    "OF_PROGRAMS", "CompilerBug", "InvertibilityError", "Limitation", "RetrogradError", "Span",
    "UserError", "counted", "has_place", "note_place",
]  # fmt: skip

OF_PROGRAMS = (
    ArithmeticError, AssertionError, AttributeError, EOFError, LookupError, MemoryError, NameError,
    OSError, RuntimeError, StopIteration, TypeError, ValueError,
)  # fmt: skip
"""What a program raises, if it has a place (`has_place`): others are nobody's or ours."""

_AT = "  at "


@quickly_made
@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of source text: file, 1-based lines, 0-based columns (`end_col` exclusive).

    `shared`: what is there is the text of a function that is called from other lines, too, and this
    is the first of them.
    """

    file: str
    line: int
    col: int
    end_line: int
    end_col: int
    shared: bool = False

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.col + 1}"

    def caret(self) -> str:
        """The source line with carets under the span, or nothing where there is no text."""
        text = linecache.getline(self.file, self.line).rstrip("\n")
        if not text:
            return ""
        end = self.end_col if self.end_line == self.line else len(text)
        return f"    {text}\n    {' ' * self.col}{'^' * max(1, end - self.col)}"


class RetrogradError(Exception):
    """Base of every error that retrograd itself raises.

    Attributes:
        code: the error's page in `docs/errors/`, such as "RG0101".
        span: the place in the user's source, where there is one.
        way_out: what to write instead, where there is something.
        python: the class of the exception that Python raises there, where it does.
        passable: it is about a place to which the program may never come.
        of_kind: it is about one of several kinds of values that a name may have there.
        of_list: it is about a list from outside that is changed there.
    """

    kind: ClassVar[str] = "error"

    def __init__(
        self, code: str, message: str, span: Span | None = None, way_out: str | None = None
    ) -> None:
        self.code = code
        self.message = message
        self.span = span
        self.way_out = way_out
        self.python: type[Exception] | None = None
        self.passable = self.of_kind = self.of_list = False
        super().__init__(code, message, span, way_out)

    def __str__(self) -> str:
        where = f"{self.span}: " if self.span is not None else ""
        lines = [f"{where}{self.kind} {self.code}: {self.message}"]
        if self.span is not None and (caret := self.span.caret()):
            lines.append(caret)
        if self.way_out is not None:
            lines.append(f"  way out: {self.way_out}")
        return "\n".join(lines)


class UserError(RetrogradError, TypeError):
    """The program or its data is outside what retrograd accepts."""

    def at(self, span: Span) -> UserError:
        """The same refusal at a place."""
        return UserError(self.code, self.message, span, self.way_out)


class Limitation(RetrogradError, NotImplementedError):
    """A declared limit of this version of retrograd."""

    kind = "limitation"


class CompilerBug(RetrogradError):
    """Something that must not happen: please report it with the message and the program."""

    kind = "compiler bug (please report)"

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__("RG9001", message, span)


class InvertibilityError(RuntimeError):
    """A run of a reversible function could not be undone: what it relies on does not hold."""


def note_place(error: BaseException, span: Span) -> None:
    """Notes where in the user's program an exception was raised."""
    error.add_note(f"{_AT}{span}\n{span.caret()}")


def has_place(error: BaseException) -> bool:
    """Whether an exception is one that a program raised in native code."""
    notes: list[str] = getattr(error, "__notes__", [])
    return any(note.startswith(_AT) for note in notes)


def counted(index: int, size: int) -> int:
    """An index that is out of bounds, as it was before it was counted from the end."""
    return index - size if index < 0 else index
