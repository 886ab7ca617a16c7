"""Random programs of the typed language: arrays that are copied, shared, consumed and handed on.

Statements are drawn without regard to who consumed what; the checker sorts out the programs that
are not linear, and what is left is dense in aliases.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retrograd.errors import CompilerBug
from retrograd.ir.build import Builder
from retrograd.ir.check import check_program
from retrograd.ir.terms import Atom, Program, Var, flit, ilit
from retrograd.ir.types import F64
from retrograd.prims import DEFAULT
from tests.transforms.forms import F1, Maker, call, if_, loop, read, while_, write

SIMPLE = ("shift", "copy", "sine", "write", "times", "add_up", "assign", "read", "total", "zeros")
NESTED = ("branch", "counted", "summed", "conditional", "function")
DEPTH = 3


@dataclass
class Scope:
    """One block under construction: arrays and scalars that it may mention."""

    rng: random.Random
    b: Builder
    arrays: list[Atom]
    scalars: list[Atom]
    depth: int

    def inside(self, b: Builder, arrays: Sequence[Atom], scalars: Sequence[Atom]) -> Scope:
        return Scope(self.rng, b, list(arrays), [*self.scalars, *scalars], self.depth + 1)

    def fill(self, count: int) -> Scope:
        for _ in range(count):
            self.statement()
        return self

    def array(self) -> Atom:
        """An array that is given away."""
        if self.arrays:
            return self.arrays.pop(self.rng.randrange(len(self.arrays)))
        return self.b.prim("full", self.scalar(), ilit(3))

    def scalar(self) -> Atom:
        return self.rng.choice(self.scalars)

    def squashed(self) -> Atom:
        return self.b.prim("tanh", self.scalar())

    def statement(self) -> None:
        kind = self.rng.choice(SIMPLE if self.depth >= DEPTH else (*SIMPLE, *NESTED))
        if not self.arrays:
            self.arrays.append(self.array())
        if kind in NESTED:
            NESTED_FORMS[kind](self)
        else:
            self.simple(kind)

    def simple(self, kind: str) -> None:
        b, x = self.b, self.rng.choice(self.arrays)
        place = ilit(self.rng.randrange(3))
        match kind:
            case "shift":
                self.arrays.append(b.prim(self.rng.choice(("add", "sub")), x, flit(0.5)))
            case "copy":
                self.arrays.append(b.prim("copy", x))
            case "sine":
                self.arrays.append(b.prim("sin", x))
            case "zeros":
                self.arrays.append(b.prim("zeros", ilit(3), dtype="f64"))
            case "times":
                self.arrays.append(b.prim("sin", b.mul(x, self.rng.choice(self.arrays))))
            case "read":
                self.scalars.append(b.prim("tanh", b.mul(self.scalar(), read(b, x, place))))
            case "total":
                total = b.prim("reduce_sum", x, axes=(0,), keepdims=False)
                self.scalars.append(b.prim("tanh", total))
            case "write":
                self.arrays.append(write(b, self.array(), self.scalar(), place))
            case _:
                self.take_over(kind)

    def take_over(self, kind: str) -> None:
        into = self.array()
        source = self.rng.choice(self.arrays) if self.arrays else self.array()
        if kind == "add_up":
            self.arrays.append(self.b.prim("accumulate", into, source))
        else:
            self.arrays.append(self.b.prim("update_slice", into, source, spec="a"))


def branch(scope: Scope) -> None:
    count = scope.rng.randrange(3)

    def side(b: Builder) -> list[Atom]:
        inner = scope.inside(b, scope.arrays, ()).fill(scope.rng.randrange(4))
        return [*(inner.array() for _ in range(count)), inner.scalar()]

    cond = scope.b.prim("gt", scope.scalar(), flit(scope.rng.uniform(-1, 1)))
    *arrays, scalar = if_(scope.b, cond, side, side)
    scope.arrays = [x for x in scope.arrays if scope.rng.random() < 0.3] + arrays
    scope.scalars.append(scalar)


def counted(scope: Scope, sums: int = 0) -> None:
    count = scope.rng.randrange(3)
    inits = [scope.array() for _ in range(count)]

    def body(b: Builder, k: Var, *carried: Var) -> list[Atom]:
        inner = scope.inside(b, carried[:count], carried[count:])
        inner.arrays += [b.prim("add", x, flit(1.0)) for x in scope.arrays]
        inner.fill(scope.rng.randrange(1, 5))
        values = [
            x if x in inner.arrays and scope.rng.random() < 0.3 else None for x in carried[:count]
        ]
        inner.arrays = [x for x in inner.arrays if x not in values]
        results = [inner.array() if x is None else x for x in values]
        return [*results, inner.squashed(), *(inner.squashed() for _ in range(sums))]

    trips = ilit(scope.rng.randrange(4))
    outs = loop(scope.b, trips, (*inits, scope.scalar()), body, sums)
    scope.arrays += outs[:count]
    scope.scalars += outs[count:]


def conditional(scope: Scope) -> None:
    init = scope.array()

    def body(b: Builder, x: Var, s: Var, count: Var) -> list[Atom]:
        inner = scope.inside(b, (x,), (s,)).fill(scope.rng.randrange(1, 4))
        return [inner.array(), inner.squashed(), b.prim("add", count, ilit(1))]

    def cond(b: Builder, x: Var, s: Var, count: Var) -> list[Atom]:
        return [b.prim("lt", count, ilit(2))]

    array, scalar, _ = while_(scope.b, (init, scope.scalar(), ilit(0)), cond, body)
    scope.arrays.append(array)
    scope.scalars.append(scalar)


def function(scope: Scope) -> None:
    array, scalar = call(scope.b, "g", (scope.array(), scope.scalar()), (F1, F64))
    scope.arrays.append(array)
    scope.scalars.append(scalar)


NESTED_FORMS: dict[str, Callable[[Scope], None]] = {
    "branch": branch,
    "counted": counted,
    "summed": lambda scope: counted(scope, 1),
    "conditional": conditional,
    "function": function,
}


def random_program(seed: int) -> Program | None:
    """f(array, array, scalar) -> arrays and scalars; None where the draw is not linear."""
    rng = random.Random(seed)
    maker = Maker()

    def small(b: Builder, x: Var, s: Var) -> list[Atom]:
        scope = Scope(rng, b, [x], [s], DEPTH).fill(4)
        return [scope.array(), scope.scalar()]

    def large(b: Builder, x: Var, y: Var, s: Var) -> list[Atom]:
        scope = Scope(rng, b, [x, y], [s, flit(0.3)], 0).fill(10)
        return [*scope.arrays, *scope.scalars[-3:]]

    maker.function("g", (F1, F64), small)
    maker.function("f", (F1, F1, F64), large)
    program = maker.program()
    try:
        check_program(program, DEFAULT)
    except CompilerBug:
        return None
    return program
