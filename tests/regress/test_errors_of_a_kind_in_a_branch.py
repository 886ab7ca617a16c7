"""What Python raises for a value of one kind was raised where its branch is not taken, too."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree


def in_an_expression(x, n):
    y = x if n > 1 else np.array([x])
    return len(y) * x if n <= 1 else y


def in_a_loop(x, n):
    y, total = x if n > 1 else [x, 2.0], 0.0
    for k in range(n):
        if k > 2:
            total += y[0]
        total += x * np.sum(y)
    return total


@pytest.mark.parametrize("n", range(5))
@pytest.mark.parametrize("f", [in_an_expression, in_a_loop])
def test_it_is_raised_where_python_raises_it(f, n):
    agree(f, 0.5, n)


def of_no_kind(x, n):
    y = x if n > 1 else (x, 2.0)
    return y.no_such_thing if n > 2 else y


def test_what_no_kind_has_is_refused():
    with pytest.raises(UserError, match="no attribute 'no_such_thing'"):
        rg.jit(of_no_kind)(0.5, 1)
