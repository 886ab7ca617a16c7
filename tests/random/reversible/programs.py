"""Random modules with a reversible function, the functions that it calls, and losses around it."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from tests.random.programs.module import RandomProgram
from tests.random.reversible.scope import Scope, Writing
from tests.random.reversible.statements import Body, Signature, indented

__all__ = ["random_module"]

HEAD = """\
import math

import numpy as np

import retrograd as rg

K = 0.7
TABLE = np.array([0.5, -1.25, 0.75])


def helper(a):
    return a / (1.0 + a * a)


def first(u):
    return 0.5 * u[0] - u[-1]


def norm(u):
    total = 0.25
    for k in range(len(u)):
        total += u[k] * u[k]
    return math.sqrt(total)

"""

KINDS = {
    "s": "float", "t": "float", "x": "vector", "y": "vector", "m": "matrix", "c": "int",
    "d": "int", "q": "counts", "u": "stack", "r": "read float", "w": "read vector",
    "p": "indices", "k": "count",
}  # fmt: skip
VALUES = {
    "float": "{:.3f}", "read float": "{:.3f}", "vector": "np.array([{:.3f}, {:.3f}, {:.3f}])",
    "read vector": "np.array([{:.3f}, {:.3f}, {:.3f}])", "int": "{}", "count": "2",
    "matrix": f"np.array([{', '.join(['[{:.3f}, {:.3f}, {:.3f}]'] * 3)}])",
    "stack": "rg.Stack(np.array([{:.3f}, {:.3f}] + [0.0] * 60), np.array([2]))",
    "counts": "np.array([{}, {}, {}])", "indices": "np.array([2, 0, 1])",
}  # fmt: skip


@dataclass
class _Function:
    """One reversible function."""

    draw: Random
    words: bool
    callees: tuple[Signature, ...] = ()
    names: tuple[str, ...] = field(init=False)
    returned: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        chosen = [n for n in KINDS if n not in "pk" and self.draw.random() < 0.6]
        chosen = chosen or ["s", "x"]
        self.draw.shuffle(chosen)
        self.names = (*chosen, "p")
        numbers = tuple(n for n in chosen if KINDS[n] in ("float", "int"))
        arrays = tuple(n for n in "xymq" if n in chosen and self.draw.random() < 0.3)
        self.moving = "x" in arrays and "y" in arrays
        self.returned = (*numbers, *arrays)

    def scope(self, local: tuple[str, ...] = ()) -> Scope:
        def of(kind: str) -> tuple[str, ...]:
            return tuple(n for n in self.names if KINDS[n] == kind)

        return Scope(
            floats=of("float"), vectors=of("vector"), matrices=of("matrix"), ints=of("int"),
            counts=of("counts"), stacks=of("stack"), read_floats=(*of("read float"), *local),
            read_vectors=of("read vector"), read_counts=of("count"),
        )  # fmt: skip

    def text(self, name: str, count: int, recursive: bool) -> list[str]:
        """Its definition."""
        if recursive:
            self.names = (*self.names, "k")
        body = Body(Writing(self.draw), self.callees, self.words, arrays_move=self.moving)
        lines = body.block(self.scope(), count)
        if recursive:
            back = ", ".join(self.returned)
            given = ", ".join("k - 1" if n == "k" else n for n in self.names)
            called = f"{back} = {name}({given})" if back else f"{name}({given})"
            lines = ["if k > 0:", *indented([*lines, called, *body.block(self.scope(), 1)])]
        lines += [f"return {', '.join(self.returned)}"] if self.returned else []
        option = self.draw.choice(("", "", "", "(checked=False)", "(atol=1e-6)"))
        return [
            f"@rg.reversible{option}",
            f"def {name}({', '.join(self.names)}):",
            *indented(lines),
        ]

    def signature(self, name: str) -> Signature:
        return Signature(name, tuple((n, KINDS[n]) for n in self.names), self.returned)

    def called(self) -> str:
        """A call that puts back what is returned."""
        back = ", ".join(self.returned)
        call = f"f({', '.join(self.names)})"
        return f"{back} = {call}" if back else call

    def losses(self) -> list[str]:
        """A loss after a call, and one with reads between calls in a loop."""
        arrays = [n for n in self.names if KINDS[n] in ("vector", "matrix")]
        parts = [f"np.sum({n} * np.cos({n} + {k}.0))" for k, n in enumerate(arrays)]
        parts += [f"math.sin({n}) * {n}" for n in self.names if KINDS[n] == "float"]
        read = [f"np.sum({n} * {n})" for n in arrays if self.draw.random() < 0.6]
        read += [f"{n} * {n}" for n in self.names if KINDS[n] == "float"]
        parts += [f"np.sum({n}.items[:9] * TABLE[0])" for n in self.names if KINDS[n] == "stack"]
        copies = [f"    {n} = {n}.copy()" for n in arrays]
        copies += [
            f"    {n} = rg.Stack({n}.items.copy(), {n}.filled.copy())"
            for n in self.names
            if KINDS[n] == "stack"
        ]
        names, total = ", ".join(self.names), " + ".join(parts) or "0.0"
        back = (
            self.called().replace(" f(", " rg.inverse(f)(")
            if self.returned
            else (self.called().replace("f(", "rg.inverse(f)("))
        )
        return [
            "", "", f"def ends({names}):", f"    {self.called()}", f"    return {names}",
            "", "", f"def begins({names}):", f"    {back}", f"    return {names}",
            "", "", f"def once({names}):", *copies, f"    {self.called()}", f"    return {total}",
            "", "", f"def often({names}):", *copies, "    total = 0.0", "    for turn in range(3):",
            f"        total += (turn + 1.0) * ({' + '.join(read) or '0.0'})",
            f"        {self.called()}", f"    return total + {total}",
        ]  # fmt: skip

    def arguments(self) -> str:
        return "(" + "".join(f"{self.value(KINDS[n])}, " for n in self.names) + ")"

    def value(self, kind: str) -> str:
        shape = VALUES[kind]
        whole = kind in ("int", "counts")
        numbers = [
            self.draw.randrange(-9, 9) if whole else self.draw.uniform(-2, 2) for _ in "9" * 9
        ]
        return shape.format(*numbers)


def random_module(draw: Random, words: bool = True, small: bool = False) -> RandomProgram:
    """A module with a reversible `f`, and losses `once` and `often`.

    Args:
        draw: the source of randomness.
        words: whether it may use what an ordinary function has no meaning for: inverses of others,
            and `rg.temporarily`. Without it the text without decorators is a program as well.
        small: of a few statements, and calls of one function at most.
    """
    callees: tuple[Signature, ...] = ()
    lines: list[str] = []
    for k in range(draw.randrange(2 if small else 3)):
        inner = _Function(draw, words, callees)
        name = f"g{k}"
        lines += [*inner.text(name, draw.randrange(1, 4), draw.random() < 0.3), "", ""]
        callees = (*callees, inner.signature(name))
    entry = _Function(draw, words, callees)
    made = entry.text("f", draw.randrange(1, 4) if small else draw.randrange(2, 7), False)
    if draw.random() < 0.2:
        made = [
            "def outer(shift, TABLE):",
            *indented([*made, "return f"]),
            "",
            "",
            "f = outer(0.3, TABLE)",
        ]
    lines += made
    used = any("temporarily" in line or "inverse" in line for line in lines)
    lines += entry.losses()
    tags = frozenset(("words",)) if used else frozenset[str]()
    return RandomProgram(HEAD + "\n" + "\n".join(lines) + "\n", "f", entry.arguments(), tags)
