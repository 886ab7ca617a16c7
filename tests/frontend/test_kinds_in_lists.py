"""Lists of run-time length with None in them, or items of several kinds; rows that get wider."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from tests.frontend.harness import agree


def shortest(x, n):
    """Paths with a predecessor for each place, None at the start."""
    dist, prev = [float("inf")] * n, [None] * n
    dist[0] = 0.0
    for _ in range(n):
        for u in range(n):
            for v in range(n):
                if u != v and dist[u] + x * abs(u - v - 0.5) < dist[v]:
                    dist[v] = dist[u] + x * abs(u - v - 0.5)
                    prev[v] = u
    k, passed = n - 1, 0
    while k is not None:
        passed += k
        k = prev[k]
    return dist[n - 1] + passed * x


def remembered(x, n):
    """A table of what has been calculated, filled by a recursion."""
    memo = [[None] * (n + 1) for _ in range(n + 1)]

    def ways(i, j):
        if i == 0 or j == 0:
            return x
        if memo[i][j] is None:
            memo[i][j] = 0.5 * ways(i - 1, j) + 0.25 * ways(i, j - 1)
        return memo[i][j]

    return ways(n, n) + sum(1 for row in memo for v in row if v is None)


def asked(x, n):
    """Searches, slices, copies and growth of a list with None in it."""
    items = [None] * n
    same = items
    same[2] = x
    items[1] = 2
    part = items[:]
    part[2] = None
    part.append(x * x)
    part.insert(0, None)
    kept = [v for v in part if v is not None]
    s = sum(1 for v in part if v is None) + items.count(None) + items.index(None) + (x in items)
    s += (None in kept) + kept[0] + len(kept)
    return s * x + (items[2] or 0.0) + (part[-1] if part[-1] is not None else 1.0)


def parts(x, n):
    """None, numbers and texts in tuples, which are sorted."""
    events = []
    for i in range(n):
        events.append((x * i, "a" if i % 2 else None, None if i == 2 else i))
    events.sort(key=lambda e: -e[0])
    s = 0.0
    for t, kind, j in events:
        if kind is not None and j is not None:
            s += t * j
        elif j is None:
            s += 2 * t
    return s


def several(x, n):
    """Arrays, lists, numbers, texts and None."""
    out, words = [None] * n, []
    for i in range(n):
        words.append(x * i if i % 2 else "+")
        if i % 4 == 0:
            out[i] = np.array([x, i])
        elif i % 4 == 1:
            out[i] = x * i
    first = out[0]
    s = first[0] if first is not None else 0.0
    for v in out:
        if v is None:
            s += 0.25
        elif isinstance(v, float):
            s += v
        else:
            s += v[0] * v[1]
    return s + sum(1.0 if isinstance(w, str) else w * x for w in words)


def pairs(x, n):
    rows = [None] * n
    for i in range(n):
        if i != 2:
            rows[i] = [x * i, i]
    return sum(row[0] * row[1] for row in rows if row is not None)


def all_there(x, n):
    out = [None] * n
    for i in range(n):
        out[i] = x**i
    return np.sum(np.array(out)) + max(out)


def wider(x, n):
    """Rows of ints that are given floats, under several names and at three depths."""
    table = [[0] * n for _ in range(n)]
    row, cube = table[1], [[[0] * n for _ in range(n)] for _ in range(n)]
    row[2] = x
    for i in range(n):
        for j in range(n):
            table[i][j] = x * i - j
            cube[i][j][j] = x * j
    row[0] += 5.0
    plane = cube[1]
    plane[2][2] += 1.0
    for one in table:
        one[1] = 3 * x
    return sum(sum(one) for one in table) + row[2] + cube[1][2][2] * 3


def tuples(x, n):
    """A table of tuples, as of scores with where they come from."""
    best = [[(0.0, 0)] * (n + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            a, b = best[i - 1][j][0] + x * i, best[i][j - 1][0] + x * j * 1.1
            best[i][j] = (a, 1) if a < b else (b, 2)
    row = best[1]
    row[0] = (x, 7)
    return best[n][n][0] + sum(a * k for row in best for a, k in row)


def in_place(x, n):
    """What changes all items of a row is seen in the list around it."""
    rows = [[x * ((i * 7 + j * 3) % 5) for j in range(n)] for i in range(n)]
    rows[0].sort()
    rows[1].reverse()
    rows[2][:] = [x] * n
    for row in rows:
        row.sort(reverse=True)
    return sum(sum((k + 1) * v for k, v in enumerate(row)) * i for i, row in enumerate(rows))


PROGRAMS = (
    shortest, remembered, asked, parts, several, pairs, all_there, wider, tuples, in_place,
)  # fmt: skip


@pytest.mark.thinned(4)
@pytest.mark.parametrize("f", PROGRAMS)
def test_items_of_several_kinds_are_what_they_are_in_python(f):
    for n in (4, 5):
        agree(f, 0.7, n)
    ours, within = rg.grad(f)(0.7, 5), rg.grad(f, memory="200kB")(0.7, 5)
    assert abs(ours - (f(0.7 + 1e-6, 5) - f(0.7 - 1e-6, 5)) / 2e-6) < 1e-7 * max(1.0, abs(ours))
    assert ours == within
    assert abs(rg.jvp(f, (0.7, 5), (1.0, None))[1] - ours) < 1e-12 * max(1.0, abs(ours))


def missing(x, n):
    out = [None] * n
    out[0] = x
    return np.sum(np.array(out))


def used(x, n):
    out = [None] * n
    return out[1] + x


def results(x, n):
    flat, rows, words = [None] * n, [[None] * 2 for _ in range(n)], [None] * n
    flat[1], rows[1][0] = x, x
    for i in range(n):
        if i % 2:
            words[i] = "a" if i > 2 else np.array([x, 1.0])
    texts, scores = [["a", "b"] for _ in range(n)], [[(x, i)] * 2 for i in range(n)]
    texts[1][0] = "c"
    return flat, rows, words, texts, scores


def test_none_is_a_result_and_an_error_where_a_number_is_needed():
    for f in (missing, used):
        with pytest.raises(TypeError):
            rg.jit(f)(0.7, 3)
    flat, rows, words, texts, scores = rg.jit(results)(0.5, 4)
    assert texts == [["a", "b"], ["c", "b"], ["a", "b"], ["a", "b"]]
    assert scores == [[(0.5, i)] * 2 for i in range(4)]
    assert flat == [None, 0.5, None, None]
    assert rows == [[None, None], [0.5, None], [None, None], [None, None]]
    assert words[0] is None
    assert words[1].tolist() == [0.5, 1.0]
    assert words[3] == "a"
