"""Carried values that a loop would record twice: what the iterations of its reverse hand on.

A loop that carries x, and whose reverse reads the x that an iteration begins with as well as the x
that it ends with, would record both, though each is the other of the iteration before or after. The
reverse of an iteration comes right after that of the iteration that follows it. So the reverse loop
carries what the next iteration began with, which is what this one ends with; at first that is the
loop's result. What an iteration begins with is recorded, but not in the first iteration: that is
the loop's initial value. The result and the initial value are had by the scope around the loop.

    for i < n with (x = x0):                for i < n with (x' = x_n, ..) descending:
        x' = tanh(W[i] @ x)                     x = pop() if i > 0 else x0
        if i > 0: push(x)                       ..
        yield x'                                yield x, ..

No record belongs to another iteration than the one that reads it, so it does not matter where a
schedule divides the loop.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, For, If, Prim, Prov, Stm, Var, While, ilit
from retrograd.ir.traverse import free_vars_expr, freshen_block
from retrograd.ir.types import BOOL
from retrograd.transforms.ad.vjp.context import VjpContext
from retrograd.transforms.ad.vjp.made_states import Made, made_of
from retrograd.transforms.ad.vjp.offloading import marked
from retrograd.transforms.ad.vjp.residuals import Residuals, Scope, needed_by

__all__ = [
    "NOTHING", "HandedOn", "handed_on", "made_at_the_end", "recording", "starts_of", "without",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class HandedOn:
    """What the iterations of a reverse loop hand on.

    Attributes:
        ends: what an iteration of the forward loop ends with, each by the carried value of the same
            iteration; the reverse loop carries these variables.
        lasts: what the reverse loop begins with: results of the forward loop.
        firsts: initial values of the carried values that have to be recorded.
        index: the number of the iteration, in both loops.
        made: those of the carried values that are made of what the iteration before recorded;
            several may be made of one record.
    """

    ends: Mapping[Var, Var] = field(default_factory=dict[Var, Var])
    lasts: tuple[Var, ...] = ()
    firsts: Mapping[Var, Atom] = field(default_factory=dict[Var, Atom])
    index: Atom = field(default_factory=lambda: ilit(0))
    made: Mapping[Var, Made] = field(default_factory=dict[Var, Made])

    @property
    def carried(self) -> tuple[Var, ...]:
        """What the reverse loop carries."""
        return tuple(self.ends.values())

    @property
    def ways(self) -> tuple[Made, ...]:
        """One of those that are made of the same record, for each record."""
        found: dict[Var, Made] = {}
        for way in self.made.values():
            found.setdefault(way.before, way)
        return tuple(found.values())


NOTHING = HandedOn()


def handed_on(
    stm: Stm, loop: For | While, index: Var, scope: Scope, found: Residuals,
    defs: Mapping[Var, Stm], context: VjpContext,
) -> HandedOn:  # fmt: skip
    """What had better be handed on than recorded, or calculated again.

    Args:
        stm: the loop's statement.
        loop: its expression.
        index: the number of the iteration, in both loops.
        scope: that of the loop's body.
        found: how it is had otherwise.
        defs: the statements by what they bind.
        context: the program so far, for the primitives and fresh names.
    """
    recorded = frozenset(found.recorded)
    if scope.innermost and all(v.type.is_scalar for v in recorded):
        return NOTHING  # one block of numbers, which the reverse loop reads without branches
    if scope.given:
        return NOTHING  # versions of a logged array are handed on already
    arrays = {v for _, s in found.repeated for v in s.outs if not v.type.is_scalar}
    ends: dict[Var, Var] = {}
    made: dict[int, Made] = {}
    places: list[int] = []
    for k, (var, end) in enumerate(zip(loop.carried, loop.body.results, strict=False)):
        if not isinstance(end, Var) or end == var or end in ends.values():
            continue
        versions = (var, end, stm.outs[k], loop.inits[k])
        if not scope.log.versions.isdisjoint(versions):
            continue
        if var not in recorded:
            continue
        if end not in recorded:
            others = {m.value: m for m in made.values()}
            way = made_of(loop, k, index, scope, found, others, context.prims, context.names)
            if way is not None:
                made[k] = way
                if end in arrays:  # made once, for this iteration and the one before
                    ends[var] = end
                    places.append(k)
                continue
        if end in recorded or end in arrays:
            ends[var] = end
            places.append(k)
    given = frozenset(ends.values())
    made = {k: m for k, m in made.items() if given.isdisjoint((m.carried, m.value))}
    firsts = {
        loop.carried[k]: _origin(loop.inits[k], defs, scope.log.versions)
        for k in (*places, *made)
        if loop.carried[k] not in given
    }
    ends |= {m.handed: m.value for m in made.values()}
    lasts = dict.fromkeys((*(stm.outs[k] for k in places), *(m.last for m in made.values())))
    return HandedOn(ends, tuple(lasts), firsts, index, {m.carried: m for m in made.values()})


def starts_of(handed: HandedOn, prov: Prov) -> tuple[Stm, ...]:
    """What goes before the forward loop: a value for what is carried and not read at first."""
    return tuple(Stm((way.start,), Prim("copy", (way.initial,)), prov) for way in handed.ways)


def made_at_the_end(
    stm: Stm, loop: For | While, handed: HandedOn, trips: Atom, names: NameSupply
) -> dict[Var, tuple[Stm, ...]]:
    """How what the loop ends with is made, by what it binds, of the last value that is recorded.

    A loop that does not run ends with what it begins with, of which that value is a copy then: for
    one of those that are made of it.
    """
    found: dict[Var, tuple[Stm, ...]] = {}
    own = replace(stm.prov, checkpoints=())  # no policy is asked: the forward sweep has none of it
    for var, way in handed.made.items():
        out = stm.outs[loop.carried.index(var)]
        given: dict[Var, Atom] = {way.before: way.last}
        if isinstance(handed.index, Var):
            given[handed.index] = trips
        then = freshen_block(Block(way.code, (way.result,)), names, given)
        ran, begun = names.var("ran", BOOL), names.var(out.name, out.type)
        before = way.last if way in handed.ways else handed.firsts[var]
        orelse = Block((Stm((begun,), Prim("copy", (before,)), own),), (begun,))
        asked = Stm((ran,), Prim("gt", (trips, ilit(0))), own)
        found[out] = (asked, Stm((out,), If(ran, then, orelse), own))
    return found


def without(found: Residuals, handed: HandedOn, reverse: Block) -> Residuals:
    """Residuals without what is handed on, and without what only that was calculated from."""
    if not handed.ends:
        return found
    used = {*handed.firsts, *needed_by(reverse.stms, reverse.results)}.difference(handed.carried)
    repeated: list[tuple[int, Stm]] = []
    for place, stm in reversed(found.repeated):
        if not used.isdisjoint(stm.outs):
            repeated.append((place, stm))
            used.update(v for v in free_vars_expr(stm.expr) if v not in handed.carried)
    recorded = tuple(v for v in found.recorded if v in used)
    copies = {v: found.copies[v] for v in recorded if v in found.copies and v not in handed.made}
    return Residuals(recorded, tuple(reversed(repeated)), copies)


def _origin(atom: Atom, defs: Mapping[Var, Stm], versions: Container[Atom]) -> Atom:
    """What an array is a copy of."""
    while isinstance(atom, Var) and atom in defs:
        expr = defs[atom].expr
        if not isinstance(expr, Prim) or expr.op != "copy" or expr.args[0] in versions:
            break
        atom = expr.args[0]
    return atom


def recording(
    scope: Scope, block: Block, reverse: Block, found: Residuals, handed: HandedOn,
    folders: Mapping[Var, str], names: NameSupply,
) -> tuple[Block, Block]:  # fmt: skip
    """Forward and reverse code of a scope with its residuals pushed and popped.

    The results of the reverse code begin with what it hands on. `folders` are those of what is
    moved out of memory (`offloading`).
    """
    ahead: list[Stm] = []
    for var in scope.carried:
        ahead += _copy_of(var, found)
    for stm in scope.stms:
        ahead.append(stm)
        for out in stm.outs:
            ahead += _copy_of(out, found)
    back: list[Stm] = []
    if handed.firsts:
        push, code = _of_firsts(found, handed, folders, names)
        ahead += push
        back += code
    if own := tuple(v for v in found.recorded if v not in handed.firsts):
        pushed = tuple(found.copies.get(v, v) for v in own)
        push, pop = _recorded(pushed, own, own, folders, names)
        ahead.append(push)
        back.insert(0, pop)
    kept: list[Atom] = []
    fresh = {m.handed for m in handed.made.values()}
    for var in handed.ends:
        if var.type.is_scalar or var in fresh:
            kept.append(var)
        else:  # reverse code may take it over
            copied = names.var(var.name, var.type)
            kept.append(copied)
            back.append(Stm((copied,), Prim("copy", (var,))))
    code = (*back, *found.merged(reverse.stms))
    return Block(tuple(ahead), block.results), Block(code, (*kept, *reverse.results))


def _later(
    handed: HandedOn, outs: tuple[Var, ...], then: Block, orelse: Block, names: NameSupply
) -> list[Stm]:
    """A choice by whether it is not the first iteration."""
    later = names.var("later", BOOL)
    asked = Stm((later,), Prim("gt", (handed.index, ilit(0))))
    return [asked, Stm(outs, If(later, then, orelse))]


def _recorded(
    pushed: Sequence[Var], taken: tuple[Var, ...], values: Sequence[Var],
    folders: Mapping[Var, str], names: NameSupply,
) -> tuple[Stm, Stm]:  # fmt: skip
    """A push and the pop for it; `values` are what policies were asked about."""
    site = ("site", names.name("site"))
    kinds = ("types", tuple(str(v.type) for v in taken))
    push = Stm((), Prim("push", tuple(pushed), marked(values, folders, (site,))))
    return push, Stm(taken, Prim("pop", (), marked(values, folders, (site, kinds))))


def _of_firsts(
    found: Residuals, handed: HandedOn, folders: Mapping[Var, str], names: NameSupply
) -> tuple[list[Stm], list[Stm]]:
    """How what an iteration begins with is recorded and had, in another one than the first."""
    made = handed.made
    taken = {v: names.var(v.name, v.type) for v in handed.firsts if v not in made}
    records = {v: found.copies.get(v, v) for v in taken}
    for way in handed.ways:
        taken[way.carried] = records[way.carried] = way.before
    own = tuple(v for v in handed.firsts if v in taken)
    push, pop = _recorded(
        tuple(records[v] for v in own), tuple(taken[v] for v in own), own, folders, names
    )
    code = tuple(stm for way in made.values() for stm in way.code)
    results = (made[v].result if v in made else taken[v] for v in handed.firsts)
    then = Block((pop, *code), (*results, *(way.before for way in handed.ways)))
    outs = (*handed.firsts, *(way.handed for way in handed.ways))
    return (
        _later(handed, (), Block((push,), ()), Block((), ()), names),
        _later(handed, outs, then, _begun(handed, names), names),
    )


def _begun(handed: HandedOn, names: NameSupply) -> Block:
    """What the first iteration begins with; what that would be made of is never read."""
    stms: list[Stm] = []
    results: list[Atom] = []
    firsts = [
        *handed.firsts.items(),
        *((way.before, handed.firsts[way.carried]) for way in handed.ways),
    ]
    for var, atom in firsts:
        if var.type.is_scalar:
            results.append(atom)
        else:
            copied = names.var(var.name, var.type)
            results.append(copied)
            stms.append(Stm((copied,), Prim("copy", (atom,))))
    return Block(tuple(stms), tuple(results))


def _copy_of(var: Var, found: Residuals) -> list[Stm]:
    if var not in found.copies:
        return []
    return [Stm((found.copies[var],), Prim("copy", (var,)))]
