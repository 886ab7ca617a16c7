"""The forward and the reverse sweep of a derivative as two programs that can each be interrupted.

The forward program may stop at any of its points. What it has recorded since it last stopped is
what the reverse program can take off the tape before it has to wait, so that it knows nothing of
where: it waits before it takes something off an empty tape. What cannot wait, or need not, has no
points here: a reverse loop that takes nothing off the tape; and a loop whose reverse runs forwards,
since chunks come back last first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Block, Call, Expr, For, Function, Prim, Program, Stm, While
from retrograd.ir.traverse import blocks, stms_deep, with_blocks
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.dce import eliminate_dead_code
from retrograd.transforms.effects import callees
from retrograd.transforms.passes import per_function
from retrograd.transforms.units import with_units

__all__ = ["Sweeps", "popping_functions", "sweeps_apart", "takes"]


@dataclass(frozen=True, slots=True)
class Sweeps:
    """`forward(*args) -> (*primal results)`, `reverse(*args, *primal results) -> (*results)`.

    `args` and results are those of the derivative's program. The two share no function names.
    """

    forward: Program
    reverse: Program


def sweeps_apart(program: Program, names: NameSupply, prims: PrimitiveSet) -> Sweeps | None:
    """Divides a program whose entry calls one forward and one reverse program; None for others."""
    program = _whole_loops(program)
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
        main.prov,
    )  # fmt: skip
    reverse = Function(
        names.name("reverse"), (*main.params, *ahead.outs),
        Block((*stms[:first], *stms[first + 1 :]), main.body.results), None, main.prov,
    )  # fmt: skip
    one, two = (
        eliminate_dead_code(Program((*program.functions, f), f.name), names, prims)
        for f in (forward, reverse)
    )
    taken = {f.name for f in one.functions}
    two = _renamed(_waiting(two), {f.name: names.name(f.name) for f in two.functions}, taken)
    return Sweeps(with_units(one, names, prims), with_units(two, names, prims))


_OUTERMOST = 1 << 20
"""The point of the call of a whole sweep: not one that the program has."""


def _with_point(stm: Stm) -> Stm:
    assert isinstance(stm.expr, Call)
    return replace(stm, expr=replace(stm.expr, point=_OUTERMOST))


def _changed(block: Block, change: Callable[[Expr], Expr]) -> Block:
    def visit(stm: Stm) -> Stm:
        inner = tuple(_changed(b, change) for b in blocks(stm.expr))
        return replace(stm, expr=change(with_blocks(stm.expr, inner)))

    return Block(tuple(map(visit, block.stms)), block.results)


def _renamed(program: Program, to: dict[str, str], taken: set[str]) -> Program:
    """The program with new names for its functions where the old ones are taken."""
    to = {old: new for old, new in to.items() if old in taken}

    def called(expr: Expr) -> Expr:
        return (
            replace(expr, function=to.get(expr.function, expr.function))
            if isinstance(expr, Call)
            else expr
        )

    functions = [
        replace(f, name=to.get(f.name, f.name), body=_changed(f.body, called))
        for f in program.functions
    ]
    return Program(tuple(functions), to.get(program.entry, program.entry))


def _sites(block: Block, op: str) -> Iterator[object]:
    for stm in stms_deep(block):
        if isinstance(stm.expr, Prim) and stm.expr.op == op:
            yield stm.expr.param("site")


def _whole_loops(program: Program) -> Program:
    """Loops whose reverse runs forwards, and takes residuals off the tape, lose their points."""
    whole: set[object] = set()
    for function in program.functions:
        for stm in stms_deep(function.body):
            if isinstance(stm.expr, For) and stm.expr.block and not stm.expr.descending:
                whole.update(_sites(stm.expr.body, "pop"))

    def change(expr: Expr) -> Expr:
        if isinstance(expr, For) and expr.block:
            mine = {*_sites(expr.body, "push"), *_sites(expr.body, "pop")}
            return replace(expr, point=None) if mine & whole else expr
        return expr

    return per_function(program, lambda f: replace(f, body=_changed(f.body, change)))


def popping_functions(program: Program) -> frozenset[str]:
    """Functions that take something off the tape, themselves or in what they call."""
    callers: dict[str, list[str]] = {f.name: [] for f in program.functions}
    found: list[str] = []
    for function in program.functions:
        for name in callees(function):
            callers[name].append(function.name)
        if any(True for _ in _sites(function.body, "pop")):
            found.append(function.name)
    reached = set(found)
    while found:
        for caller in callers[found.pop()]:
            if caller not in reached:
                reached.add(caller)
                found.append(caller)
    return frozenset(reached)


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

    return per_function(program, lambda f: replace(f, body=_changed(f.body, change)))
