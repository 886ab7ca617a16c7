"""What holds of extents across functions: of parameters, of results, and of what is on the tape.

A function that is called with square matrices only needs no checks against the second extent where
it has them against the first; in a recursion on minors that is all there is to check. What is known
of a function's parameters is what all its calls agree on: which extents are equal, which are
numbers, and which are extents of the entry's parameters, which are the same all through a run. In
the same way the records of a site have what all its pushes agree on, and the results of a call what
is known of them in the function, in terms of its parameters.

The walk begins at the functions that nobody calls, and takes up a function where it is called for
the first time. Calls with something else make a function be looked at again, and so do functions
and pushes of which less is known than before, until nothing changes. What is left holds by
induction over the steps of a run.

Nothing is known of the parameters of what is called from outside: the entry, and rules of custom
derivatives, which are called by what derives. Later transformations make calls of new versions of a
function with what the old one was called with, so what was concluded in a function stays true.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from retrograd.ir.terms import Call, Function, Jvp, Prim, Program, Var, Vjp
from retrograd.ir.traverse import stms_of
from retrograd.ir.types import I64
from retrograd.prims.control import popped_types
from retrograd.prims.core import PrimitiveSet
from retrograd.records import Itself, quickly_made
from retrograd.transforms.analysis.demand import site_of
from retrograd.transforms.analysis.shapes import (
    Axis,
    Extent,
    Extents,
    Shapes,
    kept_extents,
    said_of,
)
from retrograd.transforms.analysis.shapes_again import shapes_again

__all__ = ["agreed_shapes"]

_MOST_LOOKS = 12
"""So often a function is looked at; then nothing is taken to be known of its results."""

_DEPTH = 12
"""So many functions are taken up inside of one another; calls further down are looked at later."""


def agreed_shapes(program: Program, prims: PrimitiveSet) -> Mapping[str, Shapes]:
    """The extents in each function. Those of parameters are called by a number, or by the first
    parameter that always has the same."""
    key = "agreed", Itself(prims), tuple(map(Itself, program.functions))
    return program.main.once(key, lambda: _Agreement.of(program, prims).settled())


@quickly_made
@dataclass(frozen=True, slots=True)
class _Agreed:
    """What all agree on: for each of some extents the number of the first one that is equal to it,
    and what is known of it wherever it is used (a number, an extent of the entry's parameters)."""

    first: tuple[int, ...]
    absolute: tuple[Extent | None, ...]

    def met(self, extents: Sequence[Extent]) -> _Agreed:
        """What is left where there are these, too."""
        place: dict[tuple[int, Extent], int] = {}
        first = tuple(
            place.setdefault(pair, k)
            for k, pair in enumerate(zip(self.first, extents, strict=True))
        )
        pairs = zip(self.absolute, extents, strict=True)
        return _Agreed(first, tuple(a if a == e else None for a, e in pairs))


def _alone(extents: Sequence[Extent]) -> _Agreed:
    """What one call, or one push, says."""
    place: dict[Extent, int] = {}
    first = tuple(place.setdefault(e, k) for k, e in enumerate(extents))
    return _Agreed(first, tuple(e if _is_absolute(e) else None for e in extents))


def _is_absolute(extent: Extent) -> bool:
    return isinstance(extent, int) or _array(extent).startswith(_ENTRY)


_ENTRY = "^"
"""What names of the entry's parameters begin with where they are used in other functions."""


def _array(extent: Axis | Var) -> str:
    return extent.array if isinstance(extent, Axis) else extent.name


@quickly_made
@dataclass(slots=True)
class _Agreement:
    """The state of the walk.

    `known` is what is known of the parameters of functions, `told` of their results, `sites` of
    records; `users` are the functions that have asked for these. `plural` are lengths that are not
    1. `going` are the functions that are being looked at, one inside of the other.
    """

    prims: PrimitiveSet
    functions: Mapping[str, Function]
    shut: frozenset[str]
    lasting: frozenset[str]
    told: dict[str, tuple[Extents, ...]]
    plural: frozenset[Extent]
    known: dict[str, _Agreed] = field(default_factory=dict[str, _Agreed])
    sites: dict[str, _Agreed] = field(default_factory=dict[str, _Agreed])
    users: dict[tuple[str, str], dict[str, None]] = field(
        default_factory=dict[tuple[str, str], "dict[str, None]"]
    )
    found: dict[str, Shapes] = field(default_factory=dict[str, Shapes])
    looks: dict[str, int] = field(default_factory=dict[str, int])
    pending: dict[str, None] = field(default_factory=dict[str, None])
    going: list[str] = field(default_factory=list[str])

    @staticmethod
    def of(program: Program, prims: PrimitiveSet) -> _Agreement:
        """Before anything has been looked at."""
        functions = {f.name: f for f in program.functions}
        called = {name for f in program.functions for name in _mentioned(f)}
        shut = set(functions) - called | {program.entry}
        for function in program.functions:
            if function.custom is not None:
                shut.add(function.custom.rule)
                shut.update(filter(None, (function.custom.pullback,)))
        # Rules that nothing needs any more have been removed.
        shut &= set(functions)
        lasting = frozenset({program.entry} - called)
        kept = kept_extents(program.functions)
        told = {name: _of_parameters(functions[name], places) for name, places in kept.items()}
        plural = frozenset(map(_of_entry, said_of(program.main)[1] if lasting else ()))
        return _Agreement(prims, functions, frozenset(shut), lasting, told, plural)

    def settled(self) -> Mapping[str, Shapes]:
        """The extents in each function, when nothing changes any more."""
        roots = sorted(self.shut, key=lambda name: name not in self.lasting)
        for name in (*roots, *self.functions):
            if name not in self.found:
                self.look(name)
            while self.pending:
                again = next(iter(self.pending))
                self.look(again)
        return self.found

    def look(self, name: str) -> None:
        """Looks at a function with what is known by now."""
        self.pending.pop(name, None)
        self.looks[name] = self.looks.get(name, 0) + 1
        self.going.append(name)
        view = _View(self, self.functions[name])
        shapes = self.found[name] = view.shapes()
        self.going.pop()
        results = view.results(shapes) if self.looks[name] < _MOST_LOOKS else ()
        if self.told.get(name) != results:
            self.told[name] = results
            self.again("result", name)

    def again(self, kind: str, name: str) -> None:
        """Those who have asked for something that has changed are looked at again."""
        self.pending.update(self.users.get((kind, name), {}))

    def uses(self, kind: str, name: str) -> None:
        """Notes that the function that is being looked at has asked for something."""
        self.users.setdefault((kind, name), {})[self.going[-1]] = None

    def met(self, table: dict[str, _Agreed], name: str, extents: Sequence[Extent]) -> bool:
        """Adds what a call or a push says; whether less is known than before."""
        old = table.get(name)
        table[name] = _alone(extents) if old is None else old.met(extents)
        return old != table[name]

    def enter(self, name: str, extents: Sequence[Extent]) -> None:
        """A function is called with such extents of its parameters."""
        changed = name not in self.shut and self.met(self.known, name, extents)
        if name not in self.found and name not in self.going and len(self.going) < _DEPTH:
            self.look(name)
        elif changed or name not in self.found:
            self.pending[name] = None


def _mentioned(function: Function) -> frozenset[str]:
    """The functions that a function calls, or differentiates."""

    def find() -> frozenset[str]:
        exprs = (stm.expr for stm in stms_of(function))
        return frozenset(e.function for e in exprs if isinstance(e, Call | Jvp | Vjp))

    return function.once("mentioned", find)


def _of_parameters(function: Function, places: tuple[int, ...]) -> tuple[Extents, ...]:
    """The extents of results that have those of parameters."""
    params = [function.params[k] for k in places]
    return tuple(tuple(Axis(p.name, k) for k in range(p.type.rank)) for p in params)


def _slots(params: Sequence[Var]) -> list[Extent]:
    """The extents of parameters: scalars first, which need no array to be at hand."""
    scalars: list[Extent] = [p for p in params if p.type == I64]
    return scalars + [Axis(p.name, k) for p in params for k in range(p.type.rank)]


def _in_slots(params: Sequence[Var], values: Sequence[Extents]) -> list[Extent]:
    """The extents of arguments in the order of `_slots`."""
    pairs = list(zip(params, values, strict=False))
    scalars = [e for p, extents in pairs if not p.type.rank for e in extents]
    return scalars + [e for p, extents in pairs if p.type.rank for e in extents]


@quickly_made
@dataclass(slots=True)
class _View:
    """One function, and what it knows of its surroundings (`shapes.Surroundings`).

    `slots` are the extents of its parameters, `names` what each of them is called by here;
    `outward` what an extent is called by in other functions, `inward` the other way round.
    """

    agreement: _Agreement
    function: Function
    slots: list[Extent] = field(init=False)
    names: list[Extent] = field(init=False)
    outward: dict[Extent, Extent] = field(init=False)
    inward: dict[Extent, Extent] = field(init=False)

    def __post_init__(self) -> None:
        slots = self.slots = _slots(self.function.params)
        name = self.function.name
        agreed = self.agreement.known.get(name)
        if name in self.agreement.lasting:
            said, _ = said_of(self.function)
            self.names = [
                said.get(slot, slot) if isinstance(slot, Axis) else slot for slot in slots
            ]
            self.outward = {n: _of_entry(n) for n in self.names if not isinstance(n, int)}
        elif agreed is None:
            self.names, self.outward = list(slots), {}
        else:
            pairs = list(zip(agreed.first, agreed.absolute, strict=True))
            self.names = [a if isinstance(a, int) else slots[k] for k, a in pairs]
            self.outward = {
                slots[k]: a for k, a in pairs if a is not None and not isinstance(a, int)
            }
        self.inward = {}
        for slot, absolute in self.outward.items():
            self.inward.setdefault(absolute, slot)

    def shapes(self) -> Shapes:
        """The extents in the function."""
        known: dict[Axis | str, Extent] = {}
        for slot, name in zip(self.slots, self.names, strict=True):
            if slot != name:
                known[slot if isinstance(slot, Axis) else _array_name(slot)] = name
        plural = self.agreement.plural
        mine = {slot for slot, absolute in self.outward.items() if absolute in plural}
        return shapes_again(self.function, self.agreement.prims, known, self, plural | mine)

    def results(self, shapes: Shapes) -> tuple[Extents, ...]:
        """What a call of the function says of its results."""
        slots, own = set(self.names), dict[Extent, Extent]()

        def told(extent: Extent) -> Extent:
            if isinstance(extent, int) or extent in slots:
                return extent
            absolute = self.outward.get(extent, extent)
            if _is_absolute(absolute):
                return absolute
            return own.setdefault(extent, Axis("", len(own)))

        found: list[Extents] = []
        for atom in self.function.body.results:
            extents: Extents = ()
            if atom.type.rank:
                extents = shapes.arrays[atom.name] if isinstance(atom, Var) else ()
            elif atom.type == I64:
                extents = (shapes.scalar(atom),)
            found.append(tuple(map(told, extents)))
        return tuple(found)

    def out(self, values: Sequence[Extent]) -> list[Extent]:
        return [self.outward.get(e, e) for e in values]

    # Surroundings.

    def called(self, expr: Call | Jvp | Vjp, args: tuple[Extents, ...]) -> tuple[Extents, ...]:
        agreement, callee = self.agreement, self.agreement.functions[expr.function]
        given = _in_slots(callee.params, args)
        agreement.enter(callee.name, self.out(given))
        if not isinstance(expr, Call):
            return ()
        agreement.uses("result", callee.name)
        here: dict[Extent, Extent] = dict(zip(_slots(callee.params), given, strict=True))
        told = agreement.told.get(callee.name, ())
        return tuple(
            tuple(here[e] if e in here else self.inward.get(e, e) for e in found) for found in told
        )

    def pushed(self, expr: Prim, args: tuple[Extents, ...]) -> None:
        site = site_of(expr)
        if site is None:
            return
        values = self.out([e for extents in args for e in extents])
        if self.agreement.met(self.agreement.sites, site, values):
            self.agreement.again("site", site)

    def popped(self, expr: Prim) -> tuple[Extents, ...]:
        site = site_of(expr)
        if site is None:
            return ()
        self.agreement.uses("site", site)
        agreed = self.agreement.sites.get(site)
        if agreed is None:
            return ()
        pairs = zip(agreed.first, agreed.absolute, strict=True)
        found = iter(Axis("", k) if a is None else self.inward.get(a, a) for k, a in pairs)
        ranks = (t.rank or int(t == I64) for t in popped_types(expr.params))
        return tuple(tuple(next(found) for _ in range(rank)) for rank in ranks)


def _array_name(slot: Extent) -> str:
    assert isinstance(slot, Var)
    return slot.name


def _of_entry(slot: Extent) -> Extent:
    """What an extent of the entry's parameters is called by in other functions."""
    match slot:
        case Axis(array, axis):
            return Axis(_ENTRY + array, axis)
        case Var():
            return Var(_ENTRY + slot.name, slot.type)
        case _:
            return slot
