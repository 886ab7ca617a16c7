"""Dicts that have some of their keys on some paths only; texts of which the program chooses one."""

from __future__ import annotations

import copy
from collections import Counter

import numpy as np
import pytest

import retrograd as rg
from tests.frontend.harness import agree


def asked(x, n):
    d = {"p": x}
    if n > 2:
        d["q"] = x * x
    if n > 3:
        d["r"] = np.array([x, 1.0])
        d["r"][1] = 2.0 * x
    total = d["p"] + d.get("q", 0.5) + len(d)
    if "r" in d:
        total += d["r"].sum()
    return total * 2.0 if d.get("q") is not None else total


def found_in_a_loop(x, n):
    d = {}
    for i in range(n):
        if i == 2:
            d["best"] = x * i
        if "best" in d and i == 4:
            d["best"] += x * x
    return (d["best"] if "best" in d else 1.5 * x) + (1.0 if d else 0.0)


def copied(x, n):
    d = {"p": x}
    if n > 2:
        d["q"] = x * x
    e, g, h = copy.deepcopy(d), d.copy(), {**d, "s": x}
    e["q"] = 3.0 * x
    total = e["q"] + g.get("q", x) + h.get("q", 2.0) + h["s"] + e.setdefault("q", 7.0)
    return total + g.setdefault("q", 5.0 * x) + d.setdefault("p", 9.0)


def ordered(x, n):
    d = {"a": x}
    if n > 1:
        d["b"] = 2.0 * x
    d["b"] = 4.0 * x
    e = {k: v for k, v in zip("uvw", (x, n * x, 2.0 * x), strict=True) if v > 1.0}
    s = e.get("v", 0.25)
    for v in d.values():
        s = s * x + v
    return s


def listed(x, n):
    d = {"a": x}
    if n > 1:
        d["b"] = 2.0 * x
    s = 0.0
    for v in d.values():  # of a dict that keeps its keys in a list
        s = s * x + v
    return s + sum({**d, "c": x}.values())


def by_keyword(d, x):
    return d.get("b", x) + (d["a"] if "a" in d else 0.5)


def caught(x, n):
    d = {"a": x} if n > 1 else {"b": 2.0 * x, "c": 5.0 * x}
    other = d if n > 2 else {"b": 3.0 * x}
    try:
        return d["a"] + by_keyword(d, x) + by_keyword(other, x)
    except KeyError:
        return d["c"] + len(d)


@pytest.mark.parametrize(
    "f",
    [
        asked,
        caught,
        *(
            pytest.param(f, marks=pytest.mark.slow)
            for f in (found_in_a_loop, copied, ordered, listed)
        ),
    ],
)
def test_they_are_what_python_has(f):
    slope, less = rg.value_and_grad(f), rg.grad(f, memory="100kB")
    for n in (1, 3, 6):
        agree(f, 0.7, n)
        value, bar = slope(0.7, n)
        assert value == pytest.approx(f(0.7, n), rel=1e-14)
        assert bar == pytest.approx((f(0.7 + 1e-6, n) - f(0.7 - 1e-6, n)) / 2e-6, rel=1e-6)
        assert less(0.7, n) == bar == pytest.approx(rg.jvp(f, (0.7, n), (1.0, 0))[1], rel=1e-13)


def deleted(x, n):
    d = {"a": x}
    if n > 1:
        d["b"] = 2.0 * x
    del d["b"]
    return d["a"] + d.pop("c", x)


def returned(x, n):
    d = {"a": x}
    if n > 1:
        d["b"] = 2.0 * x
    return d


def other_order(x, n):
    d = {"a": x}
    if n > 1:
        d["b"] = (2.0, x)
    d["c"] = x
    d["b"] = (3.0, x)
    return sum(len(str(k)) for k in d)


def test_what_is_not_there():
    for n in (1, 3):
        agree(deleted, 0.7, n)
        assert rg.jit(returned)(0.7, n) == returned(0.7, n)
        assert rg.jit(other_order)(0.7, n) == other_order(0.7, n)


def letters(x, n):
    s, total = "GATTACA", 0.0
    for i in range(n):
        total += x * ("ACGT".index(s[i]) + 1)
        if s[i] in "AG" or s[i].lower() == "t":
            total += 0.5 * x * x
        if "a-b".partition("-")[0].startswith(s[i].lower()):
            total *= 1.1
    try:
        return total + "GCA".index(s[n - 1]) * x
    except ValueError:
        return total - 1.0


def missing(x, n):
    return x * "GC".index("GAC"[n])


def test_methods_of_texts_that_are_chosen():
    slope = rg.grad(letters)
    for n in (2, 3, 7):
        agree(letters, 0.7, n)
        ahead, behind = letters(0.7 + 1e-6, n), letters(0.7 - 1e-6, n)
        assert slope(0.7, n) == pytest.approx((ahead - behind) / 2e-6, rel=1e-7)
    for n in range(3):
        agree(missing, 0.7, n)


def counted(x, n):
    c, d = Counter("abracadabra"), Counter(a=2, z=n)
    s, t, u, v = c + d, c - Counter("aab"), c & d, c | d
    c.subtract("ab")
    c.update("zzz")
    total = x * sum(1 for _ in t.elements()) + 10.0 * u["a"] * x + c["z"] * x + len(v) + c.total()
    for k, (_, count) in enumerate(v.most_common(3) + s.most_common()):
        total += x**k * count
    return total


def in_buckets(x, n):
    found, s = Counter(), 7
    for _ in range(n):
        s = (s * 1103515245 + 12345) % 2**31
        found[s % 5] += 1
    total = x * sum(found.elements())
    for k, count in found.most_common(3):
        total += x**k * count
    return total


def test_counters():
    agree(counted, 0.7, 4)
    agree(in_buckets, 0.7, 12)
