"""Joining the values of two paths: which types they have together, and how each path provides them.

`shape` makes an abstract value of one path's value, `widen` adds another path to it, `fit` emits in
one path the atoms that the abstract value asks for, and `fill` makes a value of the joined atoms.
Loops do this with their own end (`loops`), branches with each other (`branches`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from retrograd.errors import Span
from retrograd.frontend.identity.buffers import ListBuffer
from retrograd.frontend.values.arrays import read
from retrograd.frontend.values.clashes import clash
from retrograd.frontend.values.complex_joins import alike, widen_complex
from retrograd.frontend.values.dict_keys import (
    all_keys,
    has_doubtful,
    joined_dict,
    marked,
    over_keys,
    settled,
)  # fmt: skip
from retrograd.frontend.values.dicts import is_dict, note_site
from retrograd.frontend.values.heads import same_head
from retrograd.frontend.values.item_forms import content_form, join_forms
from retrograd.frontend.values.item_kinds import buffers_there
from retrograd.frontend.values.iterators import USED, used_or_delayed
from retrograd.frontend.values.kinds import (
    NONE,
    UNDEF,
    ArrayRef,
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
    certain,
    hole,
    holes,
    parts,
    refs,
    skeleton,
    with_holes,
    with_parts,
)  # fmt: skip
from retrograd.frontend.values.lists import (
    arrays,
    buffer_type,
    buffered,
    buffers_form,
    known_alike,
    leaves,
    like,
    needs_lists,
)
from retrograd.frontend.values.numbers import kind_of_number
from retrograd.frontend.values.object_rows import is_growing, sites_in
from retrograd.frontend.values.objects import Places
from retrograd.frontend.values.optional import present
from retrograd.frontend.values.put_into_lists import put_into
from retrograd.frontend.values.scalars import convert, join_dtype
from retrograd.frontend.values.several import (
    counterpart,
    flags_for,
    one_of_places,
    one_or_other,
)
from retrograd.frontend.values.state import State
from retrograd.frontend.values.text_choices import carried, choice, is_text
from retrograd.frontend.values.tracer import Tracer
from retrograd.frontend.values.uneven_arrays import must_have_table
from retrograd.ir.terms import Atom, If, Lit, Var, false, flit, ilit, true
from retrograd.ir.types import BOOL, F64, I64, Type
from retrograd.records import quickly_made

__all__ = ["Merge"]


@quickly_made
@dataclass(slots=True)
class Merge:
    """One join. `outer` are the locations that exist before the paths part.

    An abstract array whose location is in `outer` is that very array on every path (its view may
    differ); any other stands for an array that each path hands on. Those in `movable` need no copy,
    as nothing else refers to them; neither does it to those in `loose`, if variables exchange them.
    `outdated` are joined arrays that have no known content on some path. `where` words the error.
    `mark` is the last number of before the paths part, by default the present one.
    """

    t: Tracer
    outer: Collection[int]
    where: str
    name: str = ""
    moved: set[int] = field(default_factory=set[int])
    handed: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    movable: frozenset[int] = frozenset()
    loose: frozenset[int] = frozenset()
    outdated: dict[int, Span | None] = field(default_factory=dict[int, Span | None])
    mark: int | None = None
    places: Places = field(init=False)

    def __post_init__(self) -> None:
        mark = self.t.ctx.counter if self.mark is None else self.mark
        self.places = Places(self.t.ctx, mark, span=self.t.span)

    # Types.

    def shape(self, value: Value) -> Value:
        """The abstract value of one path's value."""
        match value:
            case Scalar():
                numpy = kind_of_number(value) if self.t.ctx.way.kinds else None
                return Scalar(hole(value.type), value.is_nonneg, numpy, value.array, value.small)
            case ArrayRef() if value.loc in self.outer:
                blanks: list[Atom] = [hole(I64) for _ in holes(value.view)]
                return ArrayRef(value.loc, value.base, with_holes(value.view, blanks))
            case ArrayRef():
                return ArrayRef(self.t.ctx.fresh(), value.type)
            case Maybe():
                return Maybe(self.shape(value.value), hole(BOOL))
            case Instance():
                return self.places.shape(value, self.shape)
            case _:
                return marked(value, with_parts(value, tuple(map(self.shape, parts(value)))))

    def widen(self, h: Value, value: Value) -> Value:
        """The abstract value that also covers `value`; UserError if there is none."""
        match h, value:
            case (_, Undef()) | (Unbound(), Unbound()) | (Maybe(), Unbound()):
                return h
            case (Undef(), _) | (Unbound(), Maybe()):
                return self.shape(value)
            case (Unbound(), _):
                return Maybe(self.shape(value), hole(BOOL))
            case (_, Unbound()):
                return Maybe(h, hole(BOOL))
            case (Maybe(), _) | (_, Maybe()):
                return Maybe(self.widen(_assigned(h), _assigned(value)), hole(BOOL))
            case (Option() | Static(obj=None), _) | (_, Option() | Static(obj=None)):
                return self.widen_option(h, value)
            case (OneOf() | Instance(), OneOf() | Instance()) if self.places.rivals(h, value):
                return one_of_places(h, value, hole(BOOL)) or self.apart(h, value)
            case (OneOf(), _) | (_, OneOf()):
                return self.apart(h, value)
            case (Scalar(), Scalar()):
                return h.joined(value, hole(Type(join_dtype(h.type.dtype, value.type.dtype))))
            case (ArrayRef(), ArrayRef()):
                return self.widen_array(h, value)
            case (Instance(), Instance()) if h.cls is value.cls and h.names == value.names:
                return self.places.widen(h, value, self.shape, self.widen)
            case _:
                return self.widen_compound(h, value)

    def widen_compound(self, h: Value, value: Value) -> Value:
        """`widen` of what has parts, or is known."""
        match h, value:
            case (TupleValue(), TupleValue()) if not known_alike(h, value):
                return self.widen_list(h, value)
            case (Static() | Text(), Static() | Text()) if is_text(h) and is_text(value):
                return self.widen_text(h, value)
            case (DictValue(), DictValue()) if (
                has_doubtful(h) or has_doubtful(value) or not same_head(h, value)
            ):
                return self.widen_dict(h, value)
            case _:
                return self.widen_parts(h, value)

    def widen_dict(self, h: DictValue, value: DictValue) -> Value:
        """The items of a dict that has some of its keys on one of the paths only."""
        keys = all_keys(h, value)
        if keys is None:
            note_site(self.t, h.site)
            note_site(self.t, value.site)
            raise clash(self.t, self.name, self.where, h, value)
        pairs = zip(over_keys(h, keys).items, over_keys(value, keys).items, strict=True)
        return joined_dict(h, value, keys, [self.widen(a, b) for a, b in pairs])

    def widen_text(self, h: Value, value: Value) -> Value:
        """One of two texts: the index of one that is known, or the same text of other numbers."""
        if h == value or same_head(h, value):
            return h
        one, two = carried(self.t, h), carried(self.t, value)
        if one is None or two is None:
            name = f"{self.name!r}" if self.name else "the text"
            raise self.t.error(
                "RG0126", f"{name} is one of two texts with numbers {self.where}",
                "raise, or print, where the text is made",
            )  # fmt: skip
        return Text.of_options(tuple(dict.fromkeys((*one, *two))), Scalar(hole(I64)))

    def widen_option(self, h: Value, value: Value) -> Value:
        """What may be None on one of the paths."""
        if value == NONE:
            return h if isinstance(h, Option) or h == NONE else Option(h, hole(BOOL))
        if h == NONE:
            return Option(self.shape(certain(value)), hole(BOOL))
        return Option(self.widen(certain(h), certain(value)), hole(BOOL))

    def widen_list(self, h: TupleValue, value: TupleValue) -> Value:
        """The items of two lists, of run-time length."""
        forms = [content_form(self.t, one, self.places.held) for one in (h, value)]
        known = [form for form in forms if form is not None]
        form = known[0] if len(known) == 1 else join_forms(self.t, known[0], known[1])
        must_have_table(self.t, (h, value), form)
        found: list[Value] = []
        ours, others = (buffers_there(self.t, one, form) for one in (h, value))
        for leaf, own, other in zip(leaves(form), ours, others, strict=False):
            type_ = buffer_type(leaf)
            fresh = ArrayRef(self.t.ctx.fresh(), type_)
            mine = own or fresh
            if mine.type != type_:
                found.append(fresh)
            elif other is not None and other.type == type_:
                found.append(self.widen_array(mine, other))
            else:
                found.append(fresh if mine.loc in self.outer else mine)
        items = like(form, iter(found)), Scalar(hole(I64), nonneg=True)
        return TupleValue(items, ListBuffer, h.sites | value.sites)

    def widen_parts(self, h: Value, value: Value) -> Value:
        if (joined := widen_complex(self, h, value)) is not None:
            return joined
        if not same_head(h, value):
            if needs_lists(self.t, h) and isinstance(value, TupleValue) and value.cls is list:
                raise self.t.error(
                    "RG0104", f"{self.name!r} is one of two lists {self.where}, which come from "
                    "outside of the program", "take copies: list(l)",
                )  # fmt: skip
            return self.apart(h, value)
        if isinstance(h, Instance):
            return h
        pairs = zip(parts(h), parts(value), strict=True)
        return with_parts(h, tuple(self.widen(a, b) for a, b in pairs))

    def widen_array(self, h: ArrayRef, value: ArrayRef) -> Value:
        if h.type != value.type:
            return self.apart(h, value)
        if h.loc not in self.outer or self.same_place(h, value):
            return h
        return ArrayRef(self.t.ctx.fresh(), h.type)

    def exchanged(self, carried: Mapping[int, Value]) -> dict[int, Value]:
        """What a loop carries, where variables do not hold the arrays of before it."""
        return {
            cell: UNDEF if isinstance(h, ArrayRef) and h.loc in self.outer else h
            for cell, h in carried.items()
        }

    def same_place(self, h: ArrayRef, value: ArrayRef) -> bool:
        """Whether both are the same view of the same array, but for the numbers in it."""
        return h.loc == value.loc and skeleton(h) == skeleton(value)

    def apart(self, h: Value, value: Value) -> Value:
        """What covers values of two kinds, if there is such a thing."""
        found = USED if used_or_delayed(h, value) else None
        sites = [self._sites(one) for one in (h, value)]
        if all(sites) and (is_growing(h) or is_growing(value)):
            self.t.ctx.heaped.add(sites[0] | sites[1])
        elif found is None and self.t.ctx.way.joins:
            found = one_or_other(h, value, self.shape, self.widen, self.places.stays, hole(BOOL))
        if found is None:
            for one in (h, value):
                held = self.places.held(one.cells[0]) if is_dict(one) else None
                note_site(self.t, held.site if isinstance(held, DictValue) else None)
            raise clash(self.t, self.name, self.where, h, value)
        return found

    def _sites(self, value: Value) -> frozenset[Span]:
        """Where a list is made."""
        if isinstance(value, Instance) and value.cls is list:
            return sites_in(self.places.held(value.cells[0]))
        return sites_in(value)

    # Atoms.

    def types(self, h: Value) -> Iterator[Type]:
        """The types of the atoms that an abstract value asks for."""
        match h:
            case Scalar():
                yield h.type
            case ArrayRef() if h.loc in self.outer:
                yield from (I64 for _ in holes(h.view))
            case ArrayRef():
                yield h.type
            case Maybe():
                yield BOOL
                yield from self.types(h.value)
            case _:
                for part in parts(h):
                    yield from self.types(part)

    def fit(self, value: Value, h: Value) -> Iterator[Atom]:
        """The atoms of `value` in the form that `h` asks for, emitted in the present path."""
        match h, value:
            case (Maybe(), Undef() | Unbound()):
                yield false
                yield from self.fit(UNDEF, h.value)
            case (Maybe(), _):
                yield value.flag if isinstance(value, Maybe) else true
                yield from self.fit(_assigned(value), h.value)
            case (_, Maybe()):
                yield from self.fit(value.value, h)
            case (_, Undef() | Unbound()):
                for type_ in self.types(h):
                    yield self.dummy(type_)
            case (Option(), _):
                there = present(self.t, value)
                yield there
                inner = UNDEF if value == NONE else certain(value)
                yield from self.fit_where(there, inner, h.value)
            case (Scalar(), Scalar()):
                yield convert(self.t, value.atom, h.type)
            case (ArrayRef(), ArrayRef()):
                inside = h.loc in self.outer
                yield from holes(value.view) if inside else (self.hand_on(value, h.loc),)
            case _:
                yield from self.fit_compound(value, h)

    def fit_compound(self, value: Value, h: Value) -> Iterator[Atom]:
        """`fit` of what has parts, or is known."""
        match h, value:
            case (Static(), _) if h == USED:
                return
            case (OneOf(), _):
                flags = tuple(flags_for(value, h))
                yield from flags
                for flag, kind in zip(flags, h.values, strict=True):
                    own = counterpart(value, kind, h.places) or UNDEF
                    yield from self.fit_where(flag, own, kind)
            case (Text(), Static() | Text()) if not same_head(h, value):
                yield choice(self.t, value, h)
            case (TupleValue(), TupleValue()) if not known_alike(h, value):
                yield from self.fit(buffered(self.t, value, buffers_form(h.items[0])), h)
            case (DictValue(), DictValue()):
                for one, two in zip(over_keys(value, h.keys).items, h.items, strict=True):
                    yield from self.fit(one, two)
            case _:
                for one, two in zip(parts(alike(self.t, value, h)), parts(h), strict=True):
                    yield from self.fit(one, two)

    def fit_where(self, there: Atom, value: Value, h: Value) -> Iterator[Atom]:
        """`fit` of what is there on some paths only: nothing is read on the others."""
        if isinstance(there, Lit) or not any(ref.view for ref in refs(value)):
            yield from self.fit(value, h)
            return
        outer, types = self.t.b, tuple(self.types(h))
        self.t.b = then = outer.inner()
        found = list(self.fit(value, h))
        self.t.b = other = outer.inner()
        nothing = [self.dummy(type_) for type_ in types]
        self.t.b = outer
        yield from outer.bind(If(there, then.block(found), other.block(nothing)), list(types))

    def handed_on(self, value: Value, h: Value) -> Iterator[tuple[int, int]]:
        """The locations in `value` that become joined locations of `h`, in pairs with them."""
        one, two = certain(value), certain(h)
        if isinstance(one, ArrayRef) and isinstance(two, ArrayRef):
            if two.loc not in self.outer:
                yield one.loc, two.loc
            return
        if isinstance(two, ComplexValue) and isinstance(one, Scalar | ArrayRef):
            if one.type == two.real.type:
                yield from self.handed_on(one, two.real)
            return
        if isinstance(one, TupleValue) and isinstance(two, TupleValue) and one.cls is not two.cls:
            yield from put_into(self.t, one, two)
            return
        if isinstance(one, TupleValue) and isinstance(two, TupleValue) and two.cls is ListBuffer:
            yield from self._handed_buffers(one, two)
            return
        if isinstance(two, OneOf):
            for kind in two.values:
                if (own := counterpart(one, kind, two.places)) is not None:
                    yield from self.handed_on(own, kind)
            return
        if isinstance(one, DictValue) and isinstance(two, DictValue):
            one = over_keys(one, two.keys)
        for a, b in zip(parts(one), parts(two), strict=False):
            yield from self.handed_on(a, b)

    def _handed_buffers(self, one: TupleValue, two: TupleValue) -> Iterator[tuple[int, int]]:
        """`handed_on` of lists in buffers."""
        buffers = buffers_there(self.t, one, buffers_form(two.items[0]))
        for mine, joined in zip(buffers, arrays(two.items[0]), strict=True):
            if mine is not None:
                yield from self.handed_on(mine, joined)

    def relate(self, stale: Mapping[int, Span | None] | None = None) -> None:
        """Links joined objects, after `places.given`, with those that they may be.

        `stale` is what was stale where they come from, by default the present state's.
        """
        state, places = self.t.state, self.places
        stale = state.stale if stale is None else stale
        for one, other in list(places.linked(state.links)):
            state.link(one, other)
        for place, source in places.sources.items():
            for cell, old in zip(places.made[place].cells, count(source + 1), strict=False):
                if old in stale:
                    self.outdated[cell] = stale[old]

    def relate_carried(self, header: State, entry: State, pairs: Sequence[tuple[int, int]]) -> None:
        """Links the arrays that a loop carries, at the begin of its body, with what they may be.

        `pairs` are the arrays before the loop that become carried ones.
        """
        for before, joined in pairs:
            if before not in self.movable:
                header.link(before, joined)
            if before in entry.stale:
                header.stale[joined] = entry.stale[before]
            alike = entry.links.get(before, frozenset())
            for other in alike:
                header.link(joined, other)
            if before in alike:
                header.repeat(joined)
            for other, rival in pairs:
                if other == before or other in alike:
                    header.link(joined, rival)

    def dummy(self, type_: Type) -> Atom:
        """Any value of that type."""
        if type_.is_scalar:
            return {F64: flit(0.0), I64: ilit(0), BOOL: false}[type_]
        extents = [ilit(0)] * type_.rank
        made = self.t.prim("zeros", *extents, dtype=type_.dtype.value)
        if self.t.ctx.sizes is not None:
            self.t.ctx.sizes.any.add(made)
        return made

    def hand_on(self, ref: ArrayRef, loc: int) -> Atom:
        """The array behind `ref`, now owned by the joined location `loc`."""
        state, copies = self.t.state, self.t.ctx.row_copies
        if ref.view is not None or ref.loc in copies:
            copies.add(loc)
        for other in state.links.get(ref.loc, frozenset()):
            for joined in self.handed.get(other, [other]):
                state.link(loc, joined)
        if ref.loc in state.links.get(ref.loc, frozenset()):
            state.repeat(loc)
        for joined in self.handed.setdefault(ref.loc, []):
            state.link(loc, joined)
        self.handed[ref.loc].append(loc)
        stays = ref.loc in self.outer and ref.loc not in self.movable
        if stays:
            state.link(loc, ref.loc)
        if ref.loc in state.stale:
            self.outdated[loc] = state.stale[ref.loc]
            return self.dummy(ref.type)
        atom = read(self.t, ref)
        if ref.view is not None:
            return atom
        if stays or ref.loc in self.moved:
            return self.t.prim("copy", atom)
        self.moved.add(ref.loc)
        return atom

    def fill(self, h: Value, atoms: list[Atom]) -> Value:
        """The value of `h` with its atoms taken from the front of `atoms`."""
        match h:
            case Scalar():
                return Scalar(atoms.pop(0), h.nonneg, h.numpy, h.array, h.small)
            case ArrayRef() if h.loc in self.outer:
                return ArrayRef(h.loc, h.base, with_holes(h.view, atoms))
            case ArrayRef():
                self.t.state.arrays[h.loc] = atoms.pop(0)
                return h
            case Maybe():
                flag = atoms.pop(0)
                value = self.fill(h.value, atoms)
                return value if flag == true else Maybe(value, flag)
            case _:
                return settled(with_parts(h, tuple(self.fill(p, atoms) for p in parts(h))))

    def variables(self, h: Value, hint: str) -> list[Var]:
        """Fresh variables for the atoms of `h`."""
        return [self.t.ctx.names.var(hint, type_) for type_ in self.types(h)]


def _assigned(value: Value) -> Value:
    return value.value if isinstance(value, Maybe) else value
