"""`retrograd.debug`: what helps to find out why a program does what it does."""

from __future__ import annotations

import builtins
from typing import Any

from retrograd.messages import filled
from retrograd.tracebacks import shows_user_frames

__all__ = ["print"]


@shows_user_frames
def print(fmt: str, /, *args: Any, ordered: bool = True, **kwargs: Any) -> None:
    """Shows a line of text with values of the run, as `jax.debug.print` does.

    It is `print` with a format: each line is there once and in order, whatever is asked for. A
    derivative is silent, and the function is run once before it for what it shows. Arrays are
    shown by their elements; of an axis with more than 20 entries there are the first three and
    the last three.

    Args:
        fmt: the text, a literal, with fields `{}`, `{0}`, `{x}`, `{x:.3f}`, `{x!r}`. The format of
            an array is that of its elements.
        args: what `{}` and `{0}` show: numbers, arrays of any shape, and all that `print` takes.
        ordered: lines are always in order; it is there for programs that name it.
        kwargs: what `{x}` shows.

    Raises:
        ValueError: a value that no field shows (an f-string was given instead of a format).

    >>> import numpy as np
    >>> import retrograd as rg
    >>> def f(x):
    ...     rg.debug.print("x = {x:.2f}, {} in all", len(x), x=x)
    ...     return np.sum(x * x)
    >>> rg.grad(f)(np.array([1.0, 2.0]))
    x = [1.00, 2.00], 2 in all
    array([2., 4.])
    """
    builtins.print(filled(fmt, args, kwargs))
