"""Policies reach into functions that are called: what is called has marks of its own.

A function that is not inlined has no marks of the executions that call it. Where an execution's
policy has something of it saved, the call is one of a function of its own: all that this calculates
is part of an execution with that policy. Such a call records in the forward sweep, and what it
records is what the policy says. It stays a call, so that no cotangent is summed in another order.

Just before cotangents become sweeps. Executions with one policy share such a function; those with a
budget have their own, since what they record is counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Block, Call, Checkpointed, Function, Program, Stm
from retrograd.ir.traverse import blocks, with_blocks
from retrograd.options.saving import EVERY, NUMBERED, Answer, policy_named
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.ad.vjp.executions import Ahead

__all__ = ["reach_into_calls"]


def reach_into_calls(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program in which policies say what is saved of functions that are called.

    Without effect where nothing is checkpointed.
    """
    functions = {f.name: f for f in program.functions}
    work = _Reach(names, Ahead(prims, functions))
    changed = [work.function(function) for function in program.functions]
    while work.pending:
        changed.append(work.function(work.pending.pop()))
    return Program(tuple(changed), program.entry) if work.made else program


@dataclass(slots=True)
class _Reach:
    """`made` are the functions that executions have of their own; those in `pending` have not been
    looked at."""

    names: NameSupply
    ahead: Ahead
    made: dict[tuple[str, object], str] = field(default_factory=dict[tuple[str, object], str])
    pending: list[Function] = field(default_factory=list[Function])

    def function(self, function: Function) -> Function:
        return replace(function, body=self.block(function.body))

    def block(self, block: Block) -> Block:
        return Block(tuple(map(self.stm, block.stms)), block.results)

    def stm(self, stm: Stm) -> Stm:
        inner = tuple(map(self.block, blocks(stm.expr)))
        if inner:
            return replace(stm, expr=with_blocks(stm.expr, inner))
        called = self.ahead.called(stm)
        marks = [mark for mark in stm.prov.checkpoints if self.ahead.records(stm, mark)]
        if called is None or not marks or not isinstance(stm.expr, Call):
            return stm
        mark = marks[0]  # whatever those inside of it say
        if self.ahead.of_whole_call(stm, mark.policy):
            return stm
        if self.ahead.of_call(stm, mark.policy) == frozenset((Answer.AUTO,)):
            return stm
        return replace(stm, expr=replace(stm.expr, function=self.own(called, mark)))

    def own(self, function: Function, mark: Checkpointed) -> str:
        """The name of the function that an execution calls instead."""
        counted = policy_named(mark.policy).kind in (EVERY, NUMBERED)
        key = function.name, mark if counted else mark.policy
        if key not in self.made:
            if not counted:
                mark = replace(mark, name=self.names.name("checkpoint"))
            name = self.made[key] = self.names.name(function.name)
            body = _within(function.body, mark)
            self.pending.append(replace(function, name=name, body=body))
        return self.made[key]


def _within(block: Block, mark: Checkpointed) -> Block:
    """A block all of whose statements are part of an execution around their own."""
    stms: list[Stm] = []
    for stm in block.stms:
        inner = tuple(_within(b, mark) for b in blocks(stm.expr))
        expr = with_blocks(stm.expr, inner) if inner else stm.expr
        stms.append(replace(stm, expr=expr, prov=stm.prov.within((mark,))))
    return Block(tuple(stms), block.results)
