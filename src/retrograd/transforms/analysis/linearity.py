"""Whether a function is linear in some of its parameters, as it is written.

Forward mode through a user's cotangent rule transposes the rule, which is right for a linear one
only. The check is structural: every value is zero, constant in those parameters, or linear in them;
what cannot be told is taken for not linear. `y * x_bar` is linear in `x_bar`, `min(x_bar, 1.0)` is
not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import reduce

from retrograd.ir.formers import unhandled
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    CustomRule,
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
)  # fmt: skip
from retrograd.ir.traverse import atoms
from retrograd.prims.core import PrimitiveSet

__all__ = ["is_linear"]


class Kind(IntEnum):
    """How a value depends on the parameters. Zero is both constant and linear."""

    ZERO = 0
    CONSTANT = 1
    LINEAR = 2


class _NotLinearError(Exception):
    """Some value is neither."""


def is_linear(
    functions: Mapping[str, Function], name: str, params: Sequence[int], prims: PrimitiveSet
) -> bool:
    """Whether the float results of a function are linear in the parameters at these positions."""
    function = functions[name]
    given = [Kind.LINEAR if k in params else Kind.CONSTANT for k in range(len(function.params))]
    return _is_linear(_Walk(functions, prims), function, given)


def _is_linear(walk: _Walk, function: Function, given: Sequence[Kind]) -> bool:
    try:
        found = walk.function(function.name, given)
    except _NotLinearError:
        return False
    pairs = zip(found, function.body.results, strict=True)
    return all(kind is not Kind.CONSTANT for kind, atom in pairs if atom.type.is_float)


def _join(kinds: Sequence[Kind]) -> Kind:
    """The kind of a sum, or of a value that is one of several."""
    if Kind.CONSTANT in kinds and Kind.LINEAR in kinds:
        raise _NotLinearError
    return max(kinds, default=Kind.ZERO)


def _product(a: Kind, b: Kind) -> Kind:
    if Kind.ZERO in (a, b):
        return Kind.ZERO
    if a is b is Kind.LINEAR:
        raise _NotLinearError
    return max(a, b)


@dataclass(slots=True)
class _Walk:
    """Goes through a function; `open` are the calls it is inside of: recursion is not followed.

    `rules` are the pullbacks that have been looked at, or are: such a rule may call the function
    that it is of.
    """

    functions: Mapping[str, Function]
    prims: PrimitiveSet
    open: set[str] = field(default_factory=set[str])
    kinds: dict[Var, Kind] = field(default_factory=dict[Var, Kind])
    rules: set[str] = field(default_factory=set[str])

    def function(self, name: str, given: Sequence[Kind]) -> list[Kind]:
        """The kinds of the results for those of the arguments."""
        function = self.functions[name]
        if name in self.open:
            raise _NotLinearError
        if function.custom is not None:
            self.ruled(function, function.custom)
        self.open.add(name)
        kinds = dict(zip(function.params, given, strict=True))
        walk = _Walk(self.functions, self.prims, self.open, kinds, self.rules)
        found = walk.block(function.body)
        self.open.discard(name)
        return found

    def ruled(self, function: Function, rule: CustomRule) -> None:
        """Goes through the rule by which a function is transposed, which may be another one."""
        if rule.pullback is None:
            raise _NotLinearError
        if rule.pullback in self.rules:
            return
        self.rules.add(rule.pullback)
        pullback = self.functions[rule.pullback]
        kept = len(self.functions[rule.rule].result_types) - len(function.result_types)
        given = [Kind.CONSTANT if k < kept else Kind.LINEAR for k in range(len(pullback.params))]
        if not _is_linear(_Walk(self.functions, self.prims, rules=self.rules), pullback, given):
            raise _NotLinearError

    def of(self, atom: Atom) -> Kind:
        """The kind of an atom; numbers but 0.0 are constants."""
        if isinstance(atom, Lit):
            return Kind.ZERO if atom.type.is_float and atom.value == 0.0 else Kind.CONSTANT
        return self.kinds[atom]

    def block(self, block: Block) -> list[Kind]:
        """The kinds of the results of a block."""
        for stm in block.stms:
            self.kinds.update(zip(stm.outs, self.expr(stm.expr, len(stm.outs)), strict=True))
        return [self.of(atom) for atom in block.results]

    def expr(self, expr: Expr, count: int) -> list[Kind]:
        """The kinds of what an expression gives."""
        given = [self.of(atom) for atom in atoms(expr)]
        if Kind.LINEAR not in given and isinstance(expr, Call | Jvp | Vjp):
            return [Kind.CONSTANT] * count
        match expr:
            case Prim():
                return [self.prim(expr, given)] * count
            case Call():
                return self.function(expr.function, given)
            case If():
                self.constant(expr.cond)
                pair = zip(self.block(expr.then), self.block(expr.orelse), strict=True)
                return [_join(kinds) for kinds in pair]
            case For():
                self.constant(expr.trips)
                self.kinds[expr.index] = Kind.CONSTANT
                return self.loop(expr.carried, expr.inits, expr.body)
            case While():
                found = self.loop(expr.carried, expr.inits, expr.body)
                if Kind.LINEAR in self.block(expr.cond):
                    raise _NotLinearError
                return found
            case Jvp() | Vjp():
                raise _NotLinearError
            case _:
                unhandled(expr)

    def constant(self, atom: Atom) -> None:
        if self.of(atom) is Kind.LINEAR:
            raise _NotLinearError

    def loop(self, carried: Sequence[Var], inits: Sequence[Atom], body: Block) -> list[Kind]:
        """Kinds only rise, so that this ends; sums come after the carried values."""
        now = [self.of(atom) for atom in inits]
        while True:
            self.kinds.update(zip(carried, now, strict=True))
            found = self.block(body)
            new = [_join(pair) for pair in zip(now, found, strict=False)]
            if new == now:
                return [*now, *found[len(now) :]]
            now = new

    def prim(self, expr: Prim, given: Sequence[Kind]) -> Kind:
        """The kind of the results of a primitive: what operand is in no product is a constant."""
        facts = self.prims[expr.op].facts
        linear = {
            k for k, kind in enumerate(given) if kind is Kind.LINEAR and k not in facts.shape_only
        }
        if facts.linear_in is None:
            if linear:
                raise _NotLinearError
            return Kind.CONSTANT
        terms = facts.linear_in.terms(len(given))
        factors = {k for term in terms for k in term if expr.args[k].type.is_float}
        if not linear <= factors:
            raise _NotLinearError
        return _join([reduce(_product, (given[k] for k in term)) for term in terms])
