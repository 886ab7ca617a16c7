"""Statements as functions: stretches that do the same are one function.

Two stretches do the same if they are equal up to the names of variables, to numbers that they add
or multiply with, which become parameters where they differ, and to the places of statements that
cannot fail. A statement that can fail has its place told to the user. The call of a stretch is part
of the checkpointed executions that all of its statements are part of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Call, Checkpointed, Function, Lit, Prim, Stm, Var
from retrograd.ir.traverse import freshen_block
from retrograd.ir.types import F64, Type

__all__ = ["Part", "as_functions"]

_NUMBERS = frozenset({"add", "sub", "mul", "fma"})


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Primitives that are to be a function: what they read, and what is read of them later.

    They take the place of the statements from `first` to before `end` of a block. `told` are the
    positions of those that can fail.
    """

    first: int
    end: int
    stms: tuple[Stm, ...]
    args: tuple[Var, ...]
    outs: tuple[Var, ...]
    told: frozenset[int]

    @property
    def around(self) -> tuple[Checkpointed, ...]:
        """The checkpointed executions that all statements are part of."""
        first, *others = (stm.prov.checkpoints for stm in self.stms)
        length = len(first)
        for other in others:
            pairs = zip(first[:length], other, strict=False)
            length = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        return first[:length]

    def within(self) -> Part:
        """The part with its statements as they are inside of those executions."""
        depth = len(self.around)
        return replace(self, stms=tuple(_inside(stm, depth) for stm in self.stms))


def _inside(stm: Stm, depth: int) -> Stm:
    """A statement of primitives without the outermost executions that it is part of."""
    prov = replace(stm.prov, checkpoints=stm.prov.checkpoints[depth:])
    return replace(stm, prov=prov)


def as_functions(
    parts: Sequence[Part], names: NameSupply
) -> tuple[Mapping[Part, Stm], list[Function]]:
    """A call in place of each part, and the functions that are called."""
    groups: dict[str, list[Part]] = {}
    inside = {part: part.within() if part.around else part for part in parts}
    for part in parts:
        groups.setdefault(_text(inside[part]), []).append(part)
    calls: dict[Part, Stm] = {}
    made: list[Function] = []
    for members in groups.values():
        rows = list(map(_numbers, members))
        differ = [k for k in rows[0] if len({repr(row[k]) for row in rows}) > 1]
        function = _function([inside[part] for part in members], differ, names)
        made.append(function)
        for part, numbers in zip(members, rows, strict=True):
            args = (*part.args, *(numbers[k] for k in differ))
            prov = replace(part.stms[-1].prov, checkpoints=part.around, names=())
            calls[part] = Stm(part.outs, Call(function.name, args), prov)
    return calls, made


_Place = tuple[int, int]
"""Of a number: the statement, and which argument of that."""


def _numbers(part: Part) -> dict[_Place, Lit]:
    """The numbers that may become parameters: all of them are used alike whatever they are."""
    return {
        (k, n): atom
        for k, stm in enumerate(part.stms)
        if isinstance(stm.expr, Prim) and stm.expr.op in _NUMBERS
        for n, atom in enumerate(stm.expr.args)
        if isinstance(atom, Lit) and atom.type == F64
    }


def _with_numbers(part: Part, by: Mapping[_Place, Atom]) -> list[Stm]:
    """The statements with atoms in the place of some numbers."""
    stms = list(part.stms)
    for (k, n), atom in by.items():
        expr = stms[k].expr
        assert isinstance(expr, Prim)
        args = (*expr.args[:n], atom, *expr.args[n + 1 :])
        stms[k] = replace(stms[k], expr=replace(expr, args=args))
    return stms


class _Canonical(NameSupply):
    """Names that say nothing."""

    def var(self, hint: str, type_: Type) -> Var:
        return super().var("v", type_)


def _text(part: Part) -> str:
    """What is equal for parts that do the same, and tells 0.0 from -0.0."""
    names = _Canonical()
    params = {v: names.var("", v.type) for v in part.args}
    numbers = {place: names.var("", F64) for place in _numbers(part)}
    stms = (
        stm if k in part.told else replace(stm, prov=replace(stm.prov, span=None))
        for k, stm in enumerate(_with_numbers(part, numbers))
    )
    given = {**params, **{v: v for v in numbers.values()}}
    return repr((*params.values(), freshen_block(Block(tuple(stms), part.outs), names, given)))


def _function(members: Sequence[Part], differ: Sequence[_Place], names: NameSupply) -> Function:
    """The function of parts that do the same, in which some numbers are parameters."""
    part = members[0]
    params = {v: names.var(v.name, v.type) for v in part.args}
    numbers = {place: names.var("number", F64) for place in differ}
    stms: list[Stm] = []
    for k, stm in enumerate(_with_numbers(part, numbers)):
        same = all(other.stms[k].prov == stm.prov for other in members)
        stms.append(stm if same else replace(stm, prov=replace(stm.prov, span=None)))
    given = {**params, **{v: v for v in numbers.values()}}
    body = freshen_block(Block(tuple(stms), part.outs), names, given)
    name = names.name("part")
    return Function(name, (*params.values(), *numbers.values()), body, None, part.stms[-1].prov)
