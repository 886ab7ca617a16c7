"""Stacks of values that reversible functions leave behind: by Python, compiled, back, derived."""

from __future__ import annotations

import copy
import doctest
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from tests.inversion.programs import near

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false
# pyright: reportOptionalMemberAccess=false, reportUnusedFunction=false

X = np.array([1.0, 2.0, 6.0])


@rg.reversible
def mean(s, out, x):
    """The sum is left on the stack."""
    total = 0.0
    for value in x:
        total += value
    out += total / len(x)
    total = rg.push(s, total)
    return out


def squared_means(x, n):
    s, out = rg.stack(1000), 0.0
    for _ in range(n):
        out = mean(s, out, x)
    return out**2


def test_the_mean_by_push() -> None:
    for run, back in ((mean, rg.inverse(mean)), (rg.jit(mean), rg.jit(rg.inverse(mean)))):
        s = rg.stack(2)
        assert run(s, 0.5, X) == 3.5
        assert s.count == 1
        assert s.items.tolist() == [9.0, 0.0]
        assert back(s, 3.5, X) == 0.5
        assert s.count == 0
        assert s.items.tolist() == [0.0, 0.0]


def test_the_gradient_of_the_mean() -> None:
    s, s_bar = rg.stack(2), rg.stack(2)
    mean(s, 0.5, X)
    before, bars = rg.adjoint(mean)(s, 3.5, X, s_bar, 1.0, np.zeros(3))
    assert before[0].count == 0
    assert before[0].items.tolist() == [0.0, 0.0]
    assert before[1] == 0.5
    assert near(bars[1:], (1.0, np.full(3, 1 / 3)))
    gradient = rg.grad(squared_means)
    assert near(gradient(X, 4), np.full(3, 32.0))


def test_the_tape_does_not_grow_with_the_stack() -> None:
    gradient = rg.grad(squared_means)
    sizes: list[int] = []
    for n in (10, 1000):
        gradient(X, n)
        sizes.append(gradient.stats().tape_bytes)
    assert sizes[0] == sizes[1] < 1000 * 8 + 200  # the stack itself


@rg.reversible
def shrunk(s, x, w):
    """A step that forgets: what x was is left behind."""
    new = np.zeros(len(x))
    new += 0.5 * np.tanh(w * x)
    rg.push(s, x)
    x += new
    new -= x


def forgetting(w, x, n):
    """A loss of the end of such steps."""
    s, x = rg.stack(n, x), x.copy()
    for _ in range(n):
        shrunk(s, x, w)
    return np.sum(x * x) + s.items[n // 2, 0] * w


def plain_forgetting(w, x, n):
    kept = 0.0
    for k in range(n):
        kept = x[0] if k == n // 2 else kept
        x = 0.5 * np.tanh(w * x)
    return np.sum(x * x) + kept * w


@pytest.mark.parametrize(
    "mode",
    [
        rg.grad,
        lambda f: rg.grad(f, memory="20kB"),
        pytest.param(lambda f: rg.grad(rg.checkpoint(f)), marks=pytest.mark.slow),
        pytest.param(lambda f: rg.grad(rg.grad(f)), marks=pytest.mark.slow),
        pytest.param(lambda f: rg.jacfwd(rg.grad(f, argnums=1)), marks=pytest.mark.slow),
    ],
    ids=["grad", "memory", "checkpoint", "twice", "columns"],
)
def test_steps_that_forget(mode: Callable[..., Any]) -> None:
    found = mode(forgetting)(1.3, X, 5)
    assert near(found, mode(plain_forgetting)(1.3, X, 5), 1e-12)
    assert np.any(np.asarray(found) != 0.0)


@rg.reversible
def parities(s, x, n):
    """An int is halved: its lowest bits are left behind."""
    for _ in range(n):
        half = 0
        bit = 0
        half += x // 2
        bit += x % 2
        x -= half + bit
        half -= x
        bit = rg.push(s, bit)
    return x


@dataclass
class Model:
    """An object with a stack in it."""

    s: rg.Stack
    x: np.ndarray

    @rg.reversible
    def step(self, w):
        shrunk(self.s, self.x, w)


@rg.reversible
def elements(s, x, m, n):
    """Elements, slices and rows; what is on the stack is read."""
    for k in range(n):
        x[k] = rg.push(s, x[k])
        x[k] += s.items[s.count - 1] * m[0, k] + 1.0
        with rg.temporarily():
            x[k] = rg.push(s, x[k])
        m[1, k] += s.items[s.count - 1] + x[k]
    return x


@rg.reversible
def of_its_own(x, y, w, n):
    """A stack that is a local is empty at the end."""
    s = rg.stack(n)
    x = rg.push(s, x)
    x += np.sin(y)
    x = rg.push(s, x)
    w += s.items[0] * s.items[1]
    x = rg.pop(s, x)
    x -= np.sin(y)
    x = rg.pop(s, x)
    return x, w


@rg.reversible
def taken(s, x, y):
    """The other way: what is on the stack is taken, where there is something."""
    if rg.when(s.count > 0, x != 0.0):
        x = rg.pop(s, x)
    y += x * x
    return x, y


def loss_of_elements(x, m):
    s, x, m = rg.stack(9), x.copy(), m.copy()
    elements(s, x, m, 3)
    return np.sum(x**2) + np.sum(m**3)


def loss_of_its_own(x, y):
    x, w = of_its_own(x, y, 0.0, 2)
    return w * x


def loss_of_taken(x, y):
    s = rg.stack(2)
    x = rg.push(s, x)
    for _ in range(3):
        z = 0.0
        z, y = taken(s, z, y)
    return y**2 + x


def loss_of_a_model(w, x):
    m = Model(rg.stack(3, x), x.copy())
    for _ in range(3):
        m.step(w)
    return np.sum(m.x * m.s.items[1])


def plain_elements(x, m):
    loss = np.sum(m[0] ** 3) + np.sum(m[1, 3:] ** 3)
    for k in range(3):
        new = x[k] * m[0, k] + 1.0
        loss += new**2 + (m[1, k] + new) ** 3
    return loss


def plain_model(w, x):
    xs = [x]
    for _ in range(3):
        xs.append(0.5 * np.tanh(w * xs[-1]))
    return np.sum(xs[3] * xs[1])


M = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, 0.75]])
LOSSES = (
    (loss_of_elements, plain_elements, (X, M)),
    (loss_of_its_own, lambda x, y: x**2 * np.sin(y), (0.7, 1.2)),
    (loss_of_taken, lambda x, y: (y + x**2) ** 2, (0.7, 1.2)),
    (loss_of_a_model, plain_model, (1.3, X)),
)


@pytest.mark.parametrize(
    ("loss", "plain", "args"), LOSSES, ids=[loss.__name__ for loss, *_ in LOSSES]
)
def test_losses(loss: Callable[..., Any], plain: Any, args: tuple[Any, ...]) -> None:
    value, slopes = rg.value_and_grad(loss, argnums=(0, 1))(*args)
    assert near(value, loss(*args), 1e-14)
    assert near(value, plain(*args), 1e-12)
    assert near(slopes, rg.grad(plain, argnums=(0, 1))(*args), 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("loss", "args"), [(loss, args) for loss, _, args in LOSSES])
def test_all_derivatives(loss: Callable[..., Any], args: tuple[Any, ...]) -> None:
    rg.check_grads(loss, args)


CALLS = ((parities, (rg.stack(5, 0), 37, 5)), (elements, (rg.stack(9), X, M, 3)),
         (of_its_own, (0.7, 1.2, 0.1, 2)), (taken, (rg.stack(1), 0.0, 0.2)),
         (shrunk, (rg.stack(1, X), X, 0.4)))  # fmt: skip


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("f", "args"), CALLS, ids=lambda value: getattr(value, "__name__", ""))
def test_there_and_back(f: Any, args: tuple[Any, ...]) -> None:
    ends: list[Any] = []
    for run, back in ((f, f.inverse), (rg.jit(f), rg.jit(f.inverse))):
        given = list(copy.deepcopy(args))
        for one in (run, back):
            result = one(*given)
            found = (result,) if f.single else result
            for name, value in zip(f.returned or (), found or (), strict=True):
                given[f.parameters.index(name)] = value
            ends.append([_plain(value) for value in given])
        assert near(ends[-1], [_plain(value) for value in args])
    assert near(ends[0], ends[2], 1e-15)
    assert rg.check_inverse(f, *args).ok


def _plain(value: Any) -> Any:
    return [value.filled, value.items] if isinstance(value, rg.Stack) else value


def test_the_bits_of_an_int() -> None:
    s = rg.stack(6, 0)
    assert parities(s, 37, 6) == 0
    assert s.items.tolist() == [1, 0, 1, 0, 0, 1]
    assert rg.inverse(parities)(s, 0, 6) == 37
    assert s.items.tolist() == [0] * 6


KINDS = ((0.0, 2.5), (0, 3), (False, True), (np.zeros(2), np.array([1.0, np.nan])),
         (np.zeros((1, 2), int), np.array([[3, 4]])), (0.0, np.inf))  # fmt: skip


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("like", "value"), KINDS, ids=str)
def test_values_of_all_kinds(like: Any, value: Any, compiled: bool) -> None:
    s = rg.stack(2, like)
    push, pop = (rg.jit(rg.push), rg.jit(rg.pop)) if compiled else (rg.push, rg.pop)
    x = copy.deepcopy(value)
    x = push(s, x)
    assert s.count == 1
    assert not np.any(x)
    np.testing.assert_array_equal(s.items[0], value)
    x = pop(s, x)
    assert s.count == 0
    assert not np.any(s.items)
    np.testing.assert_array_equal(x, value)
    assert np.asarray(x).dtype == np.asarray(value).dtype


UNFIT = ((0.0, 3), (0, 2.0), (0, True), (False, 2), (np.zeros(2), 2.0), (np.zeros(2), np.ones(3)),
         (np.zeros(2), np.ones(2, int)), (0.0, np.ones(2)), (np.zeros(2), np.ones((2, 2))),
         (0.0, None))  # fmt: skip


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("like", "value"), UNFIT, ids=str)
def test_values_of_another_kind(like: Any, value: Any, compiled: bool) -> None:
    for move in (rg.push, rg.pop):
        with pytest.raises(TypeError, match="no stack of values of this kind"):
            (rg.jit(move) if compiled else move)(rg.stack(2, like), copy.deepcopy(value))


def twice(s, x):
    rg.push(s, x)
    return rg.push(s, x)


@pytest.mark.parametrize("run", [lambda f: f, rg.jit], ids=["python", "compiled"])
def test_full_empty_and_not_zero(run: Callable[[Any], Any]) -> None:
    s = rg.stack(1)
    with pytest.raises(IndexError, match="push to a stack that is full: it holds 1 values"):
        run(twice)(s, 2.0)
    s = rg.stack(1)
    with pytest.raises(IndexError, match="pop from a stack that is empty"):
        run(rg.pop)(s, 0.0)
    run(rg.push)(s, 2.0)
    with pytest.raises(rg.InvertibilityError, match="pop to a value that is not zero"):
        run(rg.pop)(s, 1e-7)
    assert s.items.tolist() == [2.0]
    assert run(rg.pop)(s, 1e-9) == 2.0
    assert s.items.tolist() == [0.0]
    with pytest.raises(TypeError, match="no stack"):
        run(rg.push)(np.ones(2), 1.0)


@rg.reversible
def left_over(x):
    s = rg.stack(2)
    x = rg.push(s, x)
    return x


def test_a_local_stack_that_is_not_empty_in_the_end() -> None:
    for run in (left_over, rg.jit(left_over)):
        with pytest.raises(rg.InvertibilityError, match=r"'s' is .* in the end"):
            run(2.0)


@rg.reversible
def lost(s, x):
    x = rg.push(s, x)


@rg.reversible
def not_assigned(s, x):
    rg.push(s, x)


@pytest.mark.parametrize("f", [lost, not_assigned], ids=lambda f: f.__name__)
def test_a_number_that_is_not_put_back(f: Any) -> None:
    for run in (f, rg.jit(f)):
        with pytest.raises(rg.InvertibilityError, match="number"):
            run(rg.stack(2), 1.0)
        assert not np.any(run(rg.stack(2, X), X.copy()))


def test_what_is_on_a_stack_is_read_before_it_changes() -> None:
    with pytest.raises(rg.UserError, match="'top'") as caught:

        @rg.reversible
        def late(s, x, y):
            top = s.items[s.count - 1]
            x = rg.push(s, x)
            y += top
            return x, y

    assert caught.value.code == "RG0503"


def test_a_stack_in_text_and_in_a_file() -> None:
    s = rg.stack(3)
    rg.push(s, 2.0)
    assert repr(s) == "stack([2.0], capacity=3)"
    again = pickle.loads(pickle.dumps((s, rg.push, rg.pop)))
    assert repr(again[0]) == repr(s)
    assert again[1] is rg.push
    assert again[2] is rg.pop
    assert rg.inverse(rg.push) is rg.pop
    assert rg.inverse(rg.pop) is rg.push
    assert s.capacity == 3


@pytest.mark.parametrize("f", [rg.stack, rg.push.fun, rg.pop.fun], ids=lambda f: f.__name__)
def test_the_examples(f: Any) -> None:
    for example in doctest.DocTestFinder().find(f, f.__name__, globs={}):
        assert doctest.DocTestRunner().run(example) == (0, len(example.examples))
        assert example.examples


@pytest.mark.parametrize("capacity", [-1, 2.5])
def test_capacities_that_are_none(capacity: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        rg.stack(capacity)
