"""Tracebacks as users need them: their own frames, and the message, which has the place.

What is refused is found deep inside the compiler, and what a program raises comes out of native
code: the frames in between say nothing about the program. The public functions remove them, and are
not in the traceback themselves: in CPython a bare `raise` adds no entry for its own frame.
`RETROGRAD_TRACEBACK=full` leaves everything as it is. A `CompilerBug` always keeps its frames.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import ParamSpec, TypeVar

from retrograd.errors import OF_PROGRAMS, CompilerBug, RetrogradError, has_place

__all__ = ["SHOWN", "shorten", "shows_user_frames"]

SHOWN = (RetrogradError, *OF_PROGRAMS)
"""What may be shortened; `shorten` decides."""

_PACKAGE = str(Path(__file__).parent) + os.sep
_BETWEEN = contextlib.__file__
"""The frames of `@contextmanager` lie between ours."""

P = ParamSpec("P")
R = TypeVar("R")


def shows_user_frames(fun: Callable[P, R]) -> Callable[P, R]:
    """A public function whose errors have the frames of its users only."""

    @wraps(fun)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return fun(*args, **kwargs)
        except SHOWN as error:
            shorten(error)
            raise

    return call


def shorten(error: BaseException) -> None:
    """Removes our frames from the traceback of an error that is about the user's program.

    Call it where the error is caught, and `raise` it again with nothing behind the word.
    """
    if isinstance(error, CompilerBug) or os.environ.get("RETROGRAD_TRACEBACK") == "full":
        return
    if not isinstance(error, RetrogradError) and not has_place(error):
        return
    error.__traceback__ = _without_ours(error.__traceback__)
    cause = error.__cause__
    while cause is not None:
        cause.__traceback__ = _without_ours(cause.__traceback__)
        cause = cause.__cause__
    suppressed = error.__suppress_context__
    context = error.__context__
    while context is not None and _of_compiler(context):
        context = context.__context__
    error.__context__ = context
    error.__suppress_context__ = suppressed


def _entries(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _ours(entry: TracebackType) -> bool:
    file = entry.tb_frame.f_code.co_filename
    return file.startswith(_PACKAGE) or file == _BETWEEN


def _without_ours(trace: TracebackType | None) -> TracebackType | None:
    made: TracebackType | None = None
    for entry in reversed([entry for entry in _entries(trace) if not _ours(entry)]):
        made = TracebackType(made, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return made


def _of_compiler(error: BaseException) -> bool:
    """Whether an error was caught inside of the compiler, where it meant something."""
    trace = error.__traceback__
    return trace is None or _ours(trace)
