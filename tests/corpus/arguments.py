"""Arguments: written as text, and found for a function that nobody has looked at.

They are those of the first call in the function's docstring whose values are plain. Where there is
none, kinds are tried in a fixed order until plain Python gives finite floats that depend on them.
"""

from __future__ import annotations

import contextlib
import doctest
import inspect
import io
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from retrograd.errors import OF_PROGRAMS

__all__ = ["OF_OTHERS", "Call", "calls_of", "is_variable", "read", "written"]

Call = tuple[tuple[Any, ...], dict[str, Any]]

OF_OTHERS = (*OF_PROGRAMS, ImportError, SyntaxError, Warning, BufferError)
"""What code of others may raise."""

_MOST = 64
"""Elements of an array that is written in the table."""


def written(value: object) -> str:
    """A plain value as text that `read` understands; ValueError for any other."""
    match value:
        case bool() | None | str():
            return repr(value)
        case np.bool_() | np.floating() | np.integer():
            return repr(value.item())
        case int() | float():
            return repr(value)
        case tuple():
            return f"({''.join(written(v) + ', ' for v in value)})"
        case list():
            return f"[{', '.join(written(v) for v in value)}]"
        case dict():
            return f"{{{', '.join(f'{written(k)}: {written(v)}' for k, v in value.items())}}}"
        case np.ndarray() if value.dtype.kind in "fib" and value.size <= _MOST and value.ndim < 4:
            return f"array({value.tolist()!r})"
        case _:
            raise ValueError(type(value).__name__)


def read(text: str) -> Any:
    """What `written` has written."""
    return eval(text, {"__builtins__": {}, "array": np.array, "nan": np.nan, "inf": np.inf,
                       "True": True, "False": False, "None": None})  # fmt: skip


def is_variable(value: object) -> bool:
    """Whether derivatives are taken with respect to a value: floats, arrays and lists of them."""
    match value:
        case bool():
            return False
        case float():
            return True
        case np.ndarray():
            return value.dtype.kind == "f" and value.size > 0
        case tuple() | list():
            return len(value) > 0 and all(is_variable(v) for v in value)
        case _:
            return False


def calls_of(function: Callable[..., Any]) -> Iterator[Call]:
    """Calls to try, the likely ones first."""
    yield from _documented(function)
    yield from _guessed(function)


def _documented(function: Callable[..., Any]) -> Iterator[Call]:
    """The calls in a function's docstring, as they come when its examples are run."""
    seen: list[Call] = []

    def recorder(*args: Any, **kwargs: Any) -> Any:
        seen.append((args, kwargs))
        return function(*args, **kwargs)

    scope = {**function.__globals__, "np": np, "numpy": np}
    scope[function.__name__] = recorder
    try:
        examples = doctest.DocTestParser().get_examples(function.__doc__ or "")
    except ValueError:
        return
    with contextlib.redirect_stdout(io.StringIO()):
        for example in examples:
            try:
                exec(compile(example.source, "<example>", "single"), scope)
            except OF_OTHERS:
                break
    yield from seen


def _kinds(k: int) -> list[Any]:
    """Values of several kinds for the k-th argument, no two alike."""
    at = 0.35 + 0.17 * k
    turn = np.arange(9.0) + 2 * k
    floats = [
        np.float64(at), at * (1 + 0.6 * np.cos(turn[:3])), at * (1 + 0.6 * np.cos(turn[:4])),
        0.3 + at * np.cos(turn[:8]) ** 2, 0.2 * np.cos(turn).reshape(3, 3) + np.eye(3),
    ]  # fmt: skip
    rounded = [np.round(x, 4) for x in floats]
    return [rounded[0].item(), *rounded[1:], 3 + k]


def _guessed(function: Callable[..., Any]) -> Iterator[Call]:
    parameters = inspect.signature(function).parameters.values()
    needed = [p for p in parameters if p.default is p.empty
              and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]  # fmt: skip
    if not 1 <= len(needed) <= 9:
        return
    columns = [_kinds(k) for k in range(len(needed))]
    yield from (((*row,), {}) for row in zip(*columns, strict=True))
    if len(needed) <= 3:
        yield from ((row, {}) for row in itertools.product(*columns))
