"""One small program for each fault that was found and mended."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError


def test_a_rule_decides_activity_not_the_body() -> None:
    """The gradient was zero where the function itself has no derivative, as `floor`."""
    step = rg.custom_jvp(lambda x: np.floor(x))
    step.defjvp(lambda p, t: (np.floor(p[0]), 3.0 * t[0]))
    assert rg.grad(lambda x: step(x) * 2.0)(1.5) == 6.0


def test_a_global_that_changes_its_type_is_traced_again() -> None:
    """An array was handed to code that had been compiled for a number."""
    space = {"held": 2.0}

    def f(x):
        return x * held

    held: object = 2.0
    native = rg.jit(f)
    assert native(3.0) == 6.0
    held = np.array([1.0, space["held"]])
    np.testing.assert_array_equal(native(3.0), [3.0, 6.0])


def test_the_quotient_that_needs_65_bits() -> None:
    """-2**63 // -1 gave -2**63."""
    with pytest.raises(OverflowError):
        rg.jit(lambda n, m: n // m)(-(2**63), -1)
    assert rg.jit(lambda n, m: n // m)(-(2**63), 1) == -(2**63)


def test_steps_near_the_ends_of_the_integers() -> None:
    """The count of a slice or range overflowed, and came out as zero."""
    x = np.array([1.0, 2.0, 3.0])
    native = rg.jit(lambda x, k: np.sum(x[::k]))
    assert native(x, 2**63 - 1) == 1.0
    assert native(x, -(2**63)) == 3.0
    assert rg.jit(lambda k: len(range(0, 10, k)))(2**63 - 1) == 1


def test_functions_without_a_module() -> None:
    """A function made by `exec` has no module name, which ended in an AttributeError."""
    space: dict[str, object] = {}
    exec("def hidden(x): return x", space)
    hidden = space["hidden"]
    with pytest.raises(UserError) as caught:
        rg.jit(lambda x: hidden(x))(1.0)
    assert caught.value.code == "RG0102"


def test_directions_inside_programs_are_checked() -> None:
    """A tangent longer than its primal was read beyond its end."""

    def f(x, v):
        return rg.jvp(lambda x: np.sum(x * x), (x,), (v,))[1]

    with pytest.raises(ValueError, match="shape"):
        rg.jit(f)(np.ones(3), np.ones(1000))
    assert rg.jit(f)(np.ones(3), np.ones(3)) == 6.0


def test_products_with_jacobians_have_the_shapes_of_jacobians() -> None:
    """jvp and vjp of a Jacobian gave the matrices of the program, in a tuple."""
    x = np.array([1.0, 2.0])
    jacobian = rg.jacfwd(lambda x: x * x * x)
    y, y_dot = rg.jvp(jacobian, (x,), (np.ones(2),))
    np.testing.assert_array_equal(y, np.diag(3.0 * x * x))
    np.testing.assert_array_equal(y_dot, np.diag(6.0 * x))
    np.testing.assert_array_equal(rg.vjp(jacobian, x)[1](np.ones((2, 2)))[0], 6.0 * x)
    second = rg.hessian(lambda x: np.sum(x * x * x))
    _, y_dot = rg.jvp(second, (x,), (np.array([1.0, 0.0]),))
    np.testing.assert_array_equal(y_dot, [[6.0, 0.0], [0.0, 0.0]])


def test_arrays_of_the_caller_that_overlap() -> None:
    """What was written to one array was not seen through the other."""

    def f(x, y):
        for k in range(len(y)):
            y[k] = x[k] + 1.0
        return y[-1]

    ours, theirs = np.arange(10.0), np.arange(10.0)
    with pytest.warns(RuntimeWarning):
        found = rg.jit(f)(ours, ours[::-1])
    assert found == f(theirs, theirs[::-1])
    np.testing.assert_array_equal(ours, theirs)
