"""Bodies that a reverse sweep runs again, as derivatives with schedules of their own.

Where a loop body records much, the reverse transformation has it run again (`vjp.carry`): a call
that does nothing but record, and the call of its reverse. That is a unit, with a tape of its own on
top of the one there is. A body with a long loop in it can be as long as a run: then the two calls
become a function that is an inner derivative, which is left to somebody else where there is no room
for its tape (`asking`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Call, For, Function, Program, Stm, Var, While
from retrograd.ir.traverse import blocks, substitute, supply_for, with_blocks
from retrograd.options.checkpointing import SHARED
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.ad.vjp.estimates import Estimates
from retrograd.transforms.analysis.effects import callees
from retrograd.transforms.checkpoint.upcalls import sites
from retrograd.transforms.passes import per_function

__all__ = ["has_short_bodies", "long_bodies_apart"]


def long_bodies_apart(
    program: Program, names: NameSupply, prims: PrimitiveSet, every: bool = False
) -> Program:
    """The program with a function around each long body that is run again, and its reverse.

    Around `every` one, long or not, where a budget leaves no room for any as a unit.
    """
    costs, table = prims.costs, {f.name: f for f in program.functions}
    wrapper = _Wrapper(table, names, costs.extent, *_EVERY if every else _long(prims))
    found = wrapper.program(program)
    if not wrapper.loops:
        return found if wrapper.made else program
    return _with_points(found, wrapper.loops, wrapper.units)


def has_short_bodies(program: Program, prims: PrimitiveSet) -> bool:
    """Whether there are bodies that are run again and do not count as long."""
    names, table = supply_for(program), {f.name: f for f in program.functions}
    size = prims.costs.extent
    every = _Wrapper(table, names, size, *_EVERY)
    long = _Wrapper(table, names, size, *_long(prims))
    every.program(program)
    long.program(program)
    return len(every.made) > len(long.made)


def _long(prims: PrimitiveSet) -> tuple[float, float]:
    return prims.costs.apart_gain, prims.costs.apart_words


_EVERY = 0.0, 0.0


@dataclass(frozen=True, slots=True)
class _Wrapper:
    """The functions that there are, those that it makes, and the points of the loops around.

    `extent` is that of estimates. A body is long that records more than `long` times what is made
    for it. It is an inner derivative if that is more than `least` words; with fewer it is a unit:
    `units` are the functions of such.
    """

    functions: Mapping[str, Function]
    names: NameSupply
    extent: float
    long: float
    least: float
    made: list[Function] = field(default_factory=list[Function])
    loops: set[int] = field(default_factory=set[int])
    units: set[str] = field(default_factory=set[str])

    def program(self, program: Program) -> Program:
        """Inner derivatives have programs of their own, which are looked at later."""
        whole = [f.derivative is not None or f.name == program.entry for f in program.functions]
        kept = [
            f if apart else replace(f, body=self.block(f.body, None))
            for f, apart in zip(program.functions, whole, strict=True)
        ]
        return Program((*kept, *self.made), program.entry)

    def block(self, block: Block, around: int | None) -> Block:
        """`around` is the point of the loop whose body this is part of."""
        stms: list[Stm] = []
        made: set[Atom] = set()
        ahead: int | None = None
        """Where the call that records is, as long as no other one has come."""
        for stm in block.stms:
            point = stm.expr.point if isinstance(stm.expr, For | While) else around
            inner = tuple(self.block(b, point) for b in blocks(stm.expr))
            stms.append(replace(stm, expr=with_blocks(stm.expr, inner)) if inner else stm)
            made.update(stm.outs)
            if not isinstance(stm.expr, Call):
                continue
            first = None if ahead is None else stms[ahead]
            if first is not None and ahead is not None and self.takes_back(stm, first):
                if self.words(first) > self.least:
                    stms[-1] = self.together(first, stm)
                    del stms[ahead]
                else:
                    self.units.update(_called(s) for s in (first, stm))
                ahead = None
                self.loops.update(() if around is None else (around,))
            else:
                ahead = len(stms) - 1 if not stm.outs and self.is_long(stm, made) else None
        return Block(tuple(stms), block.results)

    def is_long(self, stm: Stm, made: set[Atom]) -> bool:
        """Whether a call records many times what it reads of what was `made` for it, here.

        What it reads from outside of the loop, such as weights, says nothing about that.
        """
        read = sum(self.extent**a.type.rank for a in _variables(stm) if a in made)
        return self.words(stm) > self.long * max(1.0, read)

    def words(self, stm: Stm) -> float:
        return Estimates(self.functions, self.extent).recorded(Block((stm,), ()))

    def takes_back(self, stm: Stm, ahead: Stm) -> bool:
        """Whether a call takes back what the one before has recorded."""
        return bool(self.sites(stm, "pop") & self.sites(ahead, "push"))

    def sites(self, stm: Stm, op: str) -> set[object]:
        """Of all pushes, or pops, in a call; inner derivatives take back what they record."""
        found: set[object] = set()
        seen: set[str] = set()
        pending = [stm.expr.function] if isinstance(stm.expr, Call) else []
        while pending:
            name = pending.pop()
            if name not in seen and self.functions[name].derivative is None:
                seen.add(name)
                found.update(sites(self.functions[name].body, op))
                pending += callees(self.functions[name])
        return found

    def together(self, ahead: Stm, back: Stm) -> Stm:
        """The call of a function that does nothing but these two."""
        given = tuple(dict.fromkeys((*_variables(ahead), *_variables(back))))
        inside: dict[Var, Atom] = {v: self.names.var(v.name, v.type) for v in given}
        outs = tuple(self.names.var(v.name, v.type) for v in back.outs)
        calls = Block((ahead, replace(back, outs=outs)), outs)
        assert isinstance(back.expr, Call)
        name = self.names.name(f"{back.expr.function}_apart")
        params = tuple(v for v in inside.values() if isinstance(v, Var))
        body = substitute(calls, inside)
        self.made.append(Function(name, params, body, None, back.prov, SHARED))
        return replace(back, expr=Call(name, given))


_BODIES = 1 << 21
"""The points of calls of long bodies are numbered from here: not ones that the program has."""


def _with_points(program: Program, loops: set[int], units: set[str]) -> Program:
    """The program where the forward sweep can be interrupted in these loops' bodies, too.

    No leaf has to end there, but whoever waits for a run wants an answer. Loops of both sweeps have
    the points of the program's; what has nothing to wait for loses such points again.
    """
    table = {f.name: f for f in program.functions}
    count = 0

    def walk(block: Block, inside: bool) -> Block:
        return Block(tuple(visit(stm, inside) for stm in block.stms), block.results)

    def visit(stm: Stm, inside: bool) -> Stm:
        nonlocal count
        expr = stm.expr
        if isinstance(expr, Call) and inside and expr.point is None:
            if table[expr.function].derivative is not None or expr.function in units:
                return stm
            count += 1
            return replace(stm, expr=replace(expr, point=_BODIES + count))
        here = expr.point in loops if isinstance(expr, For | While) else inside
        return replace(stm, expr=with_blocks(expr, tuple(walk(b, here) for b in blocks(expr))))

    return per_function(program, lambda f: replace(f, body=walk(f.body, False)))


def _called(stm: Stm) -> str:
    assert isinstance(stm.expr, Call)
    return stm.expr.function


def _variables(stm: Stm) -> tuple[Var, ...]:
    assert isinstance(stm.expr, Call)
    return tuple(a for a in stm.expr.args if isinstance(a, Var))
