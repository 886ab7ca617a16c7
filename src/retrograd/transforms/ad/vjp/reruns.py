"""Checkpointed executions that are run again, as a whole, before their reverse code.

What an execution with loops, branches, calls, writes in place or executions inside of it would
record is not recorded in the forward sweep. Before the first reverse statement of the execution
stands its *rerun* instead: those of its statements that its reverse code needs, in order, and the
forward versions of its loops, branches and calls, which record; the forward sweep has their primal
versions. All that a rerun binds has a fresh name, which the reverse code of the execution reads.

Executions are looked at from the innermost outwards. In the rerun of an execution, those inside of
it are in their primal versions, since their own reruns come after it. So a recursion of n levels
has one rerun of each level at a time.

What the policy saves of an execution is not bound by its rerun: there it is a value from outside,
which the scope records (`residuals`). So is an element that is read of an array from outside. An
array that a rerun takes over without having made it is copied before, and so is one that reverse
code reads after the rerun has overwritten it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from retrograd.ir.linear import walk_linear
from retrograd.ir.terms import Block, Call, Checkpointed, Function, Prim, Prov, Stm, Var
from retrograd.ir.traverse import blocks, free_vars, freshen_block, substitute, with_blocks
from retrograd.options.saving import Answer
from retrograd.transforms.ad.vjp.context import VjpContext
from retrograd.transforms.ad.vjp.executions import answer_to, execution_of, records_ahead
from retrograd.transforms.ad.vjp.residuals import Scope, needed_by, unchecked_block
from retrograd.transforms.optimise.dce import eliminate_in_function

__all__ = ["run_again"]


def run_again(
    context: VjpContext, scope: Scope, primal: Block, reverse: Block
) -> tuple[Scope, Block]:
    """The scope with what is not recorded any more in primal versions; reverse code with reruns.

    Args:
        context: the program so far.
        scope: a scope with the forward versions of the statements of `primal`, in order.
        primal: the block of which it is the scope.
        reverse: its reverse code.
    """
    pairs = [_Pair(p, f) for p, f in zip(primal.stms, scope.stms, strict=True)]
    slots = [[stm] for stm in reverse.stms]
    work = _Reruns(context, scope)
    work.executions(pairs, slots, scope.depth)
    if not work.found:
        return scope, reverse
    stms = tuple(pair.version for pair in pairs)
    return (
        replace(scope, stms=stms, made={}),
        replace(reverse, stms=tuple(stm for slot in slots for stm in slot)),
    )


@dataclass(slots=True)
class _Pair:
    """A statement; `version` is what code around the executions looked at so far has of it."""

    primal: Stm
    version: Stm


@dataclass(slots=True)
class _Reruns:
    context: VjpContext
    scope: Scope
    found: bool = False
    forward: dict[str, str] = field(init=False)
    """Names of forward versions, those that are still being made too, and what they are of."""

    def __post_init__(self) -> None:
        self.forward = {plan.forward: key[0] for key, plan in self.context.swept.items()}

    def executions(self, pairs: Sequence[_Pair], slots: Sequence[list[Stm]], depth: int) -> None:
        """Puts reruns of the executions at a depth, and of those inside of them, into `slots`.

        A slot has a statement of the reverse code, and before it the reruns that end there.
        """
        groups: dict[Checkpointed, list[list[Stm]]] = {}
        for slot in slots:
            if (execution := execution_of(slot[-1], depth)) is not None:
                groups.setdefault(execution, []).append(slot)
        for execution, mine in groups.items():
            own = (p for p in pairs if execution_of(p.primal, depth) == execution)
            repeated = [p for p in own if not self.saved(p.primal, execution, depth)]
            inside = depth > self.scope.depth
            if inside or any(self.together(p.primal, depth) for p in repeated):
                self.executions(repeated, mine, depth + 1)
                self.rerun(repeated, mine)

    def together(self, stm: Stm, depth: int) -> bool:
        """Whether an execution with this statement is run again as a whole."""
        if len(stm.prov.checkpoints) > depth + 1 or not isinstance(stm.expr, Prim):
            return True
        return bool(self.context.prims[stm.expr.op].consumes)

    def saved(self, stm: Stm, execution: Checkpointed, depth: int) -> bool:
        """Whether the results of a statement are there already when its execution is run again."""
        expr = stm.expr
        if not isinstance(expr, Prim):
            return records_ahead(stm, execution, self.context.prims, self.context.ahead)
        if answer_to(stm, depth, self.context.prims) is not Answer.RECOMPUTE:
            return True
        array = expr.args[0] if expr.op == "index" else None
        if not isinstance(array, Var):
            return False
        made = self.scope.made.get(array)
        return array in self.scope.carried or (
            made is not None and execution_of(made, depth) != execution
        )

    def rerun(self, repeated: Sequence[_Pair], slots: Sequence[list[Stm]]) -> None:
        """Puts the rerun before the first of the slots, which read what it binds."""
        names = self.context.names
        stms = tuple(
            self.scope.made[p.version.outs[0]] if isinstance(p.version.expr, Prim) else p.version
            for p in repeated
        )
        made = {v for stm in stms for v in stm.outs}
        read = needed_by((stm for slot in slots for stm in slot), ())
        needed = tuple(v for v in read if v in made)
        block = unchecked_block(Block(stms, needed), self.context.prims)
        whole = Function("", (), block, None, Prov())
        block = eliminate_in_function(whole, self.context.prims, self.forward).body
        for pair in repeated:
            pair.version = self.around(pair)
        if not block.stms:
            return
        self.found = True
        again = freshen_block(_told(self.owning(block), names.name("rerun")), names, {})
        fresh = dict(zip(needed, again.results, strict=True))
        for slot in slots:
            slot[:] = substitute(Block(tuple(slot), ()), fresh).stms
        slots[0][:0] = again.stms

    def around(self, pair: _Pair) -> Stm:
        """What code around an execution has of a statement that is run again.

        The forward version of a call with a rule of the user's may have other bits in its value.
        """
        expr = pair.primal.expr
        if isinstance(expr, Call) and self.context.functions[expr.function].custom is not None:
            return pair.version
        return pair.primal

    def owning(self, block: Block) -> Block:
        """The rerun with copies of arrays that it takes over, or overwrites before they are read.

        The second are copied where they are made.
        """
        names = self.context.names
        params = tuple(free_vars(block))
        function = Function("", params, Block(block.stms, ()), None, Prov())
        linear = walk_linear(function, self.context.prims, self.consumed(), None)
        head = {params[k]: names.var(params[k].name, params[k].type) for k in sorted(linear.params)}
        kept = {
            v: names.var(f"{v.name}_kept", v.type)
            for v in block.results
            if isinstance(v, Var) and not v.type.is_scalar
            and (v.name in linear.names or v in self.scope.shared)
        }  # fmt: skip
        stms = [_copy(v, own) for v, own in head.items()]
        for stm in substitute(Block(block.stms, ()), head).stms:
            stms += [stm, *(_copy(v, kept[v]) for v in stm.outs if v in kept)]
        results = tuple(kept.get(v, v) if isinstance(v, Var) else v for v in block.results)
        return Block(tuple(stms), results)

    def consumed(self) -> Mapping[str, frozenset[int]]:
        """Which parameters functions take over: a forward version takes those of its primal."""
        found = self.context.consumed
        pending = {f: found[name] for f, name in self.forward.items() if f not in found}
        return {**found, **pending}


def _told(block: Block, rerun: str) -> Block:
    """A block whose statements, and those inside of them, say which rerun they are part of."""
    stms: list[Stm] = []
    for stm in block.stms:
        inner = tuple(_told(b, rerun) for b in blocks(stm.expr))
        expr = with_blocks(stm.expr, inner) if inner else stm.expr
        stms.append(replace(stm, expr=expr, prov=replace(stm.prov, rerun=rerun)))
    return Block(tuple(stms), block.results)


def _copy(var: Var, own: Var) -> Stm:
    return Stm((own,), Prim("copy", (var,)))
