"""Operators that are called as methods, and objects that are nothing but themselves."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import numpy as np
import pytest

import retrograd as rg

pytestmark = pytest.mark.thinned(2)

X = np.array([1.0, -2.0, 3.0])
ABSENT = object()


def of_containers(x: Any) -> Any:
    y, d = x.copy(), {"a": x[0]}
    y.__setitem__(slice(0, 2), 5.0)
    n = [x, x].__len__() + (1, 2, 3).__len__() + d.__len__() + "ab".__len__() + x.__len__()
    return n * d.__getitem__("a") * y.__getitem__(0) * (1 if d.__contains__("a") else 0)


def of_arrays(x: Any) -> Any:
    return x.__mul__(2.0).__rsub__(1.0).__truediv__(x.__abs__()) + x.__lt__(0.0)


def as_a_function(x: Any) -> Any:
    order = sorted(range(3), key=x.__getitem__)
    return sum(map(x.__getitem__, order[:2]))


def _times(x: Any, y: Any = ABSENT) -> Any:
    return x if y is ABSENT else x * y


def defaults(x: Any) -> Any:
    return _times(x) + _times(x, 3.0)


def made_inside(x: Any) -> Any:
    end, known = object(), {"a": x}
    found = known.get("b", end)
    total = x if found is end else 100.0 * x
    for one, other in zip_longest((x, 2.0 * x), (1.0,), fillvalue=end):
        total = total + (one if other is end else one * other)
    return total


def in_a_loop(x: Any) -> Any:
    before, same = None, 0
    for _ in range(3):
        one = object()
        same += one is before
        before = one
    return x + same


@pytest.mark.parametrize("f", [of_containers, of_arrays, as_a_function])
def test_operators_as_methods(f: Callable[..., Any]) -> None:
    np.testing.assert_allclose(rg.jit(f)(X), f(X), rtol=1e-15)
    rg.check_grads(f, (X,))


@pytest.mark.parametrize("f", [defaults, made_inside, in_a_loop])
def test_objects_that_are_themselves(f: Callable[..., Any]) -> None:
    assert rg.jit(f)(2.0) == f(2.0)
    rg.check_grads(f, (2.0,))


def test_one_that_is_bound_anew_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    f = rg.jit(lambda x: _times(x) * 2.0)
    assert f(3.0) == 6.0
    with monkeypatch.context() as changed:
        changed.setitem(globals(), "ABSENT", object())
        with pytest.raises(TypeError):
            f(3.0)
    assert f(3.0) == 6.0


def test_numbers_have_none_of_these_methods() -> None:
    def f(x: Any) -> Any:
        return x.__mul__(2.0)

    with pytest.raises(rg.UserError, match="__mul__"):
        rg.jit(f)(1.0)
    with pytest.raises(IndexError):
        rg.jit(lambda x: x.__getitem__(7))(X)
