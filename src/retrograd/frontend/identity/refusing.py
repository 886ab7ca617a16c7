"""What a program of ours tells the translation: what is refused, and what shares elements."""

from __future__ import annotations

from typing import Any

from retrograd.errors import Limitation

__all__ = ["linked", "refuse", "refuse_if"]


def refuse(what: Any, way_out: Any) -> Any:
    """An error of the translation, at the place of the call."""
    raise Limitation("RG0107", str(what), None, str(way_out))


def refuse_if(bad: Any, what: Any, way_out: Any) -> Any:
    """An error of the run, at the place of the call, which no handler of the program catches."""
    if bad:
        raise Limitation("RG0107", str(what), None, str(way_out))


def linked(made: Any, of: Any) -> Any:
    """`made`, which is a view of `of` in NumPy: once one is written, the other may not be used."""
    return made
