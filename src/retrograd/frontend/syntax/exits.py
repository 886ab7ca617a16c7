"""Which statements leave a loop, or one of its iterations."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

__all__ = ["continues_in_try", "exits"]


def _blocks_of(stm: ast.If | ast.Try | ast.With) -> Iterator[list[ast.stmt]]:
    """The blocks inside of a statement that is no loop."""
    yield stm.body
    if isinstance(stm, ast.If | ast.Try):
        yield stm.orelse
    if isinstance(stm, ast.Try):
        yield from (handler.body for handler in stm.handlers)
        yield stm.finalbody


def exits(body: Sequence[ast.stmt]) -> tuple[bool, bool]:
    """Whether a loop's body has a `break` of this loop, and a `return`."""
    breaks = returns = False
    for stm in body:
        match stm:
            case ast.Break():
                breaks = True
            case ast.Return():
                returns = True
            case ast.If() | ast.Try() | ast.With():
                for part in _blocks_of(stm):
                    inner = exits(part)
                    breaks, returns = breaks or inner[0], returns or inner[1]
            case ast.For() | ast.While():
                inner = exits(stm.orelse)
                returns = returns or exits(stm.body)[1] or inner[1]
                breaks = breaks or inner[0]
            case _:
                pass
    return breaks, returns


def continues_in_try(body: Sequence[ast.stmt], inside: bool = False) -> bool:
    """Whether a `continue` of this loop is in a `try` or `with`, as `inside` says of the body."""
    for stm in body:
        match stm:
            case ast.Continue():
                found = inside
            case ast.If():
                found = any(continues_in_try(part, inside) for part in _blocks_of(stm))
            case ast.Try() | ast.With():
                found = any(continues_in_try(part, True) for part in _blocks_of(stm))
            case ast.For() | ast.While():
                found = continues_in_try(stm.orelse, inside)
            case _:
                found = False
        if found:
            return True
    return False
