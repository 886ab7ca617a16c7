"""What a translated function needs from around it: hidden arguments, guards, trees of its ends.

Nothing here knows the program itself, so code that comes from the disk cache runs without the
compiler.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

from retrograd.errors import UserError
from retrograd.frontend.specs import ArgSpec, leaves, spec_of, unflatten

__all__ = ["ABSENT", "Absent", "Guard", "Hidden", "HiddenKey", "Interface", "find", "package_of"]

HiddenKey = tuple[str, int, str]


_STDLIB = str(Path(os.__file__).parent) + os.sep
_PACKAGES = frozenset(("numpy", "scipy"))


def package_of(function: FunctionType) -> str | None:
    """The package that a function belongs to, where its Python is not the user's to read or change:
    NumPy, SciPy and the standard library. None for all others, which are translated.

    A module of the user's may have the name of one of the standard library, but not its place.
    """
    name = (function.__module__ or "").partition(".")[0]
    file = function.__code__.co_filename
    standard = name in sys.stdlib_module_names and file.startswith((_STDLIB, "<frozen "))
    return name if standard or name in _PACKAGES else None


@dataclass(frozen=True, slots=True)
class Absent:
    """Stands for what is not there."""


ABSENT = Absent()


def find(kind: str, holder: Any, name: str) -> object:
    """What a holder has under a name: a dict, a tuple ("item"), a cell or an object's attribute."""
    try:
        match kind:
            case "cell":
                return holder.cell_contents
            case "attribute":
                return getattr(holder, name, ABSENT)
            case _:
                return holder[int(name) if name.isdigit() else name]
    except (KeyError, IndexError, ValueError):  # ValueError: an empty cell
        return ABSENT


@dataclass(frozen=True, slots=True, eq=False)
class Hidden:
    """A number or array that a program reads from a cell or a module at every call.

    `kind` is "item" (a dict, such as a module's globals), "cell", "attribute" or "default".
    """

    kind: str
    holder: Any
    name: str
    spec: ArgSpec

    @property
    def key(self) -> HiddenKey:
        return (self.kind, id(self.holder), self.name)

    def read(self) -> object:
        """The present value."""
        match self.kind:
            case "cell":
                return self.holder.cell_contents
            case "attribute":
                return getattr(self.holder, self.name)
            case _:
                return self.holder[int(self.name) if self.name.isdigit() else self.name]

    def fits(self) -> bool:
        """Whether the present value still has the type that was translated."""
        try:
            return spec_of(self.read()) == self.spec
        except (KeyError, ValueError, AttributeError, UserError):
            return False  # gone, or no data any more: translating again says what is wrong


@dataclass(frozen=True, slots=True, eq=False)
class Guard:
    """An object that the program has baked in, where it was found, and the code that it had.

    `kind` is that of `Hidden`, or "direct" for an object that was not looked up anywhere.
    """

    kind: str
    holder: Any
    name: str
    obj: object
    code: object
    defaults: object

    @staticmethod
    def of(kind: str, holder: Any, name: str, obj: object) -> Guard:
        """The guard of an object as it is now."""
        code: object = getattr(obj, "__code__", None)
        return Guard(kind, holder, name, obj, code, getattr(obj, "__defaults__", None))

    def holds(self) -> bool:
        """Whether the same object is still found there, with the code that was compiled."""
        match self.kind:
            case "item":
                found = self.holder.get(self.name)
            case "cell":
                found = self.holder.cell_contents
            case "attribute":
                found = getattr(self.holder, self.name, None)
            case _:
                found = self.obj
        if found is not self.obj:
            return False
        return self.code is None or (
            getattr(found, "__code__", None) is self.code
            and getattr(found, "__defaults__", None) is self.defaults
        )


@dataclass(frozen=True, slots=True)
class Interface:
    """A translated function as its callers see it.

    The entry's parameters are the leaves of `inputs` (positional, then `keywords`), then those of
    `hidden`, whose values are read at every call. Its results are the leaves of `output`, then (but
    not in derivatives) the final versions of the array parameters at the positions in `written`,
    which the caller writes back. Those share memory with no other parameter, and the pairs of
    positions in `apart` share none with each other. `guards` are the baked objects: the program is
    valid as long as all of them hold.
    """

    inputs: tuple[ArgSpec, ...]
    keywords: tuple[tuple[str, ArgSpec], ...]
    hidden: tuple[Hidden, ...]
    output: ArgSpec
    results: int
    written: tuple[int, ...]
    guards: tuple[Guard, ...]
    apart: tuple[tuple[int, int], ...]

    def flatten(self, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None) -> list[Any]:
        """The entry's arguments for actual ones, with the hidden arguments as they are now."""
        found: list[Any] = []
        for spec, value in zip(self.inputs, args, strict=True):
            found += leaves(spec, value)
        for name, spec in self.keywords:
            found += leaves(spec, (kwargs or {})[name])
        for hidden in self.hidden:
            found += leaves(hidden.spec, hidden.read())
        return found

    def unflatten(self, results: Sequence[Any]) -> Any:
        """The value that the function returns, from the entry's results."""
        taken: Iterator[Any] = iter(results[: self.results])
        return unflatten(self.output, taken)

    def holds(self) -> bool:
        """Whether every baked function still has the code that was compiled."""
        for guard in self.guards:  # noqa: SIM110 - a plain loop, as this runs at every call
            if not guard.holds():
                return False
        return True

    def fits(self) -> bool:
        """Whether it holds and hidden arguments are of the types that they had."""
        return self.holds() and all(hidden.fits() for hidden in self.hidden)
