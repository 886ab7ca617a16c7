"""What packages write besides arithmetic: copies, `reduce`, exceptions with texts of their own,
letters of texts, assignments that are tried."""

from __future__ import annotations

import copy
import operator
import warnings
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import pytest
from scipy.special import comb

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

A = np.array([2.0, 3.0, 4.0])


class Box:
    def __init__(self, v):
        self.v = v
        self.w = [v, 1.0]


class Own:
    def __init__(self, v):
        self.v = v

    def __copy__(self):
        return Own(self.v + 1.0)


def copies(a):
    b = copy.copy(a)
    b[0] = 5.0
    x = Box(a[1])
    y, z = copy.copy(x), copy.deepcopy(x)
    y.v = 3.0
    y.w[0] = 7.0
    z.w[1] = a[2]
    pair = [a[0], [a[1], a[2]]]
    one, two = copy.copy(pair), copy.deepcopy(pair)
    one[1][0] = 9.0
    two[1][1] = 4.0
    d = {"k": a[0], "l": [a[1]]}
    e = copy.deepcopy(d)
    e["l"][0] = 2.0
    e["k"] = 8.0
    boxes = x.v * x.w[0] + y.v + z.w[0] * z.w[1]
    lists = pair[1][0] * a[0] + two[1][0] * two[1][1] * two[0]
    return np.sum(a * b) + boxes + lists + d["k"] * d["l"][0] + copy.copy(a[0]) ** 2 + e["l"][0]


def twice_the_same(a):
    x = Box(a[0])
    both = copy.deepcopy([x, x])
    both[0].v = a[1] * 2.0
    return both[1].v * x.v


def folds(a):
    found = reduce(operator.mul, a) + reduce(lambda p, q: p + q * a[1], [a[0], a[2], 2.0], 1.0)
    return found + reduce(np.add, (v * v for v in a), 0.5) + reduce(operator.sub, [a[1], a[0]])


def kept_maps(a):
    doubled = map(lambda v: v * 2.0, a)
    first = next(doubled)
    large = filter(lambda v: v > 2.5, a)
    products, none = map(operator.mul, a, a[1:]), filter(None, [0, 3])
    return first * sum(doubled) + sum(large) ** 2 + sum(products) + sum(none)


def items(a):
    plane = np.reshape(a[:2], (2, 1))
    return (plane.T @ plane).item(0) * a.item(-1) + plane.item(1, 0) * plane.item((0, 0))


def spreads_of_nothing(a):
    """Roots of sums of squares that are zero: their slopes are taken for zero."""
    norms = np.linalg.norm(a - a) + np.sum(np.linalg.norm(np.outer(a - a, a), axis=1))
    return norms + np.std(a[:1]) + np.nanstd(a * 0.0) + np.linalg.norm(np.outer(a, a)) + np.std(a)


def counted(a):
    whole = comb(np.array([5, 6, 7]), np.arange(3)) * a
    return np.sum(whole + comb(5, np.arange(-1, 2)) + comb(a + 2.0, 2.0))


class PlainError(Exception):
    def __init__(self, what, kind, why=None):
        self.what = what
        self.kind = kind
        self.why = why

    def __str__(self, head=True):
        text = "failed: " if head else ""
        text += self.kind + ", " + self.what
        return text if self.why is None else text + " (" + self.why + ")"


class RangeOfValuesError(PlainError):
    def __init__(self, what, **more):
        PlainError.__init__(self, what, "range", **more)


class WithNumberError(ValueError):
    def __init__(self, x):
        super().__init__(f"x is {x:.2f}")
        self.x = x


def texts_of_exceptions(a):
    first = str(RangeOfValuesError("too large", why="a test"))
    second = RangeOfValuesError("small").__str__(head=False)
    both = len(first) * a[0] + len(second) * a[1]
    try:
        if a[2] > 3.0:
            raise WithNumberError(a[2])
    except WithNumberError as error:
        both = both * error.x
    return both


def letters(a):
    kind = "ci"
    if a[0] > 1.0:
        kind = "ei" if a[1] > 5.0 else "ee"
    found = a[0]
    if kind[0] == "e":
        found = found * a[1]
    if kind[1] == "i" or kind[-1:] == "i":
        found = found * a[2]
    return found * 2.0 if "abc"[1] == "b" else found


def tried(a):
    found = np.log(a[0])
    large = a[0] > 1.5
    try:
        found[large] = 3.0
    except TypeError:
        if large:
            found = 3.0 * a[0]
    return np.squeeze(found)


def quiet(a):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="divide by zero")
        warnings.simplefilter("ignore")
        return np.sum(np.concatenate([[a[0]], a, [1.0, a[1]]]) * np.arange(6.0))


def like_int(value):
    if hasattr(value, "squeeze") and callable(value.squeeze):
        return 100
    return int(value)


def kinds_of_numbers(a):
    counts = like_int(len(a)), like_int(min(2, len(a) // 2)), like_int(a.shape[0] + 1)
    found = like_int(np.argmax(a)), like_int(np.sum(a) > 2), like_int(abs(a[0]))
    return a[0] * (counts[0] + counts[1] + counts[2] + found[0] + found[1]) + found[2]


def bools_as_indices(a, **options):
    formula = options.pop("formula", (2, 1)[bool(options.get("remove", False))])
    grown = []
    for k in range(len(a)):
        grown.append(a[k] * k)
    halves = (a[0], 2.0 * a[1])[bool(a[2] > 1.0)] + [3.0 * a[0], 4.0 * a[1]][bool(a[0] > 9.0)]
    return formula * halves + grown[float(a[0]) > 1.0] + (1.0, a[2])[True] * [a[1], 1.0][False]


def divided_where_it_can_be(a):
    b = np.where(a < 2.5, 0.0, a - 2.5)
    ratio = np.divide(a, b, out=None, where=b != 0.0)  # NumPy warns where `out` is left away
    root = np.sqrt(b, out=None, where=b > 0.0)
    table = np.multiply(a[:, None], b, out=None, where=b > 0.0)
    kept = np.where(b != 0.0, np.arctan(ratio), 0.5), np.where(b > 0.0, root, 0.0)
    return np.sum(kept[0]) + np.sum(kept[1]) + np.sum(np.where(b > 0.0, table, 0.0))


def handed_on(method):
    def wrapped(*args, **kwargs):
        return method(*args, **kwargs)

    for name in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(wrapped, name, getattr(method, name))
    return wrapped


total, rolled = handed_on(np.sum), handed_on(np.roll)


def by_a_backend(a):
    return total(a**2) + total(rolled(a, 1) * a, axis=0)


PROGRAMS = (
    by_a_backend,
    bools_as_indices, divided_where_it_can_be, kinds_of_numbers, copies,
    twice_the_same, folds, texts_of_exceptions, letters, tried, quiet,
    kept_maps, items, spreads_of_nothing, counted,
)  # fmt: skip


@pytest.mark.thinned(2)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_value_and_gradient(function: Callable[..., Any]) -> None:
    agree(function, A)
    value, bars = rg.value_and_grad(function)(A)
    assert abs(value - function(A)) < 1e-12 * abs(value)
    for k, bar in enumerate(bars):
        step = 1e-6 * np.eye(3)[k]
        slope = (function(A + step) - function(A - step)) / 2e-6
        assert abs(bar - slope) < 1e-7 * (1.0 + abs(slope)), k
    again = rg.value_and_grad(function, memory=10_000_000)(A)
    assert again[0] == value
    np.testing.assert_array_equal(again[1], bars)


def shown(x):
    print(RangeOfValuesError("too large"))
    try:
        raise WithNumberError(x)
    except WithNumberError as error:
        print("caught", error)
    return x * x


def test_exceptions_are_shown_as_their_classes_say(capsys) -> None:
    shown(1.5)
    expected = capsys.readouterr().out
    rg.grad(shown)(1.5)
    assert capsys.readouterr().out == expected == "failed: range, too large\ncaught x is 1.50\n"


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (lambda x: copy.copy(Own(x)).v, "RG0107"),
        (lambda x: reduce(operator.mul), "RG0108"),
        (lambda x: x * len(("abc" if x > 0.0 else "d")[2]), "RG0126"),
        (lambda x: warnings.simplefilter("error") or x, "RG0127"),
        (lambda x: np.divmod(x, 2.0, where=x > 1.0)[0], "RG0108"),
    ],
)
def test_what_is_refused(function: Callable[..., Any], code: str) -> None:
    with pytest.raises(UserError) as caught:
        rg.jit(function)(2.0)
    assert caught.value.code == code


def test_an_array_without_axes_is_no_number_that_refuses_assignment() -> None:
    def assigned(x):
        y = np.asarray(x * 2.0)
        try:
            y[y > 1.0] = 3.0
        except TypeError:
            y = 4.0
        return y

    for x, slope in ((2.0, 0.0), (0.2, 2.0)):
        value, x_bar = rg.value_and_grad(lambda y: 1.0 * assigned(y))(x)
        assert (value, x_bar) == (assigned(x), slope)
