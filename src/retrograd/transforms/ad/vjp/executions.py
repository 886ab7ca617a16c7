"""Checkpointed executions in a scope: who reads what of them, and what their policies say.

An execution is the statements with one mark (`Prov.checkpoints`). Executions inside of an execution
are run again with it, so only the outermost of a scope matter. The marks change neither forward nor
reverse code, only which values are recorded and which are calculated again: so no bit of a
derivative depends on them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from retrograd.ir.terms import Block, Checkpointed, Prim, Stm, Var
from retrograd.ir.traverse import free_vars_expr
from retrograd.options.saving import Answer, Residual, policy_named
from retrograd.prims.core import PrimitiveSet

__all__ = ["Readers", "answer_to", "execution_of", "needs_by_execution"]

Readers = Mapping[Checkpointed | None, Sequence[Var]]
"""What the reverse code of each execution needs; None: of none."""


def execution_of(stm: Stm, depth: int) -> Checkpointed | None:
    """The outermost execution that a statement is part of, in a scope with `depth` around it."""
    marks = stm.prov.checkpoints
    return marks[depth] if len(marks) > depth else None


def answer_to(stm: Stm, depth: int, prims: PrimitiveSet) -> Answer | None:
    """What the policy of a primitive's execution says of its result; None where it is of none."""
    execution = execution_of(stm, depth)
    if execution is None or not isinstance(stm.expr, Prim):
        return None
    span, out = stm.prov.span, stm.outs[0]
    record = Residual(
        stm.expr.op, str(out.type.dtype.value), () if out.type.is_scalar else None,
        bytes=8 if out.type.is_scalar else None, cost=prims[stm.expr.op].cost,
        names=tuple(name for _, name in stm.prov.names),
        line=None if span is None else span.line, file="" if span is None else span.file,
    )  # fmt: skip
    return policy_named(execution.policy).answer(record)


def needs_by_execution(reverse: Block, depth: int) -> Readers:
    """What reverse code mentions and does not bind before, by the execution that it is of.

    Code of no execution comes first, then executions in the order of the reverse code: whoever
    reads of an execution comes before it.
    """
    found: dict[Checkpointed | None, dict[Var, None]] = {None: {}}
    bound: set[Var] = set()
    for stm in reverse.stms:
        mine = found.setdefault(execution_of(stm, depth), {})
        mine.update((v, None) for v in free_vars_expr(stm.expr) if v not in bound)
        bound.update(stm.outs)
    found[None].update((a, None) for a in reverse.results if isinstance(a, Var) and a not in bound)
    return {execution: tuple(variables) for execution, variables in found.items()}
