"""Special methods of frozen dataclasses and NamedTuples were not asked: they were tuples.

`V(a, b)[0]`, `len`, loops, `in` and `==` gave those of the fields without a word.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest

import retrograd as rg


@dataclass(frozen=True)
class V:
    x: float
    y: float

    def __getitem__(self, i: int) -> float:
        return (self.y, self.x)[i]

    def __len__(self) -> int:
        return 7

    def __call__(self, s: float) -> float:
        return s * self.x

    def __neg__(self) -> V:
        return V(-self.y, self.x)

    def __abs__(self) -> float:
        return self.x * 10

    def __iter__(self) -> Any:
        return iter((self.y, self.x, 1.0))

    def __contains__(self, v: float) -> bool:
        return True

    def __float__(self) -> float:
        return self.y * 3

    def __mul__(self, o: Any) -> V:
        o = o if isinstance(o, V) else V(o, 0.0)
        return V(self.x * o.x, self.x * o.y + self.y * o.x)

    __rmul__ = __mul__

    def __pow__(self, n: int) -> V:
        return V(self.x**n, n * self.x ** (n - 1) * self.y)


class N(NamedTuple):
    x: float
    y: float

    def __add__(self, o: Any) -> N:
        return N(self.x + o.x, self.y + o.y)

    def __rmul__(self, k: float) -> N:
        return N(self.x * k + 1, self.y * k)

    def __eq__(self, o: object) -> bool:
        return False

    def __getitem__(self, i: Any) -> Any:
        return 5.0

    def __len__(self) -> int:
        return 3

    def __lt__(self, o: Any) -> bool:
        return self.y < o.y


class Plain(NamedTuple):
    x: float
    y: float


@dataclass(frozen=True, order=True)
class W:
    x: float
    y: float
    tag: float = field(default=0.0, compare=False)


@dataclass(order=True)
class M:
    x: float
    y: float


def of_classes(a: float, b: float) -> tuple[float, ...]:
    dual = V(a, 1.0) * V(a, 1.0) * 3.0 * V(b, 0.0)
    return (
        V(a, b)[0], len(V(a, b)) * a, V(a, b)(b), (-V(a, b)).x, abs(V(a, b)), sum(V(a, b)),
        a if 99.0 in V(a, b) else b, float(V(a, b)), dual.y, (2.0 * V(a, b)).y, (V(a, 1.0) ** 3).y,
        max(V(a, b)), min(V(a, b)), list(V(a, b))[2],
        (N(a, b) + N(b, a)).x, (2.0 * N(a, b)).x, N(a, b)[0] * a, len(N(a, b)) * a,
        sum([N(a, b), N(b, a)], N(0.0, 0.0)).x,
    )  # fmt: skip


def test_they_are_asked() -> None:
    value, dots = rg.jvp(of_classes, (2.0, 3.0), (1.0, 0.5))
    assert value == of_classes(2.0, 3.0)
    h = 1e-6
    ahead, behind = of_classes(2.0 + h, 3.0 + h / 2), of_classes(2.0 - h, 3.0 - h / 2)
    assert list(dots) == pytest.approx(
        [(p - q) / (2 * h) for p, q in zip(ahead, behind, strict=True)], abs=1e-6
    )


def decisions(a: float, b: float) -> tuple[bool, ...]:
    return (
        N(a, b) == N(a, b), N(a, b) < N(b, a), Plain(a, b) == (a, b), Plain(a, b) != Plain(a, b),
        W(a, b) == W(a, b, 1.0), W(a, b) == (a, b), W(a, b) == 3, W(a, b) != 3.0, 3.0 == W(a, b),
        W(a, b) < W(a, a), W(b, a) >= W(a, b), M(a, b) == M(a, b), M(a, b) == 3, M(a, b) != M(a, a),
        M(a, b) < M(b, a), M(a, b) == Plain(a, b),
    )  # fmt: skip


def test_they_are_compared_as_python_compares() -> None:
    for at in ((2.0, 3.0), (3.0, 2.0), (2.0, 2.0)):
        assert tuple(rg.jit(decisions)(*at)) == decisions(*at)


def test_they_are_sorted_by_their_own_comparison() -> None:
    def use(a: float) -> Any:
        return sorted([N(a, 2.0), N(2.0, a), N(a + 1, a)])[1].x

    for a in (1.0, 2.0, 3.0):
        assert rg.jit(use)(a) == use(a)


@pytest.mark.parametrize("use", [
    lambda a: W(a, a)[0], lambda a: len(W(a, a)) * a, lambda a: sum(W(a, a)),
    lambda a: (W(a, a) + W(a, a))[0],
])  # fmt: skip
def test_what_python_refuses_or_asks_a_class_for_is_refused(use: Any) -> None:
    with pytest.raises(rg.UserError):
        rg.jit(use)(2.0)


@dataclass(frozen=True)
class Walked:
    x: float
    y: float

    def __iter__(self) -> Any:
        yield self.y
        yield self.x * self.y

    def steps(self, n: int) -> Any:
        for k in range(n):
            yield self.x * k


def over_generators(a: float, b: float) -> float:
    first, second = Walked(a, b)
    total = 0.0
    for v in Walked(b, a):
        total = 2.0 * total + v
    for v in Walked(a, b).steps(3):
        if v > 2.5:
            break
        total += v * v
    return first + 3.0 * second + total + sum(Walked(a, a))


def test_generators_of_theirs() -> None:
    value, bars = rg.value_and_grad(over_generators, (0, 1))(2.0, 3.0)
    assert value == over_generators(2.0, 3.0)
    h = 1e-6
    for k, bar in enumerate(bars):
        up, down = [2.0, 3.0], [2.0, 3.0]
        up[k], down[k] = up[k] + h, down[k] - h
        assert bar == pytest.approx((over_generators(*up) - over_generators(*down)) / (2 * h))
