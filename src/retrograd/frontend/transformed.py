"""The records of functions made by transformations, which api and frontend share.

The api makes these; the frontend reads them where a program uses one. So neither knows the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from retrograd.options.checkpointing import Checkpointing

__all__ = ["Ruled", "Transformed"]


@dataclass(frozen=True, slots=True)
class Transformed:
    """`kind` ("jit", "grad", "value_and_grad") applied to `fun`.

    `argnums` are the positions that are differentiated; with `has_aux`, `fun` returns a pair of
    which the second is passed through. `checkpointing` is how reverse mode is paid for.
    """

    kind: str
    fun: Callable[..., Any]
    argnums: int | tuple[int, ...] = 0
    has_aux: bool = False
    checkpointing: Checkpointing | None = None


@dataclass(slots=True, eq=False)
class Ruled:
    """A function with a derivative rule of the user's; the api makes it callable.

    `fun` is a Python function, `kind` "jvp" or "vjp". A jvp `rule(*fixed, primals, tangents)`
    returns the result and its tangent. A vjp `rule(*args)` returns the result and residuals, and
    `pullback(*fixed, residuals, y_bar)` a cotangent for each argument that is not fixed. Fixed are
    the arguments at the positions in `nondiff`.
    """

    kind: str
    fun: Any
    nondiff: tuple[int, ...] = ()
    rule: Callable[..., Any] | None = None
    pullback: Callable[..., Any] | None = None

    @property
    def __name__(self) -> str:
        return self.fun.__name__
