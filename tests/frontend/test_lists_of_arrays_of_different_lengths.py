"""Arrays of different lengths in lists of run-time length: parts, chunks, groups, levels."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from tests.frontend.harness import agree, slopes_of

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false


def beginnings(v, n):
    parts = []
    for i in range(n):
        parts.append(v[: i + 1] * 2.0)
    return np.sum(np.concatenate(parts) ** 2)


def rests(v, n):
    parts = []
    for i in range(n):
        parts.append(v[(i * 3) % 5 :])
    s = 0.0
    for j, p in enumerate(parts):
        s += (j + 1) * np.mean(p) + len(p)
    return s + parts[1][0] * parts[-1][-1]


def means(v, n):
    parts = [v[: i + 1] for i in range(n)]
    every = [np.mean(p) for p in parts]
    return sum(every) * sum(len(p) for p in parts) + np.max(parts[n - 1])


def chunks(v, n):
    found, start = [], 0
    while start < len(v):
        found.append(v[start : start + n])
        start += n
    return sum(np.sum(c) ** 2 / len(c) for c in found)


def runs(v, n):
    found, cut = [], 0
    for i in range(1, len(v)):
        if v[i] > 0.1 * n:
            if i - cut > 1:
                found.append(v[cut:i])
            cut = i
    return np.sum(max(found, key=len) ** 2) + len(found)


def pairs(v, n):
    out = []
    for k in range(1, n):
        out.append((k, v[:k], v[k:]))
    s = 0.0
    for k, p, q in out:
        s += k * np.sum(p) * np.sum(q * q)
    return s


def changed(v, n):
    parts = []
    for i in range(n):
        parts.append(v[: i + 1] * 2.0)
    parts.sort(key=len, reverse=True)
    parts[1] = v[2:4] * v[0]
    q = parts.pop()
    parts.insert(0, v[5:8])
    del parts[2]
    s = q[0]
    for w, p in zip(v, reversed(parts), strict=False):
        s += w * np.sum(p)
    for i, p in enumerate(parts[1:]):
        s += i * np.max(p)
    return s


class Box:
    def __init__(self):
        self.parts = []

    def add(self, p):
        self.parts.append(p)

    def total(self):
        return sum(np.sum(p**2) for p in self.parts)


def in_an_object(v, n):
    b = Box()
    for i in range(n):
        b.add(v[i : 2 * i + 1])
    return b.total() + b.parts[n - 1][0]


def collect(v, n):
    out = []
    for i in range(n):
        out.append(v[i * i % 5 :])
    return out


def of_a_function(v, n):
    parts = collect(v, n)
    more = collect(v * v, n)
    parts.extend(more)
    every = parts + more
    s = np.mean([np.mean(p) for p in parts])
    return s + np.sum(np.concatenate(every)) + sum(len(p) for p in every)


def begun(v, n):
    parts = [v[:2], v[3:4]]
    for i in range(n):
        parts.append(v[i : i * 2 + 1])
    return np.sum(parts[0] * 2) + np.sum(parts[-1] ** 2) + parts[2][0]


def blocks(v, n):
    matrix = v.reshape(-1, 2)
    found = []
    for i in range(n):
        found.append(matrix[i : 2 * i] * 2)
    whole = np.vstack(found)
    return np.sum(whole**2) + np.sum(found[2][0]) + found[0].shape[1] + found[1].shape[0]


def groups(v, n):
    matrix = v.reshape(-1, 2)
    labels = np.array([0, 1, 2, 0, 1, 2])
    s = 0.0
    for g in [matrix[labels % n == k] for k in range(n)]:
        if len(g) > 0:
            s += np.sum((g - g.mean(axis=0)) ** 2) * len(g)
    return s


def by_key(v, n):
    d = {}
    for i in range(n):
        d[i] = v[: i + 1]
    s = 0.0
    for k in d:
        s += np.sum(d[k]) * k
    return s


def written(v, n):
    parts = []
    for i in range(n):
        w = np.zeros(i + 1)
        w[0] = v[i]
        parts.append(w)
    for i in range(n):
        parts[i][-1] += v[0]
    return sum(np.sum(p**2) for p in parts)


def positions(v, n):
    parts, places = [], []
    for i in range(n):
        m = np.where(v > v[i])[0]
        places.append(m)
        parts.append((v[m], i))
    s = 0.0
    for p, (q, i) in zip(places, parts, strict=True):
        if len(p) > 0:
            s += np.sum(v[p]) * i + np.sum(q**2)
    return s


def searched(v, n):
    parts = [v[: i + 1] for i in range(n)]
    a = np.array([len(p) for p in parts])
    sums = list(map(np.sum, parts))
    longest = parts[int(np.argmax(a))]
    return np.sum(longest**2) + np.sum(a) + sum([p.shape[0] for p in parts]) + sums[1] * sum(sums)


def best(v, n):
    found, parts = None, []
    for i in range(n):
        p = v[i : i * 2 + 1]
        if found is None or np.sum(p) > np.sum(found):
            found = p
        parts.append(p)
    return len(parts) + (0.0 if found is None else np.sum(found**2))


def split(v, n):
    s = 0.0
    for p in np.array_split(v, n):
        s += np.mean(p) ** 2
    return s


def levels(v, n):
    layers, x = [v], v
    while len(x) > n:
        x = 0.5 * (x[:-1] + x[1:])
        layers.append(x)
    return sum(np.sum(y**2) for y in layers) + layers[-1][0]


def wavelets(v, n):
    coefficients, a = [], v[:8]
    while len(a) > 1:
        coefficients.append((a[0::2] - a[1::2]) / n)
        a = (a[0::2] + a[1::2]) / 2
    coefficients.append(a)
    return np.sum(np.abs(np.concatenate(coefficients[::-1]))) + np.sum(coefficients[0] ** 2)


def two_kinds(v, n):
    a, b = [], []
    for i in range(n):
        a.append(v[:i])
        b.append(v[i:])
    meet = a if n > 4 else b
    return sum(np.sum(p) for p in meet) * np.sum(a[-1]) + np.sum(b[0])


ALL = [
    beginnings, rests, means, chunks, runs, pairs, changed, in_an_object, of_a_function, begun,
    blocks, groups, by_key, written, positions, searched, best, split, levels, wavelets, two_kinds,
]  # fmt: skip

X = np.array([0.3, -0.8, 1.2, 0.7, -0.4, 0.9, 1.5, -1.1, 0.6, -0.2, 0.45, 1.05])


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", ALL)
def test_as_in_python(f) -> None:
    agree(f, X, 5)
    agree(f, X, 3)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("f", ALL)
def test_gradients(f) -> None:
    assert np.all(np.isfinite(slopes_of(lambda v: f(v, 4), X)))


def results(v, n):
    parts = []
    for i in range(n):
        parts.append((v[: i + 1], i * 1.5))
    return parts, [v[k:] for k in range(n)]


def test_lists_of_them_are_results() -> None:
    agree(results, X, 3)
    agree(results, X, 0)
    found = rg.jit(results)(X, 3)
    assert [len(p) for p, _ in found[0]] == [1, 2, 3]
    assert np.array_equal(found[1][2], X[2:])


def as_rows(v, n):
    return np.array([v[k : 2 * k + 1] for k in range(n)])


def of_nothing(v, n):
    return np.concatenate([v[:k] for k in range(n - 3)])


def outside(v, n):
    return [v[:k] for k in range(n)][n + 1]


def test_what_python_raises() -> None:
    for f in (as_rows, of_nothing, outside):
        agree(f, X, 3)


def shared(v, n):
    buffer = np.zeros(n)
    parts = []
    for i in range(n):
        buffer[i] = v[i]
        parts.append(buffer[: i + 1])
    return sum(np.sum(p) for p in parts)


def copied(v, n):
    buffer = np.zeros(n)
    parts = []
    for i in range(n):
        buffer[i] = v[i]
        parts.append(buffer[: i + 1].copy())
    return sum(np.sum(p) for p in parts)


def test_a_part_of_an_array_that_changes_later() -> None:
    with pytest.raises(rg.UserError, match="RG0106"):
        rg.grad(shared)(X, 4)
    agree(copied, X, 4)
    slopes_of(lambda v: copied(v, 4), X)


def test_second_derivatives() -> None:
    h = rg.hessian(lambda v: chunks(v, 5))(X)
    sizes = np.array([5] * 10 + [2] * 2)
    same = np.arange(12)[:, None] // 5 == np.arange(12)[None] // 5
    np.testing.assert_allclose(h, 2.0 * same / sizes, atol=1e-12)
