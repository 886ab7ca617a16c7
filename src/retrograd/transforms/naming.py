"""Names that users give to values, as marks on the statements that define them.

A value is named where it is used (`rg.checkpoint_name`), which may be in another block, or in
another function, than where it is calculated. So what is given for a parameter has its names, and
what a loop carries has them in every iteration. The results of a call are named at the call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

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
)  # fmt: skip
from retrograd.ir.traverse import blocks, stms_deep, with_blocks

__all__ = ["with_names"]


def with_names(program: Program, named: Mapping[Var, Sequence[str]]) -> Program:
    """The program with marks for the names that variables have; a name changes nothing else."""
    if not named:
        return program
    names = _Names({var: dict.fromkeys(given) for var, given in named.items()})
    params = {f.name: f.params for f in program.functions}
    links = [
        link
        for function in program.functions
        for stm in stms_deep(function.body)
        for link in _links(stm, params)
    ]
    while any([names.pass_on(to, var) for to, var in links]):
        pass
    return replace(program, functions=tuple(map(names.function, program.functions)))


def _links(stm: Stm, params: Mapping[str, tuple[Var, ...]]) -> Iterator[tuple[Atom, Var]]:
    """Pairs of a value and a variable that holds it: the value has the variable's names, too."""
    match stm.expr:
        case Call(function, args):
            yield from zip(args, params[function], strict=True)
        case (
            For(carried=carried, inits=inits, body=body)
            | While(carried=carried, inits=inits, body=body)
        ):
            yield from zip(inits, carried, strict=True)
            yield from zip(body.results, carried, strict=True)
            yield from zip(body.results, stm.outs, strict=True)
        case If(_, then, orelse):
            yield from zip(then.results, stm.outs, strict=True)
            yield from zip(orelse.results, stm.outs, strict=True)
        case Prim() | Jvp() | Vjp():
            return


@dataclass(frozen=True, slots=True)
class _Names:
    """The names of variables, in the order in which they were given."""

    of: dict[Var, dict[str, None]]

    def pass_on(self, to: Atom, var: Var) -> bool:
        """Gives the names of a variable to what it holds; whether there was a new one."""
        if var not in self.of or not isinstance(to, Var):
            return False
        mine = self.of.setdefault(to, {})
        before = len(mine)
        mine.update(self.of[var])
        return len(mine) > before

    def function(self, function: Function) -> Function:
        return replace(function, body=self.block(function.body))

    def block(self, block: Block) -> Block:
        return Block(tuple(map(self.stm, block.stms)), block.results)

    def stm(self, stm: Stm) -> Stm:
        inner = blocks(stm.expr)
        expr = with_blocks(stm.expr, tuple(map(self.block, inner))) if inner else stm.expr
        given = tuple((k, name) for k, out in enumerate(stm.outs) for name in self.of.get(out, ()))
        return replace(stm, expr=expr, prov=stm.prov.named(given)) if given or inner else stm
