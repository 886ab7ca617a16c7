"""Programs and data outside the subset: each works as NumPy does or gives one clear error."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import RetrogradError, UserError

X = np.array([1.0, 2.0, 3.0])


def yields(x):
    yield x


def makes_a_class(x):
    class Inner:
        pass

    return x


def opens(x):
    with open("file"):
        return x


def sets_a_global(x):
    global somewhere  # noqa: PLW0603
    somewhere = x
    return x


def asks(x):
    return x * float(input())


def unknown(x):
    return np.lib.stride_tricks.sliding_window_view(x, 2).view(np.recarray)


def undefined(x):
    return not_there(x)  # noqa: F821 # pyright: ignore


def grows(x):
    y = 1.0
    for _ in range(int(x)):
        y = (y, x)
    return y


def writes_one_of_two(x):
    y = x.copy()
    z = x if x[0] > 0.0 else y
    z[0] = 5.0
    return x[0]


def read_first(x):
    y += x  # noqa: F821 # pyright: ignore
    return y


def recurs_for_ever(x):
    return recurs_for_ever(x + 1.0) * 2.0


@pytest.mark.parametrize(
    ("f", "arg", "code"),
    [
        (yields, 1.0, "RG0101"),
        (makes_a_class, 1.0, "RG0101"),
        (opens, 1.0, "RG0127"),
        (sets_a_global, 1.0, "RG0101"),
        (asks, 1.0, "RG0107"),
        (unknown, X, "RG0107"),
        (undefined, 1.0, "RG0105"),
        (grows, 1.0, "RG0104"),
        (writes_one_of_two, X, "RG0106"),
        (read_first, 1.0, "RG0105"),
        (recurs_for_ever, 1.0, "RG0111"),
    ],
    ids=lambda v: v.__name__ if callable(v) else "",
)
def test_what_is_outside_the_subset_is_shown(f: Callable[..., Any], arg: Any, code: str) -> None:
    for transformed in (rg.jit(f), rg.grad(f)):
        with pytest.raises(UserError) as caught:
            transformed(arg)
        error = caught.value
        assert error.code == code
        assert error.span is not None
        assert error.span.file == __file__
        text = str(error)
        assert f"{__file__}:{error.span.line}:{error.span.col + 1}: " in text
        assert "^" in text
        assert code in text


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: rg.grad(lambda x: x * x)(3), "RG0302"),
        (lambda: rg.grad(lambda x: x * x)(True), "RG0302"),
        (lambda: rg.grad(lambda x: np.sum(x))(np.arange(3)), "RG0302"),
        (lambda: rg.grad(lambda f: 1.0)(math.sin), "RG0302"),
        (lambda: rg.grad(lambda x: x * 2.0)(X), "RG0303"),
        (lambda: rg.grad(lambda x: (x, x))(1.0), "RG0303"),
        (lambda: rg.grad(lambda x: None)(1.0), "RG0303"),
        (lambda: rg.grad(lambda x: 1)(1.0), "RG0303"),
        (lambda: rg.grad(lambda x: x, has_aux=True)(1.0), "RG0303"),
        (lambda: rg.jacrev(lambda x: x > 0.0)(X), "RG0304"),
        (lambda: rg.jacfwd(lambda x: 1)(1.0), "RG0304"),
        (lambda: rg.grad(lambda x: x, argnums=2)(1.0), "RG0301"),
        (lambda: rg.grad(lambda x: x)(), "RG0108"),
        (lambda: rg.grad(lambda x: x)(1.0, 2.0), "RG0108"),
        (lambda: rg.jit(lambda x: x)(y=1.0), "RG0108"),
        (lambda: rg.jit(lambda x: x)({"a": np.complex64(1)}), "RG0103"),
        (lambda: rg.jit(lambda x: x)(b"text"), "RG0103"),
        (lambda: rg.jit(lambda x: x)(np.complex64(1j)), "RG0103"),
        (lambda: rg.jit(lambda x: x)(np.float32(1.0)), "RG0103"),
        (lambda: rg.jit(lambda x: x)(2**63), "RG0103"),
        (lambda: rg.jit(lambda x: x)(np.array([1, None], dtype=object)), "RG0103"),
        (lambda: rg.jit(lambda x: x)(np.zeros(2, "f4")), "RG0103"),
        (lambda: rg.jit(lambda x: x)(np.zeros(2, "u8")), "RG0103"),
        (lambda: rg.jit(lambda x: x)(np.zeros(2, "c8")), "RG0103"),
        (lambda: rg.jit(lambda x: x)(np.zeros(2, "S3")), "RG0103"),
        (lambda: rg.jit(lambda x: x)(np.zeros((1,) * 9)), "RG0103"),
        (lambda: rg.jit(lambda x: x)(np.ma.masked_array(1.0, True)), "RG0103"),
        (lambda: rg.vjp(lambda x: x, b"text"), "RG0103"),
    ],
)  # fmt: skip
def test_calls_that_do_not_fit(call: Callable[[], Any], code: str) -> None:
    with pytest.raises(UserError) as caught:
        call()
    assert caught.value.code == code
    assert caught.value.span is not None
    assert caught.value.way_out is not None


def test_argnums_must_be_numbers() -> None:
    for argnums in ("x", 1.0, True, (0, None)):
        with pytest.raises(UserError) as caught:
            rg.grad(lambda x: x, argnums=argnums)  # pyright: ignore
        assert caught.value.code == "RG0301"


def test_an_int_that_grows_too_large_between_calls() -> None:
    native = rg.jit(lambda n: n // 2)
    assert native(2**62) == 2**61
    with pytest.raises(UserError) as caught:
        native(2**63)
    assert caught.value.code == "RG0103"


def test_source_that_is_not_available() -> None:
    space: dict[str, Any] = {}
    exec("def hidden(x): return x * 2.0", space)
    hidden = space["hidden"]
    for f in (hidden, lambda x: hidden(x), eval("lambda x: x")):
        with pytest.raises(UserError) as caught:
            rg.jit(f)(1.0)
        assert caught.value.code == "RG0102"
        assert caught.value.way_out is not None


@pytest.mark.parametrize(
    ("f", "args", "kind"),
    [
        (lambda x: x + np.ones(4), (X,), ValueError),
        (lambda x: x @ np.ones((4, 4)), (X,), ValueError),
        (lambda x: x[3], (X,), IndexError),
        (lambda n: np.zeros(n), (-1,), ValueError),
        (lambda x: np.max(x), (np.zeros(0),), ValueError),
        (lambda n: n + 1, (2**63 - 1,), OverflowError),
        (lambda n: -n, (-(2**63),), OverflowError),
        (lambda n: abs(n), (-(2**63),), OverflowError),
        (lambda n, m: n // m, (-(2**63), -1), OverflowError),
        (lambda n: 1 << n, (70,), OverflowError),
        (lambda n: 3 ** (49 + n) * n, (1,), OverflowError),
        (lambda n: 1 % n, (0,), ZeroDivisionError),
        (lambda n: len(range(0, 5, n)), (0,), ValueError),
        (lambda x: int(x), (math.nan,), ValueError),
        (lambda x: int(x), (math.inf,), OverflowError),
        (lambda x: int(x), (1e300,), OverflowError),
        (lambda n: np.sum(np.zeros(n)), (10**13,), MemoryError),
        (lambda n: np.sum(np.zeros((n, n, n))), (2**22,), MemoryError),
    ],
)
def test_data_errors_are_pythons(f: Callable[..., Any], args: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind) as caught:
        rg.jit(f)(*args)
    assert not isinstance(caught.value, RetrogradError)


def test_errors_of_data_name_the_line() -> None:
    def f(x):
        return x[7]

    for call in (rg.jit(f), rg.grad(f), lambda x: rg.jvp(f, (x,), (x,))):
        with pytest.raises(IndexError) as caught:
            call(X)
        assert f"{__file__}:" in caught.value.__notes__[0]
        assert "^^^^" in caught.value.__notes__[0]


def test_an_error_leaves_everything_usable() -> None:
    def f(x, i):
        y = np.zeros(1000)
        y[0] = x[i] * x[0]
        return y[0]

    gradient = rg.grad(f)
    for _ in range(20):
        with pytest.raises(IndexError):
            gradient(X, 9)
        np.testing.assert_array_equal(gradient(X, 1), [2.0, 1.0, 0.0])


def maybe(x):
    if x > 0.0:
        y = x
    return y * 2.0


def test_uninitialised_variables_raise_where_they_are_read() -> None:
    assert rg.grad(maybe)(1.0) == 2.0
    with pytest.raises(UnboundLocalError):
        rg.grad(maybe)(-1.0)


def descend(x, n):
    return x if n == 0 else descend(x * 1.000001, n + 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: rg.jit(descend)(1.0, 1),
        lambda: rg.grad(descend)(1.0, 1),
        lambda: rg.jvp(descend, (1.0, 1), (1.0, None)),
        lambda: rg.hessian(descend)(1.0, 1),
    ],
    ids=["jit", "grad", "jvp", "hessian"],
)
def test_runaway_recursion_raises(call: Callable[[], Any]) -> None:
    with pytest.raises(RecursionError):
        call()


def test_a_tape_larger_than_memory_raises() -> None:
    def f(x, n):
        for _ in range(n):
            x = math.sin(x) * 1.01
        return x

    with pytest.raises(MemoryError):
        rg.grad(f)(1.0, 10**12)


def test_nan_and_inf_go_through() -> None:
    x = np.array([1.0, math.nan, math.inf, -math.inf])
    value, gradient = rg.value_and_grad(lambda x: np.sum(np.exp(x)))(x)
    assert math.isnan(value)
    np.testing.assert_allclose(gradient, np.exp(x))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)])
def test_arrays_without_elements(shape: tuple[int, ...]) -> None:
    x = np.zeros(shape)
    f = lambda x: np.sum(x * x)  # noqa: E731
    assert rg.jit(f)(x) == 0.0
    assert rg.grad(f)(x).shape == shape
    assert rg.hessian(f)(x).shape == (*shape, *shape)
    assert rg.jacfwd(lambda x: x * 2.0)(x).shape == (*shape, *shape)
    assert rg.jacrev(lambda x: x * 2.0)(x).shape == (*shape, *shape)


def test_arrays_without_axes_are_numbers() -> None:
    x = np.array(3.0)
    assert rg.jit(lambda x: x * x)(x) == 9.0
    assert rg.grad(lambda x: x * x)(x) == 6.0
    assert rg.hessian(lambda x: x * x)(x) == 2.0
    assert rg.jvp(lambda x: x * x, (x,), (np.array(1.0),)) == (9.0, 6.0)


MATRIX = np.arange(24.0).reshape(4, 6)


@pytest.mark.parametrize(
    "a",
    [
        np.asfortranarray(MATRIX), MATRIX[::2, ::3], MATRIX[:, ::-1], MATRIX.T,
        MATRIX.astype(">f8"), np.broadcast_to(np.arange(6.0), (4, 6)),
        np.frombuffer(b"x" + MATRIX.tobytes(), "u1")[1:].view("f8")[:6],
    ],
    ids=["fortran", "strided", "reversed", "transposed", "big-endian", "broadcast", "unaligned"],
)  # fmt: skip
def test_every_layout_is_read_and_left_alone(a: np.ndarray[Any, Any]) -> None:
    before = a.copy()

    def cube(a):
        return np.sum(a * a * a)

    def overwrite(a):
        a *= 2.0
        return np.sum(a * a)

    assert rg.jit(cube)(a) == pytest.approx(np.sum(a * a * a))
    np.testing.assert_allclose(rg.grad(cube)(a), 3.0 * a * a)
    np.testing.assert_allclose(rg.grad(overwrite)(a), 8.0 * a)
    np.testing.assert_array_equal(a, before)


def first_is_five(x):
    x[0] = 5.0
    return np.sum(x)


def test_every_layout_is_written_through() -> None:
    base = np.arange(6.0)
    assert rg.jit(first_is_five)(base[::2]) == 11.0
    assert rg.jit(first_is_five)(base[::-1]) == np.sum([5.0, 4.0, 3.0, 2.0, 1.0, 5.0])
    np.testing.assert_array_equal(base, [5.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    swapped = np.arange(3.0).astype(">f8")
    assert rg.jit(first_is_five)(swapped) == 8.0
    assert swapped[0] == 5.0


def test_arrays_that_are_read_only() -> None:
    x = np.arange(3.0)
    x.flags.writeable = False
    np.testing.assert_array_equal(rg.grad(first_is_five)(x), [0.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="read-only"):
        rg.jit(first_is_five)(x)
    np.testing.assert_array_equal(x, [0.0, 1.0, 2.0])


def shift(x, y):
    for i in range(len(y)):
        y[i] = x[i] + 1.0
    return y[-1]


@pytest.mark.parametrize(
    "cut",
    [
        lambda base: (base, base),
        lambda base: (base[:-1], base[1:]),
        lambda base: (base[1:], base[:-1]),
        lambda base: (base, base[::-1]),
    ],
    ids=["same", "ahead", "behind", "reversed"],
)
def test_overlapping_arguments_behave_as_in_python(cut: Callable[[Any], Any]) -> None:
    ours, theirs = np.arange(10.0), np.arange(10.0)
    expected = shift(*cut(theirs))
    with pytest.warns(RuntimeWarning, match="overlaps"):
        assert rg.jit(shift)(*cut(ours)) == expected
    np.testing.assert_array_equal(ours, theirs)


def test_arguments_that_only_interleave_are_apart() -> None:
    base = np.arange(10.0)
    assert rg.jit(shift)(base[::2], base[1::2]) == 9.0
    np.testing.assert_array_equal(base[1::2], base[::2] + 1.0)


def test_the_process_survives_a_storm_of_bad_calls(tmp_path: Any) -> None:
    program = tmp_path / "storm.py"
    program.write_text(STORM, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "survived"


STORM = """
import itertools
import numpy as np
import retrograd as rg


def at(x, i, j):
    return x[i] * x[j]


def cut(x, i, j):
    y = x[i:j]
    y *= 2.0
    return np.sum(x[::i]) if i else np.sum(y)


def grown(x, i, j):
    z = np.zeros((i, j))
    z[0, -1] = x[j]
    return np.sum(z)


def deep(x, i, j):
    return x[0] if i <= 0 else deep(x * 1.5, i - 1, j)


ints = (0, 1, -1, 7, 2**45, -2**63, 2**63 - 1, 10**6)
known = (IndexError, ValueError, OverflowError, MemoryError, ZeroDivisionError, RecursionError)
for f in (at, cut, grown, deep):
    calls = (rg.jit(f), rg.grad(f), lambda x, i, j: rg.jvp(f, (x, i, j), (x, None, None)))
    for call, i, j in itertools.product(calls, ints, ints):
        for x in (np.arange(8.0), np.zeros(0)):
            try:
                call(x, i, j)
            except known:
                pass
print("survived")
"""
