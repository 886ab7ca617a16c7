"""Chains of versions: what becomes of one array as it is written in place.

A write makes the next version of its array in the same buffer. A loop that carries the array, and a
branch that hands it on, are steps of the chain as well, with a chain through each of their blocks.
A chain ends where the array goes elsewhere: to a call, to the tape, into a swap, out of the block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from retrograd.ir.terms import Block, For, Function, If, Prim, Stm, Var, While
from retrograd.ir.traverse import binders, blocks, free_vars_expr
from retrograd.prims.core import PrimitiveSet

__all__ = ["Chain", "Root", "Step", "find_chains", "from_first_read", "versions"]


@dataclass(frozen=True, slots=True)
class Step:
    """From one version to the next; `inner` has the chain through each block of the statement."""

    before: Var
    after: Var
    inner: tuple[Chain, ...] = ()


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


def find_chains(function: Function, shared: frozenset[Var], prims: PrimitiveSet) -> list[Root]:
    """The longest chains of a function; none of an array that goes by more than one name."""
    finder = _Finder(prims)
    finder.walk(function.body, function.params, 0)
    return [root for root in finder.roots if not shared.intersection(versions(root.chain))]


def versions(chain: Chain) -> Iterator[Var]:
    """Every version of the array in the chain, inner ones too."""
    yield chain.start
    for step in chain.steps:
        for inner in step.inner:
            yield from versions(inner)
        yield step.after


def from_first_read(chain: Chain, needed: Mapping[Var, None]) -> Chain | None:
    """The chain from the first step on that has to be undone: one that follows a needed read."""
    for position, step in enumerate(chain.steps):
        inside = (v for inner in step.inner for v in versions(inner))
        if step.before in needed or any(v in needed for v in inside):
            return Chain(step.before, chain.steps[position:])
    return None


@dataclass(slots=True)
class _Finder:
    """Memos are by identity of blocks: the function outlives the search."""

    prims: PrimitiveSet
    roots: list[Root] = field(default_factory=list[Root])
    covered: set[Var] = field(default_factory=set[Var])
    users: dict[int, dict[Var, list[Stm]]] = field(
        default_factory=dict[int, "dict[Var, list[Stm]]"]
    )
    chains: dict[tuple[int, Var], Chain] = field(default_factory=dict[tuple[int, Var], Chain])

    def walk(self, block: Block, bound: Sequence[Var], depth: int) -> None:
        """Chains that start in a block, then those in the blocks inside."""
        for var in (*bound, *(out for stm in block.stms for out in stm.outs)):
            if var.type.is_scalar or var in self.covered:
                continue
            chain = self.chain(block, var)
            if chain.steps:
                self.roots.append(Root(chain, depth))
                self.covered.update(versions(chain))
        for stm in block.stms:
            deeper = depth + isinstance(stm.expr, For | While)
            for inner in blocks(stm.expr):
                self.walk(inner, binders(stm.expr), deeper)

    def chain(self, block: Block, start: Var) -> Chain:
        key = id(block), start
        if key not in self.chains:
            steps: list[Step] = []
            now: Var | None = start
            while now is not None:
                found = (self.step(stm, now) for stm in self.mentions(block).get(now, ()))
                step = next((s for s in found if s is not None), None)
                if step is not None:
                    steps.append(step)
                now = None if step is None else step.after
            self.chains[key] = Chain(start, tuple(steps))
        return self.chains[key]

    def mentions(self, block: Block) -> dict[Var, list[Stm]]:
        """The statements of a block that mention each array, themselves or in their blocks."""
        if id(block) not in self.users:
            found: dict[Var, list[Stm]] = {}
            for stm in block.stms:
                for var in free_vars_expr(stm.expr):
                    if not var.type.is_scalar:
                        found.setdefault(var, []).append(stm)
            self.users[id(block)] = found
        return self.users[id(block)]

    def step(self, stm: Stm, var: Var) -> Step | None:
        """The statement as a step from `var`, None where it only reads it or takes it elsewhere."""
        expr = stm.expr
        match expr:
            case Prim(op=op, args=(base, value, *_)) if self.prims[op].facts.writes:
                return Step(var, stm.outs[0]) if base == var and value != var else None
            case For() | While():
                if expr.inits.count(var) != 1:
                    return None
                k = expr.inits.index(var)
                through = self.chain(expr.body, expr.carried[k])
                if not through.steps or through.end != expr.body.results[k]:
                    return None
                return Step(var, stm.outs[k], (through,))
            case If():
                then, orelse = self.chain(expr.then, var), self.chain(expr.orelse, var)
                if then.steps or orelse.steps:
                    pairs = zip(stm.outs, expr.then.results, expr.orelse.results, strict=True)
                    for out, one, two in pairs:
                        if one == then.end and two == orelse.end:
                            return Step(var, out, (then, orelse))
                return None
            case _:
                return None
