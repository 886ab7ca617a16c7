"""Dicts with known keys: made in the program, changed there, as arguments and as results."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree, interpreted, same


class Axis(Enum):
    X = 1
    Y = 2


PARAMS = {"w": np.array([1.0, -2.0]), "b": 0.5, "deep": {"n": 3}}


def made(x: float) -> Any:
    d = {"a": x, 3: 2.0 * x, None: 1, True: x, (1, "b"): x - 1.0}
    e = dict(a=x, b=2.0)
    f = dict([("p", x), ("q", e)])
    return d, e, f, d["a"] + d[1] + d[(1, "b")], len(d), "a" in e, "c" not in e, {} == {}


def changed(x: float) -> Any:
    d = {"a": x}
    other = d
    other["b"] = 2.0 * x
    d["a"] += 1.0
    d["c"] = d.pop("a") * 3.0
    d.setdefault("e", x)
    got = d.setdefault("b", 7.0), d.get("z"), d.get("z", 4.0), d.get("b", 4.0), d.pop("q", x)
    del d["e"]
    e = d | {"b": 0.0, "n": 1.0}
    e |= {"m": x}
    e.update(k=x, m=2.0)
    e.update([("k", 3.0)])
    last = e.popitem()
    f = e.copy()
    f.clear()
    return d, other, got, e, last[1], f, len(list(d)), d is other, d == {"c": d["c"], "b": d["b"]}


def loops(x: float) -> Any:
    d = {"a": x, "b": np.array([x, 1.0]), "c": 3.0}
    total = 0.0
    for key in d:
        if key != "b":
            total += d[key]
    for key, value in d.items():
        d[key] = value * 2.0
    for value in d.values():
        total = total + np.sum(value)
    names = [key for key in d.keys()]
    doubled = {key: np.sum(value) for key, value in d.items() if key != "c"}
    table = {(i, j): i * x + j for i in range(2) for j in range(2)}
    order = 0
    for k, (_, value) in enumerate(d.items()):
        order += k
    return total, len(names), doubled, table, order, sum(doubled.values()), max(doubled.values())


def shared(x: float) -> Any:
    d = {"v": np.array([x, 2.0])}
    v = d["v"]
    v[0] = 5.0
    d["v"] += 1.0
    d["v"][1] *= x
    e = {"d": d, "again": d}
    e["again"]["new"] = x
    return v, d, e["d"]["new"]


def store(d: Any, x: float) -> None:
    d["x"] = x
    d["count"] += 1


def calls(x: float) -> Any:
    d = {"count": 0}

    def local() -> float:
        d["y"] = x
        return d["x"]

    store(d, x)
    store(d, 2.0 * x)
    local()
    return d, keywords(x, **{"b": 3.0}), keywords(1.0, b=x, c=2.0), gathered(x, q=2.0, p=x)


def keywords(a: float, b: float = 1.0, c: float = 0.0) -> float:
    return a - 2.0 * b + c


def gathered(x: float, *, p: float, **others: float) -> Any:
    return others, p, keywords(x, **{"b": others["q"]})


def branches(x: float) -> Any:
    d = {"a": x, "b": 1}
    if x > 1.0:
        d["a"] = 3.0
        d["new"] = 1.0
    else:
        d["new"] = x
        d["b"] = 2
    e = {"a": 1.0} if x > 0.0 else {"a": x}
    return d, e["a"]


def carried(x: float, n: int) -> Any:
    state = {"x": x, "v": 0.0, "h": np.zeros(3), "n": 0}
    for i in range(n):
        old = dict(state)
        state["x"] += 0.1 * state["v"]
        state["v"] = old["v"] - 0.1 * state["x"]
        state["h"][i % 3] += state["x"]
        state["n"] += i
        if state["x"] < 0.0:
            state = {"x": 1.0, "v": state["v"], "h": state["h"], "n": 0}
    return state


def from_outside(x: float) -> Any:
    return np.sum(PARAMS["w"]) * x + PARAMS["b"] * PARAMS["deep"]["n"], {**PARAMS["deep"], "m": 1}


def empty(d: Any) -> int:
    return 1 if d else 2


@pytest.mark.parametrize("x", [0.7, 2.0])
def test_a_dict_is_what_it_is_in_python(x: float) -> None:
    for f in (made, changed, loops, shared, calls, branches, from_outside):
        agree(f, x)
    for n in (0, 1, 7):
        agree(carried, x, n)


def test_dicts_are_arguments_and_results() -> None:
    tree = {"a": 1.0, "l": [{"w": np.ones((2, 2)), "b": None}, (2, True)], (1, None): 2}
    agree(lambda d: (d, d["l"][0]["w"] * d["a"], len(list(d)), d["l"][0]["b"] is None), tree)
    agree(lambda **kw: {**kw, "n": len(kw)}, b=2.0, a=1)
    agree(gathered, 2.0, q=3.0, p=1.0, r=5.0)
    agree(empty, {})
    agree(left_after_a_change, 1.5)
    assert interpreted(lambda d: {**d, "x": 2.0 * d["x"]}, {"mode": "fast", "x": 1.0}) == {
        "mode": "fast", "x": 2.0
    }  # fmt: skip
    agree(empty, {"a": 0})
    agree(lambda d: d[Axis.X] * 2.0, {Axis.X: 1.0, Axis.Y: 2.0})


@pytest.mark.parametrize(
    "f",
    [
        lambda x: {"a": x}["b"],
        lambda x: {"a": x}.pop("b"),
        lambda x: {"a": x}["b"] if x > 0.0 else 1.0,
        lambda x: {}.popitem(),
    ],
)
def test_a_missing_key_raises_on_its_path(f: Any) -> None:
    agree(f, 1.0)
    agree(f, -1.0)


def other_keys(x: float) -> Any:
    d = {"a": x}
    if x > 0.0:
        d["b"] = np.zeros(2)
    return sum(np.sum(v) for v in d.values())


def test_values_of_several_kinds_are_looped_over():
    agree(other_keys, 1.0)
    agree(other_keys, -1.0)


def grown_in_its_own_loop(x: float) -> float:
    d = {"a": x}
    for name, value in d.items():
        d[name + "b"] = value
    return x


def left_after_a_change(x: float) -> float:
    d = {"a": x, "b": 2.0}
    for name in d:
        if name == "b":
            d["c"] = d.pop("b") * 3.0
            break
    return d["c"] * d["a"]


def grown_in_a_loop(n: int) -> Any:
    d: dict[int, float] = {}
    for i in range(n):
        d[i] = 1.0
    return d


def aliased(c: bool, a: float) -> float:
    v, u = {"x": a}, {"x": 2.0 * a}
    w = v if c else u
    w["x"] = 5.0 * a
    return v["x"]


def aliased_in_a_loop(n: int, a: float) -> float:
    v, u = {"x": a}, {"x": 2.0 * a}
    w = v
    for _ in range(n):
        w["x"] += 1.0
        w = u
    return v["x"]


def contains_itself(x: float) -> float:
    d = {"x": x}
    d["d"] = d
    return d["x"]


def test_one_of_two_dicts_changes_under_either_name() -> None:
    for c in (True, False):
        agree(aliased, c, 1.0)
    for n in range(4):
        agree(aliased_in_a_loop, n, 1.0)


@pytest.mark.parametrize(
    ("f", "args", "code", "text"),
    [
        (grown_in_its_own_loop, (1.0,), "RG0101", "changes its keys"),
        (grown_in_a_loop, (3,), "RG0103", "run time only"),
        (lambda x: {x: 1.0}, (1.0,), "RG0103", "the result is a dict"),
        (contains_itself, (1.0,), "RG0101", "contains itself"),
        (lambda d: d["a"], ({b"x": 1.0},), "RG0103", "a key of type bytes"),
    ],
)
def test_what_is_refused(f: Any, args: Any, code: str, text: str) -> None:
    with pytest.raises(UserError, match=text) as caught:
        interpreted(f, *args)
    assert caught.value.code == code
    assert caught.value.way_out


def changes(d: Any, x: float) -> Any:
    d["x"] = x
    d["n"] += 1
    d["h"], d["g"] = d["g"], d["h"]
    d["h"][0] = 9.0
    d["in"]["v"] *= x
    d["in"]["new"] = {"q": d.pop("old"), "l": [1.0, x]}
    if x > 1.0:
        d["n"] = 7
    d["text"] = "fast"
    return d["n"] * x


def replaced(d: Any, x: float) -> Any:
    d.clear()
    d.update(b=x, a=2.0)
    return x


def caller() -> Any:
    inner = {"v": 2.0, "u": None}
    return {"n": 1, "old": 0.5, "h": np.array([1.0, 2.0]), "g": np.ones(2), "in": inner}


STATE: dict[str, Any] = {"n": 0, "h": np.zeros(2)}


def counting(x: float) -> float:
    STATE["n"] += 1
    STATE["h"][0] += x
    return x * STATE["n"]


def test_changes_of_the_callers_dicts_are_written_back() -> None:
    for f in (changes, replaced):
        for x in (0.5, 2.0):
            agree(f, caller(), x)
            ours, theirs = caller(), caller()
            kept, arrays = ours["in"], (ours["g"], ours["h"])
            assert rg.jit(f)(ours, x) == f(theirs, x)
            same(ours, theirs)
            if f is changes:
                assert ours["in"] is kept
                assert (ours["h"], ours["g"]) == arrays or ours["h"] is arrays[0]
    native = rg.jit(counting)
    assert [native(2.0), native(2.0)] == [2.0, 4.0]
    assert (STATE["n"], STATE["h"][0]) == (2, 4.0)
    agree(lambda x, **kw: (kw.pop("b") * x, len(kw)), 2.0, b=3.0, c=1.0)


def test_a_dict_of_the_caller_is_the_same_one_elsewhere() -> None:
    d, inner = caller(), {"x": 1.0}
    rg.jit(lambda a, b: a.update(last=b))(d, inner)
    assert d.pop("last") is inner
    with pytest.raises(UserError) as twice:
        rg.jit(lambda a, b: (store({"count": 0}, 1.0), a.update(n=2), b["n"])[2])(d, d)
    assert twice.value.code == "RG0307"
    same(d, caller())


CONFIG = {"axis": 0, "rate": 0.5, "act": "tanh", "sizes": (2, 3)}
ACTIVATIONS = {"tanh": np.tanh, "exp": np.exp}


def by_a_table(x: Any) -> Any:
    f = ACTIVATIONS[CONFIG["act"]]
    return np.sum(f(x), axis=CONFIG["axis"]) * CONFIG["rate"] + len(np.zeros(CONFIG["sizes"]))


def test_ints_of_a_dict_from_outside_are_literals_where_they_have_to_be() -> None:
    x = np.arange(6.0).reshape(2, 3) * 0.1
    agree(by_a_table, x)
    native = rg.jit(by_a_table)
    try:
        for axis, rate, act in ((0, 2.0, "tanh"), (1, 2.0, "tanh"), (1, 1.0, "exp")):
            CONFIG.update(axis=axis, rate=rate, act=act)
            same(native(x), by_a_table(x))
    finally:
        CONFIG.update(axis=0, rate=0.5, act="tanh")


def ordered(d: Any, x: float) -> Any:
    p: dict[str, float] = {}
    for i in range(3):
        p[f"w{i}"] = x * i
    total = sum(p[f"w{i}"] * (i + 1) for i in range(3)) + dict.fromkeys(("a", "b"), x)["b"]
    for k, name in enumerate(sorted(d)):
        total += d[name] * k
    for name, value in sorted(d.items(), reverse=True):
        total = total * value + len(name)
    for _, value in sorted(d.items(), key=lambda pair: ("b" in pair[0], pair[0])):
        total = total * value
    return total, len(sorted(p, key=len)), sorted((3.0, 1.0, 2.0))


def test_known_items_are_sorted_where_they_are_known() -> None:
    agree(ordered, {"bz": 1.5, "ay": 0.5, "cx": 2.0}, 0.75)
