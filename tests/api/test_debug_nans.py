"""`debug_nans`: the line of the first NaN or infinity that the program makes."""

import numpy as np
import pytest

import retrograd as rg


def logarithm(x):
    s = 0.0
    for k in range(3):
        s += np.sum(np.log(x - k))
    return s


def root(x):
    return np.sum(np.sqrt(np.maximum(x, 0.0)) * 2.0)


def quotient(x):
    z = np.exp(x * 800.0)
    return np.sum(z / z)


def masked(x):
    y = np.log(x)
    return np.sum(np.where(np.isfinite(y), y, 0.0))


def steps(x, n):
    best = np.inf
    for _ in range(n):
        x = x * x
        best = min(best, x)
    return x + 0.0 * best


def place(error):
    (line, *_) = error.__notes__
    return line.strip().splitlines()[0]


def test_the_first_nan_has_its_line():
    with pytest.raises(FloatingPointError, match=r"nan from `np.log\(x - k\)`") as caught:
        rg.jit(logarithm, debug_nans=True)(np.array([5.0, 1.5]))
    assert place(caught.value).endswith("test_debug_nans.py:12:21")


def test_the_reverse_sweep_has_the_line_of_the_primal():
    with pytest.raises(FloatingPointError, match="inf in the reverse sweep of `np.sqrt"):
        rg.grad(root, debug_nans=True)(np.array([1.0, 0.0, -1.0]))
    with pytest.raises(FloatingPointError, match="in the reverse sweep of `np.log"):
        rg.value_and_grad(masked, debug_nans=True)(np.array([1.0, 0.0]))
    with pytest.raises(FloatingPointError, match="in the tangent of `np.sqrt"):
        rg.jvp(root, (np.array([1.0, 0.0]),), (np.ones(2),), debug_nans=True)


def test_the_infinity_before_it_is_told():
    with pytest.raises(FloatingPointError, match="nan from `z / z`") as caught:
        rg.grad(quotient, debug_nans=True)(np.array([0.1, 2.0]))
    assert "the first infinity: inf from `np.exp(x * 800.0)`" in "\n".join(caught.value.__notes__)


def test_an_infinite_result_is_looked_for_where_it_was_made():
    with pytest.raises(FloatingPointError, match=r"inf from `x \* x`"):
        rg.jit(steps, debug_nans=True)(3.0, 12)
    with pytest.raises(FloatingPointError, match=r"inf .*`x \* x`"):
        rg.grad(steps, debug_nans=True, memory="2kB")(3.0, 12)


def test_finite_results_and_what_comes_from_outside_are_no_errors():
    assert rg.jit(steps, debug_nans=True)(1.5, 2) == steps(1.5, 2)
    assert rg.grad(masked, debug_nans=True)(np.array([2.0, -1.0])).tolist() == [0.5, 0.0]
    assert np.isnan(rg.jit(lambda x: np.sum(x) * 2.0, debug_nans=True)(np.array([1.0, np.nan])))


def test_what_is_printed_is_printed_once(capsys):
    def shown(x):
        print("x is", x)
        return np.log(x)

    with pytest.raises(FloatingPointError):
        rg.jit(shown, debug_nans=True)(-1.0)
    assert capsys.readouterr().out == "x is -1.0\n"


def test_arguments_that_are_written_are_as_they_were_before():
    def fill(x):
        for k in range(len(x)):
            x[k] = np.log(x[k]) - 1.0

    x = np.array([1.0, 0.5])
    rg.jit(fill, debug_nans=True)(x)
    np.testing.assert_allclose(x, np.log([1.0, 0.5]) - 1.0)

    def total(x):
        fill(x)
        return np.sum(x)

    with pytest.raises(FloatingPointError, match=r"nan from `np.log\(x\[k\]\)`"):
        rg.jit(total, debug_nans=True)(np.array([1.0, -0.5]))
