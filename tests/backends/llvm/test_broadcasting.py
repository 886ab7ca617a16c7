"""Elementwise code where operands are stretched: bits, and strides that are known beforehand."""

from __future__ import annotations

import re

import numpy as np
import pytest

from retrograd.backends.llvm.module import module_text
from retrograd.ir.terms import Program
from retrograd.prims import DEFAULT
from tests.backends.llvm.native import Raised, bits, compiled, native, parsed, reference

pytestmark = pytest.mark.thinned(2)

ADDED = parsed("""program f

function f(x: f64[2], y: f64[1]) -> (f64[2]):
  t: f64[2] = add(x, y)
  u: f64[2] = mul(t, t)
  return u
""")

WRITTEN = parsed("""program f

function f(x: f64[2], y: f64[1]) -> (f64[2]):
  n: i64 = dim(x; axis=0)
  m: i64 = dim(x; axis=1)
  a: f64[2] = empty(n, m; dtype="f64")
  b: f64[2] = mul(x, y)
  c: f64[2] = update_slice(a, b, 0, n, 1, 0, m, 1; spec="ss")
  return c
""")

TURNED = parsed("""program f

function f(x: f64[2], y: f64[2]) -> (f64[2]):
  t: f64[2] = transpose(x; perm=(1, 0))
  u: f64[2] = sub(t, y)
  return u
""")

BY_NAME = parsed("""program f

function f(n: i64, m: i64, a: f64) -> (f64[2]):
  x: f64[2] = empty(n, m; dtype="f64")
  y: f64[1] = empty(m; dtype="f64")
  t: f64[2] = add(x, y)
  u: f64[2] = mul(t, a)
  return u
""")

EXTENTS = [
    ((5, 7), (7,)), ((5, 7), (1,)), ((5, 1), (7,)), ((1, 7), (7,)), ((1, 1), (7,)), ((1, 7), (1,)),
    ((5, 1), (1,)), ((1, 1), (1,)), ((0, 7), (7,)), ((5, 0), (1,)), ((5, 33), (33,)),
]  # fmt: skip


def numbers(extents: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(len(extents)).normal(size=extents)


def agreeing(program: Program, args: list[np.ndarray]) -> None:
    """Native code of any level gives the interpreter's bits."""
    want = reference(program, args)
    assert not isinstance(want, Raised)
    for level in (1, 3):
        assert bits(native(compiled(program, level=level), args)) == bits(want)


@pytest.mark.parametrize(("x", "y"), EXTENTS)
def test_a_row_for_all(x: tuple[int, ...], y: tuple[int, ...]) -> None:
    agreeing(ADDED, [numbers(x), numbers(y)])


@pytest.mark.parametrize(("x", "y"), [e for e in EXTENTS if e[0][1] == max(e[0][1], *e[1])])
def test_into_a_view(x: tuple[int, ...], y: tuple[int, ...]) -> None:
    agreeing(WRITTEN, [numbers(x), numbers(y)])


@pytest.mark.thinned(2)
@pytest.mark.parametrize("x", [(7, 5), (1, 5), (7, 1), (1, 1)])
@pytest.mark.parametrize("y", [(5, 7), (1, 7), (5, 1), (1, 1)])
def test_of_a_view(x: tuple[int, ...], y: tuple[int, ...]) -> None:
    agreeing(TURNED, [numbers(x), numbers(y)])


def strides_chosen(program: Program) -> int:
    """How many strides of operands the code chooses when it runs."""
    return len(re.findall(r"select i1 %\w+, i64 0, i64", module_text(program, DEFAULT).text))


def test_strides_are_chosen_in_one_version_only() -> None:
    """The other one is for operands that have the result's extents, along the axes they have."""
    text = module_text(ADDED, DEFAULT).text
    assert len(re.findall(r"fmul double", text)) == 2
    assert 0 < strides_chosen(ADDED) <= 3  # two axes of one operand, one of the other


def test_extents_that_are_equal_by_name_need_one_version() -> None:
    assert strides_chosen(BY_NAME) == 0


OF_ROWS = parsed("""program f

function f(x: f64[2], y: f64[1], z: f64[1]) -> (f64[2]):
  n: i64 = dim(x; axis=0)
  a: f64[2] = reshape(y, n, 1)
  b: f64[2] = reshape(z, n, 1)
  r: f64[2] = sqrt(a)
  q: f64[2] = div(a, b)
  p: f64[2] = add(q, b)
  s: f64[2] = div(x, r)
  t: f64[2] = mul(p, s)
  return t
""")

OF_STACKED_ROWS = parsed("""program f

function f(x: f64[3], y: f64[2]) -> (f64[3]):
  m: i64 = dim(x; axis=0)
  n: i64 = dim(x; axis=1)
  a: f64[3] = reshape(y, m, n, 1)
  r: f64[3] = sqrt(a)
  t: f64[3] = div(x, r)
  return t
""")


def blocks_of_rows(program: Program) -> int:
    """How many values of rows are made before these rows."""
    return len(re.findall(r"alloca \[32 x double\]", module_text(program, DEFAULT).text))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("rows", [0, 1, 31, 32, 33, 70])
def test_what_is_the_same_for_a_row(rows: int) -> None:
    assert blocks_of_rows(OF_ROWS) == 2
    y, z = numbers((rows,)) ** 2.0, numbers((rows,))
    for columns in (0, 1, 3, 17):
        agreeing(OF_ROWS, [numbers((rows, columns)), y, z])


@pytest.mark.parametrize("rows", [0, 5, 33])
def test_what_is_the_same_for_a_row_of_several_matrices(rows: int) -> None:
    assert blocks_of_rows(OF_STACKED_ROWS) == 1
    agreeing(OF_STACKED_ROWS, [numbers((3, rows, 4)), numbers((3, rows)) ** 2.0])
