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

from retrograd.errors import CompilerBug
from retrograd.ir.linear import walk_linear
from retrograd.ir.terms import Block, Call, Checkpointed, For, Function, Prim, Prov, Stm, Var, While
from retrograd.ir.traverse import (
    blocks,
    free_vars,
    freshen_block,
    stms_deep,
    substitute,
    with_blocks,
)
from retrograd.options.saving import Answer
from retrograd.transforms.ad.vjp.context import VjpContext
from retrograd.transforms.ad.vjp.executions import answer_to, execution_of
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
    if not context.reruns or all(execution_of(stm, scope.depth) is None for stm in primal.stms):
        return scope, reverse
    pairs = [_Pair(p, f) for p, f in zip(primal.stms, scope.stms, strict=True)]
    slots = [_Slot([stm]) for stm in reverse.stms]
    work = _Reruns(context, scope)
    work.match(pairs, slots)
    work.executions(pairs, slots, scope.depth)
    stms = tuple(stm for slot in slots for stm in slot.stms)
    if len(stms) == len(slots):
        return scope, reverse
    ahead = tuple(pair.version for pair in pairs)
    return replace(scope, stms=ahead, made={}), replace(reverse, stms=stms)


@dataclass(slots=True, eq=False)
class _Pair:
    """A statement; `version` is what code around the executions looked at so far has of it."""

    primal: Stm
    version: Stm


@dataclass(slots=True)
class _Slot:
    """A statement of the reverse code, after the reruns that end there.

    `of`: the statement whose records it takes off the tape.
    """

    stms: list[Stm]
    of: _Pair | None = None


Segment = list[_Slot]
"""Reverse code of one execution, in which nothing is taken off the tape that its rerun has not
recorded: what is recorded last is taken off first."""


@dataclass(slots=True)
class _Reruns:
    """`forward` and `backward` have the names of programs of functions, those too that are still
    being made, and what they are of."""

    context: VjpContext
    scope: Scope
    forward: dict[str, str] = field(init=False)
    ruled: bool = field(init=False)
    backward: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        swept = self.context.swept
        self.forward = {plan.forward: key[0] for key, plan in swept.items()}
        self.ruled = bool(self.context.ruled)
        self.backward = frozenset(plan.reverse for plan in swept.values())

    def match(self, pairs: Sequence[_Pair], slots: Sequence[_Slot]) -> None:
        """Finds out which reverse statement takes off what: the last one what is recorded first."""
        recording = [pair for pair in pairs if self.records(pair.version)]
        taking: list[_Slot] = []
        own = 0  # what reverse code itself has recorded, by running a body again
        for slot in slots:
            own += self.left(slot.stms[-1])
            if own < 0:
                taking.append(slot)
                own = 0
        if len(recording) != len(taking):
            raise CompilerBug("a record is not taken off the tape by one reverse statement")
        for pair, slot in zip(reversed(recording), taking, strict=True):
            slot.of = pair

    def records(self, stm: Stm) -> bool:
        return self.left(stm) > 0

    def left(self, stm: Stm) -> int:
        """How many records a statement leaves on the tape; it takes off those below zero.

        A loop counts as one iteration.
        """
        found = 0
        for inner in stms_deep(Block((stm,), ())):
            expr = inner.expr
            if isinstance(expr, Prim):
                found += (expr.op == "push") - (expr.op == "pop")
            elif isinstance(expr, Call):
                name = self.context.silenced.get(expr.function, expr.function)
                found += (name in self.forward) - (name in self.backward)
        return found

    def executions(self, pairs: Sequence[_Pair], slots: Sequence[_Slot], depth: int) -> None:
        """Puts reruns of the executions at a depth, and of those inside of them, into `slots`."""
        groups: dict[Checkpointed, list[_Pair]] = {}
        for pair in pairs:
            execution = execution_of(pair.primal, depth)
            if execution is not None and not self.saved(pair.primal, execution, depth):
                groups.setdefault(execution, []).append(pair)
        if depth == self.scope.depth:  # inside of a rerun everything is run again as a whole
            groups = {
                execution: repeated
                for execution, repeated in groups.items()
                if any(self.together(pair.primal, depth) for pair in repeated)
            }
        for execution, segment in _segments(groups, slots, depth):
            self.executions(groups[execution], segment, depth + 1)
            self.rerun(groups[execution], segment)

    def together(self, stm: Stm, depth: int) -> bool:
        """Whether an execution with this statement is run again as a whole."""
        if len(stm.prov.checkpoints) > depth + 1 or not isinstance(stm.expr, Prim):
            return True
        return bool(self.context.prims[stm.expr.op].consumes)

    def saved(self, stm: Stm, execution: Checkpointed, depth: int) -> bool:
        """Whether the results of a statement are there already when its execution is run again."""
        expr = stm.expr
        if isinstance(expr, Call) and expr.function in self.context.again:
            return True
        if not isinstance(expr, Prim):
            return self.context.ahead.records(stm, execution)
        if answer_to(stm, depth, self.context.prims) is not Answer.RECOMPUTE:
            return True
        array = expr.args[0] if expr.op == "index" else None
        if not isinstance(array, Var):
            return False
        made = self.scope.made.get(array)
        return array in self.scope.carried or (
            made is not None and execution_of(made, depth) != execution
        )

    def rerun(self, repeated: Sequence[_Pair], segment: Segment) -> None:
        """Puts the rerun for a segment before it; the segment reads what that binds."""
        taken = {slot.of for slot in segment}
        stms = tuple(self.again(pair, pair in taken) for pair in repeated)
        made = {v for stm in stms for v in stm.outs}
        read = needed_by((stm for slot in segment for stm in slot.stms), ())
        needed = tuple(v for v in read if v in made)
        block = Block(stms, needed)
        if self.scope.nearly.isdisjoint(free_vars(block)):
            block = unchecked_block(block, self.context.prims)
        whole = Function("", (), block, None, Prov())
        block = eliminate_in_function(whole, self.context.prims, self.forward).body
        for pair in repeated:
            if pair in taken:
                pair.version = self.around(pair)
        names = self.context.names
        again = freshen_block(_told(self.owning(block), names.name("rerun")), names, {})
        fresh = dict(zip(needed, again.results, strict=True))
        for slot in segment:
            slot.stms = list(substitute(Block(tuple(slot.stms), ()), fresh).stms)
        segment[0].stms[:0] = again.stms

    def again(self, pair: _Pair, taken: bool) -> Stm:
        """What a rerun has of a statement; `taken`: whether what it records is taken off then."""
        if isinstance(pair.version.expr, Prim):
            return self.scope.made[pair.version.outs[0]]
        return pair.version if taken or not self.records(pair.version) else self.around(pair)

    def around(self, pair: _Pair) -> Stm:
        """What code around an execution has of a statement that is run again.

        A forward rule of the user's may give other bits than the function.
        """
        return self.context.with_values(pair.primal) if self.ruled else pair.primal

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


def _segments(
    groups: Mapping[Checkpointed, Sequence[_Pair]], slots: Sequence[_Slot], depth: int
) -> list[tuple[Checkpointed, Segment]]:
    """The reverse code of executions with those statements to be run again, in segments."""
    found: list[tuple[Checkpointed, Segment]] = []
    open_: dict[Checkpointed, Segment] = {}
    for slot in slots:
        execution = execution_of(slot.stms[-1], depth)
        repeated = groups.get(execution, ()) if execution is not None else ()
        own = bool(repeated) and (slot.of is None or slot.of in repeated)
        if slot.of is not None:
            open_ = {e: segment for e, segment in open_.items() if own and e == execution}
        if execution is None or not repeated:
            continue
        if execution not in open_:
            open_[execution] = []
            found.append((execution, open_[execution]))
        open_[execution].append(slot)
        if not own:  # it reads of the execution, but takes off what the forward sweep has recorded
            del open_[execution]
    return found


def _told(block: Block, rerun: str) -> Block:
    """A block whose statements, and those inside of them, say which rerun they are part of.

    A run is not interrupted in it.
    """
    stms: list[Stm] = []
    for stm in block.stms:
        inner = tuple(_told(b, rerun) for b in blocks(stm.expr))
        expr = with_blocks(stm.expr, inner) if inner else stm.expr
        if isinstance(expr, Call | For | While):
            expr = replace(expr, point=None)
        stms.append(replace(stm, expr=expr, prov=replace(stm.prov, rerun=rerun)))
    return Block(tuple(stms), block.results)


def _copy(var: Var, own: Var) -> Stm:
    return Stm((own,), Prim("copy", (var,)))
