"""`__getattr__`, namespaces, and functions of NumPy's that objects of a package hand on."""

from __future__ import annotations

import argparse
import operator
import types
from typing import ClassVar

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree, slopes_of, traced

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportAttributeAccessIssue=false
# pyright: reportUnknownLambdaType=false, reportMissingTypeArgument=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportMissingTypeStubs=false


class Backend:
    sum = staticmethod(np.sum)
    tanh = np.tanh

    def __getattr__(self, name):
        return getattr(np, {"norm": "linalg"}.get(name, name))


class Manager:
    loaded: ClassVar = {"numpy": Backend}

    @classmethod
    def current(cls):
        return cls.loaded["numpy"]()

    @classmethod
    def dispatch(cls, name):
        def dispatched(*args, **kwargs):
            return getattr(cls.current(), name)(*args, **kwargs)

        return dispatched


BACKENDS = {"numpy": Backend()}
mean = Manager.dispatch("mean")


def by_backends(x):
    xp = BACKENDS["numpy"]
    made = Manager.current()
    return xp.sum(xp.tanh(x)) + mean(x) * made.max(x) + xp.norm.norm(x)


class Parameters:
    def __init__(self, **values):
        self.values = values

    def __getattr__(self, name):
        return self.values[name]

    def scaled(self, x):
        return x * self.rate


class AttributeDict(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class ItemsAsAttributes(dict):
    __getattr__ = dict.__getitem__


SETTINGS = Parameters(rate=2.0, shift=0.5)
TABLE = AttributeDict(w=np.array([1.0, -2.0, 0.5]))
ITEMS = ItemsAsAttributes(b=0.25)


def by_parameters(x):
    own = Parameters(rate=x[0], shift=x[1])
    return np.sum(SETTINGS.scaled(x) * TABLE.w) + SETTINGS.shift * own.rate * own.scaled(ITEMS.b)


class Once:
    def __getattr__(self, name):
        if name != "w":
            raise AttributeError(name)
        self.w = 3.0
        return self.w


def found_once(x):
    one = Once()
    total = one.w * x
    try:
        total += one.other
    except AttributeError:
        total -= x
    return total + one.w


def found_nowhere(x):
    return Once().other * x


def on_some_path(x):
    one = Once()
    if x > 0.0:
        one.w = x
    return one.w


def asked_whether(x):
    return x if hasattr(Once(), "other") else -x


CONFIG = types.SimpleNamespace(rate=0.1, act=np.sin, w=np.array([0.5, 1.5, 1.0]))
OPTIONS = argparse.Namespace(alpha=0.5, mode="fast", nested=types.SimpleNamespace(k=3))


def by_namespaces(x):
    state = types.SimpleNamespace(v=np.zeros(3), n=0)
    state.x = x
    for _ in range(OPTIONS.nested.k):
        state.v = state.v - CONFIG.rate * CONFIG.act(CONFIG.w * state.x)
        state = types.SimpleNamespace(x=state.x + state.v, v=state.v, n=state.n + 1)
    scale = OPTIONS.alpha if "mode" in OPTIONS and OPTIONS.mode == "fast" else 1.0
    return scale * np.sum(state.x) + state.n + getattr(OPTIONS, "beta", 2.0)


def compared(x):
    return CONFIG == types.SimpleNamespace(rate=x)


def grown(x):
    CONFIG.other = x
    return x


pair, inner = operator.itemgetter(0, -1), operator.itemgetter(slice(1, 3))
total, clipped = operator.methodcaller("sum"), operator.methodcaller("clip", max=0.5)
count = operator.attrgetter("size")


def by_getters(x):
    a, b = pair(x)
    rows = sorted([(x[1], 2), (x[2], 1)], key=operator.itemgetter(1))
    return a * b + np.sum(inner(x) ** 2) + total(clipped(x)) * count(x) + rows[0][0]


with_array = operator.methodcaller("dot", np.array([1.0, 2.0]))
with_list = operator.methodcaller("dot", b=[1.0, 2.0])


def by_what_may_change(x):
    return with_array(np.stack([x, x]))


def by_a_list(x):
    return with_list(np.stack([x, x]))


class Method:
    mean = np.mean


def bound(x):
    return Method().mean(x)


X = np.array([0.3, 0.7, 0.2])


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", [by_backends, by_parameters, by_namespaces, by_getters])
def test_as_in_python(f):
    agree(f, X)
    slopes_of(f, X)


def test_attributes_that_are_asked_for():
    agree(found_once, 1.5)
    agree(found_nowhere, 1.5)


def test_an_object_that_is_an_argument():
    slopes = rg.grad(lambda p: p.rate * p.scaled(p.shift))(Parameters(rate=2.0, shift=3.0))
    assert slopes.values == {"rate": 12.0, "shift": 4.0}
    slopes = rg.grad(lambda s: s.a * s.b)(types.SimpleNamespace(a=2.0, b=3.0))
    assert slopes == types.SimpleNamespace(a=3.0, b=2.0)
    made = rg.jit(lambda x: types.SimpleNamespace(a=x, b=[x]))(2.0)
    assert made == types.SimpleNamespace(a=2.0, b=[2.0])


def test_attributes_are_read_at_every_call():
    config = types.SimpleNamespace(act=np.sin)
    f = rg.jit(lambda x: config.act(x))
    assert f(0.5) == pytest.approx(np.sin(0.5))
    config.act = np.cos
    assert f(0.5) == pytest.approx(np.cos(0.5))


@pytest.mark.parametrize(
    ("f", "code", "words"),
    [
        (on_some_path, "RG0123", "assign it in __init__"),
        (asked_whether, "RG0123", "except AttributeError"),
        (compared, "RG0108", "compare their attributes"),
        (grown, "RG0107", "other=None"),
        (by_what_may_change, "RG0103", "write a function"),
        (by_a_list, "RG0103", "write a function"),
        (bound, "RG0110", "class 'Method'"),
    ],
)
def test_refusals(f, code, words):
    with pytest.raises(UserError) as caught:
        traced(f, 1.0)
    assert caught.value.code == code
    assert words in str(caught.value)
    assert caught.value.span is not None
