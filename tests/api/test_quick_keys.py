"""Calls with plain trees find what was compiled by a key of words."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
import pytest

import retrograd as rg
from retrograd.api.calls.quick_keys import quick_key

X = np.array([1.0, 2.0, 3.0])


class Pair(NamedTuple):
    a: Any
    b: Any


APART: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}), ((1.0,), {}), ((1,), {}), ((True,), {}), ((None,), {}), ((X,), {}), ((X[:2],), {}),
    ((X.reshape(1, 3),), {}), ((X > 1.0,), {}), ((X.astype(int),), {}), ((X + 0j,), {}),
    (((1.0,),), {}), (([1.0],), {}), (((1.0,), 1.0), {}), (((1.0, 1.0),), {}), (((), 1.0, 1.0), {}),
    (({"a": 1.0},), {}), (({"b": 1.0},), {}), (({1: 1.0},), {}), (({},), {}), ((((),),), {}),
    (({"a": 1.0, "b": 1.0},), {}), (({"b": 1.0, "a": 1.0},), {}), (({"a": {"b": 1.0}},), {}),
    ((), {"a": 1.0}), ((), {"b": 1.0}), ((1.0,), {"a": 1.0}), ((), {"a": (1.0,)}),
]  # fmt: skip


def test_what_is_compiled_apart_has_keys_apart() -> None:
    found = [quick_key(*given) for given in APART]
    assert None not in found
    assert len({key for key, _ in found if key is not None}) == len(APART)


@pytest.mark.parametrize(
    "value", [Pair(1.0, X), np.float64(1.0), np.array(1.0), "text", {True: 1.0}, {(1,): 1.0}, len]
)
def test_other_values_have_none(value: Any) -> None:
    assert quick_key((value,), {}) is None
    assert quick_key(([1.0, (value,)],), {}) is None
    assert quick_key((), {"a": {"b": value}}) is None


def loss(p: Any, x: Any = None, *, scale: float = 1.0) -> Any:
    total = 0.0
    for name in p:
        total += np.sum(p[name] * p[name]) * scale
    return total if x is None else total * np.sum(x[0]) + x[1]


def test_second_calls_are_those_of_the_types() -> None:
    given: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        (({"w": X, "b": 2.0},), {}),
        (({"b": 2.0, "w": X},), {}),
        (({"w": X[:2], "b": 2.0},), {}),
        (({"w": X, "b": X}, (X, 3)), {}),
        (({"w": X, "b": X}, [X, 3.0]), {"scale": 2.0}),
        (({"w": X, "b": X}, None), {"scale": 3.0}),
    ]
    compiled, slopes = rg.jit(loss), rg.value_and_grad(loss)
    for _ in range(3):
        for args, kwargs in given:
            value = loss(*args, **kwargs)
            assert compiled(*args, **kwargs) == pytest.approx(value, rel=1e-14)
            found, tree = slopes(*args, **kwargs)
            assert found == compiled(*args, **kwargs)
            assert list(tree) == list(args[0])
            scale = kwargs.get("scale", 1.0)
            factor = np.sum(args[1][0]) if len(args) > 1 and args[1] is not None else 1.0
            for name in tree:
                np.testing.assert_allclose(tree[name], 2.0 * scale * factor * args[0][name])


def test_what_a_program_writes_is_written_every_time() -> None:
    def fill(p: Any, k: Any) -> Any:
        p["w"][0] = k[0]
        return np.sum(p["w"])

    compiled = rg.jit(fill)
    for k in (5.0, 6.0, 7.0):
        tree = {"w": X.copy()}
        assert compiled(tree, (k,)) == k + 5.0
        assert tree["w"][0] == k
    both = {"w": X.copy(), "v": X}
    both["v"] = both["w"]
    with pytest.warns(RuntimeWarning, match="overlaps"):
        compiled(both, (1.0,))


def test_a_function_that_has_changed_is_compiled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = rg.jit(lambda p: of_module(p["x"]))
    assert [compiled({"x": 3.0}) for _ in range(2)] == [6.0, 6.0]
    monkeypatch.setitem(globals(), "of_module", lambda x: 5.0 * x)
    assert [compiled({"x": 3.0}) for _ in range(2)] == [15.0, 15.0]


def of_module(x: Any) -> Any:
    return 2.0 * x


# What a program reads at every call.

RATE = 0.5
TABLE = np.array([1.0, 2.0, 3.0])
NAMES = ("first", "second")


def weighted(x: Any) -> Any:
    which = 1.0 if "first" in NAMES else 2.0
    return which * RATE * np.sum(TABLE * x)


def test_what_is_read_is_looked_at_in_quick_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    slopes, x = rg.grad(weighted), np.ones(3)
    for _ in range(2):
        assert slopes(x).tolist() == [0.5, 1.0, 1.5]
    assert len(slopes.quick) == len(slopes.made) == 1
    module = sys.modules[__name__]
    monkeypatch.setattr(module, "RATE", 2.0)
    assert slopes(x).tolist() == [2.0, 4.0, 6.0]
    TABLE[0] = 5.0
    assert slopes(x).tolist() == [10.0, 4.0, 6.0]
    monkeypatch.setattr(module, "TABLE", np.ones(1))
    assert slopes(x).tolist() == [2.0, 2.0, 2.0]
    monkeypatch.setattr(module, "TABLE", np.array([1, 2, 3]))
    assert slopes(x).tolist() == [2.0, 4.0, 6.0]
    monkeypatch.setattr(module, "NAMES", ("second",))
    assert slopes(x).tolist() == [4.0, 8.0, 12.0]
    monkeypatch.setattr(module, "RATE", True)
    assert slopes(x).tolist() == [2.0, 4.0, 6.0]
    monkeypatch.delattr(module, "RATE")
    with pytest.raises((NameError, rg.UserError)):
        slopes(x)


def test_what_is_no_plain_value_is_looked_at_as_a_whole() -> None:
    table = {"rate": 2.0}

    def f(x: float) -> float:
        return x * x * table["rate"]

    slope = rg.grad(f)
    assert [slope(3.0), slope(3.0)] == [12.0, 12.0]
    assert not slope.quick
    table["rate"] = 1.0
    assert slope(3.0) == 6.0
