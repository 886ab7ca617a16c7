"""`defaultdict` and `Counter` that a function is given, as arguments and as globals."""

from __future__ import annotations

import copy
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import Limitation, UserError
from tests.frontend.harness import agree

X = np.array([0.5, -1.5, 2.5, -0.5])
FLOATS = defaultdict(float, {"a": 2.0, "b": 3.0})
COUNTS = Counter("aab")
LOG: Any = defaultdict(list)
SHARED = np.zeros(2)


def of_shared() -> Any:
    return SHARED


def four() -> float:
    return 4.0


def read(x: Any, d: Any) -> Any:
    s = 0.0
    for k, (_, v) in enumerate(d.items()):
        s += v * x[k]
    return s + d["a"] * x[0] + d.get("none", 7.0) + len(d) + ("b" in d) + ("none" in d)


def inserted(x: Any, d: Any) -> Any:
    d["c"] += x[0]
    d["a"] += x[1]
    for k in range(2):
        d[f"k{k}"] -= x[k]
    return d["a"] * d["c"] + d["none"] + len(d)


def callee(d: Any, v: Any) -> None:
    d["c"] += v
    d.pop("a", None)


def in_a_callee(x: Any, d: Any) -> Any:
    callee(d, x[0])
    callee(d, x[1])
    return d["c"] * x[2] + d["a"] + len(d)


def order(x: Any, d: Any) -> Any:
    del d["a"]
    d["a"] = x[0]
    _ = d["c"]
    d.update({"e": x[1], "b": x[2]})
    return sum((k + 1) * d[key] for k, key in enumerate(d))


def refilled(x: Any, d: Any) -> Any:
    values = d.values()
    d.clear()
    d["n"] += x[0]
    return sum(values) + len(d)


def copied(x: Any, d: Any) -> Any:
    e, plain, whole = d.copy(), dict(d), copy.deepcopy(d)
    e["none"] += x[0]
    whole["a"] -= x[1]
    return e["none"] * whole["a"] + plain.get("none", 2.0) + len(d) + (d | {"z": 1.0})["z"]


def nested(x: Any, d: Any) -> Any:
    d["q"]["r"] += x[0]
    d["q"]["s"] += x[1]
    return d["q"]["r"] * d["q"]["s"] + len(d)


def lists(x: Any, d: Any) -> Any:
    for k in range(3):
        d["all"].append(x[k])
    d["two"].extend([x[0], 2.0])
    return sum(d["all"]) * len(d["two"]) + sum(d.get("old", [])) + len(d["new"])


def counted(x: Any, d: Any) -> Any:
    d.update(["a", "b", "a"])
    d["z"] -= 1
    _, most = d.most_common(1)[0]
    return x[0] * d["a"] + d["none"] * x[1] + most + len(d)


def missing(x: Any, d: Any) -> Any:
    d["n"] += x[0]
    return dict(d)["none"] * x[0]


def not_inserted(x: Any, d: Any) -> Any:
    return d["none"] * x[0]


def deleted(x: Any, d: Any) -> Any:
    del d["none"]
    return x[0]


def shared(x: Any, d: Any) -> Any:
    d["k"][0] += x[0]
    d["m"][1] += x[1]
    return np.sum(d["k"] * d["m"])


def floats() -> Any:
    return defaultdict(float, FLOATS)


CASES: list[tuple[Callable[..., Any], Callable[[], Any]]] = [
    (read, floats), (read, lambda: Counter("aab")), (inserted, floats),
    (inserted, lambda: Counter(a=2.5)), (inserted, lambda: defaultdict(four, a=1.0)),
    (inserted, lambda: defaultdict(partial(float, 3.0), a=1.0)), (in_a_callee, floats),
    (order, floats), (refilled, floats), (copied, floats),
    (nested, lambda: defaultdict(partial(defaultdict, float))),
    (nested, partial(defaultdict, Counter)),
    (lists, lambda: defaultdict(list, old=[1.0, 2.0])), (counted, lambda: Counter("bbbc")),
    (missing, floats), (not_inserted, lambda: defaultdict(None, a=1.0)), (deleted, floats),
]  # fmt: skip


@pytest.mark.parametrize(("f", "make"), CASES)
def test_values_and_what_the_caller_is_left_are_those_of_python(
    f: Callable[..., Any], make: Callable[[], Any]
) -> None:
    agree(f, X.copy(), make())


@pytest.mark.parametrize(
    ("f", "make"), [(inserted, floats), (in_a_callee, floats), (order, floats), (copied, floats)]
)
def test_gradients(f: Callable[..., Any], make: Callable[[], Any]) -> None:
    given = make()
    found = rg.grad(f)(X, given)
    assert given == FLOATS
    rises = [(f(X + h, make()) - f(X - h, make())) / 2e-6 for h in 1e-6 * np.eye(4)]
    np.testing.assert_allclose(found, rises, atol=1e-6)
    assert np.array_equal(rg.grad(f, memory="1MB")(X, given), found)


def test_class_and_factory_are_kept() -> None:
    given = floats()

    def changed(x: Any, d: Any) -> Any:
        d["c"] += x[0]
        return d

    found = rg.jit(changed)(X, given)
    for one in (given, found):
        assert type(one) is defaultdict
        assert one.default_factory is float
        assert list(one.items()) == [("a", 2.0), ("b", 3.0), ("c", 0.5)]
    slopes = rg.grad(lambda d: d["a"] ** 2 * d["b"] + d["none"])(given)
    assert slopes == {"a": 12.0, "b": 4.0, "c": 0.0}
    assert type(slopes) is defaultdict
    assert type(rg.grad(lambda d: d["a"] ** 2)(Counter(a=1.5))) is Counter


def test_another_factory_is_another_program() -> None:
    f = rg.jit(lambda d: d["none"] + 0.5)
    assert f(defaultdict(float)) == 0.5
    assert f(defaultdict(four)) == 4.5
    assert f(Counter()) == 0.5
    with pytest.raises(KeyError, match="none"):
        f({})
    with pytest.raises(KeyError, match="none"):
        f(defaultdict(None))


def test_globals() -> None:
    def f(x: Any) -> Any:
        return FLOATS["b"] * x[0] + COUNTS["a"] * x[1] + COUNTS["none"]

    value, slopes = rg.value_and_grad(f)(X)
    assert value == f(X)
    assert slopes.tolist() == [3.0, 2.0, 0.0, 0.0]

    def logged(x: Any) -> Any:
        LOG["loss"].append(x[0])
        return x[0] ** 2

    LOG.clear()
    assert rg.grad(logged)(X)[0] == 1.0
    assert LOG == {}
    assert rg.jit(logged)(X) == 0.25
    assert LOG == {"loss": [0.5]}
    assert type(LOG) is defaultdict


def test_what_a_factory_shares_is_shared() -> None:
    given: Any = defaultdict(of_shared)
    try:
        assert rg.jit(shared)(X, given) == 2.5
        assert SHARED.tolist() == [0.5, -1.5]
        assert given["k"] is SHARED
        assert given["m"] is SHARED
    finally:
        SHARED[:] = 0.0
    np.testing.assert_allclose(rg.grad(shared)(X, defaultdict(of_shared))[:2], [1.0, -3.0])
    assert SHARED.tolist() == [0.0, 0.0]


def test_what_is_refused() -> None:
    def two(x: Any, d: Any, e: Any) -> Any:
        d["n"] += x[0]
        return e["n"] * x[1]

    given = floats()
    with pytest.raises(UserError, match=r"one defaultdict is given twice[\s\S]*d\.copy\(\)"):
        rg.jit(two)(X, given, given)
    assert rg.jit(two)(X, given, given.copy()) == 0.0

    def other_factory(x: Any, d: Any) -> Any:
        d.default_factory = None
        return x[0]

    with pytest.raises(Limitation, match="another factory"):
        rg.jit(other_factory)(X, floats())
    assert rg.grad(other_factory)(X, floats())[0] == 1.0
    with pytest.raises(UserError, match="a defaultdict whose factory is a method"):
        rg.jit(read)(X, defaultdict(count().__next__))

    class Own(Counter[str]):
        pass

    with pytest.raises(UserError, match="is a Own"):
        rg.jit(read)(X, Own())
