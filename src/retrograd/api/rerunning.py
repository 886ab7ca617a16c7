"""`checkpoint`: functions of which a derivative saves little, and runs the rest again."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any, TypeVar, cast

from retrograd.api.calls.arguments import Names, Numbers, static_arguments
from retrograd.api.functions import checked
from retrograd.errors import UserError
from retrograd.frontend.identity.transformed import Rerun
from retrograd.options.saving import policy_of
from retrograd.tracebacks import USER_FRAMES, shows_user_frames

__all__ = ["Checkpoint", "checkpoint", "checkpoint_name", "remat"]

T = TypeVar("T")


class Checkpoint(Rerun):
    """What `checkpoint` makes; called outside of a program it is the function itself."""

    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with USER_FRAMES:
            return self.fun(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    @property
    def __name__(self) -> str:
        return getattr(self.fun, "__name__", type(self.fun).__name__)

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        return self.fun


@shows_user_frames
def checkpoint(
    fun: Callable[..., Any] | None = None, *, prevent_cse: bool = True, policy: Any = None,
    static_argnums: Numbers = None, static_argnames: Names = None,
) -> Any:  # fmt: skip
    """A function of whose calls a derivative saves what a policy lets it; the rest is run again.

    Value and gradient are the same to the bit as without it. Outside of derivatives it is `fun`.

    Args:
        fun: a function as for `jit`; without it this is a decorator with options.
        prevent_cse: as in JAX; has no effect, as nothing here undoes a checkpoint.
        policy: what may be saved, from `rg.checkpoint_policies`, or a function that is given a
            `rg.Residual` and answers True or False; None is `nothing_saveable`.
        static_argnums, static_argnames: as for `jit`.

    Returns:
        A function of the same arguments and results.

    Raises:
        UserError: `fun` is no function, or `policy` no policy.

    Source: Bradbury et al. 2018, JAX (`jax.checkpoint`); Chen et al. 2016, "Training deep nets with
    sublinear memory cost".

    >>> import numpy as np, retrograd as rg
    >>> @rg.checkpoint
    ... def layer(W, x):
    ...     return np.sin(W @ x)
    >>> def loss(W, x):
    ...     return np.sum(layer(W, layer(W, x)))
    >>> rg.grad(loss)(np.ones((2, 2)), np.zeros(2))
    array([[0., 0.],
           [0., 0.]])
    """
    if fun is None:
        return _with_options(policy, static_argnums, static_argnames)
    function = checked(fun, "checkpoint")
    return Checkpoint(
        function, policy_of(policy), static_arguments(static_argnums, static_argnames)
    )


def _with_options(policy: Any, numbers: Numbers, names: Names) -> Callable[[Any], Checkpoint]:
    chosen, static = policy_of(policy), static_arguments(numbers, names)

    @shows_user_frames
    def decorate(fun: Callable[..., Any]) -> Checkpoint:
        return Checkpoint(checked(fun, "checkpoint"), chosen, static)

    return decorate


remat = checkpoint


@shows_user_frames
def checkpoint_name(x: T, name: str) -> T:
    """`x`, which policies know under a name: `rg.checkpoint_policies.save_only_these_names(name)`.

    Args:
        x: a number, an array, or a tree of them. A view counts as the array that it is part of.
        name: a text, which has to be known when the program is compiled.

    Returns:
        `x` itself; nothing else about the program changes.

    Raises:
        UserError: `name` is no text, or is only known when the program runs.

    Source: Bradbury et al. 2018, JAX (`jax.ad_checkpoint.checkpoint_name`).

    >>> import math, retrograd as rg
    >>> @rg.checkpoint(policy=rg.checkpoint_policies.save_only_these_names("s"))
    ... def f(x):
    ...     s = rg.checkpoint_name(math.sin(x), "s")
    ...     return s * s
    >>> rg.grad(f)(0.0)
    0.0
    """
    given = cast("object", name)
    if not isinstance(given, str):
        raise UserError(
            "RG4102", f"{given!r} is no name of a value",
            way_out='give a text, as in rg.checkpoint_name(x, "h")',
        )  # fmt: skip
    return x
