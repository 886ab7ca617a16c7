"""`jit`, `grad` and the Jacobians: arguments, trees, argnums, aux, globals, threads."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

RNG = np.random.default_rng(7)
X = RNG.normal(size=5)
A = RNG.normal(size=(3, 4))
factor = 2.0
table = np.array([1.0, 2.0, 3.0])


def central(f: Callable[..., float], args: tuple[Any, ...], k: int, h: float = 1e-6) -> Any:
    """The gradient by central differences with respect to argument k."""
    if isinstance(args[k], float):
        high, low = (f(*args[:k], args[k] + s * h, *args[k + 1 :]) for s in (1, -1))
        return (high - low) / (2 * h)
    found = np.zeros_like(args[k])
    for place in np.ndindex(*args[k].shape):
        values = []
        for step in (h, -h):
            moved = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
            moved[k][place] += step
            values.append(f(*moved))
        found[place] = (values[0] - values[1]) / (2 * h)
    return found


def loops(x, y):
    total = 0.0
    for i in range(len(x)):
        total += math.sin(x[i]) * y + x[i] ** 3
    return total


def until(x, y):
    total, k = x[0], 0
    while total < 10.0:
        total = total * 1.1 + abs(x[k % len(x)]) * y + 0.5
        k += 1
        if k > 30:
            break
    return total


def recursive(x, y):
    def down(v, n):
        return v if n == 0 else down(math.tanh(v * y) + 0.1 * v, n - 1)

    return down(x[0], 4) * x[1]


def in_place(x, y):
    z = x.copy()
    for i in range(1, len(z)):
        z[i] += z[i - 1] * y
        z[0] *= 1.01
    z[1:3] = z[2:4] * z[0]
    return np.sum(z * z)


def early(x, y):
    for i in range(len(x)):
        if x[i] * y > 0.3:
            return x[i] * x[i] * y
    return np.sum(x) * y


PROGRAMS = [loops, until, recursive, in_place, early]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_gradients(f: Callable[..., float]) -> None:
    x = X.copy()
    assert rg.jit(f)(x, 0.7) == pytest.approx(f(x, 0.7), rel=1e-13)
    value, (x_bar, y_bar) = rg.value_and_grad(f, argnums=(0, 1))(x, 0.7)
    assert value == pytest.approx(f(x, 0.7), rel=1e-13)
    np.testing.assert_allclose(x_bar, central(f, (x, 0.7), 0), rtol=1e-6, atol=1e-8)
    assert y_bar == pytest.approx(central(f, (x, 0.7), 1), rel=1e-6, abs=1e-8)
    np.testing.assert_array_equal(x, X)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivatives_agree_in_all_orders(f: Callable[..., float]) -> None:
    x, v = X.copy(), RNG.normal(size=5)
    full = rg.hessian(f)(x, 0.7)
    np.testing.assert_allclose(full, full.T, rtol=1e-10, atol=1e-10)
    gradient = rg.grad(f)
    steps = [(gradient(x + 1e-5 * e, 0.7) - gradient(x - 1e-5 * e, 0.7)) / 2e-5 for e in np.eye(5)]
    np.testing.assert_allclose(full, np.array(steps), rtol=1e-5, atol=1e-6)
    for nested in (
        rg.jacfwd(rg.jacfwd(f)),
        rg.jacrev(rg.jacfwd(f)),
        rg.jacrev(rg.jacrev(f)),
        rg.jacfwd(gradient),
    ):
        np.testing.assert_allclose(nested(x, 0.7), full, rtol=1e-10, atol=1e-10)
    product = rg.hvp(f, (x, 0.7), (v, 0.0))
    np.testing.assert_allclose(product, full @ v, rtol=1e-10, atol=1e-10)
    np.testing.assert_array_equal(x, X)


def third_by_directions(f: Callable[..., float], x: float) -> float:
    one = lambda x: rg.jvp(f, (x,), (1.0,))[1]  # noqa: E731
    return rg.grad(rg.grad(one))(x)


def cubic_loop(x):
    y = x
    for k in range(3):
        y = y * x + math.sin(y) * k
    return y


def cubic_while(x):
    y, n = x, 0
    while n < 3:
        y = y * math.exp(-x * 0.3) + x * x * x
        n += 1
    return y


def cubic_places(x):
    z = np.zeros(4)
    z[0] = x
    for k in range(3):
        z[k + 1] = z[k] * x + 0.5
        z[0] += z[k + 1]
    return np.sum(z * z)


def cubic_recursion(x):
    def power(y, n):
        return y if n == 0 else power(y * x + math.cos(y), n - 1)

    return power(x, 3)


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "f", [cubic_loop, cubic_while, cubic_places, cubic_recursion], ids=lambda f: f.__name__
)
def test_third_derivatives_in_all_mixes(f: Callable[[float], float]) -> None:
    d, fwd = rg.grad, lambda g: lambda x: rg.jvp(g, (x,), (1.0,))[1]
    second = d(d(f))
    expected = (second(0.8 + 1e-5) - second(0.8 - 1e-5)) / 2e-5
    mixes = [
        d(d(d(f))),
        d(d(fwd(f))),
        d(fwd(d(f))),
        d(fwd(fwd(f))),
        fwd(d(d(f))),
        fwd(d(fwd(f))),
        fwd(fwd(fwd(f))),
    ]
    found = [mix(0.8) for mix in mixes]
    assert found[0] == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(found, found[0], rtol=1e-9)


def test_argnums() -> None:
    def f(x, y, z):
        return x * y * y + z

    assert rg.grad(f)(2.0, 3.0, 4.0) == 9.0
    assert rg.grad(f, 1)(2.0, 3.0, 4.0) == 12.0
    assert rg.grad(f, argnums=-1)(2.0, 3.0, 4.0) == 1.0
    assert rg.grad(f, argnums=(1, 0))(2.0, 3.0, 4.0) == (12.0, 9.0)
    assert rg.grad(f, argnums=(0,))(2.0, 3.0, 4.0) == (9.0,)
    assert rg.value_and_grad(f, argnums=(0, -2))(2.0, 3.0, 4.0) == (22.0, (9.0, 12.0))
    assert rg.jacfwd(f, argnums=(0, 1))(2.0, 3.0, 4.0) == (9.0, 12.0)
    assert rg.hessian(f, argnums=(0, 1))(2.0, 3.0, 4.0) == ((0.0, 6.0), (6.0, 4.0))
    assert rg.grad(lambda n, x: x * x * n, argnums=1)(2, 3.0) == 12.0


def test_aux_is_passed_through() -> None:
    def f(x):
        return np.sum(x * x), (len(x), x[0] > 0.0, 2.0 * x)

    x = np.array([1.0, -2.0])
    g, aux = rg.grad(f, has_aux=True)(x)
    np.testing.assert_array_equal(g, 2.0 * x)
    assert aux[:2] == (2, True)
    np.testing.assert_array_equal(aux[2], 2.0 * x)
    (value, aux), g = rg.value_and_grad(f, has_aux=True)(x)
    assert value == 5.0
    assert aux[0] == 2
    np.testing.assert_array_equal(g, 2.0 * x)


class Point(NamedTuple):
    x: Any
    y: Any


@dataclass(frozen=True)
class Model:
    weights: Any
    bias: Any


def test_trees_of_arguments_and_results() -> None:
    def f(p, pair, n):
        return np.sum(p.x * p.y) * pair[0] + np.sum(pair[1][0]) * n

    point, pair = Point(np.array([1.0, 2.0]), np.array([3.0, 4.0])), (2.0, (np.ones((1, 2)),))
    g, h = rg.grad(f, argnums=(0, 1))(point, pair, 3)
    assert isinstance(g, Point)
    np.testing.assert_array_equal(g.x, [6.0, 8.0])
    np.testing.assert_array_equal(g.y, [2.0, 4.0])
    assert h[0] == 11.0
    np.testing.assert_array_equal(h[1][0], [[3.0, 3.0]])

    def loss(m, x):
        return (np.dot(m.weights, x) + m.bias) ** 2

    found = rg.grad(loss)(Model(np.array([1.0, 2.0]), 0.5), np.array([1.0, -1.0]))
    assert isinstance(found, Model)
    np.testing.assert_array_equal(found.weights, [-1.0, 1.0])
    assert found.bias == -1.0
    made = rg.jit(lambda x: (Point(x, 1), (x > 0.0, None)))(2.0)
    assert made == (Point(2.0, 1), (True, None))


def test_jacobians_of_trees() -> None:
    def f(x, y):
        return Point(x * y, np.sum(x)), x[0]

    x = np.array([1.0, 2.0])
    for transformation in (rg.jacfwd, rg.jacrev):
        found = transformation(f, argnums=(0, 1))(x, 3.0)
        np.testing.assert_array_equal(found[0].x[0], 3.0 * np.eye(2))
        np.testing.assert_array_equal(found[0].x[1], x)
        np.testing.assert_array_equal(found[0].y[0], [1.0, 1.0])
        assert found[0].y[1] == 0.0
        np.testing.assert_array_equal(found[1][0], [1.0, 0.0])


def test_shapes_of_jacobians_and_hessians() -> None:
    def f(a):
        return a[1:] * 2.0

    assert rg.jacfwd(f)(A).shape == (2, 4, 3, 4)
    np.testing.assert_array_equal(rg.jacfwd(f)(A), rg.jacrev(f)(A))
    assert rg.hessian(f)(A).shape == (2, 4, 3, 4, 3, 4)
    assert rg.hessian(lambda x: x * x)(3.0) == 2.0


def test_keywords_and_defaults() -> None:
    def f(x, y=2.0, *, power=3.0):
        return x**power * y

    assert rg.grad(f)(2.0) == 24.0
    assert rg.grad(f)(2.0, y=1.0) == 12.0
    assert rg.grad(f)(2.0, power=2.0) == 8.0
    assert rg.jit(f)(2.0, power=2.0, y=5.0) == 20.0
    assert rg.jit(f)(2.0, y=5.0, power=2.0) == 20.0


def test_globals_are_read_at_every_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x):
        return factor * np.sum(table * x)

    x = np.ones(3)
    native, gradient = rg.jit(f), rg.grad(f)
    assert native(x) == 12.0
    np.testing.assert_array_equal(gradient(x), 2.0 * table)
    monkeypatch.setitem(globals(), "factor", 3.0)
    monkeypatch.setitem(globals(), "table", np.array([1.0, 0.0, 0.0]))
    assert native(x) == 3.0
    np.testing.assert_array_equal(gradient(x), [3.0, 0.0, 0.0])


def test_globals_may_change_their_type(monkeypatch: pytest.MonkeyPatch) -> None:
    native = rg.jit(lambda x: x * factor)
    assert native(2.0) == 4.0
    monkeypatch.setitem(globals(), "factor", 3)
    assert native(2.0) == 6.0
    monkeypatch.setitem(globals(), "factor", np.array([1.0, 2.0]))
    np.testing.assert_array_equal(native(2.0), [2.0, 4.0])


def helper(x):
    return x + 1.0


def test_functions_of_modules_may_be_exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    native = rg.jit(lambda x: helper(x))
    assert native(1.0) == 2.0
    monkeypatch.setitem(globals(), "helper", lambda x: x * 10.0)
    assert native(1.0) == 10.0


def test_closures_are_read_at_every_call() -> None:
    def counter():
        held = 1.0
        grid = np.array([1.0, 2.0])

        def f(x):
            return x * held + np.sum(grid)

        def change(value):
            nonlocal held
            held = value
            grid[0] = value

        return f, change

    f, change = counter()
    native = rg.jit(f)
    assert native(2.0) == 5.0
    change(10.0)
    assert native(2.0) == 32.0
    assert rg.grad(f)(2.0) == 10.0


def test_jit_writes_through_to_arrays() -> None:
    def f(x, y):
        x[0] = 7.0
        y += x
        return np.sum(x)

    x, y = np.zeros(3), np.ones(3)
    assert rg.jit(f)(x, y) == 7.0
    np.testing.assert_array_equal(x, [7.0, 0.0, 0.0])
    np.testing.assert_array_equal(y, [8.0, 1.0, 1.0])


def test_jit_returns_the_arrays_that_python_returns() -> None:
    def f(x):
        x[0] = 1.0
        return x, x

    x = np.zeros(2)
    first, second = rg.jit(f)(x)
    np.testing.assert_array_equal(first, [1.0, 0.0])
    np.testing.assert_array_equal(second, [1.0, 0.0])


@pytest.mark.parametrize(
    "derivative",
    [
        rg.grad, rg.value_and_grad, rg.jacfwd, rg.jacrev, rg.hessian,
        lambda f: lambda x: rg.jvp(f, (x,), (x.copy(),)),
        lambda f: lambda x: rg.vjp(f, x)[1](1.0),
        lambda f: lambda x: rg.hvp(f, (x,), (x.copy(),)),
    ],
    ids="grad value_and_grad jacfwd jacrev hessian jvp vjp hvp".split(),
)  # fmt: skip
def test_derivatives_never_modify_arguments(derivative: Callable[..., Any]) -> None:
    def f(x):
        x *= 2.0
        x[0] = x[1] * x[2]
        return np.sum(x * x * x)

    x = np.array([1.0, 2.0, 3.0])
    first = derivative(f)(x)
    np.testing.assert_array_equal(x, [1.0, 2.0, 3.0])
    second = derivative(f)(x)
    np.testing.assert_equal(first, second)


def test_results_do_not_share_memory_between_calls() -> None:
    native = rg.grad(lambda x: np.sum(x * x))
    first = native(np.ones(3))
    second = native(np.full(3, 2.0))
    np.testing.assert_array_equal(first, [2.0, 2.0, 2.0])
    np.testing.assert_array_equal(second, [4.0, 4.0, 4.0])
    first[0] = 9.0
    np.testing.assert_array_equal(native(np.ones(3)), [2.0, 2.0, 2.0])


def test_a_derivative_inside_a_differentiated_loop() -> None:
    def inner(z, a):
        return a * z * z * z

    def f(x):
        z = x
        for _ in range(5):
            z = z - 0.01 * rg.grad(inner)(z, x)
        return z * z

    def by_hand(x):
        z = x
        for _ in range(5):
            z = z - 0.01 * 3.0 * x * z * z
        return z * z

    assert rg.jit(f)(1.5) == pytest.approx(by_hand(1.5), rel=1e-14)
    assert rg.grad(f)(1.5) == pytest.approx(central(by_hand, (1.5,), 0), rel=1e-8)
    assert rg.grad(f)(1.5) == pytest.approx(rg.grad(by_hand)(1.5), rel=1e-12)
    assert rg.grad(rg.grad(f))(1.5) == pytest.approx(rg.grad(rg.grad(by_hand))(1.5), rel=1e-11)
    assert rg.jvp(f, (1.5,), (1.0,))[1] == pytest.approx(rg.grad(by_hand)(1.5), rel=1e-12)


def test_no_confusion_of_perturbations() -> None:
    assert rg.grad(lambda x: x * rg.grad(lambda y: x + y)(2.0))(1.0) == 1.0
    assert rg.grad(lambda x: x * rg.grad(lambda y: x * y)(2.0))(3.0) == 6.0
    assert rg.grad(lambda x: x * rg.jvp(lambda y: x * y, (2.0,), (1.0,))[1])(3.0) == 6.0


def test_stop_gradient() -> None:
    assert rg.grad(lambda x: x * rg.stop_gradient(x))(3.0) == 3.0
    np.testing.assert_array_equal(rg.grad(lambda x: np.sum(rg.stop_gradient((x, x))[0] * x))(X), X)
    assert rg.stop_gradient(2.0) == 2.0


def test_threads_may_share_a_function() -> None:
    gradient = rg.grad(lambda x: loops(x, 1.5))
    data = [RNG.normal(size=50) for _ in range(8)]
    expected = [1.5 * np.cos(x) + 3.0 * x * x for x in data]
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(20):
            if not np.allclose(gradient(data[k]), expected[k], rtol=1e-12):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_jitted_function_is_a_function_of_the_language() -> None:
    native = rg.jit(lambda x: x * x * x)
    assert rg.grad(native)(2.0) == 12.0
    assert rg.grad(rg.jit(rg.grad(native)))(2.0) == 12.0
    assert rg.jit(lambda x: native(x) + rg.grad(native)(x))(2.0) == 20.0


def test_what_is_no_function_is_refused() -> None:
    for make in (rg.jit, rg.grad, rg.value_and_grad, rg.jacfwd, rg.jacrev, rg.hessian):
        with pytest.raises(UserError):
            make(3.0)  # pyright: ignore


def test_stats_tell_bytes_and_time() -> None:
    gradient = rg.grad(lambda x: loops(x, 1.0))
    assert gradient.stats() is None
    gradient(np.ones(1000))
    stats = gradient.stats()
    assert stats is not None
    assert stats.peak_bytes >= stats.tape_bytes >= 0
    assert stats.peak_bytes > 0
