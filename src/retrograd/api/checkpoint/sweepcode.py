"""What a derivative in two sweeps is when it is compiled."""

from __future__ import annotations

from dataclasses import dataclass, field

from retrograd.backends.llvm.execute import Executable
from retrograd.backends.llvm.nested_gradients import Inner
from retrograd.errors import Span
from retrograd.runtime.context import Context
from retrograd.runtime.state import FrameShapes

__all__ = ["SweepCode"]


@dataclass(frozen=True, slots=True)
class SweepCode:
    """The two sweeps of a derivative as native code, with the SHA-256 of its text.

    `pool` has contexts that are not in use.
    """

    ahead: Executable
    back: Executable
    shapes: FrameShapes
    span: Span | None
    inner: Inner
    digest: str
    pool: list[Context] = field(default_factory=list[Context])
