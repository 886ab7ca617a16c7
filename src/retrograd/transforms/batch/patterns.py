"""Which values depend on the direction: a fixpoint over functions, loops and the tape.

Functions are looked at once per pattern of bundled parameters. A value is bundled where any operand
is, a carried value where its first value or its next one is, and what a `pop` takes where any
`push` of the same site leaves a bundle. So the forward and the reverse program of a function agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from retrograd.ir.formers import unhandled
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    For,
    Function,
    If,
    Jvp,
    Prim,
    Stm,
    Var,
    Vjp,
    While,
)
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.facts import Bundled

__all__ = ["Key", "Patterns", "Unbatchable"]

Key = tuple[str, tuple[bool, ...]]
"""A function and which of its parameters are bundled."""


class Unbatchable(Exception):
    """A loop over directions does what bundles cannot do; the reason is for people."""


@dataclass(slots=True)
class Patterns:
    """What one loop over directions makes of the functions that it calls.

    `bundled` has the bundled variables of each function, for each pattern (and those of the loop's
    own body under `None`); `touched` are the functions that are not what they were.
    """

    functions: Mapping[str, Function]
    prims: PrimitiveSet
    bundled: dict[Key | None, set[Var]] = field(default_factory=dict["Key | None", "set[Var]"])
    results: dict[Key, tuple[bool, ...]] = field(default_factory=dict[Key, "tuple[bool, ...]"])
    sites: dict[str, tuple[bool, ...]] = field(default_factory=dict[str, "tuple[bool, ...]"])
    touched: set[Key] = field(default_factory=set[Key])
    changed: bool = False

    def settle(self, body: Block, roots: Iterable[Var]) -> None:
        """Finds everything that depends on `roots`, which `body` binds."""
        self.bundled[None] = set(roots)
        self.changed = True
        while self.changed:
            self.changed = False
            for key in [None, *self.results]:
                if key is None:
                    _Walk(self, key, self.bundled[None]).block(body)
                else:
                    self.function(key)

    def function(self, key: Key) -> None:
        """One more walk over a function."""
        function = self.functions[key[0]]
        walk = _Walk(self, key, self.bundled[key])
        walk.block(function.body)
        now = tuple(walk.on(a) for a in function.body.results)
        if now != self.results[key]:
            self.results[key] = now
            self.changed = True

    def call(self, name: str, pattern: tuple[bool, ...]) -> tuple[bool, ...]:
        """Which results are bundled, as far as is known."""
        key = (name, pattern)
        if key not in self.results:
            function = self.functions[name]
            marked = {p for p, on in zip(function.params, pattern, strict=True) if on}
            self.bundled[key] = marked
            self.results[key] = (False,) * len(function.body.results)
            if marked:
                self.touched.add(key)
            self.changed = True
        return self.results[key]

    def touch(self, key: Key | None) -> None:
        if key is not None and key not in self.touched:
            self.touched.add(key)
            self.changed = True

    def site(self, expr: Prim) -> str:
        """The name that a push shares with its pop."""
        name = dict(expr.params).get("site")
        if not isinstance(name, str):
            raise Unbatchable("residuals whose push and pop are not known to belong together")
        return name

    def flags(self, expr: Prim, count: int) -> tuple[bool, ...]:
        """Which of the values at a site are bundles."""
        return self.sites.get(self.site(expr), (False,) * count)


@dataclass(slots=True)
class _Walk:
    """One walk over one function (or the loop's body) that marks variables."""

    patterns: Patterns
    key: Key | None
    marked: set[Var]

    def on(self, atom: Atom) -> bool:
        return isinstance(atom, Var) and atom in self.marked

    def mark(self, var: Var, on: bool) -> None:
        if on and var.type.is_float and var not in self.marked:
            self.marked.add(var)
            self.patterns.changed = True
            self.patterns.touch(self.key)

    def block(self, block: Block) -> None:
        for stm in block.stms:
            self.stm(stm)

    def stm(self, stm: Stm) -> None:
        match stm.expr:
            case Prim() as expr:
                flags = self.prim(stm, expr)
            case If() as expr:
                self.block(expr.then)
                self.block(expr.orelse)
                pairs = zip(expr.then.results, expr.orelse.results, strict=True)
                flags = [self.on(a) or self.on(b) for a, b in pairs]
            case For() | While() as expr:
                flags = self.loop(expr)
            case Call() as expr:
                pattern = tuple(map(self.on, expr.args))
                flags = self.patterns.call(expr.function, pattern)
                if (expr.function, pattern) in self.patterns.touched:
                    self.patterns.touch(self.key)
            case Jvp() | Vjp():
                raise Unbatchable("a derivative that has not been expanded")
            case _:
                unhandled(stm.expr)
        for out, on in zip(stm.outs, flags, strict=True):
            self.mark(out, on)

    def prim(self, stm: Stm, expr: Prim) -> Sequence[bool]:
        match expr.op:
            case "push":
                self.push(expr)
                return ()
            case "pop":
                return self.patterns.flags(expr, len(stm.outs))
            case _:
                pass
        facts = self.patterns.prims[expr.op].facts
        read = [a for k, a in enumerate(expr.args) if k not in facts.shape_only]
        on = any(map(self.on, read))
        if on and facts.bundled in (Bundled.NEVER, Bundled.OWN):
            raise Unbatchable(f"{expr.op} of a value that depends on the direction")
        if on and facts.bundled is Bundled.ONE and sum(map(self.on, read)) > 1:
            raise Unbatchable("a product of two arrays that depend on the direction")
        if facts.bundled is Bundled.LAST and any(map(self.on, read[:-1])):
            raise Unbatchable(f"{expr.op} with a matrix that depends on the direction")
        return (on,) * len(stm.outs)

    def push(self, expr: Prim) -> None:
        own = tuple(map(self.on, expr.args))
        known = self.patterns.flags(expr, len(own))
        now = tuple(a or b for a, b in zip(own, known, strict=True))
        if now != known:
            self.patterns.sites[self.patterns.site(expr)] = now
            self.patterns.changed = True
        if any(now):
            self.patterns.touch(self.key)

    def loop(self, expr: For | While) -> list[bool]:
        results = expr.body.results
        for var, init, result in zip(expr.carried, expr.inits, results, strict=False):
            self.mark(var, self.on(init) or self.on(result))
        if isinstance(expr, While):
            self.block(expr.cond)
        self.block(expr.body)
        carried = zip(expr.carried, expr.inits, results, strict=False)
        flags = [self.on(v) or self.on(a) or self.on(b) for v, a, b in carried]
        return flags + [self.on(r) for r in results[len(expr.carried) :]]
