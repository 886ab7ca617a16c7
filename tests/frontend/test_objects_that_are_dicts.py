"""Objects from outside whose class is a subclass of `dict`: registries, and dicts with methods."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

X = np.array([1.0, 2.0])


class Registry(dict):
    def __init__(self):
        self["sum"] = np.sum
        self.name = "sum"

    def __getitem__(self, __key):
        try:
            return super().__getitem__(__key)
        except KeyError:
            return np.prod

    @property
    def active(self):
        return self[self.name]


class Params(dict):
    def total(self):
        return 2.0 * self["w"] + sum(self.values())

    @property
    def w(self):
        return self["w"]


class Ordered(collections.OrderedDict):
    pass


KNOWN, PARAMS = Registry(), Params(w=np.array([1.0, 2.0]), b=np.array([3.0, 4.0]))
ORDERED = Ordered(a=1.5)
NETWORK = [(collections.OrderedDict(A=1, BC=2), 0.5), (collections.OrderedDict(C=3), 0.3)]


def asked(x):
    found = KNOWN.active(x**2) + KNOWN["none"](x) + len(KNOWN) + ("sum" in KNOWN)
    return found + (0.0 if "none" in KNOWN else 0.5)


def gone_through(x):
    every = sum(np.sum(PARAMS[k]) for k in PARAMS) + len([k for k, _ in PARAMS.items()])
    spread = {**PARAMS}
    other = np.sum(PARAMS.get("c", x)) + np.sum(spread["w"] * x) + np.sum(dict(PARAMS)["b"])
    return np.sum(PARAMS.total() * x) + np.sum(PARAMS.w) + every + other


def ordered(x):
    total = np.sum(ORDERED["a"] * x)
    for k, (terms, rate) in enumerate(NETWORK):
        for name, power in terms.items():
            total += rate * x[k] ** power * len(name)
    known = isinstance(ORDERED, collections.OrderedDict) and "b" not in ORDERED
    return total * (2.0 if known else 1.0) + ORDERED.get("b", 0.5) + len(list(ORDERED))


def kinds(x):
    return np.sum(x) * isinstance(PARAMS, dict) if PARAMS else x[0]


@pytest.mark.parametrize("f", [asked, gone_through, kinds, ordered])
def test_values_and_gradients(f: Callable[[Any], Any]) -> None:
    value, slopes = rg.value_and_grad(f)(X)
    assert value == pytest.approx(f(X), rel=1e-14)
    rises = [(f(X + h) - f(X - h)) / 2e-6 for h in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(slopes, rises, rtol=1e-6)


def test_a_gradient_is_an_object_of_the_class_and_the_caller_sees_what_is_written() -> None:
    given = Params(w=np.array([1.0, 2.0]), b=np.array([3.0, 4.0]))
    slopes = rg.grad(lambda p: np.sum(p.total() ** 2) + np.sum(p["b"]))(given)
    assert type(slopes) is Params
    assert slopes["w"].tolist() == [36.0, 60.0]
    assert slopes["b"].tolist() == [13.0, 21.0]

    def written(p):
        p["w"][0] = 7.0
        return p

    assert rg.jit(written)(given) is given
    assert given["w"].tolist() == [7.0, 2.0]


def test_changes_from_outside_are_seen() -> None:
    given = Params(w=X.copy())
    f = rg.jit(lambda x: np.sum(given["w"] * x) + len(given))
    assert f(X) == 6.0
    given["w"] = np.array([10.0, 20.0])
    given["b"] = 1.0
    assert f(X) == 52.0


def test_the_gradient_of_an_ordered_dict_is_one() -> None:
    slopes = rg.grad(lambda p: p["w"] ** 2 * p["b"])(collections.OrderedDict(w=2.0, b=3.0))
    assert slopes == collections.OrderedDict(w=12.0, b=4.0)
    assert type(slopes) is collections.OrderedDict


@pytest.mark.parametrize(
    "f",
    [
        lambda x: PARAMS.update(w=x),
        lambda x: np.sum(Params(w=x).w),
        lambda x: x if ORDERED == Ordered(ORDERED) else -x,
        lambda x: x if Params(w=1.0) != PARAMS else -x,
        lambda x: PARAMS.pop("w"),
    ],
)
def test_what_is_refused(f: Callable[[Any], Any]) -> None:
    with pytest.raises(UserError, match="way out"):
        rg.jit(f)(X)
