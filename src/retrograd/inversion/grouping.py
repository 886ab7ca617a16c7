"""Runs of statements that write fresh locals only, as definitions of these.

A local that is built up (`s = 0.0`, then `s += ...` in a loop) is defined by all of that.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from retrograd.inversion.places import bound_by, names_read, root_of, written
from retrograd.inversion.statements import Pure

__all__ = ["grouped", "read_from_before"]


def grouped(run: Sequence[ast.stmt], local: frozenset[str]) -> list[Pure]:
    """The statements as definitions, in order; what builds up one local is together."""
    ends: list[tuple[int, int]] = []
    last: dict[str, int] = {}
    for k, stm in enumerate(run):
        writes, defines = _written(stm, local), _defined(stm, local)
        first = min([last[name] for name in writes - defines if name in last], default=k)
        while ends and ends[-1][1] > first:
            first = min(first, ends.pop()[0])
        ends.append((first, k + 1))
        last.update(dict.fromkeys(defines, k))
        for name in writes - defines:
            last.setdefault(name, k)
    return [_definition(run[start:end], local) for start, end in ends]


def read_from_before(body: Sequence[ast.stmt], local: frozenset[str]) -> frozenset[str]:
    """The names that statements read, or change parts of, before they give them a value."""
    found: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    for stm in body:
        found |= _read_there(stm, local) - known
        known |= _defined(stm, local)
    return found


def _read_there(stm: ast.stmt, local: frozenset[str]) -> frozenset[str]:
    match stm:
        case ast.If(test=test) | ast.While(test=test):
            parts = (read_from_before(part, local) for part in (stm.body, stm.orelse))
            return names_read(test, local).union(*parts)
        case ast.For():
            inner = read_from_before(stm.body, local) - bound_by(stm.target)
            return names_read(stm.iter, local) | inner | read_from_before(stm.orelse, local)
        case ast.Assign() | ast.AnnAssign():
            whole = frozenset(p.id for p in written(stm) if isinstance(p, ast.Name))
            return names_read(stm, local) | (_written(stm, local) - whole)
        case _:
            return names_read(stm, local) | _written(stm, local)


def _definition(body: Sequence[ast.stmt], local: frozenset[str]) -> Pure:
    writes: frozenset[str] = frozenset()
    defines: frozenset[str] = frozenset()
    for stm in body:
        defines |= _defined(stm, local) - (writes - defines) - _before(stm, local, defines)
        writes |= _written(stm, local)
    return Pure(body[0], tuple(body), writes, defines & writes)


def _before(stm: ast.stmt, local: frozenset[str], defines: frozenset[str]) -> frozenset[str]:
    """What a statement reads that nothing before it in the group has defined."""
    return names_read(stm, local) - defines - _defined(stm, local)


def _written(stm: ast.stmt, local: frozenset[str]) -> frozenset[str]:
    names = (root_of(place) for place in written(stm))
    return frozenset(name for name in names if name is not None) & local


def _defined(stm: ast.stmt, local: frozenset[str]) -> frozenset[str]:
    """The names that a statement gives a value, whatever they were and whatever happens."""
    match stm:
        case ast.Assign():
            names = frozenset(n for target in stm.targets for n in bound_by(target))
            return names - names_read(stm.value, local)
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return frozenset((name,)) - names_read(value, local)
        case ast.FunctionDef():
            return frozenset((stm.name,))
        case ast.If():
            return _sequence(stm.body, local) & _sequence(stm.orelse, local) - names_read(
                stm.test, local
            )
        case ast.For():
            inner = frozenset(n for s in stm.body for n in _sequence([s], local))
            plain = bound_by(stm.target) | inner
            return plain - _read_first(stm, local, plain)
        case ast.While():
            inner = frozenset(n for s in stm.body for n in _sequence([s], local))
            return inner - _read_first(stm, local, inner)
        case _:
            return frozenset()


def _sequence(body: Sequence[ast.stmt], local: frozenset[str]) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()
    for stm in body:
        found |= _defined(stm, local) - used
        used |= names_read(stm, local) | _written(stm, local)
    return found


def _read_first(
    stm: ast.For | ast.While, local: frozenset[str], names: frozenset[str]
) -> frozenset[str]:
    """Names that an iteration may read before it has given them a value."""
    known = bound_by(stm.target) if isinstance(stm, ast.For) else frozenset[str]()
    found = names_read(stm.iter if isinstance(stm, ast.For) else stm.test, local) & names
    for inner in stm.body:
        found |= (
            names_read(inner, local) | (_written(inner, local) - _defined(inner, local))
        ) - known
        known |= _defined(inner, local)
    return found & names
