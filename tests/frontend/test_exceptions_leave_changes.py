"""What the caller's objects, dicts, lists and arrays hold after a call that raises."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg

KEPT: list[float] = []


class Own(Exception):
    """An exception of the user's, of no class that Python has."""


class Model:
    def __init__(self) -> None:
        self.count, self.history, self.state = 0, [1.0], np.ones(2)


def of_an_object(model: Model, x: float) -> float:
    model.count += 1
    model.history.append(x)
    model.state *= 2.0
    if x > 1.0:
        raise Own(f"{x} is too much")
    model.state[0] = x
    return x


def of_a_dict(table: dict[str, Any], x: float) -> float:
    table["n"] += 1
    table["last"] = x
    table["a"][int(x)] = 7.0
    return x


def of_a_list(items: list[float], x: float) -> float:
    items.append(x)
    assert x < 1.0, "too much"
    items.append(-x)
    return items[6]


@pytest.mark.parametrize(
    ("make", "f", "kinds"),
    [
        (Model, of_an_object, [None, Own, None]),
        (lambda: {"n": 0, "a": np.zeros(2)}, of_a_dict, [None, IndexError, None]),
        (lambda: [0.5], of_a_list, [IndexError, AssertionError, IndexError]),
    ],
)
def test_they_are_as_python_leaves_them(
    make: Callable[[], Any], f: Callable[..., Any], kinds: list[Any]
) -> None:
    ours, theirs, compiled = make(), make(), rg.jit(f)
    for x, kind in zip((0.5, 2.0, 0.25), kinds, strict=True):
        if kind is None:
            assert compiled(ours, x) == f(theirs, x)
        else:
            with pytest.raises(kind) as caught:
                compiled(ours, x)
            with pytest.raises(kind, match=str(caught.value)):
                f(theirs, x)
            assert "  at " in caught.value.__notes__[0]
        assert repr(vars(ours) if f is of_an_object else ours) == repr(
            vars(theirs) if f is of_an_object else theirs
        )


def loud(x: float) -> float:
    KEPT.append(x)
    print("once", x)
    logging.getLogger("loud").warning("once")
    if x > 1.0:
        raise ValueError("x")
    return x


def test_nothing_is_shown_twice(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    KEPT.clear()
    with pytest.raises(ValueError, match="x"):
        rg.jit(loud)(2.0)
    assert capsys.readouterr().out == "once 2.0\n"
    assert len(caplog.records) == 1
    assert KEPT == [2.0]
    assert logging.root.manager.disable == 0


def test_derivatives_and_what_python_would_not_raise_leave_all_as_it_was() -> None:
    model = Model()
    before = copy.deepcopy(vars(model))
    with pytest.raises(Own):
        rg.grad(of_an_object, 1)(model, 2.0)

    def large(items: list[int]) -> int:
        items.append(1)
        return items[0] * 2**40

    counts = [2**40]
    with pytest.raises(OverflowError):
        rg.jit(large)(counts)
    assert repr(vars(model)) == repr(before)
    assert counts == [2**40]
