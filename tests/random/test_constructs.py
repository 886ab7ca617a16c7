"""Random nested programs of parallel constructs: map, reduce, scan, histograms, scatter, gather.

Values are plain Python's; they and the gradients have the bits of the interpreter; reverse mode is
the transpose of forward mode, differences and second derivatives agree, and every way to pay gives
the bits of the whole tape. Some programs raise.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.random.calculus import Calculus, Interpreted, Native
from tests.random.derivatives import difference, direction, far, flat
from tests.random.harness import agree, leaves, outcome
from tests.random.programs.module import copied, load
from tests.random.ways import in_every_way

OPERATORS = (
    ("lambda a, b: a + b", "0.0"), ("lambda a, b: a + b - 0.25 * a * b", "0.0"),
    ("lambda a, b: a * b", "1.0"), ("max", "-9.0"), ("np.minimum", "9.0"),
    ("operator.add", "0.0"), ("lambda a, b: math.sqrt(a * a + b * b)", "0.0"),
)  # fmt: skip
PAIRS = (
    ("lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1])", "(1.0, 0.0)"),
    ("lambda p, q: (p[0] + q[0], p[1] + q[1] + 0.5 * p[0] * q[1])", "(0.0, 0.0)"),
)
DEEP = 3


class Source:
    """Writes a program; `names` are the numbers in scope."""

    def __init__(self, seed: int, deep: int = DEEP) -> None:
        self.draw = Random(seed)
        self.deep = deep
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"a{self.count}"

    def number(self, names: list[str], depth: int) -> str:
        """An expression of a number between about -2 and 2."""
        draw, a, b = self.draw, *self.draw.choices([*names, "c", "y[0]"], k=2)
        simple = (
            a, f"{a} * {b}", f"({a} - {b}) / (1.0 + {a} * {a})",
            f"math.sqrt(1.0 + {a} * {a}) - 1.0",
            f"({a} if {a} > {b} else 0.5 * {b})", f"0.5 * x[len(x) - 1] * {a}",
        )  # fmt: skip
        if depth == 0 or draw.random() < 0.4:
            return draw.choice(simple)
        op, neutral = draw.choice(OPERATORS)
        vector = self.vector(names, depth - 1)
        found = f"rg.reduce({op}, {neutral}, {vector})"
        if draw.random() < 0.3:
            pair, first = draw.choice(PAIRS)
            found = f"sum(rg.reduce({pair}, {first}, {vector}, {self.vector(names, depth - 1)}))"
        elif draw.random() < 0.2:
            found = draw.choice(("nearest", "stepped")) + f"({vector}, {a})"
        elif draw.random() < 0.2:
            found = f"rg.fold(lambda s, v: 0.5 * s + v * {a}, {b}, {vector})"
        return f"tame({found})"

    def vector(self, names: list[str], depth: int) -> str:
        """An expression of a vector as long as x."""
        draw = self.draw
        if depth == 0:
            return draw.choice(("x", "y", "x", "z"))
        one, other = (self.vector(names, draw.randrange(depth)) for _ in range(2))
        a, b = self.name(), self.name()
        op, neutral = draw.choice(OPERATORS)
        inside = self.number([*names, a, b], depth - 1)
        return draw.choice(
            (
                f"rg.map(lambda {a}: {self.number([*names, a], depth - 1)}, {one})",
                f"rg.map(lambda {a}, {b}: {inside}, {one}, {other})",
                f"rg.build(len(x), lambda i: {self.number([*names, 'x[i]'], depth - 1)})",
                f"calm(rg.scan({op}, {neutral}, {one}))",
                f"calm(rg.scan({op}, {neutral}, {one}, exclusive=True))",
                f"calm(rg.hist({one}, {op}, {neutral}, ix, {other}))",
                f"rg.scatter({one}, ix, {other})",
                f"rg.gather({one}, {draw.choice(('ix % len(x)', 'rg.iota(len(x)) - 1', 'ix'))})",
                f"rg.map(lambda {a}: {inside.replace(b, a)}, rg.replicate(len(x), c))",
                f"rg.map(lambda row: np.sum(row * y), rg.map(lambda {a}: {a} * x, {one}))",
            )
        )

    def text(self) -> str:
        lines = [
            f"    z = {self.vector(['c'], self.draw.randint(1, self.deep))}"
            for _ in range(self.draw.randint(1, max(self.deep - 1, 1)))
        ]
        body = "\n".join(lines)
        # In a small program most machine code would be of broadcasting and of sums in pairs.
        product, total = (
            ("x * y", "np.sum(z * y)") if self.deep > 1
            else ("rg.map(operator.mul, x, y)", "total(z, y)")
        )  # fmt: skip
        return f"""
import math
import operator
import numpy as np
import retrograd as rg

def tame(v):
    return v / math.sqrt(1.0 + v * v)

def calm(v):
    return v / np.sqrt(1.0 + v * v)

def total(v, w):
    s = 0.0
    for k in range(len(v)):
        s += v[k] * w[k]
    return s

def nearest(v, a):
    best = 9.0
    for k in range(len(v)):
        q = (v[k] - a) * (v[k] - a)
        if q < best:
            best = q
    return best

def stepped(v, a):
    for k in rg.stripmine(range(len(v))):
        a = 0.5 * a + v[k] * math.sqrt(1.0 + a * a)
    return a

def f(x, y, c, ix):
    z = {product}
{body}
    return {total} + {self.number(["c", "x[0]"], min(2, self.deep))}

def both(x, y, c, ix, x_dot, y_dot, c_dot):
    value, bars = rg.value_and_grad(f, (0, 1, 2))(x, y, c, ix)
    return value, bars, rg.jvp(lambda x, y, c: f(x, y, c, ix), (x, y, c), (x_dot, y_dot, c_dot))

def twice(x, y, c, ix, x_dot, y_dot, c_dot):
    sides = rg.value_and_grad(lambda x, y, c: f(x, y, c, ix), (0, 1, 2))
    return rg.jvp(sides, (x, y, c), (x_dot, y_dot, c_dot))
"""


def arguments(n: int, seed: int) -> tuple[Any, ...]:
    data = np.random.default_rng(seed)
    ix = data.integers(-1, n + 1, n) if seed % 3 else data.integers(0, n, n)
    return data.normal(size=n), data.normal(size=n), 0.7, ix


def slopes(calculus: Calculus, f: Any, args: tuple[Any, ...]) -> bytes:
    """The gradient, after a look at both modes agreeing along a direction."""
    data = np.random.default_rng(1)
    dots = tuple(data.normal(size=np.shape(a)) if np.ndim(a) else 0.3 for a in args[:3])
    _, dot = calculus.jvp(f, args, (*dots, np.zeros(len(args[0]), np.int64)))
    _, pullback = calculus.vjp(f, args)
    bars = pullback(1.0)[:3]
    terms = [np.sum(a * b) for a, b in zip(bars, dots, strict=True)]
    size = sum(float(np.sum(np.abs(a * b))) for a, b in zip(bars, dots, strict=True))
    assert abs(float(sum(terms)) - float(dot)) <= 1e-9 * (size + 1e-30)
    return np.concatenate([np.ravel(b) for b in bars]).tobytes()


def check(seed: int, directory: Path, every_way: bool) -> None:
    text = Source(seed).text()
    f = load(text, directory).f
    native, interpreted = Native(), Interpreted()
    for n in (1, 7):
        args = arguments(n, seed)
        want = outcome(f, copied(args))
        ours = outcome(rg.jit(f), copied(args))
        assert agree(want, ours, 1e-9) is None, (n, text)
        if want.error is not None:
            continue
        assert ours.value == interpreted.call(f, copied(args)), (n, text)
        found = {slopes(c, f, copied(args)) for c in (native, interpreted)}
        assert len(found) == 1, (n, text)
        if every_way and n > 1:
            report = in_every_way(f, (0, 1, 2), lambda args=args: copied(args))
            assert report is None, (report, text)


@pytest.mark.thinned(5)
@pytest.mark.parametrize(
    "seed", [*range(14), *(pytest.param(k, marks=pytest.mark.slow) for k in range(14, 60))]
)
def test_programs(seed: int, tmp_path: Path) -> None:
    check(seed, tmp_path, every_way=seed % 6 == 0)


def check_small(seed: int, directory: Path, deep: int) -> None:
    """Of a smaller program: plain Python's values, the interpreter's bits, the four identities.

    One native program has the value, the gradient and a tangent. The interpreter has them too, of
    the value and the gradient with tangents of both. Passes are checked in a twelfth of programs.
    """
    text = Source(seed, deep).text()
    module = load(text, directory)
    args = arguments(5, seed)
    want = outcome(module.f, copied(args))
    if want.error is not None:
        assert agree(want, outcome(rg.jit(module.f), copied(args)), 1e-9) is None, text
        return
    first, second = direction(args, 1), direction(args, 2)
    both, before = rg.jit(module.both), flat(args, args).tobytes()
    value, bars, (same, dot) = found = both(*args, *first[:3])
    assert flat(args, args).tobytes() == before, text
    np.testing.assert_allclose(value, want.value, rtol=1e-9, err_msg=text)
    assert same == value, text
    reals = args[:3]
    terms = flat(bars, reals) * flat(first[:3], reals)
    if np.isfinite(dot) or np.all(np.isfinite(terms)):  # neither at the tip of a cone
        assert abs(np.sum(terms) - dot) <= 1e-9 * (np.sum(np.abs(terms)) + 1e-30), text
    quotient, error = difference(module.f, args, first, want.value)
    trusted = error < 1e-2 and np.isfinite(dot)
    assert not (trusted and far(dot, quotient, error)), (dot, quotient, error, text)
    interpreter = Interpreted(check=seed % 12 == 0)
    again, (slope, pushed) = interpreter.call(module.twice, (*copied(args), *first[:3]))
    if bits((*again, (again[0], slope))) != bits(found):
        # With tangents another sum may have been contracted.
        assert bits(interpreter.call(module.both, (*copied(args), *first[:3]))) == bits(found), text
        np.testing.assert_allclose(flat(again[1], reals), flat(bars, reals), 1e-9, 1e-12)
    _, (_, crosswise) = interpreter.call(module.twice, (*copied(args), *second[:3]))
    left, right = flat(pushed, reals), flat(crosswise, reals)
    terms = np.stack((left * flat(second[:3], reals), -right * flat(first[:3], reals)))
    if np.all(np.isfinite(terms)):
        assert abs(np.sum(terms)) <= 1e-8 * (np.sum(np.abs(terms)) + 1e-30), text
    quotient, error = difference(lambda *at: both(*at, *first[:3])[1], args, first, bars)
    known = np.isfinite(left)
    size = 1e-2 * max(1e-3, float(np.max(np.abs(left[known]), initial=0.0)))
    trusted = known & (error < size)
    assert not far(left[trusted], quotient[trusted], error[trusted]), (left, quotient, error, text)


def bits(tree: Any) -> list[bytes]:
    """The bits of all leaves; a NaN is one whatever its sign, which IEEE 754 leaves open."""
    found = [np.asarray(leaf) for leaf in leaves(tree)]
    return [np.where(np.isnan(leaf), np.nan, leaf).tobytes() for leaf in found]


@pytest.mark.thinned(5)
@pytest.mark.parametrize(
    "shard", [*range(3), *(pytest.param(k, marks=pytest.mark.slow) for k in range(3, 44))]
)
def test_many_small_programs(shard: int, tmp_path: Path) -> None:
    for seed in range(5000 + 10 * shard, 5010 + 10 * shard):
        (tmp_path / str(seed)).mkdir()
        check_small(seed, tmp_path / str(seed), 2)


@pytest.mark.parametrize(
    "shard", [*range(41), *(pytest.param(k, marks=pytest.mark.slow) for k in range(41, 60))]
)
def test_many_tiny_programs(shard: int, tmp_path: Path) -> None:
    for seed in range(20000 + 12 * shard, 20012 + 12 * shard):
        (tmp_path / str(seed)).mkdir()
        check_small(seed, tmp_path / str(seed), 1)
        if seed % 24 == 0:
            f, args = load(Source(seed, 1).text(), tmp_path / str(seed)).f, arguments(9, seed)
            if outcome(f, copied(args)).error is None:
                report = in_every_way(f, (0, 1, 2), lambda args=args: copied(args))
                assert report is None, (report, f.__code__)


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(22))
def test_many_programs(shard: int, tmp_path: Path) -> None:
    for seed in range(1000 + 20 * shard, 1020 + 20 * shard):
        (tmp_path / str(seed)).mkdir()
        check(seed, tmp_path / str(seed), every_way=seed % 4 == 0)
