"""Reverse loops whose iterations are independent run forwards.

The reverse of a loop counts down. Where no iteration reads what another has written, the order is
free but for that of additions, and vectors of elements that are walked upwards need no reversing.
So such a loop runs upwards, and its additions into one element, and its sums, are in that order.
It is applied to what derivatives have made, before the bits of derivatives are settled.

It is legal where the loop carries arrays only; the body has single elements of them read, written
and added to, outside branches and inner loops; each array is only added to, or is accessed along
one axis at indices a*i + c + (what does not change) with one stride a and constants c within a of
each other, so that an iteration has elements of its own; and nothing in the body can raise, call
or touch the tape, except as a block, which is found by the loop index.

Machine code takes any loop in the direction in which its arrays are walked upwards, where each
iteration has elements of its own: `for i in range(n - 1, -1, -1)`, or the inverse of such a loop.
No additions change places there. An index that is only subtracted from the number of iterations
ascends then: LLVM carries what neighbours read from one iteration to the next only where it sees
that their indices ascend.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Expr, For, If, Prim, Program, Stm, ilit
from retrograd.ir.traverse import blocks, free_vars_expr, with_blocks
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.prims.facts import Access, How
from retrograd.transforms.analysis.affine import Forms, forms_of, linear
from retrograd.transforms.analysis.bounds import Linear
from retrograd.transforms.analysis.effects import prim_effect
from retrograd.transforms.passes import per_function

__all__ = ["run_forwards", "walk_upwards"]


def run_forwards(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Turns every such loop of the program."""

    def wanted(loop: For) -> bool:
        return loop.descending and _independent(loop, prims, True)

    return _turned(program, lambda loop: _other_way(loop) if wanted(loop) else loop)


def walk_upwards(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Turns the loops that walk arrays downwards, in machine code that is not interrupted."""

    def wanted(loop: For) -> bool:
        return _downwards(loop, prims) and _independent(loop, prims)

    return _turned(program, lambda loop: _ascending(loop) if wanted(loop) else loop)


def _turned(program: Program, turned: Callable[[For], For]) -> Program:
    """The program whose loops run as `turned` says."""

    def walk(block: Block) -> Block:
        return Block(tuple(s.with_expr(changed(s.expr)) for s in block.stms), block.results)

    def changed(expr: Expr) -> Expr:
        expr = with_blocks(expr, tuple(map(walk, blocks(expr))))
        return turned(expr) if isinstance(expr, For) else expr

    return per_function(program, lambda f: replace(f, body=walk(f.body)))


def _other_way(loop: For) -> For:
    return replace(loop, descending=not loop.descending)


def _ascending(loop: For) -> For:
    """A loop the other way round, by an index that ascends where it is only subtracted from the
    number of iterations."""
    down, up = Prim("sub", (loop.trips, loop.index)), Prim("add", (loop.index, ilit(1)))
    readers = [s for s in loop.body.stms if loop.index in free_vars_expr(s.expr)]
    if loop.descending or loop.index in loop.body.results or any(s.expr != down for s in readers):
        return _other_way(loop)
    stms = tuple(s.with_expr(up) if s.expr == down else s for s in loop.body.stms)
    return replace(loop, body=replace(loop.body, stms=stms))


def _downwards(loop: For, prims: PrimitiveSet) -> bool:
    """Whether arrays are walked from their ends, and none from its beginning."""
    forms = forms_of(loop.body)
    steps: set[int] = set()
    for stm in loop.body.stms:
        if isinstance(stm.expr, Prim):
            access = prims[stm.expr.op].facts.access
            if access is not None and access.element:
                steps.add(linear(stm.expr.args[-1], forms).terms.get(loop.index.name, 0))
    return not loop.block and steps - {0} == {1 if loop.descending else -1}


def _independent(loop: For, prims: PrimitiveSet, adding: bool = False) -> bool:
    """Whether the order is free; with `adding` that of additions to one element may change."""
    if any(var.type.is_scalar for var in loop.carried):
        return False
    if not all(_harmless(stm, loop.block, prims) for stm in loop.body.stms):
        return False
    forms = forms_of(loop.body)
    return all(
        _own_elements(loop, position, forms, prims, adding) for position in range(len(loop.carried))
    )


def _harmless(stm: Stm, block: bool, prims: PrimitiveSet) -> bool:
    """Whether a statement can be run in another order, as far as effects go."""
    match stm.expr:
        case Prim(op="pop"):
            return block
        case Prim():
            return prim_effect(stm.expr, prims) is Effect.PURE
        case If(then=then, orelse=orelse):
            return all(_harmless(s, False, prims) for b in (then, orelse) for s in b.stms)
        case _:
            return False


def _own_elements(
    loop: For, position: int, forms: Forms, prims: PrimitiveSet, adding: bool
) -> bool:
    """Whether iterations share no element of a carried array, or only read it, or add to it."""
    accesses = _accesses(loop, position, prims)
    if accesses is None:
        return False
    hows = {access.how for access, _ in accesses}
    if hows <= {How.READS} or (adding and hows == {How.ADDS}):
        return True
    places = [[linear(a, forms) for a in expr.args[access.places :]] for access, expr in accesses]
    rank = loop.carried[position].type.rank
    return any(_apart([place[k] for place in places], loop, forms) for k in range(rank))


def _accesses(loop: For, position: int, prims: PrimitiveSet) -> list[tuple[Access, Prim]] | None:
    """What the body does with a carried array, None if that is not single elements only."""
    versions = {loop.carried[position]}
    last: Atom = loop.carried[position]
    found: list[tuple[Access, Prim]] = []
    for stm in loop.body.stms:
        if versions.isdisjoint(free_vars_expr(stm.expr)):
            continue
        match stm.expr:
            case Prim(op=op, args=(base, *rest)) if base in versions:
                access = prims[op].facts.access
                if access is None or not access.element or not versions.isdisjoint(rest):
                    return None
                found.append((access, stm.expr))
                if access.writes:
                    versions.add(stm.outs[0])
                    last = stm.outs[0]
            case _:
                return None
    return found if loop.body.results[position] == last else None


def _apart(places: list[Linear], loop: For, forms: Forms) -> bool:
    """Whether the index along one axis is enough to tell the iteration."""
    first = places[0]
    stride = first.terms.get(loop.index.name, 0)
    if stride == 0 or any(str(u) in forms for u in first.terms):
        return False
    apart = [place.plus(first, -1) for place in places]
    offsets = [d.const for d in apart]
    return not any(d.terms for d in apart) and max(offsets) - min(offsets) < abs(stride)
