"""What a Python value is while its program is being translated.

Numbers and arrays are in `atoms`. Tuples, ranges, functions and modules exist only here.

The same classes serve as *abstract* values, with a nameless variable (`hole`) for each atom: these
are the keys of specialisation and the types of what a loop carries.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from retrograd.errors import Span
from retrograd.frontend.identity.keys import same_keys
from retrograd.frontend.identity.source import FunctionSource, Home
from retrograd.frontend.identity.transformed import Axes, Chosen
from retrograd.frontend.values.atoms import ArrayRef, ComplexValue, Scalar, hole
from retrograd.frontend.values.views import At, Axis, New, Part, View, Whole, holes, with_holes
from retrograd.frontend.values.wording import class_in_words, object_in_words, type_in_words
from retrograd.ir.terms import Atom, Param
from retrograd.ir.types import I64
from retrograd.options.checkpointing import Checkpointing
from retrograd.options.saving import Policy
from retrograd.records import quickly_made

__all__ = [
    "Applied", "ArrayRef", "At", "Axis", "Bound", "Closure", "ComplexValue", "DictValue",
    "DictView", "Enumerate",
    "Failure", "Instance", "LOST", "Later", "Maybe", "NONE", "New", "OneOf", "Option", "Part",
    "RangeValue", "Scalar", "Shown", "Static", "Text", "Transform", "TupleValue", "UNBOUND",
    "UNDEF", "Unbound", "Undef", "Value", "View", "Whole", "Zip", "certain", "describe",
    "hole", "holes", "is_settled", "locations", "parts", "refs", "skeleton", "with_holes",
    "with_parts",
]  # fmt: skip


@quickly_made
@dataclass(frozen=True, slots=True)
class TupleValue:
    """A tuple, a list that nobody changes, a NamedTuple or a frozen dataclass: `cls` says which.

    `sites`: where in the program lists are made that hold these items, if it is what one holds.
    """

    items: tuple[Value, ...]
    cls: type = tuple
    sites: frozenset[Span] = field(default=frozenset(), compare=False)


@dataclass(frozen=True, slots=True)
class RangeValue:
    """A range, or what `reversed` makes of it. `levels`: a loop over it is divided into so many."""

    start: Scalar
    stop: Scalar
    step: Scalar
    backwards: bool = False
    levels: int = 1


@dataclass(frozen=True, slots=True)
class Enumerate:
    inner: Value
    start: Scalar


@dataclass(frozen=True, slots=True)
class Zip:
    items: tuple[Value, ...]


@quickly_made
@dataclass(frozen=True, slots=True, eq=False)
class Static:
    """Any Python object that is baked into the program: a function, a module, a type, None."""

    obj: object

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Static):
            return False
        if isinstance(self.obj, str):
            return self.obj == other.obj
        return self.obj is other.obj

    def __hash__(self) -> int:
        return hash(self.obj) if isinstance(self.obj, str) else id(self.obj)


NONE = Static(None)


@dataclass(frozen=True, slots=True)
class Closure:
    """A `def` or `lambda` met inside the program, with the cells of the names that it captures.

    `origin` belongs to the real function around it and resolves its other names.
    """

    source: FunctionSource
    origin: Home
    cells: tuple[tuple[str, int], ...]
    names: tuple[str, ...]
    defaults: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Transform:
    """A function made by `grad` and its like: `kind` applied to `fun`, paid for in a `way`.

    `axes` are those of the arguments and of the results of a "vmap"; the `policy` is that of a
    "checkpoint".
    """

    kind: str
    fun: Value
    argnums: Chosen = 0
    has_aux: bool = False
    way: Checkpointing | None = None
    axes: tuple[Axes, Axes] = (0, 0)
    policy: Policy | None = None


@dataclass(frozen=True, slots=True)
class Applied:
    """A function with arguments with which it is not called yet: a `functools.partial`.

    The last arguments are keywords, with the `names`.
    """

    kind: str
    fun: Value
    args: tuple[Value, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bound:
    """A method before it is called; `of` is the class whose method it is, where `super()` says."""

    receiver: Value
    name: str
    of: type | None = None


@dataclass(frozen=True, slots=True)
class Instance:
    """An object that the program has made: a closure without code.

    It is a *place*: a number of its own, after which come those of the variables (cells) that its
    attributes are. Two names of one object have the same place.
    """

    cls: type
    place: int
    names: tuple[str, ...]

    @property
    def cells(self) -> range:
        """The variables of the attributes, in the order of `names`."""
        return range(self.place + 1, self.place + 1 + len(self.names))

    def cell(self, name: str) -> int:
        """The variable of an attribute."""
        return self.place + 1 + self.names.index(name)


@dataclass(frozen=True, slots=True, eq=False)
class DictValue:
    """The items of a dict, in the order of insertion; the dict itself is an `Instance`.

    `origin` is the place of the dict that they are a copy of, 0 where it is not known, and `site`
    where in the program it has been made. `alike` is of what paths have together, where some have
    not all keys: for each item the first one that is there on the same paths.
    """

    keys: tuple[Any, ...]
    items: tuple[Value, ...]
    origin: int = 0
    site: Span | None = None
    alike: tuple[int, ...] = ()

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DictValue)
            and self.items == other.items
            and self.alike == other.alike
            and same_keys(self.keys, other.keys)
        )

    def __hash__(self) -> int:
        return hash((self.keys, self.items))


@dataclass(frozen=True, slots=True)
class DictView:
    """The "keys", "values" or "items" of a dict, read when they are needed."""

    owner: Instance
    kind: str


@dataclass(frozen=True, slots=True)
class Later:
    """An item of a list or dict that is read when it is needed: it may change before."""

    owner: Instance
    position: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A number in a text: how it is shown, as in `retrograd.messages`."""

    how: str
    spec: Param
    value: Scalar


LOST = "<a text of the run>"
"""Stands for a text that shows numbers of the run and is not kept: nothing may depend on it."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text in which numbers are shown that are known at run time only; others are `Static`."""

    pieces: tuple[str | Shown, ...]

    @property
    def form(self) -> tuple[Param, ...]:
        """All but the numbers."""
        return tuple(p if isinstance(p, str) else (p.how, p.spec) for p in self.pieces)

    @property
    def carried(self) -> tuple[str, ...] | None:
        """The texts of which one is chosen at run time, `LOST` among them; None of other texts."""
        match self.pieces:
            case (Shown(how="choose", spec=tuple() as texts),):
                return tuple(str(text) for text in texts)
            case _:
                return None

    @property
    def options(self) -> tuple[str, ...] | None:
        """The texts of which one is chosen at run time, where it is nothing else."""
        found = self.carried
        return None if found is None or LOST in found else found

    @property
    def is_lost(self) -> bool:
        """Whether it is, or has in it, a text that is not kept."""
        return any(LOST in p.spec for p in self.pieces if isinstance(p, Shown) and p.how == "choose"
                   and isinstance(p.spec, tuple))  # fmt: skip

    @staticmethod
    def of_options(options: tuple[str, ...], index: Scalar) -> Text:
        """One of several texts, by its index."""
        return Text((Shown("choose", options, index),))

    def with_numbers(self, numbers: tuple[Scalar, ...]) -> Text:
        """The same text about other numbers."""
        left = list(numbers)
        pieces = (p if isinstance(p, str) else replace(p, value=left.pop(0)) for p in self.pieces)
        return Text(tuple(pieces))


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception that has not been raised, or has been caught.

    `names` are the keywords of its last arguments.
    """

    cls: type[BaseException]
    args: tuple[Value, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unbound:
    """A variable that is certainly not assigned."""


@dataclass(frozen=True, slots=True)
class Undef:
    """The content of a variable on a path that cannot be reached from here: fits with anything."""


@dataclass(frozen=True, slots=True)
class Maybe:
    """A variable that is assigned only if `flag` holds at run time."""

    value: Value
    flag: Atom


@dataclass(frozen=True, slots=True)
class Option:
    """A value that is None unless `flag` holds at run time."""

    value: Value
    flag: Atom


@dataclass(frozen=True, slots=True)
class OneOf:
    """A value of one of several kinds: the one whose flag holds at run time; one flag does.

    With `places`, they are lists, dicts or objects of which each is another one.
    """

    flags: tuple[Atom, ...]
    values: tuple[Value, ...]
    places: bool = False


Value = (
    Scalar | ArrayRef | TupleValue | RangeValue | Enumerate | Zip | Static | Closure | Transform
    | Applied | Bound | Unbound | Undef | Maybe | Instance | DictValue | DictView | Later | Text
    | Failure | Option | ComplexValue | OneOf
)  # fmt: skip

UNBOUND = Unbound()
UNDEF = Undef()
_WITHOUT_PARTS = frozenset({Scalar, ArrayRef, Static, Instance, Maybe, Undef, Unbound})


def parts(value: Value) -> tuple[Value, ...]:
    """The values directly inside a compound value."""
    if type(value) in _WITHOUT_PARTS:  # which most are
        return ()
    match value:
        case TupleValue() | Zip() | DictValue():
            return value.items
        case RangeValue():
            return (value.start, value.stop, value.step)
        case Enumerate():
            return (value.inner, value.start)
        case Later() | DictView():
            return (value.owner,)
        case Option():
            return (Scalar(value.flag), value.value)
        case ComplexValue():
            return (value.real, value.imag)
        case OneOf():
            return (*map(Scalar, value.flags), *value.values)
        case Text():
            return tuple(piece.value for piece in value.pieces if isinstance(piece, Shown))
        case _:
            return _parts_of_function(value)


def _parts_of_function(value: Value) -> tuple[Value, ...]:
    """The values inside of what can be called, or raised."""
    match value:
        case Failure():
            return value.args
        case Closure():
            return value.defaults
        case Transform():
            return (value.fun,)
        case Bound():
            return (value.receiver,)
        case Applied():
            return (value.fun, *value.args)
        case _:
            return ()


def with_parts(value: Value, new: tuple[Value, ...]) -> Value:
    """`value` with what `parts` gives replaced."""
    match value:
        case TupleValue() | Zip() | DictValue():
            return replace(value, items=new)
        case RangeValue():
            start, stop, step = (part for part in new if isinstance(part, Scalar))
            return replace(value, start=start, stop=stop, step=step)
        case Enumerate():
            start = new[1]
            return replace(value, inner=new[0], start=start) if isinstance(start, Scalar) else value
        case Text():
            return value.with_numbers(tuple(part for part in new if isinstance(part, Scalar)))
        case Option():
            return Option(new[1], new[0].atom) if isinstance(new[0], Scalar) else value
        case OneOf():
            flags = tuple(part.atom for part in new[: len(value.flags)] if isinstance(part, Scalar))
            return replace(value, flags=flags, values=new[len(flags) :])
        case ComplexValue():
            real, imag = (part for part in new if isinstance(part, Scalar | ArrayRef))
            return replace(value, real=real, imag=imag)
        case Later() | DictView():
            owner = new[0]
            return replace(value, owner=owner) if isinstance(owner, Instance) else value
        case _:
            return _function_with_parts(value, new)


def _function_with_parts(value: Value, new: tuple[Value, ...]) -> Value:
    match value:
        case Failure():
            return replace(value, args=new)
        case Closure():
            return replace(value, defaults=new)
        case Transform():
            return replace(value, fun=new[0])
        case Bound():
            return replace(value, receiver=new[0])
        case Applied():
            return replace(value, fun=new[0], args=new[1:])
        case _:
            return value


def skeleton(ref: ArrayRef) -> object:
    """A view without the numbers in it."""
    blanks: list[Atom] = [hole(I64) for _ in holes(ref.view)]
    return with_holes(ref.view, blanks)


def certain(value: Value) -> Value:
    """A value where it is assigned, and not None."""
    return certain(value.value) if isinstance(value, Maybe | Option) else value


def is_settled(value: Value, before: Value, sure: Collection[Atom]) -> bool:
    """Whether it is what was there before, of which it is known since that it is there.

    `sure` are the flags that are known to hold: without its flag an equal value has been assigned.
    """
    if value == before:
        return True
    if isinstance(before, Maybe | Option):
        return before.flag in sure and is_settled(value, before.value, sure)
    own, old = parts(value), parts(before)
    if not own or len(own) != len(old) or with_parts(before, own) != value:
        return False
    return all(is_settled(a, b, sure) for a, b in zip(own, old, strict=True))


def refs(value: Value | None) -> Iterator[ArrayRef]:
    """The arrays that a value refers to."""
    match value:
        case ArrayRef():
            yield value
        case Maybe():
            yield from refs(value.value)
        case None:
            return
        case _:
            for part in parts(value):
                yield from refs(part)


def locations(value: Value | None) -> Iterator[int]:
    """The locations that a value refers to."""
    return (ref.loc for ref in refs(value))


def describe(value: Value) -> str:
    """What the user would call this kind of value."""
    match value:
        case Scalar() | ArrayRef():
            return type_in_words(value.type)
        case Instance() | TupleValue() | Failure():
            count = len(value.items) if isinstance(value, TupleValue) else None
            return class_in_words(value.cls, count)
        case DictValue():
            return f"a dict with the keys {list(value.keys)}"
        case Maybe() | Option():
            text = describe(value.value)
            return text if isinstance(value, Maybe) else f"None or {text}"
        case OneOf():
            return " or ".join(map(describe, value.values))
        case Static(obj=None) | Unbound() | Undef():
            return "None" if isinstance(value, Static) else "nothing"
        case Static():
            return object_in_words(value.obj)
        case Closure():
            return f"function {value.source.name!r}"
        case Transform() | Applied():
            return f"a {value.kind} function"
        case RangeValue(backwards=False):
            return "a range"
        case _:
            return _in_other_words(value)


def _in_other_words(value: Value) -> str:
    match value:
        case ComplexValue():
            rank = value.real.type.rank
            return f"an array of complex numbers of rank {rank}" if rank else "a complex number"
        case Bound():
            return f"method {value.name!r}"
        case _:
            return "a text" if isinstance(value, Text) else "an iterator"
