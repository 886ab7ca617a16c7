"""The records of functions made by transformations, which api and frontend share.

The api makes these; the frontend reads them where a program uses one. So neither knows the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["CustomDerivative", "Transformed"]


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


@dataclass(slots=True, eq=False)
class CustomDerivative:
    """A function with a derivative rule of the user's: what `custom_jvp` and `custom_vjp` give.

    `kind` is "jvp" or "vjp". A jvp `rule(*nondiff, primals, tangents)` gives result and tangent. A vjp
    `rule(*args)` gives result and residuals, and `pullback(*nondiff, residuals, y_bar)` the
    cotangents of the other arguments. Called from Python it is the function itself.
    """

    kind: str
    fun: Callable[..., Any]
    nondiff_argnums: tuple[int, ...] = ()
    rule: Callable[..., Any] | None = None
    pullback: Callable[..., Any] | None = None

    @property
    def __name__(self) -> str:
        return getattr(self.fun, "__name__", "function")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fun(*args, **kwargs)

    def defjvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Sets the tangent rule; usable as a decorator."""
        self.rule = rule
        return rule

    def defvjp(self, rule: Callable[..., Any], pullback: Callable[..., Any]) -> None:
        """Sets the forward rule and the pullback."""
        self.rule = rule
        self.pullback = pullback
