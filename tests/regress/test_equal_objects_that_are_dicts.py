"""Two objects of a subclass of `dict` were equal only if they were one object."""

from __future__ import annotations

from typing import Any

import pytest

import retrograd as rg


class Table(dict[str, float]):
    pass


ONE, TWO = Table(a=1.0), Table(a=1.0)


def equal(x: Any) -> Any:
    return x if ONE == TWO else 2.0 * x


def unequal(x: Any) -> Any:
    return x if ONE != TWO else 2.0 * x


def by_items(x: Any) -> Any:
    return x if dict(ONE) == dict(TWO) else 2.0 * x


def test_they_are_compared_by_their_items_or_not_at_all() -> None:
    assert rg.jit(by_items)(3.0) == by_items(3.0)
    for f in (equal, unequal):
        with pytest.raises(rg.UserError, match="compare dicts of the items"):
            rg.jit(f)(3.0)
