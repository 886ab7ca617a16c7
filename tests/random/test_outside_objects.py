"""Random programs with objects from outside: results, attributes afterwards, and derivatives."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.random.files import imported
from tests.random.shards import shards
from tests.random.test_objects import CLASSES, lines

_MAKE = """
def make(u, draw):
    p, q, r, o = A(u, 1.5), A(0.5, u), A(u, 0.75), B(u, 0.25)
    if draw % 2:
        r = p
    if draw % 3 == 0:
        o.inner = q
    if draw % 5 == 0:
        q.h = p.h
    o.first = p
    return p, q, r, o


"""


def _text(seed: int) -> str:
    draw = random.Random(seed)
    body = [
        "s = 0.0",
        *lines(draw, 0, 6),
        "o.first = q",
        "return s + p.total() + q.total() * r.x + o.total()",
    ]
    head = CLASSES.replace(
        "self.inner = A(x, 1.0)", "self.inner = A(x, 1.0)\n        self.first = self"
    )
    return head + _MAKE + "def f(p, q, r, o, u, c):\n" + "".join(f"    {line}\n" for line in body)


def _program(seed: int, folder: Path) -> Any:
    return imported(folder / f"random_outside_{seed}.py", _text(seed))


def _state(objects: tuple[Any, ...]) -> list[Any]:
    """All numbers that can be reached, and which objects are the same ones."""
    numbers: dict[int, int] = {}
    found: list[Any] = []

    def walk(value: Any) -> None:
        if not hasattr(value, "__dict__"):
            found.append(np.array(value, dtype=float))
            return
        if id(value) in numbers:
            found.append(np.array(float(numbers[id(value)])))
            return
        numbers[id(value)] = len(numbers)
        for name in sorted(vars(value)):
            walk(vars(value)[name])

    for one in objects:
        walk(one)
    return found


def _square(bars: tuple[Any, ...]) -> float:
    """The sum of the squares of all floats, each object counted once."""
    every = {id(one): one for root in bars for one in _objects(root)}
    floats = [v for one in every.values() for v in vars(one).values() if not hasattr(v, "__dict__")]
    floats += [value for value in bars if not hasattr(value, "__dict__")]
    return float(sum(np.sum(np.square(value)) for value in floats))


def _objects(root: Any) -> list[Any]:
    found: dict[int, Any] = {}
    pending = [root]
    while pending:
        one = pending.pop()
        if hasattr(one, "__dict__") and id(one) not in found:
            found[id(one)] = one
            pending += vars(one).values()
    return list(found.values())


def _tried(seed: int, folder: Path) -> bool:
    """Whether the program is accepted; what is accepted is right."""
    module = _program(seed, folder)
    f: Callable[..., Any] = module.f
    objects, u, c = module.make(0.75, seed), 0.75, 1.0 if seed % 2 else -1.0
    ours, theirs = copy.deepcopy(objects), copy.deepcopy(objects)
    value = f(*theirs, u, c)
    shares = seed % 5 == 0
    try:
        if not shares:
            assert rg.jit(f)(*ours, u, c) == pytest.approx(value, rel=1e-10)
            for one, other in zip(_state(ours), _state(theirs), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-10)
        before = _state(objects)
        found, slopes = rg.value_and_grad(f, argnums=(0, 1))(*objects, u, c)
    except UserError as error:
        assert error.code in ("RG0106", "RG0307"), error  # noqa: PT017
        return False
    assert found == pytest.approx(value, rel=1e-10)
    for one, other in zip(before, _state(objects), strict=True):
        np.testing.assert_array_equal(one, other)
    bars = rg.vjp(f, *objects, u, c)[1](1.0)
    y_dot = rg.jvp(f, (*objects, u, c), bars)[1]
    assert y_dot == pytest.approx(_square(bars), rel=1e-7, abs=1e-9)
    ends: list[float] = []
    for step in (1e-6, -1e-6):
        other = copy.deepcopy(objects)
        other[0].y += step
        ends.append(f(*other, u, c))
    if np.abs(ends[0] - ends[1]) < 1e-3 * (1 + np.abs(value)):
        near = (ends[0] - ends[1]) / 2e-6
        assert slopes[0].y == pytest.approx(near, rel=1e-4, abs=1e-4 * (1 + np.abs(value)))
    return True


def test_random_programs_with_objects_from_outside(tmp_path):
    accepted = [_tried(seed, tmp_path) for seed in range(12)]
    assert sum(accepted) >= len(accepted) // 3


@pytest.mark.parametrize("shard", shards(4, fast=2))
def test_more_random_programs_with_objects_from_outside(shard, tmp_path):
    accepted = [_tried(1000 + seed, tmp_path) for seed in range(shard, 200, 4)]
    assert sum(accepted) >= len(accepted) // 4
