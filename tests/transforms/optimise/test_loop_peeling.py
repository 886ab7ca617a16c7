"""Loops that are divided where an index comes round."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.ir.terms import For, Prim, Program
from retrograd.ir.traverse import stms_deep
from retrograd.transforms.cleanup import DEAD_CODE, GUARDS, HOIST, RANGES, SIMPLIFY
from retrograd.transforms.pipelines import EDGES
from tests.transforms.support import after, outcome, program

pytestmark = pytest.mark.thinned(2)

CLEAN = (SIMPLIFY, HOIST, RANGES, SIMPLIFY, DEAD_CODE)
HEAD = "(x: f64[1], y: f64[1], n: i64) -> (f64[1], f64)"
LOOP = """
d: i64 = dim(x; axis=0)
z: f64[1], s: f64 = for i < {trips} with (c: f64[1] = y, a: f64 = 0.0){how}:
    {place}
    p: f64 = index(x, j; checked=true, span=none)
    q: f64 = add({sum}, p)
    e: f64[1] = update(c, q, i; checked=true, span=none)
    yield e, q
return z, s
"""
BEFORE = "k: i64 = isub(i, {by}; span=none)\n    j: i64 = {op}(k, d{more})"
BEHIND = "k: i64 = iadd(i, {by}; span=none)\n    j: i64 = mod(k, d)"


def loops(source: Program) -> list[list[str]]:
    """What is done in each loop, the first one first; checked accesses with an exclamation mark."""
    found = [s.expr for s in stms_deep(source.main.body) if isinstance(s.expr, For)]
    return [[_named(s.expr) for s in e.body.stms if isinstance(s.expr, Prim)] for e in found]


def _named(expr: Prim) -> str:
    return expr.op + "!" * (("checked", True) in expr.params)


def made(trips: str, place: str, how: str = "", sum: str = "a") -> tuple[Program, Program]:
    source = program(HEAD, LOOP.format(trips=trips, place=place, how=how, sum=sum))
    return source, after(source, *CLEAN, EDGES, *CLEAN, GUARDS, *CLEAN)


def same(source: Program, done: Program) -> None:
    for extent in (0, 1, 2, 3, 5, 9):
        for longer in (-2, 0, 3):
            for n in (-(2**63), -1, 0, 1, 2, 4, 9, extent):
                args = np.arange(1.0, extent + 1), np.ones(max(0, extent + longer)), np.int64(n)
                assert outcome(done, args) == outcome(source, args), (extent, longer, n)


@pytest.mark.parametrize("trips", ["d", "n"])
@pytest.mark.parametrize("by", [1, 2, 4])
def test_an_index_from_the_end(trips: str, by: int) -> None:
    source, done = made(trips, BEFORE.format(by=by, op="wrap", more=""))
    assert len(loops(done)) == 2
    assert "wrap" not in loops(done)[1]
    same(source, done)


@pytest.mark.parametrize("by", [1, 3])
def test_neighbours_on_a_torus(by: int) -> None:
    for place, count in ((BEFORE.format(by=by, op="mod", more=""), 2), (BEHIND.format(by=by), 2)):
        source, done = made("d", place)
        ops = loops(done)
        assert len(ops) == count
        assert any(not {"wrap", "mod"} & set(o) for o in ops)
        same(source, done)
    both = BEFORE.format(by=by, op="mod", more="").replace("j:", "l:").replace("k", "m")
    first = "o: f64 = index(x, l; checked=true, span=none)\n    b: f64 = add(a, o)"
    source, done = made("d", f"{both}\n    {first}\n    {BEHIND.format(by=by)}", sum="b")
    assert len(loops(done)) == 3
    assert not {"wrap", "mod", "index!", "update!"} & set(loops(done)[1])
    same(source, done)


@pytest.mark.parametrize(
    ("trips", "place", "how"),
    [
        ("d", BEFORE.format(by=5, op="wrap", more=""), ""),
        ("4", BEFORE.format(by=1, op="wrap", more=""), ""),
        ("d", BEFORE.format(by=1, op="wrap", more=""), " descending"),
        ("d", "k: i64 = mul(i, -1)\n    j: i64 = wrap(k, d)", ""),
        ("d", "j: i64 = wrap(n, d)", ""),
    ],
)
def test_left_as_they_are(trips: str, place: str, how: str) -> None:
    source, done = made(trips, place, how)
    assert len(loops(done)) == 1
    same(source, done)
