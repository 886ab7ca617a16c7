"""Linear facts about integers, and a small prover for `e >= 0`.

Values are exact integers here; a variable stands for itself only where it did not wrap around.
A fact bounds one unknown by a linear expression over *older* unknowns. The prover replaces the
newest unknown by one of its bounds until a number is left, so it ends; it gives up after a fixed
number of steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from retrograd.records import quickly_made
from retrograd.transforms.analysis.shapes import Axis

__all__ = ["I64_MAX", "I64_MIN", "OPPOSITE", "Facts", "Linear", "Unknown", "constant"]

I64_MIN, I64_MAX = -(2**63), 2**63 - 1

OPPOSITE = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq"}
"""The comparison that holds where another one does not."""

_MAX_EXTENT = 2**62
_MAX_TERMS = 6
_MAX_STEPS = 40

Unknown = str | Axis
"""A variable by name, or the length of an axis."""

Bound = tuple[int, "Linear"]
"""(c, e) with c > 0: c times the unknown is at most (at least) e."""


@quickly_made
@dataclass(frozen=True, slots=True)
class Linear:
    """An integer constant plus integer multiples of unknowns."""

    const: int
    terms: Mapping[Unknown, int] = field(default_factory=dict["Unknown", int])

    def plus(self, other: Linear, times: int = 1) -> Linear:
        """`self + times * other`."""
        terms = _sum(self.terms, other.terms, times)
        return Linear(self.const + times * other.const, terms)

    def times(self, factor: int) -> Linear:
        """`factor * self`."""
        if factor == 0:
            return Linear(0)
        return Linear(self.const * factor, {u: c * factor for u, c in self.terms.items()})

    def product(self, other: Linear) -> Linear | None:
        """`self * other`, where one of them is a number."""
        if not self.terms:
            return other.times(self.const)
        return None if other.terms else self.times(other.const)

    def shift(self, by: int) -> Linear:
        """`self + by`."""
        return Linear(self.const + by, self.terms)

    @property
    def small(self) -> bool:
        """Whether it is worth keeping; long sums become unknowns of their own."""
        return len(self.terms) <= _MAX_TERMS


def _sum(
    one: Mapping[Unknown, int], other: Mapping[Unknown, int], times: int
) -> dict[Unknown, int]:
    """`one + times * other`."""
    terms = dict(one)
    for unknown, coefficient in other.items():
        total = terms.get(unknown, 0) + times * coefficient
        if total:
            terms[unknown] = total
        else:
            terms.pop(unknown, None)
    return terms


def constant(value: int) -> Linear:
    """A number as a linear expression."""
    return Linear(value)


@quickly_made
@dataclass(slots=True)
class Facts:
    """Bounds of unknowns. `mark` and `release` take back what a scope added."""

    lower: dict[Unknown, list[Bound]] = field(default_factory=dict["Unknown", "list[Bound]"])
    upper: dict[Unknown, list[Bound]] = field(default_factory=dict["Unknown", "list[Bound]"])
    age: dict[Unknown, int] = field(default_factory=dict["Unknown", int])
    trail: list[list[Bound]] = field(default_factory=list["list[Bound]"])

    def unknown(self, unknown: Unknown) -> Linear:
        """An unknown as a linear expression; the first mention fixes its age."""
        self.age.setdefault(unknown, len(self.age))
        return Linear(0, {unknown: 1})

    def mark(self) -> int:
        """A place to come back to with `release`."""
        return len(self.trail)

    def release(self, mark: int) -> None:
        """Forgets every bound learned since `mark`."""
        while len(self.trail) > mark:
            self.trail.pop().pop()

    def assume(self, expr: Linear) -> None:
        """Learns `expr >= 0`, as a bound of its newest unknown."""
        if not expr.terms or not expr.small:
            return
        newest = self.newest(expr)
        coefficient = expr.terms[newest]
        rest = Linear(expr.const, {u: c for u, c in expr.terms.items() if u != newest})
        if not rest.terms:  # a number: rounded to what an integer can be
            size = abs(coefficient)
            rest, coefficient = Linear(rest.const // size), coefficient // size
        if coefficient > 0:
            self.learn(self.lower, newest, (coefficient, rest.times(-1)))
        else:
            self.learn(self.upper, newest, (-coefficient, rest))

    def learn(self, table: dict[Unknown, list[Bound]], unknown: Unknown, bound: Bound) -> None:
        bounds = table.setdefault(unknown, [])
        bounds.append(bound)
        self.trail.append(bounds)

    def newest(self, expr: Linear) -> Unknown:
        return self.newest_of(expr.terms)

    def newest_of(self, terms: Mapping[Unknown, int]) -> Unknown:
        """The newest of some unknowns."""
        age = self.age
        for unknown in terms:
            if unknown not in age:
                age[unknown] = len(age)
        return max(terms, key=age.__getitem__)

    def holds(self, expr: Linear) -> bool:
        """Whether `expr >= 0` is proved."""
        return self.least(expr, 0) >= 0

    def below(self, a: Linear, b: Linear) -> bool:
        """Whether a < b is proved."""
        return self.holds(b.plus(a, -1).shift(-1))

    def assume_below(self, a: Linear, b: Linear) -> None:
        """Learns a < b."""
        self.assume(b.plus(a, -1).shift(-1))

    def assume_at_most(self, a: Linear, b: Linear) -> None:
        """Learns a <= b."""
        self.assume(b.plus(a, -1))

    def assume_inside(self, place: Linear, extent: Linear) -> None:
        """Learns 0 <= place < extent."""
        self.assume(place)
        self.assume_below(place, extent)

    def equal(self, a: Linear, b: Linear) -> bool:
        """Whether a == b is proved."""
        return a == b or (self.holds(a.plus(b, -1)) and self.holds(b.plus(a, -1)))

    def assume_compared(self, op: str, a: Linear, b: Linear) -> None:
        """Learns that a comparison holds."""
        match op:
            case "lt":
                self.assume_below(a, b)
            case "le":
                self.assume_at_most(a, b)
            case "gt":
                self.assume_below(b, a)
            case "ge":
                self.assume_at_most(b, a)
            case "eq":
                self.assume_at_most(a, b)
                self.assume_at_most(b, a)
            case "ne" if self.holds(a.plus(b, -1)):
                self.assume_below(b, a)
            case "ne" if self.holds(b.plus(a, -1)):
                self.assume_below(a, b)
            case _:
                pass

    def decided(self, op: str, a: Linear, b: Linear) -> bool | None:
        """The outcome of a comparison that is proved."""
        if op in ("eq", "ne") and (self.below(a, b) or self.below(b, a)):
            return op == "ne"
        if op in ("gt", "le"):
            a, b = b, a
        if op not in ("lt", "gt", "le", "ge"):
            return None
        if self.below(a, b):
            return op in ("lt", "gt")
        if self.holds(a.plus(b, -1)):
            return op not in ("lt", "gt")
        return None

    def least(self, expr: Linear, goal: int | None = None) -> int:
        """The greatest lower bound that is found; the search ends early at `goal`."""
        return self.search(expr.const, expr.terms, goal, [_MAX_STEPS])

    def greatest(self, expr: Linear) -> int:
        """The least upper bound that is found."""
        return -self.least(expr.times(-1))

    def search(
        self, const: int, terms: Mapping[Unknown, int], goal: int | None, steps: list[int]
    ) -> int:
        """The bound of a linear expression. Bounds of its newest unknown are tried from the newest
        on, then what holds by type."""
        if not terms:
            return const
        if steps[0] <= 0:
            return const + sum(c * _extreme(u, c > 0) for u, c in terms.items())
        steps[0] -= 1
        unknown = self.newest_of(terms)
        rest = dict(terms)
        coefficient = rest.pop(unknown)
        best: int | None = None
        for scale, bound in reversed(
            (self.lower if coefficient > 0 else self.upper).get(unknown, ())
        ):
            if coefficient % scale:
                continue
            times = coefficient // scale
            new = _sum(rest, bound.terms, times)
            found = self.search(const + times * bound.const, new, goal, steps)
            best = found if best is None else max(best, found)
            if goal is not None and best >= goal:
                return best
        last = const + coefficient * _extreme(unknown, coefficient > 0)
        found = self.search(last, rest, goal, steps)
        return found if best is None else max(best, found)


def _extreme(unknown: Unknown, least: bool) -> int:
    if isinstance(unknown, Axis):
        return 0 if least else _MAX_EXTENT
    return I64_MIN if least else I64_MAX
