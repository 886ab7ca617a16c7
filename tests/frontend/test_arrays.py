"""Indexing, views, writes and aliasing of arrays."""

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.report.stages import stage_text
from tests.frontend.harness import agree


def prefix_sums(x):
    for i in range(1, len(x)):
        x[i] = x[i - 1] + x[i]


def negative_indices(x, i):
    return x[-1] + 10 * x[i] + 100 * x[-len(x)]


def out_of_bounds(x, i):
    return x[i]


def writes_out_of_bounds(x, i):
    x[i] += 1.0
    return x


def two_dimensional(a):
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] = a[i][j] * 2 + i - j
            s += a[i, -1]
    return s


def view_of_row(a):
    row = a[1]
    row[0] = 7.0
    row[1:] += 1
    return a[1, 0] + a[-1, -1]


def view_of_view(x):
    y = x[1:]
    z = y[::2]
    z[0] = 5.0
    z[-1] *= 2
    y[0] += 1
    return z.copy(), y + 0.0


def slices(x):
    return x[1:3], x[:-1], x[::-1], x[5:2], x[-2:], x[:100], x[4:1:-1], x[::-2], x[-100:2]


def slices_by_numbers(x, a, b, c):
    return x[a:b:c]


def slice_assignment(x):
    x[1:] = x[:-1]
    x[:2] = 0.5
    x[-2:] = x[-2:][::-1]


def slice_of_two(a):
    a[0, :] = a[:, 1]
    a[:, ::-1] += a[1]
    return a[1:, :-1], a[..., 0], a[0, ...], a[:, None, 0], a[None, 1]


def broadcast_assignment(a, v):
    a[:] = v
    a[0] = 1
    return a


def augmented(x, y):
    z = x
    x += y
    x *= 2
    x -= 1
    x /= 3
    z[0] += 10
    return x, z


def rebinding_is_not_in_place(x):
    y = x
    x = x + 1.0
    x[0] = 0.0
    return y[0] + x[1]


def alias(x):
    y = x
    y[0] = 3.0
    return x[0]


def rows(a):
    s = 0.0
    for row in a:
        s += row[0] * row[1]
        row[1] = s
    return s


def rows_enumerated(a, b):
    for i, (u, v) in enumerate(zip(a, b)):  # noqa: B905
        u[:] = v * i
    return a


def swap_rows(a):
    a[0], a[1] = a[1].copy(), a[0].copy()
    t = a[0, 0]
    a[0, 0] = a[1, 1]
    a[1, 1] = t
    return a


def double_buffer(x, n):
    old = x.copy()
    new = np.zeros(len(x))
    for _ in range(n):
        for i in range(len(x)):
            new[i] = 0.5 * (old[i - 1] + old[(i + 1) % len(x)])
        old, new = new, old
    return old


def rebound_in_loop(a, x):
    for _ in range(3):
        x = a @ x
        x[0] += 1.0
    return x


def rebound_in_branch(x, c):
    if c > 0:
        y = x * 2
    else:
        y = np.zeros(2)
    y[0] = 9.0
    return y, x


def chosen_array_only_read(x, y, c):
    z = x if c > 0 else y
    return z[0] + np.sum(z)


def chosen_view(a, i, c):
    row = a[i] if c > 0 else a[i + 1]
    row[0] = 5.0
    return a


def fresh_alias_in_branch(c):
    if c > 0:
        x = np.zeros(2)
        y = x
    else:
        x = np.ones(2)
        y = x
    return x + y


def conditional_write(x, c):
    if c > 0:
        x[0] = c
    return x[0]


def write_in_while(x):
    i = 0
    while x[i] < 3.0:
        x[i] += 1.5
        if x[i] > 2.0:
            i += 1
        if i == len(x):
            break
    return x


def arrays_in_tuples(x):
    p = (x, x * 2)
    p[0][0] = 4.0
    q = p[1]
    q += 1
    return p


def three_dimensional(a):
    a[1, :, 0] = 2.0
    b = a[:, 0]
    b[0, 1] -= 1.0
    return a[1], a[:, 1, ::-1], a[-1, -1, -1]


def of_ints(k):
    k[0] = 2.7
    k[1] += 3
    s = 0
    for v in k:
        s += v
    return s, k * 2, k / 2, k // 2, k % 3, k + 0.5, -k


def of_bools(m):
    m[0] = False
    n = 0
    for v in m:
        if v:
            n += 1
    return n, ~m, m & True, m.sum(), m * 2


def index_from_array(x, k):
    s = 0.0
    for i in range(len(k)):
        s += x[k[i]] * x[-k[i]]
    return s


def empty_things(x):
    s = 0.0
    for v in x:
        s += v
    return s, x * 2, x[1:], np.sum(x)


def self_update(x):
    x[:] = x * x + x[::-1]
    x[0] = x[x.shape[0] - 1]
    return x.T


def temporaries_in_loop(x):
    total = 0.0
    for i in range(3):
        t = x * i
        t[0] = 1.0
        total += t.sum()
    return total, t


def accumulate_rows(a):
    total = np.zeros(a.shape[1])
    for row in a:
        total += row
    return total


def transposed_read(a):
    return a.T @ a, a.T[0, 1], a.reshape(4)[2], a.ravel()[1], a.reshape(-1, 1)[3, 0]


def unpack_array(x):
    a, b, c = x
    return a + 2 * b + 3 * c


def shape_unpacking(a):
    n, m = a.shape
    return n * 10 + m, a.size, a.ndim, len(a)


def index_with_tuple(a):
    p = (1, 0)
    return a[p], a[(0, 1)]


def element_evaluated_once(x):
    k = 0

    def next_index():
        nonlocal k
        k += 1
        return k - 1

    x[next_index()] += 10.0
    x[next_index()] += 20.0
    return x


def mutated_by_call(x):
    def bump(v):
        for i in range(len(v)):
            v[i] += 1.0

    bump(x)
    bump(x[::2])
    return x


def returns_array_from_nested_loop(p, x):
    n = 0
    while p and n < 3:
        n += 1
        for v in x:
            if v > 2:
                return np.zeros(2)
        if n >= n:
            continue
    return np.ones(2)


def written_then_rebound(x):
    v = np.cos(x)
    for i in range(3):
        for j in range(2):
            v[j] *= 0.5
            for _ in range(2):
                v = v * 0.25 + i
    return v


def rebound_on_one_path(x, c):
    v = np.cos(x)
    for i in range(3):
        v[0] *= 0.5
        if c > i:
            w = v * 2
        else:
            v = 0.5 * v
            w = v
        v[0] += np.sum(w)
    return v


def rebound_while_unrolled(x):
    total = 0.0
    a, b = x * 2, x * 3
    for v in (a, b, a):
        if v[0] > 2:
            a = a + 1
        total += v[0] + a[0]
    return total


def slices_of_new_axis(x):
    y = x[None]
    return y[0:1, 1:], y[:0], y[::-1, ::-1]


def order_of_evaluation(x):
    def change():
        x[0] = 100.0
        return 1.0

    return x + change(), x[0] + change()


A = np.array


def m():
    return np.arange(6.0).reshape(2, 3)


def sq():
    return np.array([[1.0, 2], [3, 5]])


def v5():
    return np.array([1.0, 2, 3, 4, 5])


CASES = [
    (prefix_sums, v5()), (negative_indices, v5(), -2), (negative_indices, v5(), 1),
    *((out_of_bounds, v5(), i) for i in (4, 5, -5, -6)),
    *((writes_out_of_bounds, v5(), i) for i in (4, 5, -5, -6)),
    (two_dimensional, m()), (view_of_row, m()), (view_of_view, v5()), (slices, v5()),
    *((slices_by_numbers, v5(), *s)
       for s in ((0, 4, 2), (-1, -4, -1), (4, 0, -2), (1, 9, 1), (1, 2, 0))),
    (slice_assignment, v5()), (slice_of_two, sq()), (broadcast_assignment, m(), 2),
    (broadcast_assignment, m(), A([1.0, 2, 3])), (broadcast_assignment, m(), A([1.0, 2])),
    (augmented, v5(), 2), (augmented, v5(), v5()), (augmented, v5(), A([2.0])),
    (augmented, A([2.0]), v5()),
    (rebinding_is_not_in_place, v5()), (alias, v5()), (rows, m()), (rows_enumerated, m(), m()),
    (swap_rows, sq()), (double_buffer, v5(), 3), (double_buffer, v5(), 0),
    (rebound_in_loop, sq(), A([1.0, 2])), (rebound_in_branch, A([1.0, 2]), 1),
    (rebound_in_branch, A([1.0, 2]), -1), (chosen_array_only_read, v5(), A([2.0]), 1),
    (chosen_array_only_read, v5(), A([2.0]), -1), (chosen_view, m(), 0, 1),
    (chosen_view, m(), 0, -1),
    (fresh_alias_in_branch, 1), (fresh_alias_in_branch, -1), (conditional_write, v5(), 2.0),
    (conditional_write, v5(), -2.0), (write_in_while, A([0.0, 1.0])), (arrays_in_tuples, v5()),
    (three_dimensional, np.arange(8.0).reshape(2, 2, 2)), (of_ints, A([1, 2, 7])),
    (of_bools, A([True, True, False])), (index_from_array, v5(), A([1, 2, 4])),
    (index_from_array, v5(), A([1, 7])), (empty_things, A([])), (self_update, v5()),
    (temporaries_in_loop, v5()), (accumulate_rows, m()), (transposed_read, sq()),
    (unpack_array, A([1.0, 2, 3])), (unpack_array, A([1.0, 2])), (shape_unpacking, m()),
    (index_with_tuple, sq()), (element_evaluated_once, v5()), (mutated_by_call, v5()),
    (order_of_evaluation, v5()), (returns_array_from_nested_loop, True, v5()),
    (returns_array_from_nested_loop, False, v5()), (returns_array_from_nested_loop, True, v5() / 9),
    (written_then_rebound, v5()), (rebound_on_one_path, v5(), 1), (rebound_on_one_path, v5(), 9),
    (rebound_while_unrolled, v5()), (slices_of_new_axis, v5()),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), [(f, args) for f, *args in CASES])
def test_same_as_python(f, args):
    agree(f, *args)


def test_slices_by_literals_are_those_of_python() -> None:
    """Every pair of small bounds, with and without a step, of arrays shorter and longer."""
    bounds = ["", "-7", "-4", "-3", "-1", "0", "1", "2", "3", "5"]
    slices = [f"{a}:{b}:{step}" for a in bounds for b in bounds for step in ("", "2")]
    text = "def f(x):\n    return (" + ", ".join(f"x[{s}].copy()" for s in slices) + ")\n"
    made: dict[str, Any] = {}
    exec(text, made)
    compiled = rg.jit(made["f"], source=text)
    for n in range(9):
        x = np.arange(float(n))
        for one, other in zip(compiled(x), made["f"](x), strict=True):
            np.testing.assert_array_equal(one, other)


def five_points(u):
    inner = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
    return np.sum(inner * inner)


def test_slices_of_one_length_need_no_checks() -> None:
    """Nor does the gradient sum over what broadcasting might have repeated."""
    text = stage_text(five_points, (np.ones((4, 5)),), "vjp")
    assert "add_slice" in text
    assert "check_extents" not in text
    assert "sum_like" not in text
    for shape in ((1, 1), (2, 3), (3, 3), (4, 6)):
        u = np.random.default_rng(3).normal(size=shape)
        assert rg.jit(five_points)(u) == pytest.approx(five_points(u), rel=1e-13)
