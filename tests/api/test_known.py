"""Compiling with other costs than the compiler's own: what was compiled before is not found."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest

import retrograd as rg
from retrograd.api.compile.disk_cache import query
from retrograd.api.compile.known import known
from retrograd.frontend.identity.specs import spec_of
from retrograd.prims import DEFAULT
from retrograd.prims.costs import Costs
from tests.random.costs import costs, short_parts, with_costs


def chain(x):
    """A few statements in a row."""
    y = x * 1.5 + 0.25
    z = y * y - x
    return z * y + x * z


def test_the_compiler_has_its_own_costs() -> None:
    assert known() is DEFAULT
    assert costs() == Costs()


def test_a_short_line_is_divided_with_other_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rg.primops(lambda x: chain(x), 2.0) == 0
    short_parts(monkeypatch, 2)
    assert rg.primops(lambda x: chain(x), 2.0) > 1
    assert rg.jit(lambda x: chain(x))(2.0) == chain(2.0)


def test_changes_of_costs_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    short_parts(monkeypatch, 2)
    with_costs(monkeypatch, guard_trips=3)
    assert costs() == replace(Costs(), straight_part=2, straight_least=2, guard_trips=3)
    assert known().table is DEFAULT.table


def test_nothing_is_stored_or_found_with_other_costs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETROGRAD_CACHE", str(tmp_path))
    assert query(chain, (spec_of(1.0),), {}, "") is not None
    short_parts(monkeypatch)
    assert query(chain, (spec_of(1.0),), {}, "") is None


@pytest.mark.parametrize("name", [field.name for field in fields(Costs)])
def test_each_cost_is_read_somewhere(name: str) -> None:
    """In a pass or in the code generator."""
    root = Path(rg.__file__).parent
    sources = [p for folder in ("transforms", "backends") for p in (root / folder).rglob("*.py")]
    assert any(f"costs.{name}" in p.read_text(encoding="utf-8") for p in sources)
