"""Guards before loops: no check is left inside, and the error is the one that the loop raised."""

from __future__ import annotations

import itertools
from random import Random

import numpy as np
import pytest

from retrograd.ir.check import check_program
from retrograd.ir.print import print_program
from retrograd.ir.terms import For, Prim, Program
from retrograd.ir.traverse import stms_deep
from retrograd.prims import DEFAULT
from retrograd.transforms.cleanup import DEAD_CODE, GUARDS, HOIST, RANGES, SIMPLIFY
from tests.transforms.random_programs import random_program
from tests.transforms.support import after, ops, outcome, program

HEAD = "(x: f64[1], y: f64[1], m: i64, r: i64) -> "


def checks_in_loops(source: Program) -> int:
    """Checked accesses that run in every iteration of a loop."""
    loops = [s.expr for s in stms_deep(source.main.body) if isinstance(s.expr, For)]
    inner = [s.expr for loop in loops for s in loop.body.stms if isinstance(s.expr, Prim)]
    return sum(("checked", True) in e.params or e.op == "check_index" for e in inner)


GUARDED = {
    "up": "j: i64 = add(i, r)\nv: f64 = index(x, j; checked=true, span=none)",
    "down": "j: i64 = sub(r, i)\nv: f64 = index(x, j; checked=true, span=none)",
    "still": "v: f64 = index(x, r; checked=true, span=none)",
    "shifted": "j: i64 = add(i, -1)\nv: f64 = index(x, j; checked=true, span=none)",
    "two arrays": """\
j: i64 = add(i, r)
u: f64 = index(x, j; checked=true, span=none)
w: f64 = index(y, i; checked=true, span=none)
v: f64 = mul(u, w)""",
    "check alone": """\
j: i64 = add(i, r)
check_index(j, m; axis=1, span=none)
v: f64 = index(x, j; checked=true, span=none)""",
    "check below": """\
v: f64 = index(x, i; checked=true, span=none)
j: i64 = sub(r, i)
check_index(j, 4; axis=0, span=none)""",
    "against each other": """\
j: i64 = sub(r, i)
u: f64 = index(x, i; checked=true, span=none)
w: f64 = index(y, j; checked=true, span=none)
v: f64 = mul(u, w)""",
}


@pytest.mark.parametrize("name", GUARDED)
def test_the_error_is_the_same_and_comes_from_the_guard(name: str) -> None:
    body = GUARDED[name].replace("\n", "\n    ")
    source = program(
        HEAD + "(f64)",
        f"""
s: f64 = for i < m with (acc: f64 = 0.0):
    {body}
    t: f64 = add(acc, v)
    yield t
return s""",
    )
    guarded = after(source, GUARDS)
    assert checks_in_loops(source) > 0
    assert checks_in_loops(guarded) == 0
    done = after(guarded, SIMPLIFY, HOIST, RANGES, SIMPLIFY, DEAD_CODE)
    sizes = [0, 1, 3]
    starts = [-(2**63), -1, 0, 1, 2, 3, 2**63 - 1]
    for nx, ny, m, r in itertools.product(sizes, sizes, [-1, 0, 1, 3, 4], starts):
        args = (np.arange(float(nx)), np.ones(ny), np.int64(m), np.int64(r))
        expected = outcome(source, args)
        assert outcome(guarded, args) == expected
        assert outcome(done, args) == expected


def test_arrays_that_the_loop_writes_are_guarded_by_their_initial_value() -> None:
    source = program(
        HEAD + "(f64[1])",
        """
c: f64[1] = copy(x)
s: f64[1] = for i < m with (p: f64[1] = c):
    v: f64 = index(y, i; checked=true, span=none)
    q: f64[1] = update(p, v, i; checked=true, span=none)
    o: f64[1] = update(q, v, r; checked=true, span=none)
    yield o
return s""",
    )
    guarded = after(source, GUARDS)
    assert checks_in_loops(guarded) == 0
    for nx, ny, m, r in itertools.product([0, 2, 3], [0, 2, 3], [0, 2, 3], [-1, 0, 2]):
        args = (np.zeros(nx), np.arange(float(ny)), np.int64(m), np.int64(r))
        assert outcome(guarded, args) == outcome(source, args)


NOT_GUARDED = {
    "an index that is not affine": """\
    j: i64 = mul(i, i)
    v: f64 = index(x, j; checked=true, span=none)""",
    "another check that could come first": """\
    k: i64 = iadd(r, i; span=none)
    v: f64 = index(x, i; checked=true, span=none)""",
    "an array that is made inside": """\
    w: f64[1] = mul(x, 2.0)
    z: f64[1] = add(w, y)
    v: f64 = index(z, i; checked=true, span=none)""",
}


@pytest.mark.parametrize("name", NOT_GUARDED)
def test_loops_with_anything_else_are_left_alone(name: str) -> None:
    source = program(
        HEAD + "(f64)",
        f"""
s: f64 = for i < m with (acc: f64 = 0.0):
{NOT_GUARDED[name]}
    t: f64 = add(acc, v)
    yield t
return s""",
    )
    assert after(source, GUARDS) == source


def test_a_guard_that_is_proved_goes() -> None:
    source = program(
        HEAD + "(f64)",
        """
d: i64 = dim(x; axis=0)
s: f64 = for i < d with (acc: f64 = 0.0):
    v: f64 = index(x, i; checked=true, span=none)
    t: f64 = add(acc, v)
    yield t
return s""",
    )
    done = after(source, GUARDS, SIMPLIFY, RANGES, SIMPLIFY, DEAD_CODE)
    assert ops(done) == ["dim", "for", "index", "add"]
    assert "checked=true" not in print_program(done)


def test_random_programs_raise_what_they_raised() -> None:
    for seed in range(150):
        source = random_program(Random(seed))
        check_program(source, DEFAULT)
        rng = np.random.default_rng(seed)
        x, y = rng.uniform(-2, 2, 3), rng.uniform(-2, 2, 3)
        args = (x, y, np.float64(0.5), np.int64(rng.integers(-1, 5)))
        assert outcome(after(source, GUARDS), args) == outcome(source, args)
