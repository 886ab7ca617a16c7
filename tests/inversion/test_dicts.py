"""Parameters in dicts: read and changed by reversible functions, whose derivatives keep no tape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.inversion.programs import near

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportOptionalMemberAccess=false

W, B = np.array([1.0, 2.0]), np.array([0.5, 0.25])


def step(p, x):
    """An array of the dict changes, made of another one."""
    x += 0.1 * p["w"] * np.sin(p["b"])
    p["w"] -= 0.1 * x
    p["w"] += 0.5 * p["b"] * p["k"]


def scaled(p, w):
    return p["k"] * p["b"] * w[0]


def nested(p, x, by=step):
    """A dict is handed on, to an expression and to a call, and a dict in it is read."""
    by(p, x)
    x += p["layers"][0]["c"] + scaled(p, p["w"])


undone_step = rg.reversible(step)


@rg.reversible
def undone_nested(p, x):
    undone_step(p, x)
    x += p["layers"][0]["c"] + scaled(p, p["w"])


def read(p, x):
    x += p["w"] * p["k"]


undone_read = rg.reversible(read)


@rg.reversible
def undone_reader(p, x):
    undone_read(p, x)
    undone_read(p, x)


def reader(p, x):
    x += p["w"] * p["k"]
    x += p["w"] * p["k"]


def counted(p, x):
    """A number in the dict changes: such calls are recorded."""
    x += p["k"] * p["w"]
    p["k"] += 0.5


undone_counted = rg.reversible(counted)


def tree(w, b, k):
    return {"w": w.copy(), "b": b.copy(), "k": k, "layers": ({"c": b * b},)}


def loss_of(f: Callable[..., Any]) -> Callable[..., Any]:
    def loss(w, b, k, n):
        p, x = tree(w, b, k), np.zeros(2)
        for _ in range(n):
            f(p, x)
        return np.sum(x) + np.sum(p["w"] ** 2) + p["k"]

    return loss


PAIRS = ((undone_step, step, True), (undone_nested, nested, True), (undone_reader, reader, True),
         (undone_counted, counted, False))  # fmt: skip


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("undone", "plain", "constant"), PAIRS, ids=[plain.__name__ for _, plain, _ in PAIRS]
)
def test_gradients(undone: Any, plain: Callable[..., Any], constant: bool) -> None:
    gradient, other = (rg.grad(loss_of(f), argnums=(0, 1, 2)) for f in (undone, plain))
    assert near(gradient(W, B, 0.3, 3), other(W, B, 0.3, 3), 1e-12)
    few = gradient.stats().tape_bytes
    gradient(W, B, 0.3, 9)
    assert (gradient.stats().tape_bytes == few) == constant
    assert rg.check_inverse(undone, tree(W, B, 0.3), np.zeros(2)).ok


@pytest.mark.slow
def test_second_derivatives() -> None:
    found, expected = (
        rg.jacfwd(rg.grad(loss_of(f)))(W, B, 0.3, 3) for f in (undone_nested, nested)
    )
    assert near(found, expected, 1e-12)


def test_adjoints() -> None:
    p, x = tree(W, B, 0.3), np.ones(2)
    undone_step(p, x)
    p_bar, x_bar = tree(B, W, 2.0), np.array([0.5, 1.0])
    before, bars = rg.adjoint(undone_step)(p, x, p_bar, x_bar)
    assert near((before[0]["w"], before[1]), (W, np.ones(2)))
    gradient = rg.vjp(lambda w, x: stepped(w, x), W, np.ones(2))[1]((B, x_bar))
    assert near((bars[0]["w"], bars[1]), gradient, 1e-13)
    inside = rg.jit(lambda *given: rg.adjoint(undone_step)(*given))(p, x, p_bar, x_bar)
    assert near(inside[1][0]["w"], bars[0]["w"], 1e-15)
    assert near(inside[1][1], bars[1], 1e-15)


def stepped(w, x):
    p, x = tree(w, B, 0.3), x.copy()
    step(p, x)
    return p["w"], x


def test_one_array_under_two_keys() -> None:
    p = {"w": W.copy(), "k": 1.0, "b": W}
    p["b"] = p["w"]
    with pytest.raises(rg.InvertibilityError, match="share memory"):
        undone_step(p, np.zeros(2))


def test_a_cotangent_of_another_length() -> None:
    p, x = tree(W, B, 0.3), np.ones(2)
    bar = {**tree(W, B, 0.3), "w": np.ones(3)}
    with pytest.raises(ValueError, match="cotangent"):
        rg.adjoint(undone_step)(p, x, bar, np.ones(2))
