"""Indices of arrays by the axes that they belong to."""

from __future__ import annotations

import ast
from collections.abc import Sequence

__all__ = ["axes_of", "keys_of", "may_be_array", "same_axes"]


def keys_of(index: ast.expr) -> list[ast.expr]:
    """The indices of one pair of brackets."""
    return list(index.elts) if isinstance(index, ast.Tuple) else [index]


def axes_of(keys: Sequence[ast.expr]) -> list[tuple[int, ast.expr]]:
    """Each index with its axis, from the end where it comes after `...`; without new axes."""
    found: list[tuple[int, ast.expr]] = []
    axis = 0
    for k, key in enumerate(keys):
        if _is(key, Ellipsis):
            axis = -sum(not _is(other, None) for other in keys[k + 1 :])
        elif not _is(key, None):
            found.append((axis, key))
            axis += 1
    return found


def same_axes(
    ones: Sequence[ast.expr], others: Sequence[ast.expr]
) -> list[tuple[int, ast.expr, ast.expr]] | None:
    """The indices of two places of one array by axes; None where these are not known.

    With `...` the axes are known if both places are written in the same way.
    """
    special = [[k for k, key in enumerate(keys) if _is(key, Ellipsis)] for keys in (ones, others)]
    if special[0] != special[1] or (special[0] and len(ones) != len(others)):
        return None
    if any(_is(key, None) for key in (*ones, *others)) and special[0]:
        return None
    pairs = zip(axes_of(ones), axes_of(others), strict=False)
    return [(axis, one, other) for (axis, one), (_, other) in pairs]


def _is(key: ast.expr, value: object) -> bool:
    return isinstance(key, ast.Constant) and key.value is value


def may_be_array(key: ast.expr, counters: frozenset[str]) -> bool:
    """Whether an index may be an array; one that is made of loop counters is none."""
    if isinstance(key, ast.Slice | ast.Constant):
        return False
    for node in ast.walk(key):
        match node:
            case ast.Name(id=name) if name not in counters:
                return True
            case ast.Call() | ast.Subscript() | ast.Attribute() | ast.List() | ast.Compare():
                return True
            case _:
                pass
    return False
