"""Lists that a function is given, as arguments, globals and attributes, and changes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import Limitation, UserError
from retrograd.frontend.identity.given_lists import GivenBuffer, columns_in, kind_of, renew

pytestmark = pytest.mark.thinned(2)

HISTORY: list[float] = []
LOG: dict[str, list[float]] = {"loss": []}
SIZES = [2, 3]


class Filter:
    """A moving average of the last numbers."""

    def __init__(self, window: int) -> None:
        self.window, self.kept, self.calls = window, list[float](), 0

    def push(self, x: float) -> float:
        self.calls += 1
        self.kept.append(x)
        if len(self.kept) > self.window:
            self.kept.pop(0)
        return sum(self.kept) / len(self.kept)


class Pair:
    """Two lists, and a dict."""

    def __init__(self) -> None:
        self.a, self.b, self.d = [1.0], [2.0], {"k": [0.5]}


def appended(items: list[Any], x: Any) -> Any:
    items.append(x)
    return len(items)


def in_loops(items: list[float], n: int) -> float:
    for k in range(n):
        items.append(0.5 * k)
    while len(items) > 6:
        items.pop(0)
    return sum(items)


def in_branches(items: list[float], x: float) -> int:
    if x > 1.0:
        items.append(x)
    elif items:
        items.pop()
    return len(items)


def at_indices(items: list[float], i: int, x: float) -> float:
    items[i] = x
    items[0] += 2.0 * x
    return items[i]


def removed(items: list[float], i: int) -> int:
    del items[i]
    return len(items)


def other_methods(items: list[float], x: float) -> float:
    items.extend([x, -x])
    items += [3.0 * x]
    items.insert(1, 0.25)
    items.sort()
    items.reverse()
    items.remove(0.25)
    items[1:2] = [x, x]
    return items[0] + items.index(x)


def cleared(items: list[float], x: float) -> int:
    count = len(items)
    items.clear()
    if x > 0.0:
        items.append(x)
    return count


def two_names(pair: Pair, x: float) -> float:
    one, other = pair.a, pair.d["k"]
    one.append(x)
    other.append(2.0 * x)
    pair.a.append(other[-1])
    return sum(one)


def put_elsewhere(pair: Pair, x: float) -> float:
    pair.a, pair.b = pair.b, pair.a
    pair.a.append(x)
    return pair.b[0]


def tuples(items: list[tuple[int, float]], x: float) -> float:
    items.append((len(items), x))
    return sum(k * v for k, v in items)


def recursive(items: list[float], n: int) -> int:
    if n == 0:
        return 0
    items.append(float(n))
    return 1 + recursive(items, n - 1)


def by_a_generator(items: list[float], n: int) -> int:
    def taken() -> Any:
        for k in range(n):
            items.append(float(k))
            yield k

    return sum(taken())


def by_a_closure(items: list[float], x: Any) -> float:
    kept = items

    def add(v: float) -> None:
        kept.append(v)

    for v in x:
        add(v)
    return max(items)


def texts(items: list[str], x: float) -> int:
    items.append("up" if x > 1.0 else "down")
    return len(items)


def of_dicts(items: list[Any], x: float) -> float:
    items.append({"x": x, "k": len(items)})
    return x


def in_lists(items: list[Any], x: float) -> int:
    items[0].append(x)
    items.append([x])
    return len(items)


def caught(items: list[float], x: float) -> int:
    try:
        items.append(x)
        if x > 1.0:
            raise ValueError
        items.append(-x)
    except ValueError:
        items.append(99.0)
    finally:
        items.append(0.0)
    return len(items)


def arrays(items: list[Any], x: Any) -> float:
    items[0] += x
    items[1], items[2] = items[2], 2.0 * items[1]
    items.append(x)
    return np.sum(items[0])


def layers(items: list[Any], rate: float) -> float:
    for k in range(len(items)):
        items[k] = items[k] - rate * items[k]
    return np.sum(items[0])


def picture(value: Any, seen: dict[int, int]) -> Any:
    """What can be seen of a value: classes, numbers to the bit, and what is the same object."""
    if isinstance(value, list | dict | np.ndarray | Filter | Pair):
        if id(value) in seen:
            return seen[id(value)]
        seen[id(value)] = len(seen)
    match value:
        case np.ndarray():
            return value.tolist()
        case list() | tuple():
            return type(value), [picture(item, seen) for item in value]
        case dict():
            return {key: picture(item, seen) for key, item in value.items()}
        case Filter() | Pair():
            return picture(vars(value), seen)
        case _:
            return type(value).__name__.removesuffix("64"), repr(float(value)) if isinstance(
                value, float
            ) else value


def follow(make: Callable[[], Any], f: Callable[..., Any], calls: Sequence[Any]) -> int:
    """Asserts that call after call leaves what Python leaves; gives the number of programs."""
    ours, theirs, compiled = make(), make(), rg.jit(f)
    for args in calls:
        expected: Any = None
        try:
            expected = f(theirs, *copy.deepcopy(args))
        except (IndexError, ValueError) as error:
            with pytest.raises(type(error), match=str(error)):
                compiled(ours, *args)
        else:
            assert picture(compiled(ours, *copy.deepcopy(args)), {}) == picture(expected, {})
        assert picture(ours, {}) == picture(theirs, {})
    return len(compiled.made)


@pytest.mark.parametrize(
    ("make", "f", "calls", "programs"),
    [
        (lambda: Filter(2), Filter.push, [(1.0,), (2.0,), (4.0,), (8.0,)], 2),
        (list, appended, [(1.0,), (2.0,), (np.float64(3.0),)], 2),
        (lambda: [1], appended, [(2,), (3,)], 1),
        (list, in_loops, [(3,), (100,), (0,)], 2),
        (list, in_branches, [(2.0,), (3.0,), (0.0,), (0.0,), (0.0,), (5.0,)], 2),
        (lambda: [1.0, 2.0, 3.0], at_indices, [(1, 5.0), (-1, 7.0), (9, 1.0)], 1),
        (lambda: [1.0, 2.0, 3.0], removed, [(1,), (5,), (0,), (0,)], 1),
        (lambda: [1.0], other_methods, [(0.5,), (2.0,)], 1),
        (lambda: [1.0], cleared, [(0.0,), (2.0,), (3.0,)], 2),
        (Pair, two_names, [(0.5,), (2.0,)], 1),
        (Pair, put_elsewhere, [(0.5,), (2.0,)], 1),
        (lambda: [(0, 1.0)], tuples, [(0.5,), (2.0,)], 1),
        (lambda: [0.5], recursive, [(3,), (2,)], 1),
        (lambda: [0.5], by_a_generator, [(3,), (2,)], 1),
        (lambda: [0.5], by_a_closure, [(np.arange(3.0),), (np.arange(2.0),)], 2),
        (list, texts, [(0.5,), (2.0,)], 2),
        (list, of_dicts, [(0.5,), (2.0,)], 2),
        (lambda: [[0.5]], in_lists, [(0.5,), (2.0,)], 2),
        (lambda: [0.5], caught, [(0.5,), (2.0,)], 1),
        (lambda: [np.ones(2), np.ones(3), np.zeros(2)], arrays, [(np.ones(2),), (np.ones(2),)], 2),
        (lambda: [np.ones(2), np.ones((2, 3))], layers, [(0.5,), (0.25,)], 1),
    ],
)
def test_what_the_caller_sees(
    make: Callable[[], Any], f: Callable[..., Any], calls: Sequence[Any], programs: int
) -> None:
    assert follow(make, f, calls) == programs


def logging(x: float) -> float:
    y = x * x
    for _ in range(3):
        y = 1.5 * y
        HISTORY.append(y)
        LOG["loss"].append(sum(HISTORY))
    return LOG["loss"][-1]


def test_globals_and_their_derivatives() -> None:
    HISTORY.clear()
    LOG["loss"].clear()
    compiled = rg.jit(logging)
    for past in (0.0, 28.5):
        slope = 14.25 * 2.0
        assert rg.value_and_grad(logging)(2.0) == (past + 28.5, slope)
        assert rg.grad(logging, memory="100kB")(2.0) == slope
        assert rg.jvp(logging, (2.0,), (1.0,)) == (past + 28.5, slope)
        assert len(HISTORY) == len(LOG["loss"]) == 3 * (past > 0.0)
        assert compiled(2.0) == past + 28.5
    assert HISTORY == [6.0, 9.0, 13.5] * 2
    assert LOG["loss"] == [6.0, 15.0, 28.5, 34.5, 43.5, 57.0]


def scaled(items: list[float], x: float) -> float:
    for k in range(len(items)):
        items[k] = items[k] * items[k] * x
    items.append(x)
    return sum(items)


def test_derivatives_by_the_items() -> None:
    given = [1.0, 2.0, 3.0]
    assert rg.grad(scaled)(given, 2.0) == [4.0, 8.0, 12.0]
    assert rg.grad(scaled, 1, memory="1MB")(given, 2.0) == 15.0
    assert rg.jacfwd(scaled)(given, 2.0) == rg.jacrev(scaled)(given, 2.0) == [4.0, 8.0, 12.0]
    assert rg.hessian(scaled)(given, 2.0)[0] == [4.0, 0.0, 0.0]
    assert rg.jvp(scaled, (given, 2.0), ([1.0, 0.0, 0.0], 1.0)) == (30.0, 19.0)
    assert rg.check_grads(scaled, (given, 2.0)).ok
    assert rg.grad(tuples)([(0, 1.0), (3, 2.0)], 2.0) == [(None, 0.0), (None, 3.0)]
    assert given == [1.0, 2.0, 3.0]


def resized(x: Any) -> float:
    HISTORY.append(x[0])
    return np.sum(x.reshape(SIZES[0], SIZES[1])[-1])


def test_ints_that_decide_what_the_program_is() -> None:
    HISTORY[:] = [0.5]
    assert [rg.jit(resized)(np.arange(6.0)) for _ in range(2)] == [12.0, 12.0]
    assert HISTORY == [0.5, 0.0, 0.0]


def test_items_that_stay_are_the_same_objects() -> None:
    number, array = np.float64(2.5), np.ones(2)
    items: list[Any] = [number, 1.0]
    rg.jit(appended)(items, 3.0)
    assert items[0] is number
    assert items == [2.5, 1.0, 3.0]
    held = [array, np.zeros(2)]
    rg.jit(appended)(held, array)
    assert held[0] is held[2] is array


def test_what_is_refused() -> None:
    pair = Pair()
    pair.b = pair.a
    with pytest.raises(UserError, match=r"RG0307: one list is given twice .*\n.*list\(l\)"):
        rg.jit(two_names)(pair, 1.0)

    def grown(items: list[Any], n: int) -> int:
        for _ in range(n):
            items.append([1.0, 2.0])
        return len(items)

    with pytest.raises(Limitation, match="RG0120: a list of the caller that holds lists"):
        rg.jit(grown)([[1.0, 2.0]], 3)
    with pytest.raises(Limitation, match="RG2302"):
        rg.jit(recursive)([], 3)


def test_the_kinds_of_items() -> None:
    assert kind_of([1.0, np.float64(2.0)]) is float
    assert kind_of([1, np.int64(2)]) is int
    assert kind_of([True, np.bool_(False)]) is bool
    assert kind_of([(1, (2.0, True)), (3, (4.0, False))]) == (int, (float, bool))
    for items in ([], [1, 2.0], [1, True], [2**63], ["a"], [(1,), (1, 2)], [()], [(1, "a")]):
        assert kind_of(items) is None
    assert GivenBuffer(columns_in([(1, 2.0), (3, 4.0)])) == [(1, 2.0), (3, 4.0)]
    assert GivenBuffer((None, np.ones(2))) == [(None, 1.0), (None, 1.0)]
    assert GivenBuffer(None) is None


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ([1.5, -0.0, float("nan")], [1.5, 0.0, float("nan"), 2.0], [True, False, True]),
        ([1, 2], [1.0, 2.5], [True, False]),
        ([True, 1], [1, 1], [False, True]),
        ([(1, 0.0)], [(1, -0.0)], [False]),
        ([1.0, 2.0], [1.0], [True]),
    ],
)
def test_renewing_keeps_what_has_not_changed(
    old: list[Any], new: list[Any], kept: list[bool]
) -> None:
    held = [*old]
    renew(held, new)
    assert len(held) == len(new)
    assert [a is b for a, b in zip(held, old, strict=False)] == kept
    assert all(repr(a) == repr(b) for a, b, k in zip(held, new, kept, strict=False) if not k)
