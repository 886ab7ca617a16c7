"""Hypothesis strategies of arbitrary terms: every field is exercised, nothing has to make sense.

Only scope is respected, since the text form finds a variable's type where it is bound.
"""

from __future__ import annotations

from hypothesis import strategies as st

from retrograd.errors import Span
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    Checkpointed,
    CustomRule,
    Expr,
    For,
    Function,
    If,
    Jvp,
    Lit,
    Param,
    Prim,
    Program,
    Prov,
    Stm,
    Var,
    Vjp,
    While,
)
from retrograd.ir.types import BOOL, F64, I64, DType, Type

__all__ = ["params", "programs"]

TYPES = st.builds(Type, st.sampled_from(DType), st.integers(0, 3))
ODD_NAMES = ["for", "nan", "a b", "x`y", "λ", "<lambda>", "m.f", "", "\\", "call", "é\n"]
STEMS = st.one_of(st.sampled_from(ODD_NAMES), st.from_regex(r"\A[a-z_]{1,4}\Z"))
FLOATS = st.one_of(st.floats(), st.sampled_from([0.0, -0.0, 1e300, 5e-324, float("-inf")]))
LITERALS: st.SearchStrategy[Atom] = st.one_of(
    st.builds(Lit, FLOATS, st.just(F64)),
    st.builds(Lit, st.integers(-(2**63), 2**63 - 1), st.just(I64)),
    st.builds(Lit, st.booleans(), st.just(BOOL)),
)
SPANS = st.builds(
    Span,
    st.text(max_size=5),
    *([st.integers(0, 999)] * 4),
)
params: st.SearchStrategy[Param] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), FLOATS, st.text(max_size=8), SPANS),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=4,
)
POINTS = st.one_of(st.none(), st.integers(0, 9))
EXECUTIONS = st.builds(Checkpointed, STEMS, st.text(max_size=5))
MARKS = st.builds(
    Prov,
    checkpoints=st.lists(EXECUTIONS, max_size=2).map(tuple),
    names=st.lists(st.tuples(st.integers(0, 2), st.text(max_size=5)), max_size=1).map(tuple),
)


class Maker:
    """Draws terms; keeps the number that makes each name unique."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.count = 0

    def var(self, type_: Type | None = None) -> Var:
        self.count += 1
        name = f"{self.draw(STEMS)}{self.count}"
        return Var(name, self.draw(TYPES) if type_ is None else type_)

    def atom(self, scope: list[Var]) -> Atom:
        return self.draw(st.one_of(LITERALS, st.sampled_from(scope)) if scope else LITERALS)

    def atoms(self, scope: list[Var]) -> tuple[Atom, ...]:
        return tuple(self.atom(scope) for _ in range(self.draw(st.integers(0, 3))))

    def maybe(self, scope: list[Var]) -> tuple[Atom | None, ...]:
        return tuple(a if self.draw(st.booleans()) else None for a in self.atoms(scope))

    def carried(self, scope: list[Var]) -> tuple[tuple[Var, ...], tuple[Atom, ...]]:
        inits = self.atoms(scope)
        return tuple(self.var() for _ in inits), inits

    def expr(self, scope: list[Var], depth: int) -> Expr:
        draw = self.draw
        kind = draw(st.sampled_from("prim prim prim call jvp vjp if for while".split()))
        name = draw(STEMS)
        match kind if depth else "prim":
            case "call":
                return Call(name, self.atoms(scope), draw(POINTS))
            case "jvp":
                return Jvp(name, self.atoms(scope), self.maybe(scope))
            case "vjp":
                wrt = tuple(draw(st.lists(st.integers(0, 5), max_size=3)))
                return Vjp(name, self.atoms(scope), self.maybe(scope), wrt)
            case "if":
                cond = self.atom(scope)
                return If(cond, self.block(scope, depth - 1), self.block(scope, depth - 1))
            case "for":
                trips = self.atom(scope)
                vars_, inits = self.carried(scope)
                index = self.var(draw(st.sampled_from([I64, F64])))
                body = self.block([*scope, *vars_, index], depth - 1)
                flags = draw(
                    st.tuples(
                        st.integers(0, 2), st.booleans(), st.booleans(), POINTS, st.booleans()
                    )
                )
                return For(index, trips, vars_, inits, body, *flags)
            case "while":
                vars_, inits = self.carried(scope)
                inner = [*scope, *vars_]
                cond = self.block(inner, depth - 1)
                return While(vars_, inits, cond, self.block(inner, depth - 1), draw(POINTS))
            case _:
                keys = draw(st.lists(st.from_regex(r"\A[a-z]{1,5}\Z"), max_size=3))
                return Prim(name, self.atoms(scope), tuple((k, draw(params)) for k in keys))

    def block(self, scope: list[Var], depth: int) -> Block:
        scope = list(scope)
        stms: list[Stm] = []
        for _ in range(self.draw(st.integers(0, 3))):
            expr = self.expr(scope, depth)
            outs = tuple(self.var() for _ in range(self.draw(st.integers(0, 2))))
            stms.append(Stm(outs, expr, self.draw(MARKS)))
            scope += outs
        return Block(tuple(stms), self.atoms(scope))

    def function(self, name: str) -> Function:
        args = tuple(self.var() for _ in range(self.draw(st.integers(0, 3))))
        kinds, places = st.sampled_from(["jvp", "vjp", "inverse"]), st.lists(st.integers(0, 3))
        rule = st.builds(CustomRule, kinds, STEMS, st.none() | STEMS, places.map(tuple))
        body = self.block(list(args), 3)
        return Function(name, args, body, self.draw(st.none() | rule))


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A program whose functions bind every name once."""
    maker = Maker(draw)
    names = draw(st.lists(STEMS, min_size=1, max_size=3, unique=True))
    return Program(tuple(maker.function(n) for n in names), names[0])
