"""The record of a function made by a transformation such as `grad`: plain data.

The api makes these; the frontend reads them where a program uses one. So neither knows the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Transformed"]


@dataclass(frozen=True, slots=True)
class Transformed:
    """`kind` ("jit", "grad", "value_and_grad") applied to `fun`.

    `argnums` are the positions that are differentiated; with `has_aux`, `fun` returns a pair of
    which the second is passed through.
    """

    kind: str
    fun: Callable[..., Any]
    argnums: int | tuple[int, ...] = 0
    has_aux: bool = False
