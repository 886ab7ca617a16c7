"""Copies of deques and of dicts with defaults shared their items, `deque *= n` made another deque,
and dicts that keep an order were equal in any. Of dicts and sets with keys of the run, `==`, `-=`
and the order of loops were wrong, too."""

from __future__ import annotations

import collections
import copy
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

X = np.array([0.7, -0.4, 1.3, 0.2])


def copied_deque(x: Any) -> Any:
    items = collections.deque([x[0], x[1]])
    one, deep = copy.copy(items), copy.deepcopy(items)
    items.append(x[2])
    items[0] = 5.0
    return one[0] + len(one) * 10 + deep[0] + len(deep) * 100


def copied_default(x: Any) -> Any:
    sums = collections.defaultdict(float)
    sums["a"] = x[0]
    one = copy.copy(sums)
    sums["a"] = 9.0
    sums["b"] = 1.0
    return one["a"] + len(one) * 10


def repeated_in_place(x: Any) -> Any:
    items = collections.deque([x[0], x[1]])
    other = items
    items *= 2
    return len(other) * x[0]


def in_another_order(x: Any) -> Any:
    a = collections.OrderedDict(a=1, b=2)
    b = collections.OrderedDict(b=2, a=1)
    return x[0] * ((a == b) + 2 * (a == {"b": 2, "a": 1}) + 4 * (a != b) + 8 * (a == a.copy()))


def table(x: Any) -> Any:
    made: dict[Any, Any] = {}
    for k in range(int(x[0] * 5 + 1)):
        made[k * 3] = x[k % 4] * (k + 1)
    return made


def equal_dicts(x: Any) -> Any:
    one, other, third = table(x), table(x), copy.copy(table(x))
    third[0] = 5.0
    s = x[0] * (1.0 if one == other else 2.0) + (3.0 if one == third else 4.0)
    return s + (1.0 if one != other else 7.0)


def sets_in_place(x: Any) -> Any:
    items = {int(v * 10 + 0.5) for v in x}
    first = items
    items -= {7}
    copied = copy.copy(items)
    items &= {13, 2}
    items ^= {2, 50}
    return len(first) * x[0] + 10 * len(copied) + 100 * len(items)


def views(x: Any) -> Any:
    made = table(x)
    values, keys = made.values(), made.keys()
    s = sum(values) + 2 * max(values) + sum(keys) + len(keys)
    for key, value in made.items():
        after = (key + 3) % 12
        if after in made:
            made[after] = made[after] + value * 0.5
    return s + sum(values) + (3 in made.keys()) + ((3, 9.0) in made.items())


@pytest.mark.parametrize(
    "f",
    [
        copied_deque, copied_default, repeated_in_place, in_another_order, equal_dicts,
        sets_in_place, views,
    ],
)  # fmt: skip
def test_as_in_python(f: Any) -> None:
    assert rg.jit(f)(X) == pytest.approx(f(X), rel=1e-12)


def test_a_dict_that_changes_its_size_in_its_own_loop() -> None:
    def grown(x: Any) -> Any:
        made = table(x)
        for key in made:
            if key == 9:
                del made[key]
        return sum(made.values())

    with pytest.raises(RuntimeError, match="changed size"):
        rg.jit(grown)(X)


def test_a_set_whose_order_depends_on_how_it_was_made() -> None:
    def collide(x: Any) -> Any:
        s = 0.0
        for k in {8, 0, 16, 24, 3, 40}:
            s = s * 1.5 + k * x[0]
        return s

    with pytest.raises(UserError, match="RG0101.*order"):
        rg.jit(collide)(X)
