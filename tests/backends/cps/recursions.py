"""Random programs of functions that call each other and themselves, in loops and conditions.

Every function takes what is left of its depth, a number and an array, and returns a number and the
array, which is written in place on the way.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from retrograd.ir.build import Builder
from retrograd.ir.check import check_program
from retrograd.ir.terms import Atom, Program, Var, flit, ilit
from retrograd.ir.types import BOOL, F64, I64
from retrograd.prims import DEFAULT
from tests.transforms.forms import F1, Maker, call, if_, loop, read, while_, write

__all__ = ["random_recursion"]

LEVELS = 2
"""Loops and branches inside each other, at most."""


class Draw:
    """One function under construction; `calls` is how many calls it may still have."""

    def __init__(self, rng: random.Random, names: list[str], calls: int) -> None:
        self.rng, self.names, self.calls = rng, names, calls

    def start(self, b: Builder, n: Var, s: Var, x: Var) -> list[Atom]:
        """A body that may write to its array."""
        return list(self.statements(b, n, s, b.prim("copy", x), 0))

    def statements(self, b: Builder, n: Atom, s: Atom, x: Atom, level: int) -> tuple[Atom, Atom]:
        for _ in range(self.rng.randrange(1, 4)):
            s, x = self.statement(b, n, s, x, level)
        return s, x

    def statement(self, b: Builder, n: Atom, s: Atom, x: Atom, level: int) -> tuple[Atom, Atom]:
        kinds = ["number", "write"]
        if self.calls > 0:
            kinds += ["call"] * 3
        if level < LEVELS:
            kinds += ["counted", "conditional", "branch"]
        match self.rng.choice(kinds):
            case "number":
                factor = flit(self.rng.uniform(-2.0, 2.0))
                return b.prim("tanh", b.prim("fma", s, factor, read(b, x, self.place()))), x
            case "write":
                return s, write(b, x, b.mul(s, flit(0.5)), self.place())
            case "call":
                self.calls -= 1
                s, x = call(b, self.rng.choice(self.names), (b.sub(n, ilit(1)), s, x), (F64, F1))
                return s, x
            case "counted":
                return self.counted(b, n, s, x, level + 1)
            case "conditional":
                return self.conditional(b, n, s, x, level + 1)
            case _:
                return self.branch(b, n, s, x, level + 1)

    def place(self) -> Atom:
        return ilit(self.rng.randrange(3))

    def counted(self, b: Builder, n: Atom, s: Atom, x: Atom, level: int) -> tuple[Atom, Atom]:
        sums = self.rng.randrange(2)

        def body(c: Builder, k: Var, t: Var, y: Var) -> list[Atom]:
            u, z = self.statements(c, n, t, y, level)
            return [u, z, *[c.prim("tanh", u)] * sums]

        trips = n if self.rng.random() < 0.4 else ilit(self.rng.randrange(4))
        t, y, *total = loop(b, trips, (s, x), body, sums)
        return (b.prim("tanh", b.add(t, total[0])) if total else t), y

    def conditional(self, b: Builder, n: Atom, s: Atom, x: Atom, level: int) -> tuple[Atom, Atom]:
        asks, most = self.rng.random() < 0.5, self.rng.randrange(1, 4)
        leaves = flit(self.rng.uniform(0.0, 1.0))

        def cond(c: Builder, k: Var, left: Var, t: Var, y: Var) -> list[Atom]:
            go = c.prim("lt", k, ilit(most))
            if asks:
                (go,) = call(c, "asked", (k, ilit(most)), (BOOL,))
            return [c.prim("and_", go, c.prim("not_", left))]

        def body(c: Builder, k: Var, left: Var, t: Var, y: Var) -> list[Atom]:
            u, z = self.statements(c, n, t, y, level)
            return [c.add(k, ilit(1)), c.prim("gt", u, leaves), u, z]

        left = b.prim("gt", s, flit(2.0))
        _, _, t, y = while_(b, (ilit(0), left, s, x), cond, body)
        return t, y

    def branch(self, b: Builder, n: Atom, s: Atom, x: Atom, level: int) -> tuple[Atom, Atom]:
        def side(c: Builder) -> list[Atom]:
            return list(self.statements(c, n, s, x, level))

        cond = b.prim("gt", s, flit(self.rng.uniform(-1.0, 1.0)))
        t, y = if_(b, cond, side, side)
        return t, y


def function(draw: Draw) -> Callable[..., list[Atom]]:
    """The body of a function that returns what it was given where it is called too deep."""

    def body(b: Builder, n: Var, s: Var, x: Var) -> list[Atom]:
        def deeper(c: Builder) -> list[Atom]:
            return list(draw.statements(c, n, s, x, 0))

        return list(if_(b, b.prim("le", n, ilit(0)), lambda c: [s, x], deeper))

    return body


def asked(b: Builder, k: Var, most: Var) -> list[Atom]:
    """Whether k < most, the long way round."""

    def deeper(c: Builder) -> list[Atom]:
        one = ilit(1)
        return list(call(c, "asked", (c.sub(k, one), c.sub(most, one)), (BOOL,)))

    return list(if_(b, b.prim("le", k, ilit(0)), lambda c: [c.prim("gt", most, k)], deeper))


def random_recursion(seed: int) -> Program:
    """f(n, number, array) -> number, array."""
    rng = random.Random(seed)
    maker = Maker()
    names = [f"g{k}" for k in range(rng.randrange(1, 4))]
    for name in names:
        maker.function(name, (I64, F64, F1), function(Draw(rng, names, 2)))
    maker.function("asked", (I64, I64), asked)
    maker.function("f", (I64, F64, F1), Draw(rng, names, 3).start)
    program = maker.program()
    check_program(program, DEFAULT)
    return program
