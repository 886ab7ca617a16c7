"""Arrays whose items are no numbers: labels, and `dtype=object`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

pytestmark = pytest.mark.thinned(2)

X = np.array([0.3, 1.2, -0.7, 0.9, 1.6])


def sums_of_groups(x):
    labels = np.array(["b", "a", "b", "c", "a"])
    total = 0.0
    for k, group in enumerate(np.unique(labels)):
        total += (k + 1) * x[labels == group].sum() ** 2
    return total + labels.size + labels.shape[0] + labels.ndim


def unique_of_a_list(x):
    names, first, inverse, counts = np.unique(
        ["b", "a", "b", "c", "a"], return_index=True, return_inverse=True, return_counts=True
    )
    sums = np.bincount(inverse, weights=x**2)
    return sums @ counts + x[first].sum() + (2.0 if names[0] == "a" else 1.0) + len(names)


def chosen_by_label(x):
    labels = np.array(["u", "v", "u", "v", "u"])
    weights = {"u": 1.0, "v": 2.0}
    inside = sum(weights[label] * v for label, v in zip(labels, x, strict=False))
    kind = 3.0 if isinstance(labels, np.ndarray) and labels.tolist()[1] == "v" else 0.0
    return np.sum(np.where(labels != "u", x, 2.0 * x) ** 2) + inside + kind


class Panel:
    def __init__(self, a, b):
        self.a, self.b, self.strength = a, b, 0.0


def objects(x):
    panels = np.empty(4, dtype=object)
    for i in range(4):
        panels[i] = Panel(x[i], x[i + 1])
    for i, panel in enumerate(panels):
        panel.strength = panel.a * panel.b + i
    return sum(panel.strength**2 for panel in panels) + panels[2].strength * panels.size


def as_many_as_the_run_has(x):
    n = int(x[1]) + 2
    panels = np.empty((n,), object)
    for i in range(n):
        panels[i] = Panel(x[i], x[i + 1])
    both = np.array([panel.a * panel.b for panel in panels], dtype=float)
    for i, panel in enumerate(panels):
        panel.strength = both[i]
    return sum([panel.strength for panel in panels]) + panels[1].strength


def of_a_list_of_objects(x):
    panels = np.array([Panel(x[0], x[1]), Panel(x[2], x[3])], dtype=object)
    panels[0].a = x[4]
    return sum(panel.a * panel.b for panel in panels)


ALL = (
    sums_of_groups, unique_of_a_list, chosen_by_label, objects, as_many_as_the_run_has,
    of_a_list_of_objects,
)  # fmt: skip


@pytest.mark.parametrize("f", ALL)
def test_items_are_those_of_python(f: Any) -> None:
    agree(f, X.copy())


@pytest.mark.parametrize("f", [sums_of_groups, as_many_as_the_run_has])
def test_gradients(f: Any) -> None:
    assert rg.check_grads(f, (X,), 1).ok
    np.testing.assert_array_equal(rg.grad(f, memory="64kB")(X), rg.grad(f)(X))


def text_that_is_cut(x):
    names = np.array(["a", "b"])
    names[0] = "long"
    return x[0] if names[0] == "l" else x[1]


@pytest.mark.parametrize(
    ("f", "code", "words"),
    [
        (text_that_is_cut, "RG0109", "has no elements"),
        (lambda x: x[0] * len(np.array(["a", "b"])[1:]), "RG0108", "a part of an array of texts"),
        (lambda x: x[0] * np.sum(np.array(["a"]) == ["a"]), "RG0108", "what is no text"),
        (lambda x: np.array([x[0], "a"], dtype=object)[0], "RG0103", "objects of a float"),
        (lambda x: x[0] * np.empty((2, 2), dtype=object).size, "RG0108", "several axes"),
        (lambda x: x[0] * np.unique(np.array(["a"]), axis=0).size, "RG0108", "axis"),
    ],
)
def test_refusals(f: Any, code: str, words: str) -> None:
    with pytest.raises(UserError, match=words) as found:
        rg.jit(f)(X)
    assert found.value.code == code
    assert "way out" in str(found.value)
