"""`custom_jvp` and `custom_vjp`: functions with a derivative rule of the user's.

They run under plain Python as they are. A program that calls one calls the function, and a
derivative of the program follows the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from retrograd.errors import UserError
from retrograd.frontend.identity.transformed import Ruled
from retrograd.tracebacks import shows_user_frames

__all__ = ["CustomJvp", "CustomVjp", "custom_jvp", "custom_vjp"]


@dataclass(slots=True, eq=False)
class _Custom(Ruled):
    """What the two kinds have in common: calls, and the one chance to give the rule."""

    @shows_user_frames
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.rule is None:
            raise UserError(
                "RG0306", f"{self.__name__!r} has no derivative rule yet",
                way_out=f"add one with def{self.kind}",
            )  # fmt: skip
        return self.fun(*args, **kwargs)

    @property
    def __wrapped__(self) -> FunctionType:
        return self.fun

    def _give(self, rule: Callable[..., Any], pullback: Callable[..., Any] | None) -> None:
        for given in (rule, pullback):
            if given is not None and not callable(given):
                raise UserError("RG0306", f"a rule of {self.__name__!r} is not a function")
        if self.rule is not None:
            raise UserError(
                "RG0306", f"{self.__name__!r} has a derivative rule already",
                way_out="wrap the function once more for another rule",
            )  # fmt: skip
        self.rule, self.pullback = rule, pullback


@dataclass(slots=True, eq=False)
class CustomJvp(_Custom):
    """A function with a tangent rule; made by `custom_jvp`."""

    @shows_user_frames
    def defjvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Sets the rule: `rule(primals, tangents)` returns the result and its tangent.

        The tangent must be linear in the tangents, since reverse mode transposes it. Tangents of
        ints are 0.0, and None and 0 stand for a zero tangent. Returns the rule, so it is a
        decorator.
        """
        self._give(rule, None)
        return rule


@dataclass(slots=True, eq=False)
class CustomVjp(_Custom):
    """A function with a cotangent rule; made by `custom_vjp`."""

    @shows_user_frames
    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Sets the rule.

        Args:
            fwd: takes the arguments and returns the result and residuals.
            bwd: takes the residuals and the cotangent of the result, and returns a tuple of the
                cotangents of the arguments. None stands for zeros, and what is returned for an
                argument that is no float is not read.
        """
        self._give(fwd, bwd)


def _parts(
    fun: Callable[..., Any], nondiff_argnums: Sequence[int], what: str
) -> tuple[FunctionType, tuple[int, ...]]:
    if not isinstance(fun, FunctionType):
        raise UserError(
            "RG0107", f"{what} needs a Python function, not {type(fun).__name__}",
            way_out="pass a function defined with `def` or `lambda`",
        )  # fmt: skip
    nondiff = tuple(nondiff_argnums)
    if any(k < 0 for k in nondiff):
        raise UserError(
            "RG0306", f"nondiff_argnums={nondiff} counts from the end",
            way_out="count positional arguments from 0",
        )  # fmt: skip
    return fun, nondiff


@shows_user_frames
def custom_jvp(fun: Callable[..., Any], nondiff_argnums: Sequence[int] = ()) -> CustomJvp:
    """A function with a tangent rule of its own, which both modes follow.

    Args:
        fun: a plain Python function, which leaves its arguments as they are.
        nondiff_argnums: arguments that count as constants (functions, for example). The rule gets
            them before `primals` and `tangents`, which are of the other arguments.

    Returns:
        A function of the same arguments; give it its rule with `defjvp` before the first call.

    Raises:
        UserError: `fun` is no function, or `nondiff_argnums` counts from the end; at a call, where
            there is no rule, or one whose result is no tangent or is not linear in `tangents`.

    >>> import math, retrograd as rg
    >>> @rg.custom_jvp
    ... def log1pexp(x):
    ...     return math.log1p(math.exp(x))
    >>> @log1pexp.defjvp
    ... def log1pexp_jvp(primals, tangents):
    ...     (x,), (x_dot,) = primals, tangents
    ...     return log1pexp(x), x_dot * (1.0 - 1.0 / (1.0 + math.exp(x)))
    >>> rg.grad(log1pexp)(0.0)
    0.5
    """
    return CustomJvp("jvp", *_parts(fun, nondiff_argnums, "custom_jvp"))


@shows_user_frames
def custom_vjp(fun: Callable[..., Any], nondiff_argnums: Sequence[int] = ()) -> CustomVjp:
    """A function with a cotangent rule of its own, for reverse mode.

    Args:
        fun: a plain Python function, which leaves its arguments as they are.
        nondiff_argnums: arguments that count as constants (functions, for example). `bwd` gets
            them before the residuals and gives no cotangents for them.

    Returns:
        A function of the same arguments; give it its rule with `defvjp` before the first call.

    Raises:
        UserError: `fun` is no function, or `nondiff_argnums` counts from the end; at a call, where
            there is no rule, one of other results than cotangents, or forward mode meets it.

    >>> import retrograd as rg
    >>> @rg.custom_vjp
    ... def clip_gradient(low, high, x):
    ...     return x
    >>> def clip_fwd(low, high, x):
    ...     return x, (low, high)
    >>> def clip_bwd(residuals, y_bar):
    ...     low, high = residuals
    ...     return None, None, min(max(y_bar, low), high)
    >>> clip_gradient.defvjp(clip_fwd, clip_bwd)
    >>> rg.grad(lambda x: 10.0 * clip_gradient(-1.0, 1.0, x))(3.0)
    1.0
    """
    return CustomVjp("vjp", *_parts(fun, nondiff_argnums, "custom_vjp"))
