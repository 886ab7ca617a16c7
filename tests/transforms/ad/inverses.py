"""Random functions with inverses in text form, with their adjoints, and programs that call them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from retrograd.ir.terms import Program

__all__ = ["LEAPFROG", "Step", "plain", "random_step"]


def plain(program: Program) -> Program:
    """The same program, whose functions are differentiated as they are written."""
    return replace(program, functions=tuple(replace(f, custom=None) for f in program.functions))


@dataclass
class _Lines:
    """Statements; `now` has the version of each variable."""

    lines: list[str] = field(default_factory=list)
    now: dict[str, str] = field(default_factory=dict)
    count: int = 0

    def let(self, type_: str, text: str) -> str:
        self.count += 1
        self.lines.append(f"  t{self.count}: {type_} = {text}")
        return f"t{self.count}"


@dataclass(frozen=True)
class Step:
    """`target += sign * factor * source**2`, one after the other.

    `kinds` are the types of the variables by name: `x0, x1, ..` are changed, `p` and `q` are read.
    """

    kinds: dict[str, str]
    updates: Sequence[tuple[str, str, str]]
    counts: bool = False

    @property
    def changed(self) -> list[str]:
        return [name for name in self.kinds if name.startswith("x")]

    def text(self, name: str) -> str:
        """The function and its adjoint, `{name}_adjoint`."""
        extra = {"n": "i64"} if self.counts else {}
        kinds = {**extra, **self.kinds}
        changed = [*extra, *self.changed]
        places = ", ".join(str(list(kinds).index(c)) for c in changed)
        places += "," if len(changed) == 1 else ""
        params = ", ".join(f"{n}: {t}" for n, t in kinds.items())
        types = ", ".join(kinds[c] for c in changed)
        work = _Lines(now={n: n for n in kinds})
        if self.counts:
            work.now["n"] = work.let("i64", "iadd(n, 2; span=none)")
        for update in self.updates:
            self.update(work, update, "add")
        results = ", ".join(work.now[c] for c in changed)
        rule = f"custom inverse({name}_adjoint; changed=({places}))"
        head = f"function {name}({params}) -> ({types}) {rule}:"
        forward = "\n".join([head, *work.lines, f"  return {results}", ""])
        return forward + "\n" + self.adjoint(name, kinds, changed)

    def caller(self, name: str) -> str:
        """A program that calls it in a loop and reads what it changes in between."""
        params = ", ".join(f"{n}: {t}" for n, t in self.kinds.items())
        lines = [f"program f\n\nfunction f({params}, m: i64) -> (f64):"]
        scalar = self.kinds["p"] == "f64"
        for x in self.changed:
            own = f"mul({x}, 2.0)" if scalar else f"copy({x})"
            lines.append(f"  {x}_own: {self.kinds[x]} = {own}")
        extra = ["n"] if self.counts else []
        types = {**dict.fromkeys(extra, "i64"), **{x: self.kinds[x] for x in self.changed}}
        outs = [f"{x}_end: {t}" for x, t in types.items()]
        inits = [f"{x}_in: {t} = {x + '_own' if x != 'n' else '3'}" for x, t in types.items()]
        loop = f"for k < m with ({', '.join(inits)}, s: f64 = 0.0):"
        lines.append(f"  {', '.join(outs)}, s_end: f64 = {loop}")
        given = [f"{x}_in" if x in types else x for x in (*extra, *self.kinds)]
        made = ", ".join(f"{x}_out: {t}" for x, t in types.items())
        lines.append(f"      {made} = call {name}({', '.join(given)})")
        first, second = self.changed[:2]
        work = _Lines(count=100)
        total = work.let(self.kinds[first], f"mul({first}_out, {second}_out)")
        if self.counts:
            counted = work.let("f64", 'convert(n_out; dtype="f64")')
            total = work.let(self.kinds[first], f"mul({total}, {counted})")
        if not scalar:
            total = work.let("f64", f"reduce_sum({total}; axes=(0,), keepdims=false)")
        total = work.let("f64", f"add(s, {total})")
        lines += ["    " + line for line in work.lines]
        ends = ", ".join([*(f"{x}_out" for x in types), total])
        lines += [f"      yield {ends}", "  return s_end\n"]
        return "\n".join(lines) + "\n" + self.text(name)

    def adjoint(self, name: str, kinds: dict[str, str], changed: list[str]) -> str:
        floats = [n for n in kinds if n != "n"]
        bars = ", ".join(f"{n}_bar: {kinds[n]}" for n in floats)
        params = ", ".join(f"{n}: {t}" for n, t in kinds.items())
        work = _Lines(now={n: n for n in kinds})
        work.now.update({f"{n}_bar": f"{n}_bar" for n in floats})
        for update in reversed(self.updates):
            self.update(work, update, "sub")
            self.pull(work, update)
        if self.counts:
            work.now["n"] = work.let("i64", "isub(n, 2; span=none)")
        outs = [*changed, *(f"{n}_bar" for n in floats)]
        types = ", ".join([*(kinds[c] for c in changed), *(kinds[n] for n in floats)])
        head = f"function {name}_adjoint({params}, {bars}) -> ({types}):"
        back = "  return " + ", ".join(work.now[o] for o in outs)
        return "\n".join([head, *work.lines, back, ""])

    def update(self, work: _Lines, update: tuple[str, str, str], op: str) -> None:
        target, factor, source = update
        kind = self.kinds[target]
        square = self.square(work, source)
        term = work.let(kind, f"mul({square}, {work.now[factor]})")
        if op == "sub":
            term = work.let(kind, f"neg({term})")
        self.add(work, target, kind, term)

    def add(self, work: _Lines, target: str, kind: str, term: str) -> None:
        op = "add" if kind == "f64" else "accumulate"
        work.now[target] = work.let(kind, f"{op}({work.now[target]}, {term})")

    def square(self, work: _Lines, source: str) -> str:
        return work.let(self.kinds[source], f"mul({work.now[source]}, {work.now[source]})")

    def pull(self, work: _Lines, update: tuple[str, str, str]) -> None:
        target, factor, source = update
        kind, bar = self.kinds[target], work.now[f"{target}_bar"]
        twice = work.let(kind, f"add({work.now[source]}, {work.now[source]})")
        slope = work.let(kind, f"mul({twice}, {work.now[factor]})")
        self.add(work, f"{source}_bar", kind, work.let(kind, f"mul({slope}, {bar})"))
        square = self.square(work, source)
        part = work.let(kind, f"mul({square}, {bar})")
        if kind != self.kinds[factor]:
            part = work.let("f64", f"reduce_sum({part}; axes=(0,), keepdims=false)")
        self.add(work, f"{factor}_bar", self.kinds[factor], part)


LEAPFROG = Step({"x0": "f64[1]", "x1": "f64[1]", "p": "f64[1]", "q": "f64"},
                [("x1", "p", "x0"), ("x0", "q", "x1")])  # fmt: skip
"""v += p x**2, then x += q v**2."""


def random_step(seed: int, kind: str) -> Step:
    """A step on two or three variables of a type, with a counter or without."""
    rng = np.random.default_rng(seed)
    names = [f"x{k}" for k in range(int(rng.integers(2, 4)))]
    kinds = {**dict.fromkeys(names, kind), "p": kind, "q": "f64"}
    updates: list[tuple[str, str, str]] = []
    for _ in range(int(rng.integers(2, 6))):
        target, source = rng.permutation(names)[:2]
        updates.append((str(target), str(rng.choice(["p", "q"])), str(source)))
    order = rng.permutation(list(kinds))
    return Step({str(n): kinds[str(n)] for n in order}, updates, bool(rng.integers(2)))
