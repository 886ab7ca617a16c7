"""The inverse of a block: statements undone from the last to the first, definitions evaluated anew.

What a statement uses of fresh locals is evaluated just before the statement is undone, which is
before its last use on the way forward: nothing that it is made of has been written since
(`legality`).
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from retrograd.errors import CompilerBug
from retrograd.inversion.facts import used_by
from retrograd.inversion.statements import (
    Ancilla,
    Block,
    Branch,
    CallStep,
    Change,
    Exchange,
    Loop,
    Outside,
    Pure,
    Release,
    Since,
    Statement,
    Update,
)

__all__ = ["Backwards", "inverse_of", "undone"]

Version = tuple[int, ...]
"""The definitions of which a local is made, by their positions in the block."""

_INVERSES: Mapping[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.BitXor: ast.BitXor,
}  # fmt: skip


@dataclass(slots=True)
class Backwards:
    """The walk through a block from its last statement to its first.

    `held` are the versions of the fresh locals that the code written so far has at hand; `needs`
    are, for each statement, those that it met on the way forward of what it uses.
    """

    block: Block
    local: frozenset[str]
    held: dict[str, Version] = field(default_factory=dict[str, Version])
    needs: list[dict[str, Version]] = field(init=False)

    def __post_init__(self) -> None:
        self.needs = self._needs()

    def steps(self) -> Iterator[tuple[Statement, tuple[Pure, ...]]]:
        """The statements from last to first, each with the definitions to be evaluated before it.

        Definitions themselves come without any.
        """
        for position in range(len(self.block) - 1, -1, -1):
            stm = self.block[position]
            yield stm, (() if isinstance(stm, Pure) else self._missing(self.needs[position]))

    def before(self, position: int) -> tuple[Pure, ...]:
        """The definitions to be evaluated before a definition is gone through again."""
        return self._missing(self.needs[position])

    def _needs(self) -> list[dict[str, Version]]:
        """What each statement uses of locals that are defined in this block."""
        now: dict[str, Version] = {}
        found: list[dict[str, Version]] = []
        for position, stm in enumerate(self.block):
            if not isinstance(stm, Pure):
                found.append({n: now[n] for n in used_by(stm, self.local) if n in now})
                continue
            used = sorted(stm.reads | (stm.writes - stm.defines))
            found.append({name: now[name] for name in used if name in now})
            self._run(position, stm, found[position], now)
        return found

    def _run(
        self, position: int, stm: Pure, used: Collection[str], now: dict[str, Version]
    ) -> None:
        made = {position}.union(*(now[name] for name in used if name in now))
        now.update(dict.fromkeys(stm.writes, tuple(sorted(made))))

    def _missing(self, need: Mapping[str, Version]) -> tuple[Pure, ...]:
        run: set[int] = set()
        while True:
            now = dict(self.held)
            for position in sorted(run):
                stm = self.block[position]
                assert isinstance(stm, Pure)
                self._run(position, stm, self.needs[position], now)
            lacking = [version for name, version in need.items() if now.get(name) != version]
            if not lacking:
                break
            if run.issuperset(p for version in lacking for p in version):
                raise CompilerBug(f"the definitions of {', '.join(need)} cannot be had again")
            run.update(*lacking)
        self.held = now
        found = (self.block[position] for position in sorted(run))
        return tuple(stm for stm in found if isinstance(stm, Pure))


def inverse_of(block: Block, local: frozenset[str]) -> Block:
    """The block that undoes a block; `local` are all variables of the function."""
    found: list[Statement] = []
    for stm, before in Backwards(block, local).steps():
        if not isinstance(stm, Pure):
            found += [*before, undone(stm, local)]
    return tuple(found)


def undone(stm: Statement, local: frozenset[str]) -> Statement:
    """The statement that undoes a statement."""
    match stm:
        case Update():
            return replace(stm, op=_INVERSES[type(stm.op)]())
        case Exchange():
            return replace(stm, targets=stm.sources, sources=stm.targets)
        case Change():
            return replace(stm, forward=stm.backward, backward=stm.forward)
        case CallStep():
            return replace(stm, inverted=not stm.inverted)
        case Ancilla():
            return Release(stm.node, stm.name, stm.value)
        case Release():
            return Ancilla(stm.node, stm.name, stm.value)
        case Loop():
            return replace(stm, backwards=not stm.backwards, body=inverse_of(stm.body, local))
        case Branch():
            then, orelse = inverse_of(stm.then, local), inverse_of(stm.orelse, local)
            return replace(stm, before=stm.after, after=stm.before, then=then, orelse=orelse)
        case Since():
            start, going = _negated(stm.going), _negated(stm.start)
            return replace(stm, start=start, going=going, body=inverse_of(stm.body, local))
        case Outside():
            return stm
        case Pure():
            raise AssertionError("definitions are evaluated again, not undone")


def _negated(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    return ast.copy_location(ast.UnaryOp(ast.Not(), node), node)
