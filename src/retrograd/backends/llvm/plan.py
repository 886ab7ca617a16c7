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
from typing import Any, TypeVar

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
    array that they are then.
    """

    last: dict[Var, int]
    lazy: frozenset[Var]
    alias: Mapping[Var, Var]
    same: Mapping[Var, Var]

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

    def plan(self, block: Block, points: Sequence[int] = ()) -> BlockPlan:
        """Plans one block (not the blocks inside it).

        `points` are statements that can be interrupted: what lives across one is an array of its
        own. So is what lives across the beginning of a rerun, so that what it reads does not.
        """
        end = len(block.stms)
        points = (*points, *_runs_begin(block))
        uses, eaten = self._uses(block)
        last = {var: positions[-1] for var, positions in uses.items()}
        fusion = _Fusion(block, self.prims, last)
        alias: dict[Var, Var] = {}
        same: dict[Var, Var] = {}
        # Backwards, so that the last use of a consumer is known before that of what it reads.
        for position in range(end - 1, -1, -1):
            expr, outs = block.stms[position].expr, block.stms[position].outs
            if not isinstance(expr, Prim) or len(outs) != 1 or outs[0].type.is_scalar:
                continue
            out = outs[0]
            if out not in last or out in eaten or any(position < q <= last[out] for q in points):
                continue
            reads = [a for a in expr.args if isinstance(a, Var) and not a.type.is_scalar]
            if any(eaten.get(a, end + 1) <= last[out] for a in reads):
                continue
            if self.prims[expr.op].facts.view and reads:
                alias[out] = reads[0]
            elif self.prims[expr.op].elementwise:
                if not fusion.take(out, expr, uses[out]):
                    continue
            elif expr.op == "sum_like" and last[out] < end and reads[:1] == [expr.args[0]]:
                same[out] = reads[0]
                reads = reads[:1]  # of the other one only extents are read
            else:
                continue
            for a in reads:
                last[a] = max(last.get(a, 0), last[out])
        return BlockPlan(last, frozenset(fusion.found), alias, same)

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
class _Fusion:
    """Which results of a block are evaluated where they are used, from the last one on.

    `last` is where variables are used for the last time: of one that is `found`, what evaluates it.
    `shared` are those that several use, or that such a one reads: of these `sizes` has how many
    each statement evaluates.
    """

    block: Block
    prims: PrimitiveSet
    last: Mapping[Var, int]
    found: set[Var] = field(default_factory=set[Var])
    shared: set[Var] = field(default_factory=set[Var])
    sizes: Counter[int] = field(default_factory=Counter[int])

    def take(self, out: Var, expr: Prim, uses: Sequence[int]) -> bool:
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
        return self.last[self.block.stms[user].outs[0]] if self.is_found(user) else user


def _fuses(user: Stm, prims: PrimitiveSet) -> bool:
    return isinstance(user.expr, Prim) and prims[user.expr.op].facts.fuses


def has_inner_work(block: Block) -> bool:
    """Whether a block holds loops or calls (so that its loop is not innermost)."""
    return any(
        isinstance(stm.expr, For | While | Call) or any(map(has_inner_work, blocks(stm.expr)))
        for stm in block.stms
    )
