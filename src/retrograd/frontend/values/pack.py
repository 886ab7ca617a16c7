"""Flattening values across a call: which atoms go over, and how the other side puts them together.

Packing renumbers locations and variables in the order in which they are met. So the abstract
values say which arguments are one array, and which functions share a captured variable; the callee
sees the same sharing, and a result may refer to an argument's own array.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from retrograd.errors import CompilerBug
from retrograd.frontend.values.dict_keys import marked, settled
from retrograd.frontend.values.kinds import (
    UNBOUND,
    ArrayRef,
    Closure,
    Instance,
    Maybe,
    Scalar,
    Value,
    hole,
    holes,
    parts,
    with_holes,
    with_parts,
)  # fmt: skip
from retrograd.frontend.values.literals import is_told_apart
from retrograd.frontend.values.numbers import kind_of_number
from retrograd.frontend.values.seen import ITERATORS, NOTHING_SEEN
from retrograd.frontend.values.tracer import Tracer
from retrograd.frontend.values.zero_dimensional import handed_over
from retrograd.ir.terms import Atom, Lit
from retrograd.ir.types import BOOL, I64, Type
from retrograd.records import quickly_made

__all__ = ["Packer", "Unpacker", "abstract_types"]


@quickly_made
@dataclass(slots=True)
class Packer:
    """Packs values of one tracer. `locs` and `cells` map to the common numbering.

    `places` are the positions of whole arrays among the atoms, by location.

    With `literal_bools`, a truth value that is known stays known on the other side; with
    `literal_ints` an int, and a float where the program's way is so. `having` are the values of
    this side, and those that go over: what two of them have is changed in place for both.
    """

    t: Tracer
    locs: dict[int, int] = field(default_factory=dict[int, int])
    cells: dict[int, int] = field(default_factory=dict[int, int])
    contents: list[Value] = field(default_factory=list[Value])
    atoms: list[Atom] = field(default_factory=list[Atom])
    places: dict[int, int] = field(default_factory=dict[int, int])
    known_cells: int = 0
    literal_bools: bool = False
    literal_ints: bool = False
    having: Sequence[Value] = ()

    def pack(self, value: Value) -> Value:
        """The abstract value; its atoms are appended."""
        match value:
            case Scalar(atom=Lit() as known) if self.stays(known):
                return replace(value, array=self._array_without_axes(value))
            case Scalar():
                self.atoms.append(value.atom)
                numpy = kind_of_number(value) if self.t.ctx.way.kinds else None
                array = self._array_without_axes(value)
                return Scalar(hole(value.type), numpy=numpy, array=array, small=value.small)
            case ArrayRef():
                return self._array(value)
            case Closure():
                cells = tuple((name, self._cell(cell)) for name, cell in value.cells)
                fixed = Closure(value.source, value.origin, cells, value.names, value.defaults)
                return with_parts(fixed, tuple(self.pack(p) for p in value.defaults))
            case Instance():
                return replace(value, place=self._object(value))
            case Maybe():
                self.atoms.append(value.flag)
                return Maybe(self.pack(value.value), hole(BOOL))
            case _:
                return marked(value, with_parts(value, tuple(map(self.pack, parts(value)))))

    def stays(self, known: Lit) -> bool:
        """Whether a literal is one on the other side as well."""
        if known.type == BOOL:
            return self.literal_bools
        own = known.type == I64 or (self.t.ctx.way.floats and is_told_apart(known))
        return self.literal_ints and own

    def _array_without_axes(self, value: Scalar) -> int:
        return handed_over(self.t, value, self.having)

    def _array(self, ref: ArrayRef) -> Value:
        base = self.t.base(ref.loc)
        if ref.loc not in self.locs:
            self.locs[ref.loc] = len(self.locs)
            self.places[ref.loc] = len(self.atoms)
            self.atoms.append(base)
        own = holes(ref.view)
        self.atoms.extend(own)
        blanks: list[Atom] = [hole(I64) for _ in own]
        sizes = self.t.ctx.sizes
        known = None if sizes is None else sizes.of(base)
        return ArrayRef(self.locs[ref.loc], ref.base, with_holes(ref.view, blanks), known)

    def _cell(self, cell: int) -> int:
        if cell not in self.cells:
            number = self.cells[cell] = self.known_cells + len(self.contents)
            self.contents.append(UNBOUND)
            content = self.pack(self.t.state.cells.get(cell, UNBOUND))
            self.contents[number - self.known_cells] = content
        return self.cells[cell]

    def _object(self, value: Instance) -> int:
        """The common number of an object; its attributes have those that follow."""
        if value.place not in self.cells:
            first = self.known_cells + len(self.contents)
            own = (value.place, *value.cells)
            for k, cell in enumerate(own):
                self.cells[cell] = first + k
            self.contents += [UNBOUND] * len(own)
            for cell in value.cells:
                if self.t.ctx.seen.get(cell, NOTHING_SEEN) is not NOTHING_SEEN:
                    raise self.t.error(
                        "RG0101", "an iterator inside of a value is handed on",
                        "make a list of it: list(..)",
                    )  # fmt: skip
                content = self.pack(self.t.content(cell))
                self.contents[self.cells[cell] - self.known_cells] = content
        return self.cells[value.place]


@quickly_made
@dataclass(slots=True)
class Unpacker:
    """Rebuilds packed values on the other side, in the same order, from an iterator of atoms."""

    t: Tracer
    contents: tuple[Value, ...]
    atoms: Iterator[Atom]
    locs: dict[int, int] = field(default_factory=dict[int, int])
    cells: dict[int, int] = field(default_factory=dict[int, int])
    known_cells: int = 0

    def unpack(self, value: Value) -> Value:
        """The value on this side."""
        match value:
            case Scalar():
                atom = value.atom if isinstance(value.atom, Lit) else next(self.atoms)
                array = self.t.ctx.fresh() if value.array > 0 else value.array
                return replace(value, atom=atom, array=array)
            case ArrayRef():
                if value.loc not in self.locs:
                    loc = self.locs[value.loc] = self.t.ctx.fresh()
                    array = self.t.state.arrays[loc] = next(self.atoms)
                    if self.t.ctx.sizes is not None:
                        self.t.ctx.sizes.note(array, value.extents)
                own: list[Atom] = [next(self.atoms) for _ in holes(value.view)]
                return ArrayRef(self.locs[value.loc], value.base, with_holes(value.view, own))
            case Closure():
                cells = tuple((name, self._cell(cell)) for name, cell in value.cells)
                fixed = Closure(value.source, value.origin, cells, value.names, value.defaults)
                return with_parts(fixed, tuple(self.unpack(p) for p in value.defaults))
            case Instance():
                return replace(value, place=self._object(value))
            case Maybe():
                flag = next(self.atoms)
                return Maybe(self.unpack(value.value), flag)
            case _:
                return settled(with_parts(value, tuple(map(self.unpack, parts(value)))))

    def _cell(self, cell: int) -> int:
        if cell not in self.cells:
            if not 0 <= cell - self.known_cells < len(self.contents):
                raise CompilerBug("a captured variable without content")
            own = self.cells[cell] = self.t.ctx.fresh()
            self.t.state.cells[own] = self.unpack(self.contents[cell - self.known_cells])
        return self.cells[cell]

    def _object(self, value: Instance) -> int:
        if value.place not in self.cells:
            place = self.t.ctx.fresh_place(len(value.names))
            theirs = (value.place, *value.cells)
            for k, cell in enumerate(theirs):
                self.cells[cell] = place + k
            for k, cell in enumerate(value.cells):
                content = self.unpack(self.contents[cell - self.known_cells])
                self.t.state.cells[place + 1 + k] = content
                if value.cls in ITERATORS:
                    self.t.ctx.seen[place + 1 + k] = NOTHING_SEEN
        return self.cells[value.place]


def abstract_types(
    values: Iterator[Value], contents: tuple[Value, ...], known_locs: int = 0, known_cells: int = 0
) -> Iterator[Type]:
    """The types of the atoms of packed values, in packing order, without known arrays."""
    walk = _Types(contents, known_cells, set(range(known_locs)), set(range(known_cells)))
    for value in values:
        yield from walk.of(value)


@dataclass(slots=True)
class _Types:
    """The walk behind `abstract_types`; what has been met needs no atom again."""

    contents: tuple[Value, ...]
    known_cells: int
    locs: set[int]
    cells: set[int]

    def of(self, value: Value) -> Iterator[Type]:
        match value:
            case Scalar(atom=Lit()):
                return
            case Scalar():
                yield value.type
            case ArrayRef():
                if value.loc not in self.locs:
                    self.locs.add(value.loc)
                    yield value.base
                yield from (I64 for _ in holes(value.view))
            case Closure():
                yield from self.captured(value)
                yield from (type_ for part in value.defaults for type_ in self.of(part))
            case Instance():
                yield from self.inside(value)
            case Maybe():
                yield BOOL
                yield from self.of(value.value)
            case _:
                yield from (type_ for part in parts(value) for type_ in self.of(part))

    def inside(self, value: Instance) -> Iterator[Type]:
        if value.place not in self.cells:
            self.cells |= {value.place, *value.cells}
            for cell in value.cells:
                yield from self.of(self.contents[cell - self.known_cells])

    def captured(self, value: Closure) -> Iterator[Type]:
        for _, cell in value.cells:
            if cell not in self.cells:
                self.cells.add(cell)
                yield from self.of(self.contents[cell - self.known_cells])
