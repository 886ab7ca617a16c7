"""Chains of versions: what becomes of one array as it is written in place.

A write makes the next version of its array in the same buffer. A loop that carries the array, and a
branch that hands it on, are steps of the chain as well, with a chain through each of their blocks.
A chain ends where the array goes elsewhere: to a call, to the tape, into a swap, out of the block.

A call of a function with an inverse is a step from each of the values that it changes, scalars
too. A scalar can be read after such a step. Then it has no chain: its versions are restored in the
order in which they are made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Block, Call, For, Function, If, Prim, Stm, Var, While
from retrograd.ir.traverse import binders, blocks, free_vars, free_vars_expr
from retrograd.prims.core import PrimitiveSet
from retrograd.records import quickly_made

__all__ = ["Chain", "Root", "Step", "find_chains", "from_first_read", "has_call", "versions"]


@dataclass(frozen=True, slots=True)
class Step:
    """From one version to the next; `inner` has the chain through each block of the statement.

    `called`: it is a call of a function with an inverse.
    """

    before: Var
    after: Var
    inner: tuple[Chain, ...] = ()
    called: bool = False


@quickly_made
@dataclass(frozen=True, slots=True)
class Chain:
    """The steps of an array through one block."""

    start: Var
    steps: tuple[Step, ...]

    @property
    def end(self) -> Var:
        return self.steps[-1].after if self.steps else self.start


@dataclass(frozen=True, slots=True)
class Root:
    """A chain that is not part of another, and the number of loops around it."""

    chain: Chain
    depth: int


def find_chains(
    function: Function, shared: frozenset[Var], prims: PrimitiveSet, names: NameSupply,
    changed: Mapping[str, tuple[int, ...]],
) -> list[Root]:  # fmt: skip
    """The longest chains of a function; none of an array that goes by more than one name.

    Args:
        function: the function.
        shared: the arrays that go by more than one name.
        prims: the primitives.
        names: fresh names.
        changed: the functions with inverses that are called, with the positions of the parameters
            that they change, -1 for those that their adjoints do not restore exactly.
    """
    finder = _Finder(prims, names, changed)
    finder.walk(function.body, function.params, 0)
    return [root for root in finder.roots if not shared.intersection(versions(root.chain))]


def versions(chain: Chain) -> Iterator[Var]:
    """Every version of the array in the chain, inner ones too."""
    yield chain.start
    for step in chain.steps:
        for inner in step.inner:
            yield from versions(inner)
        yield step.after


def has_call(chain: Chain) -> bool:
    """Whether a version of the chain is made by a function with an inverse."""
    return any(step.called or any(map(has_call, step.inner)) for step in chain.steps)


def from_first_read(chain: Chain, needed: Mapping[Var, None]) -> Chain | None:
    """The chain from the first step on that has to be undone.

    That is one that follows a needed read, or the call of a function whose adjoint is called.
    """
    for position, step in enumerate(chain.steps):
        inside = (v for inner in step.inner for v in versions(inner))
        adjoint = step.called and step.after in needed
        if step.before in needed or adjoint or any(v in needed for v in inside):
            return Chain(step.before, chain.steps[position:])
    return None


@dataclass(slots=True)
class _Finder:
    """Memos are by identity of blocks: the function outlives the search."""

    prims: PrimitiveSet
    names: NameSupply
    changed: Mapping[str, tuple[int, ...]]
    roots: list[Root] = field(default_factory=list[Root])
    covered: set[Var] = field(default_factory=set[Var])
    users: dict[int, dict[Var, list[Stm]]] = field(
        default_factory=dict[int, "dict[Var, list[Stm]]"]
    )
    chains: dict[tuple[int, Var], Chain] = field(default_factory=dict[tuple[int, Var], Chain])

    def walk(self, block: Block, bound: Sequence[Var], depth: int) -> None:
        """Chains that start in a block, then those in the blocks inside."""
        for var in (*bound, *(out for stm in block.stms for out in stm.outs)):
            if var in self.covered or (var.type.is_scalar and not self.changed):
                continue
            self.add(self.chain(block, var), depth)
        for stm in block.stms:
            if isinstance(stm.expr, For | While) and self.changed:
                self.scalars_of_loop(block, stm, stm.expr, depth)
            deeper = depth + isinstance(stm.expr, For | While)
            for inner in blocks(stm.expr):
                self.walk(inner, binders(stm.expr), deeper)

    def add(self, chain: Chain, depth: int) -> None:
        if chain.steps:
            self.roots.append(Root(chain, depth))
            self.covered.update(versions(chain))

    def scalars_of_loop(self, block: Block, stm: Stm, loop: For | While, depth: int) -> None:
        """Chains that begin with the initial value of a scalar that a loop carries.

        It may be a number, or be read later as well: what is restored of it has a name of its own.
        """
        for k, var in enumerate(loop.carried):
            if not var.type.is_scalar or stm.outs[k] in self.covered:
                continue
            through = self.chain(loop.body, var)
            if through.steps and through.end == loop.body.results[k]:
                start = self.names.var(var.name, var.type)
                rest = self.chain(block, stm.outs[k])
                self.add(Chain(start, (Step(start, stm.outs[k], (through,)), *rest.steps)), depth)

    def chain(self, block: Block, start: Var) -> Chain:
        key = id(block), start
        if key not in self.chains:
            steps: list[Step] = []
            now: Var | None = start
            while now is not None:
                step = self.step_of(block, now)
                if step is not None:
                    steps.append(step)
                now = None if step is None else step.after
            self.chains[key] = Chain(start, tuple(steps))
        return self.chains[key]

    def step_of(self, block: Block, var: Var) -> Step | None:
        """The step that a block takes from a version; of a scalar, it is its last mention."""
        users = self.mentions(block).get(var, [])
        if var.type.is_scalar:
            users = [] if var in block.results else users[-1:]
        return next((s for s in (self.step(stm, var) for stm in users) if s is not None), None)

    def mentions(self, block: Block) -> dict[Var, list[Stm]]:
        """The statements of a block that mention each array, themselves or in their blocks.

        Scalars are looked at where a function of the program has an inverse.
        """
        if id(block) not in self.users:
            found: dict[Var, list[Stm]] = {}
            for stm in block.stms:
                for var in free_vars_expr(stm.expr):
                    if self.changed or not var.type.is_scalar:
                        found.setdefault(var, []).append(stm)
            self.users[id(block)] = found
        return self.users[id(block)]

    def step(self, stm: Stm, var: Var) -> Step | None:
        """The statement as a step from `var`, None where it only reads it or takes it elsewhere."""
        expr = stm.expr
        match expr:
            case Prim(op=op, args=(base, value, *_)) if self.prims[op].facts.writes:
                return Step(var, stm.outs[0]) if base == var and value != var else None
            case Call() if expr.function in self.changed:
                places = self.changed[expr.function]
                k = expr.args.index(var)
                if expr.args.count(var) != 1 or k not in places:
                    return None
                return Step(var, stm.outs[places.index(k)], called=True)
            case For() | While():
                if expr.inits.count(var) != 1 or self.reads(expr, var):
                    return None
                k = expr.inits.index(var)
                through = self.chain(expr.body, expr.carried[k])
                if not through.steps or through.end != expr.body.results[k]:
                    return None
                return Step(var, stm.outs[k], (through,))
            case If() if expr.cond != var:
                then, orelse = self.chain(expr.then, var), self.chain(expr.orelse, var)
                if then.steps or orelse.steps:
                    pairs = zip(stm.outs, expr.then.results, expr.orelse.results, strict=True)
                    for out, one, two in pairs:
                        if one == then.end and two == orelse.end:
                            return Step(var, out, (then, orelse))
                return None
            case _:
                return None

    @staticmethod
    def reads(loop: For | While, var: Var) -> bool:
        """Whether a loop reads a scalar besides carrying it; of an array that is known."""
        if not var.type.is_scalar:
            return False
        trips = loop.trips if isinstance(loop, For) else None
        return var == trips or any(var in free_vars(block) for block in blocks(loop))
