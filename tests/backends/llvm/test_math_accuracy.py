"""The error of every elementary function stays below the declared figure, over hard ranges."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from retrograd.backends.llvm.math.kernels import KERNELS
from tests.backends.llvm.math_harness import (
    HAS_EXTENDED,
    Array,
    Compiled,
    compiled,
    extended_errors,
    mpmath_errors,
    numpy_value,
)

EXACT = ("mod", "floordiv")
NAMES = [name for name in KERNELS if name not in EXACT]
REQUIRED = dict.fromkeys("exp log log1p expm1 sin cos tan tanh".split(), 2.0) | {"pow": 3.0}


@pytest.fixture(scope="module")
def library() -> Compiled:
    return compiled(list(KERNELS))


class Draw:
    """Random arguments; `n` of each kind."""

    def __init__(self, rng: np.random.Generator, n: int) -> None:
        self.rng, self.n = rng, n

    def flat(self, low: float, high: float) -> Array:
        return self.rng.uniform(low, high, self.n)

    def scales(self, low: float, high: float) -> Array:
        """Magnitudes from 2^low to 2^high."""
        return np.exp2(self.rng.uniform(low, high, self.n))

    def signed(self, x: Array) -> Array:
        return x * self.rng.choice([-1.0, 1.0], self.n)

    def near_quarter_turns(self) -> Array:
        """The doubles nearest to multiples of pi/2, where little of the argument is left."""
        k = self.rng.integers(-(2**29), 2**29, self.n)
        high = np.float64(np.pi / 2)
        with mpmath.workprec(200):
            low = np.longdouble(float(mpmath.pi / 2 - mpmath.mpf(float(high))))
        return (k * np.longdouble(high) + k * low).astype(np.float64)

    def unary(self, name: str) -> Array:
        """Arguments of a function of one argument."""
        match name:
            case "sin" | "cos" | "tan":
                parts = [
                    self.flat(-10, 10),
                    self.near_quarter_turns(),
                    self.signed(self.scales(-60, 30)),
                    self.signed(self.scales(29.9, 30.1)),
                    self.signed(self.scales(30, 1024)),
                ]
            case "exp":
                parts = [self.flat(-746, 710), self.flat(-2, 2), self.signed(self.scales(-60, 5))]
            case "log" | "log2" | "log10":
                near_one = 1 + self.signed(self.scales(-52, -1))
                parts = [self.scales(-1074, 1024), near_one, self.flat(0.5, 2), self.flat(0, 20)]
            case "log1p":
                parts = [
                    self.scales(-1074, 1024),
                    self.signed(self.scales(-60, -0.01)),
                    self.flat(-1, 2),
                    -1 + self.scales(-52, -1),
                ]
            case "arcsin" | "arccos":
                near_one = self.signed(1 - self.scales(-52, -2))
                parts = [self.flat(-1, 1), self.signed(self.scales(-60, 0)), near_one]
            case "arctan":
                parts = [self.flat(-3, 3), self.signed(self.scales(-1000, 1000)), self.flat(-1, 1)]
            case "quantile":
                near_half = self.signed(0.5 - self.scales(-53, -2))
                parts = [self.flat(-0.5, 0.5), self.signed(self.scales(-60, -1)), near_half]
            case _:
                parts = [
                    self.flat(-711, 711),
                    self.flat(-2, 2),
                    self.flat(-20, 20),
                    self.signed(self.scales(-60, 6)),
                    self.signed(self.scales(-1074, -900)),
                ]
        return np.concatenate(parts)

    def binary(self, name: str) -> tuple[Array, Array]:
        """Arguments of a function of two arguments."""
        if name == "pow":
            near_one = 1 + self.signed(self.scales(-52, -2))
            x = np.concatenate([self.flat(0, 3), self.scales(-1074, 1024), near_one])
            result = np.concatenate(
                [self.flat(-745, 709.7), self.flat(-745, 709.7), self.flat(-9, 9)]
            )
            return x, np.where(x == 1.0, 2.0, result / np.where(x == 1.0, 1.0, np.log(x)))

        def side() -> Array:
            near, far = self.signed(self.scales(-20, 20)), self.signed(self.scales(-1070, 1023))
            return np.concatenate([self.flat(-3, 3), near, far, np.rint(self.flat(-99, 99)) + 0.0])

        return side(), side()

    def arguments(self, name: str) -> tuple[Array, ...]:
        return (self.unary(name),) if KERNELS[name].arity == 1 else self.binary(name)


def test_the_declared_figures_are_what_was_promised() -> None:
    assert {name: KERNELS[name].ulp <= bound for name, bound in REQUIRED.items()} == dict.fromkeys(
        REQUIRED, True
    )
    bounds = {name: kernel.ulp for name, kernel in KERNELS.items()}
    assert bounds.pop("quantile") <= 6.0
    assert max(bounds.values()) <= 4.0


@pytest.mark.skipif(not HAS_EXTENDED, reason="long double is no wider than double here")
@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("erf", "quantile")])
@pytest.mark.parametrize(
    "count", [7_000, pytest.param(1_000_000, marks=pytest.mark.slow)], ids=["quick", "long"]
)
def test_against_extended_precision(
    name: str, count: int, library: Compiled, rng: np.random.Generator
) -> None:
    args = Draw(rng, count).arguments(name)
    errors = extended_errors(name, library.over(name, *args), *args)
    worst = int(np.argmax(errors))
    assert errors[worst] <= KERNELS[name].ulp, [float(a[worst]) for a in args]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "count", [100, pytest.param(10_000, marks=pytest.mark.slow)], ids=["quick", "long"]
)
def test_against_arbitrary_precision(
    name: str, count: int, library: Compiled, rng: np.random.Generator
) -> None:
    args = Draw(rng, 40 * count if name == "erf" and count == 100 else count).arguments(name)
    errors = mpmath_errors(name, library.over(name, *args), *args)
    worst = int(np.argmax(errors))
    assert errors[worst] <= KERNELS[name].ulp, [float(a[worst]) for a in args]


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_the_doubles_closest_to_multiples_of_half_pi(name: str, library: Compiled) -> None:
    args = np.array([6381956970095103.0 * 2.0**797, 5319372648326541.0 * 2.0**-8, 2.0**1023])
    args = np.concatenate([args, -args])
    assert mpmath_errors(name, library.over(name, args), args).max() <= KERNELS[name].ulp


@pytest.mark.parametrize("name", EXACT)
def test_modulo_is_numpys(name: str, library: Compiled, rng: np.random.Generator) -> None:
    x, y = Draw(rng, 20_000).binary(name)
    np.testing.assert_array_equal(library.over(name, x, y), numpy_value(name, x, y))


def test_logarithms_of_powers_of_their_base_are_exact(library: Compiled) -> None:
    exponents = np.arange(-1074.0, 1024.0)
    assert (library.over("log2", np.exp2(exponents)) == exponents).all()
    tens = np.arange(0.0, 23.0)
    assert (library.over("log10", 10.0**tens) == tens).all()
