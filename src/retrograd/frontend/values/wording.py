"""What a user would call objects and classes."""

from __future__ import annotations

from retrograd.frontend.identity.buffers import ListBuffer, ListItems, ListRow

__all__ = ["class_in_words", "object_in_words"]


def class_in_words(cls: type, items: int | None) -> str:
    """An object of a class; `items` is how many a tuple has, None for what is no tuple."""
    if cls in (ListItems, ListBuffer, ListRow) or (cls is list and items is None):
        return "a list"
    if cls is dict:
        return "a dict"
    if items is not None:
        return f"a {cls.__name__} of {items}"
    return f"an object of class {cls.__name__!r}"


def object_in_words(obj: object) -> str:
    """A baked object, with its type."""
    name: object = getattr(obj, "__name__", None)
    return f"{type(obj).__name__} {(name if isinstance(name, str) else obj)!r}"
