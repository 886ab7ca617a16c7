"""Batched directions: each rule against the loop over directions, one at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrograd.backends.interp.eval import run
from retrograd.ir.check import check_program
from retrograd.ir.parse import parse_program
from retrograd.ir.print import print_program
from retrograd.ir.terms import For, Program
from retrograd.ir.traverse import stms_deep, supply_for
from retrograd.ir.types import WIDTH
from retrograd.prims import DEFAULT
from retrograd.transforms.batch import batch_directions
from tests.backends.llvm.native import compiled, native, parsed

RNG = np.random.default_rng(5)
X = RNG.uniform(0.5, 1.5, 6)
Y = RNG.uniform(0.5, 1.5, 6)
A = RNG.uniform(-1.0, 1.0, (5, 6))
SQUARE = RNG.uniform(-1.0, 1.0, (6, 6))

HEAD = "(x: f64[1], y: f64[1], a: f64[2], s: f64[2], n: i64) -> (f64[2])"

# Each makes v: f64[1] of the tangent u: f64[1] that has the extent of x.
RULES = {
    "add": "v: f64[1] = add(u, u)",
    "add a constant": "w: f64[1] = mul(u, x)\nv: f64[1] = add(w, y)",
    "sub": "w: f64[1] = mul(x, u)\nv: f64[1] = sub(w, u)",
    "mul by a scalar": "v: f64[1] = mul(u, 2.5)",
    "mul of two": "v: f64[1] = mul(u, u)",
    "div": "v: f64[1] = div(u, x)",
    "neg": "v: f64[1] = neg(u)",
    "fma": "v: f64[1] = fma(u, x, u)",
    "select": "c: bool[1] = lt(x, y)\nw: f64[1] = mul(u, y)\nv: f64[1] = select(c, u, w)",
    "select one": "c: bool[1] = lt(x, y)\nv: f64[1] = select(c, u, 0.0)",
    "copy": "v: f64[1] = copy(u)",
    "slice": 'w: f64[1] = slice(u, 5, 6, -1; spec="s")\nv: f64[1] = mul(w, x)',
    "dim": 'd: i64 = dim(u; axis=0)\nf: f64 = convert(d; dtype="f64")\nv: f64[1] = mul(u, f)',
    "outer": """w: f64[2] = slice(u; spec="an")
o: f64[2] = mul(w, y)
t: f64[2] = transpose(o; perm=(1, 0))
v: f64[1] = reduce_sum(t; axes=(1,), keepdims=false)""",
    "broadcast": """w: f64[2] = broadcast(u, 3, 6)
v: f64[1] = reduce_sum(w; axes=(0,), keepdims=false)""",
    "reshape": """w: f64[2] = reshape(u, 2, 3)
t: f64[2] = transpose(w; perm=(1, 0))
v: f64[1] = reshape(t, 6)""",
    "rank 3": """w: f64[3] = reshape(u, 1, 2, 3)
t: f64[3] = transpose(w; perm=(2, 0, 1))
p: f64[2] = slice(t, 1; spec="iaa")
v: f64[1] = reshape(p, 2)""",
    "index and update": """e: f64 = index(u, 1; checked=false, span=none)
z: f64[1] = copy(y)
v: f64[1] = update(z, e, 3; checked=false, span=none)""",
    "update of zeros": """e: f64 = index(u, 1; checked=false, span=none)
z: f64[1] = zeros(6; dtype="f64")
v: f64[1] = update(z, e, 3; checked=false, span=none)""",
    "update with a constant": """z: f64[1] = mul(u, x)
v: f64[1] = update(z, 0.0, 3; checked=false, span=none)""",
    "add_at": """e: f64 = index(u, 1; checked=false, span=none)
z: f64[1] = mul(u, x)
v: f64[1] = add_at(z, e, 0)""",
    "update_slice": """z: f64[2] = copy(s)
w: f64[2] = update_slice(z, u, 2; spec="ia")
v: f64[1] = reshape(w, 36)""",
    "update_slice with a scalar": """z: f64[1] = mul(u, x)
e: f64 = index(u, 1; checked=false, span=none)
v: f64[1] = update_slice(z, e, 1, 2, 2; spec="s")""",
    "add_slice": """z: f64[2] = zeros(6, 6; dtype="f64")
w: f64[2] = add_slice(z, u, 2; spec="ai")
v: f64[1] = reshape(w, 36)""",
    "accumulate": "z: f64[1] = mul(u, x)\nv: f64[1] = accumulate(z, u)",
    "accumulate a scalar": """e: f64 = index(u, 1; checked=false, span=none)
z: f64 = accumulate(e, e)
v: f64[1] = array_of(z, e, 1.0; shape=(3,))""",
    "full": "e: f64 = index(u, 1; checked=false, span=none)\nv: f64[1] = full(e, 4)",
    "reduce_sum": """z: f64[1] = mul(u, x)
e: f64 = reduce_sum(z; axes=(0,), keepdims=false)
v: f64[1] = array_of(e; shape=(1,))""",
    "reduce_sum keeping": "v: f64[1] = reduce_sum(u; axes=(0,), keepdims=true)",
    "sum_like": """w: f64[2] = mul(s, u)
v: f64[1] = sum_like(w, x)""",
    "sum_like to a scalar": """e: f64 = sum_like(u, 0.0)
v: f64[1] = array_of(e; shape=(1,))""",
    "sum_like of the same shape": "v: f64[1] = sum_like(u, y)",
    "sum_like of one that is like it": """w: f64[1] = sum_like(s, u)
v: f64[1] = mul(w, u)""",
    "sum_like to ones": """w: f64[2] = mul(s, u)
l: f64[2] = zeros(6, 1; dtype="f64")
t: f64[2] = sum_like(w, l)
v: f64[1] = reshape(t, 6)""",
    "matrix times vector": "v: f64[1] = matmul(a, u; span=none)",
    "vector times matrix": "v: f64[1] = matmul(u, s; span=none)",
    "dot": "e: f64 = matmul(u, x; span=none)\nv: f64[1] = array_of(e; shape=(1,))",
    "matrix of bundles": """w: f64[2] = mul(s, u)
v: f64[1] = matmul(w, x; span=none)""",
    "product of matrices": """w: f64[2] = mul(s, u)
p: f64[2] = matmul(a, w; span=none)
v: f64[1] = reshape(p, 30)""",
    "product of matrices, left": """w: f64[2] = mul(a, u)
p: f64[2] = matmul(w, s; span=none)
v: f64[1] = reshape(p, 30)""",
    "if": """c: bool = lt(n, 20)
v: f64[1] = if c:
    w: f64[1] = mul(u, x)
    yield w
  else:
    w2: f64[1] = copy(y)
    yield w2""",
    "if of zeros": """z: f64[1] = zeros(6; dtype="f64")
c: bool = lt(n, 20)
v: f64[1] = if c:
    yield u
  else:
    yield z""",
    "for": """z: f64[1] = zeros(6; dtype="f64")
v: f64[1], e: f64 = for i < 6 with (w: f64[1] = z, d: f64 = 0.0):
    b: f64 = index(x, i; checked=false, span=none)
    f: f64 = index(u, i; checked=false, span=none)
    g: f64 = sin(b)
    h: f64 = fma(f, g, d)
    r: f64[1] = update(w, h, i; checked=false, span=none)
    yield r, h""",
    "for with sums": """e: f64, q: f64 = for i < 40 sums=2:
    m: i64 = mod(i, 6)
    b: f64 = index(x, m; checked=false, span=none)
    f: f64 = index(u, m; checked=false, span=none)
    g: f64 = mul(b, f)
    yield b, g
v: f64[1] = array_of(e, q; shape=(2,))""",
    "while": """w: f64[1], i: i64 = while (z: f64[1] = u, k2: i64 = 0):
    more: bool = lt(k2, 5)
    yield more
  do:
    q: f64[1] = mul(z, x)
    m: i64 = add(k2, 1)
    yield q, m
v: f64[1] = copy(w)""",
    "a result that no direction touches": "v: f64[1] = sin(x)",
    "no result at all": 'v: f64[1] = slice(u, 0, 0, 1; spec="s")',
}

RECURSION = """
function g(p: f64[1], q: f64[1], m: i64) -> (f64[1], f64):
  more: bool = gt(m, 0)
  t: f64[1], h: f64 = if more:
      i: i64 = sub(m, 1)
      w: f64[1] = mul(q, p)
      o: f64[1], d: f64 = call g(p, w, i)
      yield o, d
    else:
      e: f64 = index(p, 0; checked=false, span=none)
      yield q, e
  return t, h
"""


def indented(body: str, by: int) -> str:
    return "\n".join(" " * by + line for line in body.splitlines())


def looped(body: str, spec: str = "ai", more: str = "") -> Program:
    """A loop over n directions that fills the columns (or rows) of a matrix with v."""
    probe = f"program f\n\nfunction f{HEAD}:\n"
    one = parsed(
        f"{probe.replace('f64[2])', 'f64[1])')}  u: f64[1] = unit(0, 6; offset=0)\n"
        f"{indented(body, 2)}\n  return v\n{more}"
    )
    rows = len(run(one, args(20), DEFAULT)[0])
    shape = f"{rows}, n" if spec == "ai" else f"n, {rows}"
    return parsed(
        f"""{probe}  z9: f64[2] = zeros({shape}; dtype="f64")
  j: f64[2] = for k < n with (j0: f64[2] = z9) directions:
      u: f64[1] = unit(k, 6; offset=0)
{indented(body, 6)}
      j1: f64[2] = update_slice(j0, v, k; spec="{spec}")
      yield j1
  return j
{more}"""
    )


def args(n: int) -> list[Any]:
    return [X, Y, A, SQUARE, n]


def batched(program: Program) -> Program:
    found = batch_directions(program, supply_for(program), DEFAULT)
    check_program(found, DEFAULT)
    assert print_program(parse_program(print_program(found))) == print_program(found)
    return found


def loops_left(program: Program) -> int:
    return sum(
        isinstance(s.expr, For) and s.expr.directions
        for f in program.functions
        for s in stms_deep(f.body)
    )


@pytest.mark.thinned(6)
@pytest.mark.parametrize("spec", ["ai", "ia"])
@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_its_loop_over_directions(name: str, spec: str) -> None:
    program = looped(RULES[name], spec)
    several = batched(program)
    assert loops_left(program) == 1
    assert loops_left(several) == 0
    code = compiled(several)
    for n in (0, 1, 6, WIDTH, WIDTH + 3):
        (expected,) = run(program, args(n), DEFAULT)
        (found,) = run(several, args(n), DEFAULT)
        np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-15)
        (machine,) = native(code, args(n))
        np.testing.assert_allclose(machine, expected, rtol=1e-13, atol=1e-14)


CHAIN = (
    "w{k}: f64[1] = mul(w{p}, x)",
    "w{k}: f64[1] = fma(w{p}, y, w{p})",
    "w{k}: f64[1] = add(w{p}, x)",
    "w{k}: f64[1] = matmul(s, w{p}; span=none)",
    "w{k}: f64[1] = matmul(w{p}, s; span=none)",
    'w{k}: f64[1] = slice(w{p}, 5, 6, -1; spec="s")',
    "e{k}: f64 = index(w{p}, 2; checked=false, span=none)\n"
    "w{k}: f64[1] = update(w{p}, e{k}, 0; checked=false, span=none)",
    "e{k}: f64 = reduce_sum(w{p}; axes=(0,), keepdims=false)\nw{k}: f64[1] = mul(x, e{k})",
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(CHAIN), max_size=6), st.integers(0, 2 * WIDTH + 1))
def test_chains_of_rules(chain: list[str], n: int) -> None:
    lines = ["w0: f64[1] = mul(u, x)"]
    lines += [rule.format(k=k + 1, p=k) for k, rule in enumerate(chain)]
    lines.append(f"v: f64[1] = mul(w{len(chain)}, 1.5)")
    program = looped("\n".join(lines))
    several = batched(program)
    (expected,), (found,) = (run(p, args(n), DEFAULT) for p in (program, several))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("arg", ["u", "x"])
def test_functions_are_made_once_for_each_pattern(arg: str) -> None:
    body = f"""c1: f64[1] = copy({arg})
c2: f64[1] = copy({arg})
v1: f64[1], d: f64 = call g(x, c1, 3)
v2: f64[1], d2: f64 = call g(x, c2, 2)
v3: f64[1] = mul(v1, d2)
v: f64[1] = add(v3, v2)"""
    program = looped(body, more=RECURSION)
    several = batched(program)
    made = [f for f in several.functions if f.name not in ("f", "g")]
    assert len(made) == (1 if arg == "u" else 0)
    for f in made:  # what does not depend on the direction stays a number
        assert [str(t) for t in f.result_types] == [f"f64x{WIDTH}[1]", "f64"]
    (expected,) = run(program, args(20), DEFAULT)
    np.testing.assert_allclose(native(compiled(several), args(20))[0], expected, rtol=1e-13)


REFUSED = {
    "a branch on it": "e: f64 = index(u, 0; checked=false, span=none)\nc: bool = lt(e, 0.5)\n"
    "v: f64[1] = if c:\n    yield u\n  else:\n    w: f64[1] = mul(u, x)\n    yield w",
    "a function of it": "v: f64[1] = sin(u)",
    "a product of two": "e: f64 = matmul(u, u; span=none)\nv: f64[1] = array_of(e; shape=(1,))",
    "the greatest of it": "v: f64[1] = reduce_max(u; axes=(0,), keepdims=true, span=none)",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_bundles_cannot_do_stays_a_loop(name: str) -> None:
    program = looped(REFUSED[name])
    several = batched(program)
    assert print_program(several) == print_program(program)
    (expected,) = run(program, args(20), DEFAULT)
    np.testing.assert_allclose(native(compiled(several), args(20))[0], expected, rtol=1e-13)


def test_a_loop_that_uses_the_number_of_the_direction_stays() -> None:
    program = looped('f: f64 = convert(n; dtype="f64")\nv: f64[1] = mul(u, f)')
    other = parsed(print_program(program).replace("convert(n;", "convert(k;"))
    assert loops_left(batched(program)) == 0
    assert loops_left(batched(other)) == 1


RESIDUALS = """uc: f64[1] = copy(u)
xc: f64[1] = copy(x)
e: f64 = index(u, 1; checked=false, span=none)
push(uc, xc, e{site})
p: f64[1], q: f64[1], h: f64 = pop(; {site2}types=("f64[1]", "f64[1]", "f64"))
w: f64[1] = mul(p, q)
v: f64[1] = mul(w, h)"""


def test_residuals_of_unknown_origin_are_refused() -> None:
    program = looped(RESIDUALS.format(site="", site2=""))
    assert loops_left(batched(program)) == 1


def test_residuals_are_bundles_where_they_depend_on_the_direction() -> None:
    program = looped(RESIDUALS.format(site='; site="s1"', site2='site="s1", '))
    several = batched(program)
    text = print_program(several)
    assert f'types=("f64x{WIDTH}[1]", "f64[1]", "f64x{WIDTH}")' in text
    (expected,) = run(program, args(20), DEFAULT)
    np.testing.assert_allclose(run(several, args(20), DEFAULT)[0], expected, rtol=1e-14)
    np.testing.assert_allclose(native(compiled(several), args(20))[0], expected, rtol=1e-14)


def test_a_block_of_residuals_holds_bundles() -> None:
    body = """for i < 6 block:
    b: f64 = index(x, i; checked=false, span=none)
    f: f64 = index(u, i; checked=false, span=none)
    push(b, f, b; site="s1")
    yield
z: f64[1] = zeros(6; dtype="f64")
v: f64[1] = for l < 6 with (w: f64[1] = z) descending block:
    c: f64, g: f64, d: f64 = pop(; site="s1", types=("f64", "f64", "f64"))
    h: f64 = mul(c, g)
    m: f64 = add(h, d)
    r: f64[1] = update(w, m, l; checked=false, span=none)
    yield r"""
    program = looped(body)
    several = batched(program)
    (expected,) = run(program, args(20), DEFAULT)
    np.testing.assert_allclose(run(several, args(20), DEFAULT)[0], expected, rtol=1e-14)
    np.testing.assert_allclose(native(compiled(several), args(20))[0], expected, rtol=1e-14)
