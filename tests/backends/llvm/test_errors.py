"""What a program raises leaves native code as the same kind of exception, and nothing leaks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from retrograd.backends.llvm.execute import Executable
from retrograd.ir.terms import Program
from tests.backends.llvm.native import LIMIT, Raised, compiled, native, parsed, ready, reference

LOW, HIGH = -(2**63), 2**63 - 1
X = np.array([1.0, 2.0, 3.0])
M = np.arange(6.0).reshape(2, 3)
NONE = np.zeros(0)

RAISING: dict[str, tuple[str, tuple[Any, ...], str]] = {
    # statement (of x: f64[1], m: f64[2], k: i64, n: i64), arguments, kind
    "index": ("y: f64 = index(x, k)", (X, M, 3, 0), "IndexError"),
    "index below": ("y: f64 = index(x, k)", (X, M, -1, 0), "IndexError"),
    "index of a matrix": ("y: f64 = index(m, k, n)", (X, M, 1, 3), "IndexError"),
    "update": ("c: f64[1] = copy(x)\ny: f64[1] = update(c, 1.0, k)", (X, M, 7, 0), "IndexError"),
    "check_index": ("check_index(k, n)", (X, M, 2, 2), "IndexError"),
    "add": ("y: f64[1] = add(x, z)", (X, M, 2, 2), "ValueError"),
    "add to a matrix": ("y: f64[2] = add(m, z)", (X, M, 2, 2), "ValueError"),
    "fused": ("u: f64[1] = mul(x, 2.0)\ny: f64[1] = add(u, z)", (X, M, 2, 2), "ValueError"),
    "assign": (
        'c: f64[1] = copy(x)\ny: f64[1] = update_slice(c, z; spec="a")', (X, M, 2, 2), "ValueError",
    ),
    "max of nothing": (
        "y: f64 = reduce_max(z; axes=(0,), keepdims=false)", (X, M, 0, 0), "ValueError",
    ),
    "min of no rows": (
        'w: f64[2] = zeros(k, n; dtype="f64")\n'
        "y: f64[1] = reduce_min(w; axes=(0,), keepdims=false)",
        (X, M, 0, 3), "ValueError",
    ),
    "matmul": ("y: f64[1] = matmul(m, z)", (X, M, 2, 0), "ValueError"),
    "negative extent": ('y: i64[2] = zeros(k, n; dtype="i64")', (X, M, 2, -1), "ValueError"),
    "negative iota": ("y: i64[1] = iota(n)", (X, M, 2, -1), "ValueError"),
    "negative full": ("y: f64[1] = full(2.0, n)", (X, M, 2, -1), "ValueError"),
    "reshape": ("y: f64[2] = reshape(x, k, n)", (X, M, 2, 2), "ValueError"),
    "reshape to negative extents": ("y: f64[2] = reshape(m, k, n)", (X, M, -2, -3), "ValueError"),
    "broadcast": ("y: f64[2] = broadcast(x, k, n)", (X, M, 2, 2), "ValueError"),
    "broadcast of a number": ("y: f64[1] = broadcast(2.0, n)", (X, M, 2, -2), "ValueError"),
    "broadcast to a negative extent": (
        "y: f64[2] = broadcast(x, n, 3)", (X, M, 0, -1), "ValueError",
    ),
    "iadd": ("y: i64 = iadd(k, n)", (X, M, HIGH, 1), "OverflowError"),
    "isub": ("y: i64 = isub(k, n)", (X, M, LOW, 1), "OverflowError"),
    "imul": ("y: i64 = imul(k, n)", (X, M, 2**32, 2**31), "OverflowError"),
    "ineg": ("y: i64 = ineg(k)", (X, M, LOW, 1), "OverflowError"),
    "iabs": ("y: i64 = iabs(k)", (X, M, LOW, 1), "OverflowError"),
    "ipow": ("y: i64 = ipow(k, n)", (X, M, 3, 40), "OverflowError"),
    "check": (
        'c: bool = ne(n, 0)\ncheck(c; kind="ZeroDivisionError", message="{} by zero", span=none)',
        (X, M, 3, 0), "ZeroDivisionError",
    ),
    "assert": (
        'c: bool = lt(k, n)\ncheck(c; kind="AssertionError", message="", span=none)',
        (X, M, 3, 0), "AssertionError",
    ),
}  # fmt: skip


def all_of_them() -> Program:
    """Runs the statements of number `which`, with an array alive that must not leak."""
    lines = ["program f", "function f(x: f64[1], m: f64[2], k: i64, n: i64, which: i64) -> (f64):"]
    lines += ["  held: f64[1] = mul(x, 3.0)"]
    for number, (text, _, _) in enumerate(RAISING.values()):
        lines.append(f"  here{number}: bool = eq(which, {number})")
        lines.append(f"  got{number}: f64 = if here{number}:")
        if "z" in text.replace("zeros", ""):
            lines.append(f"      z_{number}: f64[1] = full(1.5, k)")
        body = text
        for name in "yczuw":
            body = body.replace(f"{name}: ", f"{name}_{number}: ")
            for mark in (",", ")", ";"):
                body = body.replace(f"({name}{mark}", f"({name}_{number}{mark}")
                body = body.replace(f" {name}{mark}", f" {name}_{number}{mark}")
        lines += ["      " + line for line in body.splitlines()]
        lines += ["      yield 1.0", "    else:", "      yield 0.0"]
    lines += ["  total: f64 = reduce_sum(held; axes=(0,), keepdims=false)", "  return total"]
    return parsed("\n".join(lines))


@pytest.fixture(scope="module")
def program() -> Program:
    return all_of_them()


@pytest.fixture(scope="module")
def code(program: Program) -> Executable:
    return compiled(program)


@pytest.mark.parametrize("name", RAISING)
def test_native_raises_what_the_program_raises(
    name: str, program: Program, code: Executable
) -> None:
    _, args, kind = RAISING[name]
    which = list(RAISING).index(name)
    assert reference(program, [*args, which]) == Raised(kind)
    assert native(code, [*args, which]) == Raised(kind)


def test_a_context_is_good_after_an_error(code: Executable) -> None:
    context = ready()
    assert native(code, [X, M, 3, 0, 0], context) == Raised("IndexError")
    context.prepare(LIMIT, 0, tape=True)
    assert native(code, [X, M, 2, 0, 0], context) == [18.0]


def test_the_message_tells_the_numbers(code: Executable) -> None:
    with pytest.raises(IndexError, match="index -10 is out of bounds for axis 0 with size 3"):
        code.run(ready(), [X, M, -7, 0, 0])
    which = list(RAISING).index("check")
    with pytest.raises(ZeroDivisionError, match="^{} by zero$"):
        code.run(ready(), [X, M, 1, 0, which])


def test_an_error_has_the_users_line() -> None:
    where = '@"model.py":12:4-12:9'
    program = parsed(f"""
program f
function f(x: f64[1], k: i64) -> (f64):
  y: f64 = index(x, k; checked=true, span={where})
  return y
""")
    with pytest.raises(IndexError) as caught:
        compiled(program).run(ready(), [X, 5])
    assert "model.py:12:5" in caught.value.__notes__[0]


MANY = """
program f
function f(k: i64, n: i64) -> (f64):
  x: f64[2] = zeros(k, n; dtype="f64")
  y: f64[1] = full(1.0, n)
  d: i64 = dim(x; axis=1)
  return 1.0
"""


@pytest.mark.parametrize(
    "shape", [(2**20, 2**20), (2**33, 2**33), (1, 2**61), (2**61, 8), (1, HIGH)]
)
def test_more_than_memory_is_a_memory_error(shape: tuple[int, int]) -> None:
    assert native(compiled(parsed(MANY)), shape) == Raised("MemoryError")


def test_the_limit_is_one_of_bytes() -> None:
    code = compiled(parsed(MANY))
    assert native(code, [64, 64], ready(64 * 64 * 8 + 64 * 8)) == [1.0]
    assert native(code, [64, 64], ready(64 * 64 * 8 - 1)) == Raised("MemoryError")


def test_runaway_recursion_is_a_recursion_error() -> None:
    program = parsed("""
program f
function f(x: f64[1], n: i64) -> (f64):
  more: bool = gt(n, 0)
  r: f64 = if more:
      m: i64 = sub(n, 1)
      y: f64[1] = mul(x, 0.5)
      deeper: f64 = call f(y, m)
      s: f64 = sin(deeper)
      yield s
    else:
      e: f64 = index(x, 0; checked=true, span=none)
      yield e
  return r
""")
    code = compiled(program)
    assert native(code, [X, 10**7]) == Raised("RecursionError")
    assert native(code, [X, 100]) == pytest.approx(reference(program, [X, 100]))
