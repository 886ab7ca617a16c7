"""Keys of arguments that are quickly found: numbers, arrays, and plain trees of them.

What is compiled is kept by the types of arguments, which takes a record for each value to find. A
training loop calls one function with a tree of parameters a million times: its arguments have a key
of flat words, in which equal words mean equal types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from retrograd.frontend.identity.surroundings import Hidden, Interface

__all__ = ["Quick", "holds", "quick_hidden", "quick_key"]

Quick = tuple[object, ...]

_NUMBERS = frozenset((float, int, bool))
_NAMES = frozenset((str, int))
_class_of: Callable[[Any], Any] = type


def quick_key(args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Quick, bool] | None:
    """A key, and whether the arguments are leaves themselves. None where something is no number, no
    array and no tuple, list or dict of these: then only its type says what is compiled for it."""
    key: list[object] = []
    try:
        plain = _add(key, args)
        if plain is None:
            return None
        if kwargs:
            key += ("=", *kwargs)
            if _add(key, kwargs.values()) is None:
                return None
            plain = False
    except RecursionError:  # what contains itself is refused by who looks at it next
        return None
    return tuple(key), plain


def quick_hidden(hidden: Sequence[Hidden]) -> Quick | None:
    """A key of what a program reads at every call besides its arguments. None where something is no
    number, no array and no tuple of texts: only its type says whether the program is for it."""
    key: list[object] = []
    for one in hidden:
        try:
            word = _word(one.read())
        except (KeyError, ValueError, AttributeError):  # gone: who looks at it next says so
            return None
        if word is None:
            return None
        key.append(word)
    return tuple(key)


def holds(traced: Interface, read: Quick) -> bool:
    """Whether a program is what it was made of, and for what it reads now (`quick_hidden`)."""
    return traced.watch.holds() and (not read or quick_hidden(traced.hidden) == read)


def _word(value: Any) -> object:
    kind = _class_of(value)
    if kind in _NUMBERS:
        return kind
    if kind is np.ndarray and value.ndim > 0:
        return (value.dtype.char, value.shape)
    return value if kind is tuple and set(map(_class_of, value)) == {str} else None


def _add(key: list[object], values: Iterable[Any]) -> bool | None:
    """Adds the words of values; whether all are leaves, None where one has no words."""
    plain = True
    for value in values:
        kind = _class_of(value)
        if kind in _NUMBERS:
            key.append(kind)
        elif kind is np.ndarray and value.ndim > 0:
            if value.dtype.char not in "dlq?":  # complex numbers and narrow ints have several parts
                plain = False
            key += (value.dtype.char, value.shape)
        elif kind is tuple or kind is list:
            plain = False
            key += (kind, len(value))
            if _add(key, value) is None:
                return None
        elif kind is dict:
            plain = False
            if not _NAMES.issuperset(map(_class_of, value)):
                return None
            key += (kind, len(value), *value)
            if _add(key, value.values()) is None:
                return None
        elif value is None:
            plain = False
            key.append(None)
        else:
            return None
    return plain
