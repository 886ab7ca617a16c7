"""Dicts with known keys in lists of run-time length: as in Python, with derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

pytestmark = pytest.mark.thinned(2)


def _rows(x):
    rows = []
    t = 0.1
    while t < x:
        rows.append({"t": t, "v": np.sin(t) * x, "k": 1, "p": np.array([t, x])})
        t = t + 0.3
    return rows


def use_of_them(x):
    rows = _rows(x)
    rows.sort(key=lambda r: -r["v"])
    best = max(rows, key=lambda r: r["v"])
    best["v"] *= 2.0
    best["k"] += 1
    some = [r for r in rows if r["t"] > 0.5]
    some[0]["t"] = x * x
    for r in rows:
        r["p"][1] += 1.0
        r["p"] += r["p"] * 0.5
    same = (1.0 if rows[0] is best else 2.0) + (1.0 if "v" in best else 3.0) + len(best)
    scalars = sum(value for r in rows for key, value in r.items() if key in ("t", "v"))
    return scalars * same + sum(np.sum(r["p"]) * r["k"] for r in rows) + rows[1].get("none", x)


def copies(x):
    rows = _rows(x)
    wider = [{**r, "w": r["v"] * 2.0} for r in rows] + [dict(r, w=1.0) for r in rows]
    one = rows[0].copy()
    one["v"] = 0.0
    one.update({"t": x * x})
    rows[1].update(t=x)
    return sum(r["w"] + r["t"] for r in wider) + rows[0]["v"] + one["v"] + one["t"] + rows[1]["t"]


class _Part:
    def __init__(self, x):
        self.d = {"a": x, "inner": {"b": x * x}}


def in_attributes_and_dicts(x):
    parts = []
    t = 0.1
    while t < x:
        parts.append(_Part(t * x))
        t = t + 0.4
    tree = {"value": x, "kids": []}
    for part in parts:
        part.d["a"] += 1.0
        part.d["inner"]["b"] *= part.d["a"]
        tree["kids"].append({"value": part.d["inner"]["b"], "of": part})
    return tree["value"] + sum(kid["value"] * kid["of"].d["a"] for kid in tree["kids"])


def a_queue(x):
    queue, s = [{"time": 0.5, "kind": "start"}], 0.0
    while queue and s < 20.0:
        event = queue.pop(0)
        if event["kind"] == "start":
            s += event["time"] * x
            queue.append({"time": event["time"] + x, "kind": "end"})
        else:
            s += event["time"]
            queue.append({"time": event["time"] * 0.5 + x, "kind": "start"})
    return s


_LONG = [pytest.param(f, marks=pytest.mark.slow) for f in (use_of_them, copies)]


@pytest.mark.parametrize("f", [use_of_them, copies])
def test_as_in_python(f):
    np.testing.assert_allclose(rg.jit(f)(1.03), f(1.03), rtol=1e-12)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", [in_attributes_and_dicts, a_queue, *_LONG])
def test_derivatives(f):
    x, h = 1.43, 1e-6
    value, slope = rg.value_and_grad(f)(x)
    np.testing.assert_allclose(value, f(x), rtol=1e-12)
    np.testing.assert_allclose(slope, (f(x + h) - f(x - h)) / (2 * h), rtol=1e-6)
    np.testing.assert_allclose(rg.jvp(f, (x,), (1.0,))[1], slope, rtol=1e-12)
    assert rg.grad(f, memory="40kB")(x) == slope


def test_equality_is_of_what_they_hold():
    def f(x):
        rows = []
        while len(rows) < 3 + (x > 9.0):
            rows.append({"a": x, "n": len(rows)})
        same = {"a": x, "n": 1}
        return x * (rows[1] == same) + 10.0 * x * (rows[0] == rows[1]) + 100.0 * (same in rows)

    assert rg.jit(f)(2.0) == f(2.0) == 102.0


def test_what_a_dict_does():
    def f(x):
        one = _rows(x)[1]
        key = "t" if x > 1.0 else "v"
        wider = one | {"w": x} | ({"t": 1.0} | _rows(x)[0])
        one |= {"v": 2.0 * x}
        return one[key] * x + wider["w"] + wider["t"] + one["v"] + isinstance(one, dict)

    np.testing.assert_allclose(rg.jit(f)(1.43), f(1.43), rtol=1e-12)


def test_a_dict_is_itself_with_nan():
    def f(x):
        rows = []
        while len(rows) < 2 + (x > 9.0):
            rows.append({"a": np.nan, "x": x})
        one = rows[0]
        return 1.0 * (one == one) + 2.0 * (one == rows[1]) + 4.0 * (one in rows)

    assert rg.jit(f)(1.0) == 5.0


def test_it_is_printed_as_a_dict(capsys):
    def f(x):
        rows = []
        while len(rows) < 2 + (x > 9.0):
            rows.append({"a": x, "n": len(rows)})
        print(rows[1])
        return x

    rg.jit(f)(0.5)
    assert capsys.readouterr().out == "{'a': 0.5, 'n': 1}\n"


def test_a_key_of_some_paths_is_no_key_of_all():
    def with_z(base, x):
        return {**base, "z": x}

    def f(x):
        base = {"q": x}
        if x > 100.0:
            base["m"] = 1.0
        rows = []
        while len(rows) < 3:
            rows.append(with_z({"q": 1.0, "m": 2.0}, x))
        while len(rows) < 6:
            rows.append(with_z(base, x))
        return sum(1.0 for r in rows if "m" in r)

    assert f(2.0) == 3.0
    with pytest.raises(UserError, match="a dict in a list"):
        rg.jit(f)(2.0)


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (lambda r: r.pop("v"), "`del` of a key that a dict has from the beginning"),
        (lambda r: r.popitem(), "`popitem` of a dict that a list of run-time length holds"),
        (lambda r: [r.update(w=1.0), list(r)], "a loop over a dict, or a copy of one"),
    ],
)
def test_what_changes_the_keys_is_refused(use, text):
    def f(x):
        rows = _rows(x)
        use(rows[0])
        return rows[0]["v"]

    with pytest.raises(UserError, match=text):
        rg.grad(f)(1.43)


def test_a_key_that_is_not_there():
    with pytest.raises(KeyError, match="none"):
        rg.grad(lambda x: _rows(x)[0]["none"])(1.43)
