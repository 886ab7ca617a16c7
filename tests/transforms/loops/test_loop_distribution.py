"""Loops split into a map in lanes and a chain in order: when, and with the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.ir.print import print_program
from tests.transforms.loops.support import check, vectors
from tests.transforms.support import ops, program

HEAD = "(x: f64[1], y: f64[1], n: i64, a: f64) -> "

SPLIT = {
    "a sum": """
s: f64 = for i < n with (acc: f64 = a):
    u: f64 = index(x, i; checked=false, span=none)
    e: f64 = exp(u)
    t: f64 = add(acc, e)
    yield t
return s""",
    "from the last to the first, two chains": """
s: f64, p: f64 = for i < n with (acc: f64 = a, q: f64 = 1.0) descending:
    u: f64 = index(x, i; checked=false, span=none)
    e: f64 = exp(u)
    m: f64 = tanh(u)
    t: f64 = fma(acc, m, e)
    r: f64 = mul(q, u)
    yield t, r
return s, p""",
    "the element before": """
s: f64, r: f64 = for i < n with (last: f64 = a, total: f64 = 0.0):
    u: f64 = index(x, i; checked=false, span=none)
    e: f64 = exp(u)
    d: f64 = sub(e, last)
    t: f64 = add(total, d)
    yield e, t
return s, r""",
    "a flag and a number cross": """
s: f64, c: i64 = for i < n with (acc: f64 = a, count: i64 = 0):
    u: f64 = index(x, i; checked=false, span=none)
    e: f64 = sin(u)
    f: bool = gt(e, a)
    g: f64 = convert(i; dtype="f64")
    h: f64 = mul(g, e)
    t: f64 = add(acc, h)
    v: f64 = select(f, t, acc)
    k: i64 = convert(f; dtype="i64")
    l: i64 = add(count, k)
    yield v, l
return s, c""",
}


def runs(n: int) -> list[tuple[object, ...]]:
    return [(x, np.ones(n), n, a) for x in vectors(n) for a in (0.0, -0.0, 0.3)]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", SPLIT)
def test_every_length_has_the_same_bits(name: str) -> None:
    results = "(f64)" if SPLIT[name].strip().endswith("return s") else ""
    results = results or ("(f64, i64)" if "count" in SPLIT[name] else "(f64, f64)")
    source = program(HEAD + results, SPLIT[name])
    lengths = (*range(41), 63, 64, 65, 100)
    done = check(source, [args for n in lengths for args in runs(n)])
    assert ops(done).count("for") == 4
    negative = [(np.ones(2), np.ones(2), -5, 0.5)]
    check(source, negative)


def test_arrays_stay_with_their_part() -> None:
    source = program(
        HEAD + "(f64, f64[1], f64[1])",
        """
v: f64[1] = copy(x)
w: f64[1] = copy(y)
s: f64, r: f64[1], z: f64[1] = for i < n with (acc: f64 = a, p: f64[1] = v, q: f64[1] = w):
    u: f64 = index(p, i; checked=false, span=none)
    e: f64 = exp(u)
    p1: f64[1] = update(p, e, i; checked=false, span=none)
    t: f64 = add(acc, e)
    q1: f64[1] = update(q, t, i; checked=false, span=none)
    yield t, p1, q1
return s, r, z""",
    )
    lengths = (0, 1, 31, 32, 33, 64, 77)
    done = check(source, [args for n in lengths for args in runs(n)])
    assert ops(done).count("for") == 4


KEPT = {
    "cheap": "e: f64 = mul(u, u)\n    t: f64 = add(acc, e)",
    "all in the chain": "v: f64 = mul(u, acc)\n    e: f64 = exp(v)\n    t: f64 = add(acc, e)",
    "may raise": """\
w: f64 = index(y, i; checked=true, span=none)
    e: f64 = exp(w)
    t: f64 = add(acc, e)""",
}


@pytest.mark.parametrize("name", KEPT)
def test_left_alone(name: str) -> None:
    source = program(
        HEAD + "(f64)",
        f"""
s: f64 = for i < n with (acc: f64 = a):
    u: f64 = index(x, i; checked=false, span=none)
    {KEPT[name]}
    yield t
return s""",
    )
    done = check(source, runs(40))
    assert print_program(done).count("for ") == print_program(source).count("for ")


def test_an_array_that_the_chain_writes_and_the_map_reads_is_left_alone() -> None:
    source = program(
        HEAD + "(f64, f64[1])",
        """
v: f64[1] = copy(x)
s: f64, r: f64[1] = for i < n with (acc: f64 = a, p: f64[1] = v):
    u: f64 = index(p, 0; checked=false, span=none)
    e: f64 = exp(u)
    t: f64 = add(acc, e)
    p1: f64[1] = update(p, t, 0; checked=false, span=none)
    yield t, p1
return s, r""",
    )
    done = check(source, [args for n in (1, 32, 40) for args in runs(n)])
    assert ops(done).count("for") == 1


MET = """
w: f64[1] = copy(y)
r: f64[1], s: f64 = for i < n with (p: f64[1] = w, acc: f64 = a) descending:
    u: f64 = index(x, i; checked=false, span=none)
    d: f64 = tanh(u)
    e: f64 = exp(d)
    o: f64 = index(p, {place}; checked=false, span=none)
    m: f64 = add(o, d)
    p1: f64[1] = update(p, m, {place}; checked=false, span=none)
    q: f64 = neg(e)
    p2: f64[1] = add_at(p1, q, i)
    t: f64 = add(acc, e)
    yield p2, t
return r, s"""
"""All iterations add to one element, and each to one of its own, in turn."""


def test_an_element_that_all_iterations_add_to_is_part_of_the_chain() -> None:
    lengths = (*range(1, 10), 31, 32, 33, 40, 63, 64, 65)
    each = [args for n in lengths for args in runs(n)]
    done = check(program(HEAD + "(f64[1], f64)", MET.format(place=0)), each)
    assert ops(done).count("for") == 3
    assert ops(done).count("add_at") == 1
    check(program(HEAD + "(f64[1], f64)", MET.format(place=0)), [(np.ones(2), np.ones(2), -5, 0.5)])


def test_elements_of_the_iterations_own_stay_in_the_map() -> None:
    each = [args for n in (0, 1, 9, 32, 40) for args in runs(n)]
    done = check(program(HEAD + "(f64[1], f64)", MET.format(place="i")), each)
    assert ops(done).count("for") == 4
