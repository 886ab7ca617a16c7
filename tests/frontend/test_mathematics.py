"""All of `math`, and the ufuncs of NumPy, against the originals: values, types, derivatives."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

pytestmark = pytest.mark.thinned(2)

FLOATS = (0.3, 1.0, -1.5, 2.5, 0.0, -0.0, 1e300, -3.0)
SMOOTH: list[tuple[str, Callable[..., Any], tuple[float, ...]]] = [
    ("acosh", lambda x: math.acosh(x), (1.3,)),
    ("asinh", lambda x: math.asinh(x), (-0.4,)),
    ("atanh", lambda x: math.atanh(x), (0.4,)),
    ("cbrt", lambda x: math.cbrt(x), (-2.0,)),
    ("exp2", lambda x: math.exp2(x), (1.7,)),
    ("erfc", lambda x: math.erfc(x), (0.3,)),
    ("gamma", lambda x: math.gamma(x), (3.4,)),
    ("gamma of a negative", lambda x: math.gamma(x), (-1.4,)),
    ("lgamma", lambda x: math.lgamma(x), (0.6,)),
    ("fmod", lambda x, y: math.fmod(x, y), (-7.3, 2.1)),
    ("remainder", lambda x, y: math.remainder(x, y), (7.9, 2.1)),
    ("ldexp", lambda x: math.ldexp(x, -3), (0.7,)),
    ("frexp", lambda x: math.frexp(x)[0] * 3.0, (5.3,)),
    ("modf", lambda x: math.modf(x)[0] * 3.0, (-5.3,)),
    ("fsum", lambda x, y: math.fsum((x, 1e17, y, -1e17)), (0.5, 0.25)),
    ("dist", lambda x, y: math.dist((x, y), (1.0, 2.0)), (0.5, 0.25)),
    ("prod", lambda x, y: math.prod((x, y, 2.0)), (0.5, 0.25)),
    ("logaddexp", lambda x, y: np.logaddexp(x, y), (0.5, 0.25)),
    ("logaddexp2", lambda x, y: np.logaddexp2(x, y), (0.5, 0.25)),
    ("fmax", lambda x, y: np.fmax(x, y), (0.5, 0.25)),
    ("heaviside", lambda x, y: np.heaviside(0.0, y) * x, (0.5, 0.25)),
]


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("name", "f", "at"), SMOOTH, ids=[s[0] for s in SMOOTH])
def test_derivatives(name: str, f: Callable[..., Any], at: tuple[float, ...]) -> None:
    assert rg.jit(f)(*at) == pytest.approx(f(*at), rel=1e-14)
    for k in range(len(at)):

        def along(h: float, k: int = k) -> tuple[float, ...]:
            return tuple(x + h * (j == k) for j, x in enumerate(at))

        difference = (f(*along(1e-6)) - f(*along(-1e-6))) / 2e-6
        if name == "fsum":
            difference = 1.0
        assert rg.grad(f, argnums=k)(*at) == pytest.approx(difference, rel=1e-7, abs=1e-9)
        if name != "fsum":
            assert rg.check_grads(f, at).ok


def test_second_and_third_derivatives_of_lgamma() -> None:
    first = rg.grad(lambda x: math.lgamma(x))
    assert first(1.0) == pytest.approx(-np.euler_gamma, rel=1e-14)
    assert rg.grad(first)(1.0) == pytest.approx(math.pi**2 / 6, rel=1e-14)
    assert rg.grad(rg.grad(first))(0.5) == pytest.approx(-14 * 1.2020569031595942, rel=1e-13)
    assert math.isnan(first(-2.0))


PAIRS: list[tuple[str, Callable[..., Any]]] = [
    ("fmod", lambda x, y: math.fmod(x, y)),
    ("remainder", lambda x, y: math.remainder(x, y)),
    ("isclose", lambda x, y: math.isclose(x, y)),
    ("isclose with tolerances", lambda x, y: math.isclose(x, y, rel_tol=0.5, abs_tol=0.5)),
    ("nextafter", lambda x, y: math.nextafter(x, y)),
    ("fsum", lambda x, y: math.fsum((x, y, 1e-3, -x, 1e16, 1.0, -1e16))),
    ("modf", lambda x, y: math.modf(x)),
    ("frexp", lambda x, y: math.frexp(x)),
    ("ulp", lambda x, y: math.ulp(x)),
]


@pytest.mark.parametrize(("name", "f"), PAIRS, ids=[p[0] for p in PAIRS])
def test_values_of_floats(name: str, f: Callable[..., Any]) -> None:
    compiled = rg.jit(f)
    for x in (*FLOATS, math.inf, 5e-324, 1.7976931348623157e308):
        for y in (*(v for v in FLOATS if v != 0.0), math.inf):
            try:
                expected = f(x, y)
            except (ValueError, OverflowError):
                continue  # where Python raises, NumPy's rules give a number
            assert repr(compiled(x, y)) == repr(expected), (x, y)


WHOLE: list[tuple[str, Callable[..., Any]]] = [
    ("factorial", lambda n, k: math.factorial(n)),
    ("gcd", lambda n, k: math.gcd(n, k)),
    ("gcd of three", lambda n, k: math.gcd(n, k, 12)),
    ("lcm", lambda n, k: math.lcm(n, k, 4)),
    ("comb", lambda n, k: math.comb(n, k)),
    ("perm", lambda n, k: math.perm(n, k)),
    ("perm of all", lambda n, k: math.perm(n)),
    ("isqrt", lambda n, k: math.isqrt(n)),
]


@pytest.mark.parametrize(("name", "f"), WHOLE, ids=[p[0] for p in WHOLE])
def test_values_of_ints(name: str, f: Callable[..., Any]) -> None:
    compiled = rg.jit(f)
    for n in (0, 1, 2, 7, 18, 20, -3):
        for k in (0, 1, 3, 7, 12, -4):
            try:
                expected = f(n, k)
            except ValueError:
                with pytest.raises(ValueError, match="n|k"):
                    compiled(n, k)
            else:
                found = compiled(n, k)
                assert (found, type(found)) == (expected, int), (n, k)


def test_large_ints() -> None:
    with pytest.raises(OverflowError):
        rg.jit(lambda n: math.factorial(n))(21)
    assert rg.jit(lambda n, k: math.comb(n, k))(66, 33) == math.comb(66, 33)
    for n in (2**62, 2**63 - 1, 3037000499**2 - 1, 3037000499**2, 10**18):
        assert rg.jit(lambda n: math.isqrt(n))(n) == math.isqrt(n)


def test_fsum_is_exact() -> None:
    terms = np.random.default_rng(0).normal(size=300) * 10.0 ** np.arange(-150, 150)
    assert rg.jit(lambda x: math.fsum(x))(terms) == math.fsum(terms)
    assert rg.jit(lambda x: math.fsum(x))(np.full(10, 0.1)) == 1.0
    tie = np.array([1e16, 1.0, 1e-16])
    assert rg.jit(lambda x: math.fsum(x))(tie) == math.fsum(tie)


UFUNCS: list[tuple[str, Callable[..., Any]]] = [
    ("fmod", lambda x, y: np.fmod(x, y)),
    ("fmax", lambda x, y: np.fmax(x, y)),
    ("fmin", lambda x, y: np.fmin(x, y)),
    ("heaviside", lambda x, y: np.heaviside(x, y)),
    ("signbit", lambda x, y: np.signbit(x)),
    ("spacing", lambda x, y: np.spacing(x)),
    ("nextafter", lambda x, y: np.nextafter(x, y)),
    ("ldexp", lambda x, y: np.ldexp(x, 3)),
    ("frexp", lambda x, y: np.frexp(x)),
    ("modf", lambda x, y: np.modf(x)),
    ("divmod", lambda x, y: np.divmod(x, y)),
    ("positive", lambda x, y: np.positive(x)),
    ("conjugate", lambda x, y: np.conjugate(x)),
    ("degrees", lambda x, y: np.degrees(x) + np.rad2deg(x)),
    ("radians", lambda x, y: np.radians(x) + np.deg2rad(x)),
    ("logaddexp", lambda x, y: np.logaddexp(x, y)),
    ("logaddexp2", lambda x, y: np.logaddexp2(x, y)),
    ("arcsinh", lambda x, y: np.arcsinh(x)),
    ("cbrt", lambda x, y: np.cbrt(x)),
    ("exp2", lambda x, y: np.exp2(x)),
]


@pytest.mark.parametrize(("name", "f"), UFUNCS, ids=[p[0] for p in UFUNCS])
def test_ufuncs_on_arrays(name: str, f: Callable[..., Any]) -> None:
    special = [np.inf, -np.inf, np.nan]
    x = np.array([*FLOATS, *special])
    y = np.array([2.0, -1.5, 0.7, np.nan, np.inf, 3.0, 2.0, -2.0, np.inf, -np.inf, 1.0])
    with np.errstate(all="ignore"):
        expected = f(x, y)
    found = rg.jit(f)(x, y)
    parts = (found, expected) if isinstance(expected, tuple) else ((found,), (expected,))
    for mine, theirs in zip(*parts, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-14)


def test_inverted_ints_and_bools() -> None:
    f = rg.jit(lambda k: np.invert(k))
    assert f(np.array([1, -4])).tolist() == [-2, 3]
    assert f(np.array([True, False])).tolist() == [False, True]


def test_an_array_is_refused_by_math() -> None:
    with pytest.raises(rg.UserError, match="np.ldexp"):
        rg.jit(lambda x: math.ldexp(x, 2))(np.ones(2))
