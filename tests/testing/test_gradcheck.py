"""`check_grads` accepts right derivatives and notices each kind of wrong one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from retrograd.testing.gradcheck import GradientMismatch, GradReport, Identity, check_grads


class Model(NamedTuple):
    weights: np.ndarray
    bias: float


def predict(model, x, steps):
    for _ in range(steps):
        x = np.tanh(model.weights * x + model.bias)
    return x, np.sum(x), steps


def overwrite(x):
    for k in range(1, x.shape[0]):
        x[k] = np.sin(x[k]) * x[k - 1]
    return np.sum(x)


def near_a_kink(x):
    return abs(x - 1.000001)


@rg.custom_jvp
def wrong_tangent(x):
    return np.exp(x)


@wrong_tangent.defjvp
def _wrong_tangent_rule(primals, tangents):
    (x,), (x_dot,) = primals, tangents
    return np.exp(x), 1.001 * np.exp(x) * x_dot


@rg.custom_vjp
def wrong_pullback(x, y):
    return x * y


def _wrong_forward(x, y):
    return x * y, (x, y)


def _wrong_backward(residuals, z_bar):
    _, y = residuals
    return y * z_bar, y * z_bar


wrong_pullback.defvjp(_wrong_forward, _wrong_backward)


@rg.custom_jvp
def wrong_value(x):
    return x * x


@wrong_value.defjvp
def _wrong_value_rule(primals, tangents):
    (x,), (x_dot,) = primals, tangents
    return x * x + 1.0, 2.0 * x * x_dot


def failed(report: GradReport) -> list[str]:
    return [row.name for row in report.rows if not row.ok]


@pytest.mark.parametrize("modes", [("fwd",), ("rev",), ("fwd", "rev")])
@pytest.mark.parametrize("order", [1, 2])
def test_right_derivatives_pass(order: int, modes: tuple[str, ...]) -> None:
    args = (Model(np.array([0.5, -1.5]), 0.25), np.array([0.1, 0.2]), 3)
    report = check_grads(predict, args, order, modes)
    assert report.ok
    second = any("over" in row.name for row in report.rows)
    assert second == (order == 2 and "rev" in modes)


def test_in_place_updates_leave_the_arguments() -> None:
    x = np.array([0.3, 0.7, -1.1])
    assert check_grads(overwrite, (x,)).ok
    np.testing.assert_array_equal(x, [0.3, 0.7, -1.1])


def test_two_step_sizes_are_compared() -> None:
    report = check_grads(near_a_kink, (1.0,), order=1, raise_on_failure=False)
    assert [name for name in failed(report) if name.startswith("tangent")]


def test_a_tangent_off_by_a_thousandth_is_noticed() -> None:
    report = check_grads(wrong_tangent, (0.5,), order=1, modes=("fwd",), raise_on_failure=False)
    assert len([name for name in failed(report) if name.startswith("tangent")]) == 2


def test_a_pullback_that_is_no_adjoint_is_noticed() -> None:
    report = check_grads(
        wrong_pullback, (2.0, 3.0), order=1, modes=("rev",), raise_on_failure=False
    )
    assert len([name for name in failed(report) if name.startswith("pullback")]) == 2


def test_a_value_that_changes_under_differentiation_is_noticed() -> None:
    report = check_grads(wrong_value, (2.0,), order=1, modes=("fwd",), raise_on_failure=False)
    assert failed(report) == ["values are those of plain Python"]


def test_a_failure_says_what_failed() -> None:
    with pytest.raises(GradientMismatch, match=r"tangent = difference.*FAILED") as caught:
        check_grads(wrong_tangent, (0.5,), order=1, modes=("fwd",))
    assert caught.value.code == "RG6003"
    assert not caught.value.report.ok
    assert isinstance(caught.value, AssertionError)


@pytest.mark.parametrize(("order", "modes"), [(3, ("fwd",)), (0, ("rev",)), (1, ()), (1, ("bwd",))])
def test_settings_that_do_not_exist_are_refused(order: int, modes: tuple[str, ...]) -> None:
    with pytest.raises(UserError) as caught:
        check_grads(overwrite, (np.ones(2),), order, modes)
    assert caught.value.code == "RG6001"


@pytest.mark.parametrize("f", [lambda n: n + 1, lambda n: 2.0 * n])
def test_integers_have_nothing_to_check(f) -> None:
    with pytest.raises(UserError, match="no argument") as caught:
        check_grads(f, (3,))
    assert caught.value.code == "RG6002"
    with pytest.raises(UserError, match="no result"):
        check_grads(lambda x: x > 0.0, (3.0,))


def test_a_nan_is_never_ok() -> None:
    assert not Identity("x", float("nan"), 1.0).ok
    assert Identity("x", 0.5, 1.0).ok
