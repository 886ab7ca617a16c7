"""Whether a function and its inverse undo each other, on given arguments."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from retrograd.frontend.identity.flattening import leaves
from retrograd.frontend.identity.specs import spec_of
from retrograd.frontend.identity.transformed import Reversible
from retrograd.inversion.functions import not_reversible
from retrograd.tracebacks import shows_user_frames

__all__ = ["InverseCheck", "check_inverse"]


@dataclass(frozen=True, slots=True)
class InverseCheck:
    """How far arguments are from what they were, after a call and its inverse.

    Attributes:
        function: the name of the function.
        rows: for each argument its name, and its drift: the largest |after - before| over
            max(1, |before|) of its numbers. nan and nan count as equal.
        atol: the drift that is accepted.
    """

    function: str
    rows: tuple[tuple[str, float], ...]
    atol: float

    @property
    def ok(self) -> bool:
        """Whether no argument has drifted by more than is accepted."""
        return all(drift <= self.atol for _, drift in self.rows)

    def __str__(self) -> str:
        width = max(len(name) for name, _ in self.rows)
        head = f"{self.function}, then its inverse"
        lines = [
            f"  {name:<{width}}  drift {drift:8.1e}  {'ok' if drift <= self.atol else 'FAILED'}"
            for name, drift in self.rows
        ]
        return "\n".join([head, *lines])


@shows_user_frames
def check_inverse(fun: Callable[..., Any], *args: Any, atol: float = 1e-8) -> InverseCheck:
    """Calls a reversible function and its inverse on copies of arguments, and compares.

    Args:
        fun: what `rg.reversible`, `rg.inverse` or `rg.inverse_pair` has made.
        *args: its arguments, which stay as they are.
        atol: the drift that is accepted, relative for numbers above 1.

    Returns:
        The drift of each argument; its text is a table.

    Raises:
        UserError: `fun` is no reversible function (RG0509).
        InvertibilityError: by the function, where a test of it fails.

    Source: Liu and Zhao 2020 (`check_inv`).

    >>> import retrograd as rg
    >>> @rg.reversible
    ... def f(x, y):
    ...     x += 0.5 * y
    ...     return x
    >>> print(rg.check_inverse(f, 0.5, 7.5))
    f, then its inverse
      x  drift  0.0e+00  ok
      y  drift  0.0e+00  ok
    """
    if not isinstance(fun, Reversible):
        raise not_reversible(fun)
    call, back = cast("Any", fun), cast("Any", fun.partner)
    given = list(copy.deepcopy(args))
    for function in (call, back):
        result: Any = function(*given)
        if fun.returned is not None:
            results = (result,) if fun.single else result
            for name, value in zip(fun.returned, results, strict=True):
                given[fun.parameters.index(name)] = value
    names = [*fun.parameters, *(f"argument {k}" for k in range(len(fun.parameters), len(args)))]
    rows = tuple(
        (name, _drift(before, after))
        for name, before, after in zip(names, args, given, strict=False)
    )
    return InverseCheck(fun.__name__, rows, atol)


def _drift(before: Any, after: Any) -> float:
    """The largest difference between the numbers of two values of one structure."""
    spec = spec_of(before)
    pairs = zip(leaves(spec, before), leaves(spec, after), strict=True)
    return max((_apart(np.asarray(a), np.asarray(b)) for a, b in pairs), default=0.0)


def _apart(before: Any, after: Any) -> float:
    a, b = np.asarray(before, float), np.asarray(after, float)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        found = np.where(same, 0.0, np.abs(a - b) / np.maximum(1.0, np.abs(a)))
    return float(np.max(np.where(np.isnan(found), np.inf, found), initial=0.0))
