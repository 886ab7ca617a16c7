"""Functions of NumPy that are written out: NumPy's values, exceptions, derivatives."""

from __future__ import annotations

from typing import Any

import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.library.cases.rows import ARGUMENTS, ROWS, Row
from tests.frontend.library.harness import agree, function_of, generated, names_of
from tests.orders import BOTH_ORDERS


def _tiered(rows: list[Row]) -> list[Any]:
    """Every 18th row of NumPy's and 54th of SciPy's is in the first tier, the others in the
    slow one: they take minutes."""
    return [pytest.param(r, id=r.text, marks=_mark(k, r)) for k, r in enumerate(rows)]


def _mark(k: int, row: Row) -> Any:
    every = 18 if row.text[:3] not in ("sp.", "st.", "sl.", "sn.") else 54
    if "linalg" in row.text and "norm" not in row.text:
        every = 54
    return pytest.mark.slow if k % every else ()


EVERY = pytest.mark.parametrize("row", _tiered(list(ROWS)))


def arguments(row: Row) -> tuple[Any, ...]:
    return tuple(ARGUMENTS[name] for name in names_of(row))


@pytest.mark.thinned(2)
@EVERY
def test_value(row: Row) -> None:
    assert agree(row, arguments(row), native=True, may_refuse=False) == "same"


@pytest.mark.thinned(2)
@EVERY
def test_generated_inputs(row: Row) -> None:
    found = {}
    for name, args in generated(row):
        if name in row.meaningless:
            continue
        try:
            found[name] = agree(row, args, native=False, may_refuse=name in row.refused)
        except (AssertionError, UserError) as error:
            error.add_note(f"for the generated input {name!r}")
            raise
    assert not found or "same" in found.values() or "raised" in found.values()


@pytest.mark.thinned(8)
@pytest.mark.parametrize("row", _tiered([r for r in ROWS if r.order > 0]))
@BOTH_ORDERS
def test_derivatives(row: Row, order: int) -> None:
    if order <= row.order:
        assert rg.check_grads(function_of(row), arguments(row), order).ok
