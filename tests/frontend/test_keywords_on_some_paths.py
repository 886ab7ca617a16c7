"""`f(**d)` of a dict that has some of its keys on some paths only."""

from __future__ import annotations

import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false


def gathered(x, **kw):
    s = x
    for k, v in kw.items():
        s = s * 2.0 + v * len(k)
    return s


def named(x, a=1.0, bb=2.0, ccc=3.0):
    return x * a + bb * 10.0 + ccc * 100.0


def two_paths(x, n=3):
    d = {}
    if x > 1.0:
        d["a"] = x
    d["bb"] = 2.0
    if n > 5:
        d["ccc"] = 7.0
    return gathered(x, **d), named(x, **d)


def together(x):
    d = {}
    if x > 1.0:
        d["a"] = x
        d["bb"] = 2.0 * x
    return named(x, ccc=1.0, **d)


def too_many(x, n=3):
    d = {}
    for k, name in enumerate(("a", "bb", "ccc", "d")):
        if x > k + n:
            d[name] = x
    return gathered(x, **d)


@pytest.mark.parametrize("args", [(1.5, 3), (0.5, 3), (1.5, 7), (0.5, 7)])
def test_as_in_python(args) -> None:
    agree(two_paths, *args)
    agree(together, args[0])


def test_gradient() -> None:
    assert rg.grad(together)(1.5) == 2.0 * 1.5 + 20.0
    assert rg.grad(together)(0.5) == 1.0


def test_refusal() -> None:
    with pytest.raises(UserError, match="on some paths only"):
        rg.jit(too_many)(1.5)
