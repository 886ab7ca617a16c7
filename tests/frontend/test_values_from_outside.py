"""NumPy's functions, ranges, slices and `...` that are defaults, globals, attributes, arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

X = np.arange(12.0).reshape(3, 4) + 1.0
ROWS, BACK = range(0, 3, 2), range(3, -1, -2)
BLOCK, COLUMN, FLIPPED = np.s_[1:, :2], np.s_[..., 1], slice(None, None, -1)
PIECES = [slice(0, 2), slice(2, 3)]
REDUCERS = {"mean": np.mean, "largest": np.max, "parts": (np.sum, np.sin)}


class Window:
    def __init__(self, n: int, how: Callable[..., Any] = np.cumsum) -> None:
        self.rows, self.part, self.how = range(n), slice(1, n), how

    def of(self, x: Any) -> Any:
        return self.how(x[self.part].ravel()).sum() + sum(x[k].sum() for k in self.rows)


WINDOW = Window(3)


def by_default(
    x: Any, how: Any = np.mean, rows: Any = range(2), at: Any = ..., part: Any = PIECES[0]
) -> Any:
    return how(x[at]) + sum(x[k, 0] for k in rows) + x[part].sum()


def defaults(x):
    return by_default(x), by_default(x, np.median, ROWS, (0, ...), FLIPPED)


def known(x):
    cut = sum(x[part].sum() * (part.stop - part.start) for part in PIECES)
    return x[BLOCK], x[COLUMN], x[FLIPPED], cut, sum(x[k, 1] for k in BACK), ROWS.stop * x[0]


def functions(x):
    one, other = REDUCERS["parts"]
    named = {"amax": 2.0, "max": 3.0}.get(REDUCERS["largest"].__name__, 1.0)
    return REDUCERS["mean"](x, axis=0), one(x), other(x), named


def objects(x):
    return WINDOW.of(x) + Window(2).of(x), Window(2, np.cumprod).of(x)


def given(how, x, **named):
    return how(x, **named)


def named_on(x):
    return given(np.mean, x, axis=0), given(np.sum, x, axis=1, keepdims=True), given(np.max, x)


def within(x):
    marks = [(1 if k in ROWS else 0, 1 if k not in BACK else 0) for k in range(-2, 6)]
    return marks, 2.0 in ROWS, 0.5 in ROWS, x[0, 0] in BACK, x[0, 3] in range(int(x[1, 0]))


@pytest.mark.parametrize("f", [defaults, known, functions, objects, named_on, within])
def test_values_agree(f: Callable[..., Any]) -> None:
    agree(f, X)


def of_arguments(x, how, rows, part):
    return how(x[part] ** 2) * sum(np.sin(x[k, 0]) for k in rows)


@pytest.mark.parametrize("rest", [(np.mean, range(2), slice(1, 3)), (np.sum, range(1, 3), BLOCK)])
def test_they_are_arguments(rest: tuple[Any, ...]) -> None:
    assert rg.jit(of_arguments)(X, *rest) == pytest.approx(of_arguments(X, *rest))
    whole, step = rg.grad(of_arguments)(X, *rest), 1e-5 * np.cos(X)
    rise = of_arguments(X + step, *rest) - of_arguments(X - step, *rest)
    assert np.sum(whole * step) * 2.0 == pytest.approx(rise, rel=1e-6)
    np.testing.assert_array_equal(rg.grad(of_arguments, memory="1MB")(X, *rest), whole)


def ends(x, rows, part):
    return sum(x[k, 0] for k in rows) * rows.stop + x[part].sum()


def test_a_program_is_for_one_range_and_one_slice() -> None:
    made = rg.jit(ends)
    for rest in ((range(0, 3, 2), slice(1)), (range(0, 4, 2), slice(1)), (range(2), slice(2))):
        assert made(X, *rest) == ends(X, *rest)


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (lambda x: x[slice(1, 2.5)], "slice"),
        (lambda x, part=slice(0, 2.0): x[part], "the default of 'part' is a slice"),
        (lambda x: slice(1, None).begin + x, "no attribute 'begin'"),
        (lambda x: ("a" in ROWS) + x, "`in` with a range"),
        (lambda x: np.mean, "the result is"),
        (lambda x, how=np.unravel_index: how(x), "unravel_index"),
    ],
)
def test_what_is_refused(f: Callable[..., Any], words: str) -> None:
    with pytest.raises(UserError, match=words):
        rg.jit(f)(X)
