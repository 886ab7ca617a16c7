"""Arrays of zeros, and what else is made of numbers alone, are made just before their first use.

Reverse code begins with the cotangents that it adds into, which may be as large as all parameters
of a model. Made where they are used first, they are not there while the tape is full. Where they
are made for a call, in all calls of the function alike, the function makes them of the numbers.
Where they are used in branches alone, each branch that uses them makes its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Call, Function, If, Prim, Program, Stm, Var
from retrograd.ir.traverse import blocks, free_vars_expr, mentions, substitute, with_blocks
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.transforms.passes import per_function

__all__ = ["make_in_callees", "make_late"]


def make_late(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program with each such array made as late as its block allows."""

    def one(function: Function) -> Function:
        counts = mentions(function.body)
        return replace(function, body=_late(function.body, names, prims, counts))

    return per_function(program, one)


def _late(block: Block, names: NameSupply, prims: PrimitiveSet, counts: Counter[Var]) -> Block:
    waiting: dict[Var, Stm] = {}
    found: list[Stm] = []
    for stm in block.stms:
        if _is_made_of_numbers(stm, prims):
            waiting[stm.outs[0]] = stm
            continue
        used = [waiting.pop(var) for var in free_vars_expr(stm.expr) if var in waiting]
        inner = blocks(stm.expr)
        if isinstance(stm.expr, If) and used:
            own = mentions(Block((stm,), ()))
            alone = [made for made in used if own[made.outs[0]] == counts[made.outs[0]]]
            used = [made for made in used if made not in alone]
            inner = tuple(_making(b, alone, names, counts) for b in inner)
        found += used
        inner = tuple(_late(b, names, prims, counts) for b in inner)
        found.append(replace(stm, expr=with_blocks(stm.expr, inner)) if inner else stm)
    return Block((*found, *waiting.values()), block.results)


def _making(branch: Block, makers: Sequence[Stm], names: NameSupply, counts: Counter[Var]) -> Block:
    """A branch that makes what it uses of some arrays, under names of its own."""
    times = mentions(branch)
    used = [made for made in makers if times[made.outs[0]]]
    fresh = {made.outs[0]: names.var(made.outs[0].name, made.outs[0].type) for made in used}
    own = tuple(replace(made, outs=(fresh[made.outs[0]],)) for made in used)
    counts.update({new: times[old] for old, new in fresh.items()})
    body = substitute(branch, fresh)
    return replace(body, stms=(*own, *body.stms))


def _is_made_of_numbers(stm: Stm, prims: PrimitiveSet) -> bool:
    if not isinstance(stm.expr, Prim) or len(stm.outs) != 1 or stm.outs[0].type.is_scalar:
        return False
    numbers = all(atom.type.is_scalar for atom in stm.expr.args)
    return numbers and prims[stm.expr.op].effect is Effect.PURE


def make_in_callees(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program where functions make what all their callers make for nothing but the call."""
    calls = _Calls(prims)
    for function in program.functions:
        calls.look(function)
    plans = {
        f.name: made
        for f in program.functions
        if f.name != program.entry and not _has_fixed_parameters(f) and (made := calls.common(f))
    }
    if not plans:
        return program
    return per_function(program, lambda f: _changed(f, plans, calls, names))


def _has_fixed_parameters(function: Function) -> bool:
    """Whether others than calls rely on them: rules, or schedules of inner derivatives."""
    return function.custom is not None or function.derivative is not None


Makers = Mapping[int, Prim]
"""What makes the arguments at these positions, each call from numbers of its own."""


@dataclass(slots=True)
class _Calls:
    """The calls of each function, and for each what makes its arguments and nothing else."""

    prims: PrimitiveSet
    sites: dict[str, list[dict[int, Prim]]] = field(
        default_factory=dict[str, "list[dict[int, Prim]]"]
    )
    makers: dict[str, dict[Var, Prim]] = field(default_factory=dict[str, "dict[Var, Prim]"])

    def look(self, function: Function) -> None:
        """Notes the calls in a function; names are its own."""
        makers = self.makers[function.name] = {}
        self.block(function.body, mentions(function.body), makers)

    def block(self, block: Block, counts: Mapping[Var, int], makers: dict[Var, Prim]) -> None:
        """Notes the calls of a block, and what is made in it for one of them."""
        own: dict[Var, Prim] = {}
        for stm in block.stms:
            if _is_made_of_numbers(stm, self.prims) and counts[stm.outs[0]] == 1:
                assert isinstance(stm.expr, Prim)
                own[stm.outs[0]] = stm.expr
            if isinstance(stm.expr, Call):
                args = enumerate(stm.expr.args)
                made = {k: own[a] for k, a in args if isinstance(a, Var) and a in own}
                self.sites.setdefault(stm.expr.function, []).append(made)
            for inner in blocks(stm.expr):
                self.block(inner, counts, makers)
        makers |= own

    def common(self, function: Function) -> Makers:
        """What all calls of a function make alike."""
        first, *rest = self.sites.get(function.name, [{}])
        return {
            k: made
            for k, made in first.items()
            if all(k in other and _alike(made, other[k]) for other in rest)
        }


def _alike(one: Prim, other: Prim) -> bool:
    types = [a.type for a in one.args] == [a.type for a in other.args]
    return types and (one.op, one.params) == (other.op, other.params)


def _changed(
    function: Function, plans: Mapping[str, Makers], calls: _Calls, names: NameSupply
) -> Function:
    """A function that makes its own, and gives others the numbers."""
    params: list[Var] = []
    made: list[Stm] = []
    for k, param in enumerate(function.params):
        maker = plans.get(function.name, {}).get(k)
        if maker is None:
            params.append(param)
            continue
        given = tuple(names.var("n", a.type) for a in maker.args)
        params += given
        made.append(Stm((param,), replace(maker, args=given), function.prov))
    dead: set[Var] = set()
    body = _calling(function.body, plans, calls.makers[function.name], dead)
    body = _without(body, dead)
    return replace(function, params=tuple(params), body=replace(body, stms=(*made, *body.stms)))


def _calling(
    block: Block, plans: Mapping[str, Makers], makers: Mapping[Var, Prim], dead: set[Var]
) -> Block:
    stms: list[Stm] = []
    for stm in block.stms:
        expr = stm.expr
        if isinstance(expr, Call) and expr.function in plans:
            args = _numbers(expr.args, plans[expr.function], makers, dead)
            stms.append(replace(stm, expr=replace(expr, args=args)))
        elif inner := blocks(expr):
            new = tuple(_calling(b, plans, makers, dead) for b in inner)
            stms.append(replace(stm, expr=with_blocks(expr, new)))
        else:
            stms.append(stm)
    return replace(block, stms=tuple(stms))


def _numbers(
    args: Sequence[Atom], plan: Makers, makers: Mapping[Var, Prim], dead: set[Var]
) -> tuple[Atom, ...]:
    """Arguments with the numbers in the place of what is made of them."""
    given: list[Atom] = []
    for k, atom in enumerate(args):
        if k in plan and isinstance(atom, Var):
            dead.add(atom)
            given += makers[atom].args
        else:
            given.append(atom)
    return tuple(given)


def _without(block: Block, dead: set[Var]) -> Block:
    stms: list[Stm] = []
    for stm in block.stms:
        if dead.isdisjoint(stm.outs):
            inner = tuple(_without(b, dead) for b in blocks(stm.expr))
            stms.append(replace(stm, expr=with_blocks(stm.expr, inner)) if inner else stm)
    return replace(block, stms=tuple(stms))
