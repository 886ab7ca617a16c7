"""Reversible functions of the acceptance cases, and how they are run."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

import retrograd as rg

__all__ = ["final", "near", "wrong"]

# Functions are written as users write them: their parameters have no types.
# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false


def final(function: Any, args: tuple[Any, ...], run: Callable[..., Any] | None = None) -> list[Any]:
    """The arguments after a call, of which what is returned is put back; `run` makes the call."""
    given = list(copy.deepcopy(args))
    result = (function if run is None else run)(*given)
    if function.returned is not None:
        results = (result,) if function.single else result
        for name, value in zip(function.returned, results, strict=True):
            given[function.parameters.index(name)] = value
    return given


def near(one: Any, other: Any, atol: float = 1e-8) -> bool:
    """Whether two values are equal: floats to within a tolerance, ints to the bit."""
    if isinstance(other, tuple | list):
        return all(near(a, b, atol) for a, b in zip(one, other, strict=True))
    if isinstance(other, int):
        return bool(one == other)
    return bool(np.allclose(one, other, rtol=atol, atol=atol, equal_nan=True))


def wrong(function: Any, args: tuple[Any, ...], ends: tuple[Any, ...]) -> list[Any]:
    """What a function gives that are not these final arguments, and its inverse not the first ones.

    By Python and native.
    """
    back, found = rg.inverse(function), list[Any]()
    for forwards, backwards in ((function, back), (rg.jit(function), rg.jit(back))):
        given = final(function, args, forwards)
        if not near(given, ends):
            found.append((forwards, given))
        restored = final(back, tuple(given), backwards)
        if not near(restored, args):
            found.append((backwards, restored))
    return found
