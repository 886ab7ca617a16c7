"""Loops of adjoints that users or generated text have written, in the form of reverse sweeps.

Where the code of pullbacks has been put in their places (`vjp.straight_lines`), the loops around it
are those of a reverse sweep. What vectorises these looks for their form:

- `for i in reversed(range(n))` counts up and calculates n - 1 - i. It becomes a loop that counts
  down.
- `x_bar[i] += e` in a loop over i reads, adds and writes. It becomes one addition to an element,
  which `scalar_replacement` looks for.
- In the adjoint of a function with an inverse, a number that a loop only adds to is one of its
  sums, so that it is added up in lanes, where iterations can be. In other functions the order of
  additions is the program's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Expr,
    For,
    Function,
    Prim,
    Program,
    Stm,
    Var,
    flit,
    ilit,
)
from retrograd.ir.traverse import blocks, mentions, stms_deep, substitute, with_blocks
from retrograd.ir.types import F64
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.analysis.affine import SUM_SIGNS, forms_of, linear, resolved
from retrograd.transforms.analysis.bounds import Linear

__all__ = ["form_adjoint_loops"]


def form_adjoint_loops(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Forms the loops of the functions in which pullbacks have been put in their places."""
    rules = {f.custom.rule for f in program.functions if f.custom and f.custom.kind == "inverse"}

    def formed(function: Function) -> Function:
        if not any(s.prov.via[-1:] == ("inlined",) for s in stms_deep(function.body)):
            return function
        work = _Work(names, prims, mentions(function.body), function.name in rules)
        return replace(function, body=work.block(function.body, None))

    return Program(tuple(map(formed, program.functions)), program.entry)


@dataclass(slots=True)
class _Work:
    """`uses` counts mentions, `forms` has the linear forms of integers; `summing`: scalars that
    loops add to become sums."""

    names: NameSupply
    prims: PrimitiveSet
    uses: Counter[Var]
    summing: bool
    forms: dict[str, Linear] = field(default_factory=dict[str, Linear])

    def block(self, block: Block, index: Var | None) -> Block:
        """A block; `index`: that of the loop whose body it is."""
        self.forms |= forms_of(block)
        made: dict[Var, Prim] = {}
        out: list[Stm] = []
        for stm in block.stms:
            inside = stm.expr.index if isinstance(stm.expr, For) else None
            inner = tuple(self.block(b, inside) for b in blocks(stm.expr))
            expr = with_blocks(stm.expr, inner)
            expr = self.turned(expr) if isinstance(expr, For) else expr
            b = Builder(self.names, self.prims.result_types, stm.prov)
            if isinstance(expr, Prim):
                made.update(dict.fromkeys(stm.outs, expr))
                if index is not None and any(self.moves(a, index) for a in expr.args[2:]):
                    expr = self.addition(b, expr, made)
            if isinstance(expr, For) and self.summing:
                self.summed(b, stm, expr)
            else:
                b.stms.append(stm.with_expr(expr))
            out += b.stms
        return Block(tuple(out), block.results)

    # Loops that count down.

    def turned(self, loop: For) -> For:
        """A loop of which all that uses the index is c - index counts down, where that ends with a
        number."""
        marked = loop.sums or loop.block or loop.directions or loop.rematerialised
        if loop.descending or marked:
            return loop
        last = self.linear(loop.trips).shift(-1)
        found: dict[Var, Expr] = {}
        for stm in stms_deep(loop.body):
            expr = stm.expr
            if not isinstance(expr, Prim) or expr.op != "sub" or expr.args[1] != loop.index:
                continue
            ahead = self.linear(expr.args[0]).plus(last, -1)
            if not ahead.terms:
                found[stm.outs[0]] = Prim("add", (loop.index, ilit(ahead.const)))
        if not found or self.uses[loop.index] != len(found):
            return loop
        return replace(loop, body=_with(loop.body, found), descending=True)

    def moves(self, place: Atom, index: Var) -> bool:
        """Whether a place is another one in each iteration."""
        return isinstance(place, Var) and index.name in self.linear(place).terms

    def linear(self, atom: Atom) -> Linear:
        return resolved(linear(atom, self.forms), self.forms)

    # Additions to elements.

    def addition(self, b: Builder, expr: Prim, made: Mapping[Var, Prim]) -> Prim:
        """A write of what an element is and something more, as an addition to it."""
        if expr.op != "update" or expr.param("checked"):
            return expr
        base, value, *place = expr.args
        total = self.once(value, made)
        if base.type.element != F64 or total is None or total.op not in SUM_SIGNS:
            return expr
        one, other = total.args
        ways = ((one, other), (other, one)) if SUM_SIGNS[total.op] == 1 else ((one, other),)
        for old, more in ways:
            read = self.once(old, made)
            if read is not None and read.op == "index" and read.args == (base, *place):
                added = more if SUM_SIGNS[total.op] == 1 else b.neg(more)
                return Prim("add_at", (base, added, *place))
        return expr

    def once(self, atom: Atom, made: Mapping[Var, Prim]) -> Prim | None:
        """What makes a value of this block that is used once."""
        return made.get(atom) if isinstance(atom, Var) and self.uses[atom] == 1 else None

    # Sums.

    def summed(self, b: Builder, stm: Stm, loop: For) -> None:
        """Emits a loop, with sums in the place of the scalars that it only adds to."""
        made = {v: s.expr for s in loop.body.stms for v in s.outs if isinstance(s.expr, Prim)}
        terms = {k: found for k in range(len(loop.carried)) if (found := self.terms(loop, k, made))}
        if not terms or loop.directions or loop.block or not self.in_lanes(loop, terms):
            b.stms.append(stm.with_expr(loop))
            return
        inner = b.inner()
        increments: list[Atom] = []
        for found in terms.values():
            total, *rest = (inner.neg(a) if minus else a for a, minus in found)
            for one in rest:
                total = inner.add(total, one)
            increments.append(total)
        kept = [k for k in range(len(loop.carried)) if k not in terms]
        results, count = loop.body.results, len(loop.carried)
        ends = (*(results[k] for k in kept), *results[count:], *increments)
        body = Block((*loop.body.stms, *inner.stms), ends)
        new = replace(
            loop,
            carried=tuple(loop.carried[k] for k in kept),
            inits=tuple(loop.inits[k] for k in kept),
            body=substitute(body, {loop.carried[k]: flit(0.0) for k in terms}),
            sums=loop.sums + len(terms),
        )
        sums = [self.names.var("sum", F64) for _ in terms]
        outs = (*(stm.outs[k] for k in kept), *stm.outs[count:], *sums)
        b.stms.append(Stm(outs, new, stm.prov))
        for k, one in zip(terms, sums, strict=True):
            b.stms.append(Stm((stm.outs[k],), Prim("add", (loop.inits[k], one)), stm.prov))

    def in_lanes(self, loop: For, terms: Container[int]) -> bool:
        """Whether iterations go to other elements, and hand on nothing but what is added up.

        Then they may run in lanes. A recurrence does not, and sums in lanes would take longer.
        """
        kept = [var for k, var in enumerate(loop.carried) if k not in terms]
        if any(var.type.is_scalar for var in kept):
            return False
        versions = set(kept)
        for stm in loop.body.stms:
            expr = stm.expr
            if not isinstance(expr, Prim):
                return False
            base = expr.args[0] if expr.args else None
            if base not in versions:
                continue
            access = self.prims[expr.op].facts.access
            if access is None or not access.element:
                return False
            if not any(self.moves(a, loop.index) for a in expr.args[access.places :]):
                return False
            if access.writes:
                versions.update(stm.outs)
        return True

    def terms(self, loop: For, k: int, made: Mapping[Var, Prim]) -> list[tuple[Atom, bool]]:
        """What a body adds to a number that it carries, and whether it takes that away; nothing
        where it does something else with it."""
        found: list[tuple[Atom, bool]] = []
        now, end = loop.carried[k], loop.body.results[k]
        if now.type != F64 or now == end:
            return []
        readers = {a: v for v, e in made.items() for a in e.args if isinstance(a, Var)}
        while now != end:
            after = readers.get(now)
            if after is None or self.uses[now] != 1:
                return []
            op, args = made[after].op, made[after].args
            sign = SUM_SIGNS.get(op)
            if sign is None or (sign < 0 and args[0] != now):
                return []
            found.append((args[1] if args[0] == now else args[0], sign < 0))
            now = after
        return found if self.uses[now] == 1 else []


def _with(block: Block, exprs: Mapping[Var, Expr]) -> Block:
    """The block with other expressions for some variables, at any depth."""
    stms: list[Stm] = []
    for stm in block.stms:
        inner = with_blocks(stm.expr, tuple(_with(b, exprs) for b in blocks(stm.expr)))
        stms.append(stm.with_expr(exprs.get(stm.outs[0], inner) if stm.outs else inner))
    return Block(tuple(stms), block.results)
