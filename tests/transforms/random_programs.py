"""Random well-typed, linear programs for the passes, with every construct of the language."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    For,
    Function,
    If,
    Program,
    Var,
    While,
    false,
    flit,
    ilit,
    true,
)
from retrograd.ir.types import BOOL, F64, I64, DType, Type
from retrograd.prims import DEFAULT

__all__ = ["F1", "random_program"]

F1 = Type(DType.F64, 1)
FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.25)


@dataclass
class Scope:
    """What a block may mention. Arrays in `mine` may be consumed here, the others only read."""

    values: dict[Type, list[Atom]] = field(default_factory=dict)
    mine: list[Var] = field(default_factory=list)
    read: list[Var] = field(default_factory=list)

    def inner(self) -> Scope:
        """The scope of a loop body: it may consume nothing from outside."""
        return Scope({t: list(v) for t, v in self.values.items()}, [], [*self.read, *self.mine])

    def branch(self) -> Scope:
        return Scope({t: list(v) for t, v in self.values.items()}, list(self.mine), list(self.read))


class Maker:
    """Draws programs; `functions` are those made so far, with the parameters they consume."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.names = NameSupply()
        self.functions: list[Function] = []

    def atom(self, scope: Scope, type_: Type) -> Atom:
        known = scope.values.get(type_, [])
        if known and self.random.random() < 0.85:
            return self.random.choice(known[-6:] if self.random.random() < 0.5 else known)
        match type_.dtype:
            case DType.F64:
                return flit(self.random.choice(FLOATS))
            case DType.I64:
                return ilit(self.random.randint(-2, 4))
            case DType.BOOL:
                return self.random.choice([true, false])

    def keep(self, scope: Scope, var: Var) -> None:
        if var.type.is_scalar:
            scope.values.setdefault(var.type, []).append(var)
        else:
            scope.mine.append(var)

    def array(self, b: Builder, scope: Scope) -> Var:
        if not scope.mine and not scope.read:
            self.keep(scope, b.prim("zeros", ilit(3), dtype="f64"))
        return self.random.choice([*scope.mine, *scope.read])

    def owned(self, b: Builder, scope: Scope) -> Var:
        """An array that the caller may consume; the scope has lost it."""
        if scope.mine and self.random.random() < 0.7:
            return scope.mine.pop(self.random.randrange(len(scope.mine)))
        return b.prim("copy", self.array(b, scope))

    # Statements.

    def float_stm(self, b: Builder, s: Scope) -> None:
        op = self.random.choice(
            "add add sub mul mul neg abs maximum select pow exp fma div".split()
        )
        arity = {"neg": 1, "abs": 1, "exp": 1, "fma": 3}.get(op, 2)
        args = [self.atom(s, F64) for _ in range(arity)]
        if op == "select":
            args = [self.atom(s, BOOL), *args]
        if op == "pow":
            args[1] = flit(self.random.choice([0.0, 1.0, 2.0, -1.0]))
        self.keep(s, b.prim(op, *args))

    def int_stm(self, b: Builder, s: Scope) -> None:
        op = self.random.choice("iadd isub imul imin imax mod floordiv add wrap neg".split())
        args = [self.atom(s, I64) for _ in range(1 if op == "neg" else 2)]
        params = {"span": None} if op in ("iadd", "isub", "imul") else {}
        self.keep(s, b.prim(op, *args, **params))

    def bool_stm(self, b: Builder, s: Scope) -> None:
        op = self.random.choice("lt le eq ge gt ne and_ or_ not_".split())
        if op in ("and_", "or_", "not_"):
            args = [self.atom(s, BOOL) for _ in range(1 if op == "not_" else 2)]
        else:
            type_ = self.random.choice([F64, I64, I64])
            args = [self.atom(s, type_), self.atom(s, type_)]
        self.keep(s, b.prim(op, *args))

    def place(self, b: Builder, s: Scope, x: Var) -> Atom:
        n = b.prim("dim", x, axis=0)
        place: Atom = self.atom(s, I64)
        if self.random.random() < 0.8:
            place = b.prim("mod", place, n)
        if self.random.random() < 0.3:
            place = b.prim("wrap", place, n)
        if self.random.random() < 0.2:
            b.effect("check_index", place, n, span=None)
        return place

    def array_stm(self, b: Builder, s: Scope) -> None:
        match self.random.choice("read read write new copy sum dim zeros add_at".split()):
            case "read":
                x = self.array(b, s)
                place = self.place(b, s, x)
                self.keep(s, b.prim("index", x, place, checked=True, span=None))
            case "write":
                x = self.owned(b, s)
                place, value = self.place(b, s, x), self.atom(s, F64)
                self.keep(s, b.prim("update", x, value, place, checked=True, span=None))
            case "new":
                x, y = self.array(b, s), self.array(b, s)
                op = self.random.choice(["mul", "add"])
                other: Atom = self.atom(s, F64) if self.random.random() < 0.5 else y
                self.keep(s, b.prim(op, x, other))
            case "copy":
                self.keep(s, b.prim("copy", self.array(b, s)))
            case "sum":
                self.keep(s, b.prim("reduce_sum", self.array(b, s), axes=(0,), keepdims=False))
            case "dim":
                self.keep(s, b.prim("dim", self.array(b, s), axis=0))
            case "zeros":
                n = b.prim("dim", self.array(b, s), axis=0)
                self.keep(s, b.prim("zeros", n, dtype="f64"))
            case _:
                x, y = self.owned(b, s), self.atom(s, F64)
                n = b.prim("dim", x, axis=0)
                place = b.prim("mod", self.atom(s, I64), n)
                b.effect("check_index", place, n, span=None)
                self.keep(s, b.prim("add_at", x, y, place))

    # Control.

    def results(self, b: Builder, s: Scope, types: list[Type]) -> list[Atom]:
        return [self.atom(s, t) if t.is_scalar else self.owned(b, s) for t in types]

    def body(self, b: Builder, s: Scope, types: list[Type], depth: int) -> Block:
        self.stms(b, s, depth)
        return b.block(self.results(b, s, types))

    def types(self) -> list[Type]:
        return [
            self.random.choice([F64, F64, I64, BOOL, F1]) for _ in range(self.random.randint(0, 3))
        ]

    def if_stm(self, b: Builder, s: Scope, depth: int) -> None:
        types = self.types()
        cond = self.atom(s, BOOL)
        one, two = s.branch(), s.branch()
        then = self.body(b.inner(), one, types, depth)
        orelse = self.body(b.inner(), two, types, depth)
        s.mine = [x for x in s.mine if x in one.mine and x in two.mine]
        for out in b.bind(If(cond, then, orelse), types):
            self.keep(s, out)

    def carried(self, b: Builder, s: Scope) -> tuple[list[Type], tuple[Var, ...], tuple[Atom, ...]]:
        types = self.types()
        inits = tuple(self.results(b, s, types))
        return types, tuple(self.names.var("c", t) for t in types), inits

    def step(self, b: Builder, s: Scope, types: list[Type], carried: tuple[Var, ...]) -> list[Atom]:
        """Results of a body; often the carried value itself, or it plus a constant."""
        found: list[Atom] = []
        for type_, var in zip(types, carried, strict=True):
            chance = self.random.random()
            if type_ == I64 and chance < 0.5:
                op, by = self.random.choice(["iadd", "isub"]), ilit(self.random.randint(0, 2))
                found.append(b.prim(op, var, by, span=None))
            elif not type_.is_scalar:
                found.append(self.owned(b, s))
            else:
                found.append(var if chance < 0.6 else self.atom(s, type_))
        return found

    def for_stm(self, b: Builder, s: Scope, depth: int) -> None:
        trips: Atom = ilit(self.random.randint(-1, 3))
        if self.random.random() < 0.6:
            trips = b.prim("dim", self.array(b, s), axis=0)
            if self.random.random() < 0.4:
                trips = b.prim("isub", trips, ilit(1), span=None)
        types, carried, inits = self.carried(b, s)
        index, sums = self.names.var("i", I64), self.random.choice([0, 0, 1])
        c, inside = b.inner(), s.inner()
        for var in (index, *carried):
            self.keep(inside, var)
        self.stms(c, inside, depth)
        results = self.step(c, inside, types, carried)
        results += [self.atom(inside, F64) for _ in range(sums)]
        descending = self.random.random() < 0.2
        loop = For(index, trips, carried, inits, c.block(results), sums, descending)
        for out in b.bind(loop, [*types, *[F64] * sums]):
            self.keep(s, out)

    def while_stm(self, b: Builder, s: Scope, depth: int) -> None:
        types, carried, inits = self.carried(b, s)
        counter = self.names.var("k", I64)
        c, inside = b.inner(), s.inner()
        for var in (counter, *carried):
            self.keep(inside, var)
        go = c.prim("lt", counter, ilit(self.random.randint(0, 4)))
        if self.random.random() < 0.3:
            go = c.prim("and_", go, self.atom(inside, BOOL))
        cond = c.block((go,))
        d = b.inner()
        inside = s.inner()
        for var in (counter, *carried):
            self.keep(inside, var)
        self.stms(d, inside, depth)
        results = self.step(d, inside, types, carried)
        following = d.prim("iadd", counter, ilit(1), span=None)
        loop = While((counter, *carried), (ilit(0), *inits), cond, d.block((following, *results)))
        for out in b.bind(loop, [I64, *types]):
            self.keep(s, out)

    def call_stm(self, b: Builder, s: Scope) -> None:
        if not self.functions:
            return
        callee = self.random.choice(self.functions)
        args = tuple(
            self.atom(s, p.type) if p.type.is_scalar else self.owned(b, s) for p in callee.params
        )
        for out in b.bind(Call(callee.name, args), callee.result_types):
            self.keep(s, out)

    def stms(self, b: Builder, s: Scope, depth: int) -> None:
        for _ in range(self.random.randint(1, 9)):
            chance = self.random.random()
            if chance < 0.2:
                self.float_stm(b, s)
            elif chance < 0.38:
                self.int_stm(b, s)
            elif chance < 0.48:
                self.bool_stm(b, s)
            elif chance < 0.72 or depth == 0:
                self.array_stm(b, s)
            elif chance < 0.8:
                self.if_stm(b, s, depth - 1)
            elif chance < 0.9:
                self.for_stm(b, s, depth - 1)
            elif chance < 0.95:
                self.while_stm(b, s, depth - 1)
            else:
                self.call_stm(b, s)

    def function(self, name: str, depth: int) -> Function:
        params = tuple(
            self.names.var(h, t) for h, t in (("x", F1), ("y", F1), ("a", F64), ("n", I64))
        )
        b, s = Builder(self.names, DEFAULT.result_types), Scope()
        for param in params:
            self.keep(s, param)
        body = self.body(b, s, [F64, I64, F1], depth)
        return Function(name, params, body)


def random_program(random: Random) -> Program:
    """A program of up to three functions whose entry takes two arrays, a float and an int."""
    maker = Maker(random)
    for k in range(random.randint(0, 2)):
        maker.functions.append(maker.function(f"g{k}", 1))
    main = maker.function("main", 3)
    return Program((main, *maker.functions), "main")
