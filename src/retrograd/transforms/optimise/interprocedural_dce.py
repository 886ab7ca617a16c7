"""Values that nobody needs no longer cross calls and the tape.

Parameters, results and values on the tape that `demand` does not find needed are taken out of the
signatures of functions and out of the pushes and pops of a site, both ends at once. What calculated
them is dead code then. In a sweep back that is most of what one choice for all of a loop's body, or
for all calls of a function, has recorded or handed on without need.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TypeVar

from retrograd.ir.formers import unhandled
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Block,
    Call,
    For,
    Function,
    If,
    Jvp,
    Param,
    Prim,
    Program,
    Stm,
    Vjp,
    While,
)
from retrograd.ir.traverse import blocks, stms_deep, with_blocks
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.analysis.demand import Demand, demand, site_of
from retrograd.transforms.analysis.effects import reachable
from retrograd.transforms.optimise.dce import eliminate_dead_code
from retrograd.transforms.optimise.handed_back import use_arguments

__all__ = ["drop_unneeded"]

T = TypeVar("T")


def drop_unneeded(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program where only what is needed crosses calls and the tape."""
    kept = reachable(program)
    program = Program(tuple(f for f in program.functions if f.name in kept), program.entry)
    program = use_arguments(program)
    dropper = _Dropper({f.name: f for f in program.functions}, demand(program, prims))
    functions = tuple(map(dropper.function, program.functions))
    # Bodies mention what is not bound any more, in dead code only.
    return eliminate_dead_code(Program(functions, program.entry), names, prims)


@dataclass(frozen=True, slots=True)
class _Dropper:
    functions: Mapping[str, Function]
    needed: Demand

    def parameters(self, function: Function) -> list[bool]:
        return [(function.name, p.name) in self.needed.parameters for p in function.params]

    def results(self, function: Function) -> list[bool]:
        count = len(function.body.results)
        return [(function.name, k) in self.needed.results for k in range(count)]

    def function(self, function: Function) -> Function:
        body = self.block(function.body)
        body = body.changed(body.stms, _pick(body.results, self.results(function)))
        params = _pick(function.params, self.parameters(function))
        if len(params) == len(function.params):
            return function.with_body(body)
        return replace(function, params=params, body=body)

    def block(self, block: Block) -> Block:
        stms = (self.stm(stm) for stm in block.stms)
        return block.changed(tuple(stm for stm in stms if stm is not None), block.results)

    def stm(self, stm: Stm) -> Stm | None:
        """The statement with what is needed of it; None for a push or pop of nothing."""
        expr = stm.expr
        match expr:
            case Call():
                callee = self.functions[expr.function]
                args = _pick(expr.args, self.parameters(callee))
                outs = _pick(stm.outs, self.results(callee))
                if len(args) == len(expr.args) and len(outs) == len(stm.outs):
                    return stm
                return replace(stm, outs=outs, expr=replace(expr, args=args))
            case Prim(op="push" | "pop"):
                return self.tape(stm, expr)
            case Prim() | Jvp() | Vjp():
                return stm
            case If() | For() | While():
                new = with_blocks(expr, tuple(map(self.block, blocks(expr))))
                if isinstance(new, For) and new.block and not _touches_tape(new):
                    new = replace(new, block=False)
                return stm.with_expr(new)
            case _:
                unhandled(expr)

    def tape(self, stm: Stm, expr: Prim) -> Stm | None:
        site = site_of(expr)
        if site is None:
            return stm
        count = len(expr.args) + len(stm.outs)
        keep = [(site, k) in self.needed.recorded for k in range(count)]
        if not any(keep):
            return None
        if all(keep):
            return stm
        params = tuple((key, _picked(key, value, keep)) for key, value in expr.params)
        args, outs = _pick(expr.args, keep), _pick(stm.outs, keep)
        return replace(stm, outs=outs, expr=Prim(expr.op, args, params))


def _picked(key: str, value: Param, keep: Sequence[bool]) -> Param:
    """A parameter of a push or pop: types are by position, the others have positions."""
    match key, value:
        case "types", tuple():
            return _pick(value, keep)
        case "held", tuple():
            place = list(accumulate(keep, initial=0))
            return tuple(place[k] for k in value if isinstance(k, int) and keep[k])
        case "offloaded", tuple():
            place = list(accumulate(keep, initial=0))
            marks = (mark for mark in value if isinstance(mark, tuple))
            return tuple((place[k], where) for k, where in marks if isinstance(k, int) and keep[k])
        case _:
            return value


def _touches_tape(expr: For) -> bool:
    inner = (s.expr for s in stms_deep(expr.body))
    return any(isinstance(e, Prim) and e.op in ("push", "pop") for e in inner)


def _pick(items: Sequence[T], keep: Sequence[bool]) -> tuple[T, ...]:
    return tuple(item for item, kept in zip(items, keep, strict=False) if kept)
