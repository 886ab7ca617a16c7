"""Arithmetic, order and rounding at the edges: infinities, NaNs, zeros of both signs, extremes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from retrograd.backends.llvm.execute import Executable
from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Function, Program
from retrograd.ir.types import BOOL, F64, I64, Type
from retrograd.prims import DEFAULT
from tests.backends.llvm.native import compiled, native, reference, same

INF, NAN = np.inf, np.nan
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.5, 1e308, -1e308, 5e-324, INF, -INF, NAN, 7.0, -7.0]
INTS = [0, 1, -1, 2, -2, 7, -7, 63, 64, -(2**63), 2**63 - 1]

BINARY_FLOAT = (
    "add sub mul div maximum minimum mod floordiv copysign lt le gt ge eq ne hypot arctan2"
).split()
UNARY_FLOAT = "neg abs sign floor ceil trunc rint sqrt isnan isinf isfinite".split()
BINARY_INT = (
    "add sub mul floordiv mod maximum minimum lt le gt ge eq ne bit_and bit_or bit_xor shl shr "
    "imin imax"
).split()
UNARY_INT = "neg abs sign bit_not bit_length".split()
ULPS = {"hypot": 2, "arctan2": 4}
SIGN_OF_ZERO = {"maximum", "minimum"}
"""NumPy itself gives either zero where both are there."""


def program(ops: Sequence[str], types: Sequence[Type]) -> Program:
    """Each of the operations on the same arguments."""
    names = NameSupply()
    b = Builder(names, DEFAULT.result_types)
    params = tuple(names.var("x", t) for t in types)
    return Program((Function("f", params, b.block([b.prim(op, *params) for op in ops])),), "f")


def disagreements(ops: Sequence[str], dtype: Type, arity: int, values: Sequence[Any]) -> list[str]:
    """Operations whose native result differs, on whole arrays and on single numbers."""
    grid = list(itertools.product(values, repeat=arity))
    kind = np.float64 if dtype is F64 else np.int64
    columns = [np.array(column, kind) for column in zip(*grid, strict=True)]
    wrong: list[str] = []
    whole = program(ops, (dtype.with_rank(1),) * arity)
    single = program(ops, (dtype,) * arity)
    code = compiled(single)
    pairs = [(columns, native(compiled(whole), columns), reference(whole, columns))]
    pairs += [(row, native(code, row), reference(single, list(map(kind, row)))) for row in grid]
    for args, got, want in pairs:
        for op, mine, theirs in zip(ops, got, want, strict=True):
            ulps = 1 if op in SIGN_OF_ZERO else ULPS.get(op, 0)
            if not same([mine], [theirs], ulps):
                wrong.append(f"{op} {args}: {mine} for {theirs}")
    return wrong


@pytest.mark.parametrize(
    ("ops", "dtype", "arity"),
    [(BINARY_FLOAT, F64, 2), (UNARY_FLOAT, F64, 1), (BINARY_INT, I64, 2), (UNARY_INT, I64, 1)],
    ids=["binary floats", "unary floats", "binary integers", "unary integers"],
)
def test_edges(ops: Sequence[str], dtype: Type, arity: int) -> None:
    assert disagreements(ops, dtype, arity, FLOATS if dtype is F64 else INTS) == []


def test_fma_is_rounded_once() -> None:
    code = compiled(program(["fma"], (F64, F64, F64)))
    assert native(code, [1 + 2.0**-30, 1 - 2.0**-30, -1.0]) == [-(2.0**-60)]


def test_conversion_saturates() -> None:
    names = NameSupply()
    b = Builder(names, DEFAULT.result_types)
    x = names.var("x", F64)
    out = Program((Function("f", (x,), b.block([b.prim("convert", x, dtype="i64")])),), "f")
    code = compiled(out)
    given = [1e300, -1e300, NAN, 2.9, -2.9]
    assert [native(code, [v])[0] for v in given] == [2**63 - 1, -(2**63), 0, 2, -2]


def test_booleans() -> None:
    ops = ["and_", "or_", "xor", "eq", "ne", "lt", "ge"]
    usable = [op for op in ops if accepts(op)]
    code, source = compiled(program(usable, (BOOL, BOOL))), program(usable, (BOOL, BOOL))
    for pair in itertools.product((False, True), repeat=2):
        got = native(code, pair)
        want = reference(source, [np.bool_(v) for v in pair])
        assert all(type(v) is bool for v in got)
        assert same(got, want)


def accepts(op: str) -> bool:
    return any(case.types[:2] == (BOOL, BOOL) for case in DEFAULT[op].cases)


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 63, 64, 8191, 8192, 8193, 8192 + 31, 3 * 8192 + 5])
def test_sums_have_the_bits_of_the_definition(n: int, sums: Executable) -> None:
    data = np.random.default_rng(n).uniform(-1.0, 1.0, n)
    assert same(native(sums, [data]), reference(SUMS, [data]))


def test_sums_of_rows_and_columns_have_the_bits_of_the_definition() -> None:
    rng = np.random.default_rng(1)
    for shape in ((40, 70), (3, 8200), (0, 4), (4, 0), (33, 1)):
        data = rng.uniform(-1.0, 1.0, shape)
        got = native(compiled(ROWS), [data])
        assert same(got, reference(ROWS, [data]))


def reductions(rank: int, axes: Sequence[tuple[int, ...]]) -> Program:
    names = NameSupply()
    b = Builder(names, DEFAULT.result_types)
    x = names.var("x", F64.with_rank(rank))
    outs = [b.prim("reduce_sum", x, axes=a, keepdims=False) for a in axes]
    return Program((Function("f", (x,), b.block(outs)),), "f")


SUMS = reductions(1, [(0,)])
ROWS = reductions(2, [(0,), (1,), (0, 1)])


@pytest.fixture(scope="module")
def sums() -> Executable:
    return compiled(SUMS, level=3)
