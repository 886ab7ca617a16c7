"""How much an iteration adds to a carried integer: the least and the most, over all its paths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from retrograd.ir.terms import Atom, Block, If, Lit, Prim, Stm, Var
from retrograd.ir.types import I64
from retrograd.transforms.analysis.affine import SUM_SIGNS

__all__ = ["Step", "carried_steps"]


@dataclass(frozen=True, slots=True)
class Step:
    """The carried value changes by `low` to `high`; `wrapping` names additions without a check."""

    low: int
    high: int
    wrapping: frozenset[str] = frozenset()

    @property
    def exact(self) -> bool:
        """Whether the change is the same in every iteration."""
        return self.low == self.high


def carried_steps(carried: tuple[Var, ...], body: Block) -> dict[str, Step]:
    """The steps of those carried i64 scalars that an iteration only adds constants to."""
    ints = [
        (var, result)
        for var, result in zip(carried, body.results, strict=False)
        if var.type == I64 and isinstance(result, Var)
    ]
    if not ints:
        return {}
    paths = _Paths({out.name: stm for stm in body.stms for out in stm.outs})
    found: dict[str, Step] = {}
    for var, result in ints:
        step = paths.step(result, var, {})
        if step is not None:
            found[var.name] = step
    return found


@dataclass(slots=True)
class _Paths:
    """Follows the definitions of a body; `made` is what binds each name in sight."""

    made: Mapping[str, Stm]

    def step(self, atom: Atom, start: Var, seen: dict[str, Step | None]) -> Step | None:
        if not isinstance(atom, Var):
            return None
        if atom == start:
            return Step(0, 0)
        if atom.name not in seen:
            seen[atom.name] = self.defined(atom, start, seen)
        return seen[atom.name]

    def defined(self, atom: Var, start: Var, seen: dict[str, Step | None]) -> Step | None:
        stm = self.made.get(atom.name)
        if stm is None:
            return None
        match stm.expr:
            case Prim(op=op) as expr if op in SUM_SIGNS:
                return self.added(expr, atom, start, seen)
            case If() as expr:
                position = stm.outs.index(atom)
                return self.either(expr, position, start, seen)
            case _:
                return None

    def added(self, expr: Prim, out: Var, start: Var, seen: dict[str, Step | None]) -> Step | None:
        a, b = expr.args
        if isinstance(a, Lit) and SUM_SIGNS[expr.op] == 1:
            a, b = b, a
        if not isinstance(b, Lit):
            return None
        before = self.step(a, start, seen)
        if before is None:
            return None
        by = SUM_SIGNS[expr.op] * int(b.value)
        checked = expr.op in ("iadd", "isub")
        wrapping = before.wrapping if checked else before.wrapping | {out.name}
        return Step(before.low + by, before.high + by, wrapping)

    def either(
        self, expr: If, position: int, start: Var, seen: dict[str, Step | None]
    ) -> Step | None:
        found: list[Step] = []
        for block in (expr.then, expr.orelse):
            local = {out.name: stm for stm in block.stms for out in stm.outs}
            inner = _Paths({**self.made, **local} if local else self.made)
            step = inner.step(block.results[position], start, seen)
            if step is None:
                return None
            found.append(step)
        one, two = found
        low, high = min(one.low, two.low), max(one.high, two.high)
        return Step(low, high, one.wrapping | two.wrapping)
