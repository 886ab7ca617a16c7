"""Who consumes which array: the analysis behind in-place updates.

An array is *consumed* by a primitive that takes it over, by a push on the tape, by a call whose
function consumes that parameter, by being carried into a loop that changes it, and by being handed
on as a result of a branch, an iteration or a function (the new name owns it then). What a loop
carries unchanged, and what both branches of an `If` hand on, is not consumed: the new name is an
alias of the old one.

A consumed array must not be mentioned afterwards, and one from outside a loop must not be consumed
inside, since the next iteration would consume it again. Aliases count as one array.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
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
    Params,
    Prim,
    Program,
    Stm,
    Var,
    Vjp,
    While,
)
from retrograd.ir.traverse import atoms, stms_of
from retrograd.ir.types import Type
from retrograd.records import Itself, quickly_made

__all__ = [
    "Broken", "Consumer", "Consumption", "Linear", "Signatures", "consumed_params",
    "linear_functions", "walk_linear",
]  # fmt: skip

Report = Callable[[Stm | None, str], None]
Broken = tuple[Stm | None, str]


class Consumer(Protocol):
    """The one fact of a primitive that the analysis needs."""

    @property
    def consumes(self) -> tuple[int, ...]: ...


class Signatures(Protocol):
    """What this layer needs to know about primitives; `PrimitiveSet` has it."""

    def __getitem__(self, name: str, /) -> Consumer: ...

    def result_types(
        self, name: str, types: tuple[Type, ...], params: Params
    ) -> tuple[Type, ...]: ...


def consumed_params(program: Program, prims: Signatures) -> Mapping[str, frozenset[int]]:
    """For each function, the positions of the array parameters that it consumes or returns."""
    return Consumption.of(program, prims).found


def linear_functions(program: Program, prims: Signatures) -> Mapping[str, Linear]:
    """What `walk_linear` finds for each function."""
    return Consumption.of(program, prims).linear


@quickly_made
@dataclass(frozen=True, slots=True)
class Linear:
    """What `walk_linear` found: consumed parameters, names of all consumed arrays, aliases."""

    params: frozenset[int]
    names: frozenset[str]
    roots: Mapping[str, str]


@quickly_made
@dataclass(frozen=True, slots=True)
class Consumption:
    """What `consumed_params` finds for a program to which functions are added one by one.

    `linear` has the last walk of each function, `callers` the functions that mention a function,
    some of which may be gone by now.
    """

    found: Mapping[str, frozenset[int]] = field(default_factory=dict[str, "frozenset[int]"])
    linear: Mapping[str, Linear] = field(default_factory=dict[str, "Linear"])
    callers: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])

    @staticmethod
    def of(
        program: Program, prims: Signatures, broken: dict[str, list[Broken]] | None = None
    ) -> Consumption:
        """That of a whole program. `broken` is given the rules that each function breaks."""
        table = {f.name: f for f in program.functions}
        return Consumption().adding(program.functions, table, prims, broken)

    def adding(
        self,
        functions: Sequence[Function],
        table: Mapping[str, Function],
        prims: Signatures,
        broken: dict[str, list[Broken]] | None = None,
    ) -> Consumption:
        """With functions that are new in `table`, which has all; only their callers change.

        `broken` is given the rules that each function that was walked breaks.
        """
        found, linear, callers = dict(self.found), dict(self.linear), dict(self.callers)
        for function in functions:
            found[function.name] = frozenset()
            for name in _called(function):
                callers[name] = (*callers.get(name, ()), function.name)
        pending = dict.fromkeys(f.name for f in reversed(functions))  # the order is for speed only
        while pending:
            name = next(iter(pending))
            del pending[name]
            linear[name], rules = _walked(table[name], prims, found)
            if broken is not None:
                broken[name] = list(rules)
            if linear[name].params != found[name]:
                found[name] = linear[name].params
                pending.update((c, None) for c in callers.get(name, ()) if c in table)
        return Consumption(found, linear, callers)


def _called(function: Function) -> tuple[str, ...]:
    """The functions that a function calls, each once."""

    def find() -> tuple[str, ...]:
        exprs = (s.expr for s in stms_of(function))
        return tuple(dict.fromkeys(e.function for e in exprs if isinstance(e, Call)))

    return function.once("called", find)


def _walked(
    function: Function, prims: Signatures, consumed: Mapping[str, frozenset[int]]
) -> tuple[Linear, Sequence[Broken]]:
    """What a walk finds, and the rules that are broken."""

    def find() -> tuple[Linear, Sequence[Broken]]:
        rules: list[Broken] = []

        def report(stm: Stm | None, rule: str) -> None:
            rules.append((stm, rule))

        return walk_linear(function, prims, consumed, report), rules

    by_callees = tuple(consumed.get(name) for name in _called(function))
    return function.once(("linear", Itself(prims), by_callees), find)


def walk_linear(
    function: Function,
    prims: Signatures,
    consumed: Mapping[str, frozenset[int]],
    report: Report | None,
) -> Linear:
    """Walks `function` once; each broken rule goes to `report` with its statement."""
    walk = _Walk(prims, consumed, report)
    for param in function.params:
        walk.bind(param)
    for root in walk.block(function.body).results:
        walk.kill(root, None)
    dead = walk.killed
    return Linear(
        frozenset(k for k, p in enumerate(function.params) if p.name in dead),
        frozenset(name for name, root in walk.root.items() if root in dead),
        walk.root,
    )


@quickly_made
@dataclass(frozen=True, slots=True)
class _Left:
    """What a block leaves behind: arrays consumed in it, and the array behind each result."""

    killed: list[str]
    results: list[str | None]
    mentioned: set[str]


@quickly_made
@dataclass(slots=True)
class _Walk:
    """One walk over one function; `root` maps each array variable to the array it stands for."""

    prims: Signatures
    consumed: Mapping[str, frozenset[int]]
    report: Report | None
    root: dict[str, str] = field(default_factory=dict[str, str])
    level: dict[str, int] = field(default_factory=dict[str, int])
    dead: set[str] = field(default_factory=set[str])
    killed: set[str] = field(default_factory=set[str])
    depth: int = 0
    log: list[str] = field(default_factory=list[str])
    mentioned: set[str] = field(default_factory=set[str])

    def fail(self, stm: Stm | None, message: str) -> None:
        if self.report is not None:
            self.report(stm, message)

    def bind(self, var: Var, root: str | None = None) -> None:
        if var.type.is_scalar:
            return
        self.root[var.name] = var.name if root is None else root
        self.level.setdefault(var.name, self.depth)

    def mention(self, atom: Atom | None, stm: Stm | None) -> str | None:
        """The array behind an atom, None for scalars."""
        if not isinstance(atom, Var) or atom.type.is_scalar:
            return None
        root = self.root.setdefault(atom.name, atom.name)
        if root in self.dead:
            self.fail(stm, f"array {atom.name!r} is used after it was consumed")
        self.mentioned.add(root)
        return root

    def kill(self, root: str | None, stm: Stm | None) -> None:
        if root is None:
            return
        if self.level.setdefault(root, self.depth) < self.depth:
            self.fail(stm, f"array {root!r} from outside the loop is consumed inside it")
        self.dead.add(root)
        self.killed.add(root)
        self.log.append(root)

    def distinct(self, roots: Sequence[str | None], taken: str | None, stm: Stm) -> None:
        if taken is not None and roots.count(taken) > 1:
            self.fail(stm, f"array {taken!r} is consumed and mentioned again in the same statement")

    def block(self, block: Block) -> _Left:
        log, mentioned = self.log, self.mentioned
        self.log, self.mentioned = [], set()
        for stm in block.stms:
            self.stm(stm)
        results = [self.mention(atom, None) for atom in block.results]
        arrays = [root for root in results if root is not None]
        if len(set(arrays)) < len(arrays):
            self.fail(None, "an array is handed on twice by the results of a block")
        left = _Left(self.log, results, self.mentioned)
        log.extend(self.log)
        mentioned |= self.mentioned
        self.log, self.mentioned = log, mentioned
        return left

    def stm(self, stm: Stm) -> None:
        expr = stm.expr
        roots = [
            self.mention(atom, stm) if isinstance(atom, Var) and atom.type.rank else None
            for atom in (expr.args if isinstance(expr, Prim) else atoms(expr))
        ]
        match expr:
            case Prim() | Call() | Jvp() | Vjp():
                if positions := self.positions(expr):
                    self.taken(positions, roots, stm)
                for out in stm.outs:
                    if out.type.rank:
                        self.bind(out)
            case If():
                self.branches(expr, stm)
            case For():
                self.loop(expr.carried, roots[1:], None, expr.body, stm)
            case While():
                self.loop(expr.carried, roots, expr.cond, expr.body, stm)
            case _:
                unhandled(expr)

    def taken(self, positions: Sequence[int], roots: Sequence[str | None], stm: Stm) -> None:
        """What a statement without blocks takes over."""
        for position in positions:
            taken = roots[position] if position < len(roots) else None
            self.distinct(roots, taken, stm)
            self.kill(taken, stm)

    def positions(self, expr: Prim | Call | Jvp | Vjp) -> Sequence[int]:
        """Argument positions that a statement without blocks consumes."""
        match expr:
            case Prim(op="push"):
                # The buffer is the tape's until it is popped, if it is not read for its elements.
                held = dict(expr.params).get("held", ())
                return [
                    k for k in range(len(expr.args)) if not isinstance(held, tuple) or k not in held
                ]
            case Prim():
                return self.prims[expr.op].consumes
            case Call():
                return sorted(self.consumed.get(expr.function, ()))
            case Jvp() | Vjp():
                return ()  # derivatives copy the arguments that the function writes

    def branches(self, expr: If, stm: Stm) -> None:
        then = self.block(expr.then)
        self.dead.difference_update(then.killed)
        orelse = self.block(expr.orelse)
        self.dead.update(then.killed)
        for out, one, two in zip(stm.outs, then.results, orelse.results, strict=False):
            if one is not None and one == two:
                self.bind(out, one)
            else:
                self.kill(one, stm)
                self.kill(two, stm)
                self.bind(out)

    def loop(
        self,
        carried: tuple[Var, ...],
        inits: Sequence[str | None],
        cond: Block | None,
        body: Block,
        stm: Stm,
    ) -> None:
        self.depth += 1
        for var in carried:
            self.bind(var)
        mentioned: set[str] = set()
        if cond is not None:
            self.depth += 1  # a condition may not consume what is carried either
            mentioned |= self.block(cond).mentioned
            self.depth -= 1
        left = self.block(body)
        mentioned |= left.mentioned
        gone = set(left.killed)
        same = [
            root == var.name and root not in gone
            for var, root in zip(carried, left.results, strict=False)
        ]
        for unchanged, root in zip(same, left.results, strict=False):
            if not unchanged:
                self.kill(root, stm)
        self.depth -= 1
        for unchanged, root in zip(same, inits, strict=False):
            if unchanged or root is None:
                continue
            self.distinct(inits, root, stm)
            if root in mentioned:
                self.fail(stm, f"array {root!r} is carried by the loop and mentioned inside it")
            self.kill(root, stm)
        for k, out in enumerate(stm.outs):
            self.bind(out, inits[k] if k < len(same) and k < len(inits) and same[k] else None)
