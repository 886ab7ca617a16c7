"""Arrays that loops put into the buffer of a list were not changed where an item was written."""

from __future__ import annotations

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError


def by_an_item(x, n):
    d = x + 1
    items = [x * 2, d]
    if n % 2 == 1:
        items.append(d)
    else:
        for j in range(n):
            items[j % 2][0] -= 0.5
    return d[0]


def by_another_name(x, n):
    d = x + 1
    items = [x * 2, d]
    for _ in range(n):
        items.append(x)
        d[:] = x[:]
    return items[1][0]


def of_rows(x, n):
    row = [x[0], x[1]]
    rows = [row, [x[1], x[0]]]
    for j in range(n):
        rows.append([x[2], 0.0])
        rows[j % 2][0] = 5.0
    return row[0]


@pytest.mark.parametrize(
    ("program", "what"),
    [
        (by_an_item, "RG0106"),
        (by_another_name, "RG0106"),
        (of_rows, "RG0104: the value is a list .* a list that is kept in another way"),
    ],
)
def test_the_write_is_refused(program, what) -> None:
    with pytest.raises(UserError, match=what):
        rg.jit(program)(np.array([0.5, 0.25, 2.0]), 2)
