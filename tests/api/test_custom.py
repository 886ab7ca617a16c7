"""`custom_jvp` and `custom_vjp`: JAX's numbers, both modes, orders, rules that do not fit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import Limitation, UserError

scale = 3.0


@rg.custom_jvp
def log1pexp(x):
    return math.log1p(math.exp(x))


@log1pexp.defjvp
def log1pexp_jvp(primals, tangents):
    (x,), (x_dot,) = primals, tangents
    return log1pexp(x), x_dot * (1.0 - 1.0 / (1.0 + math.exp(x)))


@rg.custom_vjp
def clip_gradient(low, high, x):
    return x


def clip_fwd(low, high, x):
    return x, (low, high)


def clip_bwd(residuals, x_bar):
    low, high = residuals
    return None, None, np.minimum(np.maximum(x_bar, low), high)


clip_gradient.defvjp(clip_fwd, clip_bwd)


@rg.custom_jvp
def straight_round(x):
    return np.floor(x + 0.5)


@straight_round.defjvp
def straight_round_jvp(primals, tangents):
    return straight_round(primals[0]), tangents[0]


@rg.custom_vjp
def times(x, n):
    return x * x * n


def times_fwd(x, n):
    return x * x * n, (x, n, "a string", (n > 2, np.arange(n)))


def times_bwd(residuals, y_bar):
    x, _, _, (_, numbers) = residuals
    return 2.0 * x * len(numbers) * y_bar, None


times.defvjp(times_fwd, times_bwd)


def times_plain(x, n):
    return x * x * n


def slope(f: Callable[..., float], x: float, *rest: Any) -> float:
    return (f(x + 1e-6, *rest) - f(x - 1e-6, *rest)) / 2e-6


def test_a_function_with_a_rule_is_the_function() -> None:
    assert log1pexp(1.0) == math.log1p(math.e)
    assert rg.jit(log1pexp)(1.0) == pytest.approx(math.log1p(math.e), rel=1e-15)
    assert log1pexp.__name__ == "log1pexp"


def test_the_rule_is_what_keeps_large_arguments_finite() -> None:
    assert rg.grad(log1pexp)(100.0) == 1.0
    assert rg.grad(log1pexp)(0.0) == 0.5
    assert rg.jvp(log1pexp, (0.0,), (2.0,)) == (pytest.approx(math.log(2.0)), 1.0)
    assert rg.vjp(log1pexp, 0.0)[1](2.0) == (1.0,)


@pytest.mark.parametrize(
    "second",
    [
        rg.grad(rg.grad(log1pexp)),
        rg.hessian(log1pexp),
        rg.jacfwd(rg.jacfwd(log1pexp)),
        lambda x: rg.hvp(log1pexp, (x,), (1.0,)),
        lambda x: rg.jvp(rg.grad(log1pexp), (x,), (1.0,))[1],
        rg.grad(lambda x: rg.jvp(log1pexp, (x,), (1.0,))[1]),
    ],
    ids=["rev-rev", "hessian", "fwd-fwd", "hvp", "fwd-rev", "rev-fwd"],
)
def test_a_tangent_rule_is_differentiated_as_written(second: Callable[[float], float]) -> None:
    e = math.exp(0.3)
    assert second(0.3) == pytest.approx(e / (1.0 + e) ** 2, rel=1e-12)


def test_the_third_derivative_of_a_tangent_rule() -> None:
    s = 1.0 / (1.0 + math.exp(-0.3))
    third = rg.grad(rg.grad(rg.grad(log1pexp)))(0.3)
    assert third == pytest.approx(s * (1 - s) * (1 - 2 * s), rel=1e-12)


def test_gradients_are_clipped_on_the_way_back() -> None:
    assert rg.grad(lambda x: 10.0 * clip_gradient(-1.0, 1.0, x))(3.0) == 1.0
    found = rg.grad(lambda x: np.sum(x * clip_gradient(-1.0, 1.0, x)))(np.array([0.5, -3.0]))
    np.testing.assert_array_equal(found, [0.5 + 0.5, -3.0 - 1.0])


def test_rounding_with_the_tangent_of_the_identity() -> None:
    x = np.array([0.2, 1.7, -3.4])

    def square(x):
        return np.sum(straight_round(x) ** 2)

    np.testing.assert_array_equal(rg.grad(square)(x), 2.0 * np.round(x))
    np.testing.assert_array_equal(rg.hessian(square)(x), 2.0 * np.eye(3))
    assert rg.jvp(square, (x,), (np.ones(3),)) == (13.0, -2.0)


def test_residuals_of_all_kinds_in_a_loop() -> None:
    def f(x, n):
        total = 0.0
        for k in range(n):
            total += times(x + k, k)
            x = 0.5 * times(x, 1)
        return total

    def plain(x, n):
        total = 0.0
        for k in range(n):
            total += times_plain(x + k, k)
            x = 0.5 * times_plain(x, 1)
        return total

    assert rg.grad(f)(0.7, 4) == pytest.approx(rg.grad(plain)(0.7, 4), rel=1e-13)
    assert rg.grad(times)(1.5, 3) == 9.0
    assert rg.vjp(times, 1.5, 3)[1](1.0) == (9.0, None)


def test_a_rule_in_a_while_loop_that_breaks() -> None:
    def f(x):
        steps = 0
        while True:
            x = straight(x) * 0.5
            steps += 1
            if x < 0.1 or steps > 20:
                break
        return x

    straight = rg.custom_jvp(lambda x: x * 0.9)
    straight.defjvp(lambda p, t: (p[0] * 0.9, t[0] * 2.0))
    steps = math.ceil(math.log(0.1) / math.log(0.45))
    assert rg.grad(f)(1.0) == pytest.approx(1.0**steps)
    assert rg.jvp(f, (1.0,), (3.0,))[1] == pytest.approx(3.0)


@rg.custom_vjp
def powers(x, n):
    if n == 0:
        return x
    return powers(0.9 * x * x, n - 1)


def powers_fwd(x, n):
    return powers(x, n), (x, n)


def powers_bwd(residuals, y_bar):
    x, n = residuals
    if n == 0:
        return y_bar, None
    return rg.grad(powers)(0.9 * x * x, n - 1) * 1.8 * x * y_bar, None


powers.defvjp(powers_fwd, powers_bwd)


def test_a_recursive_function_whose_rule_recurs() -> None:
    assert rg.jit(powers)(1.1, 3) == pytest.approx(powers(1.1, 3))
    assert rg.grad(powers)(1.1, 3) == pytest.approx(slope(powers, 1.1, 3), rel=1e-7)


def test_a_rule_called_from_a_recursion() -> None:
    def down(x, n):
        return x if n == 0 else down(times(x, 1), n - 1)

    def plain(x, n):
        return x if n == 0 else plain(x * x, n - 1)

    assert rg.grad(down)(1.1, 3) == pytest.approx(rg.grad(plain)(1.1, 3), rel=1e-13)


class Pair(NamedTuple):
    x: Any
    n: int


def test_trees_go_in_and_out_of_rules() -> None:
    @rg.custom_vjp
    def f(pair, rest):
        return Pair(np.sum(pair.x) * rest[0], pair.n), rest[1] * 2.0

    def fwd(pair, rest):
        return f(pair, rest), (pair, rest)

    def bwd(residuals, bars):
        pair, rest = residuals
        y_bar, z_bar = bars
        x_bar = y_bar.x * rest[0] * np.ones(len(pair.x))
        return Pair(x_bar, 0), (np.sum(pair.x) * y_bar.x, 2.0 * z_bar)

    def g(x, y, z):
        first, second = f(Pair(x, 7), (y, z))
        return first.x * first.n + np.sum(second)

    f.defvjp(fwd, bwd)
    x, z = np.array([1.0, 2.0]), np.array([[3.0, 4.0]])
    found = rg.grad(g, argnums=(0, 1, 2))(x, 5.0, z)
    np.testing.assert_array_equal(found[0], [35.0, 35.0])
    assert found[1] == 21.0
    np.testing.assert_array_equal(found[2], [[2.0, 2.0]])


def test_fixed_arguments_may_be_functions() -> None:
    def fixed_point(f, a, x):
        for _ in range(60):
            x = f(a, x)
        return x

    def rule(f, primals, tangents):
        a, x = primals
        y = root(f, a, x)
        of_a = rg.jvp(lambda a: f(a, y), (a,), (tangents[0],))[1]
        of_x = rg.grad(lambda y: f(a, y))(y)
        return y, of_a / (1.0 - of_x)

    root = rg.custom_jvp(fixed_point, nondiff_argnums=(0,))
    root.defjvp(rule)
    newton = rg.grad(lambda a: root(lambda a, x: 0.5 * (x + a / x), a, 1.0))(2.0)
    assert newton == pytest.approx(0.35355339059327373, rel=1e-12)  # JAX's guide: 0.35355338


def test_fixed_numbers_are_constants() -> None:
    clip = rg.custom_vjp(lambda limit, x: limit * x, nondiff_argnums=(0,))
    clip.defvjp(lambda limit, x: (limit * x, None), lambda limit, _, bar: (min(limit, bar),))
    assert rg.grad(lambda x: 5.0 * clip(x, x))(1.5) == 1.5


def test_globals_of_a_rule_are_read_at_every_call(monkeypatch: pytest.MonkeyPatch) -> None:
    f = rg.custom_vjp(lambda x: x)
    f.defvjp(lambda x: (x, None), lambda _, bar: (scale * bar,))
    derivative = rg.grad(lambda x: f(x) * x)
    assert derivative(2.0) == 3.0 * 2.0 + 2.0
    monkeypatch.setitem(globals(), "scale", 10.0)
    assert derivative(2.0) == 10.0 * 2.0 + 2.0


def test_a_result_that_is_its_argument_stays_its_argument() -> None:
    def f(x):
        y = clip_gradient(-1.0, 1.0, x)
        y[0] = 5.0
        return x[0] + y[1]

    with pytest.raises(UserError) as caught:
        rg.jit(f)(np.ones(2))
    assert caught.value.code == "RG0106"


def test_zero_derivatives_may_be_left_out() -> None:
    f = rg.custom_jvp(lambda x, y: (x * 2.0, y * 3.0))
    f.defjvp(lambda p, t: (f(p[0], p[1]), (None, 3.0 * t[1])))
    found = rg.grad(lambda x, y: np.sum(f(x, y)[0]) + np.sum(f(x, y)[1]), (0, 1))
    x_bar, y_bar = found(np.ones(2), np.ones((1, 2)))
    np.testing.assert_array_equal(x_bar, [0.0, 0.0])
    np.testing.assert_array_equal(y_bar, [[3.0, 3.0]])


def test_a_rule_that_raises() -> None:
    def bwd(residuals, bar):
        raise ValueError("not today")

    f = rg.custom_vjp(lambda x: x * x)
    f.defvjp(lambda x: (x * x, x), bwd)
    assert rg.jit(f)(3.0) == 9.0
    with pytest.raises(ValueError, match="not today"):
        rg.grad(f)(3.0)


def test_derivatives_of_the_wrong_shape_are_noticed_at_run_time() -> None:
    f = rg.custom_vjp(lambda x: np.sum(x))
    f.defvjp(lambda x: (np.sum(x), len(x)), lambda n, bar: (bar * np.ones(n + 1),))
    with pytest.raises(ValueError, match="another shape"):
        rg.grad(f)(np.ones(3))
    g = rg.custom_jvp(lambda x: x * 2.0)
    g.defjvp(lambda p, t: (p[0] * 2.0, np.zeros(len(p[0]) + 1)))
    with pytest.raises(ValueError, match="another shape"):
        rg.jvp(g, (np.ones(3),), (np.ones(3),))


def square(x):
    return x * x


@pytest.mark.parametrize(
    "rule",
    [
        lambda p, t: p[0] * p[0],
        lambda p, t: (p[0] * p[0], t[0], t[0]),
        lambda p, t: (p[0] * p[0], (t[0], t[0])),
        lambda p, t: ((p[0], p[0]), t[0]),
        lambda p, t: (p[0] * p[0], np.ones(2)),
    ],
    ids=["no pair", "three", "tangent tree", "value tree", "tangent type"],
)
def test_a_tangent_rule_that_does_not_fit(rule: Callable[..., Any]) -> None:
    f = rg.custom_jvp(square)
    f.defjvp(rule)
    with pytest.raises(UserError) as caught:
        rg.grad(f)(3.0)
    assert caught.value.code == "RG0306"
    assert caught.value.span is not None
    assert caught.value.way_out is not None


@pytest.mark.parametrize(
    ("fwd", "bwd"),
    [
        (lambda x: x * x, lambda r, bar: (bar,)),
        (lambda x: ((x, x), x), lambda r, bar: (bar,)),
        (lambda x: (x * x, x), lambda r, bar: bar),
        (lambda x: (x * x, x), lambda r, bar: (bar, bar)),
        (lambda x: (x * x, x), lambda r, bar: (np.ones(2),)),
        (lambda x: (x * x, x), lambda r, bar: ("x",)),
    ],
    ids=["no pair", "value type", "no tuple", "two", "cotangent type", "string"],
)
def test_a_cotangent_rule_that_does_not_fit(
    fwd: Callable[..., Any], bwd: Callable[..., Any]
) -> None:
    f = rg.custom_vjp(square)
    f.defvjp(fwd, bwd)
    with pytest.raises(UserError) as caught:
        rg.grad(f)(3.0)
    assert caught.value.code == "RG0306"


def test_a_function_without_its_rule_is_refused() -> None:
    f = rg.custom_jvp(square)
    for call in (f, rg.jit(f), rg.jit(lambda x: f(x))):
        with pytest.raises(UserError) as caught:
            call(2.0)
        assert caught.value.code == "RG0306"


def test_a_second_rule_is_refused() -> None:
    f = rg.custom_jvp(square)
    f.defjvp(lambda p, t: (p[0] * p[0], 2.0 * p[0] * t[0]))
    with pytest.raises(UserError):
        f.defjvp(lambda p, t: (p[0], t[0]))


def test_functions_with_rules_leave_their_arguments_alone() -> None:
    def overwrites(x):
        x[0] = 1.0
        return np.sum(x)

    f = rg.custom_vjp(overwrites)
    f.defvjp(lambda x: (np.sum(x), x), lambda x, bar: (bar * x,))
    with pytest.raises(UserError) as caught:
        rg.grad(f)(np.ones(2))
    assert caught.value.code == "RG0306"
    assert "copy" in (caught.value.way_out or "")


def test_floats_hidden_in_a_function_argument_are_refused() -> None:
    f = rg.custom_jvp(lambda g, x: g(x), nondiff_argnums=(0,))
    f.defjvp(lambda g, p, t: (g(p[0]), t[0]))
    with pytest.raises(UserError) as caught:
        rg.grad(lambda x: f(lambda y: y * x, x))(2.0)
    assert caught.value.code == "RG0306"


@rg.custom_vjp
def product(a, x):
    return a @ x


def product_fwd(a, x):
    return a @ x, (a, x)


def product_bwd(residuals, bar):
    a, x = residuals
    a_bar = np.zeros(a.shape)
    for i in range(len(bar)):
        a_bar[i] = bar[i] * x
    return a_bar, bar @ a


product.defvjp(product_fwd, product_bwd)


def test_a_linear_cotangent_rule_is_transposed_for_forward_mode() -> None:
    assert rg.jvp(times, (2.0, 3), (1.0, None)) == (12.0, 12.0)
    assert rg.hessian(times)(2.0, 3) == 6.0
    assert rg.grad(rg.grad(times))(2.0, 3) == 6.0
    assert rg.hvp(times, (2.0, 3), (2.0, None)) == 12.0

    def f(a, x):
        return np.sum(np.sin(product(a, x)))

    def plain(a, x):
        return np.sum(np.sin(a @ x))

    a, x = np.arange(6.0).reshape(2, 3), np.array([0.3, -0.2, 0.5])
    for k in (0, 1):
        found, expected = rg.hessian(f, argnums=k)(a, x), rg.hessian(plain, argnums=k)(a, x)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    "bwd",
    [
        lambda x, bar: (min(bar, 1.0),),
        lambda x, bar: (2.0 * x * bar + 1.0,),
        lambda x, bar: (2.0 * x * bar * bar,),
        lambda x, bar: (x / bar,),
        lambda x, bar: (bar if bar > 0.0 else x,),
        lambda x, bar: (np.abs(bar),),
    ],
    ids=["min", "affine", "square", "inverse", "branch", "abs"],
)
def test_other_cotangent_rules_are_a_declared_limit_of_forward_mode(
    bwd: Callable[..., Any],
) -> None:
    f = rg.custom_vjp(lambda x: x * x)
    f.defvjp(lambda x: (x * x, x), bwd)
    assert isinstance(rg.grad(f)(3.0), float)
    for call in (lambda: rg.jvp(f, (3.0,), (1.0,)), lambda: rg.grad(rg.grad(f))(3.0)):
        with pytest.raises(Limitation) as caught:
            call()
        assert caught.value.code == "RG2101"
        assert caught.value.span is not None
        assert caught.value.way_out is not None


def _turned(rule: Callable[..., Any]) -> Any:
    """Numbers in the other order, by a rule that is given the function itself."""
    turned = rg.custom_vjp(lambda x: x[::-1] * 2.0)
    turned.defvjp(lambda x: (turned(x), ()), lambda kept, bar: (rule(turned, bar),))
    return turned


def test_a_rule_may_call_the_function_that_it_is_of() -> None:
    turned = _turned(lambda f, bar: f(bar))
    x, d = np.array([0.3, -0.7, 1.1]), np.array([0.2, 0.5, -0.4])

    def loss(x: Any) -> Any:
        return np.sum(turned(x) ** 2 * x)

    def plain(x: Any) -> Any:
        return np.sum((x[::-1] * 2.0) ** 2 * x)

    np.testing.assert_allclose(rg.jvp(loss, (x,), (d,)), rg.jvp(plain, (x,), (d,)), rtol=1e-13)
    np.testing.assert_allclose(rg.hvp(loss, (x,), (d,)), rg.hvp(plain, (x,), (d,)), rtol=1e-13)
    clipped = _turned(lambda f, bar: np.minimum(f(bar), 1.0))
    with pytest.raises(Limitation, match="not linear"):
        rg.jvp(lambda x: np.sum(clipped(clipped(x))), (x,), (d,))
