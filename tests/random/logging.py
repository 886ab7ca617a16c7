"""Every array that can be logged is: the choice that random programs seldom make on their own."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping

import pytest

from retrograd.ir.terms import Stm, Var
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.vjp import choose
from retrograd.transforms.vjp.chains import Chain, Root
from retrograd.transforms.vjp.logged import worth_a_try

__all__ = ["log_everything"]


def log_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the end of the test, whatever it costs."""

    def every(
        roots: Iterable[Root],
        needed: Mapping[Var, None],
        defs: Mapping[Var, Stm],
        words: float,
        prims: PrimitiveSet,
    ) -> list[tuple[Chain, float]]:
        return worth_a_try(roots, needed, defs, math.inf, prims)

    # What was compiled without this must not be found again.
    monkeypatch.setenv("RETROGRAD_CACHE", os.devnull)
    monkeypatch.setattr(choose, "worth_a_try", every)
    monkeypatch.setattr(choose, "MOST", 0)
    monkeypatch.setattr(choose.Cost, "beats", lambda self, other: True)
