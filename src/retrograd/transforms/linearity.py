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
)  # fmt: skip
from retrograd.ir.traverse import atoms

__all__ = ["is_linear"]


class Kind(IntEnum):
    """How a value depends on the parameters. Zero is both constant and linear."""

    ZERO = 0
    CONSTANT = 1
    LINEAR = 2


class _NotLinearError(Exception):
    """Some value is neither."""


_SAME = frozenset(
    """neg copy broadcast reshape transpose index slice reduce_sum sum_like array_of full
    convert""".split()
)
_SUMS = frozenset("add sub update update_slice add_at add_slice accumulate".split())
_SHAPES = frozenset("dim".split())


def is_linear(functions: Mapping[str, Function], name: str, params: Sequence[int]) -> bool:
    """Whether the float results of a function are linear in the parameters at these positions."""
    function = functions[name]
    given = [Kind.LINEAR if k in params else Kind.CONSTANT for k in range(len(function.params))]
    try:
        found = _Walk(functions).function(name, given)
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
    """Goes through a function; `open` are the calls it is inside of: recursion is not followed."""

    functions: Mapping[str, Function]
    open: set[str] = field(default_factory=set[str])
    kinds: dict[Var, Kind] = field(default_factory=dict[Var, Kind])

    def function(self, name: str, given: Sequence[Kind]) -> list[Kind]:
        """The kinds of the results for those of the arguments."""
        function = self.functions[name]
        if name in self.open or function.custom is not None:
            raise _NotLinearError
        self.open.add(name)
        kinds = dict(zip(function.params, given, strict=True))
        found = _Walk(self.functions, self.open, kinds).block(function.body)
        self.open.discard(name)
        return found

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
        if Kind.LINEAR not in given and isinstance(expr, Prim | Call | Jvp | Vjp):
            return [self.free(expr, given)] * count
        match expr:
            case Prim():
                return [self.prim(expr.op, expr, given)] * count
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

    def free(self, expr: Prim | Call | Jvp | Vjp, given: Sequence[Kind]) -> Kind:
        """The kind of something without linear arguments."""
        if isinstance(expr, Prim):
            if expr.op == "zeros":
                return Kind.ZERO
            if expr.op in _SAME and given[0] is Kind.ZERO:
                return Kind.ZERO
            if expr.op in _SUMS and self.summands(expr, given) == {Kind.ZERO}:
                return Kind.ZERO
            if expr.op == "mul":
                return _product(*given)
        return Kind.CONSTANT

    def summands(self, expr: Prim, given: Sequence[Kind]) -> set[Kind]:
        """The kinds of the float arguments; the others are indices."""
        pairs = zip(expr.args, given, strict=True)
        return {kind for atom, kind in pairs if atom.type.is_float}

    def prim(self, op: str, expr: Prim, given: Sequence[Kind]) -> Kind:
        """The kind of the results of a primitive of which some argument is linear."""
        pairs = zip(expr.args, given, strict=True)
        if any(kind is Kind.LINEAR for atom, kind in pairs if not atom.type.is_float):
            raise _NotLinearError
        match op:
            case _ if op in _SHAPES:
                return Kind.CONSTANT
            case _ if op in _SAME or op in _SUMS:
                return _join(sorted(self.summands(expr, given)))
            case "mul" | "matmul":
                return _product(*given)
            case "fma":
                return _join([_product(given[0], given[1]), given[2]])
            case "div" if given[1] is not Kind.LINEAR:
                return given[0]
            case "select" if given[0] is not Kind.LINEAR:
                return _join(given[1:])
            case _:
                raise _NotLinearError
