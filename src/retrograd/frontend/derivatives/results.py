"""What an entry or a differentiated function gives: leaves, and the tree that they belong to."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from retrograd.errors import Limitation
from retrograd.frontend.identity.buffers import (
    ItemOrNone,
    ListItems,
    OneKind,
    ValueOrNone,
    text_shown,
)
from retrograd.frontend.identity.containers import stands_for
from retrograd.frontend.identity.keyed_by_run import Table
from retrograd.frontend.identity.lists_by_key import Row
from retrograd.frontend.identity.mappings import OfKeys
from retrograd.frontend.identity.record_fields import fields_of
from retrograd.frontend.identity.sets import CLASSES as SETS
from retrograd.frontend.identity.specs import (
    ArgSpec,
    ComplexSpec,
    DictSpec,
    GivenSpec,
    LeafSpec,
    OpaqueSpec,
    SameSpec,
    StaticSpec,
    TreeSpec,
    TupleSpec,
)
from retrograd.frontend.library.layouts import ORDER
from retrograd.frontend.library.texts import encoded
from retrograd.frontend.values.arrays import read
from retrograd.frontend.values.dict_keys import has_doubtful
from retrograd.frontend.values.dicts import is_dict, possible_items
from retrograd.frontend.values.kinds import (
    LOST,
    NONE,
    ArrayRef,
    Bound,
    ComplexValue,
    DictValue,
    Instance,
    Maybe,
    OneOf,
    Option,
    Scalar,
    Static,
    Text,
    TupleValue,
    Unbound,
    Undef,
    Value,
    describe,
)  # fmt: skip
from retrograd.frontend.values.list_texts import texts_in
from retrograd.frontend.values.lists import content_of
from retrograd.frontend.values.merge import Merge
from retrograd.frontend.values.object_rows import has_rows, is_row, rows_leave
from retrograd.frontend.values.optional import sure
from retrograd.frontend.values.seen import ITERATORS
from retrograd.frontend.values.sets import inside_of
from retrograd.frontend.values.tracer import Tracer
from retrograd.frontend.values.uneven_arrays import told
from retrograd.ir.terms import Atom, true

__all__ = ["Results"]


_NO_DERIVATIVE = "None has no derivative: return a number on every path, or raise"


@dataclass(slots=True)
class Results:
    """Flattens the results of one function.

    `numbers` are those of the objects that results may be: the caller's own, whose attributes are
    `own`, and those met so far. They have the caller's dicts and lists, too, which
    are these where `same` is set, and copies of them else. `given` are the parameters that are
    whole arrays, by location, where a result may be one of them.
    `outside`: they go to Python, so objects are accepted; `whole`: nothing is differentiated, so
    lists of run-time length, what may be None and what is of several kinds are, too. `there` says
    whether what is being flattened is there.
    """

    t: Tracer
    outside: bool = False
    whole: bool = False
    numbers: dict[int, int] = field(default_factory=dict[int, int])
    own: frozenset[int] = frozenset()
    given: Mapping[int, int] = field(default_factory=dict[int, int])
    atoms: list[Atom] = field(default_factory=list[Atom])
    seen: set[int] = field(default_factory=set[int])
    there: Atom = true
    same: bool = False

    def flat(self, value: Value, part: str = "") -> ArgSpec:
        """Appends the leaves of a result, each array its own; gives the tree.

        `part` says which part of the result it is, as one would write it: `[0]`.
        """
        match value:
            case Scalar():
                self.atoms.append(value.atom)
                return LeafSpec(value.type)
            case ArrayRef() | ComplexValue():
                return self._array(value)
            case Instance(cls=cls) | TupleValue(cls=cls) if cls in SETS:
                return self._set(value)
            case TupleValue():
                names = fields_of(value.cls)
                keys = [f".{n}" for n in names] if names else map("[{}]".format, itertools.count())
                return TupleSpec(self._each(value.items, part, keys), value.cls)
            case DictValue():
                keys = map("[{!r}]".format, value.keys)
                return DictSpec(value.keys, self._each(value.items, part, keys))
            case Instance() if value.cls is dict:
                return self._known(value) or self._dict(value, part)
            case Instance() if value.cls is list:
                return self._known(value) or self.items(content_of(self.t, value))
            case Instance() if self.outside:
                return self._object(value, part)
            case Option() | OneOf():
                return self._uncertain(value, part)
            case Undef() | Static(obj=None | str() | Enum() | type()):
                return StaticSpec(value.obj if isinstance(value, Static) else None)
            case Text():
                return self._text(value)
            case _:
                raise self.t.error(
                    "RG0103", f"the result is {describe(value)}", "return numbers, arrays or tuples"
                )

    def _set(self, value: Instance | TupleValue) -> ArgSpec:
        inside = inside_of(self.t, value)
        if inside is None or not self.whole:
            raise self.t.error(
                "RG0103", "a set is the result of what is differentiated",
                "return an array of its items, as with np.array(sorted(s))",
            )  # fmt: skip
        return TupleSpec((self.flat(inside),), value.cls)

    def _known(self, value: Instance) -> SameSpec | None:
        """A dict or list of the caller, where it is this very one that is given."""
        number = self.numbers.get(value.place) if self.same else None
        return None if number is None else SameSpec(number)

    def _dict(self, value: Instance, part: str) -> ArgSpec:
        content = possible_items(self.t, value)
        if self.whole and has_doubtful(content):
            items = tuple(self._entry(item, part) for item in content.items)
            return DictSpec(content.keys, items)
        for key, item in zip(content.keys, content.items, strict=True):
            if isinstance(item, Maybe):
                raise self.t.error(
                    "RG0103", f"the result is a dict that has the key {key!r} on some paths only",
                    f"give it the key on every path: d[{key!r}] = None",
                )  # fmt: skip
        return self.flat(content, part)

    def _of_collections(self, value: Instance, part: str) -> ArgSpec | None:
        """A dict of `collections` with known keys; None of all else."""
        cls, t = stands_for(value.cls), self.t
        if cls is None or not issubclass(value.cls, OfKeys):
            return None
        factory = t.content(value.cell("default_factory")) if cls is defaultdict else NONE
        data = t.content(value.cell("data"))
        if not isinstance(factory, Static) or not is_dict(data):
            return None
        if (known := self._known(data)) is not None:
            return known
        spec = self._dict(data, part)
        assert isinstance(spec, DictSpec)
        return replace(spec, cls=cls, default=factory.obj)

    def _entry(self, item: Value, part: str) -> ArgSpec:
        """An item of a dict, which may not be there."""
        if not isinstance(item, Maybe):
            return self.flat(item, part)
        return self._chosen(ItemOrNone, (item.flag,), (item.value,), part)

    def _uncertain(self, value: Option | OneOf, part: str) -> ArgSpec:
        """What may be None, or is of one of several kinds."""
        match value:
            case Option() if self.whole:
                return self._chosen(ValueOrNone, (value.flag,), (value.value,), part)
            case OneOf() if self.whole:
                return self._chosen(OneKind, value.flags, value.values, part)
            case OneOf():
                raise self.t.error(
                    "RG0104", f"the result of what is differentiated is {describe(value)}",
                    "give it one kind on every path, as with np.sum",
                )  # fmt: skip
            case Option():
                name = self.t.frame.source.name
                what = f"{part} of what {name} returns is" if part else f"{name} returns"
                text = f"{what} None; {_NO_DERIVATIVE}"
                return self.flat(sure(self.t, value, text), part)

    def _chosen(
        self, cls: type, flags: tuple[Atom, ...], values: tuple[Value, ...], part: str
    ) -> ArgSpec:
        """Flags, and what is there where they hold."""
        specs = [self.flat(Scalar(flag)) for flag in flags]
        outer = self.there
        for flag, one in zip(flags, values, strict=True):
            self.there = flag if outer == true else self.t.prim("and_", outer, flag)
            specs.append(self.flat(one, part))
        self.there = outer
        return TupleSpec(tuple(specs), cls)

    def _each(self, items: Iterable[Value], part: str, keys: Iterable[str]) -> tuple[ArgSpec, ...]:
        return tuple(self.flat(item, part + key) for item, key in zip(items, keys, strict=False))

    def update(self, value: Value, given: Mapping[int, int]) -> ArgSpec:
        """What is assigned to an attribute; `given` are the parameters that are whole arrays."""
        if isinstance(value, ArrayRef) and value.view is None and value.loc in given:
            return GivenSpec(given[value.loc])
        return self._attribute(value)

    def entry(self, value: Value, given: Mapping[int, int]) -> ArgSpec:
        """What a dict of the caller has for a key, which may not be there."""
        if not isinstance(value, Maybe):
            return self.update(value, given)
        return self._chosen(ItemOrNone, (value.flag,), (value.value,), "")

    def _attribute(self, value: Value) -> ArgSpec:
        """What an attribute holds: functions and texts, too."""
        if isinstance(value, Static):
            return value.obj if isinstance(value.obj, OpaqueSpec) else StaticSpec(value.obj)
        return self.flat(value)

    def _array(self, value: ArrayRef | ComplexValue) -> ArgSpec:
        if isinstance(value, ComplexValue):
            return ComplexSpec((self.flat(value.real), self.flat(value.imag)))
        if value.view is None and value.loc in self.given:
            return GivenSpec(self.given[value.loc])
        t = self.t
        atom = read(t, value) if value.view is None else self._part(value)
        if value.view is None:
            if value.loc in t.frame.owned or value.loc in self.seen:
                atom = t.prim("copy", atom)
            self.seen.add(value.loc)
        self.atoms.append(atom)
        return LeafSpec(value.type)

    def _part(self, value: ArrayRef) -> Atom:
        """A part of an array, which is not read where it is not there."""
        if self.there == true:
            return read(self.t, value)
        merge = Merge(self.t, (), "")
        (atom,) = merge.fit_where(self.there, value, merge.shape(value))
        return atom

    def _text(self, value: Text) -> ArgSpec:
        """A text with numbers of the run: these, which Python formats."""
        if value.is_lost or not self.whole:
            raise _text_of_the_run(self.t)
        atoms: list[Atom] = []
        made = encoded(value.pieces, atoms)
        numbers = tuple(map(Scalar, atoms))
        keys = map("{}".format, itertools.count())
        return TupleSpec(self._each(numbers, "", keys), text_shown(made))

    def items(self, content: TupleValue) -> ArgSpec:
        """The items of a list, as they are known or in buffers."""
        if content.cls is ListItems:
            return TupleSpec(tuple(map(self.flat, content.items)), list)
        if LOST in texts_in(content):
            raise _text_of_the_run(self.t)
        content = replace(content, items=(told(self.t, content.items[0]), content.items[1]))
        if has_rows([content]):
            raise rows_leave(self.t)
        if not self.whole:
            raise Limitation(
                "RG0103", "a list of run-time length is the result of what is differentiated",
                self.t.span, "return np.array(l)",
            )  # fmt: skip
        return self.flat(content)

    def _object(self, value: Instance, part: str) -> ArgSpec:
        if is_row(value):
            raise rows_leave(self.t)
        if value.cls is Row:  # the list of a key
            return self.flat(self.t.call(Bound(value, "listed"), (), {}), part)
        if (made := self._of_collections(value, part)) is not None:
            return made
        if value.cls is Table:
            raise self.t.error(
                "RG0103", "the result is a dict with keys known at run time only",
                "return an array of them, as with np.array(sorted(d))",
            )  # fmt: skip
        if value.cls in ITERATORS or stands_for(value.cls) is not None:
            raise self.t.error(
                "RG0103", f"the result is a {(stands_for(value.cls) or value.cls).__name__}",
                "return a list, or a dict: list(..), dict(..)",
            )  # fmt: skip
        if value.place in self.numbers:
            return SameSpec(self.numbers[value.place])
        for cell in value.cells:
            if not self.own.isdisjoint(self.t.state.links.get(cell, ())):
                raise self.t.error(
                    "RG0106",
                    "what the caller is given may or may not be an object that it has: which one "
                    "is chosen at run time", "make a new object where the two names meet",
                )  # fmt: skip
        self.numbers[value.place] = len(self.numbers)
        names: list[str] = []
        items: list[ArgSpec] = []
        for name in value.names:
            held = self.t.content(value.cell(name))
            if isinstance(held, Unbound) or name == ORDER:
                continue
            if isinstance(held, Maybe):
                raise self.t.error(
                    "RG0103", f"the attribute {name!r} of a result is assigned on some paths only",
                    "assign it in __init__",
                )  # fmt: skip
            names.append(name)
            items.append(self._attribute(held))
        return TreeSpec(value.cls, tuple(names), tuple(items))


def _text_of_the_run(t: Tracer) -> Limitation:
    return Limitation(
        "RG0103", "the result is a text that the run puts together", t.span,
        "return its numbers, and make the text of them outside",
    )  # fmt: skip
