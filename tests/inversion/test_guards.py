"""Functions that change what they are given in an expression, and arrays that are one."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false

ONES = np.ones(3)


def spoiling(x):
    """Writes to its argument."""
    x[0] = 5.0
    return np.sum(x)


def summed(x):
    return np.sum(x * x)


def shifted(y, x):
    y += np.tanh(x)


@rg.reversible
def spoilt(y, x):
    y += spoiling(x)
    return y


@rg.reversible
def read(y, x):
    y += summed(x)
    return y


class Counting:
    """A force that counts its calls."""

    def __init__(self):
        self.k, self.calls = np.array([2.0]), np.zeros(1)

    def force(self, x):
        self.calls[0] += 1.0
        return -self.k[0] * x

    @rg.reversible
    def step(self, x, v):
        v += self.force(x)
        x += v


@rg.reversible
def gathered(x, places):
    x[places] += 1.0


@rg.reversible
def exchanged(x, y):
    x[0:2], y[0:2] = y[0:2], x[0:2]


@rg.reversible
def moved(state):
    x, v = state
    x += v
    v += x


@rg.reversible
def rotated(x, i):
    x[i], x[i + 1] = rg.rotate(x[i], x[i + 1], x[0])


@rg.reversible
def of_both(x, pair):
    x += pair[0]


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (lambda: spoilt(0.0, ONES.copy()), "spoiling.*(writes to|changes)"),
        (lambda: gathered(ONES.copy(), np.array([0, 0])), "names an element twice"),
        (lambda: gathered(ONES.copy(), np.array([0, -3])), "names an element twice"),
        (lambda: exchanged(ONES.copy(), ONES.copy()), "write a loop over its elements"),
        (lambda: moved((ONES.copy(), ONES.copy())), "write to state itself"),
        (lambda: rotated(ONES.copy(), 0), "have elements in common"),
    ],
)
@pytest.mark.parametrize("compiled", [False, True])
def test_refusals(f, words, compiled):
    with pytest.raises((rg.UserError, rg.InvertibilityError), match=words):
        (rg.jit(f) if compiled else f)()


def test_a_method_that_changes_its_object_in_an_expression():
    def run(x, v):
        Counting().step(x, v)
        return x

    with pytest.raises(rg.UserError, match="'force' changes its arguments") as caught:
        rg.jit(run)(ONES.copy(), ONES.copy())
    assert caught.value.code == "RG0501"


def test_arrays_in_tuples_share_no_memory_with_what_changes():
    x = ONES.copy()
    of_both(x, (ONES, x.copy()))
    with pytest.raises(rg.InvertibilityError, match="share memory"):
        of_both(x, (ONES, x))


@pytest.mark.parametrize("compiled", [False, True])
def test_what_changes_nothing_is_accepted(compiled):
    run = rg.jit if compiled else lambda f: f
    x = ONES.copy()
    assert run(read)(1.0, x) == 4.0
    run(gathered)(x, np.array([0, 2]))
    np.testing.assert_array_equal(x, [2.0, 1.0, 2.0])
    run(rotated)(x, 1)
    rg.inverse(rotated)(x, 1)
    np.testing.assert_allclose(x, [2.0, 1.0, 2.0], rtol=1e-15)
    np.testing.assert_array_equal(rg.grad(lambda z: read(0.0, z))(x), 2.0 * x)


def test_what_generated_text_calls_is_not_looked_up_at_each_call() -> None:
    """Code is looked at of the user's function and what was made of it, once each."""

    compiled = rg.jit(rg.reversible(shifted, checked=False))
    for _ in range(2):
        compiled(np.ones(3), np.ones(3))
    ((ready, *_),) = compiled.quick.values()
    watched = [guard.obj.__name__ for guard in ready.traced.watch.others]
    assert sorted(watched) == ["shifted", "shifted_adjoint", "shifted_forward"]
