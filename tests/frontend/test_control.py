"""Branches, loops and the ways out of them."""

import numpy as np
import pytest

from tests.frontend.harness import agree


def joined_branch(x):
    if x > 2:
        y = x * 2
    elif x > 0:
        y = 1
    else:
        y = -x
    return y + 0.0


def only_on_one_path(x):
    if x > 0:
        y = x
    if x > -1:
        return y
    return 0.0


def early_returns(x):
    if x < 0:
        return -1.0
    y = x * 2
    if y > 10:
        return y
    y = y + 1
    if y > 8:
        return y * y
    return y


def return_in_nested_branch(x, flag):
    if flag:
        if x > 1:
            return 5.0
        x = x + 1
    return x * 3


def range_forms(a, b, c):
    total = 0
    for i in range(a, b, c):
        total = total * 3 + i
    return total


def range_down(n):
    total = 0
    for i in range(n - 1, -1, -1):
        total = total * 2 + i
    for i in range(n, 0, -3):
        total = total * 2 + i
    return total


def reversed_ranges(n):
    total = 0
    for i in reversed(range(n)):
        total = total * 2 + i
    for i in reversed(range(3, n, 2)):
        total = total * 2 + i
    return total


def last_value(n):
    for i in range(n):
        pass
    return i


def first_negative(x):
    for i in range(len(x)):
        if x[i] < 0:
            return i
    return -1


def first_negative_value(x):
    for v in x:
        if v < 0:
            return v
    return None


def breaks(n):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        if i > 10:
            break
        for j in range(i, 0, -2):
            if j == 3:
                break
            total += i * j
        else:
            total += 100
    else:
        total = -total
    return total, i


def while_forms(x, tol):
    k = 0
    while abs(x * x - 2) > tol:
        x = 0.5 * (x + 2 / x)
        k += 1
        if k > 100:
            break
    else:
        k = -k
    return x, k


def while_true(n):
    k = 0
    while True:
        k += 1
        if k * k > n:
            return k


def while_return_or_break(x):
    i = 0
    while i < len(x):
        if x[i] == 3.0:
            return -1.0
        if x[i] > 5.0:
            break
        i += 1
    return i * 1.0


def while_walrus(n):
    total = 0
    while (n := n - 1) > 0:
        total += n
    return total


def while_walrus_else(n, stop):
    total, k = 0, -1
    while (k := k + 1) < n:
        total += k
        if k == stop:
            break
    else:
        total *= 100
    return total


def while_walrus_else_unbound(n, stop):
    while (n := n - 1) > 0:
        if n == stop:
            return -n
    else:
        last = n
    return last


def nested_return(a):
    for row in a:
        for v in row:
            if v > 3:
                return v
    return 0.0


def loop_of_tuple(x):
    total = 0.0
    for w in (1.0, x, 3):
        if w > 2.5:
            continue
        total += w
    return total


def unrolled_with_break(x):
    n = 0
    for w in (0.5, 1.5, 2.5):
        if x < w:
            break
        n += 1
    else:
        n = 10
    return n


def unrolled_with_return(x):
    for k, w in enumerate((0.5, 1.5, 2.5)):
        if x < w:
            return k
    return 9


def conditional(x):
    return x if x > 0 else (1 if x < -1 else 0)


def conditional_side(x, i):
    return x[i] if i < len(x) else -1.0


def short_circuit(x, i):
    if i < len(x) and x[i] > 0:
        return 1
    if i >= len(x) or x[i] < -1:
        return 2
    return 3


def value_of_and_or(a, b):
    return (a and b), (a or b), ((a and b) or 7)


def chained(a, b, c):
    return a < b < c, a < b <= c < 10, a == b != c


def integer_becomes_float(x):
    s = 0
    n = 0
    for v in x:
        s += v
        n += 1
    return s / n


def unbound_at_first(x):
    for i in range(len(x)):
        if i > 0:
            x[i] = previous + x[i]  # noqa: F821
        previous = x[i]  # noqa: F841
    return x[-1]


def asserts(x):
    assert x > 0, "x must be positive"
    return x


def raises(x):
    if x < 0:
        raise ValueError(f"negative: {x}")
    if x == 0:
        raise ZeroDivisionError
    return 1 / x


def raises_after_write(x):
    x[0] = 1.0
    if x[1] < 0:
        x[1] = 0.0
        raise ValueError("no")
    return x[1]


def enumerate_and_zip(x, y):
    total = 0.0
    for i, (a, b) in enumerate(zip(x, y), 1):  # noqa: B905
        total += i * a * b
    for i, v in enumerate(range(2, 9, 3)):
        total += i * v
    return total


def deep(n):
    count = 0
    for i in range(n):
        for j in range(i):
            for k in range(j):
                if (i + j + k) % 2 == 0:
                    count += 1
                elif k == 2:
                    break
            if count > 30:
                return count
    return -count


def trips_are_fixed(n):
    total = 0
    for i in range(n):
        n = n + 5
        total += n + i
    return total, n


def index_changed(n):
    total = 0
    for i in range(n):
        i = i * 2
        total += i
    return total, i


def delete(x):
    y = x
    if x > 0:
        del y
        y = 2.0
    return y


def continue_in_while(n):
    i = total = 0
    while i < n:
        i += 1
        if i % 2:
            continue
        total += i
    return total


def pass_through(x):
    if x > 1:
        pass
    else:
        x = 1.0
    return x


def branch_in_loop_exit(x, limit):
    best = -1.0
    for v in x:
        if v > limit:
            best = v
            break
        if v < -limit:
            best = 0.0
            continue
        best = max(best, v)
    return best


A = np.array
CASES = [
    (joined_branch, 3.0), (joined_branch, 1.0), (joined_branch, -1.0),
    (only_on_one_path, 1.0), (only_on_one_path, -0.5), (only_on_one_path, -2.0),
    *((early_returns, x) for x in (-1.0, 6.0, 4.0, 1.0)),
    (return_in_nested_branch, 2.0, True), (return_in_nested_branch, 0.0, True),
    (return_in_nested_branch, 2.0, False),
    *((range_forms, *r)
       for r in ((0, 5, 1), (5, 0, -2), (0, 7, 3), (3, 3, 1), (9, 2, 4), (0, 5, 0))),
    (range_down, 6), (range_down, 0), (reversed_ranges, 8), (reversed_ranges, 0),
    (last_value, 4), (last_value, 0),
    (first_negative, A([1.0, -2.0])), (first_negative, A([1.0])), (first_negative, A([])),
    *((breaks, n) for n in (20, 3, 1, 0, 8)),
    (while_forms, 1.0, 1e-9), (while_forms, 1.0, 9.0), (while_true, 50),
    (while_return_or_break, A([1.0, 2.0])), (while_return_or_break, A([1.0, 3.0])),
    (while_return_or_break, A([1.0, 7.0, 3.0])),
    (while_walrus, 5), (while_walrus, 0),
    *((while_walrus_else, *r) for r in ((4, 2), (4, 9), (0, 0))),
    *((while_walrus_else_unbound, *r) for r in ((4, 2), (4, 9), (0, 0))),
    (nested_return, A([[1.0, 2], [3, 4]])), (nested_return, A([[1.0, 2]])),
    (loop_of_tuple, 1.5), (loop_of_tuple, 4.0),
    *((unrolled_with_break, x) for x in (0.0, 1.0, 9.0)),
    *((unrolled_with_return, x) for x in (0.0, 1.0, 9.0)),
    (conditional, 2.0), (conditional_side, A([1.0]), 0), (conditional_side, A([1.0]), 3),
    *((short_circuit, A([1.0, -1, -2]), i) for i in range(4)),
    (value_of_and_or, 2, 0), (value_of_and_or, 0, 3), (value_of_and_or, 0.0, 3.0),
    (value_of_and_or, True, False), (chained, 1, 2, 3), (chained, 2, 2, 3), (chained, 3, 1, 2),
    (integer_becomes_float, A([1.0, 2.0])), (unbound_at_first, A([1.0, 2, 3])),
    (asserts, 1.0), (asserts, -1.0), (raises, 2.0), (raises, -2.0), (raises, 0.0),
    (raises_after_write, A([0.0, 1.0])), (raises_after_write, A([0.0, -1.0])),
    (enumerate_and_zip, A([1.0, 2, 3]), A([4.0, 5])),
    (deep, 6), (deep, 3), (trips_are_fixed, 3), (index_changed, 3), (delete, 1.0), (delete, -1.0),
    (continue_in_while, 9), (pass_through, 0.0), (pass_through, 2.0),
    (branch_in_loop_exit, A([1.0, -9, 2, 8, 3]), 5.0), (branch_in_loop_exit, A([1.0, 2]), 5.0),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), [(f, args) for f, *args in CASES])
def test_same_as_python(f, args):
    agree(f, *args)
