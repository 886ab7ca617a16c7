"""What the statements of a reversible function read and write."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from retrograd.inversion.places import reads, root_of, written
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

__all__ = [
    "attributes_of",
    "blocks_of",
    "bound_in",
    "every",
    "indices_of",
    "read_by",
    "used_by",
    "written_by",
]


def blocks_of(stm: Statement) -> tuple[Block, ...]:
    """The blocks of a statement."""
    match stm:
        case Loop() | Since():
            return (stm.body,)
        case Branch():
            return (stm.then, stm.orelse)
        case _:
            return ()


def every(block: Block) -> Iterator[Statement]:
    """The statements of a block and of all blocks in it."""
    for stm in block:
        yield stm
        for inner in blocks_of(stm):
            yield from every(inner)


def _own_expressions(stm: Statement) -> tuple[ast.AST, ...]:
    match stm:
        case Pure():
            return stm.body
        case Update():
            return (stm.value, *indices_of(stm.target))
        case Exchange():
            return tuple(k for t in stm.targets for k in indices_of(t))
        case Change():
            return (stm.forward, stm.backward)
        case CallStep():
            return (stm.function, *stm.args, *(k.value for k in stm.keywords))
        case Ancilla() | Release():
            return (stm.value,)
        case Loop():
            return stm.bounds
        case Branch():
            return (stm.before, stm.after)
        case Since():
            return (stm.start, stm.going)
        case Outside():
            return stm.body


def indices_of(place: ast.expr) -> Iterator[ast.expr]:
    """The indices in a place."""
    while isinstance(place, ast.Subscript | ast.Attribute):
        if isinstance(place, ast.Subscript):
            yield place.slice
        place = place.value


def read_by(stm: Statement, local: frozenset[str]) -> list[ast.expr]:
    """The places that a statement reads, itself or in its blocks; not the target of an update."""
    found = [place for node in _own_expressions(stm) for place in reads(node, local)]
    return found + [p for b in blocks_of(stm) for inner in b for p in read_by(inner, local)]


def bound_in(stm: Statement) -> frozenset[str]:
    """The locals that a statement, and those in its blocks, define: no others may use them."""
    match stm:
        case Pure():
            return stm.writes
        case Outside():
            found = (root_of(place) for node in stm.body for place in written(node))
            return frozenset(name for name in found if name is not None)
        case _:
            own = frozenset((stm.target,)) if isinstance(stm, Loop) else frozenset[str]()
            own |= frozenset((stm.name,)) if isinstance(stm, Ancilla) else frozenset[str]()
            return own.union(*(bound_in(s) for b in blocks_of(stm) for s in b))


def used_by(stm: Statement, local: frozenset[str]) -> frozenset[str]:
    """The locals from outside that a statement reads or updates, itself or in its blocks."""
    places = (*read_by(stm, local), *written_by(stm))
    own = frozenset(name for name in map(root_of, places) if name is not None)
    inner = frozenset[str]().union(*(bound_in(s) for b in blocks_of(stm) for s in b))
    inner |= bound_in(stm) if isinstance(stm, Outside) else frozenset[str]()
    return own - inner - (frozenset((stm.target,)) if isinstance(stm, Loop) else frozenset())


def written_by(stm: Statement) -> list[ast.expr]:
    """The places of parameters and ancillas that a statement changes, itself or in its blocks."""
    match stm:
        case Update():
            return [stm.target]
        case Exchange() | Change():
            return list(stm.targets)
        case CallStep():
            return list(stm.changed)
        case Loop() | Branch() | Since():
            inner = frozenset[str]().union(*(bound_in(s) for b in blocks_of(stm) for s in b))
            found = [p for b in blocks_of(stm) for s in b for p in written_by(s)]
            return [place for place in found if root_of(place) not in inner]
        case _:
            return []


def attributes_of(places: Iterable[ast.expr], name: str) -> frozenset[str]:
    """The attributes of an object that places begin with."""
    found = (_first_attribute(place, name) for place in places)
    return frozenset(one for one in found if one is not None)


def _first_attribute(place: ast.expr, name: str) -> str | None:
    while isinstance(place, ast.Subscript | ast.Attribute):
        match place:
            case ast.Attribute(value=ast.Name(id=root), attr=attr) if root == name:
                return attr
            case _:
                place = place.value
    return None
