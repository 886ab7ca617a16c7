"""Keys of dicts: which Python values may be one, and when two dicts have the same ones.

A key is known when the program is compiled, so it is part of what a program is specialised on.
There `1`, `1.0` and `True` are three keys, although Python finds an item under any of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, cast

__all__ = ["is_key", "same_constant", "same_key", "same_keys"]


def is_key(obj: object) -> bool:
    """Whether a value may be a key: text, a number but nan, None, an Enum member, a tuple."""
    if isinstance(obj, Enum) or obj is None:
        return True
    if type(obj) is tuple:
        return all(map(is_key, cast("tuple[object, ...]", obj)))
    return type(obj) in (str, int, bool) or (type(obj) is float and obj == obj)


def same_key(one: Any, other: Any) -> bool:
    """Whether two keys are equal and of the same type, tuples item by item."""
    if type(one) is not type(other):
        return False
    if type(one) is tuple:
        return same_keys(cast("tuple[Any, ...]", one), cast("tuple[Any, ...]", other))
    return one.hex() == other.hex() if type(one) is float else bool(one == other)


def same_keys(some: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether two sequences of keys are the same ones, in the same order."""
    return len(some) == len(others) and all(map(same_key, some, others))


def same_constant(one: Any, other: Any) -> bool:
    """Whether two baked values make the same program: equal, and of one type at all depths."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return one.hex() == other.hex()  # the two zeros are two, and nan is itself
    if isinstance(one, tuple):
        some, others = cast("tuple[Any, ...]", one), cast("tuple[Any, ...]", other)
        return len(some) == len(others) and all(map(same_constant, some, others))
    if is_dataclass(one) and one == other:
        names = [field.name for field in fields(one)]
        return all(same_constant(getattr(one, n), getattr(other, n)) for n in names)
    if type(one) in (range, slice):
        return repr(one) == repr(other)  # ranges of the same numbers may have other ends
    return bool(one == other)
