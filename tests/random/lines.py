"""Lines of random programs, from what draws one statement at a depth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

__all__ = ["function", "inner", "lines"]

Statement = Callable[[Random, int], list[str]]


def lines(statement: Statement, draw: Random, depth: int, count: int) -> list[str]:
    """The lines of so many statements."""
    return [line for _ in range(count) for line in statement(draw, depth)]


def inner(statement: Statement, draw: Random, depth: int, most: int = 2) -> list[str]:
    """The body of a loop or branch at a depth: at most so many statements."""
    body = lines(statement, draw, depth + 1, draw.randrange(1, most + 1))
    return [f"    {line}" for line in body]


def function(parameters: str, body: Sequence[str]) -> str:
    """The text of `f` with these parameters and lines."""
    return f"def f({parameters}):\n" + "".join(f"    {line}\n" for line in body)
