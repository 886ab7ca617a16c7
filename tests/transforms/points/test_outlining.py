"""Long lines of array statements: where they are cut, what parts share, that results stay."""

from __future__ import annotations

import numpy as np
import pytest

from retrograd.ir.terms import Call, Program
from retrograd.ir.traverse import stms_deep
from retrograd.transforms.passes import Pass
from retrograd.transforms.pipelines import POINTS
from retrograd.transforms.points.outlining import divide_lines
from tests.backends.llvm.native import compiled, native, reference, same
from tests.random.costs import costs, short_lines
from tests.transforms.support import after, ops, program, renamed

PARTS = Pass("parts", "", divide_lines)
LEAST, MOST = costs().line_part_least, costs().line_part_most
LONG, IN_LOOPS = costs().line_least, costs().line_least_in_loop
HEAD = "(x: f64[1], w: f64[2]) -> (f64[1])"
CHAIN = 2 * LEAST
"""Statements of a part that hands on one array, which is elementwise."""

X, W = np.linspace(0.1, 0.9, 5), np.linspace(-0.5, 0.5, 25).reshape(5, 5)


def line(statements: list[str], first: str = "x") -> Program:
    """Statements that each read the array `{a}` and bind `{b}`."""
    lines, a = [], first
    for k, text in enumerate(statements):
        lines.append(text.format(a=a, b=f"y_{k}", c=f"c_{k}"))
        a = f"y_{k}"
    return program(HEAD, "\n".join([*lines, f"return {a}"]))


def lengths(source: Program) -> list[int]:
    """How many statements the part of each call of the entry has."""
    sizes = {f.name: len(f.body.stms) for f in source.functions}
    calls = (s.expr for s in stms_deep(source.main.body))
    return [sizes[e.function] for e in calls if isinstance(e, Call)]


def stays(source: Program, done: Program) -> None:
    """Both do the same, in native code as in the interpreter."""
    before, now = renamed(source), renamed(done)
    assert same(native(compiled(now), (X, W)), native(compiled(before), (X, W)))
    assert same(reference(now, (X, W)), reference(before, (X, W)))


SINE = "{b}: f64[1] = sin({a})"
LAYER = ["{b}: f64[1] = matmul(w, {a}; span=none)", SINE, "{b}: f64[1] = add({a}, 0.5)"]


@pytest.mark.parametrize(
    ("statements", "found"),
    [
        ([SINE] * (LONG - 1), []),
        ([SINE] * LONG, [CHAIN] * (LONG // CHAIN)),
        ([SINE] * (3 * CHAIN + LEAST), [*[CHAIN] * 3, LEAST]),
        ([SINE] * (3 * CHAIN + LEAST - 1), [CHAIN] * 3),
        (LAYER * 12, [10, 9, 9, 8]),  # after a product, which is in memory anyway
    ],
)
def test_long_lines_are_cut(statements: list[str], found: list[int]) -> None:
    source = line(statements)
    done = after(source, PARTS)
    assert lengths(done) == found
    stays(source, done)


def test_points_are_numbered_in_the_parts_and_at_their_calls() -> None:
    done = after(line([SINE] * 3 * CHAIN), *POINTS)
    calls = [s.expr for s in done.main.body.stms]
    assert [e.point for e in calls if isinstance(e, Call)] == [0, 1, 2]


def test_parts_that_do_the_same_are_one_function() -> None:
    done = after(line(LAYER * 24), PARTS)
    assert lengths(done) == [10, *[9] * 6, 8]
    assert len(done.functions) == 4


def test_numbers_that_differ_are_arguments() -> None:
    lines = [f"{{b}}: f64[1] = fma({{a}}, 0.5, {k}.25)" for k in range(3 * CHAIN)]
    source = line(lines)
    done = after(source, PARTS)
    assert len(done.functions) == 2
    part = done.functions[1]
    assert len(part.params) == 1 + CHAIN  # 0.5 is the same in all
    stays(source, done)


def test_signs_of_zeros_are_told_apart() -> None:
    zeros = [["0.0", "-0.0"][k // CHAIN] for k in range(2 * CHAIN)]
    source = line([f"{{b}}: f64[1] = mul({{a}}, {zero})" for zero in zeros])
    done = after(source, PARTS)
    assert len(done.functions) == 2
    stays(source, done)
    powers = line([f"{{b}}: f64[1] = maximum({{a}}, {zero})" for zero in zeros])
    assert len(after(powers, PARTS).functions) == 3  # what is not a factor or term stays


def test_what_can_fail_keeps_its_place() -> None:
    """Sums of arrays whose extents nobody knows; each is on a line of its own."""
    places = ['; span=@"f.py":{0}:5-{0}:9'.format(k + 1) for k in range(24)]
    source = line([t.replace("; span=none", place) for place in places for t in LAYER])
    done = after(source, PARTS)
    assert len(done.functions) == 1 + len(lengths(done)) == 9


VIEWS = """
v: f64[2] = transpose(w; perm=(1, 0))
{lines}
return z"""


def test_views_are_made_again_where_they_are_read() -> None:
    lines = [f"y_{k + 1}: f64[1] = matmul(v, y_{k}; span=none)" for k in range(2 * LEAST)]
    lines += [f"z_{k}: f64[1] = sin(y_{k + 1})" for k in range(2 * LEAST)]
    total = "\n".join(
        f"s_{k + 1}: f64[1] = add({'z_0' if k == 0 else f's_{k}'}, z_{k + 1})"
        for k in range(2 * LEAST - 1)
    )
    text = "\n".join(["y_0: f64[1] = sin(x)", *lines, total, f"z: f64[1] = neg(s_{2 * LEAST - 1})"])
    source = program(HEAD, VIEWS.format(lines=text))
    done = after(source, PARTS)
    called = [s.expr for s in done.main.body.stms if isinstance(s.expr, Call)]
    assert len(called) > 1
    matrices = [a for e in called for a in e.args if a.type.rank == 2]
    assert matrices == [source.main.params[1]] * len(matrices) != []
    stays(source, done)


WRITES = """
y_0: f64[1] = copy(x)
{lines}
return y_{last}"""


def test_arrays_that_are_written_are_not_handed_from_part_to_part() -> None:
    """A chain of writes is in one part, however long it is."""
    lines = [
        f"y_{k + 1}: f64[1] = update(y_{k}, {k}.5, {k % 5}; checked=true, span=none)"
        for k in range(3 * MOST)
    ]
    source = program(HEAD, WRITES.format(lines="\n".join(lines), last=3 * MOST))
    done = after(source, PARTS)
    assert lengths(done) == [3 * MOST + 1]
    stays(source, done)


TAKEN = """
y: f64[1] = for k < 2 with (j: f64[1] = x):
    t: f64[1] = add(j, 1.0)
    yield t
{lines}
i: f64 = index(z_{last}, 0; checked=true, span=none)
u: f64[1] = update(y, i, 0; checked=true, span=none)
v: f64[1] = neg(u)
return v"""


def test_arrays_that_somebody_else_made_are_not_written_in_parts() -> None:
    lines = "\n".join(f"z_{k + 1}: f64[1] = sin({f'z_{k}' if k else 'y'})" for k in range(2 * MOST))
    source = program(HEAD, TAKEN.format(lines=lines, last=2 * MOST))
    done = after(source, PARTS)
    assert lengths(done) == [CHAIN] * (2 * MOST // CHAIN)
    assert ops(done)[-3:] == ["index", "update", "neg"]
    stays(source, done)


CHANGERS = {
    "a primitive": "d: f64[1] = update(c, 7.0, 1; checked=true, span=none)",
    "a call": "d: f64[1] = call changed(c)",
    "a loop": "d: f64[1] = for k < 1 with (b: f64[1] = c):\n"
    "    g: f64[1] = update(b, 7.0, 1; checked=true, span=none)\n    yield g",
    "a branch": "big: bool = lt(0.0, 1.0)\nd: f64[1] = if big:\n"
    "    g: f64[1] = update(c, 7.0, 1; checked=true, span=none)\n    yield g\n"
    "  else:\n    yield c",
}
CHANGED = """
function changed(a: f64[1]) -> (f64[1]):
  e: f64[1] = update(a, 7.0, 1; checked=true, span=none)
  return e
"""


@pytest.mark.parametrize("name", CHANGERS)
def test_views_of_arrays_that_are_taken_over_are_not_made_again(name: str) -> None:
    """Their elements are others by then."""
    before = "\n".join(f"p_{k + 1}: f64[1] = sin(p_{k})" for k in range(2 * MOST))
    after_it = "\n".join(f"z_{k + 1}: f64[1] = mul(z_{k}, v)" for k in range(2 * MOST))
    text = f"""
c: f64[1] = copy(x)
v: f64[1] = slice(c, 0, 2, 1; spec="s")
p_0: f64[1] = sin(v)
{before}
{CHANGERS[name]}
z_0: f64[1] = slice(d, 0, 2, 1; spec="s")
{after_it}
return z_{2 * MOST}"""
    source = program(HEAD, text, CHANGED if name == "a call" else "")
    done = after(source, PARTS)
    assert len(done.functions) > len(source.functions)
    stays(source, done)


LOOP = """
y: f64[1] = for k < 3 with (z_0: f64[1] = x):
    {lines}
    yield z_{last}
return y"""


@pytest.mark.parametrize(("count", "parts"), [(IN_LOOPS - 1, 0), (IN_LOOPS, IN_LOOPS // CHAIN)])
def test_lines_in_loops_are_longer(count: int, parts: int) -> None:
    lines = "\n    ".join(f"z_{k + 1}: f64[1] = sin(z_{k})" for k in range(count))
    source = program(HEAD, LOOP.format(lines=lines, last=count))
    done = after(source, PARTS)
    assert len(lengths(done)) == parts
    stays(source, done)


def test_scalars_of_parts_are_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    short_lines(monkeypatch, 2)
    text = """
n: i64 = dim(x; axis=0)
a: f64 = index(x, 0; checked=true, span=none)
y: f64[1] = mul(x, a)
z: f64[1] = sin(y)
b: f64 = index(z, 1; checked=true, span=none)
u: f64[1] = add(z, b)
v: f64[1] = mul(u, a)
o: f64[1] = sub(v, b)
p: f64[1] = mul(o, o)
return p"""
    source = program(HEAD, text)
    done = after(source, PARTS)
    assert len(lengths(done)) == 2
    assert any(v.type.is_scalar for s in done.main.body.stms for v in s.outs)
    stays(source, done)


ASKED = """
n: i64 = dim(w; axis=0)
m: i64 = dim(x; axis=0)
{early}
r: f64[1] = reduce_sum(w; axes=(1,), keepdims=false)
y: f64[1] = add(x, r)
z: f64[1] = sin(y)
u: f64[1] = add(z, y)
{late}
v: f64[1] = empty(e; dtype="f64")
o: f64[1] = add(v, u)
p: f64[1] = mul(o, o)
return p"""


@pytest.mark.parametrize("late", [False, True])
def test_extents_are_asked_of_arrays(late: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those that a part has: one that was known before, and one that is found there."""
    short_lines(monkeypatch, 2)
    found = "e: i64 = common_extent(m, n)"
    source = program(HEAD, ASKED.format(early=found * (not late), late=found * late))
    done = after(source, PARTS)
    calls = [s for s in done.main.body.stms if isinstance(s.expr, Call)]
    assert len(calls) > 1
    assert not any(a.type.is_scalar for s in calls for a in (*s.expr.args, *s.outs))
    stays(source, done)
