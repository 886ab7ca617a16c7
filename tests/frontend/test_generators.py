"""Generators by what consumes them: values, derivatives, turns with loops, refusals."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import Limitation, UserError
from tests.frontend.harness import agree, traced

SCALE = 0.5
WEIGHTS = np.ones(2)


def rate(y):
    return -SCALE * y + np.sin(y)


def steps(y, n):
    """Euler's method, from the first value on."""
    yield y
    for k in range(n):
        y = y + 0.1 * rate(y)
        if k % 3 == 1:
            continue
        yield y


def until(y, bound):
    while True:
        y = y * 1.5
        if y > bound:
            return
        yield y, 2 * y


def rows(y, n):
    for k in range(n):
        y = y * 0.9 + k
        yield y


def same_array(y, n):
    y = y.copy()
    for k in range(n):
        y += k
        yield y


def of_array(a):
    for k in range(len(a) - 1):
        yield a[k] * a[k + 1]


def writes(a):
    for k in range(len(a)):
        a[k] = 2.0 * a[k]
        yield a[k]


def prints(x):
    print("here")
    yield x


def whole(x, n):
    made = list(steps(x, n))
    made.append(x * x)
    total = 0.0
    for v in made:
        total += v * v
    return total + len(made) + sum(steps(x * 2, n)) + max(steps(x, n)) - min(steps(x, n))


def pairs(x, n):
    total = 0.0
    for a, b in list(until(x, n)):
        total += a * b
    return total


def loop(x, n):
    total, last = 0.0, x
    for v in steps(x, n):
        if v < 0.0:
            continue
        total += v * last
        last = v
    return total


def nested(x, n):
    total = 0.0
    for k in range(n):
        for v in steps(x + k, k):
            total += v * v
    return total


def over_array(x, n):
    a = np.ones(n) * x
    a[0] = x * x
    out = np.zeros(n)
    k = 0
    for v in of_array(a):
        out[k] = v * v
        k += 1
    return np.sum(out) + np.sum(a)


def arrays(x, n):
    return np.sum(np.array(list(rows(np.array([x, 2 * x]), n))) ** 2)


def written(x, n):
    a = np.ones(n) * x
    made = list(writes(a))
    return np.sum(np.array(made)) * a[0]


def recursive(x, n):
    total = x
    for v in outer(x, n):
        total = total * 0.5 + v
    return total


def outer(x, n):
    for v in list(steps(x, n)):
        yield v * v


PROGRAMS = (whole, pairs, loop, nested, over_array, arrays, written)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_derivatives(f):
    for n in (1, 3, 7):
        agree(f, 0.7, n)
    rg.check_grads(f, (0.7, 5), order=1)
    plain, budget = rg.grad(f)(0.7, 6), rg.grad(f, memory="64KB")(0.7, 6)
    assert plain == budget


def test_an_empty_generator():
    agree(loop, 0.7, 0)
    agree(pairs, 3.0, 2)


def kept(x):
    g = steps(x, 3)
    return sum(g)


def leaves(x):
    total = 0.0
    for v in steps(x, 5):
        total += v
        if total > 2.0:
            break
    return total


def returns_from_loop(x):
    for v in steps(x, 5):
        if v > 0.0:
            return v
    return x


def by_enumerate(x):
    total = 0.0
    for k, v in enumerate(steps(x, 5)):
        total += k * v
    return total


def changes(x):
    a = np.ones(4) * x
    total = 0.0
    k = 1
    for v in of_array(a):
        total += v
        if k < 4:
            a[k] = total
        k += 1
    return total


def changes_alias(x):
    a = np.ones(4) * x
    b = a[1:]
    total = 0.0
    for v in of_array(a):
        b += v
        total += v
    return total


def sees(x):
    a = np.ones(4) * x
    total = 0.0
    for v in writes(a):
        total += v * a[3]
    return total


def caught(x):
    total = 0.0
    try:
        for v in of_array(np.ones(3) * x):
            total += 1 / v
    except ZeroDivisionError:
        total = 1.0
    return total


def sum_of_arrays(x):
    return np.sum(sum(same_array(np.array([x, x]), 3)))


def loop_of_arrays(x):
    total = 0.0
    for y in same_array(np.array([x, x]), 3):
        total += y[0]
    return total


def endless(x):
    total = 0.0
    for a, _ in until(x, 9.0):
        total += a
    return total


def applies(f, x):
    for k in range(3):
        yield f(x * k)


def given_a_function(x):
    total = 0.0
    for v in applies(rate, x):
        total += v
    return total


def with_weights(x, w=WEIGHTS):
    yield x * w[0]


def default_array(x):
    total = 0.0
    for v in with_weights(x):
        total += v
    return total


def from_list(x):
    yield from [x, 2 * x]


def delegates(x):
    return sum(from_list(x))


def sends(x):
    got = yield x
    yield got


def sent(x):
    return sum(sends(x))


@dataclass
class Tree:
    value: Any
    parts: tuple[Any, ...] = ()

    def walk(self):
        yield self.value
        for part in self.parts:
            yield from part.walk()

    def __iter__(self):
        yield self.value
        for part in self.parts:
            for value in part:  # noqa: UP028
                yield value


def tree_of(x):
    return Tree(x, (Tree(2 * x, (Tree(x * x),)), Tree(3 * x)))


def methods(x):
    total, n = 0.0, 0
    for v in tree_of(x).walk():
        n += 1
        total += v * n
    return total


def iterators(x):
    total = 0.0
    for v in tree_of(x):
        total = total * 0.5 + v
    first, *_ = list(tree_of(x))
    return total * first


def closures(x):
    def doubling(n):
        if n > 0:
            yield from doubling(n - 1)
            yield x * n
            yield from doubling(n - 1)

    total = 1.0
    for v in doubling(3):
        total = total * 0.5 + v
    return total


def loops_in_loops(x):
    total = 0.0
    for k in range(3):
        for v in steps(x * k, 4):
            if v < 0.2:
                break
            if v > 1.2:
                return total
            total += v * x
        else:
            total *= 1.5
    return total


def names_after_it(x):
    for k, v in enumerate(list(steps(x, 3))):
        last = v * k
    for y in steps(last, 2):
        z = y * y
        if z > 100.0:
            continue
        final = z
    return last * final * y


def both_change(x):
    a = np.ones(4) * x
    total = 0.0
    for v in writes(a):
        a[3] += v
        total = total * a[3] + v
    return total + np.sum(a)


def with_none(x):
    best = None
    for v in steps(x, 4):
        if best is None or abs(v - 0.5) < abs(best - 0.5):
            best = v
    return best


def finished(x, log):
    try:
        for k in range(3):
            yield x * k
    finally:
        log.append(x)


def by_finally(x):
    log = []
    for v in finished(x, log):
        if v > 1.0:
            break
        log.append(v)
    return sum(log)


def raises_in_the_loop(x):
    try:
        for v in steps(x, 4):
            if v > 0.0:
                raise ValueError("found")
    except ValueError:
        return x * x
    return x


TURNS = (
    kept, leaves, returns_from_loop, by_enumerate, changes, changes_alias, sees, caught, endless,
    loop_of_arrays, delegates, given_a_function, default_array, methods, iterators, closures,
    loops_in_loops, names_after_it, both_change, with_none, raises_in_the_loop,
)  # fmt: skip


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", TURNS)
def test_a_loop_and_its_generator_take_turns(f):
    for x in (0.7, 1.3, 0.1):
        agree(f, x)
    slope = rg.grad(f)(0.7)
    assert slope == pytest.approx((f(0.7 + 1e-6) - f(0.7 - 1e-6)) / 2e-6, rel=1e-6)
    assert rg.grad(f, memory="64KB")(0.7) == slope


def test_a_recursive_generator_of_a_generator():
    agree(recursive, 0.7, 3)
    assert rg.grad(recursive)(0.7, 3) == pytest.approx(
        (recursive(0.7 + 1e-6, 3) - recursive(0.7 - 1e-6, 3)) / 2e-6, rel=1e-6
    )


def test_what_a_generator_prints_stands_between_what_the_loop_does(capsys):
    def talking(x):
        total = 0.0
        for v in prints(x):
            print("then")
            total += v
        return total

    assert rg.jit(talking)(0.7) == 0.7
    assert capsys.readouterr().out == "here\nthen\n"


def handled(x):
    for k in range(3):
        try:
            yield x / k
        except ZeroDivisionError:
            yield x


def by_handler(x):
    total = 0.0
    for v in handled(x):
        total += v
    return total


def printing_is_kept(x):
    g = prints(x)
    return sum(g)


def changed_before_it_is_used(x):
    a = np.ones(4) * x
    g = of_array(a)
    a[1] = 2.0
    return sum(g)


def test_a_generator_with_a_name_begins_where_its_items_are_taken(capsys):
    agree(changed_before_it_is_used, 0.7)
    assert rg.jit(printing_is_kept)(0.7) == 0.7
    assert capsys.readouterr().out == "here\n"


@pytest.mark.parametrize(
    "f",
    [
        sum_of_arrays,
        sent,
        steps,
        by_handler,
        by_finally,
    ],
)
def test_what_would_show_laziness_is_refused(f):
    with pytest.raises((UserError, Limitation)) as caught_error:
        traced(f, 0.7) if f is not steps else traced(f, 0.7, 3)
    assert caught_error.value.span is not None
    assert caught_error.value.way_out
