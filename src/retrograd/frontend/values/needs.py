"""What stops a translation: a path that ends, and what has to be known before it can go on."""

from __future__ import annotations

import ast

from retrograd.errors import UserError
from retrograd.frontend.identity.surroundings import Hidden, HiddenKey
from retrograd.frontend.values.kinds import OneOf

__all__ = [
    "NeedHidden", "NeedKind", "NeedKinds", "NeedLists", "NeedModules", "NeedNumber", "NeedPartial",
    "PathEnds",
]  # fmt: skip


class PathEnds(Exception):
    """What is being translated never gives a value: it raises, or is not known yet.

    `error` is what to tell the user if it stays unknown; None where the path truly ends.
    """

    def __init__(self, error: UserError | None = None) -> None:
        self.error = error
        super().__init__(error)


class NeedHidden(Exception):
    """The function being translated reads a hidden argument that it was not given yet."""

    def __init__(self, hidden: Hidden) -> None:
        self.hidden = hidden
        super().__init__(hidden)


class NeedModules(Exception):
    """The program has imported a module: functions of it may be known now."""


class NeedLists(Exception):
    """The program changes a list, or has one of run-time length: lists have to be objects."""


class NeedKinds(Exception):
    """What an operation means depends on whether a number is Python's or NumPy's."""


class NeedKind(Exception):
    """What is translated depends on the kind of a value that is of one of several.

    `node` is the expression whose value it is, where there is one; `error` is what to tell the user
    if what is around cannot be translated for each kind.
    """

    def __init__(self, value: OneOf, error: UserError, node: ast.expr | None) -> None:
        self.value = value
        self.error = error
        self.node = node
        super().__init__(error)


class NeedPartial(Exception):
    """An attribute of objects that are rows of a table may be None, or not assigned yet."""

    def __init__(self, cls: type, name: str) -> None:
        self.key = cls, name
        super().__init__(cls, name)


class NeedNumber(Exception):
    """A hidden argument decides what the program is, so its ints have to be literals."""

    def __init__(self, key: HiddenKey) -> None:
        self.key = key
        super().__init__(key)
