"""Functions that write to one of several arrays of their caller, chosen at run time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

pytestmark = pytest.mark.thinned(2)

X = np.array([0.3, 1.2, -0.7, 0.9, 1.6])


class Momentum:
    def __init__(self):
        self.v = None

    def update(self, w, g):
        if self.v is None:
            self.v = np.zeros_like(w)
        self.v *= 0.9
        self.v -= 0.1 * g
        return w + self.v


def made_when_needed(x):
    m, w = Momentum(), x * 1.0
    for _ in range(3):
        w = m.update(w, w**2)
    return w.sum() + m.v[0]


def as_often_as_the_run_says(x):
    m, w = Momentum(), x * 1.0
    for _ in range(int(x[1]) + 2):
        w = m.update(w, w**2)
    return w.sum()


class ByName:
    def __init__(self):
        self.state = {}

    def update(self, params, grads):
        for name in params:
            v = self.state.setdefault(name, np.zeros_like(params[name]))
            v *= 0.9
            v -= 0.1 * grads[name]
            params[name] = params[name] + v


def made_by_setdefault(x):
    m, params = ByName(), {"a": x * 1.0, "b": x**2}
    for _ in range(3):
        m.update(params, {"a": params["b"], "b": params["a"] * 2.0})
    return params["a"].sum() + params["b"][0]


def picked(a, b, c):
    t = a if c > 0 else b
    t *= 2.0
    return t


def handed_on(a, b, c):
    return picked(a, b, c)


def only_the_result_is_read(x):
    return handed_on(x * 1.0, x**2, x[0]).sum() + handed_on(x * 1.0, x**2, x[2]).sum()


def named_again_in_a_loop(x):
    a, b, total = x * 1.0, x**2, 0.0
    for i in range(3):
        a = picked(a, b * 1.0, x[i])
        total += a.sum()
    return total


class Held:
    def __init__(self, x):
        self.v, self.w = x, None

    def add(self, g):
        if self.w is None or g[0] > 1.0:
            self.w = self.v
        self.w += g


def of_two_attributes(x):
    h = Held(x * 1.0)
    for k in (1.0, 2.0, 5.0):
        h.add(k * x)
    return h.w.sum() + h.w[0]


ALL = (
    made_when_needed, as_often_as_the_run_says, made_by_setdefault, only_the_result_is_read,
    named_again_in_a_loop, of_two_attributes,
)  # fmt: skip


@pytest.mark.parametrize("f", ALL)
def test_results_are_those_of_python(f: Any) -> None:
    agree(f, X.copy())


@pytest.mark.parametrize("f", [as_often_as_the_run_says, made_by_setdefault, of_two_attributes])
def test_gradients(f: Any) -> None:
    assert rg.check_grads(f, (X,), 1).ok
    np.testing.assert_array_equal(rg.grad(f, memory="64kB")(X), rg.grad(f)(X))


def one_of_them_is_read(x):
    a, b = x * 1.0, x**2
    t = handed_on(a, b, x[0])
    return t.sum() + b[0]


def a_view_is_read(x):
    a, b = x * 1.0, x**2
    part = a[1:]
    t = picked(a, b, x[0])
    return t.sum() + part[0]


def an_item_is_read(x):
    rows = [x * 1.0, x**2]
    t = picked(rows[0], rows[1], x[0])
    return t.sum() + rows[0][0]


def what_was_there_is_kept(x):
    a, total = x * 1.0, 0.0
    before = a
    for i in range(3):
        a = picked(a, x * 2.0, x[i])
        total += a.sum()
    return total + before[1]


def captured(x):
    a = x * 1.0

    def add(c):
        t = a if c > 0 else x**2
        t += 1.0
        return t.sum()

    return add(x[0]) + a.sum()


def in_each_iteration(x):
    a, b, total = x * 1.0, x**2, 0.0
    for i in range(3):
        total += picked(a, b, x[i]).sum()
    return total


@pytest.mark.parametrize(
    "f",
    [
        one_of_them_is_read, a_view_is_read, an_item_is_read, what_was_there_is_kept, captured,
        in_each_iteration,
    ],
)  # fmt: skip
def test_what_may_have_changed_is_not_read(f: Any) -> None:
    with pytest.raises(UserError, match="may be another name of one that was changed") as found:
        rg.jit(f)(X)
    assert found.value.code == "RG0106"


def test_the_caller_is_outside() -> None:
    with pytest.raises(UserError, match="may or may not change an array") as found:
        rg.jit(lambda x: picked(x, x**2, x[0]).sum())(X)
    assert found.value.code == "RG0106"
