"""What each loop of a program is: a map, a reduction, or serial, and why.

A map's iterations know nothing of each other: what they write are elements of their own. In a
reduction an iteration adds to what the ones before it found, or keeps or replaces it, and uses it
for nothing else. All other loops are serial: an iteration needs what the one before it has made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from retrograd.ir.terms import Atom, Block, For, If, Prim, Program, Prov, Stm, Var, While
from retrograd.ir.traverse import atoms, blocks, free_vars, free_vars_expr
from retrograd.ir.types import DType
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.facts import How
from retrograd.transforms.analysis.array_accesses import accesses_of, of_its_own, read_to_add
from retrograd.transforms.analysis.effects import reachable

__all__ = ["Kind", "Loop", "loops_of"]


class Kind(Enum):
    """What a loop is."""

    MAP = "map"
    REDUCTION = "reduction"
    SERIAL = "serial"


@dataclass(frozen=True, slots=True)
class Loop:
    """One loop: where it is, how many loops of its function are around it, what it is and why."""

    prov: Prov
    depth: int
    kind: Kind
    why: str


def loops_of(program: Program, prims: PrimitiveSet) -> list[Loop]:
    """The loops of all functions that the entry needs, outer before inner."""
    kept = reachable(program)
    found: list[Loop] = []
    for function in program.functions:
        if function.name in kept:
            found += _loops(function.body, 0, prims)
    return found


def _loops(block: Block, depth: int, prims: PrimitiveSet) -> Iterator[Loop]:
    for stm in block.stms:
        inside = depth
        if isinstance(stm.expr, While):
            why = "each iteration decides whether there is one more"
            yield Loop(stm.prov, depth, Kind.SERIAL, why)
            inside += 1
        elif isinstance(stm.expr, For):
            yield Loop(stm.prov, depth, *_kind(stm.expr, prims))
            inside += 1
        for inner in blocks(stm.expr):
            yield from _loops(inner, inside, prims)


class _Role(Enum):
    """What a loop does with a value that it carries, or with an array."""

    SAME = "handed on"
    OWN = "elements of its own are written"
    SUM = "added up in order"
    ADDS = "elements are read and written back in order"
    PRODUCT = "multiplied up in order"
    FOLDED = "folded in order"
    SELECTED = "kept or replaced"
    SHARED = "elements that other iterations may write are needed"
    SERIAL = "needed by the next iteration"


def _kind(loop: For, prims: PrimitiveSet) -> tuple[Kind, str]:
    found: dict[str, _Role] = {}
    numbers = _Numbers(prims)
    for k, var in enumerate(loop.carried):
        if var.type.is_scalar:
            role = numbers.scalar(loop.body, var, loop.body.results[k])
        else:
            role = _array(loop, k, prims)
        if role in (_Role.SERIAL, _Role.SHARED):
            return Kind.SERIAL, _reason(var, role)
        found[_name(var)] = role
    if loop.sums:
        found["a value"] = _Role.SUM
    folds = {name: role for name, role in found.items() if role not in (_Role.SAME, _Role.OWN)}
    if not folds:
        return Kind.MAP, "no iteration needs what another has made"
    return Kind.REDUCTION, "; ".join(f"{name}: {role.value}" for name, role in folds.items())


def _reason(var: Var, role: _Role) -> str:
    if role is _Role.SHARED:
        return f"of {_name(var)}, {role.value}"
    return f"{_name(var)} of the iteration before is needed"


def _name(var: Var) -> str:
    """What the user calls a value; the compiler numbers versions. Arrays have no names."""
    if not var.type.is_scalar:
        return "an array"
    return var.name.rstrip("0123456789").rstrip("_")


def _array(loop: For, position: int, prims: PrimitiveSet) -> _Role:
    """What a loop does with an array that it carries."""
    accesses = accesses_of(loop, position, prims)
    if accesses is None:
        return _Role.SERIAL
    if all(a.how is How.READS for a in accesses):
        return _Role.SAME
    if of_its_own(loop, loop.carried[position].type.rank, accesses):
        return _Role.OWN
    added = all(a.how is How.ADDS for a in accesses) or read_to_add(accesses)
    return _Role.ADDS if added else _Role.SHARED


@dataclass(frozen=True, slots=True)
class _Numbers:
    """What loops do with numbers that they carry."""

    prims: PrimitiveSet

    def scalar(self, block: Block, var: Var, result: Atom) -> _Role:
        """What `block` makes of a number: `result` of `var`."""
        used = result != var and any(result in free_vars_expr(s.expr) for s in block.stms)
        return _Role.SERIAL if used else self.made(block, var, result)

    def made(self, block: Block, var: Var, result: Atom) -> _Role:
        """How a block makes a number of another."""
        if result == var:
            return _Role.SAME
        made = next((s for s in block.stms if result in s.outs), None)
        if made is None or not isinstance(result, Var):
            return _Role.SERIAL
        place = made.outs.index(result)
        expr = made.expr
        if isinstance(expr, If):
            arms = [self.scalar(arm, var, arm.results[place]) for arm in (expr.then, expr.orelse)]
            return self.of_branch(block, made, expr, var, arms)
        if isinstance(expr, For) and place < len(expr.carried):
            inner = self.scalar(expr.body, expr.carried[place], expr.body.results[place])
            return self.after(block, made, expr.inits[place], var, inner)
        if isinstance(expr, Prim):
            for k, atom in enumerate(expr.args):
                role = self.of_primitive(expr, k)
                found = role if role is _Role.SERIAL else self.after(block, made, atom, var, role)
                if found is not _Role.SERIAL:
                    return found
        return _Role.SERIAL

    def of_primitive(self, expr: Prim, position: int) -> _Role:
        """What a primitive does with an operand that it puts together with others."""
        facts = self.prims[expr.op].facts
        if isinstance(facts.held, str):
            facts = self.prims[facts.held].facts
        first = position == 0 or facts.commutative
        if len(expr.args) < 2 or len(expr.args) > 3:
            return _Role.SERIAL
        if facts.linear_in is None:
            same = expr.args[0].type == expr.args[1].type
            return _Role.FOLDED if same and facts.commutative else _Role.SERIAL
        terms = facts.linear_in.terms(len(expr.args))
        if len(terms) == 1:
            return _Role.PRODUCT if position in terms[0] and first else _Role.SERIAL
        fused = any(len(term) > 1 for term in terms)
        return _Role.SUM if (position,) in terms and (first or fused) else _Role.SERIAL

    def after(self, block: Block, stm: Stm, atom: Atom, var: Var, role: _Role) -> _Role:
        """A step of kind `role` on what the block has made of `var` so far, `atom`."""
        users = sum(atom in free_vars_expr(s.expr) for s in block.stms)
        once = list(atoms(stm.expr)).count(atom) == 1 and atom not in block.results
        if users != 1 or not once:
            return _Role.SERIAL
        before = self.made(block, var, atom)
        if before in (_Role.SAME, role):
            return role
        return before if role is _Role.SAME else _Role.SERIAL

    def of_branch(self, block: Block, stm: Stm, expr: If, var: Var, arms: list[_Role]) -> _Role:
        """Of both sides of a branch: folded in some of them, or kept in one and replaced in one."""
        sides = zip((expr.then, expr.orelse), arms, strict=True)
        changing = [(side, role) for side, role in sides if role is not _Role.SAME]
        roles = {role for _, role in changing}
        others = any(var in free_vars_expr(s.expr) for s in block.stms if s is not stm)
        if not others and len(roles) == 1 and _Role.SERIAL not in roles:
            return roles.pop()
        if len(changing) != 1:
            return _Role.SERIAL
        told = _told_by(block, stm, var)
        replaced = told.isdisjoint((*free_vars(changing[0][0]), *block.results))
        return _Role.SELECTED if replaced else _Role.SERIAL


def _told_by(block: Block, until: Stm, var: Var) -> set[Var]:
    """Numbers that depend on one, itself included; that they are compared does not count."""
    found = {var}
    for stm in block.stms:
        if stm is not until and not found.isdisjoint(free_vars_expr(stm.expr)):
            found.update(out for out in stm.outs if out.type.dtype is not DType.BOOL)
    return found
