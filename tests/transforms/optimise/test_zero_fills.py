"""Arrays are cleared only where the loops that fill them do not write first.

The interpreter has NaN where nothing is cleared, so whatever is read before it is written shows.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.ir.terms import Program
from retrograd.transforms.optimise.zero_fills import spare_fills
from retrograd.transforms.passes import Pass
from tests.backends.llvm.native import compiled, native, reference
from tests.transforms.support import after, ops, outcome, program, renamed

pytestmark = pytest.mark.thinned(2)

FILLS = Pass("fills", "", spare_fills)
HEAD = "(n: i64, m: i64, x: f64[1]) -> (f64[1])"
OFF = "checked=false, span=none"


def filled(body: str, count: str = "m", start: str = 'zeros(n; dtype="f64")') -> Program:
    """A loop with this body, which makes `d` of the array `c` at iteration i."""
    lines = "\n".join("    " + line for line in body.strip("\n").splitlines())
    text = f"z: f64[1] = {start}\ny: f64[1] = for i < {count} with (c: f64[1] = z):\n{lines}"
    return program(HEAD, f"{text}\n    yield d\nreturn y")


READ = f"v: f64 = index(x, i; {OFF})\n"
SPARED = {
    "replaced": READ + f"d: f64[1] = update(c, v, i; {OFF})",
    "added to": READ + "d: f64[1] = add_at(c, v, i)",
    "added to twice": READ + "a: f64[1] = add_at(c, v, i)\nd: f64[1] = add_at(a, v, i)",
    "read first": READ + f"o: f64 = index(c, i; {OFF})\nw: f64 = sub(o, v)\n"
    f"d: f64[1] = update(c, w, i; {OFF})",
    "read afterwards": READ + f"a: f64[1] = update(c, v, i; {OFF})\n"
    f"o: f64 = index(a, i; {OFF})\nw: f64 = add(o, v)\nd: f64[1] = update(a, w, i; {OFF})",
    "further on": READ + f"k: i64 = add(i, 2)\nd: f64[1] = update(c, v, k; {OFF})",
    "backwards": READ + "k: i64 = sub(m, i)\nd: f64[1] = add_at(c, v, k)",
    "checked": READ + "d: f64[1] = update(c, v, i; checked=true, span=none)",
}
LEFT = {
    "every second": READ + f"k: i64 = mul(i, 2)\nd: f64[1] = update(c, v, k; {OFF})",
    "another element is read": READ + f"k: i64 = add(i, 1)\no: f64 = index(c, k; {OFF})\n"
    f"w: f64 = sub(o, v)\nd: f64[1] = update(c, w, i; {OFF})",
    "in a branch": READ + "t: bool = gt(v, 0.0)\nd: f64[1] = if t:\n"
    f"    a: f64[1] = update(c, v, i; {OFF})\n    yield a\n  else:\n    yield c",
    "a checked read": READ + "o: f64 = index(c, i; checked=true, span=none)\n"
    f"w: f64 = sub(o, v)\nd: f64[1] = update(c, w, i; {OFF})",
    "as a whole": READ + "s: f64 = reduce_sum(c; axes=(0,), keepdims=false)\n"
    f"d: f64[1] = update(c, s, i; {OFF})",
    "another array comes back": READ + f"a: f64[1] = update(c, v, i; {OFF})\nd: f64[1] = copy(x)",
}
X = np.array([0.5, -0.0, -1.0, 3.0, np.inf, 2.0, -2.0, 1e-300, 4.0])


def agree(source: Program, *args: Any) -> None:
    """The pass keeps the bits, on the interpreter and in native code."""
    done = after(source, FILLS)
    assert outcome(done, args) == outcome(source, args)
    got, want = native(compiled(renamed(done)), args), reference(renamed(source), args)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(want))
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", SPARED)
@pytest.mark.parametrize(("n", "m"), [(8, 5), (8, 0), (8, -3), (0, 0)])
def test_loops_that_fill(name: str, n: int, m: int) -> None:
    source = filled(SPARED[name])
    assert "zeros_around" in ops(after(source, FILLS))
    assert "zeros" not in ops(after(source, FILLS))
    agree(source, n, m, X)


@pytest.mark.parametrize("name", LEFT)
def test_loops_that_do_not(name: str) -> None:
    source = filled(LEFT[name])
    assert ops(after(source, FILLS)) == ops(source)


def test_nothing_is_cleared_where_all_of_it_is_written() -> None:
    """The sum of -0.0 and the zero that was there is 0.0."""
    source = filled(SPARED["added to"], "n")
    agree(source, len(X), 0, X)
    made = reference(renamed(after(source, FILLS)), (len(X), 0, X))
    assert not np.signbit(made[0][1])


def test_a_loop_that_does_not_run_clears_all_of_it() -> None:
    """Its first index and its trips may be any numbers: here their sum comes round."""
    text = f"k: i64 = add(i, -9223372036854775806)\nd: f64[1] = update(c, 2.0, k; {OFF})"
    source = filled(text)
    assert "zeros_around" in ops(after(source, FILLS))
    agree(source, 8, -5, X)


def test_indices_that_are_out_of_bounds() -> None:
    """What raises raises; nothing is cleared outside of the array before."""
    source = filled(SPARED["checked"])
    assert outcome(after(source, FILLS), (3, 5, X)) == outcome(source, (3, 5, X))


def test_the_array_is_read_before() -> None:
    text = """
z: f64[1] = zeros(n; dtype="f64")
w: f64 = reduce_sum(z; axes=(0,), keepdims=false)
y: f64[1] = for i < m with (c: f64[1] = z):
    d: f64[1] = update(c, w, i; checked=false, span=none)
    yield d
return y
"""
    source = program(HEAD, text)
    assert after(source, FILLS) == source


def test_few_elements_are_left() -> None:
    source = filled(SPARED["replaced"], start='zeros(3; dtype="f64")')
    assert after(source, FILLS) == source


TWO = """
z: f64[1] = zeros(n; dtype="f64")
y: f64[1] = for i < m with (c: f64[1] = z):
    v: f64 = index(x, i; {off})
    d: f64[1] = update(c, v, i; {off})
    yield d
l: i64 = sub(n, {start})
u: f64[1] = for j < l with (e: f64[1] = y):
    k: i64 = add({start}, j)
    s: f64[1] = {second}
    yield s
return u
"""


@pytest.mark.parametrize(("m", "start"), [(3, 5), (3, 3), (6, 4), (0, 5), (3, 8), (-2, 0), (8, 0)])
def test_two_loops_one_after_the_other(m: int, start: int) -> None:
    """With a gap between their parts, without, overlapping, and with nothing to do."""
    source = program(HEAD, TWO.format(off=OFF, start=start, second=f"update(e, 7.0, k; {OFF})"))
    (made,) = (s.expr for s in after(source, FILLS).main.body.stms if ops_of(s) == "zeros_around")
    assert len(made.args) == 5
    agree(source, 8, m, X)


def ops_of(stm: Any) -> str:
    return getattr(stm.expr, "op", "")


def test_a_second_loop_that_adds_finds_what_is_there() -> None:
    source = program(HEAD, TWO.format(off=OFF, start=2, second="add_at(e, 7.0, k)"))
    (made,) = (s.expr for s in after(source, FILLS).main.body.stms if ops_of(s) == "zeros_around")
    assert len(made.args) == 3
    agree(source, 8, 4, X)


NEST = """
z: f64[2] = zeros(n, {columns}; dtype="f64")
y: f64[2] = for i < {rows} with (c: f64[2] = z):
    d: f64[2] = for j < m with (e: f64[2] = c):
        v: f64 = index(x, j; {off})
        f: f64[2] = {inner}
        yield f
    yield d
r: f64[1] = reduce_sum(y; axes=(1,), keepdims=false)
return r
"""


@pytest.mark.parametrize("inner", ["add_at(e, v, i, j)", f"update(e, v, i, j; {OFF})"])
@pytest.mark.parametrize("rows", ["n", "2"])
def test_rows(inner: str, rows: str) -> None:
    source = program(HEAD, NEST.format(off=OFF, inner=inner, columns="m", rows=rows))
    assert "zeros_around" in ops(after(source, FILLS))
    agree(source, 3, 7, X)


def test_the_first_axis_inside() -> None:
    """All of it is written, column by column."""
    text = NEST.format(off=OFF, inner="add_at(e, v, j, i)", columns="n", rows="n")
    source = program(HEAD, text.replace("zeros(n, n;", "zeros(m, n;"))
    assert "zeros_around" in ops(after(source, FILLS))
    agree(source, 3, 7, X)


def test_rows_that_are_not_written_wholly() -> None:
    text = NEST.format(off=OFF, inner=f"update(e, v, i, j; {OFF})", columns="n", rows="n")
    source = program(HEAD, text)
    assert after(source, FILLS) == source


ROWS = """
z: f64[2] = zeros(n, m; dtype="f64")
y: f64[2] = for i < {rows} with (c: f64[2] = z):
    v: f64[1] = slice(x, 0, m, 1; spec="s")
    d: f64[2] = {row}
    yield d
r: f64[1] = reduce_sum(y; axes=(1,), keepdims=false)
return r
"""
ROW = {
    "replaced": 'update_slice(c, v, i; spec="ia")',
    "one number": 'update_slice(c, 2.0, i; spec="ia")',
    "added to": 'add_slice(c, v, i; spec="ia")',
}


@pytest.mark.parametrize("row", ROW)
@pytest.mark.parametrize("rows", ["n", "2"])
def test_rows_as_a_whole(row: str, rows: str) -> None:
    source = program(HEAD, ROWS.format(rows=rows, row=ROW[row]))
    assert "zeros_around" in ops(after(source, FILLS))
    agree(source, 3, 7, X)


@pytest.mark.parametrize(
    "row",
    [
        'update_slice(c, 2.0, i, 0, m, 1; spec="is")',
        'update_slice(c, 2.0, i; spec="ai")',
        'update_slice(c, 2.0, 0; spec="ia")',
    ],
)
def test_rows_that_may_be_written_in_part(row: str) -> None:
    source = program(HEAD, ROWS.format(rows="n", row=row))
    assert after(source, FILLS) == source


PART = """
z: f64[1] = zeros(n; dtype="f64")
v: f64[1] = slice(x, 0, m, 1; spec="s")
y: f64[1] = {write}
return y
"""


@pytest.mark.parametrize("m", [0, 1, 6])
@pytest.mark.parametrize("write", ["update_slice", "add_slice"])
def test_a_slice_of_an_array(m: int, write: str) -> None:
    source = program(HEAD, PART.format(write=f'{write}(z, v, 1, m, 1; spec="s")'))
    assert "zeros_around" in ops(after(source, FILLS))
    agree(source, 8, m, X)


def test_slices_with_steps() -> None:
    source = program(HEAD, PART.format(write='update_slice(z, v, 7, m, -1; spec="s")'))
    assert after(source, FILLS) == source


def test_a_slice_after_a_loop() -> None:
    text = TWO.format(off=OFF, start=5, second="add_at(e, 7.0, k)")
    head, _ = text.split("l: i64")
    source = program(HEAD, head + 'w: f64[1] = update_slice(y, 7.0, 5, 3, 1; spec="s")\nreturn w')
    (made,) = (s.expr for s in after(source, FILLS).main.body.stms if ops_of(s) == "zeros_around")
    assert len(made.args) == 5
    agree(source, 8, 4, X)


def test_ints_and_bools() -> None:
    def whole(x: Any) -> Any:
        counts, signs = np.zeros(len(x), dtype=int), np.zeros(len(x), dtype=bool)
        for i in range(len(x)):
            counts[i] += int(x[i])
            signs[i] = x[i] > 1.0
        return counts, signs

    for got, want in zip(rg.jit(whole)(X[:4]), whole(X[:4]), strict=True):
        np.testing.assert_array_equal(got, want)
        assert got.dtype == want.dtype


@pytest.mark.parametrize("size", [*range(256, 262), 400, 1023, 2047, 2048, 2049, 5000])
def test_all_of_an_array_is_cleared(size: int) -> None:
    """Sizes in which memory is cleared in different ways; the memory has been used before."""

    def marked(n: int, k: int) -> Any:
        for _ in range(2):
            a = np.full(n, 3.0)
            b = np.zeros(n)
            c = np.zeros(8 * n, dtype=bool)
            a[0] = b[n - 1]
            b[k] += a[1]
        return b, np.sum(c)

    b, c = rg.jit(marked)(size, 7)
    assert b[7] == 3.0
    assert np.count_nonzero(b) == 1
    assert c == 0


@pytest.mark.thinned(2)
@pytest.mark.parametrize("seed", range(4))
def test_gradients_of_random_fills(seed: int) -> None:
    """Loops over parts of an array, in both modes, against memory=."""
    rng = Random(seed)
    a, b = sorted(rng.sample(range(9), 2))
    shift, signs = rng.choice([0, 1, 2]), [rng.choice(["=", "+="]) for _ in range(2)]
    text = f"""
import numpy as np

def f(x):
    y = np.zeros(len(x) + 2)
    for i in range({a}, {b}):
        y[i + {shift}] {signs[0]} x[i] * x[i + 1]
    for i in range({shift}, 8):
        y[i] {signs[1]} np.sin(x[i])
    return np.sum(y * y)
"""
    space: dict[str, Any] = {}
    exec(text, space)
    f: Any = rg.jit(space["f"], source=text)
    x = np.linspace(0.3, 1.4, 10)
    np.testing.assert_allclose(f(x), space["f"](x), rtol=1e-14)
    np.testing.assert_array_equal(rg.grad(f)(x), rg.grad(f, memory="10MB")(x))
    rg.check_grads(f, (x,))
