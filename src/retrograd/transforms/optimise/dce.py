"""Dead-code elimination: mark what results and effects need, then drop the rest.

Marking is per variable, so carried values of loops, sums and results of branches go one by one. A
carried value that only feeds itself is dead. Loops are taken to end: one that nothing needs goes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from typing import TypeVar

from retrograd.ir.formers import unhandled
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    Expr,
    For,
    Function,
    If,
    Jvp,
    Prim,
    Program,
    Stm,
    Var,
    Vjp,
    While,
)
from retrograd.ir.traverse import atoms, blocks
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.records import Itself, quickly_made
from retrograd.transforms.analysis.effects import (
    callees,
    effectful,
    may_act,
    prim_effect,
    reachable,
)

__all__ = ["eliminate_dead_code", "eliminate_in_function"]

T = TypeVar("T")


def eliminate_dead_code(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Drops unreachable functions, then dead code in the others."""
    program = _reachable(program)
    effects = effectful(program, prims)
    functions = tuple(eliminate_in_function(f, prims, effects) for f in program.functions)
    if all(map(is_, functions, program.functions)):
        return program
    return _reachable(Program(functions, program.entry))


def _reachable(program: Program) -> Program:
    kept = reachable(program)
    return Program(tuple(f for f in program.functions if f.name in kept), program.entry)


def eliminate_in_function(
    function: Function, prims: PrimitiveSet, effects: Collection[str]
) -> Function:
    """Drops dead code; `effects` names the functions whose calls must stay.

    Where there is none, it is the function itself that is returned.
    """
    acting = tuple(name in effects for name in callees(function))
    known = "all live", Itself(prims), acting
    if known in function.known:
        return function
    marker = _Marker(prims, effects)
    marker.collect(function.body, None)
    marker.mark(function.body.results)
    if marker.all_live():
        function.once(known, lambda: True)
        return function
    sweeper = _Sweeper(marker.live, marker.live_nodes, marker.ends)
    return replace(function, body=sweeper.block(function.body, function.body.results))


@quickly_made
@dataclass(slots=True)
class _Marker:
    """The dependence graph of one function. Statements are numbered in walking order.

    `separable` are carried values, sums and results of branches.
    """

    prims: PrimitiveSet
    effects: Collection[str]
    needs: dict[str, tuple[Atom, ...]] = field(default_factory=dict[str, "tuple[Atom, ...]"])
    owner: dict[str, int] = field(default_factory=dict[str, int])
    control: list[tuple[Atom, ...]] = field(default_factory=list["tuple[Atom, ...]"])
    parent: list[int | None] = field(default_factory=list["int | None"])
    ends: list[int] = field(default_factory=list[int])
    roots: list[int] = field(default_factory=list[int])
    live: set[str] = field(default_factory=set[str])
    live_nodes: set[int] = field(default_factory=set[int])
    separable: list[Var] = field(default_factory=list[Var])

    def all_live(self) -> bool:
        """Whether nothing can be dropped: no statement, and none of what goes one by one."""
        return len(self.live_nodes) == len(self.control) and all(
            var.name in self.live for var in self.separable
        )

    def collect(self, block: Block, parent: int | None) -> None:
        for stm in block.stms:
            node = len(self.control)
            self.parent.append(parent)
            self.ends.append(node + 1)
            if isinstance(stm.expr, Prim):  # which most are
                self.control.append(stm.expr.args)
                for out in stm.outs:
                    self.needs[out.name] = ()
                    self.owner[out.name] = node
                if prim_effect(stm.expr, self.prims) is not Effect.PURE:
                    self.roots.append(node)
                continue
            self.control.append(_control(stm.expr))
            self.variables(stm, node)
            if may_act(stm.expr, self.prims, self.effects):
                self.roots.append(node)
            for inner in blocks(stm.expr):
                self.collect(inner, node)
            self.ends[node] = len(self.control)

    def variables(self, stm: Stm, node: int) -> None:
        match stm.expr:
            case If() as expr:
                pairs = zip(expr.then.results, expr.orelse.results, strict=True)
                self.define(stm.outs, list(pairs), node)
                self.separable += stm.outs
            case For() as expr:
                self.define((expr.index,), [()], node)
                self.loop(stm.outs, expr.carried, expr.inits, expr.body.results, node)
            case While() as expr:
                self.loop(stm.outs, expr.carried, expr.inits, expr.body.results, node)
            case Prim() | Call() | Jvp() | Vjp():
                self.define(stm.outs, [()] * len(stm.outs), node)
            case _:
                unhandled(stm.expr)

    def loop(
        self,
        outs: tuple[Var, ...],
        carried: tuple[Var, ...],
        inits: tuple[Atom, ...],
        results: tuple[Atom, ...],
        node: int,
    ) -> None:
        count = len(carried)
        self.define(carried, list(zip(inits, results[:count], strict=True)), node)
        self.define(outs[:count], [(var,) for var in carried], node)
        self.define(outs[count:], [(atom,) for atom in results[count:]], node)
        self.separable += (*carried, *outs[count:])

    def define(
        self, variables: Sequence[Var], needs: Sequence[tuple[Atom, ...]], node: int
    ) -> None:
        for var, atoms_ in zip(variables, needs, strict=True):
            self.needs[var.name] = atoms_
            self.owner[var.name] = node

    def mark(self, results: tuple[Atom, ...]) -> None:
        pending: list[Atom] = list(results)
        for node in self.roots:
            self.mark_node(node, pending)
        while pending:
            atom = pending.pop()
            if not isinstance(atom, Var) or atom.name in self.live:
                continue
            self.live.add(atom.name)
            if atom.name in self.owner:  # parameters have no owner
                pending.extend(self.needs[atom.name])
                self.mark_node(self.owner[atom.name], pending)

    def mark_node(self, node: int | None, pending: list[Atom]) -> None:
        while node is not None and node not in self.live_nodes:
            self.live_nodes.add(node)
            pending.extend(self.control[node])
            node = self.parent[node]


def _control(expr: Expr) -> tuple[Atom, ...]:
    """What a statement needs whichever of its results is used."""
    match expr:
        case For():
            return (expr.trips,)
        case While():
            return expr.cond.results
        case Prim() | If() | Call() | Jvp() | Vjp():
            return atoms(expr)
        case _:
            unhandled(expr)


@dataclass(slots=True)
class _Sweeper:
    """Rebuilds blocks without what is dead, walking in the order of `_Marker.collect`."""

    live: set[str]
    live_nodes: set[int]
    ends: list[int]
    node: int = 0

    def block(self, block: Block, results: tuple[Atom, ...]) -> Block:
        kept: list[Stm] = []
        for stm in block.stms:
            node = self.node
            self.node += 1
            if node in self.live_nodes:
                kept.append(self.stm(stm))
            self.node = self.ends[node]
        return Block(tuple(kept), results)

    def stm(self, stm: Stm) -> Stm:
        expr = stm.expr
        match expr:
            case If():
                keep = [out.name in self.live for out in stm.outs]
                new: Expr = replace(
                    expr,
                    then=self.block(expr.then, _pick(expr.then.results, keep)),
                    orelse=self.block(expr.orelse, _pick(expr.orelse.results, keep)),
                )
                return replace(stm, outs=_pick(stm.outs, keep), expr=new)
            case For():
                count = len(expr.carried)
                keep = [v.name in self.live for v in (*expr.carried, *stm.outs[count:])]
                new = replace(
                    expr,
                    carried=_pick(expr.carried, keep),
                    inits=_pick(expr.inits, keep),
                    body=self.block(expr.body, _pick(expr.body.results, keep)),
                    sums=sum(keep[count:]),
                )
                return replace(stm, outs=_pick(stm.outs, keep), expr=new)
            case While():
                keep = [v.name in self.live for v in expr.carried]
                new = replace(
                    expr,
                    carried=_pick(expr.carried, keep),
                    inits=_pick(expr.inits, keep),
                    cond=self.block(expr.cond, expr.cond.results),
                    body=self.block(expr.body, _pick(expr.body.results, keep)),
                )
                return replace(stm, outs=_pick(stm.outs, keep), expr=new)
            case Prim() | Call() | Jvp() | Vjp():
                return stm
            case _:
                unhandled(expr)


def _pick(items: Sequence[T], keep: Sequence[bool]) -> tuple[T, ...]:
    return tuple(item for item, kept in zip(items, keep, strict=False) if kept)
