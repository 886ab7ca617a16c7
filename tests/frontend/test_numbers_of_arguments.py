"""Questions whether a number is NumPy's, where it is an argument: as in Python, for either."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError


def by_attribute(x):
    return inner(x) + inner(2.0)


def inner(x):
    return x * 2.0 if hasattr(x, "shape") else x * 3.0


def by_type(x):
    return x * 2.0 if type(x) is float else x.__class__(x * 3.0)


def by_class(x):
    return x * 1.5 if isinstance(x, np.floating) else x * 7.0


def in_a_dict(x):
    return asked({"a": x})


def asked(p):
    return p["a"] * 2.0 if isinstance(p["a"], np.generic) else p["a"] * 3.0


PROGRAMS = [by_attribute, by_type, by_class, in_a_dict]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("kind", [float, np.float64])
def test_as_in_python(f, kind):
    value, slope = rg.value_and_grad(f)(kind(1.3))
    near = (f(kind(1.3 + 1e-6)) - f(kind(1.3 - 1e-6))) / 2e-6
    assert value == pytest.approx(f(kind(1.3)), rel=1e-15)
    assert slope == pytest.approx(near, rel=1e-6)


def test_one_function_for_both_in_turn():
    f = rg.jit(by_class)
    given = (1.3, np.float64(1.3), 2.0, np.float64(2.0))
    assert [f(x) for x in given] == [by_class(x) for x in given]


def test_what_is_of_the_run_is_known_or_refused():
    x = np.array([1.3, 0.7])
    assert rg.jit(lambda x: isinstance(x[0], np.floating))(x)
    assert not rg.jit(lambda x: isinstance(len(x), np.integer))(x)
    assert not rg.jit(lambda x: isinstance(np.argmax(x), int))(x)

    def joined(x):
        n = 0.0
        if x[0] > 1.0:
            n = np.sin(x[0])
        return hasattr(n, "shape")

    with pytest.raises(UserError, match="if it is NumPy's"):
        rg.jit(joined)(x)
