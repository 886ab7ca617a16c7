"""Logged arrays: each write records the old value, and walking back restores it.

So the reverse sweep holds every version of the array in turn, from the last one back, in one
buffer; what it reads of a version it reads in the *window* between the restoring of that version
and that of the one before. The last version is kept alive for that. Reverse code gives a restored
version the name that it has in the forward code.

A call of a function with an inverse is undone by the call of its adjoint (`inverses`), of which
nothing is recorded.

Worth it where a loop reads much of an array and writes little of it: sweeps of Gauss-Seidel,
triangular solves, tables of dynamic programming. What is recorded is as much as what is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Block, Function, If, Params, Prim, Stm, Var
from retrograd.ir.traverse import blocks, with_blocks
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.facts import How
from retrograd.transforms.ad.vjp.drift import NO_BEGINS, Begin, Begun
from retrograd.transforms.ad.vjp.version_chains import (
    Chain,
    Root,
    Step,
    from_first_read,
    has_call,
    versions,
)

__all__ = [
    "NO_LOG", "Log", "needed_values", "undo", "with_logs", "with_partners", "worth_a_try",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Log:
    """The logged arrays of a function.

    `steps` by the version that they make, `versions` all versions, `olds` the old value of each
    write by the version that it makes; `written` says where a value that has been written can be
    read again. `restored` are the versions of chains of which functions with inverses have made
    some: calculated, where the others are copied. `begins` has what the first of them are to be.
    """

    steps: Mapping[Var, Step] = field(default_factory=dict[Var, Step])
    versions: frozenset[Var] = frozenset()
    olds: Mapping[Var, Var] = field(default_factory=dict[Var, Var])
    written: Mapping[Var, Stm] = field(default_factory=dict[Var, Stm])
    restored: frozenset[Var] = frozenset()
    begins: Mapping[Var, Begin] = field(default_factory=dict[Var, Begin])

    def of(self, stm: Stm) -> dict[int, Step]:
        """The steps that a statement takes, by the position of the result."""
        return {k: self.steps[out] for k, out in enumerate(stm.outs) if out in self.steps}


NO_LOG = Log()


def needed_values(
    mentioned: Iterable[Var], defs: Mapping[Var, Stm], prims: PrimitiveSet
) -> dict[Var, None]:
    """Those variables and all that they may be computed from again."""
    found: dict[Var, None] = {}
    pending = list(mentioned)
    while pending:
        var = pending.pop()
        if var in found:
            continue
        found[var] = None
        expr = defs[var].expr if var in defs else None
        if isinstance(expr, Prim) and not prims[expr.op].facts.writes:
            shapes = prims[expr.op].facts.shape_only
            read = (a for k, a in enumerate(expr.args) if k not in shapes)
            pending += [a for a in read if isinstance(a, Var)]
    return found


def worth_a_try(
    roots: Iterable[Root],
    needed: Mapping[Var, None],
    defs: Mapping[Var, Stm],
    words: float,
    prims: PrimitiveSet,
) -> list[tuple[Chain, float]]:
    """Chains of which old versions are read, and whose log alone is not clearly more than `words`.

    Each comes with the words of its log.
    """
    extent, most = prims.costs.extent, words + prims.costs.log_excess
    found: list[tuple[Chain, float]] = []
    for root in roots:
        chain = from_first_read(root.chain, needed)
        if chain is not None:
            own = extent ** (root.depth + chain.start.type.rank)
            own += _log_words(chain, root.depth, defs, prims)
            if own < most:
                found.append((chain, own))
    return found


def with_partners(
    roots: Iterable[Root],
    chosen: Sequence[tuple[Chain, float]],
    defs: Mapping[Var, Stm],
    prims: PrimitiveSet,
) -> list[tuple[Chain, float]]:
    """Those chains, and chains that the same calls of functions with inverses make versions of.

    An adjoint that restores one value is given the final values of all.
    """
    found = list(chosen)
    rest = [r for r in roots if all(r.chain.end != chain.end for chain, _ in chosen)]
    calls = {id(stm) for chain, _ in chosen for stm in _calls(chain, defs)}
    while True:
        more: list[Root] = []
        for root in rest:
            steps = root.chain.steps
            for k, step in enumerate(steps):
                chain = Chain(step.before, steps[k:])
                if any(id(s) in calls for s in _calls(Chain(step.before, (step,)), defs)):
                    words = prims.costs.extent ** (root.depth + step.before.type.rank)
                    found.append((chain, words + _log_words(chain, root.depth, defs, prims)))
                    calls.update(id(s) for s in _calls(chain, defs))
                    more.append(root)
                    break
        if not more:
            return found
        rest = [root for root in rest if root not in more]


def _calls(chain: Chain, defs: Mapping[Var, Stm]) -> Iterator[Stm]:
    """The calls that make versions of a chain."""
    for step in chain.steps:
        if step.called:
            yield defs[step.after]
        for inner in step.inner:
            yield from _calls(inner, defs)


def _log_words(chain: Chain, depth: int, defs: Mapping[Var, Stm], prims: PrimitiveSet) -> float:
    """Estimated words of the old values."""
    total = 0.0
    for step in chain.steps:
        expr = defs[step.after].expr
        if isinstance(expr, Prim):
            rank = 0 if prims[expr.op].facts.element else _slice_rank(expr)
            total += prims.costs.extent ** (depth + rank)
        elif isinstance(expr, If):
            total += max(_log_words(inner, depth, defs, prims) for inner in step.inner)
        elif not step.called:
            total += _log_words(step.inner[0], depth + 1, defs, prims)
    return total


def _slice_rank(expr: Prim) -> int:
    spec = str(expr.param("spec"))
    return spec.count("s") + spec.count("a")


def with_logs(
    function: Function, chains: Iterable[Chain], names: NameSupply, prims: PrimitiveSet,
    begun: Begun = NO_BEGINS,
) -> tuple[Function, Log]:  # fmt: skip
    """The function with the old value read before each write of these chains, and the log.

    `begun` are chains whose first version is compared with what it was.
    """
    chosen = [begun.chains.get(chain.start, chain) for chain in chains]
    writer = _Writer({s.after: s for chain in chosen for s in _steps(chain)}, names, prims)
    body = writer.block(begun.body(function.body))
    held = frozenset(v for chain in chosen for v in versions(chain))
    restored = frozenset(v for chain in chosen if has_call(chain) for v in versions(chain))
    log = Log(writer.steps, held, writer.olds, writer.written, restored, begun.begins)
    return replace(function, body=body), log


def _steps(chain: Chain) -> list[Step]:
    deeper = [s for step in chain.steps for inner in step.inner for s in _steps(inner)]
    return [*chain.steps, *deeper]


@dataclass(slots=True)
class _Writer:
    steps: dict[Var, Step]
    names: NameSupply
    prims: PrimitiveSet
    olds: dict[Var, Var] = field(default_factory=dict[Var, Var])
    written: dict[Var, Stm] = field(default_factory=dict[Var, Stm])

    def block(self, block: Block) -> Block:
        stms: list[Stm] = []
        for stm in block.stms:
            if isinstance(stm.expr, Prim) and stm.outs and stm.outs[0] in self.steps:
                stms += self.write(stm, stm.expr, stms)
            else:
                inner = tuple(map(self.block, blocks(stm.expr)))
                stms.append(replace(stm, expr=with_blocks(stm.expr, inner)) if inner else stm)
        return Block(tuple(stms), block.results)

    def write(self, stm: Stm, expr: Prim, ahead: list[Stm]) -> list[Stm]:
        """The write, after a read of what it overwrites: an earlier one does where it is there."""
        base, value, *place = expr.args
        assert isinstance(base, Var)
        after = stm.outs[0]
        access = self.prims[expr.op].facts.access
        assert access is not None
        replaces = access.how is How.REPLACES
        if not access.element:
            self.olds[after] = self.names.var(f"{base.name}_undo", base.type.with_rank(_rank(expr)))
            read = Prim("slice", (base, *place), (("spec", expr.param("spec")),))
            return [Stm((self.olds[after],), read, stm.prov), stm]
        if isinstance(value, Var) and replaces:
            again = Prim("index", (after, *place), _UNCHECKED)
            self.written.setdefault(value, Stm((value,), again, stm.prov))
        for earlier in ahead:
            match earlier.expr:
                case Prim(op="index", args=args) if args == (base, *place):
                    self.olds[after] = earlier.outs[0]
                    return [stm]
                case _:
                    pass
        self.olds[after] = self.names.var(f"{base.name}_undo", base.type.element)
        params = expr.params if replaces else _UNCHECKED  # the read checks first
        return [Stm((self.olds[after],), Prim("index", (base, *place), params), stm.prov), stm]


_UNCHECKED: Params = (("checked", False), ("span", None))


def _rank(expr: Prim) -> int:
    spec = str(expr.param("spec"))
    return len(spec) - spec.count("i")


def undo(stm: Stm, expr: Prim, log: Log, prims: PrimitiveSet) -> Stm:
    """The statement that restores the version before a write."""
    after = stm.outs[0]
    args = (after, log.olds[after], *expr.args[2:])
    back = (
        Prim("update", args, _UNCHECKED)
        if prims[expr.op].facts.element
        else Prim("update_slice", args, (("spec", expr.param("spec")),))
    )
    return Stm((log.steps[after].before,), back, stm.prov.through("vjp"))
