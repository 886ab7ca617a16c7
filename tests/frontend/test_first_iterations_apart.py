"""Names that are another name of an array before a loop, which makes new arrays for them."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg


def bumped(f, x, h):
    """Differences by changing the argument for a while, as textbooks write it."""
    slopes = np.zeros(len(x))
    f0 = f(x)
    for i in range(len(x)):
        kept = x[i]
        x[i] = kept + h
        slopes[i] = (f(x) - f0) / h
        x[i] = kept
    return slopes, f0


def newton(x, n):
    for _ in range(n):
        slopes, f0 = bumped(lambda y: np.sum(y * y * y - 2.0 * y), x, 1e-3)
        if np.abs(f0) < 1e-9:
            return np.sum(x)
        x = x - 0.1 * slopes
    return np.sum(x * x)


def until_small(x, tol):
    size = np.max(np.abs(x))
    while size > tol:
        x[0] += 0.125
        x = x * 0.5
        x[1] -= 0.25
        size = np.max(np.abs(x))
    return np.sum(x * x)


def with_break(x, n):
    total = 0.0
    for k in range(n):
        x[k] *= 2.0
        if x[0] > 2.0:
            break
        if k == 1:
            continue
        x = x + 0.75 * x[1]
        total += x[2]
    else:
        total += 100.0
    return total + np.sum(x)


def grown(x, n):
    s = x
    for i in range(n):
        s = np.concatenate((s, x * (i + 1.0)))
    s[0] = 5.0
    return np.sum(s * s) + np.sum(x)


def nested(x, n):
    total = 0.0
    for k in range(n):
        for j in range(n):
            x[j] += 0.5 * k
            x = x * 0.9
        x[0] = x[1] * x[1]
        total += np.sum(x)
    return total


def raising(x, n):
    for k in range(n):
        x[0] += 1.0
        if x[0] > 4.0:
            raise ValueError(f"too large in {k}")
        x = x * 1.5
    return np.sum(x)


def same_after_all(x, n):
    y = x
    for k in range(n):
        y[k] = 3.0 * x[k]
        if k == 1:
            y = y + 1.0
    return np.sum(x * x) + np.sum(y)


CASES = [
    (newton, n) for n in (0, 1, 4)
] + [
    (until_small, tol) for tol in (9.0, 0.8, 0.55)
] + [
    (with_break, n) for n in (0, 1, 2, 3)
] + [
    (grown, n) for n in (1, 3)
] + [
    (nested, n) for n in (1, 2)
] + [(raising, n) for n in (0, 2)]  # fmt: skip


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("f", "n"), CASES)
def test_values_gradients_and_what_is_written(f, n) -> None:
    x = np.array([0.7, 1.1, 0.4])
    ours, python = x.copy(), x.copy()
    assert rg.jit(f)(ours, n) == pytest.approx(f(python, n), rel=1e-13)
    np.testing.assert_allclose(ours, python, rtol=1e-15)
    x_bar = rg.grad(f)(x.copy(), n)
    steps = 1e-6 * np.eye(3)
    want = [(f(x + h, n) - f(x - h, n)) / 2e-6 for h in steps]
    np.testing.assert_allclose(x_bar, want, rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(rg.grad(f, memory="64kB")(x.copy(), n), x_bar)


def test_both_modes_and_second_derivatives() -> None:
    x = np.array([0.7, 1.1, 0.4])
    rg.check_grads(lambda y: with_break(y.copy(), 3), (x,))
    hessian = rg.hessian(nested)(x, 2)
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-12)


def test_an_exception_in_the_first_iteration_and_in_a_later_one() -> None:
    for first, k in ((3.5, 0), (0.7, 2)):
        x = np.array([first, 1.1, 0.4])
        kept = x.copy()
        with pytest.raises(ValueError, match=f"too large in {k}"):
            rg.grad(raising)(x, 9)
        np.testing.assert_array_equal(x, kept)


def test_a_loop_without_iterations_that_matters_is_refused_when_it_has_none() -> None:
    x = np.array([0.7, 1.1, 0.4])
    assert rg.grad(grown)(x, 1)[0] == pytest.approx(1.0 + 2.0 * x[0])
    with pytest.raises(rg.UserError, match=r"(?s)RG0106.*no iterations.*copy"):
        rg.grad(grown)(x, 0)


def test_a_name_that_stays_the_same_in_some_iterations_is_refused() -> None:
    with pytest.raises(rg.UserError, match="RG0106"):
        rg.grad(same_after_all)(np.array([0.7, 1.1, 0.4]), 3)


def left_in_a_try(x, n):
    total = 0.0
    for k in range(n):
        if k == 2:
            raise ValueError("two")
        try:
            x[0] += 1.0
            x = x * 1.5
            if x[1] < 100.0:
                continue
            total += 3.0
        except ValueError:
            total += 1000.0
    return total + np.sum(x)


def with_a_try(x, n):
    total = 0.0
    for k in range(n):
        try:
            x[0] += 1.0
            if x[0] > 6.0:
                return total
            x = x * 1.5
        except ValueError:
            total += 5.0
        if k == 0:
            continue
        total += x[2]
    return total + x[0]


def test_a_continue_in_a_try_would_put_the_other_iterations_into_it() -> None:
    with pytest.raises(rg.UserError, match="RG0106"):
        rg.grad(left_in_a_try)(np.array([0.7, 1.1, 0.4]), 2)


@pytest.mark.parametrize("n", range(5))
def test_a_try_in_the_body(n) -> None:
    ours = np.array([0.7, 1.1, 0.4])
    python = ours.copy()
    assert rg.jit(with_a_try)(ours, n) == pytest.approx(with_a_try(python, n), rel=1e-13)
    np.testing.assert_allclose(ours, python, rtol=1e-15)
