"""The acceptance cases of a reversible language, as ordinary Python, uncompiled and compiled."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.inversion.programs import final, near, wrong

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false


@rg.reversible
def norm(res, y, x):
    for k in range(len(x)):
        y += x[k] ** 2
    res += math.sqrt(y)
    return res, y


def test_norm() -> None:
    x = np.array([1.0, 2.0, 3.0])
    assert wrong(norm, (0.0, 0.0, x), (3.7416573867739413, 14.0, x)) == []
    _, bars = rg.adjoint(norm)(math.sqrt(14), 14.0, x, 1.0, 0.0, np.zeros(3))
    assert near(bars, (1.0, 0.1336306209562122, [0.2672612419, 0.5345224838, 0.8017837257]), 1e-9)


@rg.reversible
def add_product(out, a, b):
    out += a * b
    return out


def test_gradient_of_an_update() -> None:
    assert rg.grad(add_product, argnums=(0, 1, 2))(0.0, 2.0, 3.0) == (1.0, 3.0, 2.0)
    values, bars = rg.adjoint(rg.inverse(add_product))(-0.24, 0.4, 0.6, 1.0, 0.0, 0.0)
    assert near(values, (0.0, 0.4, 0.6))
    assert near(bars, (1.0, -0.6, -0.4))


@rg.reversible
def above(a, b, out, limit):
    a += b
    if a > limit:
        out += a * b
    return a, out


@pytest.mark.parametrize(
    ("args", "ends"),
    [
        ((3, 4, 0, 8), (7, 4, 0, 8)),
        ((3, 4, 0, 2), (7, 4, 28, 2)),
        ((1.0, 8.0, 0.0, 8.0), (9.0, 8.0, 72.0, 8.0)),
    ],
)
def test_branches(args: tuple[Any, ...], ends: tuple[Any, ...]) -> None:
    assert wrong(above, args, ends) == []


@rg.reversible
def below(a, b, out):
    a += b
    if rg.when(out < 4, out < 4):
        out += a * b
    return a, out


def test_a_branch_of_which_the_condition_changes() -> None:
    for run in (below, rg.jit(below)):
        with pytest.raises(rg.InvertibilityError, match="out < 4 does not hold after the branch"):
            run(3, 4, 0)


def test_a_branch_that_changes_what_it_reads() -> None:
    with pytest.raises(rg.UserError, match="RG0504"):

        @rg.reversible
        def _(a, b):  # pyright: ignore[reportUnusedFunction]
            a += b
            if a > 8:
                a -= b**2
            return a


@rg.reversible
def repeat(x, y, k):
    for _ in range(0, k, 1):
        x += y
    return x


def test_loops() -> None:
    assert wrong(repeat, (0, 1, 3), (3, 1, 3)) == []


def test_a_loop_that_changes_its_range() -> None:
    with pytest.raises(rg.UserError, match="RG0504"):

        @rg.reversible
        def _(x, y, k):  # pyright: ignore[reportUnusedFunction]
            for _ in range(k):
                k += 18
                x += y
            return x, k


@rg.reversible
def climb(x, y):
    while rg.since(not x > 0, x < 100):
        x += y
    return x


@rg.reversible
def climb_from_below(x, y):
    while rg.since(not x > -10, x < 100):
        x += y
    return x


def test_while() -> None:
    assert wrong(climb, (0, 9), (108, 9)) == []
    for run in (climb_from_below, rg.jit(climb_from_below)):
        with pytest.raises(rg.InvertibilityError, match="does not hold before the loop"):
            run(0, 9)


@rg.reversible
def ancilla(x, y):
    z = 0
    x += y
    z += 1
    z -= 1
    rg.release(z, 0)
    return x


@rg.reversible
def ancilla_that_stays(x, y):
    z = 0
    x += y
    z += 1
    z -= 10
    rg.release(z, 0)
    return x


def test_ancillas() -> None:
    assert wrong(ancilla, (0, 9), (9, 9)) == []
    for run in (ancilla_that_stays, rg.jit(ancilla_that_stays)):
        with pytest.raises(rg.InvertibilityError, match="'z' is -9 in the end, and not 0"):
            run(0, 9)


def test_a_local_that_is_carried() -> None:
    with pytest.raises(rg.UserError, match="RG0505"):

        @rg.reversible
        def _(x, y, n):  # pyright: ignore[reportUnusedFunction]
            a = 0.0
            for _ in range(n):
                x += y * a
                a = y * y
            return x


@rg.reversible
def add_arrays(x, y):
    x += y


def test_arrays() -> None:
    x, y = np.array([3, 1]), np.array([4, 2])
    assert wrong(add_arrays, (x, y), (np.array([7, 3]), y)) == []
    for run in (add_arrays, rg.jit(add_arrays)):
        with pytest.raises(ValueError, match="broadcast"):
            run(np.zeros(2), np.zeros(3))


@rg.reversible
def five(out, x):
    out += x
    out += x
    for _ in range(3):
        out += x
    return out


def test_an_inverse_by_itself() -> None:
    assert rg.inverse(five)(0, 1) == -5


@rg.reversible
def outside(out, n):
    anc = 0
    with rg.irreversible():
        seen = 0
        while seen < 3:
            seen += 1
    while rg.since(anc == 0, anc < n):
        anc += 1
    out += anc
    while rg.since(anc == n, anc > 0):
        anc -= 1
    rg.release(anc, 0)
    return out


def test_what_is_outside() -> None:
    assert wrong(outside, (0, 3), (3, 3)) == []


@rg.reversible
def chain(out, x):
    if x == 1:
        out += 1
    elif x < 0:
        out += 2
    else:
        out += 3
    return out


@pytest.mark.parametrize(("x", "end"), [(1, 1), (-2, 2), (0, 3)])
def test_chains_of_branches(x: int, end: int) -> None:
    assert wrong(chain, (0, x), (end, x)) == []


@rg.reversible
def swapped(x, y, z):
    x, y = y, x
    x, y, z = z, x, y
    return x, y, z


def test_swaps() -> None:
    assert wrong(swapped, (2.0, 3.0, 4.0), (4.0, 3.0, 2.0)) == []


@rg.reversible
def count_down():
    x = 5
    z = 0
    while rg.since(z == 0, x > 0):
        x -= 1
        z += 1
    rg.release(z, 5)
    rg.release(x, 0)


def test_a_function_without_arguments() -> None:
    for run in (count_down, rg.inverse(count_down), rg.jit(count_down)):
        assert run() is None


@rg.reversible
def fibonacci(out, n):
    if n >= 1:
        if n <= 2:
            out += 1
        else:
            out = fibonacci(out, n - 1)
            out = fibonacci(out, n - 2)
    return out


@rg.reversible
def smallest(n, z):
    out = 0
    while rg.since(n == 0, out < z):
        with rg.temporarily():
            pass
        out = rg.inverse(fibonacci)(out, n)
        n += 1
        out = fibonacci(out, n)
    out = rg.inverse(fibonacci)(out, n)
    rg.release(out, 0)
    return n


def test_fibonacci() -> None:
    assert wrong(fibonacci, (0, 10), (55, 10)) == []
    assert wrong(smallest, (0, 100), (12, 100)) == []


@rg.reversible
def log_density(out, x, mean, sigma):
    z = (x - mean) / sigma
    out -= 0.5 * z * z + math.log(sigma) + 0.5 * math.log(2 * math.pi)
    return out


def test_log_density() -> None:
    assert wrong(log_density, (0.0, 1.0, 0.3, 1.5), (-1.4332925302017259, 1.0, 0.3, 1.5)) == []
    plain = rg.grad(lambda x, m, s: -0.5 * ((x - m) / s) ** 2 - math.log(s), argnums=(0, 1, 2))
    found = rg.grad(log_density, argnums=(1, 2, 3))(0.0, 1.0, 0.3, 1.5)
    assert near(found, plain(1.0, 0.3, 1.5), 1e-12)


@rg.reversible
def quotient(x, y, z):
    x += y / z
    return x


@rg.reversible
def power(x, y, z):
    x += y**z
    return x


@rg.reversible
def turned(x, y, z):
    x, y = rg.rotate(x, y, z)
    return x, y


def jacobian(function: Any, args: tuple[float, ...]) -> list[list[float]]:
    """Rows of all final arguments, by adjoints of unit cotangents."""
    ends = final(function, args)
    rows = np.eye(len(args))
    return [list(rg.adjoint(function)(*ends, *map(float, row))[1]) for row in rows]


@pytest.mark.parametrize(
    ("function", "first"),
    [
        (add_product, [1.0, 2.0, 0.4]),
        (quotient, [1.0, 0.5, -0.1]),
        (power, [1.0, 0.8, -0.1466065170998648]),
    ],
)
def test_jacobians(function: Any, first: list[float]) -> None:
    expected = np.eye(3)
    expected[0] = first
    assert near(jacobian(function, (0.3, 0.4, 2.0)), expected, 1e-12)


def test_jacobian_of_a_rotation() -> None:
    expected = [
        [-0.4161468365471424, -0.9092974268256817, -0.10633049342884755],
        [0.9092974268256817, -0.4161468365471424, -0.4885630216944154],
        [0.0, 0.0, 1.0],
    ]
    assert near(jacobian(turned, (0.3, 0.4, 2.0)), expected, 1e-12)


@rg.reversible
def begun_with_a_variable(out, x):
    y = x
    y += x * x
    out += y
    y -= x * x
    rg.release(y, x)
    return out


def test_an_ancilla_that_begins_with_a_variable() -> None:
    assert wrong(begun_with_a_variable, (0.0, 3.0), (12.0, 3.0)) == []
    assert rg.grad(begun_with_a_variable, argnums=(0, 1))(0.0, 3.0) == (1.0, 7.0)


@rg.reversible
def bits(flag, a, b):
    for k in range(len(a)):
        a[k] ^= b[k]
        a[k], b[k] = b[k], a[k]
    flag = not flag
    return flag


def test_booleans() -> None:
    a, b = np.array([True, False]), np.array([True, True])
    assert wrong(bits, (False, a, b), (True, b, np.array([False, True]))) == []


@rg.reversible
def mean(out, x):
    s = 0.0
    for value in x:
        s += value
    out += s / len(x)
    return out


def test_mean() -> None:
    x = np.array([1.0, 2.0, 4.0])
    assert wrong(mean, (0.0, x), (7 / 3, x)) == []
    assert near(rg.grad(mean, argnums=1)(0.0, x), np.full(3, 1 / 3), 1e-12)


def test_inverses_are_values() -> None:
    assert rg.inverse(rg.inverse(five)) is five
    assert five.inverse is rg.inverse(five)
