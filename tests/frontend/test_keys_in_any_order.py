"""Dicts of values of several kinds whose keys come in an order that only the run knows."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree, slopes_of

X = np.array([0.5, -1.5, 2.5, -0.5])
NAMES = ["ann", "bob", "cy"]


def ranked(x):
    records = [dict(name=name, mean=x[k]) for k, name in enumerate(NAMES)]
    for rank, record in enumerate(sorted(records, key=lambda r: -r["mean"]), start=1):
        record["rank"] = rank
        record["bonus"] = x[3] / rank
    named = sum(record["rank"] for record in records if record["name"].startswith("b"))
    return sum(record["mean"] * record["bonus"] for record in records) + named


def one_dict(x):
    d = {"name": "first", "v": x[:2] * 2.0}
    alias = d
    if x[0] > 0.0:
        d["up"] = x[0] ** 2
    else:
        d["down"] = x[1:3]
    d["up"] = d.get("up", 0.0) + x[1]
    d["label"] = "up" if "down" not in alias else "down"
    if "down" in alias:
        alias["down"] = alias["down"] * x[3]
        d["v"] = d["v"] + alias["down"]
    d["up"] *= x[2]
    known = 1.0 if d["name"] == "first" and d["label"] == "up" else 2.0
    return np.sum(d["v"]) * d["up"] + known + len(d) + d.pop("up") + ("up" in alias)


def missing(x):
    d = {"name": "first", "v": x}
    if x[0] > 0.0:
        d["p"] = x[0]
    if x[1] > 0.0:
        d["q"] = x[1]
    d["p"] = x[2]
    return d["p"] * d["q"]


@pytest.mark.parametrize("f", [ranked, one_dict, missing])
def test_the_value_is_that_of_python(f):
    agree(f, X)
    agree(f, -X)


@pytest.mark.parametrize("f", [pytest.param(ranked, marks=pytest.mark.slow), one_dict])
def test_slopes_are_those_of_differences(f):
    assert slopes_of(f, X).shape == (4,)


@pytest.mark.slow
def test_slopes_on_the_other_path():
    assert slopes_of(one_dict, -X).shape == (4,)


def test_a_missing_key_raises_in_derivatives():
    with pytest.raises(KeyError, match="q"):
        rg.grad(missing)(X)
    assert rg.grad(missing)(-X).tolist() == [0.0, -2.5, 1.5, 0.0]


def in_order(x):
    d = {"name": "first", "v": x}
    if x[0] > 0.0:
        d["p"] = (x[0], 1.0)
    d["q"] = "text"
    d["p"] = (x[1], 2.0)
    return sum(len(key) * (k + 1) for k, key in enumerate(d)) * d["p"][0]


def test_what_needs_the_order_is_refused():
    with pytest.raises(UserError, match="known at run time only"):
        rg.jit(in_order)(X)
