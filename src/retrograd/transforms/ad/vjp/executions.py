"""Checkpointed executions in a scope: who reads what of them, and what their policies say.

An execution is the statements with one mark (`Prov.checkpoints`). The marks change neither what
forward code calculates nor what reverse code does, only which values are recorded and which are
calculated again: so no bit of a derivative depends on them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from retrograd.ir.terms import Block, Call, Checkpointed, Function, Prim, Program, Stm, Var
from retrograd.ir.traverse import blocks, callees_of, free_vars_expr, stms_deep, with_blocks
from retrograd.options.saving import NUMBERED, Answer, Policy, Residual, policy_named
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.transforms.analysis.origins import origin_of, record_of
from retrograd.transforms.analysis.shapes import kept_extents

__all__ = [
    "Ahead", "Readers", "answer_to", "execution_of", "folder_of", "needs_by_execution",
    "saved_by_policies", "undone_outside",
]  # fmt: skip

Readers = Mapping[Checkpointed | None, Sequence[Var]]
"""What the reverse code of each execution needs; None: of none."""


def execution_of(stm: Stm, depth: int) -> Checkpointed | None:
    """The outermost execution that a statement is part of, in a scope with `depth` around it."""
    marks = stm.prov.checkpoints
    return marks[depth] if len(marks) > depth else None


def answer_to(stm: Stm, depth: int, prims: PrimitiveSet) -> Answer | None:
    """What the policy of a primitive's execution says of its result; None where it is of none."""
    execution = execution_of(stm, depth)
    if execution is None or not isinstance(stm.expr, Prim) or not stm.outs:
        return None
    return _answer(stm, execution, prims)


def _answer(stm: Stm, execution: Checkpointed, prims: PrimitiveSet) -> Answer:
    policy = policy_named(execution.policy)
    return policy.answer(_record(stm, 0, policy, prims))


def _record(stm: Stm, position: int, policy: Policy, prims: PrimitiveSet) -> Residual:
    """What a policy sees of a result of a statement."""
    return record_of(
        stm.outs[position].type, origin_of(stm, position, prims), numbered=policy.kind == NUMBERED,
        with_text=any(part.function is not None for part in policy.every()),
    )  # fmt: skip


def saved_by_policies(block: Block, depth: int, ahead: Ahead) -> frozenset[Var]:
    """Results in a block, at any depth, of which a policy says that they are to be saved."""
    found: set[Var] = set()
    for stm in stms_deep(block):
        execution = execution_of(stm, depth)
        if execution is None:
            continue
        if isinstance(stm.expr, Prim):
            saved = bool(stm.outs) and _answer(stm, execution, ahead.prims) is Answer.SAVE
        else:
            saved = Answer.SAVE in ahead.of_call(stm, execution.policy)
        if saved:
            found.update(stm.outs)
    return frozenset(found)


def folder_of(stm: Stm, out: Var, depth: int, prims: PrimitiveSet) -> str | None:
    """Where the policy of a statement's execution moves one of its results; None for memory."""
    execution = execution_of(stm, depth)
    if execution is None:
        return None
    policy = policy_named(execution.policy)
    return policy.folder(_record(stm, stm.outs.index(out), policy, prims))


@dataclass(slots=True)
class Ahead:
    """What of checkpointed executions records in the forward sweep, as their policies say.

    `functions` are those of the program, `printing` those that write output. `known` has the
    answers that policies have given about all that is in a function, by its name and the policy's
    text.
    """

    prims: PrimitiveSet
    functions: Mapping[str, Function]
    printing: Container[str] = ()
    known: dict[tuple[str, str], frozenset[Answer]] = field(
        default_factory=dict[tuple[str, str], "frozenset[Answer]"]
    )

    def records(self, stm: Stm, execution: Checkpointed) -> bool:
        """Whether a statement with blocks or calls of an execution records in the forward sweep.

        It does where the policy has something inside of it saved, or leaves it to us, and where it
        writes output, which happens once.
        """
        return not isinstance(stm.expr, Prim) and self._saves(stm, execution)

    def _saves(self, stm: Stm, execution: Checkpointed) -> bool:
        expr = stm.expr
        if isinstance(expr, Prim):
            if self.prims[expr.op].effect is Effect.OUTPUT:
                return True
            return bool(stm.outs) and (_answer(stm, execution, self.prims) is not Answer.RECOMPUTE)
        if any(name in self.printing for name in callees_of(expr)):
            return True
        if not {Answer.RECOMPUTE}.issuperset(self.of_call(stm, execution.policy)):
            return True
        return any(self._saves(s, execution) for block in blocks(expr) for s in block.stms)

    def scopes_around(self, stm: Stm, around: int) -> int:
        """How many executions are around the blocks of a statement as scopes of their own.

        Those of which it records in the forward sweep hold for its blocks, too.
        """
        marks = stm.prov.checkpoints
        for depth in range(around, len(marks)):
            if self.records(stm, marks[depth]):
                return depth
        return max(around, len(marks))

    def of_call(self, stm: Stm, text: str) -> frozenset[Answer]:
        """What a policy says of what a call calculates; nothing of statements that call nothing.

        Of derivatives and functions with rules of their own it is asked about the call only, and so
        is a function of the user's that has the call recorded.
        """
        if not callees_of(stm.expr):
            return frozenset()
        policy = policy_named(text)
        records = (_record(stm, k, policy, self.prims) for k in _named(stm))
        named = frozenset(map(policy.answer, records))
        return self.of_whole_call(stm, text) or named | self.inside(stm, text)

    def of_whole_call(self, stm: Stm, text: str) -> frozenset[Answer]:
        """What a policy says of a call where what it calls is not looked at; else nothing."""
        policy = policy_named(text)
        answer = policy.answer(Residual("call", "f64", None))
        own = any(part.function is not None for part in policy.every())
        opaque = self.called(stm) is None or (own and answer is not Answer.RECOMPUTE)
        return frozenset((answer,)) if opaque else frozenset()

    def called(self, stm: Stm) -> Function | None:
        """The function that a call runs, if it has no rule of its own."""
        if not isinstance(stm.expr, Call):
            return None
        function = self.functions[stm.expr.function]
        return function if function.custom is None else None

    def inside(self, stm: Stm, text: str) -> frozenset[Answer]:
        """What a policy says of all that a function calculates, and those that it calls."""
        first = self.called(stm)
        if first is None:
            return frozenset()
        key = first.name, text
        if key not in self.known:
            policy, found = policy_named(text), set[Answer]()
            for function in _reached(first, self.called):
                for inner in stms_deep(function.body):
                    if isinstance(inner.expr, Prim):
                        found.update(
                            policy.answer(_record(inner, k, policy, self.prims))
                            for k in range(len(inner.outs))
                        )
                    elif callees_of(inner.expr):
                        found |= self.of_whole_call(inner, text)
            self.known[key] = frozenset(found)
        return self.known[key]


def _named(stm: Stm) -> set[int]:
    """The positions of results that have names."""
    return {position for position, _ in stm.prov.names}


def _reached(function: Function, called: Callable[[Stm], Function | None]) -> Iterator[Function]:
    """A function and those that it calls, directly or through others."""
    found, pending = {function.name}, [function]
    while pending:
        yield (one := pending.pop())
        for stm in stms_deep(one.body):
            inner = called(stm)
            if inner is not None and inner.name not in found:
                found.add(inner.name)
                pending.append(inner)


def undone_outside(program: Program) -> Program:
    """The program in which calls of functions with inverses, and the loops and branches around
    them, are part of no execution: they are undone, and not run again.

    What else is in these loops and branches is part of it still.
    """
    inverses = kept_extents(program.functions)

    def walk(block: Block) -> Block:
        return Block(tuple(map(visit, block.stms)), block.results)

    def visit(stm: Stm) -> Stm:
        inner = stm.with_expr(with_blocks(stm.expr, tuple(map(walk, blocks(stm.expr)))))
        if not stm.prov.checkpoints or isinstance(stm.expr, Prim):
            return inner
        calls = (s.expr for s in stms_deep(Block((stm,), ())) if isinstance(s.expr, Call))
        if not any(call.function in inverses for call in calls):
            return inner
        return replace(inner, prov=replace(stm.prov, checkpoints=()))

    if not inverses:
        return program
    functions = tuple(replace(f, body=walk(f.body)) for f in program.functions)
    return Program(functions, program.entry)


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
