"""A refusal of a value of several kinds was its own cause, and the call never came back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from retrograd.tracebacks import shorten


def put(o: Any, a: Any) -> Any:
    o["in"] = a
    return o["in"]


def chosen(t: Any, c: float) -> Any:
    s, p, n = t["s"], t["p"], t["n"]
    q = {"x": t["q"][0], "y": 1.5, "h": np.array([s, 1.0])}
    r = {"x": 0.25, "y": p["x"], "h": t["q"][1] * 2.0}
    o = {"in": q}
    p = p | {"y": s}
    for _ in range(1):
        s += (lambda v: r["y"] * v + q["h"][0])(q["y"])
        q = put(o, p)
    if c > 0:
        p["h"] = p["h"] * 0.5
    else:
        r = put(o, r)
    q = {name: value * 0.5 for name, value in r.items()}
    for _ in range(n):
        q = put(o, q)
    for name in ("x", "y"):
        q[name] *= r["x"]
        if q[name] > c:
            break
    return {"s": s + q["x"] * r["x"], "p": p, "o": o["in"]["h"], "n": n}


def test_the_call_comes_back() -> None:
    p, q = {"x": 0.75, "h": np.array([0.5, -0.25]), "y": 0.3}, (0.6, np.array([1.25, 0.2]))
    tree = {"n": 3, "s": 0.4, "p": p, "q": q}
    found, expected = rg.jit(chosen)(tree, 1.0), chosen(tree, 1.0)
    assert found["s"] == pytest.approx(expected["s"], rel=1e-12)
    assert np.array_equal(found["o"], expected["o"])


def test_causes_that_go_in_circles() -> None:
    one, two = UserError("RG0104", "one"), UserError("RG0104", "two")
    one.__cause__, two.__cause__ = two, one
    shorten(one)
    one.__cause__ = one
    shorten(one)
    assert one.__cause__ is one
