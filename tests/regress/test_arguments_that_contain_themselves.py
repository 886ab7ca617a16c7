"""A list, or a dict, that contains itself ended in a bare RecursionError."""

from __future__ import annotations

from typing import Any

import pytest

import retrograd as rg
from retrograd.errors import UserError


def first(items, x):
    return x * 2.0


def appended(items, x):
    items.append(x)
    return x


@pytest.mark.parametrize("transform", [rg.jit, lambda f: rg.grad(f, argnums=1)])
def test_it_is_refused(transform: Any) -> None:
    items: list[Any] = [1.0]
    items.append(items)
    table: dict[str, Any] = {"a": 1.0}
    table["b"] = table
    for fun, argument in ((first, items), (appended, items), (first, table)):
        with pytest.raises(UserError, match="RG0103.*contains itself"):
            transform(fun)(argument, 1.0)
    assert len(items) == 2
