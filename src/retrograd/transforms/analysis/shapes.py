"""Which extents are equal: a name for every axis of every array of a function.

Two axes with the same `Extent` have the same length whenever both exist. Loops are handled
optimistically: a carried array is taken to keep the extents of its initial value, and where a body
shows otherwise the walk is repeated without that assumption.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

from retrograd.ir.formers import unhandled
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    For,
    Function,
    If,
    Jvp,
    Lit,
    Prim,
    Stm,
    Var,
    Vjp,
    While,
)
from retrograd.ir.types import I64
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.lengths import Along, Common, Length
from retrograd.records import Itself, quickly_made

__all__ = [
    "Axis", "Extent", "Extents", "Kept", "Known", "Shapes", "Surroundings", "kept_extents",
    "known_in", "said_of", "shapes_among", "shapes_of",
]  # fmt: skip


@quickly_made
@dataclass(frozen=True, slots=True)
class Axis:
    """The length of an axis that nothing else is known about."""

    array: str
    axis: int


Extent = Axis | Var | int
"""An unknown length, the value of a variable, or a number."""

Extents = tuple[Extent, ...]

Known = Mapping[Axis | str, Extent]
"""Extents of axes of parameters, and of scalar parameters by name, as one that stands for itself: a
number, a scalar parameter or an axis of one."""

Kept = Mapping[str, tuple[int, ...]]
"""Functions whose results have the types and extents of parameters, with the positions of these."""


class Surroundings(Protocol):
    """What is known of the functions that a function calls, and of what it takes off the tape.

    Extents of a value are those of its axes, of an i64 scalar the one that it stands for (one
    extent), of other scalars none.
    """

    def called(self, expr: Call | Jvp | Vjp, args: tuple[Extents, ...]) -> tuple[Extents, ...]:
        """The extents of the results of a call with such arguments, as far as they are known:
        an axis of no array (`""`) is a length of its own, by number."""
        ...

    def pushed(self, expr: Prim, args: tuple[Extents, ...]) -> None:
        """Such values are put on the tape."""
        ...

    def popped(self, expr: Prim) -> tuple[Extents, ...]:
        """The extents of what is taken off the tape, as for `called`."""
        ...


_MAX_ROUNDS = 8


@quickly_made
@dataclass(frozen=True, slots=True)
class Shapes:
    """Extents of the arrays of a function by name, and the scalars that `dim` has bound.

    `common` has the lengths of which an axis is the one that broadcasting gives, `plural` those
    that are known not to be 1.
    """

    arrays: Mapping[str, Extents]
    scalars: Mapping[str, Extent]
    common: Mapping[Axis, frozenset[Extent]] = field(
        default_factory=dict[Axis, "frozenset[Extent]"]
    )
    plural: frozenset[Extent] = frozenset()

    def is_plural(self, extent: Extent) -> bool:
        """Whether a length is known not to be 1."""
        return extent != 1 if isinstance(extent, int) else extent in self.plural

    def equates(self, how: str, m: Extent, n: Extent) -> bool:
        """Whether lengths that have passed a `check_extents` are equal."""
        plural = {"same": (), "stretch": (m,), "fit": (m, n)}[how]
        return all(map(self.is_plural, plural))

    def scalar(self, atom: Atom) -> Extent:
        """The extent that a scalar atom stands for."""
        return _scalar_extent(atom, self.scalars)

    def fit(self, how: str, m: Extent, n: Extent) -> bool:
        """Whether a `check_extents` is proved: a length fits what it has been stretched to."""
        if m == n or (how != "same" and m == 1) or (how == "fit" and n == 1):
            return True
        if how == "same":
            return False
        shorter, longer = (_sources(e, self.common) for e in (m, n))
        return shorter <= longer or (how == "fit" and longer <= shorter)


def kept_extents(functions: Iterable[Function]) -> Kept:
    """What functions with inverses say of their results."""
    rules = ((f.name, f.custom) for f in functions)
    return {name: rule.changed for name, rule in rules if rule is not None and rule.changed}


def shapes_of(
    function: Function,
    prims: PrimitiveSet,
    equal: Known | None = None,
    checked: bool = False,
    kept: Kept = MappingProxyType({}),
) -> Shapes:
    """The extents of every array of `function`; `equal` is what is known of its parameters.

    `kept` says of the functions that it calls which parameters their results have the extents of.

    `checked`: they are those of a run that has not failed, so what is checked counts, too.
    """
    known = None if equal is None else frozenset(equal.items())
    key = "shapes", Itself(prims), known, checked, frozenset(kept.items())
    around = _Keeping(kept)
    said, plural = said_of(function)
    if equal is None:
        equal = said
    return function.once(key, lambda: shapes_among(function, prims, equal, around, checked, plural))


def said_of(function: Function) -> tuple[Known, frozenset[Extent]]:
    """What a function says of its parameters (`Function.alike`): what is known of them, and which
    extents are not 1."""
    first: dict[int, Extent] = {}
    known: dict[Axis | str, Extent] = {}
    for name, numbers in function.alike:
        for axis, number in enumerate(numbers):
            own = Axis(name, axis)
            known[own] = -number if number < 0 else first.setdefault(number, own)
    return known, frozenset(first.values())


@dataclass(frozen=True, slots=True)
class _Keeping:
    """Surroundings of which only `kept` is known."""

    kept: Kept

    def called(self, expr: Call | Jvp | Vjp, args: tuple[Extents, ...]) -> tuple[Extents, ...]:
        places = self.kept.get(expr.function, ()) if isinstance(expr, Call) else ()
        return tuple(args[k] for k in places)

    def pushed(self, expr: Prim, args: tuple[Extents, ...]) -> None:
        pass

    def popped(self, expr: Prim) -> tuple[Extents, ...]:
        return ()


def shapes_among(
    function: Function,
    prims: PrimitiveSet,
    equal: Known | None,
    around: Surroundings,
    checked: bool = False,
    plural: frozenset[Extent] = frozenset(),
) -> Shapes:
    """`shapes_of` with all that its surroundings know; `plural` are lengths that are not 1."""
    known: dict[Axis | str, Extent] = dict(equal.items()) if equal is not None else {}
    broken: set[tuple[str, int]] = set()
    rounds = 0
    while True:
        order = {p.name: k for k, p in enumerate(function.params)} if checked else {}
        walk = _Walk(prims, broken, rounds >= _MAX_ROUNDS, checked, order, around, plural)
        for param in function.params:
            own = walk.fresh(param)
            walk.arrays[param.name] = tuple(known.get(axis, axis) for axis in own)
            if param.name in known:
                walk.scalars[param.name] = known[param.name]
        walk.inside(function.body.stms, always=True)
        if not walk.more:
            return walk.found()
        broken |= walk.more
        rounds += 1


def known_in(function: Function, shapes: Shapes) -> Known:
    """What holds of the parameters of a function that has a part of another's body.

    Its parameters have the names that they have there; `shapes` are the other's.
    """
    known: dict[Axis | str, Extent] = {}
    names = {p.name for p in function.params}
    first: dict[Extent, Extent] = {}
    for param in function.params:
        if param.type == I64:
            extent = shapes.scalar(param)
            known[param.name] = first.setdefault(extent, param)
            if isinstance(extent, int):
                known[param.name] = first[extent] = extent
    for param in function.params:
        for k, extent in enumerate(shapes.arrays.get(param.name, ())):
            own = Axis(param.name, k)
            if isinstance(extent, int) or (isinstance(extent, Var) and extent.name in names):
                first.setdefault(extent, extent)
            known[own] = first.setdefault(extent, own)
    return known


def _sources(extent: Extent, common: Mapping[Axis, frozenset[Extent]]) -> frozenset[Extent]:
    """The lengths that an extent is the common one of."""
    found = common.get(extent) if isinstance(extent, Axis) else None
    return frozenset((extent,)) if found is None else found


def _scalar_extent(atom: Atom, scalars: Mapping[str, Extent]) -> Extent:
    if isinstance(atom, Lit):
        return int(atom.value)
    return scalars.get(atom.name, atom)


@quickly_made
@dataclass(slots=True)
class _Walk:
    prims: PrimitiveSet
    broken: set[tuple[str, int]]
    pessimistic: bool
    checked: bool
    order: Mapping[str, int]
    around: Surroundings
    plural: frozenset[Extent]
    arrays: dict[str, Extents] = field(default_factory=dict[str, "tuple[Extent, ...]"])
    scalars: dict[str, Extent] = field(default_factory=dict[str, "Extent"])
    more: set[tuple[str, int]] = field(default_factory=set["tuple[str, int]"])
    common: dict[Axis, frozenset[Extent]] = field(default_factory=dict[Axis, "frozenset[Extent]"])
    named: dict[frozenset[Extent], Axis] = field(default_factory=dict["frozenset[Extent]", Axis])
    compared: dict[str, tuple[Atom, Atom]] = field(default_factory=dict[str, "tuple[Atom, Atom]"])
    called: dict[Axis, Extent] = field(default_factory=dict[Axis, "Extent"])

    def fresh(self, var: Var) -> tuple[Axis, ...]:
        extents = tuple([Axis(var.name, k) for k in range(var.type.rank)])
        self.arrays[var.name] = extents
        return extents

    def of(self, atom: Atom) -> Extents:
        found = self.arrays.get(atom.name, ()) if isinstance(atom, Var) else ()
        return tuple(map(self.name, found)) if self.called else found

    def scalar(self, atom: Atom) -> Extent:
        """The extent that a scalar stands for."""
        return self.name(_scalar_extent(atom, self.scalars))

    def block(self, block: Block) -> None:
        self.inside(block.stms)

    def inside(self, stms: Sequence[Stm], always: bool = False) -> None:
        """What stands for an extent has to be bound where that is asked for: not in a block that
        has been left. `always`: it runs whenever the function does."""
        named = dict(self.named)
        made: set[str] = set()
        for stm in stms:
            self.stm(stm)
            if self.checked:
                made.update(v.name for v in stm.outs)
                if isinstance(stm.expr, Prim):
                    self.compare(stm.outs, stm.expr, made, always)
        self.named = named

    def compare(self, outs: Sequence[Var], expr: Prim, made: set[str], always: bool) -> None:
        """Notes a comparison, or what a check says of an array that this block has made.

        Its extent is called by the other one, if that is older than the block; that of a parameter
        by an earlier parameter's, if the check is `always` made.
        """
        if expr.op == "eq" and outs[0].type.is_scalar:
            self.compared[outs[0].name] = expr.args[0], expr.args[1]
        cond = expr.args[0] if expr.op == "check" else None
        if expr.op == "check_extents" and expr.param("how") == "same":
            pair = expr.args[0], expr.args[1]
        elif isinstance(cond, Var) and cond.name in self.compared:
            pair = self.compared[cond.name]
        else:
            return
        one, other = map(self.scalar, pair)
        for new, old in ((one, other), (other, one)):
            if isinstance(new, Axis) and self.older(new, old, made, always):
                self.called[new] = old
                return

    def older(self, new: Axis, old: Extent, made: set[str], always: bool) -> bool:
        """Whether an extent may be called by another one."""
        known = old.array if isinstance(old, Axis) else old.name if isinstance(old, Var) else ""
        if new.array in made:
            return known not in made
        before = isinstance(old, int) or self.order.get(known, len(self.order)) < self.order.get(
            new.array, -1
        )
        return always and new.array in self.order and before

    def name(self, extent: Extent) -> Extent:
        """An extent by the name that checks have given it."""
        while isinstance(extent, Axis) and extent in self.called:
            extent = self.called[extent]
        return extent

    def found(self) -> Shapes:
        """What was found, with extents by the names that checks have given them."""
        if not self.called:
            return Shapes(self.arrays, self.scalars, self.common, self.plural)

        name = self.name
        arrays = {array: tuple(map(name, extents)) for array, extents in self.arrays.items()}
        scalars = {scalar: name(extent) for scalar, extent in self.scalars.items()}
        return Shapes(arrays, scalars, self.common, self.plural)

    def stm(self, stm: Stm) -> None:
        match stm.expr:
            case Prim() as expr:
                self.prim(stm, expr)
            case If() as expr:
                self.block(expr.then)
                self.block(expr.orelse)
                pairs = zip(stm.outs, expr.then.results, expr.orelse.results, strict=True)
                for out, one, two in pairs:
                    self.join(out, self.of(one), self.of(two))
            case For() as expr:
                self.loop(stm, expr.carried, expr.inits, (), expr.body)
            case While() as expr:
                self.loop(stm, expr.carried, expr.inits, expr.cond.stms, expr.body)
            case Call() | Jvp() | Vjp() as expr:
                for out in stm.outs:
                    self.fresh(out)
                self.bind(stm.outs, self.around.called(expr, self.values(expr.args)))
            case _:
                unhandled(stm.expr)

    def values(self, atoms: Sequence[Atom]) -> tuple[Extents, ...]:
        """The extents of values (`Surroundings`)."""
        return tuple(
            self.of(a) if a.type.rank else (self.scalar(a),) if a.type == I64 else () for a in atoms
        )

    def bind(self, outs: Sequence[Var], values: Sequence[Extents]) -> None:
        """Notes what the surroundings know of the results of a call, or of what was on the tape."""
        own: dict[int, Extent] = {}
        for out, extents in zip(outs, values, strict=False):
            found: list[Extent] = []
            for k, extent in enumerate(extents):
                if isinstance(extent, Axis) and not extent.array:
                    new = Axis(out.name, k) if out.type.rank else out
                    extent = own.setdefault(extent.axis, new)
                found.append(extent)
            if out.type.rank and extents:
                self.arrays[out.name] = tuple(found)
            elif out.type == I64 and found[:1] != [out]:
                self.scalars.update((out.name, e) for e in found)

    def join(self, out: Var, one: Extents, two: Extents) -> None:
        own = self.fresh(out)
        if out.type.rank == len(one) == len(two):
            pairs = zip(own, one, two, strict=True)
            self.arrays[out.name] = tuple(a if a == b else o for o, a, b in pairs)

    def loop(
        self,
        stm: Stm,
        carried: tuple[Var, ...],
        inits: tuple[Atom, ...],
        head: tuple[Stm, ...],
        body: Block,
    ) -> None:
        for var, init in zip(carried, inits, strict=True):
            own = self.fresh(var)
            if var.type.rank and not self.pessimistic:
                pairs = enumerate(zip(own, self.of(init), strict=True))
                self.arrays[var.name] = tuple(
                    mine if (var.name, k) in self.broken else kept for k, (mine, kept) in pairs
                )
        self.inside(head)
        self.block(body)
        for out in stm.outs:
            self.fresh(out)
        for var, out, result in zip(carried, stm.outs, body.results, strict=False):
            extents = list(self.arrays[out.name])
            for k, (kept, got) in enumerate(zip(self.of(var), self.of(result), strict=True)):
                if (var.name, k) in self.broken or self.pessimistic:
                    continue
                if kept == got:
                    extents[k] = kept
                else:
                    self.more.add((var.name, k))
            self.arrays[out.name] = tuple(extents)

    def prim(self, stm: Stm, expr: Prim) -> None:
        arrays = False
        for out in stm.outs:
            if out.type.rank:
                self.fresh(out)
                arrays = True
        match expr.op:
            case "dim":
                axis = expr.param("axis")
                extents = self.of(expr.args[0])
                if isinstance(axis, int) and axis < len(extents):
                    self.scalars[stm.outs[0].name] = extents[axis]
            case "push":
                self.around.pushed(expr, self.values(expr.args))
            case "pop":
                self.bind(stm.outs, self.around.popped(expr))
            case "common_extent":
                own = Axis(stm.outs[0].name, 0)
                lengths = list(map(self.scalar, expr.args))
                self.scalars[stm.outs[0].name] = self.stretched(lengths, own)
            case _:
                pass
        if not arrays or len(stm.outs) != 1:
            return
        own = self.arrays[stm.outs[0].name]
        lengths = self.prims[expr.op].facts.shape(expr.args, expr.params)
        if lengths is not None:
            pairs = zip(lengths, own, strict=True)
            self.arrays[stm.outs[0].name] = tuple(self.length(expr, n, o) for n, o in pairs)

    def length(self, expr: Prim, length: Length, own: Extent) -> Extent:
        """An extent of the result, called `own` where nothing else is known."""
        if isinstance(length, Along):  # which most are
            extents = self.of(expr.args[length.operand])
            return extents[length.axis] if length.axis < len(extents) else own
        match length:
            case int():
                return length
            case Common(lengths):
                return self.stretched([self.length(expr, n, own) for n in lengths], own)
            case _:
                return self.scalar(length)

    def stretched(self, lengths: Sequence[Extent], own: Extent) -> Extent:
        """The length that all of these can be stretched to; `own` is a name for a new one."""
        longer = frozenset[Extent]().union(*(_sources(e, self.common) for e in lengths)) - {1}
        # Operands have been found to fit: what is not 1 is the length.
        numbers = [e for e in longer if isinstance(e, int)]
        numbers = numbers or [e for e in lengths if e in self.plural]
        if len(longer) <= 1 or numbers:
            return numbers[0] if numbers else next(iter(longer), 1)
        assert isinstance(own, Axis)
        self.common[own] = longer
        return self.named.setdefault(longer, own)
