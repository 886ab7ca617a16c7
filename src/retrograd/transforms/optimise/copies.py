"""Copies of arrays that nothing uses afterwards: the copy takes the array over instead.

A copy that something else takes over later may stand for an array that is only read until then.
Only arrays that the block owns: made by one of its statements, or carried by the loop whose body
it is (and not an alias of another array). Between functions, a function also owns those parameters
that every caller gives up: owned by the calling block and not mentioned after the call.
(A copy that neither it nor its source is ever consumed is dropped by `simplify`.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from retrograd.ir.formers import former_of
from retrograd.ir.linear import Linear, linear_functions
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    Function,
    Jvp,
    Prim,
    Program,
    Stm,
    Var,
    Vjp,
)
from retrograd.ir.traverse import free_vars_expr, stms_deep, with_blocks
from retrograd.prims.core import PrimitiveSet
from retrograd.records import Itself
from retrograd.transforms.analysis.effects import callees
from retrograd.transforms.passes import unless_settled

__all__ = ["take_over_between", "take_over_copies"]


def take_over_copies(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Drops `copy(x)` where `x` is owned by the block and not mentioned after it."""
    linear = linear_functions(program, prims)

    def one(function: Function) -> Function:
        known = linear[function.name]

        def taken_over(function: Function) -> Function:
            return function.with_body(_walk(known).block(function.body))

        return unless_settled(function, names, ("taken over", Itself(known)), taken_over)

    return Program(tuple(map(one, program.functions)), program.entry)


def take_over_between(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The same, with parameters that all callers give up counted as owned.

    Not those of the entry, of functions that take part in a recursion, and of functions that
    anything but a call refers to.
    """
    linear = linear_functions(program, prims)
    table = {f.name: f for f in program.functions}
    order = _callers_first(program)
    shut = {program.entry} | _referred(program)
    given: dict[str, set[int]] = {f.name: set(range(len(f.params))) for f in program.functions}
    done: dict[str, Function] = {}
    for name in order:
        function = table[name]
        owned = () if name in shut else tuple(function.params[k] for k in sorted(given[name]))
        walk = _walk(linear[function.name])
        done[name] = function.with_body(walk.block(function.body, owned))
        for callee, kept in walk.calls:
            given[callee] &= kept
    return Program(tuple(done.get(f.name, f) for f in program.functions), program.entry)


@dataclass(slots=True)
class _Walk:
    """`roots` says which array each name stands for, `consumed` which of them are taken over
    anywhere; `calls` collects what each call gives up."""

    roots: Mapping[str, str]
    consumed: frozenset[str]
    values: dict[str, Atom] = field(default_factory=dict[str, Atom])
    calls: list[tuple[str, set[int]]] = field(default_factory=list["tuple[str, set[int]]"])

    def swap(self, atom: Atom) -> Atom:
        return self.values.get(atom.name, atom) if isinstance(atom, Var) else atom

    def root(self, atom: Atom) -> str:
        return self.roots.get(atom.name, atom.name) if isinstance(atom, Var) else ""

    def block(self, block: Block, bound: tuple[Var, ...] = ()) -> Block:
        last: dict[str, int] = {}
        uses: Counter[str] = Counter()
        for position, stm in enumerate(block.stms):
            mentioned = {self.root(v) for v in free_vars_expr(stm.expr)}
            last.update((root, position) for root in mentioned)
            uses.update(mentioned)
        mentioned = {self.root(a) for a in block.results}
        last.update((root, len(block.stms)) for root in mentioned)
        uses.update(mentioned)
        owned = set(self.own(bound))
        out: list[Stm] = []
        for position, stm in enumerate(block.stms):
            if self.is_copy(stm) and isinstance(stm.expr, Prim):
                (source,) = stm.expr.args
                root, copy = self.root(source), self.root(stm.outs[0])
                over = last[root] == position
                # Read until the one use of the copy, which may take it over.
                read = uses[copy] == 1 and last[root] < last[copy] and root not in self.consumed
                if root in owned and (over or read):
                    self.values[stm.outs[0].name] = self.swap(source)
                    owned.add(copy)
                    last[root] = max(last[root], last.get(copy, 0))
                    self.consumed |= {root}
                    continue
            if isinstance(stm.expr, Call):
                given = [self.root(a) for a in stm.expr.args]
                free = {
                    k
                    for k, root in enumerate(given)
                    if root in owned and last[root] == position and given.count(root) == 1
                }
                self.calls.append((stm.expr.function, free))
            owned.update(self.own(stm.outs))
            former = former_of(stm.expr)
            expr = former.with_atoms(stm.expr, self.swap)
            inner = tuple(
                self.block(b, bs)
                for b, bs in zip(former.blocks(expr), former.owned(expr), strict=True)
            )
            out.append(stm.with_expr(with_blocks(expr, inner) if inner else expr))
        return block.changed(tuple(out), tuple(map(self.swap, block.results)))

    def own(self, variables: tuple[Var, ...]) -> list[str]:
        """Those that are arrays of their own."""
        return [v.name for v in variables if not v.type.is_scalar and self.root(v) == v.name]

    def is_copy(self, stm: Stm) -> bool:
        return isinstance(stm.expr, Prim) and stm.expr.op == "copy"


def _walk(linear: Linear) -> _Walk:
    roots = linear.roots
    return _Walk(roots, frozenset(roots.get(name, name) for name in linear.names))


def _callers_first(program: Program) -> list[str]:
    """Reachable functions, each after all its callers, but for calls that close a recursion."""
    table = {f.name: f for f in program.functions}
    seen: set[str] = set()
    order: list[str] = []

    def visit(name: str) -> None:
        seen.add(name)
        for callee in callees(table[name]):
            if callee not in seen:
                visit(callee)
        order.append(name)

    visit(program.entry)
    return order[::-1]


def _referred(program: Program) -> set[str]:
    """Functions that take part in a recursion, have rules or are mentioned by something else."""
    table = {f.name: f for f in program.functions}
    found: set[str] = set()
    for function in program.functions:
        if function.custom is not None:
            rule, pullback = function.custom.rule, function.custom.pullback
            found |= {function.name, rule, *([] if pullback is None else [pullback])}
        for stm in stms_deep(function.body):
            if isinstance(stm.expr, Jvp | Vjp):
                found.add(stm.expr.function)
        reached: set[str] = set()
        pending = list(callees(function))
        while pending:
            name = pending.pop()
            if name not in reached:
                reached.add(name)
                pending += callees(table[name])
        if function.name in reached:
            found.add(function.name)
    return found
