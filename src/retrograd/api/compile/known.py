"""The primitives that programs are compiled with, and the costs by which the compiler chooses.

Asked for in one place, so that a test can have everything compiled with others. This module is
needed to look into the disk cache, without the compiler: it imports the primitives when they are
asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retrograd.prims.core import PrimitiveSet

__all__ = ["are_usual", "known"]

_KNOWN: PrimitiveSet | None = None
"""None stands for the default. Nothing but a test has others."""


def known() -> PrimitiveSet:
    """The primitives, with the costs."""
    if _KNOWN is not None:
        return _KNOWN
    from retrograd.prims import DEFAULT

    return DEFAULT


def are_usual() -> bool:
    """Whether these are the default: what is stored on disk by source was compiled with that."""
    return _KNOWN is None
