"""Which names may still be read after a statement: a backward pass over the syntax.

What is dead is not joined, not carried by loops and holds no reference to an array; so the programs
that come out are small, and fewer aliases have to be refused.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from retrograd.frontend.identity.nodes import children, nodes_in
from retrograd.frontend.identity.source import FunctionSource, body_of

__all__ = ["NO_NAMES", "Names", "Scope", "scope_of", "stored_names"]

Names = frozenset[str]
_NONE: Names = frozenset()
_NESTED = ast.FunctionDef | ast.Lambda | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Scope:
    """The names of one function.

    `local` are its variables, `captured` those that inner functions read, and `free` what it takes
    from outside. `after` gives the names live after a statement and `header` those live whenever a
    loop tests whether to go on.
    """

    local: Names
    nonlocals: Names
    captured: Names
    free: Names
    after: dict[int, Names]
    header: dict[int, Names]


NO_NAMES = Scope(_NONE, _NONE, _NONE, _NONE, {}, {})


def names_in(node: ast.AST | Sequence[ast.AST]) -> Names:
    """Every name read anywhere inside, nested functions included."""
    nodes: Sequence[ast.AST] = [node] if isinstance(node, ast.AST) else node
    return frozenset(
        n.id
        for top in nodes
        for n in nodes_in(top)
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Store)
    )


def _own(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The nodes inside, without what stands in nested functions; those themselves are given."""
    pending = list(nodes)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, _NESTED):
            pending += children(node)


def stored_names(nodes: Sequence[ast.AST]) -> Names:
    """Every name assigned inside, nested functions left out."""
    found: set[str] = set()
    for node in _own(nodes):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ExceptHandler):
            found.add(node.name or "")
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
    found.discard("")
    return frozenset(found)


def _params(node: ast.FunctionDef | ast.Lambda) -> Names:
    args = node.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    return frozenset(a.arg for a in (*every, args.vararg, args.kwarg) if a is not None)


def _free_names(node: ast.FunctionDef | ast.Lambda) -> Names:
    """Names that a nested function takes from around it (a superset)."""
    body = node.body if isinstance(node, ast.FunctionDef) else [node.body]
    own = _params(node) | stored_names(body)
    outer: set[str] = set()
    inner: set[str] = set()
    for n in _own(body):
        if isinstance(n, ast.Nonlocal):
            outer.update(n.names)
        elif isinstance(n, ast.FunctionDef | ast.Lambda):
            inner |= _free_names(n)
            inner |= names_in([*n.args.defaults, *(d for d in n.args.kw_defaults if d is not None)])
            inner |= names_in(n.decorator_list) if isinstance(n, ast.FunctionDef) else _NONE
        elif isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load):
            inner.add(n.id)
    return frozenset(inner - (own - outer)) | frozenset(outer)


def scope_of(source: FunctionSource) -> Scope:
    """The scope of a function."""
    return _scope_of(source.node)


@lru_cache(maxsize=1024)
def _scope_of(node: ast.FunctionDef | ast.Lambda) -> Scope:
    """Kept by the syntax itself, which nobody changes in place: functions are called many times."""
    body = body_of(node)
    nonlocals: set[str] = set()
    captured: set[str] = set()
    for inner in _own(body):
        if isinstance(inner, ast.Nonlocal):
            nonlocals.update(inner.names)
        elif isinstance(inner, ast.FunctionDef | ast.Lambda):
            captured |= _free_names(inner)
    local = (_params(node) | stored_names(body)) - nonlocals
    flow = _Flow()
    flow.block(body, _Live(_NONE))
    free = _free_names(node)
    after, header = _all_read(flow.after, local), _all_read(flow.header, local)
    return Scope(local, frozenset(nonlocals), frozenset(captured) & local, free, after, header)


def _all_read(live: dict[int, Names], local: Names) -> dict[int, Names]:
    """With all variables where they may still be read by `locals()`."""
    return {at: names | local if "locals" in names else names for at, names in live.items()}


@dataclass(frozen=True, slots=True)
class _Live:
    """Live names after a block, after `break`, after `continue`, and what pending exits add."""

    out: Names
    brk: Names = _NONE
    cont: Names = _NONE
    pending: Names = _NONE


@dataclass(slots=True)
class _Flow:
    after: dict[int, Names] = field(default_factory=dict[int, Names])
    header: dict[int, Names] = field(default_factory=dict[int, Names])

    def block(self, body: Sequence[ast.stmt], live: _Live) -> Names:
        now = live.out
        for stm in reversed(body):
            self.after[id(stm)] = now | live.pending
            now = self.stm(stm, _Live(now, live.brk, live.cont, live.pending))
        return now

    def stm(self, stm: ast.stmt, live: _Live) -> Names:
        match stm:
            case ast.Assign() | ast.AnnAssign():
                targets = stm.targets if isinstance(stm, ast.Assign) else [stm.target]
                if isinstance(stm, ast.AnnAssign) and stm.value is None:
                    return live.out
                return (live.out - stored_names(targets)) | names_in(stm)
            case ast.AugAssign():
                own = stm.target.id if isinstance(stm.target, ast.Name) else None
                return live.out | names_in(stm) | (frozenset({own}) if own else _NONE)
            case ast.If():
                then, orelse = self.block(stm.body, live), self.block(stm.orelse, live)
                return names_in(stm.test) | then | orelse
            case ast.For() | ast.While():
                return self.loop(stm, live)
            case ast.Try():
                return self.tried(stm, live)
            case ast.With():
                self.header[id(stm)] = live.out | live.pending
                inside = replace(live, pending=live.pending | live.out)
                items = names_in([item.context_expr for item in stm.items])
                return items | self.block(stm.body, inside)
            case ast.Return() | ast.Raise():
                return names_in(stm)
            case ast.Break():
                return live.brk
            case ast.Continue():
                return live.cont
            case ast.FunctionDef():
                given = names_in([stm.args, *stm.decorator_list])
                return (live.out - {stm.name}) | _free_names(stm) | given
            case _:
                return live.out | names_in(stm)

    def tried(self, stm: ast.Try, live: _Live) -> Names:
        """A jump may come from anywhere in the body: what handlers read is live in all of it."""
        ends = names_in(stm.finalbody)
        final = self.block(stm.finalbody, live)
        brk, cont, pending = live.brk | ends, live.cont | ends, live.pending | ends
        out = _Live(final, brk, cont, pending)
        handled: Names = _NONE
        for handler in stm.handlers:
            own = frozenset({handler.name}) if handler.name else _NONE
            handled |= self.block(handler.body, out) - own
            handled |= names_in(handler.type) if handler.type is not None else _NONE
        orelse = self.block(stm.orelse, out)
        self.header[id(stm)] = handled | final | pending
        inside = _Live(orelse, brk, cont, pending | handled | final)
        return self.block(stm.body, inside) | handled

    def loop(self, stm: ast.For | ast.While, live: _Live) -> Names:
        after = self.block(stm.orelse, live)
        test = names_in(stm.test) if isinstance(stm, ast.While) else _NONE
        bound = stored_names([stm.target]) if isinstance(stm, ast.For) else _NONE
        header = after | live.out | test
        exits = any(isinstance(n, ast.Break | ast.Continue) for s in stm.body for n in ast.walk(s))
        while True:
            pending = live.pending | (header | live.out if exits else _NONE)
            inside = self.block(stm.body, _Live(header, live.out, header, pending)) - bound
            if isinstance(stm, ast.For):
                inside |= names_in(stm.target)
            if inside <= header:
                break
            header |= inside
        self.header[id(stm)] = header | live.pending
        if isinstance(stm, ast.For):
            return header | names_in(stm.iter)
        return header
