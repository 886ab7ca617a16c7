"""Residuals are recorded before the next long loop or call, not at the end of their block.

The reverse transformation pushes what a block needs once, at its end. Until then such a value lives
in the frames of a run that can be interrupted, and in every snapshot of it, though the run does not
read it again. Here each push is divided: a value goes onto the tape in front of the first loop with
points (or call of a function that does not call itself) that its turn in the reverse sweep allows,
and is taken off where the reverse of that loop ends. What the reverse sweep calculates again from
such values moves to where it is read. Bits do not change, nor does what is recorded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Call, For, Prim, Program, Stm, Var, While
from retrograd.ir.traverse import blocks, free_vars_expr, with_blocks
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.transforms.analysis.effects import recursive_functions
from retrograd.transforms.checkpoint.upcalls import sites

__all__ = ["record_early"]


def record_early(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program with its pushes, and the pops that belong to them, divided at long loops."""
    once = {site for site, count in _counted(program).items() if count == (1, 1)}
    deep = recursive_functions(program)
    ends: dict[object, Block] = {}
    starts: dict[object, Block] = {}
    for function in program.functions:
        for block in _all_blocks(function.body):
            ends.update((site, block) for site in _site(block.stms[-1:], "push"))
            starts.update((site, block) for site in _site(block.stms[:1], "pop"))
    changed: dict[int, Block] = {}
    for site, ahead in ends.items():
        back = starts.get(site)
        if back is None or site not in once:
            continue
        cuts = _cuts(ahead, back, deep)
        if cuts and changed.keys().isdisjoint((id(ahead), id(back))):
            pair = _Pair(ahead, back, cuts, prims)
            changed[id(ahead)], changed[id(back)] = pair.divided(names)
    if not changed:
        return program

    def rebuilt(block: Block) -> Block:
        block = changed.get(id(block), block)
        return Block(tuple(map(inside, block.stms)), block.results)

    def inside(stm: Stm) -> Stm:
        inner = blocks(stm.expr)
        if not inner:
            return stm
        return replace(stm, expr=with_blocks(stm.expr, tuple(map(rebuilt, inner))))

    functions = (replace(f, body=rebuilt(f.body)) for f in program.functions)
    return Program(tuple(functions), program.entry)


def _all_blocks(block: Block) -> Iterator[Block]:
    yield block
    for stm in block.stms:
        for inner in blocks(stm.expr):
            yield from _all_blocks(inner)


def _counted(program: Program) -> Mapping[object, tuple[int, int]]:
    """How many statements push and pop each site."""
    pushed, popped = Counter[object](), Counter[object]()
    for function in program.functions:
        pushed.update(sites(function.body, "push"))
        popped.update(sites(function.body, "pop"))
    return {site: (pushed[site], popped[site]) for site in pushed}


def _site(stms: Sequence[Stm], op: str) -> list[object]:
    """The site that a statement pushes to or pops from, not one of elements of arrays."""
    return [
        stm.expr.param("site")
        for stm in stms
        if isinstance(stm.expr, Prim) and stm.expr.op == op and "held" not in dict(stm.expr.params)
    ]


def _cuts(ahead: Block, back: Block, deep: frozenset[str]) -> list[tuple[int, int]]:
    """For each long loop or call its place in both blocks, the first one first."""
    places = {point: k for k, point in _points(back, deep)}
    found = [(k, places[point]) for k, point in _points(ahead, deep) if point in places]
    return found if all(a[1] > b[1] for a, b in pairwise(found)) else []


def _points(block: Block, deep: frozenset[str]) -> list[tuple[int, int]]:
    """Places and points of the loops and calls of a block that have one, without recursive ones."""
    found: list[tuple[int, int]] = []
    for k, stm in enumerate(block.stms):
        match stm.expr:
            case For(point=int() as point) | While(point=int() as point):
                found.append((k, point))
            case Call(point=int() as point) if stm.expr.function not in deep:
                found.append((k, point))
            case _:
                pass
    return found


@dataclass(slots=True)
class _Pair:
    """A block of the forward sweep that ends with a push, and that of the reverse sweep.

    Gap k is what comes before the loop of `cuts[k]` and after the one before, and its reverse.
    """

    ahead: Block
    back: Block
    cuts: Sequence[tuple[int, int]]
    prims: PrimitiveSet

    def divided(self, names: NameSupply) -> tuple[Block, Block]:
        """Both blocks, with a push and a pop for each gap that something is recorded in."""
        cuts = self.cuts
        push, pop = self.ahead.stms[-1], self.back.stms[0]
        assert isinstance(push.expr, Prim)
        pushed = dict(zip(pop.outs, push.expr.args, strict=True))
        turns, moved = self._turns()
        first = self._first_gaps()
        gaps: dict[int, list[Var]] = {}
        for var, atom in pushed.items():
            gaps.setdefault(max(turns.get(var, 0), first.get(atom, 0)), []).append(var)
        starts = {len(cuts): 1, **{k: cuts[k][1] + 1 for k in range(len(cuts))}}
        ends = {len(cuts): len(self.ahead.stms) - 1, **{k: cuts[k][0] for k in range(len(cuts))}}
        ahead: dict[int, list[Stm]] = {}
        back: dict[int, list[Stm]] = {}
        for gap, outs in gaps.items():
            site = ("site", names.name("site"))
            kinds = ("types", tuple(str(v.type) for v in outs))
            args = tuple(pushed[v] for v in outs)
            ahead[ends[gap]] = [replace(push, expr=Prim("push", args, (site,)))]
            taken = Prim("pop", (), (site, kinds))
            back[starts[gap]] = [replace(pop, outs=tuple(outs), expr=taken)]
        away = {id(stm) for stm, _ in moved}
        for stm, gap in moved:
            back.setdefault(starts[gap], []).append(stm)
        kept = [() if id(s) in away else (s,) for s in self.back.stms[1:]]
        return (
            _with(self.ahead, [(s,) for s in self.ahead.stms[:-1]], ahead, 0),
            _with(self.back, kept, back, 1),
        )

    def _turns(self) -> tuple[Mapping[Var, int], list[tuple[Stm, int]]]:
        """In the reverse of which gap each variable is first read, and what is calculated later.

        The last gap comes first there. The reverse of a loop belongs to the gap after it.
        """
        cuts = self.cuts
        turns: dict[Var, int] = {a: 0 for a in self.back.results if isinstance(a, Var)}
        moved: list[tuple[Stm, int]] = []
        ends = [end for _, end in cuts]
        gap = 0
        for place in range(len(self.back.stms) - 1, 0, -1):
            stm = self.back.stms[place]
            while gap < len(cuts) and place <= ends[gap]:
                gap += 1
            turn = gap
            if self._movable(stm):
                turn = max(turns.get(out, 0) for out in stm.outs)
                if turn < gap:
                    moved.append((stm, turn))
            for var in free_vars_expr(stm.expr):
                turns[var] = max(turn, turns.get(var, 0))
        return turns, moved[::-1]

    def _movable(self, stm: Stm) -> bool:
        """Whether a statement calculates scalars from scalars and extents, and nothing else."""
        expr = stm.expr
        return (
            isinstance(expr, Prim)
            and self.prims[expr.op].effect is Effect.PURE
            and all(v.type.is_scalar for v in stm.outs)
            and (expr.op == "dim" or all(a.type.is_scalar for a in expr.args))
        )

    def _first_gaps(self) -> Mapping[Atom, int]:
        """The first gap at whose end each value can be pushed, where it is not the first of all.

        It has to have been made by then; an array is handed over, so that nothing reads it later.
        """
        found: dict[Atom, int] = {}
        gap = 0
        for place, stm in enumerate(self.ahead.stms[:-1]):
            gap += gap < len(self.cuts) and place == self.cuts[gap][0]
            read = (v for v in free_vars_expr(stm.expr) if not v.type.is_scalar)
            found.update(dict.fromkeys((*stm.outs, *read), gap))
        return found


def _with(
    block: Block, stms: Sequence[tuple[Stm, ...]], new: Mapping[int, Sequence[Stm]], first: int
) -> Block:
    """A block of these statements, with new ones before those at some places."""
    made: list[Stm] = []
    for place in range(first, first + len(stms) + 1):
        made += new.get(place, ())
        if place < first + len(stms):
            made += stms[place - first]
    return Block(tuple(made), block.results)
