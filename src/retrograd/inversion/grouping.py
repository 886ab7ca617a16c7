"""Runs of statements that write fresh locals only, as definitions of these.

A local that is built up (`s = 0.0`, then `s += ...` in a loop) is defined by all of that.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from retrograd.inversion.places import bound_by, names_read, root_of, written
from retrograd.inversion.statements import Pure

__all__ = ["Definitions", "counters"]

Names = frozenset[str]


def counters(body: Sequence[ast.stmt], local: Names) -> Names:
    """The variables of loops that nothing outside of loops over them reads."""
    loops = [node for stm in body for node in ast.walk(stm) if isinstance(node, ast.For)]
    return frozenset[str]().union(*(bound_by(n.target) for n in loops)) - _outside(body, local)


def _outside(body: Sequence[ast.stmt], local: Names) -> Names:
    """What statements read that is not the variable of a loop around."""
    found: Names = frozenset()
    for stm in body:
        match stm:
            case ast.For():
                inner = _outside(stm.body, local) - bound_by(stm.target)
                found |= names_read(stm.iter, local) | inner | _outside(stm.orelse, local)
            case ast.If(test=test) | ast.While(test=test):
                parts = (_outside(part, local) for part in (stm.body, stm.orelse))
                found |= names_read(test, local).union(*parts)
            case _:
                found |= names_read(stm, local)
    return found


@dataclass(frozen=True, slots=True)
class Definitions:
    """Statements as definitions of fresh locals.

    Attributes:
        local: all variables of the function.
        counters: variables of loops that are not read outside of these.

    In all methods `earlier` are the names that statements before may have given a value, without
    `counters`: a loop is taken to run at least once for what nothing before it has given a value.
    """

    local: Names
    counters: Names

    def grouped(self, run: Sequence[ast.stmt], earlier: Names) -> list[Pure]:
        """The statements as definitions, in order; what builds up one local is together."""
        ends: list[tuple[int, int]] = []
        last: dict[str, int] = {}
        befores = [earlier]
        for k, stm in enumerate(run):
            writes, defines = self._written(stm), self._defined(stm, befores[k])
            first = min([last[name] for name in writes - defines if name in last], default=k)
            while ends and ends[-1][1] > first:
                first = min(first, ends.pop()[0])
            ends.append((first, k + 1))
            last.update(dict.fromkeys(defines, k))
            for name in writes - defines:
                last.setdefault(name, k)
            befores.append(self._after(befores[k], stm))
        return [self._definition(run[start:end], befores[start]) for start, end in ends]

    def _definition(self, body: Sequence[ast.stmt], earlier: Names) -> Pure:
        reads = self._reads(body, earlier)
        writes: Names = frozenset()
        defines: Names = frozenset()
        for stm in body:
            own = self._defined(stm, earlier)
            before = names_read(stm, self.local) - defines - own
            defines |= own - (writes - defines) - before
            writes |= self._written(stm)
            earlier = self._after(earlier, stm)
        return Pure(body[0], tuple(body), reads, writes, defines & writes)

    def _after(self, earlier: Names, stm: ast.stmt) -> Names:
        return earlier | (self._written(stm) - self.counters)

    def _written(self, stm: ast.stmt) -> Names:
        names = (root_of(place) for place in written(stm))
        return frozenset(name for name in names if name is not None) & self.local

    def _reads(self, body: Sequence[ast.stmt], earlier: Names) -> Names:
        """The names that statements read, or change parts of, before they give them a value."""
        found: Names = frozenset()
        known: Names = frozenset()
        for stm in body:
            found |= self._reads_of(stm, earlier) - known
            known |= self._defined(stm, earlier)
            earlier = self._after(earlier, stm)
        return found

    def _reads_of(self, stm: ast.stmt, earlier: Names) -> Names:
        match stm:
            case ast.If(test=test) | ast.While(test=test):
                parts = (self._reads(part, earlier) for part in (stm.body, stm.orelse))
                return names_read(test, self.local).union(*parts)
            case ast.For():
                inner = self._reads(stm.body, earlier) - bound_by(stm.target)
                rest = self._reads(stm.orelse, earlier)
                return names_read(stm.iter, self.local) | inner | rest
            case ast.Assign() | ast.AnnAssign():
                whole = frozenset(p.id for p in written(stm) if isinstance(p, ast.Name))
                return names_read(stm, self.local) | (self._written(stm) - whole)
            case _:
                return names_read(stm, self.local) | self._written(stm)

    def _defined(self, stm: ast.stmt, earlier: Names) -> Names:
        """The names that a statement gives a value, whatever they were and whatever happens."""
        match stm:
            case ast.Assign():
                names = frozenset(n for target in stm.targets for n in bound_by(target))
                return names - names_read(stm.value, self.local)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                return frozenset((name,)) - names_read(value, self.local)
            case ast.FunctionDef():
                return frozenset((stm.name,))
            case ast.If():
                both = (self._sequence(part, earlier) for part in (stm.body, stm.orelse))
                return frozenset[str].intersection(*both) - names_read(stm.test, self.local)
            case ast.For() | ast.While():
                inner = frozenset(n for s in stm.body for n in self._sequence([s], earlier))
                plain = inner | (bound_by(stm.target) if isinstance(stm, ast.For) else Names())
                return plain - self._read_first(stm, plain, earlier) - earlier
            case _:
                return frozenset()

    def _sequence(self, body: Sequence[ast.stmt], earlier: Names) -> Names:
        found: Names = frozenset()
        used: Names = frozenset()
        for stm in body:
            found |= self._defined(stm, earlier) - used
            used |= names_read(stm, self.local) | self._written(stm)
            earlier = self._after(earlier, stm)
        return found

    def _read_first(self, stm: ast.For | ast.While, names: Names, earlier: Names) -> Names:
        """Names that an iteration may read before it has given them a value."""
        known = bound_by(stm.target) if isinstance(stm, ast.For) else Names()
        head = stm.iter if isinstance(stm, ast.For) else stm.test
        found = names_read(head, self.local) & names
        for inner in stm.body:
            own = self._defined(inner, earlier)
            found |= (names_read(inner, self.local) | (self._written(inner) - own)) - known
            known |= own
        return found & names
