"""Trees of parameters: dicts, lists, tuples and None as arguments, results and gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from retrograd.testing import check_grads


class Layer(NamedTuple):
    w: Any
    b: Any


@dataclass(frozen=True)
class Head:
    scale: float
    power: int


def forward(params: Any, x: Any) -> Any:
    for layer in params["layers"]:
        x = np.tanh(x @ layer.w + layer.b)
    head = params["head"]
    y = x @ params["out"]["v"] * head.scale ** float(head.power)
    return y if params["shift"] is None else y + params["shift"]


def loss(params: Any, x: Any, target: Any) -> float:
    error = forward(params, x) - target
    return np.mean(error * error) + params["decay"] * np.sum(params["out"]["v"] ** 2.0)


def example() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    layers = [Layer(rng.normal(size=(2, 3)), np.zeros(3)), Layer(rng.normal(size=(3, 3)), 0.1)]
    params = {
        "out": {"v": rng.normal(size=3)}, "layers": layers, "head": Head(0.5, 2), "shift": None,
        "decay": 0.01, "epochs": 3, "flags": (True, np.array([1, 2])),
    }  # fmt: skip
    return params, rng.normal(size=(4, 2)), rng.normal(size=4)


def test_gradients_have_the_structure_of_the_argument() -> None:
    args = example()
    params, x, target = args
    assert abs(rg.jit(loss)(*args) - loss(*args)) < 1e-14
    value, gradient = rg.value_and_grad(loss)(*args)
    assert abs(value - loss(*args)) < 1e-14
    assert list(gradient) == list(params)
    assert gradient["shift"] is None
    assert gradient["epochs"] is None
    assert gradient["flags"] == (None, None)
    assert type(gradient["layers"]) is list
    assert type(gradient["layers"][0]) is Layer
    assert gradient["head"].power is None
    step = 1e-6
    for path, at in (("v", (1,)), ("w", (1, 2)), ("b", ())):
        both: list[float] = []
        for sign in (1.0, -1.0):
            moved = example()[0]
            if path == "v":
                moved["out"]["v"][at] += sign * step
            else:
                layer = moved["layers"][1]
                new = np.array(getattr(layer, path))
                new[at] += sign * step
                changed = layer._replace(**{path: new if new.ndim else float(new)})
                moved["layers"][1] = changed
            both.append(loss(moved, x, target))
        found = gradient["out"]["v"] if path == "v" else getattr(gradient["layers"][1], path)
        assert abs(np.asarray(found)[at] - (both[0] - both[1]) / (2 * step)) < 1e-8
    small = rg.value_and_grad(loss, memory="1MB")(*args)
    assert repr(small) == repr((value, gradient))


@pytest.mark.slow
def test_the_four_identities_hold() -> None:
    params, x, _ = example()
    check_grads(forward, (params, x), order=2)


def energy(p: Any) -> float:
    total = p["k"] * 0.5
    state = {"x": p["start"]["x"].copy(), "v": p["start"]["v"].copy()}
    for i in range(20):
        state["v"] -= 0.1 * p["k"] * state["x"]
        state["x"] = state["x"] + 0.1 * state["v"]
        if state["x"][0] > 1.0:
            state = {"x": state["x"] * 0.5, "v": state["v"] + 0.1}
        total += np.sum(state["x"] * state["v"]) * (i + 1)
    return total


def start() -> Any:
    return {"k": 0.7, "start": {"x": np.array([0.3, 1.2]), "v": np.array([0.5, -0.2])}, "n": 4}


def test_products_take_trees() -> None:
    p = start()
    gradient = rg.grad(energy)(p)
    # The order of keys of a direction is the caller's own.
    direction = {"n": 0, "start": {"v": np.array([1.0, 2.0]), "x": np.array([0.5, 0.0])}, "k": -1.0}
    y, y_dot = rg.jvp(energy, (p,), (direction,))
    along = (
        -gradient["k"]
        + gradient["start"]["v"] @ np.array([1.0, 2.0])
        + gradient["start"]["x"][0] * 0.5
    )
    assert abs(y - energy(start())) < 1e-12
    assert abs(y_dot - along) < 1e-10 * abs(along)
    for options in ({}, {"memory": "60kB"}):
        _, pullback = rg.vjp(energy, p, **options)
        (pulled,) = pullback(1.0)
        assert repr(pulled) == repr(gradient)
    product = rg.hvp(energy, (p,), (direction,))
    assert product["n"] is None
    step = 1e-6

    def at(s: float) -> Any:
        moved = start()
        moved["k"] -= s
        moved["start"]["v"] += s * np.array([1.0, 2.0])
        moved["start"]["x"][0] += 0.5 * s
        return rg.grad(energy)(moved)

    high, low = at(step), at(-step)
    assert abs(product["k"] - (high["k"] - low["k"]) / (2 * step)) < 1e-5
    with pytest.raises(UserError, match="the keys") as caught:
        rg.jvp(energy, (p,), ({"k": 1.0},))
    assert caught.value.code == "RG0305"


def pair(p: Any) -> Any:
    return {"y": p["a"] * p["b"], "z": np.sum(p["b"] ** 2.0) * p["a"]}


def test_jacobians_are_trees_of_trees() -> None:
    p = {"b": np.array([1.0, 2.0]), "a": 3.0, "n": 2}
    for jacobian in (rg.jacfwd, rg.jacrev):
        found = jacobian(pair)(p)
        assert list(found) == ["y", "z"]
        assert list(found["y"]) == ["b", "a", "n"]
        assert found["y"]["n"] is None
        assert np.allclose(found["y"]["b"], 3.0 * np.eye(2))
        assert np.allclose(found["y"]["a"], [1.0, 2.0])
        assert np.allclose(found["z"]["b"], [6.0, 12.0])
        assert found["z"]["a"] == 5.0
    second = rg.hessian(lambda q: pair(q)["z"])(p)
    assert np.allclose(second["b"]["b"], 6.0 * np.eye(2))
    assert np.allclose(second["a"]["b"], [2.0, 4.0])
    assert second["n"] is None


def inside(p: Any) -> Any:
    gradient = rg.grad(lambda q: np.sum(pair(q)["y"]) * q["a"])(p)
    value, dot = rg.jvp(pair, (p,), ({"a": 1.0, "n": 0, "b": p["b"]},))
    y, pullback = rg.vjp(pair, p)
    (bars,) = pullback({"z": 1.0, "y": p["b"]})
    both = rg.jacfwd(lambda q: pair(q)["z"])(p)
    return gradient, dot["z"], bars, both["b"], value["z"], y["z"]


def test_derivatives_inside_of_programs_take_dicts() -> None:
    p = {"b": np.array([1.0, 2.0]), "a": 3.0, "n": 2}
    plain, compiled = inside(p), rg.jit(inside)(p)
    assert repr(plain) == repr(compiled)
    assert plain[0]["n"] is None
    assert np.allclose(plain[0]["b"], [9.0, 9.0])


@rg.custom_vjp
def scaled(p: Any) -> Any:
    return {"y": p["a"] * p["b"]}


scaled.defvjp(
    lambda p: (scaled(p), p),
    lambda p, bar: ({"b": 10.0 * p["a"] * bar["y"], "a": np.sum(p["b"] * bar["y"])},),
)


def test_rules_take_dicts() -> None:
    p = {"a": 3.0, "b": np.array([1.0, 2.0])}
    gradient = rg.grad(lambda q: np.sum(scaled(q)["y"] * 2.0))(p)
    assert gradient["a"] == 6.0
    assert np.allclose(gradient["b"], [60.0, 60.0])


def counted(d: Any, x: float) -> float:
    d["n"] = d["n"] + 1.0
    return d["n"] * x


def test_derivatives_never_change_a_dict() -> None:
    d = {"n": 1.0}
    assert rg.grad(counted)(d, 3.0) == {"n": 3.0}
    assert d == {"n": 1.0}
    with pytest.raises(UserError, match="twice") as caught:
        rg.grad(lambda a, b, x: counted(a, x) + b["n"])(d, d, 3.0)
    assert caught.value.code == "RG0307"


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (({"n": 1},), "RG0302"),
        (({},), "RG0302"),
        (({float("nan"): 1.0},), "RG0103"),
        ((b"word",), "RG0103"),
    ],
)  # fmt: skip
def test_what_cannot_be_differentiated_is_refused(args: Any, code: str) -> None:
    with pytest.raises(UserError) as caught:
        rg.grad(lambda d: 1.0 * len(d))(*args)
    assert caught.value.code == code


def scaled_sums(p, x):
    p["calls"] += 1
    sums = np.sum(x, axis=p["axis"])
    for name, size in p["sizes"]:
        sums = sums + size * len(name) if p["shift"] else sums
    return np.sum(sums**2) * p["w"]


def config(axis, shift):
    return {"axis": axis, "calls": 1, "w": 2.0, "sizes": [("a", 1), ("bcd", 2)], "shift": shift}


def test_ints_of_a_tree_are_known_where_they_have_to_be():
    x = np.arange(6.0).reshape(2, 3)
    compiled, slope = rg.jit(scaled_sums), rg.grad(scaled_sums, argnums=(0, 1), memory="1MB")
    for axis, shift in ((0, True), (1, False), ((0, 1), True), (0, True)):
        p, q = config(axis, shift), config(axis, shift)
        value = scaled_sums(p, x)
        assert compiled(q, x) == pytest.approx(value, rel=1e-14)
        assert q == p
        bars, _ = slope(p, x)
        assert bars["w"] == pytest.approx(value / 2.0, rel=1e-14)
        assert [bars["calls"], bars["shift"], bars["sizes"]] == [None, None, [(None, None)] * 2]
    assert rg.jvp(scaled_sums, (p, x), (bars, 0.0 * x))[1] == pytest.approx(value * value / 4.0)
    assert rg.check_grads(scaled_sums, (p, x)).ok


def test_an_int_that_is_an_argument_itself_is_declared():
    with pytest.raises(rg.UserError, match="axis") as caught:
        rg.jit(lambda x, axis: np.sum(x, axis=axis))(np.eye(2), 0)
    assert "static_argnames" in str(caught.value.way_out)
