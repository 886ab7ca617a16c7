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
from dataclasses import replace

from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    For,
    Function,
    If,
    Prim,
    Program,
    Stm,
    Var,
    Vjp,
    While,
)
from retrograd.ir.traverse import (
    atoms,
    free_vars,
    free_vars_expr,
    freshen_block,
    stms_deep,
    substitute,
)
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.transforms.ad.vjp.context import VjpContext
from retrograd.transforms.ad.vjp.joined_loops import (
    blocked,
    number_of_blocks,
    one_after_the_other,
)
from retrograd.transforms.ad.vjp.own_elements import (
    OwnElements,
    copies_of,
    depending_on,
    original,
    unchanged_apart,
)
from retrograd.transforms.ad.vjp.sweep_pairs import Pair, Rerun, Unrecorded
from retrograd.transforms.analysis.effects import prim_effect, reaching
from retrograd.transforms.analysis.shapes import shapes_of

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

    reverse = [loop.body for loop in _loops(program.main.body) if loop.descending]
    if not reverse:
        return False
    raising = reaching(program.functions, lambda f: checks(f.body))
    return any(checks(body) or any(n in raising for n in _called(body)) for body in reverse)


def _loops(block: Block) -> Iterator[For]:
    """The loops of a block, those of its branches among them, which are versions of one."""
    for stm in block.stms:
        if isinstance(stm.expr, For):
            yield stm.expr
        elif isinstance(stm.expr, If):
            yield from (*_loops(stm.expr.then), *_loops(stm.expr.orelse))


def _called(block: Block) -> Iterator[str]:
    return (s.expr.function for s in stms_deep(block) if isinstance(s.expr, Call))


def fused_sweeps(
    context: VjpContext, around: Function, stms: Sequence[Stm], calls: frozenset[str]
) -> tuple[list[Stm], dict[Var, Atom]] | None:
    """Statements in which calls of a forward and a reverse program are replaced by what these do,
    with the sweeps of maps in one loop; None where there is no such map.

    Args:
        context: where the functions are.
        around: the function in which they are, up to there.
        stms: the two calls, and what is between them.
        calls: the names of the two functions.

    Returns:
        the statements, and what stands for the results of the calls now.
    """
    flat, values = _inlined(context, stms, calls)
    found = False
    position = 0
    while position < len(flat):
        made = _fused_at(context, around, flat, position)
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
        given = _settled(context, flat, stm.expr.args)
        mapping = dict(zip(function.params, given, strict=True))
        body = freshen_block(function.body, context.names, mapping)
        inside = list(body.stms)
        results = _settled(context, inside, body.results)
        flat += inside
        values.update(zip(stm.outs, results, strict=True))
    return flat, values


def _settled(context: VjpContext, stms: list[Stm], atoms: Sequence[Atom]) -> tuple[Atom, ...]:
    """Values that go into a call or come out of one, of which products are made once more.

    A sum on the other side is not contracted with them (`fma.py`), as it is not where there is a
    call. The statements that this takes are added to `stms`.
    """
    products = {
        s.outs[0]: s for s in stms
        if isinstance(s.expr, Prim) and s.expr.op == "mul" and s.prov.via[-1:] == ("vjp",)
    }  # fmt: skip
    found: list[Atom] = []
    for atom in atoms:
        if isinstance(atom, Var) and atom in products and atom.type.is_scalar:
            stm, made = products[atom], context.names.var(atom.name, atom.type)
            stms.append(replace(stm, outs=(made,), prov=stm.prov.through("element")))
            atom = made
        found.append(atom)
    return tuple(found)


def substitute_later(stms: Sequence[Stm], values: Mapping[Var, Atom]) -> Iterator[Stm]:
    """The statements one by one, with what `values` has by then."""
    for stm in stms:
        yield substitute(Block((stm,), ()), values).stms[0] if values else stm


def _fused_at(
    context: VjpContext, around: Function, flat: list[Stm], position: int
) -> list[Stm] | None:
    """With the reverse loop at a position joined to its forward loop, if that is legal."""
    whole = flat[position].expr
    if not isinstance(whole, For) or not whole.descending or whole.block:
        return None
    again = [s.expr for s in whole.body.stms if isinstance(s.expr, Call)]
    sources = [context.silenced[c.function] for c in again if c.function in context.silenced]
    if len(sources) > 1 or (not sources and not _of_loops(whole)):
        return None
    for place in range(position):
        stm = flat[place]
        if not isinstance(stm.expr, For):
            continue
        if sources and _calls(context, stm.expr, sources[0]):
            rerun = Rerun(context, stm, stm.expr, flat[position], whole, sources[0])
            made = _joined(context, around, flat, place, position, rerun)
            if made is None:  # the reverse of an element may use its cotangent in another place
                flat, back = _seen_through(context, flat, position, whole)
                rerun = replace(rerun, back_stm=flat[position], back=back)
                made = _joined(context, around, flat, place, position, rerun)
            return made
        if not sources and _of_loops(stm.expr) and stm.expr.point == whole.point is not None:
            flat, back = _seen_through(context, flat, position, whole)
            unrecorded = Unrecorded(context, stm, stm.expr, flat[position], back)
            return _joined(context, around, flat, place, position, unrecorded)
    return None


def _seen_through(
    context: VjpContext, flat: list[Stm], position: int, loop: For
) -> tuple[list[Stm], For]:
    """Statements in which a loop carries no array that it leaves as it is, and does what is called
    by the reverse sweep of an iteration itself."""
    calls = (s.expr.function for s in loop.body.stms if isinstance(s.expr, Call))
    names = frozenset(name for name in calls if name not in context.silenced)
    stms, values = _inlined(context, loop.body.stms, names)
    results = substitute(Block((), loop.body.results), values).results
    loop = replace(loop, body=Block(tuple(stms), results))
    stm, loop, copies = unchanged_apart(replace(flat[position], expr=loop), loop, context.prims)
    return [*flat[:position], stm, *copies, *flat[position + 1 :]], loop


def _of_loops(loop: For) -> bool:
    """Whether there are loops in an iteration: one that has none had better be left to vectors."""
    return any(isinstance(s.expr, For | While) for s in loop.body.stms)


def _calls(context: VjpContext, loop: For, forward: str) -> bool:
    """Whether a loop is that of whose elements `forward` is the recording version."""
    return any(context.rerun.get(name) == forward for name in _called(loop.body))


def _joined(
    context: VjpContext, around: Function, flat: list[Stm], first: int, last: int, pair: Pair
) -> list[Stm] | None:
    """The statements with both loops as one, at the place of the first."""
    prims = context.prims
    defs: Defs = {v: (k, s) for k, s in enumerate(flat) for v in s.outs}
    ahead, back = pair.ahead, pair.back
    bodies = pair.body()
    if (
        bodies is None
        or not pair.fills()
        or not _same(ahead.trips, back.trips, defs, copies_of(flat), prims)
    ):
        return None
    ready = _ready(pair, bodies)
    own = _own_elements(context, around, flat, pair, ready or bodies[0].results)
    body = own.replaced(bodies[1], ahead.index)
    if body is None:
        return None
    needed = {a: None for a in back.inits if isinstance(a, Var)}
    needed.update(free_vars(body))
    needed.update(own.before)
    early = _early(flat, first, [v for v in needed if v in defs], prims)
    if early is None:
        return None
    positions, values = early
    lifted = [replace(flat[k]) for k in positions]
    moved = substitute(Block((*lifted, replace(pair.back_stm)), ()), values)
    reverse = moved.stms[-1].expr
    assert isinstance(reverse, For)
    head, tail = bodies[0], substitute(body, values)
    taken = {a for a in reverse.inits if isinstance(a, Var) and not a.type.is_scalar}
    kept = [s for k, s in enumerate(flat) if k > first and k != last and k not in positions]
    used = {v for s in (pair.ahead_stm, *kept) for v in free_vars_expr(s.expr)}
    if taken & (used | set(free_vars(tail))):
        return None
    stms = list(moved.stms[:-1])
    if ready:
        stms += number_of_blocks(context, ahead.trips)
        loop = blocked(context, stms[-1].outs[0], ahead, reverse, head, tail, ready)
    else:
        loop = one_after_the_other(ahead, reverse, head, tail)
    both = Stm((*pair.ahead_stm.outs, *pair.back_stm.outs), loop, pair.back_stm.prov)
    return [*flat[:first], *stms, both, *kept]


def _ready(pair: Pair, bodies: tuple[Block, Block]) -> tuple[Var, ...]:
    """The arrays of a map after a block of its iterations; none where it is one by one.

    It is where the reverse of an iteration needs numbers that this has calculated.
    """
    head, tail = bodies
    needed = set(free_vars(tail))
    made = {v for stm in head.stms for v in stm.outs}
    if isinstance(pair, Rerun) or pair.back.sums or not needed.isdisjoint(made):
        return ()
    names = pair.context.names
    return tuple(names.var(v.name, v.type) for v in pair.ahead.carried)


def _own_elements(
    context: VjpContext, around: Function, flat: Sequence[Stm], pair: Pair, ready: Sequence[Atom]
) -> OwnElements:
    """Of the arrays that a map makes, as its iterations have them, and what depends on them.

    None are made where the map itself is a derivative, whose products may be contracted.
    """
    outs, body = pair.ahead_stm.outs, pair.ahead.body
    settled = all(s.prov.via[-1:] != ("vjp",) for s in stms_deep(body))
    made = dict(zip(outs, ready, strict=False)) if settled else {}
    whole = replace(around, body=Block((*around.body.stms, *flat), ()))
    return OwnElements(
        defs={v: s for s in flat for v in s.outs},
        made=made,
        late=depending_on(outs, flat),
        same=copies_of(flat),
        shapes=shapes_of(whole, context.prims),
        names=context.names,
        prims=context.prims,
    )


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


def _same(
    one: Atom, other: Atom, defs: Defs, same: Mapping[Var, Atom], prims: PrimitiveSet
) -> bool:
    """Whether two scalars are calculated in the same way of the same."""
    one, other = original(one, same), original(other, same)
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
    return alike and all(_same(a, b, defs, same, prims) for a, b in pairs)
