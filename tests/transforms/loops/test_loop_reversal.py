"""Loops that count down are turned where their iterations are independent, and only there."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.ir.print import print_program
from retrograd.ir.terms import For, Program
from retrograd.ir.traverse import stms_deep
from retrograd.transforms.cleanup import FORWARDS
from retrograd.transforms.loops.loop_reversal import walk_upwards
from retrograd.transforms.passes import Pass
from tests.transforms.support import after, outcome, program

HEAD = "(x: f64[1], v: f64[1], n: i64, s: i64) -> (f64[1])"
READ = "; checked=false, span=none"


def loop(body: str, carried: str = "a0: f64[1] = c", out: str = "r: f64[1]") -> Program:
    indented = "\n".join("    " + line for line in body.strip().splitlines())
    text = (
        f"c: f64[1] = copy(x)\n{out} = for i < n with ({carried}) descending:\n{indented}\nreturn r"
    )
    return program(HEAD, text)


def turned(source: Program) -> bool:
    (found,) = [
        s.expr for s in stms_deep(after(source, FORWARDS).main.body) if isinstance(s.expr, For)
    ]
    return not found.descending


def arguments(trips: int, extent: int) -> tuple[object, ...]:
    draw = np.random.default_rng(abs(trips))
    return draw.normal(size=extent), draw.normal(size=extent), np.int64(trips), np.int64(1)


OWN = {
    "one element each": f"""
p: f64 = index(a0, i{READ})
q: f64 = sin(p)
b: f64[1] = update(a0, 0.0, i{READ})
a: f64[1] = add_at(b, q, i)
yield a""",
    "pairs": f"""
k: i64 = mul(i, 2)
k1: i64 = add(k, 1)
p: f64 = index(a0, k{READ})
q: f64 = index(a0, k1{READ})
b: f64[1] = update(a0, q, k{READ})
a: f64[1] = update(b, p, k1{READ})
yield a""",
    "a value from another array": f"""
p: f64 = index(v, i{READ})
a: f64[1] = update(a0, p, i{READ})
yield a""",
}


@pytest.mark.parametrize("kind", list(OWN))
def test_iterations_with_elements_of_their_own_keep_the_bits(kind: str) -> None:
    source = loop(OWN[kind])
    assert turned(source)
    for trips in (-1, 0, 1, 7):
        args = arguments(trips, 2 * max(trips, 0) + 1)
        assert outcome(after(source, FORWARDS), args) == outcome(source, args)


def test_additions_are_done_upwards() -> None:
    source = loop(f"""
i1: i64 = add(i, 1)
p: f64 = index(v, i{READ})
b: f64[1] = add_at(a0, p, i)
a: f64[1] = add_at(b, 1.0, i1)
yield a""")
    assert turned(source)
    x, v, *rest = arguments(2, 3)
    (found,) = outcome(after(source, FORWARDS), (x, v, *rest))
    expected = [x[0] + v[0], (x[1] + 1.0) + v[1], x[2] + 1.0]
    assert np.frombuffer(found[1]).tolist() == expected


REFUSED = {
    "it reads what an iteration before has written": f"""
i1: i64 = add(i, 1)
p: f64 = index(a0, i1{READ})
a: f64[1] = update(a0, p, i{READ})
yield a""",
    "it reads and adds at neighbours": f"""
i1: i64 = add(i, 1)
p: f64 = index(a0, i1{READ})
a: f64[1] = add_at(a0, p, i)
yield a""",
    "it writes one place in all iterations": f"""
p: f64 = index(v, i{READ})
a: f64[1] = update(a0, p, s{READ})
yield a""",
    "pairs overlap": f"""
k: i64 = mul(i, 2)
k2: i64 = add(k, 2)
p: f64 = index(a0, k2{READ})
a: f64[1] = update(a0, p, k{READ})
yield a""",
    "the place is read from memory": f"""
f: f64 = index(v, i{READ})
k: i64 = convert(f; dtype="i64")
a: f64[1] = update(a0, f, k{READ})
yield a""",
    "the place is not linear": f"""
k: i64 = mul(i, i)
p: f64 = index(a0, k{READ})
a: f64[1] = update(a0, 1.0, k{READ})
yield a""",
    "it can raise": """
p: f64 = index(v, i; checked=true, span=none)
a: f64[1] = update(a0, p, i; checked=false, span=none)
yield a""",
    "it pops": f"""
p: f64 = pop(; types=("f64",))
a: f64[1] = update(a0, p, i{READ})
yield a""",
    "an array is used whole": f"""
t: f64 = reduce_sum(a0; axes=(0,), keepdims=false, span=none)
a: f64[1] = update(a0, t, i{READ})
yield a""",
    "a branch writes": f"""
p: f64 = index(v, i{READ})
f: bool = lt(p, 0.0)
a: f64[1] = if f:
    b: f64[1] = update(a0, p, i{READ})
    yield b
  else:
    yield a0
yield a""",
}


@pytest.mark.parametrize("why", list(REFUSED))
def test_it_counts_down_as_before_where(why: str) -> None:
    assert not turned(loop(REFUSED[why]))


def test_a_carried_scalar_keeps_the_order() -> None:
    body = f"""
p: f64 = index(v, i{READ})
t1: f64 = mul(t, p)
a: f64[1] = update(a0, t1, i{READ})
yield a, t1"""
    assert not turned(loop(body, "a0: f64[1] = c, t: f64 = 1.0", "r: f64[1], u: f64"))


def test_a_loop_that_counts_up_is_left_alone() -> None:
    source = loop(OWN["one element each"])
    again = after(after(source, FORWARDS), FORWARDS)
    assert again == after(source, FORWARDS)


UPWARDS = Pass("upwards", "", walk_upwards)
DOWN = f"""
m: i64 = sub(n, i)
k: i64 = sub(m, 1)
p: f64 = index(v, k{READ})
q: f64 = mul(p, 3.0)
b: f64[1] = {{write}}
yield b"""
LEFT = {
    "additions to one element": "add_at(a0, q, s)",
    "additions to elements of their own": f"update(a0, q, k{READ})\nu: f64 = index(v, i{READ})",
    "an element that two iterations write": f"update(a0, q, s{READ})",
    "what can raise": "update(a0, q, k; checked=true, span=none)",
}
"""The second one walks an array upwards, too."""


def upwards(write: str, descending: bool = False) -> Program:
    order = " descending" if descending else ""
    body = "\n".join("    " + s for s in DOWN.format(write=write).strip().splitlines())
    text = f"c: f64[1] = copy(x)\nr: f64[1] = for i < n with (a0: f64[1] = c){order}:\n{body}"
    return program(HEAD, f"{text}\nreturn r")


@pytest.mark.parametrize("write", [f"update(a0, q, k{READ})", "add_at(a0, q, k)"])
def test_machine_code_walks_arrays_upwards(write: str) -> None:
    source = upwards(write)
    done = after(source, UPWARDS)
    (one,) = [s.expr for s in stms_deep(done.main.body) if isinstance(s.expr, For)]
    assert not one.descending  # its index is only subtracted from n
    assert "add(i, 1)" in print_program(done)
    assert "sub(n, i)" not in print_program(done)
    for trips in (-1, 0, 1, 7):
        args = arguments(trips, max(trips, 0) + 2)
        assert outcome(done, args) == outcome(source, args)
    assert after(upwards(write, descending=True), UPWARDS) == upwards(write, descending=True)


def test_an_index_that_is_used_otherwise_descends() -> None:
    body = DOWN.format(write="add_at(a0, o, k)").replace("m: i64", "h: i64 = mul(i, 2)\nm: i64")
    body = body.replace("b: f64[1]", "o: f64 = mul(q, 1.5)\nb: f64[1]").strip().splitlines()
    lines = "\n".join(f"    {s}" for s in body)
    text = f"c: f64[1] = copy(x)\nr: f64[1] = for i < n with (a0: f64[1] = c):\n{lines}"
    source = program(HEAD, f"{text}\nreturn r")
    done = after(source, UPWARDS)
    assert [s.expr.descending for s in stms_deep(done.main.body) if isinstance(s.expr, For)] == [
        True
    ]
    args = arguments(7, 9)
    assert outcome(done, args) == outcome(source, args)


@pytest.mark.parametrize("kind", LEFT)
def test_machine_code_leaves_other_loops(kind: str) -> None:
    assert after(upwards(LEFT[kind]), UPWARDS) == upwards(LEFT[kind])
