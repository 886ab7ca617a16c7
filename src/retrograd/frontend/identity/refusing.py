"""What a program of ours refuses, with a way out, where it is translated."""

from __future__ import annotations

from typing import Any

from retrograd.errors import Limitation

__all__ = ["refuse"]


def refuse(what: Any, way_out: Any) -> Any:
    """An error of the translation, at the place of the call."""
    raise Limitation("RG0107", str(what), None, str(way_out))
