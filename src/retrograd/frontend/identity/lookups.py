"""What a translation looked up outside of the functions' own text, to be looked up again elsewhere.

While a program is translated, a `Recorder` notes every question that was asked of its surroundings
(a global, a cell, an attribute, a default) and the text of the answer (`fingerprint`). In another
process the same questions with the same answers mean the same program. The answers give the objects
too: hidden arguments, guards and classes are those of the process that asks.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from retrograd.frontend.identity.fingerprint import Scribe, Unwritable
from retrograd.frontend.identity.record_fields import field_default
from retrograd.frontend.identity.specs import ArgSpec
from retrograd.frontend.identity.surroundings import Guard, find, whole_numbers

__all__ = [
    "DATA", "FIELD", "NUMBERS", "STATIC", "VALUE", "Lookup", "Recorder", "Root", "begin", "replay",
]  # fmt: skip

STATIC, VALUE, DATA, NUMBERS = "static", "value", "data", "numbers"
FIELD, SUBCLASS = "field", "subclass"
"""How an answer was used: baked in as it is or as a literal, or read at every call (with `NUMBERS`
its ints are literals besides); and two other questions: for the default of a field of a class, and
whether one class is a subclass of another."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """A question, by the number of the object that was asked, and the text of the answer."""

    kind: str
    holder: int
    name: str
    use: str
    answer: str


Root = tuple[str, ...]
"""The texts of the objects at which a translation begins."""


def begin(
    fun: object, args: Sequence[ArgSpec], kwargs: Sequence[tuple[str, ArgSpec]]
) -> tuple[Scribe, Root]:
    """A scribe that knows the function and its arguments; `Unwritable` where there is no text."""
    scribe = Scribe()
    given = (f"{name}={scribe.spec(spec)}" for name, spec in kwargs)
    known = map(scribe.static, (builtins, tuple, list, fun))
    return scribe, (*known, *map(scribe.spec, args), *given)


def _answer(scribe: Scribe, kind: str, holder: Any, name: str, use: str) -> str:
    match use:
        case "static":
            return scribe.static(find(kind, holder, name))
        case "value":
            return scribe.value(find(kind, holder, name))
        case "numbers":
            return repr(whole_numbers(find(kind, holder, name)))
        case "field":
            return scribe.value(field_default(holder, name))
        case "subclass":
            return repr(issubclass(holder, _numbered_class(scribe, int(name))))
        case _:
            return scribe.data(find(kind, holder, name), name)


def _numbered_class(scribe: Scribe, number: int) -> type[Any]:
    found = scribe.objects[number]
    if not isinstance(found, type):
        raise Unwritable(found)
    return found


@dataclass(slots=True)
class Recorder:
    """The questions of one translation.

    `obstacle` says why they cannot be asked again, if so: something has no text, or was used
    without having been asked for.
    """

    scribe: Scribe
    lookups: list[Lookup] = field(default_factory=list[Lookup])
    known: dict[tuple[str, int, str, str], int] = field(
        default_factory=dict[tuple[str, int, str, str], int]
    )
    obstacle: str | None = None

    @staticmethod
    def beginning(
        fun: object, args: Sequence[ArgSpec], kwargs: Sequence[tuple[str, ArgSpec]]
    ) -> Recorder:
        """The recorder of a translation of `fun`."""
        try:
            return Recorder(begin(fun, args, kwargs)[0])
        except Unwritable as what:
            return Recorder(Scribe(), obstacle=str(what))

    @staticmethod
    def of_nothing() -> Recorder:
        """A recorder that notes nothing."""
        return Recorder(Scribe(), obstacle="nothing is noted")

    def ask(self, kind: str, holder: Any, name: str, use: str) -> None:
        """Notes that the translation uses what `holder` has under that name."""
        if self.obstacle is not None or (kind, id(holder), name, use) in self.known:
            return
        if id(holder) not in self.scribe.numbers:
            self.obstacle = f"{name!r} was found in an unknown place"
            return
        number = self.scribe.numbers[id(holder)]
        try:
            answer = _answer(self.scribe, kind, holder, name, use)
        except Unwritable as what:
            self.obstacle = f"{name!r} is {what}"
            return
        self.known[kind, id(holder), name, use] = len(self.lookups)
        self.lookups.append(Lookup(kind, number, name, use, answer))

    def subclass(self, cls: type[Any], of: type[Any]) -> None:
        """Notes that the translation asked whether `cls` is a subclass of `of`."""
        self.require(cls)
        self.require(of)
        if self.obstacle is None:
            self.ask("class", cls, str(self.scribe.numbers[id(of)]), SUBCLASS)

    def require(self, obj: object) -> None:
        """Notes that an object is used; it must have come from an answer."""
        if id(obj) not in self.scribe.numbers and obj is not None and self.obstacle is None:
            self.obstacle = f"a {type(obj).__qualname__} came from an unknown place"

    def place(self, kind: str, holder: object, name: str) -> int | None:
        """The number of the lookup that found something there."""
        for use in (STATIC, DATA, VALUE):
            found = self.known.get((kind, id(holder), name, use))
            if found is not None:
                return found
        return None

    def guard_place(self, guard: Guard) -> tuple[str, int] | None:
        """Where the object of a guard is found again: by a lookup, or by its number."""
        if guard.numbers is not None:
            found = self.known.get((guard.kind, id(guard.holder), guard.name, NUMBERS))
            return None if found is None else ("numbers", found)
        if guard.kind == "direct":
            number = self.scribe.numbers.get(id(guard.obj))
            return None if number is None else ("object", number)
        place = self.place(guard.kind, guard.holder, guard.name)
        return None if place is None else ("lookup", place)


def replay(lookups: Sequence[Lookup], scribe: Scribe) -> bool:
    """Whether the same questions have the same answers here; `scribe` then knows the objects."""
    try:
        for lookup in lookups:
            holder = scribe.objects[lookup.holder]
            found = _answer(scribe, lookup.kind, holder, lookup.name, lookup.use)
            if found != lookup.answer:
                return False
    except Unwritable:
        return False
    return True
