"""Gives what depends on the direction its new type: bundles instead of floats.

Variables keep their names. Where a value that does not depend on the direction meets one that does,
it is put into all lanes (`splat`, which the machine code evaluates where it is used). Sums that a
loop opens become carried values: the lanes of a bundle take the place of those of the sum, so such
a sum is serial in each direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from retrograd.ir.build import Builder
from retrograd.ir.formers import unhandled
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    Expr,
    For,
    Function,
    If,
    Jvp,
    Prim,
    Prov,
    Stm,
    Var,
    Vjp,
    While,
    flit,
)  # fmt: skip
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.facts import Bundled
from retrograd.transforms.batch.patterns import Key, Patterns

__all__ = ["Rewriter"]


@dataclass(slots=True)
class Rewriter:
    """Makes the functions of one loop over directions; `made` has them by name."""

    patterns: Patterns
    names: NameSupply
    prims: PrimitiveSet
    renamed: dict[Key, str] = field(default_factory=dict[Key, str])
    made: dict[str, Function] = field(default_factory=dict[str, Function])

    def request(self, name: str, pattern: tuple[bool, ...]) -> str:
        """The name of a function for a pattern of bundled parameters."""
        key = (name, pattern)
        if key not in self.patterns.touched:
            return name
        if key not in self.renamed:
            new = self.renamed[key] = self.names.name(f"{name}_batch")
            function = self.patterns.functions[name]
            body = BlockRewriter(self, self.patterns.bundled[key])
            params = tuple(map(body.var, function.params))
            flags = self.patterns.results[key]
            block = body.block(function.body, flags)
            self.made[new] = replace(function, name=new, params=params, body=block)
        return self.renamed[key]

    def builder(self, prov: Prov) -> Builder:
        return Builder(self.names, self.prims.result_types, prov)


@dataclass(slots=True)
class BlockRewriter:
    """Rewrites the blocks of one function (or of the loop); `bundled` are those variables."""

    owner: Rewriter
    bundled: set[Var]
    zeros: dict[Var, tuple[Atom, ...]] = field(default_factory=dict[Var, "tuple[Atom, ...]"])

    def on(self, atom: Atom) -> bool:
        return isinstance(atom, Var) and atom in self.bundled

    def var(self, var: Var) -> Var:
        return Var(var.name, var.type.bundled) if var in self.bundled else var

    def atom(self, atom: Atom) -> Atom:
        return self.var(atom) if isinstance(atom, Var) else atom

    def lifted(self, b: Builder, atom: Atom) -> Atom:
        """The value as a bundle."""
        if self.on(atom):
            return self.atom(atom)
        if isinstance(atom, Var) and atom in self.zeros:
            return b.prim("full", b.prim("splat", flit(0.0)), *self.zeros[atom])
        return b.prim("splat", atom)

    def given(self, b: Builder, atom: Atom, on: bool) -> Atom:
        return self.lifted(b, atom) if on else self.atom(atom)

    def block(self, block: Block, flags: Sequence[bool]) -> Block:
        """The block; `flags` say which of its results are due as bundles."""
        b = self.owner.builder(Prov())
        self.stms(b, block)
        b.prov = block.stms[-1].prov if block.stms else Prov()
        results = [self.given(b, a, on) for a, on in zip(block.results, flags, strict=True)]
        return b.block(results)

    def stms(self, b: Builder, block: Block) -> None:
        for stm in block.stms:
            b.prov = stm.prov
            self.stm(b, stm)

    def stm(self, b: Builder, stm: Stm) -> None:
        outs = tuple(map(self.var, stm.outs))
        match stm.expr:
            case Prim() as prim:
                self.note_zeros(stm, prim)
                expr: Expr = self.prim(b, stm, prim)
            case If() as branch:
                flags = [self.on(out) for out in stm.outs]
                then, orelse = self.block(branch.then, flags), self.block(branch.orelse, flags)
                expr = If(branch.cond, then, orelse)
            case For() as loop:
                outs, expr = self.counted(b, stm, loop)
            case While() as loop:
                flags = [self.on(v) for v in loop.carried]
                inits = [self.given(b, a, on) for a, on in zip(loop.inits, flags, strict=True)]
                expr = replace(
                    loop, carried=tuple(map(self.var, loop.carried)), inits=tuple(inits),
                    cond=self.block(loop.cond, (False,)), body=self.block(loop.body, flags),
                )  # fmt: skip
            case Call() as call:
                pattern = tuple(map(self.on, call.args))
                name = self.owner.request(call.function, pattern)
                expr = replace(call, function=name, args=tuple(map(self.atom, call.args)))
            case Jvp() | Vjp():
                expr = stm.expr
            case _:
                unhandled(stm.expr)
        b.stms.append(Stm(outs, expr, stm.prov))

    def note_zeros(self, stm: Stm, expr: Prim) -> None:
        if expr.op == "zeros" and stm.outs[0].type.is_float:
            self.zeros[stm.outs[0]] = expr.args

    def prim(self, b: Builder, stm: Stm, expr: Prim) -> Prim:
        patterns = self.owner.patterns
        match expr.op:
            case "push":
                flags = patterns.flags(expr, len(expr.args))
                pairs = zip(expr.args, flags, strict=True)
                return replace(expr, args=tuple(self.given(b, a, on) for a, on in pairs))
            case "pop":
                types = tuple(str(self.var(out).type) for out in stm.outs)
                params = tuple((k, types if k == "types" else v) for k, v in expr.params)
                return replace(expr, params=params)
            case _:
                return self.operation(b, expr)

    def operation(self, b: Builder, expr: Prim) -> Prim:
        """A primitive: all floats that it reads are bundles, if any is and it does not mix them."""
        facts = self.owner.prims[expr.op].facts
        on = any(self.on(a) for k, a in enumerate(expr.args) if k not in facts.shape_only)
        lifted = [
            on and a.type.is_float and facts.bundled is Bundled.LANES and k not in facts.shape_only
            for k, a in enumerate(expr.args)
        ]
        pairs = zip(expr.args, lifted, strict=True)
        return replace(expr, args=tuple(self.given(b, a, lift) for a, lift in pairs))

    def counted(self, b: Builder, stm: Stm, expr: For) -> tuple[tuple[Var, ...], For]:
        """A counted loop; its bundled sums are carried from zero."""
        count = len(expr.carried)
        flags = [self.on(v) for v in expr.carried]
        inits = [self.given(b, a, on) for a, on in zip(expr.inits, flags, strict=True)]
        increments, totals = expr.body.results[count:], stm.outs[count:]
        summed = [k for k, out in enumerate(totals) if self.on(out)]
        plain = [k for k in range(len(totals)) if k not in summed]
        sums = [self.owner.names.var("sum", self.var(totals[k]).type) for k in summed]
        starts = [b.prim("splat", flit(0.0)) for _ in summed]
        inner = self.owner.builder(stm.prov)
        self.stms(inner, expr.body)
        inner.prov = stm.prov
        values = [self.given(inner, a, on) for a, on in zip(expr.body.results, flags, strict=False)]
        added = [
            inner.add(total, self.lifted(inner, increments[k]))
            for total, k in zip(sums, summed, strict=True)
        ]
        rest = [self.atom(increments[k]) for k in plain]
        loop = replace(
            expr,
            carried=(*map(self.var, expr.carried), *sums),
            inits=(*inits, *starts),
            body=inner.block((*values, *added, *rest)),
            sums=len(plain),
        )
        outs = (*stm.outs[:count], *(totals[k] for k in summed), *(totals[k] for k in plain))
        return tuple(map(self.var, outs)), loop
