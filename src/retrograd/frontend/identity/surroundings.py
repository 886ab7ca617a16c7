"""What a translated function needs from around it: hidden arguments, guards, trees of its ends.

Nothing here knows the program itself, so code that comes from the disk cache runs without the
compiler.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, cast

import numpy as np

from retrograd.errors import UserError
from retrograd.frontend.identity.class_attributes import of_class, of_name
from retrograd.frontend.identity.flattening import has_objects, leaves, places_in, unflatten
from retrograd.frontend.identity.given_lists import Opens
from retrograd.frontend.identity.objects import is_object
from retrograd.frontend.identity.specs import DICTS, ArgSpec, Met, spec_of
from retrograd.records import quickly_made

__all__ = [
    "ABSENT", "Absent", "Guard", "Hidden", "HiddenKey", "Interface", "Numbers", "find",
    "package_of", "whole_numbers",
]  # fmt: skip

HiddenKey = tuple[str, int, str]
Numbers = tuple[int | None, ...]


_STDLIB = str(Path(os.__file__).parent) + os.sep
_PACKAGES = frozenset(("numpy", "scipy"))
_READABLE = "NormalDist."
"""The methods of `statistics` that are translated."""


def package_of(function: FunctionType) -> str | None:
    """The package that a function belongs to, where its Python is not the user's to read or change:
    NumPy, SciPy and the standard library. None for all others, which are translated.

    A module of the user's may have the name of one of the standard library, but not its place. What
    a function says of itself may be copied from another one, what it looks up is its own.
    """
    name = (function.__module__ or "").partition(".")[0]
    own = str(function.__globals__.get("__name__") or "").partition(".")[0]
    file = function.__code__.co_filename
    standard = name in sys.stdlib_module_names and file.startswith((_STDLIB, "<frozen "))
    if name == "statistics" and standard and function.__qualname__.startswith(_READABLE):
        return None
    return name if standard or (name in _PACKAGES and own in _PACKAGES) else None


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
            case "object":
                return holder
            case "attribute":
                return getattr(holder, name, ABSENT)
            case _:
                return holder[int(name) if name.isdigit() else name]
    except (KeyError, IndexError, ValueError):  # ValueError: an empty cell
        return ABSENT


def whole_numbers(obj: object, opens: Opens = Opens.NO) -> Numbers | None:
    """The ints and bools among the leaves of an object, None for other leaves; None of no data."""
    try:
        return tuple(map(_whole, leaves(spec_of(obj, met=Met(opens=opens)), obj)))
    except UserError:
        return None


def _whole(leaf: object) -> int | None:
    match leaf:
        case bool() | int() | np.integer() | np.bool_():
            return int(cast("int", leaf))
        case np.ndarray() if leaf.ndim == 0 and leaf.dtype.kind in "biu":
            return int(cast("Any", leaf))
        case _:
            return None


@dataclass(frozen=True, slots=True, eq=False)
class Hidden:
    """A number or array that a program reads from a cell or a module at every call.

    `kind` is "item" (a dict, such as a module's globals), "cell", "attribute", "default", or
    "object" for the holder itself, "class" for an attribute of a class that is assigned, "name" for
    a name of a module or closure that is. `literal`: ints and bools of objects are part of the
    program, `opens`: how lists are given.
    """

    kind: str
    holder: Any
    name: str
    spec: ArgSpec
    literal: bool = False
    opens: Opens = Opens.NO

    @property
    def key(self) -> HiddenKey:
        return (self.kind, id(self.holder), self.name)

    def read(self) -> object:
        """The present value."""
        match self.kind:
            case "cell":
                return self.holder.cell_contents
            case "object":
                return self.holder
            case "attribute":
                return getattr(self.holder, self.name)
            case "class":
                return of_class(self.holder, self.name)
            case "name":
                return of_name(self.holder, self.name)
            case _:
                return self.holder[int(self.name) if self.name.isdigit() else self.name]

    def fits(self) -> bool:
        """Whether the present value still has the type that was translated."""
        try:
            met = Met.read(self.name, self.literal, self.opens)
            return spec_of(self.read(), met=met) == self.spec
        except (KeyError, ValueError, AttributeError, UserError):
            return False  # gone, or no data any more: translating again says what is wrong


@quickly_made
@dataclass(frozen=True, slots=True, eq=False)
class Guard:
    """An object that the program has baked in, where it was found, and the code that it had.

    `kind` is that of `Hidden`, or "direct" for an object that was not looked up anywhere. With
    `numbers` it is not the object that is baked in but the ints of it.
    """

    kind: str
    holder: Any
    name: str
    obj: object
    code: object
    defaults: object
    named: tuple[tuple[str, object], ...] | None = None
    numbers: Numbers | None = None

    @staticmethod
    def numbered(kind: str, holder: Any, name: str, numbers: Numbers) -> Guard:
        """The guard of the ints of what is found there."""
        return Guard(kind, holder, name, None, None, None, numbers=numbers)

    @staticmethod
    def of(kind: str, holder: Any, name: str, obj: object) -> Guard:
        """The guard of an object as it is now."""
        code: object = getattr(obj, "__code__", None)
        defaults: object = getattr(obj, "__defaults__", None)
        return Guard(kind, holder, name, obj, code, defaults, _named_defaults(obj))

    def holds(self) -> bool:
        """Whether the same object is still found there, with the code that was compiled."""
        if self.numbers is not None:
            return whole_numbers(find(self.kind, self.holder, self.name)) == self.numbers
        match self.kind:
            case "item":
                found = self.holder.get(self.name, ABSENT)
            case "cell":
                found = self.holder.cell_contents
            case "attribute":
                found = getattr(self.holder, self.name, ABSENT)
            case _:
                found = self.obj
        if found is not self.obj and not self.same_text(found):
            return False
        return self.code is None or (
            getattr(found, "__code__", None) is self.code
            and getattr(found, "__defaults__", None) is self.defaults
            and (getattr(found, "__kwdefaults__", None) is self.named or self.same_named(found))
        )

    def same_text(self, found: object) -> bool:
        """Whether both are the same text: variables of the environment are made when asked for."""
        return type(found) is str and type(self.obj) is str and found == self.obj

    def same_named(self, found: object) -> bool:
        """Whether the keyword-only defaults are the same objects: a dict, which may change."""
        now = _named_defaults(found)
        if now is None or self.named is None:
            return now is self.named
        pairs = zip(now, self.named, strict=False)
        same = all(a[0] == b[0] and a[1] is b[1] for a, b in pairs)
        return same and len(now) == len(self.named)


def _named_defaults(obj: object) -> tuple[tuple[str, object], ...] | None:
    found: object = getattr(obj, "__kwdefaults__", None)
    if not isinstance(found, dict):
        return None  # a class of functions has a descriptor of that name
    return tuple(cast("dict[str, object]", found).items())


@dataclass(frozen=True, slots=True)
class Watch:
    """The guards of one program in an order that takes little time at every call.

    Most are of objects without code in a module or a dict of globals: `spaces` has, for each dict,
    how to take some objects out of it, and these objects. `free` are the names that a dict of
    globals must not have, as they are those of built-ins.
    """

    spaces: tuple[tuple[dict[str, object], itemgetter[Any], tuple[object, ...]], ...]
    free: tuple[tuple[dict[str, object], tuple[str, ...]], ...]
    others: tuple[Guard, ...]

    @staticmethod
    def of(guards: Sequence[Guard]) -> Watch:
        """The same guards, by the dict in which each looks."""
        found: dict[int, list[Guard]] = {}
        free: dict[int, list[Guard]] = {}
        others: list[Guard] = []
        spaces: dict[int, dict[str, object]] = {}
        seen = set[tuple[object, ...]]()
        for guard in guards:
            key = (guard.kind, id(guard.holder), guard.name, id(guard.obj), id(guard.code))
            if _ours(guard) or (guard.numbers is None and key in seen):
                continue
            seen.add(key)
            space = _space(guard)
            if space is None:
                others.append(guard)
                continue
            spaces[id(space)] = space
            (free if guard.obj is ABSENT else found).setdefault(id(space), []).append(guard)
        takers: list[tuple[dict[str, object], itemgetter[Any], tuple[object, ...]]] = []
        for key, own in found.items():
            own.append(own[0])  # twice, so that there are several, which come as a tuple
            names = [guard.name for guard in own]
            objs = tuple(guard.obj for guard in own)
            takers.append((spaces[key], itemgetter(*names), objs))
        names_of = {key: tuple(guard.name for guard in own) for key, own in free.items()}
        unused = tuple((spaces[key], names) for key, names in names_of.items())
        return Watch(tuple(takers), unused, tuple(others))

    def holds(self) -> bool:
        """Whether all of them hold."""
        for space, take, objs in self.spaces:
            try:
                if take(space) != objs:
                    return False
            except KeyError:
                return False
        for space, names in self.free:
            if not space.keys().isdisjoint(names):
                return False
        for guard in self.others:  # noqa: SIM110 - a plain loop, as this runs at every call
            if not guard.holds():
                return False
        return True


def _ours(guard: Guard) -> bool:
    """Whether it is of a function that generated text calls, which nobody changes: it was found in
    a cell of that text, or in the function's own module."""
    holder: object = guard.holder
    found = guard.obj
    if not isinstance(found, FunctionType) or found.__module__ != _SUPPORT:
        return False
    return guard.kind in ("direct", "cell") or holder is found.__globals__


_SUPPORT = "retrograd.inversion.support"

_IDENTITY: tuple[object, ...] = (object.__eq__, BuiltinFunctionType.__eq__)


def _space(guard: Guard) -> dict[str, object] | None:
    """The dict in which one name has to be looked up, and the object compared by identity."""
    if guard.obj is ABSENT and guard.kind == "item":
        return cast("dict[str, object]", guard.holder)
    plain = type(guard.obj).__eq__ in _IDENTITY
    if guard.numbers is not None or guard.code is not None or not plain:
        return None
    if guard.kind == "item" and isinstance(guard.holder, dict):
        return cast("dict[str, object]", guard.holder)
    if guard.kind == "attribute" and isinstance(guard.holder, ModuleType):
        found = vars(guard.holder)
        return found if guard.name in found else None
    return None


def _refuse_twice(groups: Sequence[Sequence[tuple[ArgSpec, Any]]]) -> None:
    """UserError where a dict, or an object, is found in two ways: it would be two here.

    Objects are known again in one group, dicts are not.
    """
    seen: dict[int, object] = {}
    for group in groups:
        own: dict[int, object] = {}
        for spec, value in group:
            for one in places_in(spec, value):
                known = seen if is_object(one) else seen | own
                if id(one) in known:
                    kind = type(one).__name__
                    raise UserError(
                        "RG0307",
                        f"one {kind} is given twice to a function that changes (or compares) those "
                        "that it is given", way_out=f"pass a copy for one of them: {_copy(one)}",
                    )  # fmt: skip
                own[id(one)] = one
        seen |= own


def _copy(one: object) -> str:
    if type(one) in (dict, list):
        return "dict(d)" if isinstance(one, dict) else "list(l)"
    return "d.copy()" if isinstance(one, dict) else "copy.deepcopy(x)"


@dataclass(frozen=True, slots=True)
class Update:
    """An attribute of a caller's object that the function has assigned.

    `number` is the object's, `spec` that of the value. Unless it is `sure`, the first of its leaves
    says whether it was assigned.
    """

    number: int
    name: str
    spec: ArgSpec
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Store:
    """The items of a caller's dict that the function has changed.

    `number` is the dict's; `items` are in its order, None for what is what it was.
    """

    number: int
    keys: tuple[Any, ...]
    items: tuple[ArgSpec | None, ...]


@dataclass(frozen=True, slots=True)
class ListStore:
    """The items of a caller's list that the function has changed.

    `number` is the list's; `items` are the positions of those that it had, and the new ones, or the
    list that they are known by at run time only.
    """

    number: int
    items: tuple[int | ArgSpec, ...] | ArgSpec


@dataclass(frozen=True, slots=True)
class Places:
    """What a caller gives that can be changed, but arrays."""

    objects: list[Any]
    dicts: list[dict[Any, Any]]
    lists: list[list[Any]]

    def of(self, one: Any) -> list[Any]:
        """Those of the kind that `one` is of."""
        cls = cast("type[Any]", type(one))
        return self.lists if cls is list else self.dicts if cls in DICTS else self.objects

    @property
    def every(self) -> list[Any]:
        """All of them, in the order of the numbers that `SameSpec` has."""
        return [*self.objects, *self.dicts, *self.lists]


@dataclass(frozen=True, slots=True)
class Interface:
    """A translated function as its callers see it.

    The entry's parameters are the leaves of `inputs` (positional, then `keywords`), then those of
    `hidden`, whose values are read at every call. Its results are the leaves of `output`, then (but
    not in derivatives) the final versions of the array parameters at the positions in `written`,
    which the caller writes back. Those share memory with no other parameter, and the pairs of
    positions in `apart` share none with each other; with `changes` no dict or object is there
    twice, as the function changes (or compares) those that it is given. The last results are the
    leaves of `updates`, then those of `stores` and `list_stores`. `needs_places`: these, or
    objects in the result, are put together from what the caller has given. `guards` are the baked
    objects: the program is valid as long as all of them hold.
    """

    inputs: tuple[ArgSpec, ...]
    keywords: tuple[tuple[str, ArgSpec], ...]
    hidden: tuple[Hidden, ...]
    output: ArgSpec
    results: int
    written: tuple[int, ...]
    guards: tuple[Guard, ...]
    apart: tuple[tuple[int, int], ...]
    changes: bool = False
    updates: tuple[Update, ...] = ()
    stores: tuple[Store, ...] = ()
    list_stores: tuple[ListStore, ...] = ()
    needs_places: bool = field(init=False, repr=False, compare=False)
    watch: Watch = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "watch", Watch.of(self.guards))
        changes = bool(self.updates or self.stores or self.list_stores)
        object.__setattr__(self, "needs_places", changes or has_objects(self.output))

    def flatten(self, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None) -> list[Any]:
        """The entry's arguments for actual ones, with the hidden arguments as they are now."""
        found: list[Any] = []
        for spec, value in zip(self.inputs, args, strict=True):
            found += leaves(spec, value)
        for name, spec in self.keywords:
            found += leaves(spec, (kwargs or {})[name])
        for hidden in self.hidden:
            found += leaves(hidden.spec, hidden.read())
        if self.changes:
            _refuse_twice(self._groups(args, kwargs or {}))
        return found

    def _groups(
        self, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> list[list[tuple[ArgSpec, Any]]]:
        """Arguments with their specs, and hidden arguments one by one."""
        given = [*zip(self.inputs, args, strict=True)]
        given += [(spec, kwargs[name]) for name, spec in self.keywords]
        return [given, *([(hidden.spec, hidden.read())] for hidden in self.hidden)]

    def places(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Places:
        """The caller's objects, dicts and lists, each kind as they are numbered."""
        found = Places([], [], [])
        for group in self._groups(args, kwargs):
            for spec, value in group:
                for one in places_in(spec, value):
                    found.of(one).append(one)
        return found

    def unflatten(
        self, results: Sequence[Any], given: Sequence[Any] = (), known: list[Any] | None = None
    ) -> Any:
        """The value that the function returns, from the entry's results.

        `given` are its arguments, as it has left them, `known` the places in them (`Places.every`),
        to which new objects are added.
        """
        taken: Iterator[Any] = iter(results[: self.results])
        return unflatten(self.output, taken, known, given)

    def holds(self) -> bool:
        """Whether every baked object is still found where it was, with the code that it had."""
        return self.watch.holds()

    def fits(self) -> bool:
        """Whether it holds and hidden arguments are of the types that they had."""
        return self.holds() and all(hidden.fits() for hidden in self.hidden)
