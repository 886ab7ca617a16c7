"""Floats as keys, `ChainMap`, `|` of dicts of several classes, an `OrderedDict` that changes."""

from __future__ import annotations

from collections import ChainMap, Counter, OrderedDict, defaultdict

import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

TABLE = {0.5: 1.0, 1.0: 2.0, -0.0: 3.0}
LONG = {0.25 * k: float(k) for k in range(40)}


def floats_outside(x):
    known = TABLE[1] + TABLE[0] + TABLE[0.5] + TABLE.get(7.5, 0.0)
    return x * known, 0.5 in TABLE, 2.0 in TABLE, list(TABLE), TABLE[x - 1.0], LONG[x * 2.0]


def not_there(x):
    return TABLE[x]


def floats_inside(x):
    d, t = {}, 0.0
    for i in range(4):
        d[t] = x * i
        t = t + 0.1
    e = {}
    for t in (0.1, 0.2, 0.1):
        e[t] = e.get(t, 0.0) + x
    f = {1: x}
    f[1.0] = 2.0
    return (
        sum(k * v for k, v in d.items()),
        e,
        f,
        {0.5: x, (1.5, "a"): 1.0},
    )


def chained(x):
    base = {"a": 1.0, "b": 2.0}
    c = ChainMap({"a": x}, base)
    d = c.new_child({"b": 5.0})
    d["q"] = 1.0
    c.maps[0]["w"] = 3.0
    base["n"] = 4.0
    first = dict(d), list(c), c.parents["a"], "w" in d, c.get("zz"), c["n"]
    return first, d.pop("q"), len(d), list(d.items()), sum(c.values()), bool(ChainMap())


def chained_without(x):
    return ChainMap({"a": x})["b"]


def together(x):
    e = {"b": [1.0]} | defaultdict(list, a=[x])
    e["c"].append(2.0)
    others = {} | Counter("aab"), {"z": 1} | OrderedDict(a=1), OrderedDict(a=x) | {"b": 1.0}
    return e, isinstance(e, defaultdict), others, {} | defaultdict(float)


@pytest.mark.parametrize(
    "f", [floats_outside, not_there, floats_inside, chained, chained_without, together]
)
def test_as_in_python(f) -> None:
    agree(f, 1.5)


def changed(od, x):
    od["c"] = x
    od.move_to_end("a")
    od.update(z=x)
    od.move_to_end("z", last=False)
    first = od.popitem(last=False)
    del od["b"]
    return first, list(od), od == OrderedDict(a=1.0, c=x), od == {"c": x, "a": 1.0}


def test_an_ordered_dict_from_outside_changes() -> None:
    ours, theirs = OrderedDict(a=1.0, b=2.0), OrderedDict(a=1.0, b=2.0)
    assert rg.jit(changed)(ours, 1.5) == changed(theirs, 1.5)
    assert ours == theirs
    assert type(ours) is OrderedDict


def test_floats_are_keys_of_arguments_and_gradients() -> None:
    f = lambda d, x: sum(k * v * x for k, v in d.items())  # noqa: E731
    assert rg.grad(f)({0.5: 1.0, 1.5: 2.0}, 2.0) == {0.5: 1.0, 1.5: 3.0}
    with pytest.raises(UserError, match="RG0103"):
        rg.jit(f)({float("nan"): 1.0}, 2.0)


def sliced(x):
    names, numbers = ["a", "b", "c", "d"], [1.0, 2.0, 3.0]
    weights = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}
    k = int(x)
    total = sum(numbers[k:]) * x
    for name in names[k:]:
        total += weights[name] * x
    return total, len(names[k:]), names[:k], "b" in names[k:], names


@pytest.mark.parametrize("x", [0.5, 1.5, 2.5, 9.0])
def test_lists_that_are_known_are_sliced_at_places_of_the_run(x) -> None:
    agree(sliced, x)
