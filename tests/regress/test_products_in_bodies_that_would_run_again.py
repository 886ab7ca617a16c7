"""A policy has products saved in a loop whose body would otherwise be run again as a whole: they
were saved in that run only."""

from __future__ import annotations

from typing import Any

import numpy as np

import retrograd as rg
from tests.random.harness import bits_of

WS, X = np.linspace(-0.5, 0.5, 16).reshape(4, 2, 2), np.linspace(0.1, 1.0, 8).reshape(4, 2)


def layer(w: Any, x: Any) -> Any:
    heads = (x @ w).reshape(2, 2, 2)
    pairs = np.exp(heads @ heads.transpose(0, 2, 1))
    return x + np.tanh(pairs @ heads).reshape(4, 2)


def layers(ws: Any, x: Any) -> Any:
    for w in ws:
        x = layer(w, x)
    return np.sum(x * x)


saving = rg.checkpoint(layer, policy=rg.checkpoint_policies.dots_saveable)


def saving_layers(ws: Any, x: Any) -> Any:
    for w in ws:
        x = saving(w, x)
    return np.sum(x * x)


def test_products_are_saved_in_each_iteration() -> None:
    found = rg.saved_residuals(saving_layers, WS, X)
    expressions = {r.expression for r in found if r.times == len(WS)}
    products = {"x @ w", "heads @ heads.transpose(0, 2, 1)", "pairs @ heads"}
    assert products <= expressions
    assert not products & {r.expression for r in rg.saved_residuals(layers, WS, X)}
    expected = bits_of(lambda: rg.grad(layers, (0, 1))(WS, X))
    assert bits_of(lambda: rg.grad(saving_layers, (0, 1))(WS, X)) == expected
