"""Programs in which the extents of arrays are numbers that go everywhere by themselves.

Through calls, loops, branches and the tape, where the array goes. So what only needs to know how
long an array is does not need the array, nor what that is calculated from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from retrograd.api.compile.known import known
from retrograd.api.saving.sweeps import is_tape, site_of
from retrograd.ir.build import Builder
from retrograd.ir.formers import unhandled
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    For,
    Function,
    If,
    Jvp,
    Prim,
    Program,
    Stm,
    Var,
    Vjp,
    While,
    ilit,
)  # fmt: skip
from retrograd.ir.types import I64
from retrograd.prims.lengths import Along, Common, Length

__all__ = ["Extents", "carries_extents", "with_extents"]

_SITE = "extents of "


def carries_extents(stm: Stm) -> bool:
    """Whether a `push` or `pop` is of nothing but the extents of what another one has."""
    site = site_of(stm)
    return isinstance(site, str) and site.startswith(_SITE)


@dataclass(slots=True)
class Extents:
    """Gives a function the extents of its arrays; `known` has them, by the array."""

    names: NameSupply
    known: dict[Var, tuple[Atom, ...]] = field(default_factory=dict[Var, "tuple[Atom, ...]"])

    def of(self, atom: Atom) -> tuple[Atom, ...]:
        return self.known[atom] if isinstance(atom, Var) and not atom.type.is_scalar else ()

    def function(self, function: Function, entry: bool) -> Function:
        head = self.builder()
        extents: list[Var] = []
        for param in function.params:
            if entry and not param.type.is_scalar:
                self.known[param] = head.dims(param)
            else:
                extents += self.fresh(param)
        body = self.block(function.body, () if entry else function.body.results)
        body = replace(body, stms=(*head.stms, *body.stms))
        return replace(function, params=(*function.params, *extents), body=body)

    def builder(self) -> Builder:
        return Builder(self.names, known().result_types)

    def fresh(self, array: Var) -> tuple[Var, ...]:
        """New variables for the extents of an array."""
        if array.type.is_scalar:
            return ()
        made = tuple(self.names.var("n", I64) for _ in range(array.type.rank))
        self.known[array] = made
        return made

    def all_fresh(self, arrays: Iterable[Var]) -> tuple[Var, ...]:
        return tuple(n for array in arrays for n in self.fresh(array))

    def all_of(self, atoms: Iterable[Atom]) -> tuple[Atom, ...]:
        return tuple(n for atom in atoms for n in self.of(atom))

    def block(self, block: Block, arrays: Sequence[Atom], place: int | None = None) -> Block:
        """A block that gives the extents of some of its results, too: at a place, else at last."""
        b = self.builder()
        for stm in block.stms:
            b.prov = stm.prov
            self.stm(b, stm)
        place = len(block.results) if place is None else place
        results = (*block.results[:place], *self.all_of(arrays), *block.results[place:])
        return Block(tuple(b.stms), results)

    def stm(self, b: Builder, stm: Stm) -> None:
        """Emits a statement that gives the extents of its results."""
        expr = stm.expr
        match expr:
            case Prim():
                self.prim(b, stm, expr)
            case Call():
                call = replace(expr, args=(*expr.args, *self.all_of(expr.args)))
                b.stms.append(replace(stm, outs=(*stm.outs, *self.all_fresh(stm.outs)), expr=call))
            case If():
                then, orelse = (self.block(side, side.results) for side in (expr.then, expr.orelse))
                outs = (*stm.outs, *self.all_fresh(stm.outs))
                b.stms.append(replace(stm, outs=outs, expr=If(expr.cond, then, orelse)))
            case For() | While():
                count = len(expr.carried)
                inits = (*expr.inits, *self.all_of(expr.inits))
                carried = (*expr.carried, *self.all_fresh(expr.carried))
                ends = expr.body.results[:count]
                loop = replace(expr, carried=carried, inits=inits)
                if isinstance(loop, While):
                    loop = replace(loop, cond=self.block(loop.cond, ()))
                loop = replace(loop, body=self.block(expr.body, ends, count))
                own = self.all_fresh(stm.outs[:count])
                self.all_fresh(stm.outs[count:])
                outs = (*stm.outs[:count], *own, *stm.outs[count:])
                b.stms.append(replace(stm, outs=outs, expr=loop))
            case Jvp() | Vjp():
                raise TypeError("derivatives are lowered")
            case _:
                unhandled(expr)

    def prim(self, b: Builder, stm: Stm, expr: Prim) -> None:
        if expr.op == "dim":
            axis = expr.param("axis")
            assert isinstance(axis, int)
            same = Prim("copy", (self.of(expr.args[0])[axis],))
            b.stms.append(replace(stm, expr=same))
        elif is_tape(stm, "push"):
            b.stms.append(stm)
            if extents := self.all_of(expr.args):
                b.effect("push", *extents, site=f"{_SITE}{site_of(stm)}")
        elif is_tape(stm, "pop"):
            if extents := self.all_fresh(stm.outs):
                types = tuple("i64" for _ in extents)
                params = (("site", f"{_SITE}{site_of(stm)}"), ("types", types))
                b.stms.append(Stm(extents, Prim("pop", (), params), stm.prov))
            b.stms.append(stm)
        else:
            b.stms.append(stm)
            self.made(b, stm, expr)

    def made(self, b: Builder, stm: Stm, expr: Prim) -> None:
        """Notes the extents of what a primitive makes."""
        arrays = [out for out in stm.outs if not out.type.is_scalar]
        rule = known()[expr.op].facts.shape
        lengths = rule(expr.args, expr.params) if len(stm.outs) == 1 and arrays else None
        if lengths is not None:
            self.known[arrays[0]] = tuple(self.length(b, expr.args, n) for n in lengths)
            return
        for array in arrays:
            self.known[array] = b.dims(array)

    def length(self, b: Builder, args: tuple[Atom, ...], length: Length) -> Atom:
        match length:
            case int():
                return ilit(length)
            case Along(operand, axis):
                return self.of(args[operand])[axis]
            case Common(lengths):
                first, *others = (self.length(b, args, n) for n in lengths)
                for other in others:
                    first = first if other == first else b.prim("common_extent", first, other)
                return first
            case _:
                return length


def with_extents(program: Program, names: NameSupply) -> tuple[Program, dict[str, Extents]]:
    """The program, and the extents of the arrays of its functions, by their names."""
    made = {f.name: Extents(names) for f in program.functions}
    functions = tuple(made[f.name].function(f, f.name == program.entry) for f in program.functions)
    return Program(functions, program.entry), made
