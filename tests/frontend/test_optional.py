"""Values that may be None: tests of them, what is certain after a test, and exceptions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree, interpreted

pytestmark = pytest.mark.thinned(2)

X = np.array([1.0, 0.3, 2.0, -0.5])


def lowest(x, c):
    best = None
    for i in range(len(x)):
        q = x[i] * x[i] - c * x[i]
        if best is None or q < best:
            best = q
    return best if best is not None else -c


def first(x, c):
    for v in x:
        if v > c:
            return v * c


def used(x, c):
    r = first(x, c)
    if r is None:
        return 0.5 * c
    return r * c


def row_of_most(x, c):
    best = None
    for i in range(3):
        y = x * (i - c)
        if best is None or np.sum(y) > np.sum(best):
            best = y
    return best[0] * best[1] + best.sum()


def steps(x, c):
    last, total = None, 0.0
    for v in x:
        if last is not None:
            total += (v - last) ** 2 * c
        last = v
    return total


def given(x, c, w=None):
    for i in range(3):
        w = x[0] * c if w is None else w * x[i]
    return w * 2.0


def with_place(x, c):
    best = None
    for i in range(len(x)):
        if x[i] > c:
            best = (x[i], i)
    if not best:
        return c
    v, k = best
    return v * k


class Peak:
    def __init__(self, x):
        self.x = x
        self.height = None

    def grow(self, v):
        if self.height is None or v > self.height:
            self.height = v


def highest(x, c):
    peak = None
    for i in range(len(x)):
        one = Peak(x[i])
        if peak is None or one.x > peak.x:
            peak = one
        if x[i] > c:
            peak.grow(x[i] * 3.0)
    return (peak.x if peak else c) + (peak.height or 0.25 if peak else 0.0)


def nested(x, c):
    def inner(v):
        return None if v < c else v * v

    total = 0.0
    for v in x:
        r = inner(v)
        total += r if r is not None and r > 0.5 else c * v
    return total


class Pair(NamedTuple):
    a: float
    b: float | None = None


def defaults(x, c):
    pair = Pair(x[0])
    if x[1] > c:
        pair = Pair(x[0], b=x[1])
    return pair.a if pair.b is None else pair.a * pair.b


def followed(x, c):
    node, total = 0, 0.0
    while node is not None:
        total += x[node] * c
        node = node + 1 if x[node] > c and node < 3 else None
    return total


def captured(x, c):
    best = None

    def see(v):
        nonlocal best
        if best is None or v > best:
            best = v

    for v in x:
        if v > c:
            see(v * v)
    return 0.0 if best is None else best * c


PROGRAMS = [
    defaults,
    followed,
    captured,
    lowest,
    used,
    row_of_most,
    steps,
    given,
    with_place,
    highest,
    nested,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_programs_with_none(f):
    compiled = rg.value_and_grad(f)
    limited = rg.value_and_grad(f, memory="16kB")
    for c in (0.5, 0.0, 4.0):
        agree(f, X, c)
        value, slope = compiled(X, c)
        assert value == pytest.approx(f(X, c))
        shifts = 1e-6 * np.eye(4)
        near = [(f(X + d, c) - f(X - d, c)) / 2e-6 for d in shifts]
        assert slope == pytest.approx(near, rel=1e-6, abs=1e-7)
        again = limited(X, c)
        assert again[0] == value
        assert np.array_equal(again[1], slope)


def test_loops_without_iterations():
    for f in (lowest, used, steps, with_place, highest, nested):
        agree(f, X[:0], 0.5)
        assert rg.jit(f)(X[:0], 0.5) == f(X[:0], 0.5)


def test_none_or_a_value_is_a_result():
    f = rg.jit(lambda x, c: (first(x, c), [None if c > 0.0 else x, c]))
    agree(first, X, 0.5)
    assert rg.jit(first)(X, 9.0) is None
    assert rg.jit(first)(X, 0.5) == 0.5
    assert f(X, 9.0) == (None, [None, 9.0])
    found, (array, _) = f(X, -1.0)
    assert found == -1.0
    assert np.array_equal(array, X)


def test_a_derivative_of_none_raises():
    assert np.array_equal(rg.grad(first)(X, 0.5), [0.5, 0.0, 0.0, 0.0])
    with pytest.raises(TypeError, match="returns None; None has no derivative"):
        rg.grad(first)(X, 9.0)


def test_the_derivative_of_a_value_counts_where_it_is_there():
    _, back = rg.vjp(lambda x: first(x, 0.5), X)
    assert np.array_equal(back(2.0)[0], [1.0, 0.0, 0.0, 0.0])
    assert rg.jvp(lambda x: first(x, 0.5), (X,), (np.ones(4),))[1] == 0.5


USES = [
    (lambda r: r + 1.0, "unsupported operand type(s) for +: 'NoneType' and 'float'"),
    (lambda r: 2 * r, "unsupported operand type(s) for *: 'int' and 'NoneType'"),
    (lambda r: r**2, "unsupported operand type(s) for ** or pow(): 'NoneType' and 'int'"),
    (lambda r: r + r, "unsupported operand type(s) for +: 'NoneType' and 'NoneType'"),
    (lambda r: -r, "bad operand type for unary -: 'NoneType'"),
    (lambda r: 1.0 if r > 0.5 else 2.0, "'>' not supported between instances of 'NoneType' and"),
    (lambda r: np.sum(np.array([r, 1.0])), None),
    (lambda r: np.sin(r), None),
    (lambda r: max(r, 0.5), None),
]


@pytest.mark.parametrize(("use", "text"), USES)
def test_the_use_of_none_raises_what_python_raises(use, text):
    def f(x, c):
        return use(first(x, c))

    agree(f, X, 0.5)
    compiled = rg.jit(f)
    assert compiled(X, 0.5) == pytest.approx(f(X, 0.5))
    with pytest.raises(TypeError) as caught:
        compiled(X, 9.0)
    assert not isinstance(caught.value, UserError)
    assert text is None or text in str(caught.value)
    assert "test_optional.py" in caught.value.__notes__[0]


def items(x, c):
    row = x if c < 1.0 else None
    one = Peak(x[0]) if c < 1.0 else None
    pair = (x[0], c) if c < 1.0 else None
    return row, one, pair


PARTS = [
    (lambda row, one, pair: row[0], TypeError, "'NoneType' object is not subscriptable"),
    (lambda row, one, pair: one.x, AttributeError, "'NoneType' object has no attribute 'x'"),
    (lambda row, one, pair: sum(pair), TypeError, "'NoneType' object is not iterable"),
    (lambda row, one, pair: len(row), TypeError, "object of type 'NoneType' has no len()"),
    (lambda row, one, pair: row.sum(), AttributeError, "no attribute 'sum'"),
]


@pytest.mark.parametrize(("use", "kind", "text"), PARTS)
def test_parts_of_none_raise_what_python_raises(use, kind, text):
    def f(x, c):
        return use(*items(x, c))

    agree(f, X, 0.5)
    agree(f, X, 2.0)
    with pytest.raises(kind) as caught:
        rg.jit(f)(X, 2.0)
    assert text in str(caught.value)


def test_a_use_makes_the_name_certain():
    def f(x, c):
        r = first(x, c)
        s = r + 1.0
        return s * r if r is not None else "never"  # known: a number

    agree(f, X, 0.5)


def test_comparisons_with_none():
    def f(x, c):
        r, q = first(x, c), first(x, 0.1)
        return (r == None, r != None, r == 0.5, r == q, r != q, isinstance(r, float))  # noqa: E711

    for c in (0.5, 9.0, 0.1):
        agree(f, X, c)


def test_writes_through_what_may_be_none():
    def f(x, c):
        y = x.copy()
        z = y if c > 0.0 else None
        if z is not None:
            z[0] = 5.0 * x[1]
            z[1:] += c
        return np.sum(y * y)

    for c in (0.5, -1.0):
        agree(f, X, c)
        near = [(f(X + d, c) - f(X - d, c)) / 2e-6 for d in 1e-6 * np.eye(4)]
        assert rg.grad(f)(X, c) == pytest.approx(near, rel=1e-6, abs=1e-7)


def test_one_of_two_arrays_or_none_is_followed():
    """After a write to one, the joined name is stale: as without None."""

    def f(x, c):
        y, w = x.copy(), 2.0 * x
        z = None
        if c > 0.0:
            z = y if c > 1.0 else w
        y[0] = 3.0
        return z[0] if z is not None else 0.0

    with pytest.raises(UserError, match="RG0106"):
        interpreted(f, X, 0.5)


def test_recursion_that_may_return_none():
    def find(x, lo, hi, c):
        if lo >= hi:
            return None
        mid = (lo + hi) // 2
        if x[mid] > c:
            return x[mid] * c
        left = find(x, lo, mid, c)
        return left if left is not None else find(x, mid + 1, hi, c)

    def f(x, c):
        r = find(x, 0, len(x), c)
        return -c if r is None else r

    for c in (0.5, 1.5, 9.0):
        agree(f, X, c)
        assert rg.jit(f)(X, c) == f(X, c)
    assert np.array_equal(rg.grad(f)(X, 1.5), [0.0, 0.0, 1.5, 0.0])


def bound(x, c):
    lo = None if c > 1.0 else 1
    return np.sum(x[lo:])


def position(x, c):
    k = None if c > 1.0 else 1
    return np.sum(x[k])


def axis(x, c):
    return np.sum(x, axis=None if c > 1.0 else 0)


def test_where_none_has_a_meaning_of_its_own() -> None:
    for c in (0.5, 1.5):
        agree(bound, X, c)
        assert rg.jit(bound)(X, c) == bound(X, c)
    assert rg.jit(position)(X, 0.5) == position(X, 0.5)
    for f, c, way_out in ((position, 1.5, "if k is None"), (axis, 0.5, "if axis is None")):
        with pytest.raises(UserError) as caught:
            rg.jit(f)(X, c)
        assert way_out in str(caught.value)


def some_root(v):
    if v[0] > 0.0:
        return np.sqrt(np.sum(v))


def pair_of_one(v):
    if v[0] > 0.0:
        return {"a": (np.sum(v * v), None)}
    return {"a": (None, v[0])}


OF_SCALARS = (
    rg.grad(some_root), rg.value_and_grad(some_root), rg.grad(some_root, memory="1MB"),
    rg.hessian(some_root), lambda v: rg.hvp(some_root, (v,), (v,)),
    rg.jit(lambda v: rg.grad(some_root)(v)),
)  # fmt: skip


def products(f):
    return (
        lambda v: rg.jvp(f, (v,), (v,)), lambda v: rg.vjp(f, v), rg.jacfwd(f), rg.jacrev(f),
        rg.jit(lambda v: rg.jvp(f, (v,), (v,))),
    )  # fmt: skip


def test_every_derivative_of_none_raises_at_its_place():
    here, gone = np.array([1.0, 3.0]), np.array([-1.0, 3.0])
    for way in (*OF_SCALARS, *products(some_root)):
        way(here)
        with pytest.raises(TypeError, match=r"some_root returns None; .*\n.* at .*test_optional"):
            way(gone)
    for way in products(pair_of_one):
        for v, which in ((here, 1), (gone, 0)):
            with pytest.raises(TypeError, match=rf"\['a'\]\[{which}\] of what pair_of_one returns"):
                way(v)


def test_arguments_that_are_none_have_none_for_a_derivative():
    def f(a, b, c):
        return a * a if b is None and c is None else a * b

    assert rg.grad(f, argnums=(0, 1, 2))(3.0, None, None) == (6.0, None, None)
    assert rg.grad(f, argnums=(1, 0), memory="1MB")(3.0, None, None) == (None, 6.0)
    assert rg.jacfwd(f, argnums=(0, 1))(3.0, 2.0, 1) == (2.0, 3.0)
    for argnums in (1, (1, 2)):
        with pytest.raises(rg.UserError, match="None|no number") as caught:
            rg.grad(f, argnums=argnums)(3.0, None, None)
        assert caught.value.code == "RG0302"
