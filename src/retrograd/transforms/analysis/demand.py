"""What is needed in a whole program: parameters, results and values on the tape.

Dead-code elimination looks at one function at a time, so a value that crosses a call or the tape
counts as needed there. Here the dependences of all functions are one graph, and what can be reached
in it from the entry's results, and from what can raise, is needed: the least solution, in which a
value that only feeds itself is not, through recursions, loops and the tape as well.

A parameter is needed in the calls that are made, a value on the tape where a `pop` that yields it
is. Pushes and pops of one site are made or left out together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from retrograd.ir.formers import unhandled
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    Expr,
    For,
    Function,
    If,
    Jvp,
    Prim,
    Program,
    Stm,
    Var,
    Vjp,
    While,
)
from retrograd.ir.traverse import atoms, blocks, stms_deep
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.transforms.analysis.effects import prim_effect

__all__ = ["Demand", "Value", "demand", "site_of"]

Value = tuple[str, str | int]
"""A variable of a function, a result of a function, or a value of a site, by position."""


@dataclass(frozen=True, slots=True)
class Demand:
    """The needed ones. Parameters are by function and name."""

    parameters: frozenset[Value]
    results: frozenset[Value]
    recorded: frozenset[Value]


class _Node(NamedTuple):
    """`kind`: "var" and "result" of a function, "value" of a site; "stm", a statement that is run;
    "site", whose pushes and pops are made; "acts", a function that may raise or touches the tape.
    """

    kind: str
    place: str
    what: str | int = 0


def demand(program: Program, prims: PrimitiveSet) -> Demand:
    """What the entry needs, and what it does to the outside.

    Functions that others may call by their signatures keep those: the entry, inner derivatives with
    schedules of their own, and what derivatives that are still to be taken are taken of.
    """
    graph = _Graph(prims, {f.name: f for f in program.functions})
    for function in program.functions:
        graph.collect(function.name, function.body, None)
        if function.custom is not None:  # as in `effectful`, what its rules do counts as its own
            for rule in (function.custom.rule, function.custom.pullback):
                if rule is not None:
                    graph.edges(_Node("acts", rule), (_Node("acts", function.name),))
    for name in sorted(_kept(program)):
        function = graph.functions[name]
        graph.roots += [_Node("var", name, p.name) for p in function.params]
        graph.roots += [_Node("result", name, k) for k in range(len(function.body.results))]
    found = graph.reached()

    def those(kind: str) -> frozenset[Value]:
        return frozenset((n.place, n.what) for n in found if n.kind == kind)

    return Demand(those("var"), those("result"), those("value"))


def site_of(expr: Prim) -> str | None:
    """What the pushes and pops that belong together share."""
    return next((str(value) for key, value in expr.params if key == "site"), None)


def _kept(program: Program) -> set[str]:
    """The functions whose signatures stay."""
    kept = {program.entry}
    for function in program.functions:
        if function.derivative is not None:
            kept.add(function.name)
        if function.custom is not None:
            kept.update((function.name, function.custom.rule))
            kept.update(() if function.custom.pullback is None else (function.custom.pullback,))
        for stm in stms_deep(function.body):
            if isinstance(stm.expr, Jvp | Vjp):
                kept.add(stm.expr.function)
    return kept


@dataclass(slots=True)
class _Graph:
    """`needs` are the edges; `calls` the calls of each function, and who makes them.

    An argument is needed where its call is made and the parameter is needed: `arguments` are those
    of a call, by parameter.
    """

    prims: PrimitiveSet
    functions: dict[str, Function]
    needs: dict[_Node, list[_Node]] = field(default_factory=dict[_Node, "list[_Node]"])
    arguments: dict[_Node, list[tuple[_Node, _Node]]] = field(
        default_factory=dict[_Node, "list[tuple[_Node, _Node]]"]
    )
    roots: list[_Node] = field(default_factory=list[_Node])
    count: int = 0

    def edges(self, source: _Node, targets: Iterable[_Node]) -> None:
        self.needs.setdefault(source, []).extend(targets)

    def collect(self, name: str, block: Block, parent: _Node | None) -> None:
        """Adds the statements of a block of a function."""
        if parent is None:
            for k, atom in enumerate(block.results):
                self.edges(_Node("result", name, k), _atoms(name, (atom,)))
        for stm in block.stms:
            self.count += 1
            node = _Node("stm", name, self.count)
            self.edges(node, _atoms(name, _control(stm.expr)))
            self.edges(node, () if parent is None else (parent,))
            for out in stm.outs:
                self.edges(_Node("var", name, out.name), (node,))
            self.flow(name, stm, node)
            for inner in blocks(stm.expr):
                self.collect(name, inner, node)

    def flow(self, name: str, stm: Stm, node: _Node) -> None:
        """Where the values of a statement come from, and what it does besides."""
        expr = stm.expr
        match expr:
            case If():
                for out, *sources in zip(
                    stm.outs, expr.then.results, expr.orelse.results, strict=True
                ):
                    self.edges(_Node("var", name, out.name), _atoms(name, sources))
            case For() | While():
                self.loop(name, stm.outs, expr, node)
            case Call():
                self.call(name, stm, expr, node)
            case Prim(op="push" | "pop") if site_of(expr) is not None:
                self.tape(name, stm, expr, node)
            case Prim():
                if prim_effect(expr, self.prims) is not Effect.PURE:
                    self.roots += [node, _Node("acts", name)]
            case Jvp() | Vjp():
                self.edges(_Node("acts", expr.function), (node, _Node("acts", name)))
            case _:
                unhandled(expr)

    def loop(self, name: str, outs: tuple[Var, ...], expr: For | While, node: _Node) -> None:
        results = expr.body.results
        for var, init, result in zip(expr.carried, expr.inits, results, strict=False):
            self.edges(_Node("var", name, var.name), (node, *_atoms(name, (init, result))))
        for out, source in zip(outs, (*expr.carried, *results[len(expr.carried) :]), strict=True):
            self.edges(_Node("var", name, out.name), _atoms(name, (source,)))
        if isinstance(expr, For):
            self.edges(_Node("var", name, expr.index.name), (node,))

    def call(self, name: str, stm: Stm, expr: Call, node: _Node) -> None:
        callee = self.functions[expr.function]
        for k, out in enumerate(stm.outs):
            self.edges(_Node("var", name, out.name), (_Node("result", callee.name, k),))
        for param, atom in zip(callee.params, expr.args, strict=True):
            own = _Node("var", callee.name, param.name)
            for given in _atoms(name, (atom,)):
                self.arguments.setdefault(node, []).append((own, given))
        self.edges(_Node("acts", callee.name), (node, _Node("acts", name)))

    def tape(self, name: str, stm: Stm, expr: Prim, node: _Node) -> None:
        site = str(site_of(expr))
        self.edges(_Node("site", site), (node, _Node("acts", name)))
        for k, out in enumerate(stm.outs):
            self.edges(_Node("var", name, out.name), (_Node("value", site, k),))
        for k, atom in enumerate(expr.args):
            self.edges(_Node("value", site, k), _atoms(name, (atom,)))
        for k in range(len(expr.args) + len(stm.outs)):
            self.edges(_Node("value", site, k), (_Node("site", site),))

    def reached(self) -> set[_Node]:
        """All that the roots need, directly or through others."""
        found: set[_Node] = set()
        waiting: dict[_Node, list[_Node]] = {}
        pending = list(self.roots)
        while pending:
            node = pending.pop()
            if node in found:
                continue
            found.add(node)
            pending += self.needs.get(node, ())
            pending += waiting.pop(node, ())
            for param, given in self.arguments.get(node, ()):
                if param in found:
                    pending.append(given)
                else:
                    waiting.setdefault(param, []).append(given)
        return found


def _atoms(name: str, found: Iterable[Atom]) -> list[_Node]:
    return [_Node("var", name, a.name) for a in found if isinstance(a, Var)]


def _control(expr: Expr) -> tuple[Atom, ...]:
    """What a statement needs whichever of its results is used."""
    match expr:
        case For():
            return (expr.trips,)
        case While():
            return expr.cond.results
        case Call():
            return ()
        case Prim(op="push" | "pop") if site_of(expr) is not None:
            return ()
        case Prim() | If() | Jvp() | Vjp():
            return atoms(expr)
        case _:
            unhandled(expr)
