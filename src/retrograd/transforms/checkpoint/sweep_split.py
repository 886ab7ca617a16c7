"""The forward and the reverse sweep of a derivative as two programs that can each be interrupted.

The forward program may stop at any of its points. What it has recorded since it last stopped is
what the reverse program can take off the tape before it has to wait, so that it knows nothing of
where: it waits before it takes something off an empty tape. What cannot wait, or need not, has no
points here: a reverse loop that takes nothing off the tape; and a loop whose reverse runs forwards,
since chunks come back last first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Block, Call, Expr, For, Function, Prim, Program, Stm, While
from retrograd.ir.traverse import blocks, map_exprs, stms_deep
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.analysis.effects import reaching
from retrograd.transforms.checkpoint.rematerialised_bodies import long_bodies_apart
from retrograd.transforms.checkpoint.upcalls import asked, sites, with_asks
from retrograd.transforms.optimise.dce import eliminate_dead_code
from retrograd.transforms.passes import per_function
from retrograd.transforms.points.atomic_regions import interruptible_functions, with_units

__all__ = ["Sweeps", "inner_programs", "popping_functions", "sweeps_apart", "takes"]


@dataclass(frozen=True, slots=True)
class Sweeps:
    """`forward(*args) -> (*primal results)`, `reverse(*args, *primal results) -> (*results)`.

    `args` and results are those of the derivative's program. The two share no function names.
    `inner` has a program for each inner derivative that they may leave to others, by its name.
    """

    forward: Program
    reverse: Program
    inner: Mapping[str, Program]


def sweeps_apart(
    program: Program, names: NameSupply, prims: PrimitiveSet, every: bool = False
) -> Sweeps | None:
    """Divides a program whose entry calls one forward and one reverse program; None for others.

    `every` body that is run again is an inner derivative then; else the long ones are.
    """
    bodies = long_bodies_apart(program, names, prims, every)
    program = with_asks(_whole_loops(bodies), names, prims)
    main = program.main
    calls = [k for k, stm in enumerate(main.body.stms) if isinstance(stm.expr, Call)]
    if len(calls) != 2 or any(blocks(stm.expr) for stm in main.body.stms):
        return None
    first, second = calls
    ahead = _with_point(main.body.stms[first])
    stms = list(main.body.stms)
    stms[second] = _with_point(stms[second])
    forward = Function(
        names.name("forward"), main.params, Block((*stms[:first], ahead), ahead.outs), None,
        main.prov, alike=main.alike,
    )  # fmt: skip
    reverse = Function(
        names.name("reverse"), (*main.params, *ahead.outs),
        Block((*stms[:first], *stms[first + 1 :]), main.body.results), None, main.prov,
        alike=main.alike,
    )  # fmt: skip
    one, two = (
        eliminate_dead_code(Program((*program.functions, f), f.name), names, prims)
        for f in (forward, reverse)
    )
    taken = {f.name for f in one.functions}
    new = {f.name: names.name(f.name) for f in two.functions if f.name in taken}
    inner = inner_programs(one)
    inner.update((new.get(k, k), p) for k, p in inner_programs(two).items())
    two = _renamed(_waiting(two), new)
    return Sweeps(with_units(one, names, prims), with_units(two, names, prims), inner)


def inner_programs(program: Program) -> dict[str, Program]:
    """The inner derivatives that a program may leave to others, each as a program, by name."""
    names = asked(program, interruptible_functions(program))
    return {name: Program(program.functions, name) for name in names}


_OUTERMOST = 1 << 20
"""The point of the call of a whole sweep: not one that the program has."""


def _with_point(stm: Stm) -> Stm:
    assert isinstance(stm.expr, Call)
    return replace(stm, expr=replace(stm.expr, point=_OUTERMOST))


def _renamed(program: Program, to: Mapping[str, str]) -> Program:
    """The program with new names for some of its functions."""

    def called(expr: Expr) -> Expr:
        return (
            replace(expr, function=to.get(expr.function, expr.function))
            if isinstance(expr, Call)
            else expr
        )

    functions = [
        replace(f, name=to.get(f.name, f.name), body=map_exprs(f.body, called))
        for f in program.functions
    ]
    return Program(tuple(functions), to.get(program.entry, program.entry))


def _whole_loops(program: Program) -> Program:
    """Loops whose reverse runs forwards, and takes residuals off the tape, lose their points."""
    whole: set[object] = set()
    for function in program.functions:
        for stm in stms_deep(function.body):
            if isinstance(stm.expr, For) and stm.expr.block and not stm.expr.descending:
                whole.update(sites(stm.expr.body, "pop"))

    def change(expr: Expr) -> Expr:
        if isinstance(expr, For) and expr.block:
            mine = {*sites(expr.body, "push"), *sites(expr.body, "pop")}
            return replace(expr, point=None) if mine & whole else expr
        return expr

    return per_function(program, lambda f: replace(f, body=map_exprs(f.body, change)))


def popping_functions(program: Program) -> frozenset[str]:
    """Functions that take something off the tape, themselves or in what they call.

    Inner derivatives count as such, so that there are points on the way to them.
    """

    def pops(function: Function) -> bool:
        return function.derivative is not None or any(True for _ in sites(function.body, "pop"))

    return reaching(program.functions, pops)


def takes(expr: Expr, popping: frozenset[str]) -> bool:
    """Whether something is taken off the tape in an expression."""
    match expr:
        case Prim():
            return expr.op == "pop"
        case Call():
            return expr.function in popping
        case _:
            return any(takes(s.expr, popping) for b in blocks(expr) for s in b.stms)


def _waiting(program: Program) -> Program:
    """A reverse program with points only where it can have to wait."""
    popping = popping_functions(program)

    def change(expr: Expr) -> Expr:
        if isinstance(expr, Call | For | While) and not takes(expr, popping):
            return replace(expr, point=None)
        return expr

    return per_function(program, lambda f: replace(f, body=map_exprs(f.body, change)))
