"""`rg.checkpoint` changes no bit of a value or a gradient, whatever function it is given."""

from __future__ import annotations

import copy
import functools
import math
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.compile.intrinsics import HANDLERS
from retrograd.errors import UserError
from retrograd.frontend.identity.specs import spec_of
from retrograd.frontend.trace import trace_function

policies = rg.checkpoint_policies
X = np.array([0.3, 0.7, -1.1])


def same(found: Any, expected: Any) -> None:
    """Both are the same to the bit."""
    found = found if isinstance(found, tuple) else (found,)
    expected = expected if isinstance(expected, tuple) else (expected,)
    assert len(found) == len(expected)
    assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


@rg.checkpoint(policy=policies.dots_saveable)
def top(x: Any) -> Any:
    """The sum of sines."""
    return np.sum(np.sin(x))


class Wave:
    def __init__(self, w: float) -> None:
        self.w = w

    @rg.checkpoint
    def go(self, x: Any) -> Any:
        return np.sin(self.w * x)

    def plain(self, x: Any) -> Any:
        return np.sin(self.w * x)


def halves(n: Any, x: Any, around: Callable[[Any], Any]) -> Any:
    if n == 1:
        return np.sin(x)
    h = n // 2
    return around(lambda y: halves(n - h, y, around))(halves(h, x, around))


@rg.checkpoint
def iterated(n: Any, x: Any) -> Any:
    return np.sin(x) if n == 0 else np.sin(iterated(n - 1, x))


def iterated_plainly(n: Any, x: Any) -> Any:
    return np.sin(x) if n == 0 else np.sin(iterated_plainly(n - 1, x))


def overwrite(a: Any, y: Any) -> None:
    a[0] = y * a[1]


def kept(x: Any) -> Any:
    return x


def tail(x: Any) -> Any:
    return x[1:]


def raising(y: Any) -> Any:
    if y > 5.0:
        raise ValueError("too large")
    return math.sin(y)


def unchanged(f: Any) -> Any:
    return f


def calls(around: Callable[[Any], Any]) -> dict[str, Callable[[Any], Any]]:
    """Functions that call functions given to `around` in many ways."""
    wave, scaled = Wave(2.0), functools.partial(lambda a, x: np.sin(a * x), 2.0)
    outside = around(wave.plain)

    def caught(x: Any) -> Any:
        total = 0.0
        for v in x:
            try:
                total += around(raising)(v * 6.0) * v
            except ValueError:
                total -= v
        return total

    def written(x: Any) -> Any:
        a = np.sin(x)
        around(overwrite)(a, a[2])
        return a * a

    def captured(x: Any) -> Any:
        w = x[0]
        inner = around(lambda y: around(lambda z: np.exp(z) * w)(y * y))
        return inner(x)

    def changed(x: Any) -> Any:
        total = [0.0]

        def add(v: Any) -> None:
            total[0] += v * v

        for v in x:
            around(add)(v)
        return total[0]

    return {
        "a bound method": lambda x: around(wave.plain)(x),
        "a bound method from outside": lambda x: outside(x),
        "a partial": lambda x: around(scaled)(x),
        "halves": lambda x: halves(5, x, around),
        "written": written,
        "captured": captured,
        "changed": changed,
        "caught": caught,
        "its argument": lambda x: np.sin(around(kept)(np.cos(x))),
        "a view": lambda x: np.sin(around(tail)(np.cos(x))),
        "a map": lambda x: around(rg.vmap(lambda v: v * math.sin(v)))(x),
        "mapped": lambda x: rg.vmap(around(lambda v: v * math.sin(v)))(x),
        "NumPy's": lambda x: around(np.sin)(x),
        "a comprehension": lambda x: sum([around(math.sin)(v) for v in x]),
        "a derivative inside": lambda x: rg.grad(around(lambda y: np.sum(y * y * y)))(x),
        "a derivative within": lambda x: around(rg.grad(lambda y: np.sum(y * y * y)))(x),
    }


def every_call(around: Callable[[Any], Any], x: Any) -> Any:
    total = 0.0
    for call in calls(around).values():
        total = total + np.sum(call(x))
    return total


def test_calls_inside_of_programs() -> None:
    marked, plain = (lambda x: every_call(rg.checkpoint, x)), lambda x: every_call(unchanged, x)
    same(rg.value_and_grad(marked)(X), rg.value_and_grad(plain)(X))
    same(marked(X), plain(X))


@pytest.mark.slow
@pytest.mark.parametrize("name", calls(unchanged))
def test_each_call_inside_of_programs(name: str) -> None:
    def marked(x: Any) -> Any:
        return np.sum(calls(rg.checkpoint)[name](x))

    def plain(x: Any) -> Any:
        return np.sum(calls(unchanged)[name](x))

    for way in (rg.jit, rg.value_and_grad, functools.partial(rg.grad, memory="1MB")):
        same(way(marked)(X), way(plain)(X))


def test_methods_that_are_decorated() -> None:
    wave = Wave(2.0)
    same(wave.go(X), wave.plain(X))
    found = rg.grad(lambda x: np.sum(wave.go(x)))(X)
    same(found, rg.grad(lambda x: np.sum(wave.plain(x)))(X))
    same(rg.vjp(wave.go, X)[1](X), rg.vjp(wave.plain, X)[1](X))
    assert Wave.go(wave, 0.5) == wave.plain(0.5)


def test_the_whole_function() -> None:
    def f(x: Any, *, k: float = 2.0, how: str = "sin") -> Any:
        return np.sum(np.sin(x) * k) if how == "sin" else np.sum(np.cos(x) * k)

    around = rg.checkpoint(f)
    same(rg.grad(around)(X, k=3.0), rg.grad(f)(X, k=3.0))
    named = rg.checkpoint(f, static_argnames="how", prevent_cse=False)
    same(rg.grad(named)(X, how="cos"), rg.grad(f, static_argnames="how")(X, how="cos"))
    same(rg.grad(rg.jit(around))(X), rg.grad(f)(X))
    same(rg.checkpoint(rg.grad(f))(X), rg.grad(f)(X))
    same(rg.jvp(around, (X,), (X,)), rg.jvp(f, (X,), (X,)))
    same(rg.vjp(around, X)[1](1.0), rg.vjp(f, X)[1](1.0))
    same(rg.grad(lambda x, n: iterated(n, x) @ x)(X, 4),
         rg.grad(lambda x, n: iterated_plainly(n, x) @ x)(X, 4))  # fmt: skip


def test_static_arguments_and_chosen_ones() -> None:
    def f(x: Any, n: int, y: Any) -> Any:
        return np.sum(x.reshape(n, -1)[0] * np.sin(y))

    around = rg.checkpoint(f, static_argnums=1)
    found = rg.grad(around, argnames=("x", "y"))(X, 3, 2.0)
    same(found, rg.grad(f, argnames=("x", "y"), static_argnums=1)(X, 3, 2.0))


def test_what_it_returns_and_writes_under_jit() -> None:
    one, other = X.copy(), X.copy()
    rg.jit(rg.checkpoint(overwrite))(one, 2.0)
    overwrite(other, 2.0)
    same(one, other)
    same(rg.jit(rg.checkpoint(tail))(X), X[1:])
    assert rg.jit(rg.checkpoint(overwrite))(X.copy(), 2.0) is None


def test_it_is_the_function_under_plain_python() -> None:
    assert top(X) == top.__wrapped__(X)
    assert top.__name__ == "top"
    assert pickle.loads(pickle.dumps(top)) is top
    assert copy.copy(top) is top
    same(pickle.loads(pickle.dumps(rg.grad(top)))(X), np.cos(X))
    assert rg.remat is rg.checkpoint


def test_names_are_the_values_themselves() -> None:
    assert rg.checkpoint_name(X, "x") is X

    def f(x: Any, named: Callable[[Any, str], Any]) -> Any:
        y = named(np.sin(x), "y")
        z = named(y[1:], "z")
        z[0] = 2.0
        for k in (0, 1):
            y = named(y * y, f"layer{k}")
        return np.sum(named((y, z[0]), "both")[0]) * z[0]

    def without(x: Any) -> Any:
        return f(x, lambda value, _: value)

    same(rg.value_and_grad(lambda x: f(x, rg.checkpoint_name))(X), rg.value_and_grad(without)(X))


def test_a_name_that_no_value_has_is_warned_of() -> None:
    def f(x: Any) -> Any:
        return np.sum(rg.checkpoint_name(np.sin(x), "hidden"))

    misspelt = rg.checkpoint(f, policy=policies.save_only_these_names("hiden"))
    with pytest.warns(
        RuntimeWarning, match="no value has the name 'hiden'.*; there is 'hidden'"
    ) as caught:
        rg.grad(misspelt)(X)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rg.grad(rg.checkpoint(f, policy=policies.save_any_names_but_these("hidden")))(X)


def test_bad_input() -> None:
    with pytest.raises(UserError, match="RG0107: checkpoint needs a Python function, not int"):
        rg.checkpoint(3)
    with pytest.raises(UserError, match="RG4102"):
        rg.checkpoint_name(X, 3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(UserError, match="RG4103.*only known when the program runs") as caught:
        rg.jit(lambda n: sum([rg.checkpoint_name(1.0 * i, f"l{i}") for i in range(n)]))(3)
    assert caught.value.span is not None
    with pytest.raises(UserError, match="RG4102.*'dots' is no policy") as caught:
        rg.jit(lambda x: rg.checkpoint(np.sin, policy="dots")(x))(X)
    assert caught.value.span is not None


def test_decorators_inside_of_programs() -> None:
    def around_twice(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda x: f(f(x))

    def f(x: Any, k: float) -> Any:
        @around_twice
        @rg.checkpoint(policy=policies.save_only_these_names("y"))
        def inner(v: Any) -> Any:
            return rg.checkpoint_name(np.sin(k * v), "y") * v

        @rg.checkpoint
        def total(v: Any) -> Any:
            return np.sum(inner(v))

        return total(x)

    def plain(x: Any, k: float) -> Any:
        def inner(v: Any) -> Any:
            return np.sin(k * v) * v

        return np.sum(inner(inner(x)))

    same(rg.value_and_grad(f, (0, 1))(X, 2.0)[1], rg.value_and_grad(plain, (0, 1))(X, 2.0)[1])
    assert f(X, 2.0) == plain(X, 2.0)


@pytest.mark.parametrize("jit", [False, True])
def test_a_scan_of_jax_is_a_loop(jit: bool) -> None:
    def layer(x: Any, w: Any) -> Any:
        return np.sin(w @ x), None

    def scanned(x: Any, ws: Any) -> Any:
        return rg.scan(layer, x, ws)

    def product(x: Any, w: Any) -> Any:
        return x * w, x

    made = rg.jit(scanned) if jit else scanned
    with pytest.raises(TypeError, match="prefix scan.*for x in xs.*rg.checkpoint"):
        made(X, np.ones((4, 3, 3)))
    with pytest.raises(TypeError, match="prefix scan"):
        (rg.jit if jit else unchanged)(lambda ws: rg.scan(product, 1.0, ws))(X)


THRESHOLD = 1


def own(residual: rg.Residual) -> bool:
    return len(residual.primitive) > THRESHOLD


def test_code_with_a_policy_of_ones_own_is_not_kept_on_disk() -> None:
    def inside(x: Any) -> Any:
        return np.sum(rg.checkpoint(np.sin, policy=own)(x))

    for f in (inside, rg.checkpoint(inside, policy=own)):
        traced = trace_function(f, [spec_of(X)], intrinsics=HANDLERS)
        assert traced.recorder.obstacle is not None
    for f in (top, rg.checkpoint(lambda x: top(x), policy=policies.save_any_names_but_these())):
        traced = trace_function(f, [spec_of(X)], intrinsics=HANDLERS)
        assert traced.recorder.obstacle is None
