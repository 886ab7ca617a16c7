"""Calls, closures, recursion, tuples."""

import functools
import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pytest

from retrograd.prims.core import RaisedError
from tests.frontend import other_module
from tests.frontend.harness import agree, interpreted, traced
from tests.frontend.other_module import affine as imported


class Point(NamedTuple):
    x: float
    y: float = 2.0

    def norm(self):
        return math.sqrt(self.x**2 + self.y**2)

    def scaled(self, k=2.0):
        return Point(self.x * k, self.y * k)


@dataclass(frozen=True)
class State:
    position: np.ndarray
    speed: float = 1.0

    @property
    def first(self):
        return self.position[0]


def keyword_only_outside(a, x, *, shift):
    return a * x + shift


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


def power_float(x, n):
    if n == 0:
        return 1
    return x * power_float(x, n - 1)


def determinant(a):
    n = a.shape[0]
    if n == 1:
        return a[0, 0]
    total = 0.0
    for j in range(n):
        minor = np.zeros((n - 1, n - 1))
        for r in range(1, n):
            c2 = 0
            for c in range(n):
                if c != j:
                    minor[r - 1, c2] = a[r, c]
                    c2 += 1
        sign = 1.0 if j % 2 == 0 else -1.0
        total += sign * a[0, j] * determinant(minor)
    return total


def closure(x):
    def g(a, b=2.0):
        return a * x + b

    x = x + 1
    return g(2.0) + g(3, b=1) + g(b=x, a=1)


def counter(n):
    c = 0

    def increase(k):
        nonlocal c
        c += k

    for i in range(n):
        increase(i)
    return c


def made(a):
    def make(k):
        def inner(x):
            return k * x + a

        return inner

    f, g = make(2.0), make(3.0)
    return f(1.0) + 10 * g(1.0)


def higher_order(x):
    def twice(f, v):
        return f(f(v))

    return twice(lambda t: t * x, 1.0) + twice(math.sin, x) + twice(np.exp, 0.1)


def lambdas(x):
    f, g = lambda a: a + 1, lambda a: a * 2
    return f(x) + g(f(x))


def inner_recursion(n):
    def go(k):
        if k == 0:
            return 0.0
        return k * 0.5 + go(k - 1)

    return go(n)


def writes_argument(x):
    def clear(v, i):
        v[i] = 0.0

    clear(x, 0)
    clear(x[1:], 1)
    return x


def returns_argument(x):
    def same(v):
        return v

    y = same(x)
    y[0] = 5.0
    return x[0]


def returns_view(x):
    def tail(v):
        return v[1:]

    y = tail(x)
    y[0] = 5.0
    return x + 0.0


def aliased_arguments(x):
    def f(a, b):
        a[0] = 3.0
        return b[0]

    return f(x, x)


def star(x):
    def total(*values):
        s = 0.0
        for v in values:
            s += v
        return s

    return total(x, 1, 2.0) + total() + total(*(x, x))


def tuples(x):
    a, (b, c), *rest = x, (2, x * 2), 4, 5
    p = (a, b) + (c,)
    return p[0], p[-1], p[1:], len(p), rest[1]


def swap(a, b):
    for _ in range(3):
        a, b = b, a + b
    return a, b


def named(p):
    q = Point(p.y, y=p.x * 2)
    return Point(q.x + 1), q, q[1]


def nested_named(s, p):
    return State(s.position * p.x, s.speed + p.y)


def branch_of_tuples(x):
    p = (x, 1)
    if x > 0:
        p = (2, 0.5)
    return p


def through_module(x):
    return other_module.affine(x, 3.0) + imported(x) + other_module.nested.helper(x)


def keyword_only(x):
    def f(a, *, scale=2.0, shift):
        return a * scale + shift

    return f(x, shift=1.0) + f(x, scale=1, shift=2)


def default_array(x, table=np.array([1.0, 2.0])):  # noqa: B008
    return x * table[1]


def calls_default(x):
    return default_array(x) + default_array(2.0)


def mutual_local(n):
    def a(k):
        return 0.0 if k <= 0 else 1.0 + b(k - 1)

    def b(k):
        return 0.0 if k <= 0 else 0.5 + a(k - 2)

    return a(n)


def keyword_order(x):
    def f(a, b, c):
        return a + 2 * b + 3 * c

    return f(x, 1, 2) + 10 * f(x, c=1, b=2) + 100 * f(c=x, a=1, b=2)


def methods(p, s):
    return p.norm() + p.scaled(k=3).x + s.first, p._replace(x=5.0), replace(s, speed=2.0)


scale_and_shift = functools.partial(keyword_only_outside, 3.0, shift=1)


def through_partial(x):
    return scale_and_shift(x)


def literal_flags(a):
    def total(v, keep=True):
        return np.sum(v, axis=1, keepdims=keep)

    return total(a), total(a, False)


def always_raises(x):
    def fail():
        raise ValueError("never")

    return x if x > 0 else fail()


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def recursion_in_loop(a, depth):
    total = 0.0
    for v in a:
        total += v * (1.0 if depth == 0 else recursion_in_loop(a, depth - 1))
    return total


def recursive_writer(x, i):
    if i >= len(x):
        return 0
    x[i] = x[i] * 2 + i
    return 1 + recursive_writer(x, i + 1)


def recursive_array(x, n):
    if n == 0:
        return x
    return recursive_array(x * 0.5 + 1, n - 1)


def late_binding(x):
    def f():
        return y

    y = x
    a = f()
    y = 2 * x
    return a + f()


def loop_closure(n):
    total = 0.0
    for i in range(n):

        def g(v):
            return v * i

        total += g(0.5)
    return total


A = np.array
CASES = [
    (factorial, 6), (fib, 9), (even, 5), (even, 4), (power_float, 1.5, 4),
    (determinant, A([[1.0, 2, 3], [4, 5, 7], [7, 1, 9]])), (closure, 1.5), (counter, 5),
    (made, 1.0), (higher_order, 0.7), (lambdas, 3.0), (inner_recursion, 4),
    (writes_argument, A([1.0, 2, 3])), (returns_argument, A([1.0, 2])), (returns_view, A([1.0, 2])),
    (aliased_arguments, A([1.0, 2])), (star, 1.5), (tuples, 3.0), (swap, 1, 2), (swap, 1.0, 2),
    (swap, A([1.0]), A([2.0])),
    (named, Point(1.0, 3.0)), (nested_named, State(A([1.0, 2])), Point(2.0)),
    (branch_of_tuples, 1.0), (branch_of_tuples, -1.0), (through_module, 2.0), (keyword_only, 2.0),
    (default_array, 2.0), (calls_default, 1.0), (mutual_local, 7), (always_raises, 1.0),
    (keyword_order, 1.5), (through_partial, 2.0),
    (methods, Point(1.0, 2.0), State(A([1.0, 2]))), (literal_flags, np.ones((2, 3))),
    (always_raises, -1.0), (ackermann, 2, 2), (recursion_in_loop, A([1.0, 2]), 2),
    (recursive_writer, A([1.0, 2, 3]), 0), (recursive_array, A([1.0, 2]), 3),
    (recursive_array, A([1.0, 2]), 0), (late_binding, 1.5), (loop_closure, 4),
    (lambda a, b: a * b + 1, 2.0, 3), (lambda a: (a, a), A([1.0])),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), [(f, args) for f, *args in CASES])
def test_same_as_python(f, args):
    agree(f, *args)


def test_keyword_arguments_of_the_entry():
    def f(a, b=2.0, *, c=3):
        return a + 10 * b + 100 * c

    agree(f, 1.0)
    agree(f, 1.0, c=4.0)
    agree(f, 1.0, b=5)


def test_two_lambdas_in_a_line():
    first, second = lambda x: x + 1, lambda x: x * 7
    agree(first, 2.0)
    agree(second, 2.0)


def test_one_function_for_one_type():
    def f(n):
        def g(a):
            return a * 2

        return g(n) + g(n + 1) + g(0.5) + g(1.5)

    names = [function.name for function in traced(f, 3).program.functions]
    assert len(names) == 3  # f, g of an int, g of a float


def test_static_function_arguments():
    def apply(g, x):
        return g(x, x)

    agree(lambda x: apply(np.add, x) + apply(lambda a, b: a * b, x), 3.0)
    agree(apply, np.multiply, 3.0)


def test_ints_overflow():
    with pytest.raises(RaisedError) as caught:
        interpreted(factorial, 25)
    assert caught.value.kind == "OverflowError"
    assert caught.value.span is not None


def doubled(f):
    @functools.wraps(f)
    def inner(x):
        return f(x) * (2.0 if f.__name__ == "squared" else 1.0)

    return inner


@doubled
def squared(x):
    return x * x


def test_names_of_functions_and_classes():
    def f(x):
        def plain(y):
            return y

        results = {g.__name__: g(x) for g in (squared, math.fabs, np.exp, plain, lambda y: y)}
        kind = type(Point(x)).__name__
        return results["squared"] + results["fabs"] + results["plain"], list(results), kind

    agree(f, 0.7)
