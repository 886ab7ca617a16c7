"""Evaluation against plain NumPy and Python, and what raises in the program."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from retrograd.errors import Span
from retrograd.ir.terms import Params
from retrograd.prims import DEFAULT
from retrograd.prims.core import RaisedError

PLACE = Span("program.py", 3, 4, 3, 9)
HIGH, LOW = np.int64(2**63 - 1), np.int64(-(2**63))

SAME_AS_NUMPY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
    "floordiv": np.floor_divide, "mod": np.mod, "maximum": np.maximum, "minimum": np.minimum,
    "copysign": np.copysign, "pow": np.power, "arctan2": np.arctan2, "hypot": np.hypot,
}  # fmt: skip


def value(op: str, *args: Any, **params: Any) -> Any:
    fixed: Params = tuple(sorted(params.items()))
    results = DEFAULT[op].eval(args, fixed)
    return results[0] if results else None


def raised(op: str, *args: Any, **params: Any) -> RaisedError:
    with pytest.raises(RaisedError) as info:
        value(op, *args, span=PLACE, **params)
    assert info.value.span == PLACE
    return info.value


@pytest.mark.parametrize("op", SAME_AS_NUMPY)
def test_floats_as_numpy_without_a_warning(op: str) -> None:
    edge = np.array([0.0, -0.0, 1.5, -2.5, np.inf, -np.inf, np.nan, 1e308, 5e-324])
    a, b = edge[:, None], edge[None, :]
    with np.errstate(all="ignore"):
        want = SAME_AS_NUMPY[op](a, b)
    np.testing.assert_array_equal(value(op, a, b), want)


@pytest.mark.parametrize(("a", "b"), [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, -3), (0, 5)])
def test_floor_semantics_are_pythons(a: int, b: int) -> None:
    assert value("floordiv", np.int64(a), np.int64(b)) == a // b
    assert value("mod", np.int64(a), np.int64(b)) == a % b
    assert value("floordiv", np.float64(a), np.float64(b)) == float(a) // float(b)
    assert value("mod", np.float64(a), np.float64(b)) == float(a) % float(b)


def test_integers_by_zero_are_zero_and_sums_wrap() -> None:
    assert value("floordiv", np.int64(5), np.int64(0)) == 0
    assert value("mod", np.int64(5), np.int64(0)) == 0
    assert value("floordiv", LOW, np.int64(-1)) == LOW
    assert value("add", HIGH, np.int64(1)) == LOW
    assert value("neg", LOW) == LOW


def test_checked_integers() -> None:
    assert value("iadd", HIGH, np.int64(-1)) == HIGH - 1
    assert value("ipow", np.int64(-2), np.int64(63)) == LOW
    assert value("ipow", np.int64(-1), np.int64(10**6 + 1)) == -1
    for op, args in (
        ("iadd", (HIGH, np.int64(1))), ("isub", (LOW, np.int64(1))), ("imul", (HIGH, HIGH)),
        ("ineg", (LOW,)), ("iabs", (LOW,)), ("ipow", (np.int64(2), np.int64(63))),
        ("ipow", (np.int64(3), np.int64(10**9))),
    ):  # fmt: skip
        assert raised(op, *args).kind == "OverflowError"


def test_elementary_functions_are_those_of_math() -> None:
    names = "exp log log1p expm1 log2 log10 sin cos tan sinh cosh tanh erf sqrt".split()
    for name in names:
        assert value(name, np.float64(0.7)) == pytest.approx(getattr(math, name)(0.7), rel=1e-15)
    assert np.isnan(value("log", np.float64(-1.0)))
    assert np.isnan(value("sqrt", np.float64(-1.0)))
    assert np.isnan(value("pow", np.float64(-8.0), np.float64(1 / 3)))


def test_conversions() -> None:
    assert value("convert", np.float64(-2.7), dtype="i64") == -2
    assert value("convert", np.int64(3), dtype="f64") == 3.0
    assert value("convert", np.float64(0.5), dtype="bool")
    assert value("convert", np.True_, dtype="f64") == 1.0


def test_bits() -> None:
    five = np.array([5, -5])
    np.testing.assert_array_equal(value("shl", five, np.int64(1)), [10, -10])
    np.testing.assert_array_equal(value("shr", five, np.int64(1)), [2, -3])
    np.testing.assert_array_equal(value("shr", five, np.int64(70)), [0, -1])
    np.testing.assert_array_equal(value("shl", five, np.int64(64)), [0, 0])
    np.testing.assert_array_equal(value("bit_length", five), [3, 3])
    assert value("bit_length", LOW) == 64


def test_indexing_raises_at_the_users_line() -> None:
    x = np.arange(6.0).reshape(2, 3)
    error = raised("index", x, np.int64(1), np.int64(3), checked=True)
    assert (error.kind, error.message) == (
        "IndexError",
        "index 3 is out of bounds for axis 1 with size 3",
    )
    assert raised("update", x, 1.0, np.int64(-1), np.int64(0), checked=True).kind == "IndexError"
    assert raised("check_index", np.int64(3), np.int64(3)).kind == "IndexError"


def test_shapes_that_do_not_fit_raise() -> None:
    two, three = np.zeros(2), np.zeros(3)
    assert raised("add", two, three).kind == "ValueError"
    assert raised("zeros", np.int64(-1), dtype="f64").kind == "ValueError"
    assert raised("reshape", three, np.int64(2), np.int64(2)).kind == "ValueError"
    assert raised("broadcast", two, np.int64(3)).kind == "ValueError"
    assert raised("matmul", two, three).kind == "ValueError"
    ops = (np.int64(0), np.int64(3), np.int64(1))
    assert raised("update_slice", three, two, *ops, spec="s").kind == "ValueError"
    assert raised("reduce_max", np.zeros((0, 2)), axes=(0,)).kind == "ValueError"


def test_checks_raise_what_they_say() -> None:
    error = raised("check", np.False_, kind="ZeroDivisionError", message="division by zero")
    assert (error.kind, error.message) == ("ZeroDivisionError", "division by zero")


SLICES = [
    ("s", (5, 6, -1), np.s_[::-1]), ("s", (1, 2, 3), np.s_[1:6:3]), ("s", (0, 0, 1), np.s_[:0]),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "ops", "key"), SLICES)
def test_slices_as_numpy(spec: str, ops: tuple[int, ...], key: Any) -> None:
    x = np.arange(6.0)
    where = tuple(map(np.int64, ops))
    np.testing.assert_array_equal(value("slice", x, *where, spec=spec), x[key])
    want = x.copy()
    want[key] = -1.0
    np.testing.assert_array_equal(value("update_slice", x, -1.0, *where, spec=spec), want)
    np.testing.assert_array_equal(x, np.arange(6.0))


def test_slices_of_several_axes_as_numpy() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    ops = (np.int64(1), np.int64(3), np.int64(2), np.int64(-2))
    np.testing.assert_array_equal(value("slice", x, *ops, spec="ias"), x[1, :, 3::-2])
    np.testing.assert_array_equal(
        value("slice", x[0], np.int64(2), spec="nai"), x[0][np.newaxis, :, 2]
    )


@pytest.mark.parametrize("axes", [(0,), (2,), (0, 2), (1, 2), (0, 1, 2)])
def test_reductions_as_numpy(axes: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).uniform(-1, 1, (3, 4, 5))
    for keep in (False, True):
        params = {"axes": axes, "keepdims": keep}
        for op, function in (("sum", np.sum), ("prod", np.prod), ("max", np.max), ("min", np.min)):
            want = function(x, axis=axes, keepdims=keep)
            np.testing.assert_allclose(value(f"reduce_{op}", x, **params), want, rtol=1e-13)
        np.testing.assert_array_equal(
            value("reduce_any", x > 0.9, **params), np.any(x > 0.9, axes, keepdims=keep)
        )


@pytest.mark.parametrize("b", [(4,), (4, 2)])
@pytest.mark.parametrize("a", [(4,), (3, 4)])
def test_products_as_numpy(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.uniform(-1, 1, a), rng.uniform(-1, 1, b)
    np.testing.assert_allclose(value("matmul", x, y), x @ y, rtol=1e-14)
