"""What integers are made of, so that two places can be told to be the same one.

An origin is an expression of indices of loops, by their depth, and of values from outside. Two
loops or functions that calculate an index in the same way from the same values have equal origins
for it; what is pushed on the tape and popped has one origin. Origins that differ may be equal
numbers nevertheless.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from retrograd.ir.terms import Atom, For, Lit, Prim, Stm, Var
from retrograd.prims.core import Effect, PrimitiveSet

__all__ = ["Key", "Origins"]

Key = tuple[object, ...]
"""An origin: ("loop", depth), ("is", name or number), or an operation, its parameters, operands."""


@dataclass(slots=True)
class Origins:
    """`made` has the origins that are known, `outside` what an array was called where it came from,
    and `pushed` the origins of what is on the tape, by site."""

    prims: PrimitiveSet
    made: dict[Var, Key] = field(default_factory=dict[Var, Key])
    outside: dict[Var, Atom] = field(default_factory=dict[Var, Atom])
    pushed: dict[str, tuple[Key, ...]] = field(default_factory=dict[str, tuple[Key, ...]])

    def key(self, atom: Atom) -> Key:
        """The origin of an atom."""
        if isinstance(atom, Lit):
            return ("is", atom.value)
        return self.made.get(atom, ("is", self.named(atom)))

    def named(self, atom: Var) -> str:
        """What an array was called where it came from; another variable's own name."""
        outside = self.outside.get(atom, atom)
        return outside.name if isinstance(outside, Var) else atom.name

    def enter(self, loop: For, depth: int) -> None:
        """The body of a loop in so many others."""
        self.made[loop.index] = ("loop", depth)
        for var, init in zip(loop.carried, loop.inits, strict=True):
            if isinstance(init, Var) and not var.type.is_scalar:
                self.outside[var] = self.outside.get(init, init)

    def call(self, params: Iterable[Var], args: Iterable[Atom], caller: Origins) -> None:
        """The body of a function that is called so."""
        for param, arg in zip(params, args, strict=True):
            self.made[param] = caller.key(arg)
            self.outside[param] = arg

    def learn(self, stm: Stm, expr: Prim) -> None:
        """Notes what a statement makes, and what a written array was called."""
        facts = self.prims[expr.op].facts
        if expr.op == "push":
            self.pushed[str(expr.param("site"))] = tuple(map(self.key, expr.args))
        elif expr.op == "pop":
            found = self.pushed.get(str(expr.param("site")), ())
            self.made.update(zip(stm.outs, found, strict=False))
        elif facts.writes and isinstance(expr.args[0], Var):
            self.outside[stm.outs[0]] = self.outside.get(expr.args[0], expr.args[0])
        elif self.prims[expr.op].effect in (Effect.PURE, Effect.CHECK) and len(stm.outs) == 1:
            # Of arithmetic that raises the reverse sweep need not know whether it does.
            name = facts.held if isinstance(facts.held, str) else expr.op
            self.made[stm.outs[0]] = (name, _said(expr), *map(self.key, expr.args))


def _said(expr: Prim) -> tuple[object, ...]:
    return tuple(p for p in expr.params if p[0] not in ("checked", "span"))
