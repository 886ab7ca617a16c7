"""Carried values that are calculated again of what the iteration before has recorded.

`x = relu(W @ x)` records p = W @ x in each iteration, for the slope, and the x that it begins with,
for the cotangent of W. But x is relu of the p of the iteration before. So the forward loop carries
that p, too, and records it instead of x; its own p is what the reverse loop hands on (`carried`).

    for i < n with (x = x0, q = x0):        for i < n with (p = q_n, ..) descending:
        if i > 0: push(q)                       x, q = (relu(q), q of pop()) if i > 0 else x0, x0
        p = W[i] @ x                            ..
        yield relu(p), p                        yield q, ..

Each record belongs to the iteration that reads it, so a schedule may divide the loop anywhere. In
the first iteration q is never read; it has the type and the extents of p. What the loop ends with
is made of the last q where reverse code reads it (`carried.made_at_the_end`).
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, For, Prim, Stm, Var, While, ilit
from retrograd.ir.traverse import freshen_block
from retrograd.options.saving import Answer
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.transforms.ad.vjp.executions import answer_to
from retrograd.transforms.ad.vjp.residuals import Residuals, Scope, unchecked

__all__ = ["Made", "made_of"]

_LONGEST = 16
"""So many statements may a carried value take."""


@dataclass(frozen=True, slots=True)
class Made:
    """A carried value that is made of another one.

    Attributes:
        carried: it.
        value: what an iteration records that the next one begins with `carried` of.
        before: `value` of the iteration before, as the forward loop carries it and the reverse
            takes it off the tape.
        handed: the same, as the reverse hands it on.
        initial: what the loop begins with.
        start: what `before` is at first, a copy of `initial`: never read.
        last: what that is in the end.
        code: the statements that make `result` of `before`, in a later iteration than the first.
    """

    carried: Var
    value: Var
    before: Var
    initial: Atom
    start: Var
    last: Var
    handed: Var
    code: tuple[Stm, ...]
    result: Atom


def made_of(
    loop: For | While, place: int, index: Var, scope: Scope, found: Residuals,
    others: Mapping[Var, Made], prims: PrimitiveSet, names: NameSupply,
) -> Made | None:  # fmt: skip
    """How a carried value of a loop is made of what the iteration before records, where it can be.

    Args:
        loop: the loop.
        place: which of its carried values.
        index: the number of the iteration, where the body may use it.
        scope: that of the body.
        found: what the body records.
        others: carried values that are made already, by what they are made of.
        prims: the primitives.
        names: fresh names.
    """
    var, end = loop.carried[place], loop.body.results[place]
    if not isinstance(end, Var) or end in scope.carried or var.type.is_scalar:
        return None
    work = _Making(scope, frozenset(found.recorded), prims)
    if not work.visit(end) or work.leaf is None or not work.order:
        return None
    value = work.leaf
    held = value in scope.lost or value in scope.shared or value in scope.results
    if held or value not in scope.made or value.type != var.type:
        return None
    if (other := others.get(value)) is not None:
        before, start, last, handed = other.before, other.start, other.last, other.handed
    else:
        before, start, last, handed = (names.var(value.name, value.type) for _ in range(4))
    now = names.var("i", index.type)
    given: dict[Var, Atom] = {value: before}
    if scope.index is not None:
        given[scope.index] = now
    again = Block(tuple(s for stm in work.order for s in unchecked(stm, prims)), (end,))
    block = freshen_block(again, names, given)
    earlier = Stm((now,), Prim("sub", (index, ilit(1))))
    return Made(
        var, value, before, loop.inits[place], start, last, handed,
        (earlier, *block.stms), block.results[0],
    )  # fmt: skip


@dataclass(slots=True)
class _Making:
    """A walk from a value to the one recorded array that it is made of."""

    scope: Scope
    recorded: Container[Var]
    prims: PrimitiveSet
    leaf: Var | None = None
    order: list[Stm] = field(default_factory=list[Stm])
    seen: set[Atom] = field(default_factory=set[Atom])

    def visit(self, atom: Atom) -> bool:
        """Whether an operand can be had in the next iteration."""
        if not isinstance(atom, Var) or atom in self.seen or atom == self.scope.index:
            return True
        if atom in self.recorded:
            if atom.type.is_scalar or self.leaf not in (None, atom):
                return False
            self.leaf = atom
        elif atom in self.scope.carried:
            return False
        elif atom not in self.scope.made:
            return atom.type.is_scalar or self.unchanging(atom)
        elif not self.statement(self.scope.made[atom]):
            return False
        self.seen.add(atom)
        return True

    def unchanging(self, array: Var) -> bool:
        """Whether an array from outside of the loop is the same in all iterations."""
        return array not in self.scope.lost and array not in self.scope.log.versions

    def statement(self, stm: Stm) -> bool:
        if len(self.order) >= _LONGEST:
            return False
        if answer_to(stm, self.scope.depth, self.prims) is Answer.SAVE:
            return False  # for what it makes it is recorded
        expr = stm.expr
        if not isinstance(expr, Prim) or len(stm.outs) != 1:
            return False
        primitive = self.prims[expr.op]
        if primitive.effect not in (Effect.PURE, Effect.CHECK) or primitive.consumes:
            return False
        if stm.outs[0].type.is_scalar:
            if primitive.cost >= self.prims.costs.recorded_cost:
                return False
        elif not primitive.facts.cheap or stm.outs[0] in self.scope.shared:
            return False
        if not all(map(self.visit, expr.args)):
            return False
        self.order.append(stm)
        return True
