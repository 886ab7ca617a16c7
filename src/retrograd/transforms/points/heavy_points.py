"""Points at which more arrays live than at the point of a loop around them.

A snapshot holds what lives where it is taken. In a stencil that is the old state and the new one as
long as the inner loops run, and one state where the next time step begins. A run that is stopped
for a snapshot had better go on to there (`backends.llvm.coroutines`, late stops).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from retrograd.ir.terms import Atom, Block, Call, Expr, For, Function, Program, Var, While
from retrograd.ir.traverse import atoms, binders, blocks, free_vars, free_vars_expr, stms_deep
from retrograd.transforms.analysis.effects import recursive_functions

__all__ = ["HeavyPoints", "heavy_points"]

Place = tuple[str, int]
"""A function and the number of one of its points."""

_EVERYTHING = -1
"""Fewer arrays than there can be: all points of a function that is called at heavy ones are."""


@dataclass(frozen=True, slots=True)
class HeavyPoints:
    """The heavy points of a program, and the loops that have some inside but are none."""

    points: frozenset[Place] = frozenset()
    around: frozenset[Place] = frozenset()


def heavy_points(program: Program, names: Iterable[str]) -> HeavyPoints:
    """The heavy points of the functions with those names, which can be interrupted.

    A function that is called in loops only has points as heavy as the call, or else those at which
    there are more arrays than it was given. Recursions have none: their frames say how deep they
    are, not how much lives. Arrays are counted, whatever their sizes.
    """
    wanted, recursive = frozenset(names), recursive_functions(program)
    table = {f.name: f for f in program.functions if f.name in wanted}
    called = {name: _called(f) & wanted for name, f in table.items()}
    callers = dict.fromkeys(table, 0)
    for found in called.values():
        for name in found:
            callers[name] += 1
    finder = _Finder(wanted - recursive)
    pending = [program.entry]
    while pending:
        name = pending.pop()
        if name in recursive:  # what it calls has callers that are not looked at
            continue
        finder.function(table[name], name == program.entry)
        for callee in sorted(called[name]):
            callers[callee] -= 1
            if not callers[callee]:
                pending.append(callee)
    return HeavyPoints(frozenset(finder.heavy), frozenset(finder.around))


def _called(function: Function) -> set[str]:
    return {s.expr.function for s in stms_deep(function.body) if isinstance(s.expr, Call)}


@dataclass(slots=True)
class _Finder:
    """`least` has, for each function that is called in loops only, the fewest arrays there."""

    names: frozenset[str]
    heavy: set[Place] = field(default_factory=set[Place])
    around: set[Place] = field(default_factory=set[Place])
    calls: dict[str, list[int | None]] = field(default_factory=dict[str, "list[int | None]"])
    name: str = ""

    def function(self, function: Function, entry: bool) -> None:
        """Notes the points of a function all of whose callers have been looked at."""
        self.name = function.name
        bounds = self.calls.get(function.name, [None])
        known = [b for b in bounds if b is not None]
        least = None
        if not entry and len(known) == len(bounds):
            least = max(known)
            if least != _EVERYTHING:
                least = sum(not p.type.is_scalar for p in function.params)
        self.block(function.body, frozenset(), least)

    def block(self, block: Block, outside: frozenset[Var], least: int | None) -> bool:
        """Notes the points of a block, outside of which those arrays live; whether any is heavy.

        `least` is the number of arrays at the point of a loop around it, None where there is none.
        """
        found = False
        later = _arrays(free_vars(Block((), block.results)))
        for stm in reversed(block.stms):
            later -= set(stm.outs)
            found |= self.expr(stm.expr, outside | later, least)
            later |= _arrays(free_vars_expr(stm.expr))
        return found

    def expr(self, expr: Expr, living: frozenset[Var], least: int | None) -> bool:
        """Notes the points of an expression, after which those arrays live."""
        if isinstance(expr, For | While):
            inner = [_arrays(free_vars(b)) - set(binders(expr)) for b in blocks(expr)]
            held = living.union(*inner)
            count = len(held) + sum(not v.type.is_scalar for v in expr.carried)
            return self.loop(expr, held, count, least)
        if isinstance(expr, Call):
            held = living | _arrays(a for a in atoms(expr) if isinstance(a, Var))
            heavy = self.note(expr.point, len(held), least)
            if expr.function in self.names:
                self.calls.setdefault(expr.function, []).append(
                    _EVERYTHING if heavy else least if expr.point is not None else None
                )
            return heavy
        return any([self.block(b, living, least) for b in blocks(expr)])

    def loop(self, expr: For | While, held: frozenset[Var], count: int, least: int | None) -> bool:
        heavy = self.note(expr.point, count, least)
        fewest = least
        if expr.point is not None and (least is None or count < least):
            fewest = count
        inside = any([self.block(b, held, fewest) for b in blocks(expr)])
        if inside and not heavy and expr.point is not None:
            self.around.add((self.name, expr.point))
        return heavy or inside

    def note(self, point: int | None, count: int, least: int | None) -> bool:
        heavy = point is not None and least is not None and count > least
        if heavy and point is not None:
            self.heavy.add((self.name, point))
        return heavy


def _arrays(found: Iterable[Atom]) -> set[Var]:
    return {v for v in found if isinstance(v, Var) and not v.type.is_scalar}
