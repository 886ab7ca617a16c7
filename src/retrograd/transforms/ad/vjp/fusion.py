"""Both sweeps of a map in one loop.

The loss is a sum over a map, say. Then the cotangent of each element is known before the map has
begun; and where the reverse sweep runs each element again, it can be run once, followed by its own
reverse. The reverse loop keeps its order, from the last element to the first, so that no bits
change; the forward loop takes that order over, since it only fills elements of its own.

What it may not take over is which exception is raised: that of the first element that fails. So
such a loop is made only where a program can be run without its derivative to find that out
(`value_only`), which is done after a failure.

It is done to the two calls that a `Vjp` node has become, after they have been replaced by the
statements of what they call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from retrograd.ir.terms import Atom, Block, Call, For, Function, Prim, Program, Stm, Var, Vjp
from retrograd.ir.traverse import (
    atoms,
    free_vars,
    free_vars_expr,
    freshen_block,
    mentions,
    stms_deep,
    substitute,
)
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.transforms.ad.vjp.context import VjpContext
from retrograd.transforms.analysis.effects import prim_effect, reaching

__all__ = ["fused_sweeps", "is_last", "out_of_order", "value_only"]

Defs = Mapping[Var, tuple[int, Stm]]


def is_last(function: Function, position: int, prims: PrimitiveSet) -> bool:
    """Whether nothing after a statement of a function can raise or take long."""
    return all(_pure(stm, prims) for stm in function.body.stms[position + 1 :])


def value_only(program: Program, prims: PrimitiveSet) -> Program:
    """A program that raises what this one raises, without the derivative in its entry's last node.

    It has the same parameters and no results.
    """
    stms: list[Stm] = []
    for position, stm in enumerate(program.main.body.stms):
        if isinstance(stm.expr, Vjp) and is_last(program.main, position, prims):
            count = len(program.function(stm.expr.function).body.results)
            stms.append(replace(stm, outs=stm.outs[:count], expr=_primal(stm.expr)))
            break
        stms.append(stm)
    main = replace(program.main, body=Block(tuple(stms), ()))
    kept = (main if f.name == main.name else f for f in program.functions)
    return Program(tuple(kept), program.entry)


def _primal(node: Vjp) -> Call:
    return Call(node.function, node.args)


def out_of_order(program: Program, prims: PrimitiveSet) -> bool:
    """Whether a loop of the entry runs from the last iteration to the first, and can raise."""

    def checks(block: Block) -> bool:
        found = (s.expr for s in stms_deep(block) if isinstance(s.expr, Prim))
        return any(prim_effect(expr, prims) is Effect.CHECK for expr in found)

    loops = [s.expr for s in program.main.body.stms if isinstance(s.expr, For)]
    reverse = [loop.body for loop in loops if loop.descending]
    if not reverse:
        return False
    raising = reaching(program.functions, lambda f: checks(f.body))
    return any(checks(body) or any(n in raising for n in _called(body)) for body in reverse)


def _called(block: Block) -> Iterator[str]:
    return (s.expr.function for s in stms_deep(block) if isinstance(s.expr, Call))


def fused_sweeps(
    context: VjpContext, stms: Sequence[Stm], calls: frozenset[str]
) -> tuple[list[Stm], dict[Var, Atom]] | None:
    """Statements in which calls of a forward and a reverse program are replaced by what these do,
    with the sweeps of maps in one loop; None where there is no such map.

    Args:
        context: where the functions are.
        stms: the two calls, and what is between them.
        calls: the names of the two functions.

    Returns:
        the statements, and what stands for the results of the calls now.
    """
    flat, values = _inlined(context, stms, calls)
    found = False
    position = 0
    while position < len(flat):
        made = _fused_at(context, flat, position)
        if made is not None:
            flat, found = made, True
        position += 1
    return (flat, values) if found else None


def _inlined(
    context: VjpContext, stms: Sequence[Stm], calls: frozenset[str]
) -> tuple[list[Stm], dict[Var, Atom]]:
    flat: list[Stm] = []
    values: dict[Var, Atom] = {}
    for stm in substitute_later(stms, values):
        if not isinstance(stm.expr, Call) or stm.expr.function not in calls:
            flat.append(stm)
            continue
        function = context.functions[stm.expr.function]
        mapping = dict(zip(function.params, stm.expr.args, strict=True))
        body = freshen_block(function.body, context.names, mapping)
        flat += body.stms
        values.update(zip(stm.outs, body.results, strict=True))
    return flat, values


def substitute_later(stms: Sequence[Stm], values: Mapping[Var, Atom]) -> Iterator[Stm]:
    """The statements one by one, with what `values` has by then."""
    for stm in stms:
        yield substitute(Block((stm,), ()), values).stms[0] if values else stm


def _fused_at(context: VjpContext, flat: list[Stm], position: int) -> list[Stm] | None:
    """With the reverse loop at a position joined to its forward loop, if that is legal."""
    back = flat[position]
    if not isinstance(back.expr, For) or not back.expr.descending or back.expr.block:
        return None
    again = [s.expr for s in back.expr.body.stms if isinstance(s.expr, Call)]
    sources = [context.silenced[c.function] for c in again if c.function in context.silenced]
    if len(sources) != 1:
        return None
    for place in range(position):
        stm = flat[place]
        if isinstance(stm.expr, For) and _calls(context, stm.expr, sources[0]):
            pair = _Pair(context, stm, stm.expr, back, back.expr, sources[0])
            return _joined(flat, place, position, pair)
    return None


def _calls(context: VjpContext, loop: For, forward: str) -> bool:
    """Whether a loop is that of whose elements `forward` is the recording version."""
    return any(context.rerun.get(name) == forward for name in _called(loop.body))


@dataclass(frozen=True, slots=True)
class _Pair:
    """A loop and its reverse, whose body calls the version of `forward` that records only."""

    context: VjpContext
    ahead_stm: Stm
    ahead: For
    back_stm: Stm
    back: For
    forward: str

    def body(self) -> tuple[Block, Block] | None:
        """What an iteration does forwards and backwards: statements, and what is carried on."""
        pushed: dict[str, tuple[Atom, ...]] = {}
        head: list[Stm] = []
        hidden: set[Var] = set()
        for stm in self.ahead.body.stms:
            expr = stm.expr
            if isinstance(expr, Prim) and expr.op == "push":
                pushed[str(expr.param("site"))] = expr.args
            elif isinstance(expr, Call) and self.context.rerun.get(expr.function) == self.forward:
                count = len(self.context.functions[self.forward].body.results)
                hidden.update(stm.outs[count:])
                call = replace(expr, function=self.forward)
                head.append(replace(stm, outs=stm.outs[:count], expr=call))
            elif _pure(stm, self.context.prims):
                head.append(stm)
            else:
                return None
        values: dict[Var, Atom] = {}
        tail: list[Stm] = []
        for stm in self.back.body.stms:
            expr = stm.expr
            if isinstance(expr, Prim) and expr.op == "pop":
                site = str(expr.param("site"))
                if site not in pushed or any(not v.type.is_scalar for v in stm.outs):
                    return None
                values.update(zip(stm.outs, pushed.pop(site), strict=True))
            elif not isinstance(expr, Call) or expr.function not in self.context.silenced:
                tail.append(stm)
        values[self.back.index] = self.ahead.index
        body = substitute(Block(tuple(tail), self.back.body.results), values)
        if pushed or hidden & set(free_vars(body)):
            return None
        return Block(tuple(head), self.ahead.body.results), body

    def fills(self) -> bool:
        """Whether the forward loop only writes elements of its own, one or a row each."""
        if self.ahead.sums or self.ahead.descending or self.ahead.directions:
            return False
        (call,) = (s for s in self.ahead.body.stms if isinstance(s.expr, Call))
        assert isinstance(call.expr, Call)
        function = self.context.functions[self.forward]
        own: set[int] = set()
        for k, var in enumerate(self.ahead.carried):
            if var.type.is_scalar or call.expr.args.count(var) != 1:
                return False
            result = self.ahead.body.results[k]
            if result not in call.outs[: len(function.body.results)]:
                return False
            at = call.expr.args.index(var)
            own.add(at)
            position = call.outs.index(result)
            indices = {
                p for p, a in zip(function.params, call.expr.args, strict=True)
                if a == self.ahead.index
            }  # fmt: skip
            written = function.body.results[position]
            if not _filled(function, function.params[at], written, indices, self.context.prims):
                return False
        return self.context.consumed[self.forward] <= own


def _filled(
    function: Function, array: Var, written: Atom, indices: set[Var], prims: PrimitiveSet
) -> bool:
    """Whether a function does nothing with an array but write one element or row, at an index."""
    users = [
        s for s in function.body.stms
        if array in free_vars_expr(s.expr) and not (isinstance(s.expr, Prim) and s.expr.op == "dim")
    ]  # fmt: skip
    if len(users) != 1 or array in function.body.results:
        return False
    expr, outs = users[0].expr, users[0].outs
    if not isinstance(expr, Prim) or expr.args.count(array) != 1 or expr.args[0] != array:
        return False
    access = prims[expr.op].facts.access
    if access is None or not access.writes:
        return False
    if indices.isdisjoint(expr.args[access.places : access.places + 1]):  # no place: all of it
        return False
    if not access.element and str(expr.param("spec"))[0] != "i":
        return False
    return outs == (written,) and mentions(function.body)[outs[0]] == 1


def _joined(flat: list[Stm], first: int, last: int, pair: _Pair) -> list[Stm] | None:
    """The statements with both loops as one, at the place of the first."""
    prims = pair.context.prims
    defs: Defs = {v: (k, s) for k, s in enumerate(flat) for v in s.outs}
    ahead, back = pair.ahead, pair.back
    bodies = pair.body()
    if bodies is None or not pair.fills() or not _same(ahead.trips, back.trips, defs, prims):
        return None
    needed = {a: None for a in back.inits if isinstance(a, Var)}
    needed.update(free_vars(back.body))
    early = _early(flat, first, [v for v in needed if v in defs], prims)
    if early is None:
        return None
    positions, values = early
    lifted = [replace(flat[k]) for k in positions]
    moved = substitute(Block((*lifted, replace(pair.back_stm)), ()), values)
    reverse = moved.stms[-1].expr
    assert isinstance(reverse, For)
    head, tail = bodies[0], substitute(bodies[1], values)
    taken = {a for a in reverse.inits if isinstance(a, Var) and not a.type.is_scalar}
    kept = [s for k, s in enumerate(flat) if k > first and k != last and k not in positions]
    if taken & {v for s in (pair.ahead_stm, *kept) for v in free_vars_expr(s.expr)}:
        return None
    count = len(reverse.carried)
    loop = replace(
        reverse,
        index=ahead.index,
        trips=ahead.trips,
        carried=(*ahead.carried, *reverse.carried),
        inits=(*ahead.inits, *reverse.inits),
        body=Block(
            (*head.stms, *tail.stms),
            (*head.results, *tail.results[:count], *tail.results[count:]),
        ),
        point=ahead.point,
    )
    both = Stm((*pair.ahead_stm.outs, *pair.back_stm.outs), loop, pair.back_stm.prov)
    return [*flat[:first], *moved.stms[:-1], both, *kept]


def _early(
    flat: Sequence[Stm], first: int, needed: Sequence[Var], prims: PrimitiveSet
) -> tuple[list[int], dict[Var, Atom]] | None:
    """The statements after the first loop that the second needs, and what it has from the tape.

    None where they need the first loop, or are not cheap and free of effects. An element of an
    array of zeros is none: the reverse of that is one iteration.
    """
    defs: Defs = {v: (k, s) for k, s in enumerate(flat) for v in s.outs}
    pushes = {
        str(s.expr.param("site")): s.expr.args
        for s in flat if isinstance(s.expr, Prim) and s.expr.op == "push"
    }  # fmt: skip
    values: dict[Var, Atom] = {}
    chosen: set[int] = set()
    pending = list(needed)
    while pending:
        var = pending.pop()
        place, stm = defs.get(var, (-1, None))
        if stm is None or place < first or place in chosen:
            continue
        expr = stm.expr
        if not isinstance(expr, Prim):
            return None
        if expr.op == "pop" and str(expr.param("site")) in pushes:
            atom = pushes[str(expr.param("site"))][stm.outs.index(var)]
            values[var] = atom
            pending += [atom] if isinstance(atom, Var) else []
        elif _pure(stm, prims) and not prims[expr.op].consumes:
            chosen.add(place)
            pending += [a for a in atoms(expr) if isinstance(a, Var)]
        else:
            return None
    return sorted(chosen), _resolved(values)


def _resolved(values: Mapping[Var, Atom]) -> dict[Var, Atom]:
    """What a value from the tape is in the end: it may have been there twice."""
    found: dict[Var, Atom] = {}
    for var, atom in values.items():
        while isinstance(atom, Var) and atom in values:
            atom = values[atom]
        found[var] = atom
    return found


def _pure(stm: Stm, prims: PrimitiveSet) -> bool:
    return isinstance(stm.expr, Prim) and prim_effect(stm.expr, prims) is Effect.PURE


def _same(one: Atom, other: Atom, defs: Defs, prims: PrimitiveSet) -> bool:
    """Whether two scalars are calculated in the same way of the same."""
    if one == other:
        return True
    if not (isinstance(one, Var) and isinstance(other, Var) and one in defs and other in defs):
        return False
    mine, theirs = defs[one][1], defs[other][1]
    if not _pure(mine, prims) or not _pure(theirs, prims):
        return False
    assert isinstance(mine.expr, Prim)
    assert isinstance(theirs.expr, Prim)
    if (mine.expr.op, mine.expr.params) != (theirs.expr.op, theirs.expr.params):
        return False
    pairs = zip(mine.expr.args, theirs.expr.args, strict=False)
    alike = len(mine.expr.args) == len(theirs.expr.args)
    return alike and all(_same(a, b, defs, prims) for a, b in pairs)
