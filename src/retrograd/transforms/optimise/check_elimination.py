"""Range analysis of i64 scalars: drops checks that provably hold.

Checked arithmetic becomes wrapping arithmetic, checked accesses become unchecked, `wrap` and
`check_index` go, and a remainder of what is near the divisor, as on a torus, becomes a `wrap`.
Facts come from loop indices, extents, conditions, checks that have passed, and carried values that
only move by constants. Everything here is about exact integers: a wrapping operation has a known
value only where it is proved not to wrap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from retrograd.ir.formers import unhandled
from retrograd.ir.names import NameSupply
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
    Program,
    Stm,
    Var,
    Vjp,
    While,
    true,
)  # fmt: skip
from retrograd.ir.traverse import map_atoms
from retrograd.ir.types import BOOL, I64
from retrograd.prims.core import PrimitiveSet
from retrograd.records import Itself, quickly_made
from retrograd.transforms.analysis.bounds import I64_MAX, I64_MIN, OPPOSITE, Facts, Linear, constant
from retrograd.transforms.analysis.induction import Step, carried_steps
from retrograd.transforms.analysis.interval_rules import BOUNDED
from retrograd.transforms.analysis.shape_equality import agreed_shapes
from retrograd.transforms.analysis.shapes import Axis, Extent, Shapes
from retrograd.transforms.analysis.trip_counts import as_floats, ends_of, settle
from retrograd.transforms.passes import per_function, unless_settled

__all__ = ["drop_checks"]


def drop_checks(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Drops the checks that are proved in every function."""
    shapes = agreed_shapes(program, prims)

    def dropped(function: Function) -> Function:
        known = shapes[function.name]
        return unless_settled(
            function, names, ("dropped", Itself(known)),
            lambda f: f.with_body(_Walk(known, names).block(f.body)),
        )  # fmt: skip

    return per_function(program, dropped)


Wraps = tuple[tuple[Linear, Var], ...]


@quickly_made
@dataclass(slots=True)
class _Walk:
    """`linear` has the value of each i64 scalar; `inexact` the additions that may have wrapped.

    `either` are disjunctions that hold, of which neither side is decided yet, `wraps` indices from
    the end that are there. `ahead` are new statements before the one that is being looked at.
    """

    shapes: Shapes
    names: NameSupply
    facts: Facts = field(default_factory=Facts)
    linear: dict[str, Linear] = field(default_factory=dict[str, Linear])
    made: dict[str, Prim] = field(default_factory=dict[str, Prim])
    values: dict[str, Atom] = field(default_factory=dict[str, Atom])
    inexact: set[str] = field(default_factory=set[str])
    refuted: set[str] = field(default_factory=set[str])
    either: list[Prim] = field(default_factory=list[Prim])
    wraps: dict[Atom, Wraps] = field(default_factory=dict[Atom, Wraps])
    ahead: list[Stm] = field(default_factory=list[Stm])

    # Values.

    def swap(self, atom: Atom) -> Atom:
        return self.values.get(atom.name, atom) if isinstance(atom, Var) else atom

    def of(self, atom: Atom) -> Linear:
        """The value of an i64 atom."""
        if isinstance(atom, Lit):
            return constant(int(atom.value))
        found = self.linear.get(atom.name)
        if found is None:
            found = self.linear[atom.name] = self.facts.unknown(atom.name)
        return found

    def length(self, extent: Extent) -> Linear:
        match extent:
            case int():
                return constant(extent)
            case Var():
                return self.of(self.swap(extent))
            case Axis():
                return self.facts.unknown(extent)

    def fits(self, value: Linear) -> bool:
        holds = self.facts.holds
        return holds(value.shift(-I64_MIN)) and holds(value.times(-1).shift(I64_MAX))

    def inside(self, atom: Atom, extent: Linear) -> bool:
        """Whether 0 <= atom < extent is proved."""
        place = self.of(atom)
        if self.facts.holds(place) and self.facts.below(place, extent):
            return True
        source = self.made.get(atom.name) if isinstance(atom, Var) else None
        if source is None or source.op != "mod":
            return False
        # More may be known about the divisor here than where the remainder was taken.
        BOUNDED["mod"](self.facts, place, [self.of(a) for a in source.args])
        return self.facts.holds(place) and self.facts.below(place, extent)

    def forget(self, variables: tuple[Var, ...]) -> None:
        """What an earlier walk over the same loop had found out."""
        for var in variables:
            self.values.pop(var.name, None)
            self.linear.pop(var.name, None)
            self.inexact.discard(var.name)

    # Blocks.

    def block(self, block: Block, before: Callable[[], None] | None = None) -> Block:
        mark, either, wraps = self.facts.mark(), len(self.either), self.wraps.copy()
        if before is not None:
            before()
        out: list[Stm] = []
        for stm in block.stms:
            new = self.stm(stm)
            out += [replace(s, prov=stm.prov) for s in self.ahead]
            self.ahead.clear()
            if new is not None:
                out.append(new)
        self.facts.release(mark)
        self.wraps = wraps
        del self.either[either:]
        return block.changed(tuple(out), tuple(map(self.swap, block.results)))

    def stm(self, stm: Stm) -> Stm | None:
        """The statement that is left, None where nothing is."""
        self.forget(stm.outs)
        expr = map_atoms(stm.expr, self.swap)
        match expr:
            case Prim():
                new = self.prim(stm, expr)
                if new is None or isinstance(new, Prim):
                    return None if new is None else stm.with_expr(new)
                self.values[stm.outs[0].name] = new
                return None
            case If():
                return stm.with_expr(self.branches(stm, expr))
            case For():
                return stm.with_expr(self.counted(stm, expr))
            case While():
                return stm.with_expr(self.conditional(stm, expr))
            case Call() | Jvp() | Vjp():
                return stm.with_expr(expr)
            case _:
                unhandled(expr)

    def branches(self, stm: Stm, expr: If) -> If:
        then = self.block(expr.then, lambda: self.taken(expr.cond, truth=True))
        orelse = self.block(expr.orelse, lambda: self.taken(expr.cond, truth=False))
        for out, one, two in zip(stm.outs, then.results, orelse.results, strict=True):
            if out.type == I64:
                self.join(out, self.of(one), self.of(two))
        return expr if then is expr.then and orelse is expr.orelse else If(expr.cond, then, orelse)

    def join(self, out: Var, one: Linear, two: Linear) -> None:
        if one == two:
            self.linear[out.name] = one
            return
        value, facts = self.of(out), self.facts
        low = min(facts.least(one), facts.least(two))
        high = max(facts.greatest(one), facts.greatest(two))
        if low > I64_MIN:
            facts.assume(value.shift(-low))
        if high < I64_MAX:
            facts.assume(value.times(-1).shift(high))
        for a, b in ((one, two), (two, one)):
            if a.terms and facts.holds(a.plus(b, -1)):
                self.facts.assume_at_most(value, a)
            if a.terms and facts.holds(b.plus(a, -1)):
                self.facts.assume_at_most(a, value)

    # Conditions.

    def assume(self, cond: Atom, *, truth: bool) -> None:
        """Learns what follows from a condition."""
        source = self.made.get(cond.name) if isinstance(cond, Var) else None
        if source is None:
            return
        match source.op:
            case "not_":
                self.assume(source.args[0], truth=not truth)
            case "and_" if truth:
                for arg in source.args:
                    self.assume(arg, truth=True)
            case "or_" if not truth:
                for arg in source.args:
                    self.assume(arg, truth=False)
            case "or_" if not self.one_of(source):
                self.either.append(source)
            case op if op in OPPOSITE and source.args[0].type == I64:
                self.facts.assume_compared(
                    op if truth else OPPOSITE[op], *map(self.of, source.args)
                )
            case _:
                pass

    def taken(self, cond: Atom, *, truth: bool) -> None:
        """Learns what holds in a branch."""
        self.assume(cond, truth=truth)
        self.narrow()

    def narrow(self) -> None:
        """Looks again at the disjunctions, after something new is known."""
        for either in tuple(self.either):
            self.one_of(either)

    def one_of(self, either: Prim) -> bool:
        """Learns what a disjunction says where one of its sides is disproved."""
        for one, other in (either.args, either.args[::-1]):
            if self.decided(one) is False:
                self.assume(other, truth=True)
                return True
        return False

    def decided(self, cond: Atom) -> bool | None:
        """The outcome of a comparison, which may have been made elsewhere, if it is proved here."""
        source = self.made.get(cond.name) if isinstance(cond, Var) else None
        if source is None or source.op not in OPPOSITE or source.args[0].type != I64:
            return None
        return self.facts.decided(source.op, *map(self.of, source.args))

    # Primitives.

    def prim(self, stm: Stm, expr: Prim) -> Prim | Atom | None:
        """What is left of a primitive: itself or an unchecked one, a value, or nothing."""
        if len(stm.outs) == 1:
            self.made[stm.outs[0].name] = expr
        match expr.op:
            case "dim" | "common_extent":
                self.linear[stm.outs[0].name] = self.length(self.shapes.scalars[stm.outs[0].name])
            case "index" | "update":
                return self.access(expr, expr.args[1 if expr.op == "index" else 2 :])
            case "check_index":
                extent = self.of(expr.args[1])
                if self.inside(expr.args[0], extent):
                    return None
                self.facts.assume_inside(self.of(expr.args[0]), extent)
            case "check_extents":
                return self.extents(expr)
            case "check":
                holds = expr.args[0] == true or self.decided(expr.args[0]) is True
                self.assume(expr.args[0], truth=True)
                return None if holds else expr
            case op if op in OPPOSITE and expr.args[0].type == I64:
                decided = self.facts.decided(op, *map(self.of, expr.args))
                return expr if decided is None else Lit(decided, BOOL)
            case op if op.startswith("mixed_"):
                exact = as_floats(expr, self.of(expr.args[0]), self.facts, self.names)
                self.ahead += exact[:1] if exact else ()
                return exact[1] if exact else expr
            case _:
                if len(stm.outs) == 1 and stm.outs[0].type == I64:
                    return self.integer(stm.outs[0], expr)
        return expr

    def extents(self, expr: Prim) -> Prim | None:
        """What is left of a check that one extent can be stretched to another."""
        how, (m, n) = expr.param("how"), map(self.of, expr.args)
        one, equal = constant(1), self.facts.equal
        if equal(m, n) or (how != "same" and equal(m, one)) or (how == "fit" and equal(n, one)):
            return None
        lengths = map(self.shapes.scalar, expr.args)
        same = self.shapes.equates(str(how), *lengths)
        if same or (how == "stretch" and self.facts.below(one, m)):
            self.facts.assume_compared("eq", m, n)
        return expr

    def access(self, expr: Prim, places: tuple[Atom, ...]) -> Prim:
        array = expr.args[0]
        extents = self.shapes.arrays.get(array.name, ()) if isinstance(array, Var) else ()
        if len(extents) != len(places):
            return expr
        pairs = [(i, self.length(n)) for i, n in zip(places, extents, strict=True)]
        if ("checked", True) in expr.params and all(self.inside(*p) for p in pairs):
            params = tuple((k, False if k == "checked" else v) for k, v in expr.params)
            return replace(expr, params=params)
        for place, extent in pairs:
            self.facts.assume_inside(self.of(place), extent)
        return expr

    def integer(self, out: Var, expr: Prim) -> Prim | Atom:
        match expr.op:
            case "add" | "sub" | "iadd" | "isub" | "mul" | "imul" | "neg" | "ineg":
                return self.arithmetic(out, expr)
            case "wrap":
                return self.wrapped(out, expr)
            case "mod" if (near := self.near(expr)) is not None:
                return self.wrapped(out, near)
            case "range_len":
                return self.range_len(out, expr)
            case "imin" | "imax" if (known := self.extreme(expr)) is not None:
                self.linear[out.name] = self.of(known)
                return known
            case _:
                rule = BOUNDED.get(expr.op)
                if rule is not None and all(a.type == I64 for a in expr.args):
                    rule(self.facts, self.of(out), [self.of(a) for a in expr.args])
                elif expr.op == "convert" and not expr.args[0].type.is_float:
                    self.facts.assume(self.of(out))
                    self.facts.assume(self.of(out).times(-1).shift(1))
                return expr

    def range_len(self, out: Var, expr: Prim) -> Prim | Atom:
        """Arithmetic, where it is proved not to overflow."""
        ends = ends_of(expr)
        room = None if ends is None else ends.room(self.of)
        if ends and room and self.fits(room) and self.fits(room.shift(ends.size - 1)):
            before, last = ends.counted(self.names)
            for stm in before:
                assert isinstance(stm.expr, Prim)
                self.prim(stm, stm.expr)
            self.ahead += before
            return self.integer(out, last)
        self.facts.assume(self.of(out))
        return expr

    def near(self, expr: Prim) -> Prim | None:
        """A remainder that takes no division: where the divisor is added or subtracted once."""
        place, extent = map(self.of, expr.args)
        if self.facts.below(place, extent) and self.facts.holds(place.plus(extent)):
            return Prim("wrap", expr.args)
        if not self.facts.holds(place) or not self.facts.below(place, extent.times(2)):
            return None
        less = self.names.var("less", I64)
        self.ahead.append(Stm((less,), Prim("sub", expr.args)))
        self.linear[less.name] = place.plus(extent, -1)
        return Prim("wrap", (less, expr.args[1]))

    def extreme(self, expr: Prim) -> Atom | None:
        """The operand that is the result, where that is proved."""
        one, two = expr.args
        low, high = (one, two) if expr.op == "imin" else (two, one)
        if self.facts.holds(self.of(two).plus(self.of(one), -1)):
            return low
        return high if self.facts.holds(self.of(one).plus(self.of(two), -1)) else None

    def arithmetic(self, out: Var, expr: Prim) -> Prim:
        operands = [self.of(a) for a in expr.args]
        plain = expr.op.removeprefix("i")
        if plain == "mul":
            value = operands[0].product(operands[1])
        elif plain == "neg":
            value = operands[0].times(-1)
        else:
            value = operands[0].plus(operands[1], 1 if plain == "add" else -1)
        if value is None:
            return self.any_product(out, expr, operands)
        proved = self.fits(value)
        if value.small and (proved or plain != expr.op):
            self.linear[out.name] = value  # a checked operation has the exact value or raises
        if not proved:
            self.inexact.add(out.name)
            if plain != expr.op:  # it has not raised
                self.facts.assume(value.shift(-I64_MIN))
                self.facts.assume(value.times(-1).shift(I64_MAX))
        return Prim(plain, expr.args) if proved and plain != expr.op else expr

    def any_product(self, out: Var, expr: Prim, operands: list[Linear]) -> Prim:
        """A product of two unknowns: only its numeric range."""
        ranges = [(self.facts.least(x), self.facts.greatest(x)) for x in operands]
        corners = [a * b for a in ranges[0] for b in ranges[1]]
        fits = min(corners) >= I64_MIN and max(corners) <= I64_MAX
        if not fits and expr.op == "mul":
            return expr
        value = self.of(out)
        self.facts.assume(value.shift(-max(min(corners), I64_MIN)))
        self.facts.assume(value.times(-1).shift(min(max(corners), I64_MAX)))
        return Prim("mul", expr.args) if fits else expr

    def wrapped(self, out: Var, expr: Prim) -> Prim | Atom:
        place, extent = map(self.of, expr.args)
        if self.facts.holds(place):
            self.linear[out.name] = place
            return expr.args[0]
        if self.facts.holds(place.times(-1).shift(-1)) and self.fits(place.plus(extent)):
            self.linear[out.name] = place.plus(extent)
            source = self.made.get(expr.args[0].name) if isinstance(expr.args[0], Var) else None
            if source is not None and source.op == "sub" and source.args[1] == expr.args[1]:
                return source.args[0]
            return Prim("add", (expr.args[1], expr.args[0]))
        again = self.wraps.get(expr.args[0], ())
        if known := [var for n, var in again if self.facts.equal(n, extent)]:
            return known[0]
        self.wraps[expr.args[0]] = (*again, (extent, out))
        value = self.of(out)
        if self.facts.holds(place.plus(extent)):
            self.facts.assume(value)
        if self.facts.below(place, extent):
            self.facts.assume_below(value, extent)
        return expr

    # Loops.

    def counted(self, stm: Stm, expr: For) -> For:
        self.forget(expr.carried)
        trips = self.of(expr.trips)
        steps = carried_steps(expr.carried, expr.body)
        inits = {v.name: i for v, i in zip(expr.carried, expr.inits, strict=True)}
        good = {
            name: step
            for name, step in steps.items()
            if not step.wrapping or self.cannot_wrap(self.of(inits[name]), step, trips)
        }

        def before() -> None:
            index = self.facts.unknown(expr.index.name)
            self.linear[expr.index.name] = index
            self.facts.assume(trips.shift(-1))
            self.facts.assume(index)
            self.facts.assume_below(index, trips)
            settle(trips, self.made, self.facts, self.of)
            self.narrow()
            done = trips.plus(index, -1).shift(-1) if expr.descending else index
            for var in expr.carried:
                if var.name in good:
                    self.moved(var, self.of(inits[var.name]), good[var.name], done)

        body = self.block(expr.body, before)
        for var, out in zip(expr.carried, stm.outs, strict=False):
            if var.name in good and self.facts.holds(trips):
                self.moved(out, self.of(inits[var.name]), good[var.name], trips)
        return expr if body is expr.body else replace(expr, body=body)

    def cannot_wrap(self, init: Linear, step: Step, trips: Linear) -> bool:
        last = (init.plus(trips, min(step.low, 0)), init.plus(trips, max(step.high, 0)))
        holds = self.facts.holds
        return holds(last[0].shift(-I64_MIN)) and holds(last[1].times(-1).shift(I64_MAX))

    def moved(self, var: Var, init: Linear, step: Step, times: Linear) -> None:
        """A carried value after `times` iterations."""
        if step.exact and init.plus(times, step.low).small:
            self.linear[var.name] = init.plus(times, step.low)
            return
        value = self.of(var)
        self.facts.assume_at_most(init.plus(times, step.low), value)
        self.facts.assume_at_most(value, init.plus(times, step.high))

    def conditional(self, stm: Stm, expr: While) -> While:
        self.forget((*stm.outs, *expr.carried))
        steps = carried_steps(expr.carried, expr.body)
        guesses = {name: step for name, step in steps.items() if name not in self.refuted}

        def bounds() -> None:
            for var, init in zip(expr.carried, expr.inits, strict=True):
                if var.name in guesses:
                    self.one_way(var, self.of(init), guesses[var.name])

        def hold() -> None:
            bounds()
            wraps = self.wraps.copy()
            for inner in cond.stms:
                self.stm(inner)
            self.ahead.clear()  # the condition stays as it is
            self.wraps = wraps  # and its variables are not the body's
            self.assume(cond.results[0], truth=True)

        cond = self.block(expr.cond, bounds)
        body = self.block(expr.body, hold)
        wrong = {n for n, step in guesses.items() if not step.wrapping.isdisjoint(self.inexact)}
        if wrong:  # the induction did not go through: once more without these guesses
            self.refuted |= wrong
            return self.conditional(stm, expr)
        for var, out, init in zip(expr.carried, stm.outs, expr.inits, strict=True):
            if var.name in guesses:
                self.one_way(out, self.of(init), guesses[var.name])
        same = cond is expr.cond and body is expr.body
        return expr if same else replace(expr, cond=cond, body=body)

    def one_way(self, var: Var, init: Linear, step: Step) -> None:
        if step.low >= 0:
            self.facts.assume_at_most(init, self.of(var))
        if step.high <= 0:
            self.facts.assume_at_most(self.of(var), init)
