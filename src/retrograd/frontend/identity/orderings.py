# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
"""What `functools.total_ordering` makes of one comparison and `==`, as programs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

__all__ = ["ordering_for"]


def _gt_from_lt(self: Any, other: Any) -> Any:
    return not self < other and self != other


def _le_from_lt(self: Any, other: Any) -> Any:
    return self < other or self == other


def _ge_from_lt(self: Any, other: Any) -> Any:
    return not self < other


def _ge_from_le(self: Any, other: Any) -> Any:
    return not self <= other or self == other


def _lt_from_le(self: Any, other: Any) -> Any:
    return self <= other and self != other


def _gt_from_le(self: Any, other: Any) -> Any:
    return not self <= other


def _lt_from_gt(self: Any, other: Any) -> Any:
    return not self > other and self != other


def _ge_from_gt(self: Any, other: Any) -> Any:
    return self > other or self == other


def _le_from_gt(self: Any, other: Any) -> Any:
    return not self > other


def _le_from_ge(self: Any, other: Any) -> Any:
    return not self >= other or self == other


def _gt_from_ge(self: Any, other: Any) -> Any:
    return self >= other and self != other


def _lt_from_ge(self: Any, other: Any) -> Any:
    return not self >= other


_EVERY: tuple[Callable[[Any, Any], Any], ...] = (
    _gt_from_lt, _le_from_lt, _ge_from_lt, _ge_from_le, _lt_from_le, _gt_from_le,
    _lt_from_gt, _ge_from_gt, _le_from_gt, _le_from_ge, _gt_from_ge, _lt_from_ge,
)  # fmt: skip
_BY_NAME: Mapping[str, Callable[[Any, Any], Any]] = {one.__name__: one for one in _EVERY}
_THEIRS: Mapping[int, Callable[[Any, Any], Any]] = {
    id(theirs): _BY_NAME[name] for name, theirs in vars(functools).items() if name in _BY_NAME
}


def ordering_for(function: FunctionType) -> Callable[[Any, Any], Any] | None:
    """The program of a comparison that `total_ordering` has put into a class; None of all else."""
    return _THEIRS.get(id(function))
