"""What a random reversible function may name at a point of its text, and random expressions of it.

Every expression is bounded, so that what is added to it and taken away again differs by roundings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

__all__ = ["SIZE", "Scope", "Writing"]

SIZE = 3
"""The length of every axis."""

UNARY = ("np.sin({})", "math.cos({})", "math.tanh({})", "helper({})", "0.5 * {}", "-{}")
MAPS = ("np.sin({})", "np.tanh({})", "0.5 * {}", "-{}", "helper({})", "np.cos({})[::-1]")


@dataclass(frozen=True)
class Scope:
    """Names by what they are: of changing parameters, of what is only read, and of definitions.

    `made_of` are the variables that a definition is made of.
    """

    floats: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()
    matrices: tuple[str, ...] = ()
    ints: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    read_floats: tuple[str, ...] = ()
    read_vectors: tuple[str, ...] = ()
    read_counts: tuple[str, ...] = ()
    indices: tuple[str, ...] = ()
    stacks: tuple[str, ...] = ()
    read_stacks: tuple[str, ...] = ()
    made_of: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    depth: int = 0

    def roots(self, name: str) -> frozenset[str]:
        """The variables that the value of a name depends on."""
        return self.made_of.get(name, frozenset((name,)))

    def without(self, changed: Iterable[str]) -> Scope:
        """Without the definitions that are made of what has changed."""
        gone = {n for n, roots in self.made_of.items() if roots & set(changed)}
        return replace(
            self,
            read_floats=tuple(n for n in self.read_floats if n not in gone),
            read_vectors=tuple(n for n in self.read_vectors if n not in gone),
            made_of={n: roots for n, roots in self.made_of.items() if n not in gone},
        )

    def deeper(self, index: str | None = None) -> Scope:
        """Inside of a block, of a loop over indices of arrays if one is named."""
        more = () if index is None else (index,)
        return replace(self, indices=self.indices + more, depth=self.depth + 1)


@dataclass
class Writing:
    """Draws expressions; what they read is in `seen` since that was emptied."""

    draw: Random
    reckless: float = 0.06
    seen: set[str] = field(default_factory=set[str])

    def chance(self, probability: float) -> bool:
        return self.draw.random() < probability

    def some(self, names: Sequence[str], scope: Scope, avoid: frozenset[str]) -> str | None:
        """One of some names that depends on nothing that is to be avoided, as a rule."""
        careless = self.chance(self.reckless)
        fit = [n for n in names if careless or not scope.roots(n) & avoid]
        if not fit:
            return None
        name = self.draw.choice(fit)
        self.seen |= scope.roots(name)
        return name

    def index(self, scope: Scope) -> str:
        """A valid index of an axis."""
        choices = [str(self.draw.randrange(SIZE)), "-1"]
        for name in scope.indices:
            choices += [name, name, f"({name} + 1) % {SIZE}", f"{name} - 1", f"p[{name}]"]
        return self.draw.choice(choices)

    def element(self, scope: Scope, avoid: frozenset[str]) -> str | None:
        """An element of an array of floats."""
        if self.chance(0.3) and (name := self.some(scope.matrices, scope, avoid)):
            return f"{name}[{self.index(scope)}, {self.index(scope)}]"
        name = self.some((*scope.vectors, *scope.read_vectors), scope, avoid)
        return None if name is None else f"{name}[{self.index(scope)}]"

    def leaf(self, scope: Scope, avoid: frozenset[str]) -> str:
        """A float."""
        match self.draw.randrange(8):
            case 0:
                return self.draw.choice(("0.25", "1.5", "-0.75", "K", "TABLE[1]"))
            case 1 | 2 | 3:
                found = self.element(scope, avoid)
            case 4 if scope.indices:
                found = f"0.1 * {self.draw.choice(scope.indices)}"
            case 6 if scope.stacks or scope.read_stacks:
                found = self.some((*scope.stacks, *scope.read_stacks), scope, avoid)
                found = found and f"{found}.items[{found}.count - 1]"
            case 5:
                vector = self.vector(scope, avoid, 0)
                found = None if vector is None else self.total(vector)
            case _:
                found = self.some((*scope.floats, *scope.read_floats), scope, avoid)
        return found or "0.125"

    def total(self, vector: str) -> str:
        """A float that is made of a vector."""
        shapes = (
            "np.sum({})",
            "float(np.dot({0}, {0}))",
            "norm({})",
            "np.sum({}[1:])",
            "first({})",
        )
        shapes = (*shapes, "sum([a * a for a in {}])", "np.sum({}[::-1] * TABLE)")
        return self.draw.choice(shapes).format(vector)

    def scalar(self, scope: Scope, avoid: frozenset[str], depth: int = 2) -> str:
        """A float expression."""
        if depth == 0 or self.chance(0.2):
            return self.leaf(scope, avoid)
        if self.chance(0.4):
            inner = self.scalar(scope, avoid, depth - 1)
            return self.draw.choice(UNARY).format(f"({inner})")
        one, other = (self.scalar(scope, avoid, depth - 1) for _ in range(2))
        shape = self.draw.choice((
            "({} + {})", "({} - {})", "math.sin({}) * np.cos({})", "({} / (2.5 + math.cos({})))",
            "({0} if {1} > 0.1 else 0.5 * {0})", "max({}, {})",
        ))  # fmt: skip
        return shape.format(one, other)

    def bounded(self, scope: Scope, avoid: frozenset[str]) -> str:
        """A float between -2 and 2."""
        function = self.draw.choice(("np.sin", "math.tanh", "1.5 * np.cos"))
        return f"{function}({self.scalar(scope, avoid)})"

    def vector(self, scope: Scope, avoid: frozenset[str], depth: int = 2) -> str | None:
        """A vector of floats."""
        if depth == 0 or self.chance(0.2):
            if self.chance(0.3) and (name := self.some(scope.matrices, scope, avoid)):
                shape = self.draw.choice(("{}[{}]", "{}[:, {}]", "{}.T[{}]"))
                return shape.format(name, self.index(scope))
            return self.some((*scope.vectors, *scope.read_vectors), scope, avoid)
        one = self.vector(scope, avoid, depth - 1)
        if one is None or self.chance(0.4):
            return None if one is None else self.draw.choice(MAPS).format(f"({one})")
        if self.chance(0.2) and (matrix := self.some(scope.matrices, scope, avoid)):
            return f"({matrix} @ {one})"
        other = self.vector(scope, avoid, depth - 1) or self.leaf(scope, avoid)
        return f"({one} {self.draw.choice('+-')} {other})"

    def whole(self, scope: Scope, avoid: frozenset[str]) -> str:
        """An int expression."""
        parts = [str(self.draw.randrange(1, 6)), *scope.indices]
        parts += [n for n in scope.read_counts]
        name = self.some(scope.ints, scope, avoid)
        if name is not None:
            parts += [name, f"({name} % 5)"]
        array = self.some(scope.counts, scope, avoid)
        if array is not None:
            parts.append(f"{array}[{self.index(scope)}]")
        one, other = (self.draw.choice(parts) for _ in range(2))
        return self.draw.choice(("{}", "{} + {}", "({} * {}) % 7", "{} - {}")).format(one, other)

    def condition(self, scope: Scope, avoid: frozenset[str]) -> str:
        """Something that is true or false."""
        if self.chance(0.3):
            return f"{self.whole(scope, avoid)} > {self.draw.randrange(4)}"
        if scope.indices and self.chance(0.4):
            return f"{self.draw.choice(scope.indices)} != {self.draw.randrange(SIZE)}"
        return f"{self.scalar(scope, avoid, 1)} > {self.draw.choice(('0.0', '0.3', '-0.2'))}"
