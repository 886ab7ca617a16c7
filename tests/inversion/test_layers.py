"""Networks of coupling layers: parameters in lists, tuples and named tuples, without a tape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportOptionalMemberAccess=false
# pyright: reportUnknownMemberType=false


class Layer(NamedTuple):
    """Weights of one layer."""

    w: np.ndarray
    b: np.ndarray


def act(x, layer):
    return np.tanh(x @ layer[0] + layer[1])


@rg.reversible
def coupled(x, y, layer):
    x += act(y, layer)


@rg.reversible
def coupled_named(x, y, layer):
    x += np.tanh(y @ layer.w + layer.b)


@rg.reversible
def by_items(x, y, layers):
    for layer in layers:
        coupled(x, y, layer)
        coupled(y, x, layer)


@rg.reversible
def by_names(x, y, layers):
    for k, layer in enumerate(layers):
        coupled_named(x, y, layer)
        coupled_named(y, x, layers[k])


@rg.reversible
def in_expressions(x, y, layers):
    for k in range(len(layers)):
        x += act(y, layers[k])
        y += act(x, layers[k])


@rg.reversible
def unpacked(x, y, layers):
    for w, b in layers:
        x += np.tanh(y @ w + b)
        y += np.tanh(x @ w + b)


def plain(layers, data):
    """The loss of the text without inverses."""
    x, y = data[:, :2].copy(), data[:, 2:].copy()
    for w, b in layers:
        x = x + np.tanh(y @ w + b)
        y = y + np.tanh(x @ w + b)
    return np.mean(x**2) + np.mean(y**2)


def loss_of(net):
    def loss(layers, data):
        x, y = data[:, :2].copy(), data[:, 2:].copy()
        net(x, y, layers)
        return np.mean(x**2) + np.mean(y**2)

    return loss


def made(count, kind):
    rng = np.random.default_rng(7)
    every = [(rng.standard_normal((2, 2)) * 0.3, rng.standard_normal(2)) for _ in range(count)]
    return [kind(*layer) for layer in every]


DATA = np.random.default_rng(3).standard_normal((5, 4))


@pytest.mark.parametrize(
    ("net", "kind", "outer"),
    [
        (by_items, lambda w, b: (w, b), tuple),
        (by_names, Layer, list),
        (in_expressions, lambda w, b: (w, b), list),
        pytest.param(unpacked, Layer, tuple, marks=pytest.mark.slow),
    ],
)
def test_gradients_are_structured_as_parameters(net, kind, outer):
    gradient = rg.grad(loss_of(net))
    layers = outer(made(2, kind))
    found = gradient(layers, DATA)
    expected = rg.grad(plain)(layers, DATA)
    assert type(found) is outer
    for one, other in zip(found, expected, strict=True):
        assert type(one) is type(layers[0])
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-11)


def test_nothing_is_recorded_for_a_layer():
    gradient = rg.grad(loss_of(by_items))
    kept = []
    for count in (1, 2):
        gradient(made(count, Layer), DATA)
        kept.append(gradient.stats().tape_bytes)
    assert kept[0] == kept[1]
