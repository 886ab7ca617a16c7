"""Small programs over every form of the language, for tests of transformations."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    CustomRule,
    For,
    Function,
    If,
    Program,
    Var,
    While,
    flit,
    ilit,
)
from retrograd.ir.types import BOOL, F64, I64, Type
from retrograd.prims import DEFAULT

F1 = Type(F64.dtype, 1)

Body = Callable[..., Sequence[Atom]]


class Maker:
    """Writes programs: one name supply for all functions."""

    def __init__(self) -> None:
        self.names = NameSupply()
        self.functions: list[Function] = []

    def function(
        self, name: str, types: Sequence[Type], body: Body, custom: CustomRule | None = None
    ) -> None:
        params = tuple(self.names.var("x", t) for t in types)
        b = Builder(self.names, DEFAULT.result_types)
        results = body(b, *params)
        self.functions.append(Function(name, params, b.block(results), custom))

    def program(self, entry: str = "f") -> Program:
        return Program(tuple(self.functions), entry)


def block(b: Builder, body: Body, *args: Var) -> Block:
    inner = b.inner()
    return inner.block(body(inner, *args))


def loop(
    b: Builder, trips: Atom, inits: Sequence[Atom], body: Body, sums: int = 0
) -> tuple[Var, ...]:
    index = b.names.var("k", I64)
    carried = tuple(b.names.var("c", a.type) for a in inits)
    types = (*(a.type for a in inits), *(F64,) * sums)
    expr = For(index, trips, carried, tuple(inits), block(b, body, index, *carried), sums)
    return b.bind(expr, types)


def while_(b: Builder, inits: Sequence[Atom], cond: Body, body: Body) -> tuple[Var, ...]:
    carried = tuple(b.names.var("c", a.type) for a in inits)
    expr = While(carried, tuple(inits), block(b, cond, *carried), block(b, body, *carried))
    return b.bind(expr, [a.type for a in inits])


def if_(b: Builder, cond: Atom, then: Body, orelse: Body) -> tuple[Var, ...]:
    one, two = block(b, then), block(b, orelse)
    return b.bind(If(cond, one, two), [a.type for a in one.results])


def call(b: Builder, name: str, args: Sequence[Atom], types: Sequence[Type]) -> tuple[Var, ...]:
    return b.bind(Call(name, tuple(args)), types)


def one(body: Body, *types: Type) -> Program:
    maker = Maker()
    maker.function("f", types, body)
    return maker.program()


def read(b: Builder, x: Atom, k: Atom) -> Atom:
    return b.prim("index", x, k, checked=False, span=None)


def write(b: Builder, x: Atom, value: Atom, k: Atom) -> Atom:
    return b.prim("update", x, value, k, checked=False, span=None)


def scalar_chain() -> Program:
    return one(lambda b, x, y: [b.mul(b.prim("sin", x), b.prim("exp", y)), b.sub(x, y)], F64, F64)


def power_loop() -> Program:
    """The second carried value is inactive at first and becomes active in the loop."""

    def body(b: Builder, x: Var) -> Sequence[Atom]:
        def step(i: Builder, k: Var, p: Var, s: Var) -> Sequence[Atom]:
            return [i.mul(p, x), i.add(s, i.mul(p, i.prim("convert", k, dtype="f64")))]

        return loop(b, ilit(5), (flit(1.0), flit(0.0)), step)

    return one(body, F64)


def in_place() -> Program:
    """y = copy of x + 1; y[k] = y[k-1] * x[k]; x is still read."""

    def body(b: Builder, x: Var) -> Sequence[Atom]:
        y = b.prim("add", x, flit(1.0))
        n = b.prim("dim", x, axis=0)

        def step(i: Builder, k: Var, held: Var) -> Sequence[Atom]:
            before = read(i, held, k)
            value = i.mul(before, read(i, x, k))
            return [write(i, held, value, i.add(k, ilit(1)))]

        (y,) = loop(b, b.prim("sub", n, ilit(1)), (y,), step)
        return [y, b.prim("reduce_sum", b.mul(x, y), axes=(0,), keepdims=False)]

    return one(body, F1)


def aliases() -> Program:
    """Tangents that several primals share, consumed one after the other."""

    def body(b: Builder, x: Var) -> Sequence[Atom]:
        y = b.prim("add", x, flit(1.0))
        z = b.prim("sub", x, flit(2.0))
        w = b.prim("copy", y)
        y = write(b, y, b.mul(read(b, z, ilit(0)), flit(3.0)), ilit(1))
        z = write(b, z, read(b, y, ilit(1)), ilit(0))
        return [x, y, z, w]

    return one(body, F1)


def sums() -> Program:
    def body(b: Builder, x: Var) -> Sequence[Atom]:
        def step(i: Builder, k: Var, c: Var) -> Sequence[Atom]:
            kf = i.prim("convert", k, dtype="f64")
            return [i.mul(c, flit(0.9)), i.prim("sin", i.mul(c, kf)), kf, i.mul(x, c)]

        return loop(b, ilit(40), (x,), step, sums=3)

    return one(body, F64)


def fixed_point() -> Program:
    """A data-dependent loop: x -> cos(a x) until it stays."""

    def body(b: Builder, a: Var) -> Sequence[Atom]:
        def cond(i: Builder, x: Var, count: Var) -> Sequence[Atom]:
            far = i.prim("gt", i.prim("abs", i.sub(x, i.prim("cos", i.mul(a, x)))), flit(1e-12))
            return [i.prim("and_", far, i.prim("lt", count, ilit(200)))]

        def step(i: Builder, x: Var, count: Var) -> Sequence[Atom]:
            return [i.prim("cos", i.mul(a, x)), i.prim("add", count, ilit(1))]

        return while_(b, (flit(0.5), ilit(0)), cond, step)

    return one(body, F64)


def branches() -> Program:
    """One side gives a constant, as scalar and as array; the other side hands on and consumes."""

    def body(b: Builder, x: Var, v: Var) -> Sequence[Atom]:
        hot = b.prim("gt", x, flit(0.0))
        dims = b.dims(v)

        def then(i: Builder) -> Sequence[Atom]:
            return [i.mul(x, x), write(i, v, x, ilit(0))]

        def orelse(i: Builder) -> Sequence[Atom]:
            return [flit(3.0), i.prim("full", flit(7.0), *dims)]

        return if_(b, hot, then, orelse)

    return one(body, F64, F1)


def recursion() -> Program:
    """f(x, n) = x * g(x, n - 1), g(x, n) = sin(f(x, n - 1)); both 1 at n <= 0."""
    maker = Maker()
    for name, other in (("f", "g"), ("g", "f")):

        def body(b: Builder, x: Var, n: Var, name: str = name, other: str = other) -> list[Atom]:
            def deeper(i: Builder) -> Sequence[Atom]:
                (inner,) = call(i, other, (x, i.prim("sub", n, ilit(1))), (F64,))
                return [i.mul(x, inner) if name == "f" else i.prim("sin", inner)]

            return list(if_(b, b.prim("gt", n, ilit(0)), deeper, lambda i: [flit(1.0)]))

        maker.function(name, (F64, I64), body)
    return maker.program()


def consuming_call() -> Program:
    """The callee writes into its argument; the caller gives it one that shares its tangent."""
    maker = Maker()
    maker.function("fill", (F1, F64), lambda b, v, a: [write(b, v, b.mul(a, a), ilit(1))])

    def body(b: Builder, x: Var, a: Var) -> Sequence[Atom]:
        y = b.prim("add", x, flit(1.0))
        (y,) = call(b, "fill", (y, a), (F1,))
        z = b.prim("copy", x)
        (z,) = call(b, "fill", (z, flit(2.0)), (F1,))
        return [b.mul(y, x), z]

    maker.function("f", (F1, F64), body)
    return maker.program()


def mixed_types() -> Program:
    """Integers and booleans next to floats; a path through an integer has no tangent."""

    def body(b: Builder, x: Var, n: Var, c: Var) -> Sequence[Atom]:
        m = b.prim("convert", x, dtype="i64")
        y = b.prim("select", c, b.mul(x, b.prim("convert", n, dtype="f64")), flit(1.0))
        return [m, y, b.prim("not_", c), b.prim("convert", m, dtype="f64")]

    return one(body, F64, I64, BOOL)


def carried_swap() -> Program:
    """Two arrays change places in every iteration, one more is carried unchanged."""

    def body(b: Builder, x: Var, y: Var) -> Sequence[Atom]:
        own, other = b.prim("copy", x), b.prim("mul", y, flit(2.0))

        def step(i: Builder, k: Var, p: Var, q: Var, same: Var) -> Sequence[Atom]:
            p = write(i, p, i.mul(read(i, q, ilit(0)), read(i, same, ilit(1))), ilit(1))
            return [q, p, same]

        return loop(b, ilit(3), (own, other, b.prim("copy", y)), step)

    return one(body, F1, F1)


def handed_on() -> Program:
    """Arrays that share a tangent; one of them keeps its array through a loop and a branch."""

    def body(b: Builder, x: Var, s: Var) -> Sequence[Atom]:
        y = b.prim("add", x, flit(0.5))

        def step(i: Builder, k: Var, same: Var, t: Var) -> Sequence[Atom]:
            near, far = i.prim("copy", same), i.prim("sub", same, flit(0.5))
            total = i.prim("reduce_sum", i.mul(near, far), axes=(0,), keepdims=False)

            def side(j: Builder) -> Sequence[Atom]:
                return [near, same]

            one_, two = if_(i, i.prim("gt", t, flit(0.0)), side, side)
            product = i.prim("reduce_sum", i.mul(one_, two), axes=(0,), keepdims=False)
            return [same, i.prim("sin", i.add(total, i.mul(product, t)))]

        y, t = loop(b, ilit(2), (y, s), step)
        y = write(b, y, t, ilit(0))
        return [x, y]

    return one(body, F1, F64)
