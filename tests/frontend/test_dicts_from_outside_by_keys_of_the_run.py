"""Dicts that a function is given, looked up and changed by keys that are known at run time only."""

from __future__ import annotations

import copy
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

pytestmark = pytest.mark.thinned(2)

MASSES = {k: 1.0 + 0.5 * k for k in range(40)}
NAMES = ["b", "a"]
RATES = {"a": 2.0, "b": 3.0}


def by_an_int(d: dict[int, float], n: int) -> float:
    return d[n] * d[n]


def by_a_text(d: dict[str, float], n: int) -> float:
    return d[NAMES[n]] * RATES[NAMES[n]]


def added_to(d: dict[int, float], n: int) -> float:
    d[n] += 2.0 * d[n]
    return d[1]


def assigned(d: dict[int, float], n: int) -> float:
    d[n] = 0.5 * n
    return d[1]


def by_path(d: dict[str, float], n: int) -> float:
    d["pos" if n > 0 else "neg"] += n
    return d["pos"]


def lists(d: dict[str, list[float]], n: int) -> int:
    d["pos" if n > 0 else "neg"].append(0.5 * n)
    return len(d["pos"])


def new_by_path(d: dict[str, float], n: int) -> int:
    if n > 0:
        d["pos"] = 1.0
    else:
        d["neg"] = 0.5 * n
    d["last" if n > 2 else "first"] = 2.0
    return len(d)


def removed_by_path(d: dict[str, float], n: int) -> int:
    if n > 0:
        d.pop("pos", None)
    return len(d)


def asked(d: dict[int, float], n: int) -> float:
    return sum(d.get(k, 0.5) + (k in d) for k in range(n))


def functions(d: dict[int, Any], n: int) -> float:
    return d[n](0.5)


def arrays(d: dict[int, Any], n: int) -> float:
    return np.sum(d[n] * 2.0)


def many(d: dict[int, float], n: int) -> float:
    return sum(d[k % n] for k in range(3 * n))


PAIR = {1: 2.0, 2: 3.0}


@pytest.mark.parametrize(
    ("given", "f", "calls"),
    [
        (PAIR, by_an_int, (1, 2, 3)),
        ({"a": 2.0, "b": 3.0}, by_a_text, (0, 1, 2)),
        (PAIR, added_to, (1, 2, 3)),
        (PAIR, assigned, (1, 2)),
        ({"pos": 0.0, "neg": 1.0}, by_path, (1, -2)),
        ({"pos": list[float](), "neg": [1.0]}, lists, (1, -2, 3)),
        (dict[str, float](), new_by_path, (1, -2, 3, 4)),
        ({"pos": 0.0, "neg": 1.0}, removed_by_path, (-1, 1)),
        (defaultdict[str, Any](list), lists, (1, -2, 3)),
        (Counter[str](), by_path, (1, -2, 3)),
        (PAIR, asked, (5, 0)),
        ({1: np.sin, 2: np.cos}, functions, (1, 2, 3)),
        ({1: np.ones(2), 2: np.ones((2, 3))}, arrays, (1, 2)),
        (MASSES, many, (7, 40, 41)),
    ],
)
def test_they_are_as_python_leaves_them(
    given: Any, f: Callable[..., Any], calls: Sequence[int]
) -> None:
    ours, theirs, compiled = copy.deepcopy(given), copy.deepcopy(given), rg.jit(f)
    for n in calls:
        try:
            expected = f(theirs, n)
        except (KeyError, IndexError) as error:
            with pytest.raises(type(error)):
                compiled(ours, n)
        else:
            assert compiled(ours, n) == expected
        assert repr(ours) == repr(theirs)


def total(d: dict[int, float], x: Any, n: int) -> float:
    s = 0.0
    for k in range(n):
        d[k % 2] += d[k % 2] * x[k]
        s += d[k % 2] * MASSES[k * k]
    return s


def test_derivatives() -> None:
    x, d = np.array([0.5, -1.5, 2.5, -0.5]), {0: 1.0, 1: 2.0}
    assert rg.check_grads(lambda v: total({0: 1.0, 1: 2.0}, v, 4), (x,)).ok
    slopes = rg.grad(total, (0, 1))(d, x, 4)
    steps = 1e-6 * np.eye(4)
    by_steps = [(total({**d}, x + h, 4) - total({**d}, x - h, 4)) / 2e-6 for h in steps]
    assert slopes[1] == pytest.approx(by_steps, rel=1e-7)
    small = rg.grad(total, (0, 1), memory="1MB")(d, x, 4)
    assert small[0] == slopes[0]
    assert small[1].tolist() == slopes[1].tolist()
    assert d == {0: 1.0, 1: 2.0}


def test_a_new_number_is_refused_where_it_comes() -> None:
    d = {1: 2.0}
    compiled = rg.jit(assigned)
    assert compiled(d, 1) == 0.5
    with pytest.raises(UserError, match="RG0109: a dict with keys known at run time only"):
        compiled(d, 7)
    assert d == {1: 0.5}
