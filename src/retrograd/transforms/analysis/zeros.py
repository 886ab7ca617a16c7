"""What an iteration of a reverse loop does where the cotangent that it starts from is zero.

    for i < n with (seed_bar, x_bar): v_bar = seed_bar[i]; .. x_bar[..] += (linear in v_bar) ..

If `seed_bar` is zero but at one index, iterations with other indices add zeros only. The analysis
follows what is zero through arithmetic, branches, loops and calls. A product with zero is zero: a
cotangent that is known to be zero contributes nothing, infinities and NaN included.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from retrograd.ir.formers import unhandled
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    Expr,
    For,
    Function,
    If,
    Jvp,
    Lit,
    Prim,
    Var,
    Vjp,
    While,
)
from retrograd.prims.core import PrimitiveSet, param
from retrograd.prims.facts import A_SUM, Access, How

__all__ = ["changes_nothing"]


class Known(Enum):
    """What is known of a value in an iteration that is not that of the one element."""

    ZERO = "zero, or an array of zeros"
    SEED = "the array that is zero but for one element or row, elsewhere"
    INDEX = "the index of the iteration"
    OTHER = "anything"


@dataclass(frozen=True, slots=True)
class Same:
    """The value that the loop carries at this position, unchanged."""

    position: int


Value = Known | Same


def changes_nothing(
    loop: For, seeds: Collection[int], functions: Mapping[str, Function], prims: PrimitiveSet
) -> bool:
    """Whether an iteration hands on what it carries if its part of the arrays `seeds` is zero.

    `seeds` are positions of carried arrays. Sums get zeros. What the iteration raises or leaves
    on the tape is not looked at.
    """
    walk = _Walk(functions, prims)
    positions = range(len(loop.carried))
    given: list[Value] = [Known.SEED if k in seeds else Same(k) for k in positions]
    walk.known.update(zip(loop.carried, given, strict=True))
    walk.known[loop.index] = Known.INDEX
    found = walk.block(loop.body)
    count = len(given)
    return found[:count] == given and all(one is Known.ZERO for one in found[count:])


@dataclass(slots=True)
class _Walk:
    """Goes through a block; `open` are the calls it is inside of: recursion is not followed."""

    functions: Mapping[str, Function]
    prims: PrimitiveSet
    open: frozenset[str] = frozenset()
    known: dict[Var, Value] = field(default_factory=dict[Var, Value])

    def of(self, atom: Atom) -> Value:
        if isinstance(atom, Lit):
            return Known.ZERO if atom.type.is_float and atom.value == 0.0 else Known.OTHER
        return self.known.get(atom, Known.OTHER)

    def block(self, block: Block) -> list[Value]:
        for stm in block.stms:
            found = self.expr(stm.expr, len(stm.outs))
            self.known.update(zip(stm.outs, found, strict=True))
        return [self.of(atom) for atom in block.results]

    def expr(self, expr: Expr, count: int) -> Sequence[Value]:
        match expr:
            case Prim(op="copy", args=(array,)):
                return [self.of(array)]
            case Prim():
                return [self.prim(expr)] * count
            case Call():
                return self.call(expr, count)
            case If():
                then, orelse = self.block(expr.then), self.block(expr.orelse)
                return [_join(a, b) for a, b in zip(then, orelse, strict=True)]
            case For():
                return self.loop(expr.carried, expr.inits, expr.body)
            case While():
                found = self.loop(expr.carried, expr.inits, expr.body)
                self.block(expr.cond)
                return found
            case Jvp() | Vjp():
                return [Known.OTHER] * count
            case _:
                unhandled(expr)

    def call(self, expr: Call, count: int) -> Sequence[Value]:
        function = self.functions.get(expr.function)
        given = [self.of(atom) for atom in expr.args]
        closed = function is None or expr.function in self.open or function.custom is not None
        if closed or all(one is Known.OTHER for one in given):
            return [Known.OTHER] * count
        assert function is not None
        known = dict(zip(function.params, given, strict=True))
        inside = self.open | {expr.function}
        return _Walk(self.functions, self.prims, inside, known).block(function.body)

    def loop(self, carried: Sequence[Var], inits: Sequence[Atom], body: Block) -> Sequence[Value]:
        """What is known only gets less, so that this ends; sums come after the carried values."""
        now = [self.of(atom) for atom in inits]
        while True:
            self.known.update(zip(carried, now, strict=True))
            found = self.block(body)
            new = [_join(a, b) for a, b in zip(now, found, strict=False)]
            if new == now:
                return [*now, *found[len(now) :]]
            now = new

    def prim(self, expr: Prim) -> Value:
        facts = self.prims[expr.op].facts
        if not expr.args or facts.linear_in is None:
            return Known.OTHER
        base = self.of(expr.args[0])
        if facts.access is not None and base is Known.SEED:
            return self.seed(expr, facts.access)
        if facts.linear_in == A_SUM and self.in_place(expr) and not _replaces(facts.access):
            if self.of(expr.args[1]) is Known.ZERO:
                return base
            return Known.OTHER
        terms = facts.linear_in.terms(len(expr.args))
        zero = all(any(self.of(expr.args[k]) is Known.ZERO for k in term) for term in terms)
        return Known.ZERO if zero else Known.OTHER

    def in_place(self, expr: Prim) -> bool:
        """Whether the result of a sum has the shape of its first operand."""
        scalars = all(atom.type.is_scalar for atom in expr.args)
        return scalars or 0 in self.prims[expr.op].consumes

    def seed(self, expr: Prim, access: Access) -> Value:
        """A read of the seed at the index of the iteration, or a write of zeros to it."""
        if access.writes:
            return Known.SEED if self.of(expr.args[1]) is Known.ZERO else Known.OTHER
        first = access.element or str(param(expr.params, "spec")).startswith("i")
        own = first and self.of(expr.args[access.places]) is Known.INDEX
        return Known.ZERO if own else Known.OTHER


def _replaces(access: Access | None) -> bool:
    return access is not None and access.how is How.REPLACES


def _join(a: Value, b: Value) -> Value:
    return a if a == b else Known.OTHER
