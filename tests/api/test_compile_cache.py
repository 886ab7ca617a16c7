"""While something is compiled, Python does not look for cycles; afterwards as before."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

import retrograd as rg
from retrograd.api.compile import prepare


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    enabled = gc.isenabled()
    yield
    (gc.enable if enabled else gc.disable)()


def cube(x: float) -> float:
    return x * x * x


def refused(x: float) -> object:
    return {cube}, x


def less(x: float) -> float:
    return x - 1.0


def test_cycles_are_not_looked_for_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    build = prepare.build

    def noted(*args: Any) -> Any:
        seen.append(gc.isenabled())
        return build(*args)

    monkeypatch.setattr(prepare, "build", noted)
    assert rg.grad(cube)(2.0) == 12.0
    assert seen == [False]
    assert gc.isenabled()
    with pytest.raises(rg.UserError):
        rg.jit(refused)(2.0)
    assert gc.isenabled()
    gc.disable()
    rg.jit(less)(2.0)
    assert not gc.isenabled()
