"""Texts of functions that stand in no file: given by the user, or on the command line.

A text is put into `linecache` under a name of its own, as interactive shells do with theirs. It is
taken only where Python makes of it the code that is running.
"""

from __future__ import annotations

import ast
import hashlib
import linecache
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType

from retrograd.errors import UserError
from retrograd.frontend.identity.fingerprint import code_digest
from retrograd.recursion import as_deep_as

__all__ = [
    "attach",
    "codes_inside",
    "command_line",
    "compiled_like",
    "features",
    "file_of",
    "is_source_of",
    "with_source",
]

_FUTURES = annotations.compiler_flag
_DEPTH_OF_TEXTS = 4000
"""Python takes sums of some 3,000 terms as texts, but trees of a third of that depth only."""
_AHEAD, _BETWEEN = "<source ", " of "


def attach(text: str, file: str) -> str:
    """Makes a text readable; gives its name, in which the file that its code names is contained."""
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]
    name = f"{_AHEAD}{digest}{_BETWEEN}{file}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    return name


def file_of(name: str) -> str | None:
    """The file that was named by the code of an attached text; None for another name."""
    if not name.startswith(_AHEAD) or not name.endswith(">"):
        return None
    return name.partition(_BETWEEN)[2][:-1]


def codes_inside(code: CodeType) -> Iterator[CodeType]:
    """The code objects inside another, at any depth."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from codes_inside(constant)


def features(code: CodeType) -> int:
    """The flags of the future features under which a code object was made."""
    return code.co_flags & _FUTURES


def compiled_like(text: str | ast.Module, file: str, flags: int) -> CodeType:
    """What Python makes of a text, under a file's name and with these future features."""
    with as_deep_as(_DEPTH_OF_TEXTS):
        return compile(text, file, "exec", flags=flags, dont_inherit=True)


def is_source_of(text: str, code: CodeType) -> bool:
    """Whether Python makes this code object of a text."""
    try:
        top = compiled_like(text, code.co_filename, features(code))
    except (SyntaxError, ValueError):
        return False
    wanted = code_digest(code)
    return any(code_digest(inner) == wanted for inner in codes_inside(top))


def command_line() -> str | None:
    """The program that was given to Python by `-c`; None if there was none."""
    for k, word in enumerate(sys.orig_argv[1:-1], 1):
        if not word.startswith("-"):
            return None
        if word.endswith("c") and not word.startswith("--"):
            return sys.orig_argv[k + 1]
    return None


def with_source(function: object, text: str) -> FunctionType:
    """A function with its source, for one that was made by `exec` or typed at a bare prompt.

    Raises:
        UserError: where `text` is not what Python made the function of (RG0129).
    """
    if not isinstance(function, FunctionType):
        raise UserError(
            "RG0129", f"source= with a {type(function).__name__}, which has no source of its own",
            way_out="give it with the function that was defined there",
        )  # fmt: skip
    if not is_source_of(text, function.__code__):
        raise UserError(
            "RG0129", f"the text given as source= is not that of {function.__name__!r}",
            way_out="give the whole text that was executed, unchanged: exec(text); "
            "rg.jit(f, source=text)",
        )  # fmt: skip
    name = attach(text, function.__code__.co_filename)
    made = FunctionType(
        _renamed(function.__code__, name), function.__globals__, function.__name__,
        function.__defaults__, function.__closure__,
    )  # fmt: skip
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.update(function.__dict__)
    made.__module__, made.__qualname__ = function.__module__, function.__qualname__
    made.__doc__ = function.__doc__
    return made


def _renamed(code: CodeType, file: str) -> CodeType:
    constants = tuple(
        _renamed(one, file) if isinstance(one, CodeType) else one for one in code.co_consts
    )
    return code.replace(co_filename=file, co_consts=constants)
