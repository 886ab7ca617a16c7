"""Tracebacks as users need them: their own frames, and the message, which has the place.

What is refused is found deep inside the compiler, and what a program raises comes out of native
code: the frames in between say nothing about the program. The public functions remove them, and are
not in the traceback themselves: in CPython a bare `raise` adds no entry for its own frame.
`RETROGRAD_TRACEBACK=full` leaves everything as it is. A `CompilerBug` always keeps its frames.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from pathlib import Path
from types import FunctionType, TracebackType
from typing import ParamSpec, TypeVar

from retrograd.errors import OF_PROGRAMS, CompilerBug, InvertibilityError, RetrogradError, has_place

__all__ = [
    "SHOWN", "USER_FRAMES", "library_program", "program_of", "shorten", "shows_user_frames",
]  # fmt: skip

SHOWN = (RetrogradError, *OF_PROGRAMS)
"""What may be shortened; `shorten` decides."""

_PACKAGE = str(Path(__file__).parent) + os.sep
_BETWEEN = contextlib.__file__
"""The frames of `@contextmanager` lie between ours."""

_PROGRAMS = tuple(
    _PACKAGE + path.replace("/", os.sep)
    for path in (
        "constructs/", "frontend/library/plain/", "inversion/markers.py", "inversion/moves.py",
        "inversion/numbers.py", "inversion/stacks.py", "inversion/support.py", "tracebacks.py",
    )
)  # fmt: skip
"""Our code that Python runs as it stands, as it runs the user's."""

_LIBRARIES = frozenset(("llvmlite", "numpy", "scipy"))

_PROGRAM = "__retrograd_program__"

P = ParamSpec("P")
R = TypeVar("R")


def shows_user_frames(fun: Callable[P, R]) -> Callable[P, R]:
    """A public function whose errors have the frames of its users only."""

    @wraps(fun)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        with USER_FRAMES:
            return fun(*args, **kwargs)

    return call


class _UserFrames:
    """With this, whatever may call functions of the user's, which raise any exception.

    Our frames above those of the user's functions are removed, and those of programs of ours. All
    are where the error is about the user's program. Below, frames of the compiler are of a bug.
    """

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> None:
        if error is None or _whole(error):
            return
        if _about_user(error):
            shorten(error)
            return
        entries = list(_entries(error.__traceback__))
        theirs = [k for k, entry in enumerate(entries) if not (_ours(entry) or _known(entry))]
        last = max(theirs, default=-1)
        error.__traceback__ = _joined(
            entry
            for k, entry in enumerate(entries)
            if not (_ours(entry) and (k < last or _is_program(entry)))
        )


USER_FRAMES = _UserFrames()


def library_program(fun: Callable[P, R]) -> Callable[P, R]:
    """A public function that is a program as the user's are: run by Python, or compiled along.

    Errors that come out of it have the frames of its users only. `program_of` has the function.
    """

    call = shows_user_frames(fun)
    call.__dict__[_PROGRAM] = fun
    return call


def program_of(function: FunctionType) -> FunctionType:
    """The function whose syntax is translated: that inside of a `library_program`, or itself."""
    return function.__dict__.get(_PROGRAM, function)


def shorten(error: BaseException) -> None:
    """Removes our frames from the traceback of an error that is about the user's program.

    Call it where the error is caught, and `raise` it again with nothing behind the word.
    """
    if _whole(error) or not _about_user(error):
        return
    error.__traceback__ = _without_ours(error.__traceback__)
    cause, seen = error.__cause__, {id(error)}
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
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


def _whole(error: BaseException) -> bool:
    """Whether a traceback stays as it is."""
    return isinstance(error, CompilerBug) or os.environ.get("RETROGRAD_TRACEBACK") == "full"


def _about_user(error: BaseException) -> bool:
    return isinstance(error, RetrogradError | InvertibilityError) or has_place(error)


def _known(entry: TracebackType) -> bool:
    """Whether it is a frame of a library that we call ourselves."""
    name: object = entry.tb_frame.f_globals.get("__name__")
    package = name.partition(".")[0] if isinstance(name, str) else ""
    return package in _LIBRARIES or package in sys.stdlib_module_names


def _is_program(entry: TracebackType) -> bool:
    return entry.tb_frame.f_code.co_filename.startswith(_PROGRAMS)


def _without_ours(trace: TracebackType | None) -> TracebackType | None:
    return _joined(entry for entry in _entries(trace) if not _ours(entry))


def _joined(entries: Iterable[TracebackType]) -> TracebackType | None:
    """A traceback of these entries."""
    made: TracebackType | None = None
    for entry in reversed(list(entries)):
        made = TracebackType(made, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return made


def _of_compiler(error: BaseException) -> bool:
    """Whether an error was caught inside of the compiler, where it meant something."""
    trace = error.__traceback__
    return trace is None or _ours(trace)
