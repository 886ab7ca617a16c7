"""Lifetimes within a block: last uses, who owns which array, what is evaluated where it is used.

The rules (see docs/decisions/0002): every array has one owner. A statement that consumes an array
takes it over. An owned array is freed after its last use unless that use moves it. A `slice`,
`transpose`, `reshape` or `broadcast` is an alias of its base, and an elementwise result that one
statement alone uses, itself or by others that are evaluated inside of it, is evaluated there, once
for each element; both keep what they read alive until their own last use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

from retrograd.backends.llvm.element_runs import Run, element_runs
from retrograd.ir.formers import unhandled
from retrograd.ir.terms import (
    Block,
    Call,
    For,
    If,
    Jvp,
    Prim,
    Program,
    Stm,
    Var,
    Vjp,
    While,
)
from retrograd.ir.traverse import blocks, free_vars_expr
from retrograd.prims.core import PrimitiveSet
from retrograd.records import Itself
from retrograd.transforms.analysis.elements import arrays_of
from retrograd.transforms.analysis.shapes import Extents

__all__ = ["BlockPlan", "Planner", "consumed_params", "held_positions"]

T = TypeVar("T")


def held_positions(expr: Prim) -> tuple[int, ...]:
    """Of a push or pop: the arrays whose elements lie on the tape (`transforms.records`)."""
    held = dict(expr.params).get("held", ())
    return tuple(k for k in held if isinstance(k, int)) if isinstance(held, tuple) else ()


def consumed_params(program: Program, prims: PrimitiveSet) -> dict[str, frozenset[int]]:
    """Which array parameters each function takes over: a fixpoint over the call graph."""
    table: dict[str, frozenset[int]] = {f.name: frozenset() for f in program.functions}
    changed = True
    while changed:
        changed = False
        for function in program.functions:
            taken = Planner(prims, table).consumed_in(function.body)
            now = frozenset(k for k, p in enumerate(function.params) if p in taken)
            if now != table[function.name]:
                table[function.name] = now
                changed = True
    return table


@dataclass(frozen=True, slots=True)
class BlockPlan:
    """For each variable the position of its last use, and the statements evaluated where used.

    `alias` maps each alias to the array whose memory it reads, `same` those that may be one to the
    array that they are then, `joined` what one loop makes with others to the last of them.
    """

    last: dict[Var, int]
    lazy: frozenset[Var]
    alias: Mapping[Var, Var]
    same: Mapping[Var, Var]
    joined: Mapping[Var, Var] = field(default_factory=dict[Var, Var])

    def ends(self) -> Mapping[int, Sequence[Var]]:
        """The arrays that are used for the last time by each statement."""
        found: dict[int, list[Var]] = {}
        for var, position in self.last.items():
            if var.type.rank:
                found.setdefault(position, []).append(var)
        return found

    def handed(self, position: int, stm: Stm, owned: Iterable[Var]) -> frozenset[Var]:
        """The owned arrays that a branch takes over: they die there, no alias in it reads them."""
        lent: set[Var] = set()
        for var in free_vars_expr(stm.expr):
            lent.update((var,) if var in self.same else ())
            while var in self.alias or var in self.same:
                var = self.alias.get(var) or self.same[var]
                lent.add(var)
        return frozenset(v for v in owned if self.last.get(v) == position and v not in lent)


@dataclass(frozen=True, slots=True)
class Planner:
    """Plans the blocks of a program; `consumed` are the parameters that each function takes over.

    What is asked of a block depends on the blocks inside it. So that blocks inside of one another
    are not gone through again for each that is around them, what was found of a block is `known`,
    by what was asked and the block itself.
    """

    prims: PrimitiveSet
    consumed: Mapping[str, frozenset[int]]
    known: dict[tuple[object, ...], Any] = field(default_factory=dict[tuple[object, ...], Any])

    def _once(self, block: Block, key: object, find: Callable[[], T]) -> T:
        full = (Itself(block), key)
        if full not in self.known:
            self.known[full] = find()
        return self.known[full]

    def borrows(self, expr: For | While, k: int) -> bool:
        """Whether the loop only reads its k-th carried array: neither consumed nor changed."""
        var = expr.carried[k]
        if expr.body.results[k] != var:
            return False
        inner = [expr.body] if isinstance(expr, For) else [expr.cond, expr.body]
        return not any(var in self.consumed_in(b) for b in inner)

    def consumed_in(self, block: Block) -> frozenset[Var]:
        """The arrays that the statements of a block take over, its own among them."""
        return self._once(
            block, "consumed", lambda: frozenset[Var]().union(*map(self.consumed_by, block.stms))
        )

    def consumed_by(self, stm: Stm) -> set[Var]:
        """The arrays that a statement takes over."""
        expr = stm.expr
        match expr:
            case Prim():
                picked = [expr.args[k] for k in self.prims[expr.op].consumes]
                if expr.op == "push":
                    held = held_positions(expr)
                    picked = [a for k, a in enumerate(expr.args) if k not in held]
            case Call():
                picked = [expr.args[k] for k in self.consumed.get(expr.function, frozenset())]
            case For() | While():
                picked = [
                    init
                    for k, init in enumerate(expr.inits)
                    if not init.type.is_scalar and not self.borrows(expr, k)
                ]
            case If():
                picked = [
                    *self.consumed_in(expr.then),
                    *self.consumed_in(expr.orelse),
                ]
            case Jvp() | Vjp():
                picked = []
            case _:
                unhandled(expr)
        return {a for a in picked if isinstance(a, Var) and not a.type.is_scalar}

    def _uses(self, block: Block) -> tuple[dict[Var, list[int]], dict[Var, int]]:
        """Where variables are used (results count as one more statement), and where taken over."""
        uses: dict[Var, list[int]] = {}
        eaten: dict[Var, int] = {}
        for position, stm in enumerate(block.stms):
            for var in free_vars_expr(stm.expr):
                uses.setdefault(var, []).append(position)
            if isinstance(stm.expr, Prim):
                for arg in stm.expr.args:
                    if isinstance(arg, Var) and stm.expr.args.count(arg) > 1:
                        uses[arg].append(position)
            for var in self.consumed_by(stm):
                eaten[var] = position
        for atom in block.results:
            if isinstance(atom, Var):
                uses.setdefault(atom, []).append(len(block.stms))
        return uses, eaten

    def plan(
        self, block: Block, points: Sequence[int] = (),
        extents: Mapping[str, Extents] = MappingProxyType({}),
    ) -> BlockPlan:  # fmt: skip
        """Plans one block (not the blocks inside it).

        `points` are statements that can be interrupted: what lives across one is an array of its
        own. So is what lives across the beginning of a rerun, so that what it reads does not.
        `extents` are those of arrays by name: loops over the same elements are one where these are
        known, which changes nothing of what lives across statements with blocks in them.
        """
        points = (*points, *_runs_begin(block))
        uses, eaten = self._uses(block)
        last = {var: positions[-1] for var, positions in uses.items()}
        runs = element_runs(block, self.prims, extents, last, points)
        while True:
            fusion = _Fusion(block, self.prims, dict(last), runs)
            reading = _Reading(block, points, uses, eaten, fusion)
            reading.walk()
            stretched = fusion.stretched()
            if not stretched:
                break
            runs = {k: run for k, run in runs.items() if run.number not in stretched}
        found, joined = frozenset(fusion.found), fusion.joined()
        return BlockPlan(fusion.last, found, reading.alias, reading.same, joined)

    def root_of(self, block: Block, var: Var) -> Var | None:
        """The variable from outside the block's statements whose buffer `var` is, None if fresh."""
        return self._once(block, var, lambda: self._root_of(block, var))

    def _root_of(self, block: Block, var: Var) -> Var | None:
        made = self._once(block, "made", lambda: _made(block))
        while var in made:
            position = made[var]
            stm = block.stms[position]
            expr = stm.expr
            k = stm.outs.index(var)
            match expr:
                case Prim() if self.prims[expr.op].consumes == (0,):
                    source = expr.args[0]
                case For() | While() if k < len(expr.carried):
                    result = expr.body.results[k]
                    if not isinstance(result, Var) or self.borrows(expr, k):
                        return None
                    if self.root_of(expr.body, result) != expr.carried[k]:
                        return None
                    source = expr.inits[k]
                case If():
                    pair = (expr.then.results[k], expr.orelse.results[k])
                    if not all(isinstance(a, Var) for a in pair):
                        return None
                    roots = {
                        self.root_of(b, a)
                        for b, a in zip((expr.then, expr.orelse), pair, strict=True)
                        if isinstance(a, Var)
                    }
                    source = roots.pop()
                    if source is None or roots:
                        return None
                    plan = self._once(block, "plan", lambda: self.plan(block))
                    if source not in plan.handed(position, stm, [source]):
                        return None
                case Prim() | For() | While() | Call() | Jvp() | Vjp():
                    return None
                case _:
                    unhandled(expr)
            if not isinstance(source, Var):
                return None
            var = source
        return var

    def shapes_alone(self, block: Block) -> frozenset[Var]:
        """Arrays that are made for their extents: nothing reads or writes an element."""
        found = {
            stm.outs[0]
            for stm in block.stms
            if isinstance(stm.expr, Prim) and stm.expr.op == "empty"
        }
        for stm in block.stms if found else ():
            expr = stm.expr
            if isinstance(expr, Prim):
                shapes = self.prims[expr.op].facts.shape_only
                read = [a for k, a in enumerate(expr.args) if k not in shapes]
            else:
                read = list(free_vars_expr(expr))
            found.difference_update(a for a in read if isinstance(a, Var))
        return frozenset(found.difference(a for a in block.results if isinstance(a, Var)))


def _made(block: Block) -> dict[Var, int]:
    """By which statement of a block each of its variables is made."""
    return {out: position for position, stm in enumerate(block.stms) for out in stm.outs}


def _runs_begin(block: Block) -> Iterator[int]:
    """Where executions begin to be run again (`Prov.rerun`)."""
    now = ""
    for position, stm in enumerate(block.stms):
        if stm.prov.rerun not in ("", now):
            now = stm.prov.rerun
            yield position


@dataclass(frozen=True, slots=True)
class _Reading:
    """Which results of a block are no arrays of their own: what they read is read later."""

    block: Block
    points: Sequence[int]
    uses: Mapping[Var, Sequence[int]]
    eaten: Mapping[Var, int]
    fusion: _Fusion
    alias: dict[Var, Var] = field(default_factory=dict[Var, Var])
    same: dict[Var, Var] = field(default_factory=dict[Var, Var])

    def walk(self) -> None:
        """Backwards, so that the last use of a consumer is known before that of what it reads."""
        stms, fusion = self.block.stms, self.fusion
        for position in range(len(stms) - 1, -1, -1):
            expr, outs = stms[position].expr, stms[position].outs
            if not isinstance(expr, Prim) or len(outs) != 1:
                continue
            reads, until = self.later(position, expr, outs[0]), fusion.last.get(outs[0], 0)
            if reads is None and position in fusion.runs:
                reads, until = arrays_of(expr), fusion.root(position)
            for a in reads or ():
                fusion.last[a] = max(fusion.last.get(a, 0), until)

    def later(self, position: int, expr: Prim, out: Var) -> list[Var] | None:
        """The arrays that are read where a result is, None if it is an array (or a number)."""
        last, end, primitive = self.fusion.last, len(self.block.stms), self.fusion.prims[expr.op]
        if out.type.is_scalar or out not in last or out in self.eaten:
            return None
        reads, until = arrays_of(expr), last[out]
        if any(position < q <= until for q in self.points):
            return None
        if any(self.eaten.get(a, end + 1) <= until for a in reads):
            return None
        if primitive.facts.view and reads:
            self.alias[out] = reads[0]
            return reads
        if primitive.elementwise:
            return reads if self.fusion.take(position, out, expr, self.uses[out]) else None
        if expr.op == "sum_like" and until < end and reads[:1] == [expr.args[0]]:
            self.same[out] = reads[0]
            return reads[:1]  # of the other one only extents are read
        return None


@dataclass(frozen=True, slots=True)
class _Fusion:
    """Which results of a block are evaluated where they are used, from the last one on.

    `last` is where variables are used for the last time: of one that is `found`, what evaluates it.
    `runs` are statements of which the last one evaluates all; `ends` has them from that one on, by
    number, `fed` what a statement evaluates besides. `shared` are those that several use, or that
    such a one reads: of these `sizes` has how many each statement evaluates.
    """

    block: Block
    prims: PrimitiveSet
    last: dict[Var, int]
    runs: Mapping[int, Run]
    ends: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    fed: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    found: set[Var] = field(default_factory=set[Var])
    shared: set[Var] = field(default_factory=set[Var])
    sizes: Counter[int] = field(default_factory=Counter[int])

    def take(self, position: int, out: Var, expr: Prim, uses: Sequence[int]) -> bool:
        """Adds a result of which one statement evaluates all that its users need; whether it does.

        One that uses it twice, as in `t * t`, evaluates it once. What takes long has a loop of its
        own there: iterations of loops with several such are not done side by side, and what is
        stretched would be evaluated again and again.
        """
        users = set(uses)
        if not all(self.fuses(user) for user in users):
            return False
        if len({self.evaluated(user) for user in users}) > 1:
            return False
        made = [self.block.stms[user].outs[0] for user in users if self.is_found(user)]
        shared = len(users) > 1 or not self.shared.isdisjoint(made)
        if shared:
            place, costs = self.evaluated(uses[0]), self.prims.costs
            if self.sizes[place] >= costs.fused_statements:
                return False
            if self.prims[expr.op].cost >= costs.row_cost:
                return False
            self.sizes[place] += 1
            self.shared.add(out)
        self.found.add(out)
        self.fed.setdefault(self.evaluated(uses[0]), []).append(position)
        return True

    def fuses(self, user: int) -> bool:
        """Whether a statement evaluates its operands element by element."""
        stms = self.block.stms
        return user < len(stms) and _fuses(stms[user], self.prims)

    def is_found(self, user: int) -> bool:
        """Whether a statement is evaluated by another one."""
        return not self.found.isdisjoint(self.block.stms[user].outs)

    def evaluated(self, user: int) -> int:
        """The statement that evaluates what another one uses."""
        if self.is_found(user):
            return self.last[self.block.stms[user].outs[0]]
        return self.ends[self.runs[user].number][0] if user in self.runs else user

    def root(self, position: int) -> int:
        """Notes a statement of a run that has a loop; the one that evaluates it."""
        run = self.ends.setdefault(self.runs[position].number, [])
        run.append(position)
        return run[0]

    def stretched(self) -> frozenset[int]:
        """Runs that would evaluate something of other extents: each has a loop of its own then."""
        found: set[int] = set()
        for number, (end, *others) in self.ends.items():
            size = self.runs[end].size
            fed = [self.runs.get(k) for k in self.fed.get(end, ())]
            if others and any(run is None or run.size != size for run in fed):
                found.add(number)
        return frozenset(found)

    def joined(self) -> dict[Var, Var]:
        """What is evaluated with others, to the last of them."""
        runs = [[self.block.stms[k].outs[0] for k in run] for run in self.ends.values()]
        return {out: run[0] for run in runs if len(run) > 1 for out in run}


def _fuses(user: Stm, prims: PrimitiveSet) -> bool:
    return isinstance(user.expr, Prim) and prims[user.expr.op].facts.fuses


def has_inner_work(block: Block) -> bool:
    """Whether a block holds loops or calls (so that its loop is not innermost)."""
    return any(
        isinstance(stm.expr, For | While | Call) or any(map(has_inner_work, blocks(stm.expr)))
        for stm in block.stms
    )
