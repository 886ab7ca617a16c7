"""`rg.tree`, `has_aux` of products, `linearize` and `memory=` of second derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError


class Pair(NamedTuple):
    a: Any
    b: Any


def params() -> Any:
    return {"w": np.array([[1.0, 2.0], [3.0, 4.0]]), "p": Pair(0.5, None), "l": [2.0, {"z": 1.0}]}


def test_trees_are_taken_apart_and_put_together() -> None:
    tree = params()
    leaves, structure = rg.tree.flatten(tree)
    assert [np.sum(leaf) for leaf in leaves] == [2.0, 1.0, 0.5, 10.0]
    assert repr(rg.tree.unflatten(structure, leaves)) == repr(tree)
    assert list(rg.tree.unflatten(structure, leaves)) == ["w", "p", "l"]
    assert rg.tree.structure(dict(reversed(tree.items()))) == structure
    assert rg.tree.structure({**tree, "p": (0.5, None)}) != structure
    doubled = rg.tree.map(lambda x, y: x + y, tree, tree)
    assert doubled["p"] == Pair(1.0, None)
    assert doubled["l"] == [4.0, {"z": 2.0}]
    assert rg.tree.map(lambda x: x, None) is None
    assert rg.tree.leaves({2: 1.0, "a": 2.0, (1,): 3.0}) == [1.0, 2.0, 3.0]
    for other in ({"w": 1.0}, [1.0], {**tree, "p": Pair(0.5, 1.0)}, {**tree, "l": [1.0]}):
        with pytest.raises(UserError) as caught:
            rg.tree.map(lambda x, y: x, tree, other)
        assert caught.value.code == "RG0305"
    with pytest.raises(UserError):
        rg.tree.unflatten(structure, leaves[1:])


class Model:
    def __init__(self) -> None:
        self.layer = Layer(np.ones(2), 0.5)
        self.scale = 2.0
        self.power = 3

    def loss(self, x: Any) -> Any:
        return np.sum((self.layer.weights * x + self.layer.bias) ** self.power) * self.scale


@dataclass
class Layer:
    weights: Any
    bias: float


def test_objects_are_trees_of_their_attributes() -> None:
    model, x = Model(), np.array([1.0, 2.0])
    slopes = rg.grad(lambda m: m.loss(x))(model)
    stepped = rg.tree.map(lambda p, g: p if g is None else p - 1e-3 * g, model, slopes)
    assert isinstance(stepped, Model)
    assert isinstance(stepped.layer, Layer)
    assert stepped.power == 3
    assert stepped.loss(x) < model.loss(x)
    assert rg.tree.structure(stepped) == rg.tree.structure(model)
    vector, unravel = rg.tree.ravel(model.layer)
    assert vector.tolist() == [0.5, 1.0, 1.0]
    assert unravel(2.0 * vector).bias == 1.0
    with pytest.raises(UserError, match="RG0305"):
        rg.tree.map(lambda p, q: p, model, Layer(1.0, 2.0))


def test_vectors_of_trees_have_the_order_of_sorted_keys() -> None:
    vector, unravel = rg.tree.ravel(params())
    assert vector.tolist() == [2.0, 1.0, 0.5, 1.0, 2.0, 3.0, 4.0]
    again = unravel(2.0 * vector)
    assert again["p"] == Pair(1.0, None)
    assert np.all(again["w"] == 2.0 * params()["w"])

    def loss(v: Any) -> Any:
        tree = unravel(v)
        return tree["w"][1, 0] * tree["p"].a + tree["l"][1]["z"] ** 2.0

    assert rg.jit(loss)(vector) == loss(vector)
    assert rg.grad(loss)(vector).tolist() == [0.0, 2.0, 3.0, 0.0, 0.0, 0.5, 0.0]
    with pytest.raises(ValueError, match="as long as"):
        unravel(vector[1:])
    with pytest.raises(ValueError, match="as long as"):
        rg.grad(loss)(vector[1:])
    with pytest.raises(UserError):
        rg.tree.ravel({"a": "text"})


def step(tree: Any, x: float) -> Any:
    def loss(p: Any) -> Any:
        total = x
        for leaf in rg.tree.leaves(p):
            total += np.sum(leaf * leaf)
        return total * p["p"].a

    slopes = rg.grad(loss)(tree)
    new = rg.tree.map(lambda p, g: p - 0.1 * g, tree, slopes)
    leaves, structure = rg.tree.flatten(new)
    same = structure == rg.tree.structure(tree)
    return new, rg.tree.unflatten(structure, [2.0 * leaf for leaf in leaves]), same


def test_programs_use_trees() -> None:
    plain, compiled = step(params(), 1.0), rg.jit(step)(params(), 1.0)
    assert np.allclose(plain[0]["w"], compiled[0]["w"])
    assert repr(plain) == repr(compiled)
    with pytest.raises(UserError, match="not structured alike") as caught:
        rg.jit(lambda a: rg.tree.map(lambda x, y: x, a, {"b": 1.0}))({"a": 1.0})
    assert caught.value.code == "RG0115"


def with_aux(p: Any, x: Any) -> Any:
    y = np.sin(p["a"]) * x
    return {"y": y}, (np.sqrt(p["a"] - p["a"]), 3, p["b"])


def inside(p: Any, x: Any) -> Any:
    y, y_dot, aux = rg.jvp(with_aux, (p, x), ({"a": 1.0, "b": 0}, x), has_aux=True)
    z, pullback, rest = rg.vjp(with_aux, p, x, has_aux=True)
    w, f_dot = rg.linearize(with_aux, p, x)
    bars = pullback({"y": x})
    return y, y_dot, aux, z, rest, bars, w[0], f_dot({"a": 1.0, "b": 0}, x)[0]


def test_products_hand_on_what_is_not_differentiated() -> None:
    p, x = {"a": 0.5, "b": 7}, np.array([1.0, 2.0])
    y, y_dot, aux = rg.jvp(with_aux, (p, x), ({"a": 1.0, "b": 0}, 0.0 * x), has_aux=True)
    assert np.allclose(y["y"], np.sin(0.5) * x)
    assert np.allclose(y_dot["y"], np.cos(0.5) * x)
    assert aux == (0.0, 3, 7)
    for options in ({}, {"memory": "1MB"}):
        value, pullback, rest = rg.vjp(with_aux, p, x, has_aux=True, **options)
        assert np.all(value["y"] == y["y"])
        assert rest == aux
        # The square root has no slope at 0; its cotangent is not zero but none.
        assert np.allclose(pullback({"y": x})[0]["a"], 5.0 * np.cos(0.5))
        assert pullback({"y": x})[0]["b"] is None
    assert repr(rg.jit(inside)(p, x)) == repr(inside(p, x))
    for product in (
        lambda: rg.jvp(lambda a: a, (1.0,), (1.0,), has_aux=True),
        lambda: rg.vjp(lambda a: (a, a, a), 1.0, has_aux=True),
    ):
        with pytest.raises(UserError) as caught:
            product()
        assert caught.value.code == "RG0303"


def test_linearize() -> None:
    p, x = {"a": 0.5, "b": 7}, np.array([1.0, 2.0])
    y, f_dot = rg.linearize(lambda p, x: np.sin(p["a"]) * x, p, x)
    x[0] = p["a"] = 100.0  # the point stays where it was
    assert np.allclose(f_dot({"a": 2.0, "b": 0}, x * 0.0), 2.0 * np.cos(0.5) * np.array([1.0, 2.0]))
    assert np.allclose(y, np.sin(0.5) * np.array([1.0, 2.0]))
    with pytest.raises(UserError) as caught:
        f_dot(1.0, x)
    assert caught.value.code == "RG0305"


def walk(p: Any) -> Any:
    x = p["x"]
    for _ in range(2000):
        x = x + 0.001 * np.sin(x) * p["k"]
    return x


def energy(p: Any) -> Any:
    return np.sum(walk(p) ** 2.0)


def test_second_derivatives_are_paid_for_as_gradients_are() -> None:
    p = {"x": np.array([0.5, 1.0]), "k": 0.7, "n": 2}
    rows = rg.jacrev(walk, memory="30kB")
    assert repr(rows(p)) == repr(rg.jacrev(walk)(p))
    assert rows.stats().peak_bytes <= 30_000  # pyright: ignore
    second = rg.hessian(energy, memory="60kB")
    assert repr(second(p)) == repr(rg.hessian(energy)(p))
    assert second.stats().peak_bytes <= 60_000  # pyright: ignore
    direction = {"x": np.ones(2), "k": 1.0, "n": 0}
    product = rg.hvp(energy, (p,), (direction,), memory="60kB")
    assert repr(product) == repr(rg.hvp(energy, (p,), (direction,)))

    def twice(q: Any) -> Any:
        some = rg.jacrev(walk, memory="30kB")(q)["k"], rg.hessian(energy, memory="60kB")(q)["k"]
        return some, rg.hvp(energy, (q,), (q,), memory="60kB")

    small = {"x": 0.5, "k": 0.7}
    assert repr(rg.jit(twice)(small)) == repr(twice(small))
