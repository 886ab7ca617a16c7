"""Loops that add to neighbouring elements of an array keep those elements in scalars.

The reverse of a stencil adds to `x_bar[i]`, `x_bar[i+1]`, `x_bar[i+2]` in each iteration: every
addition reads what the iteration before has just stored, a chain through memory. Here an element is
read once, when the first addition to it is due, and stored once, after the last. In between it is a
carried scalar that moves on by one place an iteration:

    for i:  x[i] += a; x[i+1] += b; x[i+2] += c          (descending)
    for i, w1, w2:  e = x[i] + a; f = w1 + b; x[i+2] = w2 + c;  next w1 = e, w2 = f

Every element gets the same additions in the same order, so the bits are those of the loop as it
was. Machine code keeps such scalars in vectors (they are recurrences of fixed order).

It is done for a carried array where the body does nothing with it but add single elements, outside
branches and inner loops; where the indices along one axis are the loop index plus constants plus
what does not change in the loop; and where additions that differ in another index provably touch
different elements, since the difference is a constant. Anything else stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Expr,
    For,
    If,
    Prim,
    Program,
    Stm,
    Var,
    flit,
    ilit,
)
from retrograd.ir.traverse import blocks, free_vars, free_vars_expr, freshen_block, with_blocks
from retrograd.ir.types import F64
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.analysis.affine import Forms, evaluated, forms_of, linear
from retrograd.transforms.analysis.bounds import Linear

__all__ = ["keep_windows"]


def keep_windows(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Applies it to every loop of the program."""
    walk = _Walk(names, prims)
    functions = (replace(f, body=walk.block(f.body)) for f in program.functions)
    return Program(tuple(functions), program.entry)


@dataclass(frozen=True, slots=True)
class _Add:
    """One addition: what is added, the indices, and the offset along the axis that moves."""

    stm: Stm
    value: Atom
    index: tuple[Atom, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class _Line:
    """The additions along one line of an array, in the order of the body."""

    axis: int
    adds: tuple[_Add, ...]

    @property
    def low(self) -> int:
        return min(a.offset for a in self.adds)

    @property
    def high(self) -> int:
        return max(a.offset for a in self.adds)

    @property
    def span(self) -> int:
        """How many elements are kept from one iteration to the next."""
        return self.high - self.low

    def is_worth_it(self, most: int) -> bool:
        """Whether there is something to keep, and no more than so many elements."""
        return 0 < self.span <= most


@dataclass(frozen=True, slots=True)
class _Target:
    """A carried array at this position, and its lines."""

    position: int
    lines: tuple[_Line, ...]


@dataclass(slots=True)
class _Walk:
    names: NameSupply
    prims: PrimitiveSet

    def block(self, block: Block) -> Block:
        stms: list[Stm] = []
        for stm in block.stms:
            inner = tuple(map(self.block, blocks(stm.expr)))
            stm = replace(stm, expr=with_blocks(stm.expr, inner)) if inner else stm
            changed = self.loop(stm, stm.expr) if isinstance(stm.expr, For) else None
            stms += [stm] if changed is None else changed
        return Block(tuple(stms), block.results)

    def loop(self, stm: Stm, loop: For) -> list[Stm] | None:
        forms, most = forms_of(loop.body), self.prims.costs.window_elements
        targets: list[_Target] = []
        first = _first_users(loop.body)
        for position, var in enumerate(loop.carried):
            if loop.body.results[position] == var and not var.type.is_scalar:
                return None  # lent to the loop; as a result of the branch it would be copied
            lines = _lines(loop, position, forms, first)
            if lines is not None and any(line.is_worth_it(most) for line in lines):
                targets.append(_Target(position, lines))
        if not targets:
            return None
        b = Builder(self.names, self.prims.result_types, stm.prov)
        return _Rewrite(loop, targets, forms, b, most).run(stm)


def _lines(
    loop: For, position: int, forms: Forms, users: Mapping[Var, Stm]
) -> tuple[_Line, ...] | None:
    """The lines along which the body adds to an array, None if it does anything else with it."""
    adds = _additions(loop, position, users)
    if not adds or not loop.carried[position].type.is_float:
        return None
    rank = len(adds[0][1].args) - 2
    moving = {k for _, e in adds for k in range(rank) if _moves(e.args[2 + k], loop.index, forms)}
    if len(moving) != 1:
        return None
    (axis,) = moving
    found: dict[tuple[int, ...], list[_Add]] = {}
    first = [linear(a, forms) for a in adds[0][1].args[2:]]
    for stm, expr in adds:
        here = [linear(a, forms) for a in expr.args[2:]]
        apart = [a.plus(b, -1) for a, b in zip(here, first, strict=True)]
        if any(d.terms for d in apart) or here[axis].terms.get(loop.index.name) != 1:
            return None
        if any(not _outside(d, loop, forms) for d in here):
            return None
        rest = tuple(d.const for k, d in enumerate(apart) if k != axis)
        add = _Add(stm, expr.args[1], expr.args[2:], apart[axis].const)
        found.setdefault(rest, []).append(add)
    return tuple(_Line(axis, tuple(line)) for line in found.values())


def _first_users(body: Block) -> dict[Var, Stm]:
    """The first statement that mentions a variable, itself or inside of it."""
    found: dict[Var, Stm] = {}
    for stm in body.stms:
        for var in free_vars_expr(stm.expr):
            found.setdefault(var, stm)
    return found


def _additions(loop: For, position: int, users: Mapping[Var, Stm]) -> list[tuple[Stm, Prim]] | None:
    """The additions to a carried array, which must be all that the body does with it; `users` are
    the first ones of variables."""
    current = loop.carried[position]
    found: list[tuple[Stm, Prim]] = []
    while (stm := users.get(current)) is not None:
        match stm.expr:
            case Prim(op="add_at", args=(base, *rest)) if base == current and base not in rest:
                found.append((stm, stm.expr))
                current = stm.outs[0]
            case _:
                return None
    results = list(loop.body.results)
    if results[position] != current or results.count(current) != 1:
        return None
    # An older version is never mentioned again: the checker has seen to that.
    return found


def _moves(atom: Atom, index: Var, forms: Forms) -> bool:
    return index.name in linear(atom, forms).terms


def _outside(form: Linear, loop: For, forms: Forms) -> bool:
    """Whether a form is over the loop index and values from outside the loop only."""
    carried = {v.name for v in loop.carried}
    return not any(str(u) in forms or str(u) in carried for u in form.terms)


@dataclass(slots=True)
class _Kept:
    """A line with its carried scalars: the k-th is the element at distance k + 1 from the one that
    enters. `next` are what they become in an iteration."""

    line: _Line
    position: int
    scalars: tuple[Var, ...]
    next: tuple[Atom, ...] = ()


@dataclass(slots=True)
class _Rewrite:
    """One loop; `b` emits around it. `most` elements of a line are kept."""

    loop: For
    targets: Sequence[_Target]
    forms: Forms
    b: Builder
    most: int

    def run(self, stm: Stm) -> list[Stm]:
        loop, names = self.loop, self.b.names
        kept = [
            _Kept(line, t.position, tuple(names.var("w", F64) for _ in range(line.span)))
            for t in self.targets
            for line in t.lines
            if line.is_worth_it(self.most)
        ]
        body = self.body(kept)
        then = self.b.inner()
        last = then.sub(loop.trips, ilit(1))
        start, end = (last, ilit(0)) if loop.descending else (ilit(0), last)
        values = {v.name: v for v in free_vars(loop.body)}
        firsts: list[Atom] = []
        for k in kept:
            for distance in range(1, k.line.span + 1):
                place = self.places(then, k.line, distance, {**values, loop.index.name: start})
                init = loop.inits[k.position]
                firsts.append(then.prim("index", init, *place, checked=False, span=None))
        count = len(loop.carried)
        changed = replace(
            loop,
            carried=(*loop.carried, *(w for k in kept for w in k.scalars)),
            inits=(*loop.inits, *firsts),
            body=body,
        )
        types = [a.type for a in body.results]
        outs = list(then.bind(changed, types, "w"))
        extra = outs[count : count + len(firsts)]
        results: list[Atom] = [*outs[:count], *outs[count + len(firsts) :]]
        for k in kept:
            for distance in range(k.line.span):
                value = extra.pop(0)
                place = self.places(then, k.line, distance, {**values, loop.index.name: end})
                results[k.position] = then.prim(
                    "update", results[k.position], value, *place, checked=False, span=None
                )
        some = self.b.prim("lt", ilit(0), loop.trips)
        orelse = Block(self.nothing(), (*loop.inits, *(flit(0.0) for _ in range(loop.sums))))
        self.b.stms.append(Stm(stm.outs, If(some, then.block(results), orelse), stm.prov))
        return self.b.stms

    def places(
        self, b: Builder, line: _Line, distance: int, values: Mapping[str, Atom]
    ) -> list[Atom]:
        """The indices of the element at this distance behind the one that enters."""
        found: list[Atom] = []
        base = line.adds[0]
        offset = line.low + distance if self.loop.descending else line.high - distance
        for axis, atom in enumerate(base.index):
            form = linear(atom, self.forms)
            if axis == line.axis:
                form = form.shift(offset - base.offset)
            found.append(evaluated(b, form, values))
        return found

    def body(self, kept: Sequence[_Kept]) -> Block:
        """The body without those additions; the kept elements move on at its end."""
        loop = self.loop
        gone = {id(a.stm) for k in kept for a in k.line.adds}
        arrays: dict[Var, Var] = {}
        stms: list[Stm] = []
        for stm in loop.body.stms:
            if id(stm) in gone and isinstance(stm.expr, Prim):
                base = stm.expr.args[0]
                assert isinstance(base, Var)
                arrays[stm.outs[0]] = arrays.get(base, base)
            else:
                stms.append(replace(stm, expr=_renamed(stm.expr, arrays)))
        results = [arrays.get(a, a) if isinstance(a, Var) else a for a in loop.body.results]
        for k in kept:
            inner = self.b.inner()
            results[k.position] = self.moved(inner, k, results[k.position])
            stms += inner.stms
        count = len(loop.carried)
        nexts = [value for k in kept for value in k.next]
        return Block(tuple(stms), (*results[:count], *nexts, *results[count:]))

    def moved(self, b: Builder, kept: _Kept, array: Atom) -> Atom:
        """Reads the element that enters, adds to all, stores the one that leaves; the array."""
        line = kept.line
        values: dict[str, Atom] = {v.name: v for v in free_vars(self.loop.body)}
        values[self.loop.index.name] = self.loop.index
        enter = self.places(b, line, 0, values)
        entering = b.prim("index", array, *enter, checked=False, span=None)
        current: list[Atom] = []
        for distance, old in enumerate((entering, *kept.scalars)):
            offset = line.low + distance if self.loop.descending else line.high - distance
            total: Atom = old
            for add in line.adds:
                if add.offset == offset:
                    b.prov = add.stm.prov
                    total = b.add(total, add.value)
            current.append(total)
        kept.next = tuple(current[:-1])
        leave = self.places(b, line, line.span, values)
        return b.prim("update", array, current[-1], *leave, checked=False, span=None)

    def nothing(self) -> tuple[Stm, ...]:
        """What is left of the loop where it has no iteration: the empty block of its pops."""
        loop = self.loop
        if not loop.block:
            return ()
        taken = tuple(s for s in loop.body.stms if isinstance(s.expr, Prim) and s.expr.op == "pop")
        body = freshen_block(Block(taken, ()), self.b.names, {})
        index = self.b.names.var(loop.index.name, loop.index.type)
        empty = For(index, ilit(0), (), (), body, 0, loop.descending, True)
        return (Stm((), empty, self.b.prov),)


def _renamed(expr: Expr, arrays: dict[Var, Var]) -> Expr:
    """The expression with versions of arrays replaced; only other additions mention them."""
    if not isinstance(expr, Prim) or not arrays:
        return expr
    args = tuple(arrays.get(a, a) if isinstance(a, Var) else a for a in expr.args)
    return replace(expr, args=args)
