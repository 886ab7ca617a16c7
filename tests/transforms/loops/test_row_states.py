"""What rows record waits in the elements that their reverse stores."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.backends.interp.eval import run
from retrograd.ir.check import check_program
from retrograd.ir.parse import parse_program
from retrograd.ir.print import print_program
from retrograd.ir.traverse import supply_for
from retrograd.prims import DEFAULT
from retrograd.transforms.loops.rising_rows import store_rising_rows

PARTS = """
program main

function again(k: i64, n: i64, step: i64, x: f64[1]) -> ():
  low: i64 = mul(k, step)
  end: i64 = add(low, step)
  high: i64 = imin(end, n)
  length: i64 = sub(high, low)
  o: f64, p: f64 = for i < length with (u: f64 = 1.0, v: f64 = 0.5) block:
      at: i64 = add(low, i)
      y: f64 = index(x, at; checked=false)
      s: f64 = mul(u, y)
      t: f64 = add(v, s)
      push(u, v; site="inner")
      yield s, t
  return

function part(k: i64, n: i64, step: i64, x: f64[1], a: f64[1], b: f64[1]) -> (f64[1], f64[1]):
  low: i64 = mul(k, step)
  end: i64 = add(low, step)
  high: i64 = imin(end, n)
  length: i64 = sub(high, low)
  w: f64, c: f64[1], d: f64[1] = for i < length with (q: f64 = 1.0, g: f64[1] = a, h: f64[1] = b) \
descending block:
      u: f64, v: f64 = pop(; site="inner", types=("f64", "f64"))
      at: i64 = add(low, i)
      y: f64 = index(x, at; checked=false)
      r: f64 = mul(q, y)
      s: f64 = mul(r, u)
      t: f64 = mul(q, v)
      e: f64[1] = add_at(g, s, at)
      f: f64[1] = add_at(h, t, at)
      yield r, e, f
  return c, d

function main(x: f64[1], parts: i64, step: i64) -> (f64[1], f64[1]):
  n: i64 = dim(x; axis=0)
  z: f64[1] = zeros(n; dtype="f64")
  w: f64[1] = zeros(n; dtype="f64")
  y: f64[1], o: f64[1] = for k < parts with (a: f64[1] = z, b: f64[1] = w) descending:
      call again(k, n, step, x)
      c: f64[1], d: f64[1] = call part(k, n, step, x, a, b)
      yield c, d
  return y, o
""".replace("\\\n", "")

THIRD = (
    ("v: f64 = 0.5) block", "v: f64 = 0.5, h: f64 = 2.0) block"),
    ("o: f64, p: f64 = for", "o: f64, p: f64, q: f64 = for"),
    ("push(u, v;", "push(u, v, h;"),
    ("yield s, t\n", "yield s, t, u\n"),
    ("u: f64, v: f64 = pop", "u: f64, v: f64, m: f64 = pop"),
    ('types=("f64", "f64")', 'types=("f64", "f64", "f64")'),
)


def stored(text: str) -> tuple[str, str]:
    """The text of a program before and after; both mean the same."""
    before = parse_program(text)
    check_program(before, DEFAULT)
    after = store_rising_rows(before, supply_for(before), DEFAULT)
    check_program(after, DEFAULT)
    x = np.linspace(0.5, 1.5, 10)
    for parts, step in ((4, 3), (5, 2), (3, 3), (1, 10), (5, 3), (0, 3)):
        one, other = (run(p, [x, parts, step], DEFAULT) for p in (before, after))
        assert [a.tobytes() for a in one] == [a.tobytes() for a in other]
    return print_program(before), print_program(after)


def test_states_wait_in_the_cotangents() -> None:
    before, after = stored(PARTS)
    assert before.count("push(") == before.count("pop(") == 1
    # what is left on the tape is the version in which rows do not lie one after the other
    assert after.count("push(") == after.count("pop(") == 1
    assert after.count("call again(") == after.count("call part(") == 1
    assert after.count(" = update(") == 4


@pytest.mark.parametrize(
    "changes",
    [
        THIRD,  # more values than there are arrays
        (("high: i64 = imin(end, n)\n  length: i64 = sub(high, low)\n  o",
          "high: i64 = imin(n, end)\n  length: i64 = sub(high, low)\n  o"),),  # not seen
        (("      c: f64[1], d: f64[1] = call part",
          "      e: f64[1] = neg(x)\n      m: f64 = reduce_sum(e; axes=(0,), keepdims=false)\n"
          "      c: f64[1], d: f64[1] = call part"),),  # an array is made in between
        (("-> ():", "-> (f64):"), ("  return\n", "  return o\n"),
         ("call again", "j: f64 = call again")),
    ],
)  # fmt: skip
def test_other_states_stay_on_the_tape(changes: tuple[tuple[str, str], ...]) -> None:
    text = PARTS
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    _, after = stored(text)
    assert after.count("call again(") == 2
    assert after.count("pop(") == 2


def test_a_site_that_is_pushed_in_two_places_stays_on_the_tape() -> None:
    head, _, main = PARTS.partition("\nfunction main(")
    copy = head.partition("function again(")[2].partition("\nfunction part(")[0]
    loop = "  for k < parts with ():\n      call other(k, n, step, x)\n      yield\n"
    text = f"{head}\nfunction other({copy}\nfunction main({main}"
    text = text.replace("  y: f64[1], o:", f"{loop}  y: f64[1], o:")
    before = parse_program(text)
    after = print_program(store_rising_rows(before, supply_for(before), DEFAULT))
    assert after.count("call again(") == 2


def test_the_tape_of_a_scan_does_not_grow_with_its_parts() -> None:
    def cost(a: np.ndarray, b: np.ndarray, w: np.ndarray) -> float:
        def then(first: tuple[float, float], second: tuple[float, float]) -> tuple[float, float]:
            return first[0] * second[0], second[0] * first[1] + second[1]

        scale, shift = rg.scan(then, (1.0, 0.0), a, b)
        return np.sum(w * (scale + shift))

    rng = np.random.default_rng(7)
    slopes = rg.grad(cost, argnums=(0, 1))
    for n in (2**16, 2**17):
        a, b, w = rng.uniform(0.9, 1.0, n), rng.normal(size=n), rng.normal(size=n)
        found = slopes(a, b, w)
        assert slopes.stats().tape_bytes == 64 * 16
        within = rg.grad(cost, argnums=(0, 1), memory="8MB")(a, b, w)
        assert all(x.tobytes() == y.tobytes() for x, y in zip(found, within, strict=True))


def rates(x: np.ndarray, rate: np.ndarray, size: int) -> float:
    total, state = 0.0, 1.0
    for k in range((len(x) + size - 1) // size):
        for i in range(k * size, min(k * size + size, len(x))):
            state = np.sin(state) * x[i] + np.exp(-rate[i] * state)
            total += state * state
    return total


@pytest.mark.parametrize("size", [1, 3, 40])
def test_blocks_that_users_write(size: int) -> None:
    rng, step = np.random.default_rng(3), 1e-6
    x, rate = rng.uniform(0.5, 1.0, 40), rng.uniform(0.0, 1.0, 40)
    found = rg.grad(rates, argnums=(0, 1))(x, rate, size)
    for k in range(2):
        for e in step * np.eye(40)[::7]:
            up, down = ([v + s * e * (k == j) for j, v in enumerate((x, rate))] for s in (1, -1))
            expected = (rates(*up, size) - rates(*down, size)) / (2 * step)
            np.testing.assert_allclose(found[k][e > 0], expected, rtol=1e-6, atol=1e-8)
