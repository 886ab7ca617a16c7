"""Unroll and jam: which nests, that no bit changes, and that errors come where they came."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.ir.terms import For, Program
from retrograd.ir.traverse import stms_deep
from tests.transforms.loops.support import check, vectors
from tests.transforms.support import program

pytestmark = pytest.mark.thinned(2)

HEAD = "(w: f64[2], x: f64[1], y: f64[1], n: i64, m: i64) -> "

GET = "checked=false, span=none"


def widest(source: Program) -> int:
    """The most statements in an innermost loop: what tells a jammed nest."""
    loops = [s.expr for s in stms_deep(source.main.body) if isinstance(s.expr, For)]
    inner = [x for x in loops if not any(isinstance(s.expr, For) for s in stms_deep(x.body))]
    return max(len(x.body.stms) for x in inner)


def runs(lengths: tuple[int, ...] = tuple(range(41))) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for n in lengths:
        for m in (0, 1, 5, 19):
            for kind in range(3):
                cells = vectors(n * m, seed=m)[kind].reshape(n, m)
                found.append((cells, vectors(n)[kind], vectors(m)[kind], n, m))
    return found


DOT = f"""
o: f64[1] = copy(x)
r: f64[1] = for i < n with (c: f64[1] = o):
    a: f64 = index(c, i; {GET})
    s: f64 = for j < m with (p: f64 = a):
        u: f64 = index(w, i, j; {GET})
        h: f64 = index(y, j; {GET})
        t: f64 = fma(u, h, p)
        yield t
    g: f64 = mul(s, 2.0)
    d: f64[1] = update(c, g, i; {GET})
    yield d
return r"""

AXPY = f"""
o: f64[1] = copy(y)
r: f64[1] = for i < n with (c: f64[1] = o):
    a: f64 = index(x, i; {GET})
    s: f64[1] = for j < m with (p: f64[1] = c):
        u: f64 = index(w, i, j; {GET})
        h: f64 = index(p, j; {GET})
        t: f64 = fma(u, a, h)
        q: f64[1] = update(p, t, j; {GET})
        yield q
    yield s
return r"""

JAMMED = {
    "a sum for each row": DOT,
    "rows from the last on": DOT.replace("= o):", "= o) descending:"),
    "columns from the last on": DOT.replace("= a):", "= a) descending:"),
    "rows added to one row": AXPY,
    "the same, both from the last on": AXPY.replace("= o):", "= o) descending:").replace(
        "= c):", "= c) descending:"
    ),
    "add_at": AXPY.replace(
        f"""h: f64 = index(p, j; {GET})
        t: f64 = fma(u, a, h)
        q: f64[1] = update(p, t, j; {GET})""",
        """t: f64 = mul(u, a)
        q: f64[1] = add_at(p, t, j)""",
    ),
}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", JAMMED)
def test_jammed_with_the_same_bits(name: str) -> None:
    source = program(HEAD + "(f64[1])", JAMMED[name])
    assert widest(check(source, runs())) > 2 * widest(source)


def test_a_private_array_may_be_read_in_the_inner_loop() -> None:
    body = DOT.replace("h: f64 = index(y, j;", "h: f64 = index(c, i;")
    source = program(HEAD + "(f64[1])", body)
    assert widest(check(source, runs((0, 7, 8, 20)))) > widest(source)


LEFT = {
    "a neighbour is read": DOT.replace("u: f64 = index(w, i, j;", "u: f64 = index(c, j;"),
    "an element that does not move": AXPY.replace("(p, j;", "(p, 0;").replace("t, j;", "t, 0;"),
    "written before, at the outer index": AXPY.replace(
        "s: f64[1] = for j < m with (p: f64[1] = c):",
        f"b: f64[1] = update(c, a, 0; {GET})\n"
        "    s: f64[1] = for j < m with (p: f64[1] = b):",
    ),
    "an inner trip count of its own": DOT.replace("j < m", "j < i"),
    "an effect inside": DOT.replace(
        f"index(w, i, j; {GET})", "index(w, i, j; checked=true, span=none)"
    ),
    "a check after": DOT.replace(
        "    g: f64 = mul", "    e: f64 = index(y, i; checked=true, span=none)\n    g: f64 = mul"
    ),
    "rows are written": """
o: f64[2] = copy(w)
r: f64[2] = for i < n with (c: f64[2] = o):
    a: f64 = index(x, i; GET)
    s: f64[2] = for j < m with (p: f64[2] = c):
        t: f64 = mul(a, a)
        q: f64[2] = add_at(p, t, i, j)
        yield q
    yield s
e: f64[1] = reduce_sum(r; axes=(1,), keepdims=false)
return e""".replace("GET", GET),
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT)
def test_left_alone(name: str) -> None:
    source = program(HEAD + "(f64[1])", LEFT[name])
    some = [args for args in runs((0, 1, 5, 19)) if args[3] == args[4]]  # every index is inside
    assert widest(check(source, some)) == widest(source)


GUARDED = AXPY.replace(
    "    s: f64[1] = for",
    """\
    k: i64 = add(i, 3)
    g: bool = ge(k, limit)
    if g:
        z: f64 = index(x, k; checked=true, span=none)
        yield
      else:
        yield
    s: f64[1] = for""",
)


@pytest.mark.parametrize("negated", [False, True])
def test_guards_end_the_jam_where_they_would_raise(negated: bool) -> None:
    body = GUARDED
    if negated:
        taken = "z: f64 = index(x, k; checked=true, span=none)\n        yield"
        body = body.replace("ge(k", "lt(k").replace(taken, "yield")
        body = body.replace("else:\n        yield", f"else:\n        {taken}")
    head = HEAD.replace("m: i64)", "m: i64, limit: i64)")
    source = program(head + "(f64[1])", body)
    cases = [
        (np.ones((n, 5)), np.arange(float(size)), np.zeros(5), n, 5, limit)
        for n in (0, 3, 4, 9, 17)
        for size in (n, n + 2, n + 3, n + 9)
        for limit in (0, 5, 12, 100)
        if size >= n
    ]
    assert widest(check(source, cases)) > widest(source)


def test_a_guard_that_reads_memory_keeps_the_nest() -> None:
    body = GUARDED.replace("k: i64 = add(i, 3)", 'k: i64 = convert(a; dtype="i64")')
    head = HEAD.replace("m: i64)", "m: i64, limit: i64)")
    source = program(head + "(f64[1])", body)
    cases = [(np.ones((9, 5)), np.zeros(9), np.zeros(5), 9, 5, limit) for limit in (0, 5)]
    assert widest(check(source, cases)) == widest(source)
