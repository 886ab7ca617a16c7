"""Objects on two paths: which place they have together, and what becomes of those left behind.

An object that was made before the paths part is the same one on both. Two objects of one class that
a name holds on two paths become a new one, into which each path moves its attributes; the old ones
and the new one are possible aliases of each other (`State.links`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from retrograd.errors import Span, UserError
from retrograd.frontend.values.dict_keys import over_keys
from retrograd.frontend.values.kinds import (
    UNBOUND,
    UNDEF,
    Closure,
    DictValue,
    Instance,
    Maybe,
    OneOf,
    Undef,
    Value,
    certain,
    parts,
)  # fmt: skip
from retrograd.frontend.values.several import alternatives, counterpart
from retrograd.frontend.values.tracer import Context, PathEnds, State, Tracer
from retrograd.records import quickly_made

__all__ = [
    "Places",
    "captured",
    "collect",
    "held_in",
    "instances",
    "living",
    "names_of",
    "new_object",
    "reachable",
]


def held_in(t: Tracer, owner: Value) -> Value:
    """What the only attribute of a list or dict holds; on this path it is assigned."""
    assert isinstance(owner, Instance)
    held = t.content(owner.cells[0])
    held = held.value if isinstance(held, Maybe) else held
    if isinstance(held, Undef):
        raise PathEnds
    return held


def new_object(t: Tracer, cls: type, names: tuple[str, ...]) -> Instance:
    """An object none of whose attributes is assigned yet."""
    return Instance(cls, t.ctx.fresh_place(len(names)), names)


def instances(value: Value | None) -> Iterator[Instance]:
    """The objects that a value refers to, without those in their attributes."""
    match value:
        case Instance():
            yield value
        case Maybe():
            yield from instances(value.value)
        case None:
            return
        case _:
            for part in parts(value):
                yield from instances(part)


def captured(value: Value | None) -> Iterator[int]:
    """The variables that the functions in a value capture."""
    match value:
        case Closure():
            yield from (cell for _, cell in value.cells)
        case Maybe():
            yield from captured(value.value)
        case None:
            return
        case _:
            pass
    for part in parts(value):
        yield from captured(part)


def reachable(cells: Mapping[int, Value], roots: Iterable[Value]) -> set[int]:
    """The places and attributes that can be reached from some values."""
    found: set[int] = set()
    seen: set[int] = set()
    pending = list(roots)
    while pending:
        value = pending.pop()
        for one in instances(value):
            if one.place not in found:
                found |= {one.place, *one.cells}
                pending += [cells[cell] for cell in one.cells if cell in cells]
        for cell in captured(value):
            if cell not in seen and cell in cells:
                seen.add(cell)
                pending.append(cells[cell])
    return found


def names_of(t: Tracer, values: Iterable[Value]) -> dict[int, str]:
    """What users call the variables of a function, and the attributes of the objects in values."""
    found = {cell: name for name, cell in t.frame.locals.items()}
    if t.ctx.attributes:
        for value in values:
            for one in instances(value):
                found |= dict(zip(one.cells, one.names, strict=True))
    return found


def living(t: Tracer, cells: Mapping[int, Value]) -> set[int]:
    """The places and attributes that the function, or its caller, can still reach."""
    roots = [value for cell, value in cells.items() if cell not in t.ctx.attributes]
    roots += [cells[cell] for cell in t.frame.owned_cells if cell in cells]
    roots += [*t.frame.roots, *t.frame.hidden.values()]
    return reachable(cells, roots) | t.frame.owned_cells


def collect(t: Tracer, state: State, keep: Iterable[int] = ()) -> None:
    """Forgets the attributes of objects that nothing refers to any more, but those in `keep`."""
    if t.ctx.attributes.isdisjoint(state.cells):
        return
    kept = living(t, state.cells) | set(keep)
    for cell in [c for c in state.cells if c in t.ctx.attributes and c not in kept]:
        del state.cells[cell]


_DEEPEST = 40
"""Of so many objects each may have the next one where paths meet."""

Widen = Callable[[Value, Value], Value]


@quickly_made
@dataclass(slots=True)
class Places:
    """The objects of one join.

    `mark` is the last number that existed before the paths parted. `contents` has the abstract
    values of the attributes of joined objects, `made` these objects by place. `path` is the state
    that is being looked at, `first` the one whose values were looked at first, and `sources` says
    which object of that path a joined object comes from. `grown`: some of it has become wider.
    """

    ctx: Context
    mark: int
    contents: dict[int, Value] = field(default_factory=dict[int, Value])
    made: dict[int, Instance] = field(default_factory=dict[int, Instance])
    path: State = field(default_factory=State)
    first: State = field(default_factory=State)
    sources: dict[int, int] = field(default_factory=dict[int, int])
    splits: dict[tuple[int, int], Instance] = field(default_factory=dict[tuple[int, int], Instance])
    grown: bool = False
    span: Span | None = None
    depth: int = 0

    def enter(self, path: State, *, first: bool = False) -> None:
        """Goes on with the values of another path."""
        self.path, self.sources = path, {}
        if first:
            self.first = path

    def held(self, cell: int) -> Value:
        """What an attribute holds on the path that is being looked at, or joined."""
        for place in (self.contents, self.path.cells, self.first.cells):
            if cell in place:
                return place[cell]
        return UNBOUND

    def outer(self, value: Instance) -> bool:
        """Whether it is one and the same object on every path."""
        return value.place <= self.mark and value.place not in self.made

    def stays(self, value: Instance) -> bool:
        """Whether a list, dict or object is not moved into a new one."""
        return self.ctx.way.rivals and self.outer(value)

    def rivals(self, h: Value, value: Value) -> bool:
        """Whether these are objects of before the paths parted, of which none is to be moved."""
        if not self.ctx.way.rivals or h == value:
            return False
        every = (*alternatives(h), *alternatives(value))
        return all(isinstance(one, Instance) and self.outer(one) for one in every)

    def shape(self, value: Instance, shape: Callable[[Value], Value]) -> Instance:
        """The abstract object of one path's object."""
        if self.outer(value) or value.place in self.made:
            return value
        for place, source in self.sources.items():
            if source == value.place:
                return self.made[place]
        return self._make(value, self.path, shape)

    def _make(self, like: Instance, path: State, shape: Callable[[Value], Value]) -> Instance:
        place = self.ctx.fresh_place(len(like.names))
        made = self.made[place] = Instance(like.cls, place, like.names)
        self.grown = True
        if path is self.path:
            self.sources[place] = like.place
        self._go_down(like)
        for cell, old in zip(made.cells, like.cells, strict=True):
            self.contents[cell] = UNBOUND
            self.contents[cell] = shape(path.cells.get(old, UNBOUND))
        self.depth -= 1
        return made

    def _go_down(self, like: Instance) -> None:
        """Refuses objects that hang on each other without end, as those of a linked list."""
        self.depth += 1
        if self.depth > _DEEPEST:
            self.ctx.note_crowd(like)
            raise UserError(
                "RG0104", "objects of which each has the next one, as many as the run has",
                self.span, "keep them in a list",
            )  # fmt: skip

    def widen(
        self, h: Instance, value: Instance, shape: Callable[[Value], Value], widen: Widen
    ) -> Instance:
        """The object that stands for `h` on the paths seen so far and for `value` on this one."""
        if self.outer(h):
            if h == value:
                return h
            known = self.splits.get((h.place, value.place))
            if known is None:
                known = self._make(h, self.first, shape)
                self.splits[h.place, value.place] = known
            h = known
        source = self.sources.get(h.place)
        if source not in (None, value.place):
            h = self._split(h, value)
        elif source == value.place:
            return h
        self.sources[h.place] = value.place
        self._go_down(h)
        for cell, old in zip(h.cells, value.cells, strict=True):
            before = self.contents[cell]
            after = self.contents[cell] = widen(before, self.path.cells.get(old, UNBOUND))
            self.grown = self.grown or after != before
        self.depth -= 1
        return h

    def _split(self, h: Instance, value: Instance) -> Instance:
        """A second object for a name whose object is no longer that of the other name."""
        key = (h.place, value.place)
        if key not in self.splits:
            place = self.ctx.fresh_place(len(h.names))
            made = self.splits[key] = self.made[place] = Instance(h.cls, place, h.names)
            for cell, old in zip(made.cells, h.cells, strict=True):
                self.contents[cell] = self.contents[old]
            self.grown = True
        return self.splits[key]

    def reached(self, values: Iterable[Value]) -> dict[int, Value]:
        """The abstract values of the attributes of all joined objects in these abstract values."""
        found: dict[int, Value] = {}
        pending = list(values)
        while pending:
            for one in instances(pending.pop()):
                if one.place in self.made and not all(cell in found for cell in one.cells):
                    for cell in one.cells:
                        found[cell] = self.contents[cell]
                        pending.append(found[cell])
        return found

    def attempts(self, most: int, carried: Collection[int]) -> Iterator[int]:
        """The numbers of up to `most` attempts to find what a loop carries.

        They end where each of three has carried more than twice the objects of the one before: a
        tree to which iterations add leaves grows without end, and attempts take twice as long.
        """
        counts: list[int] = []
        for attempt in range(most):
            counts.append(self._among(carried))
            pairs = list(pairwise(counts[-4:]))
            if len(pairs) == 3 and all(now > 2 * before > 0 for before, now in pairs):
                return
            yield attempt

    def _among(self, carried: Collection[int]) -> int:
        """How many joined objects have their attributes among these."""
        return sum(any(cell in carried for cell in one.cells) for one in self.made.values())

    def given(self, path: State, wanted: Mapping[int, Value]) -> dict[int, Value]:
        """What a path has for each of the `wanted` variables, attributes of joined objects among
        them; afterwards `sources` says which object each of these comes from."""
        self.enter(path)
        attributes = {cell for one in self.made.values() for cell in one.cells}
        found = {cell: path.cells.get(cell, UNBOUND) for cell in wanted if cell not in attributes}
        pending = [(value, wanted[cell]) for cell, value in found.items()]
        while pending:
            for own, joined in _pairs(*pending.pop()):
                if joined.place not in self.made or joined.place in self.sources:
                    continue
                self.sources[joined.place] = own.place
                for cell, old in zip(joined.cells, own.cells, strict=True):
                    found[cell] = path.cells.get(old, UNBOUND)
                    pending.append((found[cell], wanted.get(cell, UNBOUND)))
        return {cell: found.get(cell, UNDEF) for cell in wanted}

    def linked(self, links: Mapping[int, frozenset[int]]) -> Iterator[tuple[int, int]]:
        """Pairs of attributes that may be the same, after `given`.

        Those of a joined object are those of the one that it comes from, and of what that may be;
        and two objects may come from the same one.
        """
        origin = {
            cell: source + 1 + k
            for place, source in self.sources.items()
            for k, cell in enumerate(self.made[place].cells)
        }
        joined: dict[int, list[int]] = {}
        for cell, old in origin.items():
            joined.setdefault(old, []).append(cell)
        for cell, old in origin.items():
            for other in (old, *sorted(links.get(old, frozenset()))):
                yield cell, other
                for rival in joined.get(other, ()):
                    yield cell, rival


def _pairs(value: Value, h: Value) -> Iterator[tuple[Instance, Instance]]:
    """The objects of a path's value with those in their places in the abstract value."""
    one, two = certain(value), certain(h)
    if isinstance(one, Instance) and isinstance(two, Instance):
        yield one, two
        return
    if isinstance(one, Undef):
        return
    if isinstance(two, OneOf):
        for kind in two.values:
            yield from _pairs(counterpart(one, kind, two.places) or UNDEF, kind)
        return
    if isinstance(one, DictValue) and isinstance(two, DictValue):
        one = over_keys(one, two.keys)
    for a, b in zip(parts(one), parts(two), strict=False):
        yield from _pairs(a, b)
