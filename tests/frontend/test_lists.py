"""Lists that programs make: growth, aliases, rows, slices, and what is refused."""

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import Limitation, UserError
from retrograd.report.stages import stage_text
from tests.frontend.harness import agree, traced


def appended(n, x):
    out = []
    for i in range(n):
        out.append(x * i)
    total = 0.0
    for v in out:
        total += v * v
    return total + out[-1] + len(out)


def two_names(n, x):
    a = [x, 2 * x]
    b = a
    b.append(n * x)
    return a[0] * a[2] + len(a)


def table(n, x):
    dp = [0.0] * (n + 1)
    dp[0] = x
    for i in range(1, n + 1):
        dp[i] = dp[i - 1] * 0.5 + np.sin(dp[i - 1])
    return dp[n]


def rows_of_numbers(n, x):
    dp = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            dp[i][j] = x * i + (dp[i - 1][j] if i > 0 else 1.0) * (dp[i][j - 1] if j > 0 else x)
    return dp[n - 1][n - 1] + sum(dp[1])


def rows_of_arrays(n, x):
    xs = [np.array([x, 2 * x])]
    for i in range(n):
        xs.append(xs[-1] * 0.9 + i)
    xs[1] += x
    xs[2][0] = x * x
    return np.sum(np.array(xs)) + xs[1][0]


def comprehensions(n, x):
    even = [x**i for i in range(n) if i % 2 == 0]
    pairs = [a * b for a in even for b in range(n) if b > 1]
    return sum(even) + max([x * i for i in range(n)]) + sum(pairs) + len(pairs)


def taken_and_put(n, x):
    a = [x * i for i in range(n)]
    a[0] += 3.0
    a.insert(2, x)
    y = a.pop()
    z = a.pop(0)
    a.reverse()
    return y * z + a[0] * a[1] + sum(a[1:3]) + len(a + [x]) + sum(sorted(a))


def tuples(n, x):
    pts = []
    for i in range(n):
        pts.append((x * i, i))
    total = 0.0
    for p, k in pts:
        total += p * k
    return total


def _grow(items, v):
    items.append(v)
    items.append(2 * v)
    return len(items)


def grown_by_a_callee(n, x):
    items = []
    k = 0
    for i in range(n):
        k = _grow(items, x * i)
    return sum(items) + k


class Filter:
    def __init__(self, x):
        self.history = []
        self.x = x

    def step(self, v):
        self.x = 0.9 * self.x + v
        self.history.append(self.x)


def attributes(n, x):
    f = Filter(x)
    for i in range(n):
        f.step(x * i)
    return sum(h * h for h in f.history)


def stack(n, x):
    waiting = [x]
    total = 0.0
    while waiting:
        v = waiting.pop()
        total += v
        if v < n:
            waiting.append(v * 2)
            if v > 2.0:
                waiting.append(v * 3)
    return total


def chosen(n, x):
    a = [x, x * x] if n > 3 else [x, 1.0, 2.0]
    a[0] = 5.0 * x
    return a[0] * a[-1] + len(a)


def appended_in_a_branch(n, x):
    a = []
    if n > 3:
        a.append(x)
    a.append(x * x)
    return a[0] + len(a)


def changed_while_read(n, x):
    a = [1.0, x, 3.0]
    for i, v in enumerate(a):
        if i + 1 < len(a):
            a[i + 1] = v * a[i + 1]
    b = [x * i for i in range(n)]
    for i, v in enumerate(b):
        if i + 1 < len(b):
            b[i + 1] = v + b[i + 1]
    return a[2] + b[-1]


def a_row_by_name(n, x):
    rows = [[x * i + j for j in range(3)] for i in range(n)]
    row = rows[1]
    row[2] = 10.0 * x
    return rows[1][2] + sum(rows[2]) + len(rows) * len(rows[0])


def of_an_array(n, x):
    out = list(np.linspace(0.0, x, n))
    out[0] = 3.0
    large = [v for v in out if v > 0.5]
    return sum(large) + np.mean(out) + np.std(large)


def a_queue(n, x):
    buffer = [0.0] * 3
    for i in range(n):
        buffer.append(x * i)
        buffer.pop(0)
    return buffer[0] + 2 * buffer[1] + 3 * buffer[2]


def captured(n, x):
    out = [0.0] * n

    def put(i, v):
        out[i] = v

    for i in range(n):
        put(i, x * i)
    return sum(out)


class Body:
    def __init__(self, m, x):
        self.m = m
        self.x = x


def objects(n, x):
    bodies = []
    for i in range(3):
        bodies.append(Body(1.0 + i, x * i))
    for _ in range(n):
        for i in range(3):
            for j in range(3):
                if i != j:
                    bodies[i].x += 0.01 * bodies[j].m * (bodies[j].x - bodies[i].x)
    return sum(b.x * b.m for b in bodies)


def sorted_and_searched(n, x):
    a = [3.0, x, 2.0]
    a.sort()
    del a[0]
    a[0:1] = [5.0, x]
    a.extend([1.0])
    a.remove(5.0)
    first, *rest = a
    return first + len(rest) + (x in a) + a.count(1.0) + n


def zipped(n, x):
    total = 0.0
    for p, q in zip([x * w for w in range(n)], np.arange(n) * x, strict=False):
        total += p * q
    return total


def a_table_of_constants(n, x):
    return (1.0, 2.0, 3.0)[n - 5] * x


SMOOTH = [
    appended, two_names, table, rows_of_numbers, rows_of_arrays, comprehensions, taken_and_put,
    tuples, grown_by_a_callee, attributes, stack, chosen, appended_in_a_branch, changed_while_read,
    a_row_by_name, of_an_array, a_queue, captured, objects, sorted_and_searched, zipped,
    a_table_of_constants,
]  # fmt: skip


@pytest.mark.thinned(4)
@pytest.mark.parametrize("f", SMOOTH, ids=lambda f: f.__name__)
def test_like_python_with_derivatives(f):
    agree(f, 6, 1.3)
    assert rg.jit(f)(6, 1.3) == pytest.approx(f(6, 1.3), rel=1e-14)
    slope = rg.grad(f, 1)(6, 1.3)
    assert slope == rg.grad(f, 1, memory="100kB")(6, 1.3)
    assert slope == pytest.approx(rg.jvp(lambda x: f(6, x), (1.3,), (1.0,))[1], rel=1e-10)
    near = (f(6, 1.3 + 1e-6) - f(6, 1.3 - 1e-6)) / 2e-6
    assert slope == pytest.approx(near, rel=1e-5)


def test_second_derivatives():
    for f in (appended, rows_of_numbers, taken_and_put):
        inner = rg.grad(rg.grad(f, 1), 1)(6, 1.3)
        ends = [rg.grad(f, 1)(6, 1.3 + d) for d in (1e-5, -1e-5)]
        assert inner == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-5)


def results(n, x):
    rows = [[x] * 2 for _ in range(n)]
    return [x * v for v in range(n)], [x, (x, 1)], rows, [(v, x) for v in range(n)], []


def test_results_are_lists():
    agree(results, 3, 1.5)
    assert rg.jit(results)(3, 1.5) == results(3, 1.5)
    assert [type(part) for part in rg.jit(results)(3, 1.5)] == [list] * 5
    arrays = rg.jit(lambda n, x: [x * np.ones(2) for _ in range(n)])(3, 1.5)
    assert [type(a) for a in arrays] == [np.ndarray] * 3


def outside(n, x):
    return [1.0, x][n]


def from_empty(n, x):
    a = [x]
    if n > 3:
        a.pop()
    return a.pop()


def assigned_outside(n, x):
    a = [x] * 2
    a[n] = x
    return a[0]


@pytest.mark.parametrize("f", [outside, from_empty, assigned_outside])
def test_what_raises(f):
    agree(f, 5, 1.0)
    with pytest.raises(IndexError) as caught:
        rg.grad(f, 1)(5, 1.0)
    assert "test_lists.py" in caught.value.__notes__[0]


def test_items_of_different_shapes():
    def f(n, x):
        a = []
        for i in range(n):
            row = [x]
            while len(row) < i:
                row.append(x)
            a.append(row[: len(row)])
        return len(a)

    agree(f, 3, 1.0)


def written_afterwards(n, x):
    p = np.array([x, 1.0])
    a = []
    for _ in range(n):
        a.append(p)
        p[0] += 1.0
    return a[0][0]


def grows_while_read(n, x):
    a = [x]
    for k, v in enumerate(a):
        if len(a) < n:
            a.append(v + k)
    return sum(a)


def one_row_many_times(n, x):
    a = [[0.0] * n] * n
    a[0][0] = x
    return a[1][0]


def perhaps_another_name(n, x):
    a = [1, 2, x]
    b = a if n > 2 else [x]
    b[0] = 7.0
    return a[0]


def replaced_row(n, x):
    rows = [[x, 2.0] for _ in range(n)]
    row = rows[0]
    rows[0] = [1.0, 2.0]
    return row[0]


def put_into_two(n, x):
    row = [x] * n
    rows = [[0.0] * n for _ in range(n)]
    rows[0] = row
    row[0] = 5.0
    return rows[0][0]


@pytest.mark.parametrize(
    ("f", "code", "text"),
    [
        (written_afterwards, "RG0106", "x.copy()"),
        (grows_while_read, "RG0101", "loop over a copy"),
    ],
)
def test_what_is_refused(f, code, text):
    with pytest.raises(UserError, match=code) as caught:
        traced(f, 5, 1.0)
    assert text in str(caught.value)
    assert caught.value.span is not None


@pytest.mark.parametrize(
    "f", [one_row_many_times, perhaps_another_name, replaced_row, put_into_two]
)
def test_one_list_under_several_names(f):
    agree(f, 5, 1.0)


def test_the_gradient_by_a_list_from_outside():
    assert rg.grad(lambda items: items[0] * sum(list(items)))([1.0, 2.0]) == [4.0, 1.0]


def test_a_run_time_list_is_no_result_of_a_derivative():
    with pytest.raises(Limitation, match=r"np\.array\(l\)"):
        rg.jvp(lambda x: [x for _ in range(int(x))], (20.0,), (1.0,))


def test_appending_costs_what_it_writes():
    """The tape has some words for each item, however many there are."""

    def f(n, x):
        a = [x]
        for _ in range(n):
            a.append(a[-1] * 0.99 + x)
        return a[-1]

    slope = rg.grad(f, 1)
    sizes = []
    for n in (1000, 10_000):
        slope(n, 1.0)
        sizes.append(slope.stats().tape_bytes)
    assert sizes[1] < 20 * sizes[0]
    assert sizes[1] < 64 * 10_000


def test_the_reverse_of_an_append_takes_constant_time():
    """No iteration of the reverse sweep goes through the whole buffer, but where it was copied."""
    text = stage_text(appended, (5, 1.0), "vjp")
    reverse = text[text.index("_rev") :]
    assert "slice(" in reverse
    assert "accumulate(" not in reverse
