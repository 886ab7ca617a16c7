"""Neighbours in scalars: the same bits, in one read and one store an element, or no change."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.ir.equal import alpha_equal
from retrograd.ir.terms import Program
from retrograd.transforms.cleanup import WINDOWS
from tests.transforms.support import after, in_loops, outcome, program

HEAD = "(x: f64[1], v: f64[1], n: i64, s: i64) -> (f64[1])"


def loop(body: str, descending: bool = True, head: str = HEAD, setup: str = "") -> Program:
    """A loop over i < n that does `body` to `a0`, a copy of x, and goes on with `a`."""
    rank = head.split("x: ")[1].split(",")[0]
    indented = "\n".join("    " + line for line in body.strip().splitlines())
    way = " descending" if descending else ""
    text = f"""
c: {rank} = copy(x)
{setup}
r: {rank} = for i < n with (a0: {rank} = c){way}:
{indented}
    yield a
return r
"""
    return program(head, "\n".join(line for line in text.splitlines() if line.strip()))


def add(new: str, old: str, value: str, *index: str) -> str:
    return f"{new}: f64[{len(index)}] = add_at({old}, {value}, {', '.join(index)})"


STENCIL = "\n".join([
    "i1: i64 = add(i, 1)",
    "i2: i64 = add(i, 2)",
    "p: f64 = index(v, i; checked=false, span=none)",
    "q: f64 = sin(p)",
    "m: f64 = mul(p, q)",
    add("b", "a0", "p", "i"),
    add("d", "b", "q", "i1"),
    add("a", "d", "m", "i2"),
])  # fmt: skip


def arguments(extent: int, trips: int, shift: int = 0) -> tuple[object, ...]:
    draw = np.random.default_rng(100 * extent + abs(trips))
    values = draw.normal(size=extent) * 10.0 ** draw.integers(-8, 8, extent)
    return values, draw.normal(size=max(trips, 0)) * 1e3, np.int64(trips), np.int64(shift)


def changes(source: Program) -> bool:
    return not alpha_equal(after(source, WINDOWS), source)


@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize("trips", [-3, 0, 1, 2, 3, 5, 40])
def test_the_bits_are_those_of_the_loop_as_it_was(trips: int, descending: bool) -> None:
    source = loop(STENCIL, descending)
    args = arguments(max(trips, 0) + 2, trips)
    assert changes(source)
    assert outcome(after(source, WINDOWS), args) == outcome(source, args)


@pytest.mark.parametrize("trips", [0, -1])
def test_without_iterations_nothing_is_read(trips: int) -> None:
    source = loop(STENCIL)
    args = arguments(0, trips)
    assert outcome(after(source, WINDOWS), args) == outcome(source, args)


def test_an_element_is_read_and_stored_once() -> None:
    found = in_loops(after(loop(STENCIL), WINDOWS))
    assert found.count("add_at") == 0
    assert found.count("index") == 2  # of v and of the element that enters
    assert found.count("update") == 1


def test_offsets_with_gaps_and_repeated_ones() -> None:
    body = "\n".join([
        "i3: i64 = add(i, 3)",
        "p: f64 = index(v, i; checked=false, span=none)",
        add("b", "a0", "p", "i3"),
        add("d", "b", "2.0", "i"),
        add("e", "d", "p", "i"),
        add("a", "e", "p", "i3"),
    ])  # fmt: skip
    for descending in (True, False):
        source = loop(body, descending)
        assert changes(source)
        for trips in (1, 2, 3, 4, 9):
            args = arguments(trips + 3, trips)
            assert outcome(after(source, WINDOWS), args) == outcome(source, args)


def test_an_offset_from_outside_the_loop() -> None:
    body = "\n".join([
        "k: i64 = add(s, i)",
        "k1: i64 = sub(k, 1)",
        "p: f64 = index(v, i; checked=false, span=none)",
        add("b", "a0", "p", "k"),
        add("a", "b", "p", "k1"),
    ])  # fmt: skip
    source = loop(body)
    assert changes(source)
    args = arguments(9, 5, 3)
    assert outcome(after(source, WINDOWS), args) == outcome(source, args)


TWO = "(x: f64[2], v: f64[1], n: i64, s: i64) -> (f64[2])"


def cross(row: str) -> str:
    return "\n".join([
        "i1: i64 = add(i, 1)",
        "i2: i64 = add(i, 2)",
        f"r2: i64 = {row}",
        "p: f64 = index(v, i; checked=false, span=none)",
        add("b", "a0", "p", "s", "i"),
        add("d", "b", "p", "r2", "i1"),
        add("e", "d", "p", "s", "i1"),
        add("a", "e", "p", "s", "i2"),
    ])  # fmt: skip


def test_rows_that_differ_by_a_constant_are_apart() -> None:
    source = loop(cross("add(s, 1)"), head=TWO)
    assert in_loops(after(source, WINDOWS)).count("add_at") == 1  # the other row's
    draw = np.random.default_rng(0)
    args = draw.normal(size=(4, 9)), draw.normal(size=7), np.int64(7), np.int64(1)
    assert outcome(after(source, WINDOWS), args) == outcome(source, args)


def test_rows_that_may_be_one_are_left_alone() -> None:
    assert not changes(loop(cross("mul(s, n)"), head=TWO))


def test_columns_move_along_the_first_axis() -> None:
    body = "\n".join([
        "i1: i64 = add(i, 1)",
        "p: f64 = index(v, i; checked=false, span=none)",
        add("b", "a0", "p", "i1", "s"),
        add("a", "b", "2.0", "i", "s"),
    ])  # fmt: skip
    source = loop(body, head=TWO)
    assert changes(source)
    draw = np.random.default_rng(0)
    args = draw.normal(size=(8, 3)), draw.normal(size=7), np.int64(7), np.int64(2)
    assert outcome(after(source, WINDOWS), args) == outcome(source, args)


READS = "p: f64 = index(v, i; checked=false, span=none)"
REFUSED = {
    "the array is read in the loop": [
        "i1: i64 = add(i, 1)", "p: f64 = index(a0, i; checked=false, span=none)",
        add("b", "a0", "p", "i"), add("a", "b", "p", "i1"),
    ],
    "the array is overwritten": [
        "i1: i64 = add(i, 1)", READS, add("b", "a0", "p", "i"),
        "a: f64[1] = update(b, p, i1; checked=false, span=none)",
    ],
    "an index is not linear": [
        "k: i64 = mul(i, i)", READS, add("b", "a0", "p", "i"), add("a", "b", "p", "k"),
    ],
    "an index is read from memory": [
        "f: f64 = index(v, i; checked=false, span=none)",
        'k: i64 = convert(f; dtype="i64")', add("b", "a0", "f", "i"), add("a", "b", "f", "k"),
    ],
    "the stride is two": [
        "k: i64 = mul(i, 2)", "k1: i64 = add(k, 1)", READS,
        add("b", "a0", "p", "k"), add("a", "b", "p", "k1"),
    ],
    "indices run against each other": [
        "k: i64 = sub(s, i)", READS, add("b", "a0", "p", "i"), add("a", "b", "p", "k"),
    ],
    "the distance is not constant": [
        "k: i64 = add(i, s)", READS, add("b", "a0", "p", "i"), add("a", "b", "p", "k"),
    ],
    "the neighbours are far": [
        "k: i64 = add(i, 9)", READS, add("b", "a0", "p", "i"), add("a", "b", "p", "k"),
    ],
    "one addition is in a branch": [
        "i1: i64 = add(i, 1)", READS, "f: bool = lt(p, 0.0)", add("b", "a0", "p", "i"),
        "a: f64[1] = if f:", "    " + add("d", "b", "p", "i1"), "    yield d",
        "  else:", "    yield b",
    ],
    "one addition is in a loop of its own": [
        "i1: i64 = add(i, 1)", READS, add("b", "a0", "p", "i"),
        "a: f64[1] = for j < s with (g: f64[1] = b):",
        "    " + add("d", "g", "p", "i1"), "    yield d",
    ],
    "there is one offset": [READS, add("b", "a0", "p", "i"), add("a", "b", "p", "i")],
}  # fmt: skip


@pytest.mark.parametrize("why", list(REFUSED))
def test_it_is_left_alone_where(why: str) -> None:
    assert not changes(loop("\n".join(REFUSED[why])))


def test_an_index_that_the_loop_carries_is_left_alone() -> None:
    source = program(
        HEAD,
        """
c: f64[1] = copy(x)
r: f64[1], k9: i64 = for i < n with (a0: f64[1] = c, k: i64 = s) descending:
    k1: i64 = add(k, 1)
    b: f64[1] = add_at(a0, 1.0, k)
    a: f64[1] = add_at(b, 1.0, k1)
    yield a, k1
return r
""",
    )
    assert not changes(source)


def test_sums_and_other_arrays_come_through() -> None:
    source = program(
        "(x: f64[1], v: f64[1], n: i64, s: i64) -> (f64[1], f64[1], f64)",
        """
c: f64[1] = copy(x)
d: f64[1] = copy(v)
r: f64[1], u: f64[1], t: f64 = for i < n with (a0: f64[1] = c, b0: f64[1] = d) sums=1 descending:
    i1: i64 = add(i, 1)
    p: f64 = index(b0, i; checked=false, span=none)
    b: f64[1] = update(b0, 0.0, i; checked=false, span=none)
    e: f64[1] = add_at(a0, p, i)
    a: f64[1] = add_at(e, 3.0, i1)
    yield a, b, p
return r, u, t
""",
    )
    assert changes(source)
    for trips in (0, 1, 2, 33, 70):
        args = arguments(trips + 1, trips)
        assert outcome(after(source, WINDOWS), args) == outcome(source, args)
