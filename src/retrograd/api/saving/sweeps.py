"""Where the forward sweep of a derivative ends, and what stays on the tape then.

The entry of a pullback calls a forward program, then a reverse program; of a map both may be one
loop. In between stands on the tape what only the reverse sweep takes off. What a body that is run
again records, or a derivative inside of the function, is taken off in the same sweep.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from retrograd.ir.terms import Atom, Block, Call, Function, Param, Prim, Program, Stm, Var
from retrograd.ir.traverse import free_vars_expr, stms_deep
from retrograd.transforms.analysis.effects import reachable

__all__ = [
    "Sites", "Sweeps", "is_tape", "pushed", "site_of", "sites_of_functions", "sites_of_stms",
    "sweeps_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sites:
    """The sites at which code puts something on the tape, and at which it takes it off."""

    pushed: frozenset[Param] = frozenset()
    popped: frozenset[Param] = frozenset()

    def joined(self, other: Sites) -> Sites:
        return Sites(self.pushed | other.pushed, self.popped | other.popped)


@dataclass(frozen=True, slots=True)
class Sweeps:
    """The entry of a pullback in two.

    Attributes:
        program: whose entry it is.
        cotangents: the parameters that are.
        forward, backward: its statements before and after the place where the forward sweep ends.
        kept: the sites of what stands on the tape there.
        shared: those of them of which a part has been taken off before.
        read: the parameters that the reverse sweep is given, but for their extents.
    """

    program: Program
    cotangents: tuple[Var, ...]
    forward: tuple[Stm, ...]
    backward: tuple[Stm, ...]
    kept: frozenset[Param]
    shared: frozenset[Param]
    read: tuple[Var, ...]

    @property
    def ahead(self) -> Program:
        """The forward sweep as a program without results."""
        program = self.program
        main = replace(program.main, body=Block(self.forward, ()))
        made = Program(
            tuple(main if f.name == main.name else f for f in program.functions), program.entry
        )
        names = reachable(made)
        return replace(made, functions=tuple(f for f in made.functions if f.name in names))


def is_tape(stm: Stm, op: str) -> bool:
    """Whether a statement is a `push`, or a `pop`."""
    return isinstance(stm.expr, Prim) and stm.expr.op == op


def site_of(stm: Stm) -> Param:
    """What the pushes and pops that belong together share."""
    assert isinstance(stm.expr, Prim)
    return stm.expr.param("site")


def pushed(sweeps: Sweeps) -> Iterator[tuple[Function, Stm, int, Atom]]:
    """Each thing that is put on the tape and may stand there when the forward sweep ends: the
    function, the statement that puts it there, the position there, the value.

    Of a site of which a part is taken off before, the first statement stands for all of them.
    """
    seen: set[Param] = set()
    for function in sweeps.ahead.functions:
        for stm in stms_deep(function.body):
            if is_tape(stm, "push") and site_of(stm) in sweeps.kept - (seen & sweeps.shared):
                assert isinstance(stm.expr, Prim)
                seen.add(site_of(stm))
                for k, atom in enumerate(stm.expr.args):
                    yield function, stm, k, atom


def sweeps_of(program: Program, cotangents: Sequence[Var]) -> Sweeps:
    """Divides the entry of a pullback.

    The reverse sweep begins where something that depends on a cotangent takes off the tape what
    it has not put there itself. What comes before is the forward sweep, with any loop that is both.
    Where nothing is taken off, it begins with what depends on a cotangent.

    Args:
        program: what code of a pullback is made from.
        cotangents: the parameters of its entry that are; none of a gradient, whose reverse sweep
            begins where anything is taken off that was put there before.
    """
    sites = sites_of_functions(program)
    stms = program.main.body.stms
    tainted, open_ = set(cotangents), frozenset[Param]()
    read: set[Var] = set()
    end = first = len(stms)
    for place, stm in enumerate(stms):
        own = sites_of_stms((stm,), sites)
        variables = free_vars_expr(stm.expr)
        depends = not tainted.isdisjoint(variables)
        if (depends or not cotangents) and (own.popped & open_ or own.popped - own.pushed):
            end = min(end, place)
        if depends:
            tainted.update(stm.outs)
            read.update(variables)
            first = min(first, place)
        elif place > end and not (isinstance(stm.expr, Prim) and stm.expr.op == "dim"):
            read.update(variables)
        open_ |= own.pushed - own.popped
    end = first if end == len(stms) else end
    ahead, back = sites_of_stms(stms[:end], sites), sites_of_stms(stms[end:], sites)
    left = ahead.pushed & back.popped
    given = tuple(v for v in program.main.params if v in read and v not in cotangents)
    return Sweeps(
        program, tuple(cotangents), stms[:end], stms[end:], left, left & ahead.popped, given
    )  # fmt: skip


def sites_of_functions(program: Program) -> Mapping[str, Sites]:
    """The sites of each function, with those of all that it calls."""
    own = {f.name: sites_of_stms(stms_deep(f.body), {}) for f in program.functions}
    found: dict[str, Sites] = {}
    for name in own:
        sites = Sites()
        for called in reachable(replace(program, entry=name)):
            sites = sites.joined(own[called])
        found[name] = sites
    return found


def sites_of_stms(stms: Sequence[Stm] | Iterator[Stm], functions: Mapping[str, Sites]) -> Sites:
    """The sites of statements, with those in their blocks and in the functions that they call."""
    found = Sites()
    for stm in stms_deep(Block(tuple(stms), ())):
        if is_tape(stm, "push"):
            found = found.joined(Sites(pushed=frozenset((site_of(stm),))))
        elif is_tape(stm, "pop"):
            found = found.joined(Sites(popped=frozenset((site_of(stm),))))
        elif isinstance(stm.expr, Call) and stm.expr.function in functions:
            found = found.joined(functions[stm.expr.function])
    return found
