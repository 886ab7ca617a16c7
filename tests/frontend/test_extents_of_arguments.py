"""Where the lengths of arrays decide what a program is, it is compiled for these lengths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError

X = np.array([0.3, 1.2, -0.5, 0.8])


def star(q: Any) -> Any:
    w, *v = q
    return w * v[0] + v[-1] ** 2 + len(v)


def both_ends(q: Any) -> Any:
    a, *_, b = q
    return a * b


def zipped(q: Any) -> Any:
    s = 0.0
    for k, x in zip((1.0, "double", 3.0), q, strict=False):
        s = s + (x if k == "double" else k * x * x)
    return s


def spread(q: Any) -> Any:
    def f(a: Any, b: Any = 2.0, *c: Any) -> Any:
        return a * b + sum(c)

    return f(*q) + f(*q[:2]) + f(*q[1:2])


def horner(q: Any) -> Any:
    f = 0.0
    for c in q:
        f = f * q[:2] + c
    return np.sum(f)


def in_a_loop(q: Any) -> Any:
    fs = [np.sin, np.cos, np.exp, np.tanh]
    for _ in range(3):
        q = q / np.sqrt(np.sum(q * q))
        q = np.array([f(v) for f, v in zip(fs, q, strict=False)])
    a, *b = q
    return a + sum(b) ** 2


def written_meanwhile(x: Any) -> Any:
    out = []
    for v, f in zip(x, [np.sin, np.cos, np.exp, np.sin], strict=False):
        x[-1] = x[-1] + v
        out.append(f(v))
    return sum(out)


def displayed(q: Any) -> Any:
    several = [1.0, *q, 2.0]
    t = (*q, 3.0)
    return several[1] * t[0] + several[-1] * t[-1] * sum(t) + len(several)


def after_a_branch(q: Any) -> Any:
    y = q * 2.0 if q[0] > 0.0 else np.zeros(q.shape)
    k = 0
    while k < 2:
        y = y + q
        k += 1
    a, *b = y
    return a * sum(b)


def changed_in_a_loop(q: Any) -> Any:
    y = q
    for _ in range(2):
        y = np.concatenate((y, y))
    a, *b = q
    return a * b[0] * len(y) * y[-1]


def by_a_callee(q: Any) -> Any:
    def twice(x: Any) -> Any:
        x[0] = 2.0 * x[0]
        return x + 1.0

    y = q.copy()
    a, *b = twice(y)
    c, *d = y
    return a * sum(b) + c * sum(d)


ALL = [star, both_ends, zipped, spread, horner, in_a_loop, written_meanwhile, displayed,
       after_a_branch, changed_in_a_loop, by_a_callee]  # fmt: skip


@pytest.mark.thinned(2)
@pytest.mark.parametrize("f", ALL)
def test_value_gradient_and_what_is_written_are_those_of_python(f: Any) -> None:
    compiled = rg.jit(f)
    for x in (X, X[:3], X):
        ours, theirs = x.copy(), x.copy()
        assert compiled(ours) == pytest.approx(f(theirs), rel=1e-14)
        np.testing.assert_array_equal(ours, theirs)
    assert rg.check_grads(f, (X,), 1).ok


def test_programs_for_other_lengths_are_others() -> None:
    compiled = rg.jit(star)
    values = [compiled(np.arange(1.0, n + 1)) for n in (2, 3, 4, 2)]
    assert values == [star(np.arange(1.0, n + 1)) for n in (2, 3, 4, 2)]
    assert len(compiled.made) == 3


def test_a_budget_of_bytes_gives_the_same_bits() -> None:
    within = rg.grad(in_a_loop, memory="10kB")(X)
    np.testing.assert_array_equal(within, rg.grad(in_a_loop)(X))


def test_products_are_for_lengths_too() -> None:
    y, pull = rg.vjp(star, X)
    assert y == star(X)
    np.testing.assert_array_equal(pull(1.0)[0], rg.grad(star)(X))
    np.testing.assert_array_equal(rg.jvp(star, (X,), (X,))[1], np.dot(rg.grad(star)(X), X))


def test_output_is_there_once(capsys: pytest.CaptureFixture[str]) -> None:
    def f(q: Any) -> Any:
        a, *b = q
        print("items", len(b))
        return a * sum(b)

    rg.grad(f)(X)
    rg.jvp(f, (X,), (X,))
    assert capsys.readouterr().out == "items 3\nitems 3\n"


def test_lengths_of_large_arrays_do_not_count() -> None:
    with pytest.raises(UserError, match="unpacked with"):
        rg.jit(star)(np.ones(65))


def test_too_few_numbers_are_refused_where_python_raises() -> None:
    for f in (star, both_ends):
        with pytest.raises(UserError, match="too few items") as caught:
            rg.jit(f)(np.ones(0))
        assert caught.value.python is ValueError


def table(x: Any) -> Any:
    rows = [[], [0.25], [0.5, 0.75]]
    total, n = 0.0, 0
    while total < x:
        stages = []
        for i in range(3):
            y = x
            for j in range(i):
                y = y + rows[i][j] * stages[j]
            stages.append(y)
        total += stages[-1] * sum(b * k for b, k in zip((0.5, 0.25, 0.25), stages, strict=False))
        n += 1
    return total * n


def test_rows_of_different_lengths_are_indexed_in_loops_of_a_few_iterations() -> None:
    assert rg.jit(table)(1.3) == pytest.approx(table(1.3), rel=1e-15)
    assert rg.check_grads(table, (1.3,), 1).ok


def test_rows_of_different_lengths_at_an_index_of_the_run() -> None:
    def f(x: Any, n: int) -> Any:
        rows = [[x], [x, 2.0 * x]]
        rows.append([x, 3.0 * x, x * x])
        return rows[n][-1] * len(rows[n])

    for n in range(3):
        assert rg.jit(f)(1.3, n) == f(1.3, n)
        assert rg.check_grads(f, (1.3, n), 1).ok


def test_a_list_of_literals_stays_one_after_it_was_indexed() -> None:
    def f(x: Any, n: int) -> Any:
        names = [1.0, 2.0, 3.0]
        s = names[n % 3] * x
        a, b, c = names
        names.append(x)
        names[n % 4] = x * x
        return s + a * b * c + sum(names) + names.pop(n % 4)

    for n in (0, 2, 3):
        assert rg.jit(f)(1.5, n) == f(1.5, n)
