"""How packages check what they are given: unions of types, `typing`, `locals`, `index`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, List, NamedTuple, Optional, Sequence, Union  # noqa: UP035

import numpy as np
import pytest
from numpy.polynomial import Chebyshev, Polynomial

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

A = np.array([2.0, 3.0, 4.0])


class Dual:
    pass


class Other:
    pass


NUMBER = float | int
KINDS: Any = {
    "a": ((List, np.ndarray), (int, np.floating)),  # noqa: UP006
    "b": ((Union[int, float], dict), None),  # noqa: UP007
    "c": ((Sequence[int], int), None),
}


def of_three_types(x: Any) -> Any:
    if isinstance(x[0], Dual | Other | int | str):
        return x[0]
    if isinstance(x[0], Dual | NUMBER | None):
        return x[0] * x[1]
    return x[2]


def of_none(x: Any, k: Any = None) -> Any:
    one = 2.0 if isinstance(k, int | None) else 3.0
    two = 2.0 if isinstance(k, Optional[str]) else 3.0  # noqa: UP045
    return x[0] * one * (5.0 if isinstance(x, None | Dual) else two)


def of_aliases(x: Any) -> Any:
    s = 0.0
    for key in ("a", "b"):
        kinds, items = KINDS[key]
        if not isinstance(x, kinds):
            s = s + x[0]
        if items is not None and all(isinstance(v, items) for v in x):
            s = s + x[1] * len(kinds[0].__name__)
    if isinstance(x, (List, dict)) or not isinstance(x[0], Union[float, Dual]):  # noqa: UP006, UP007
        return s
    return s * x[2]


def sized(held: Any, name: Any, count: Any) -> Any:
    a = held[name]
    if a is None:
        raise ValueError(f"{name} is missing")
    if a.shape != (count,):
        raise ValueError(f"{name} has the shape {a.shape}")
    return len(held)


def of_variables(x: Any, y: Any = None) -> Any:
    n = sized(locals(), "x", 3)
    z = 2.0 * x
    w = 3.0 * n
    if np.sum(x) > 100.0:
        z = z + w
    held = locals()
    s = 0.0
    for key in held:
        if key not in ("y", "n"):
            s = s + np.sum(held[key])
    return s * len(held) * n


class Pair(NamedTuple):
    one: Any
    other: Any


def of_templates(x: Any) -> Any:
    held = {"a": 1.5, "name": "ha", "b": x[0]}
    text = "%(a)06.2f %(name)5s%%" % held  # noqa: UP031
    if x[0] > 100.0:
        raise ValueError("%(b).3f of %(name)s" % held)  # noqa: UP031
    try:
        more = len("%(c)s" % held)  # noqa: UP031
    except KeyError:
        more = 7
    pair = Pair(x[0], x[1])
    return sum(getattr(pair, name) * len(name) for name in pair._fields) * len(text) + more


SERIES: Any = (
    (Polynomial([1.0, 2.0]), Chebyshev([1.0, 0.5, 2.0], domain=[0.0, 4.0])),
    (np.poly1d([1.0, 2.0]),),
)


def of_polynomials(x: Any) -> Any:
    s = SERIES[0][0].deriv()(x[1]) * len(SERIES[0][1].coef)
    for row in SERIES:
        for one in row:
            s = s + np.sum(one(x)) * one(x[0])
    return s


def of_quotients(x: Any) -> Any:
    a, b = x[0], x[1] - 3.0
    one = np.divide(a, b, out=np.zeros_like(a), where=b != 0.0)
    two = np.divide(a, x[2], out=np.zeros(np.broadcast(a, b).shape), where=a > 0.0)
    two += 1.0
    return one + two * np.add(3, 2, out=np.ones(()))


class Place:
    def __init__(self, k: Any) -> None:
        self.k = k

    def __index__(self) -> Any:
        return self.k


def of_indices(x: Any) -> Any:
    try:
        k = operator.index(x[0])
    except TypeError:
        k = operator.index(2)
    return x[k] * operator.index(len(x)) + x[operator.index(Place(1))]


PROGRAMS = [of_three_types, of_none, of_aliases, of_variables, of_indices, of_quotients,
            of_templates, of_polynomials]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_are_those_of_python(f: Callable[..., Any]) -> None:
    agree(f, A)


def test_derivatives() -> None:
    assert rg.grad(of_three_types)(A).tolist() == [3.0, 2.0, 0.0]
    assert rg.grad(of_quotients)(A).tolist() == [5.0 / 4.0, 0.0, -5.0 * 2.0 / 16.0]
    assert rg.grad(of_variables)(A).tolist() == [30.0] * 3


def test_what_python_raises() -> None:
    def of_two(x: Any) -> Any:
        return sized(locals(), "x", 2)

    def parametrised(x: Any) -> Any:
        return x[0] if isinstance(x, KINDS["c"][0]) else x[1]

    agree(of_two, A)
    agree(parametrised, A)


def test_an_array_without_axes_that_has_a_name_is_refused() -> None:
    def f(x: Any) -> Any:
        z = np.zeros_like(x[0])
        np.divide(x[0], x[1], out=z)
        return z

    with pytest.raises(UserError, match="without axes that has a name"):
        rg.jit(f)(A)


def test_variables_of_some_paths_are_refused() -> None:
    def f(x: Any) -> Any:
        if x[0] > 0.0:
            y = x[1]
            x[0] = y
        return len(locals()) * x[0]

    with pytest.raises(UserError, match="'y' is assigned on some paths only"):
        rg.jit(f)(A)
