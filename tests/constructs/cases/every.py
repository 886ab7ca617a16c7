"""All cases."""

from __future__ import annotations

from tests.constructs.cases import (
    control,
    gathers,
    histograms,
    maps,
    reductions,
    scalars,
    scans,
    scatters,
)
from tests.constructs.cases.case import PublicCase

__all__ = ["CASES", "COUNT"]

COUNT = 130
"""How many cases there are."""

CASES: tuple[PublicCase, ...] = (
    *scalars.CASES,
    *control.CASES,
    *maps.CASES,
    *gathers.CASES,
    *reductions.CASES,
    *scans.CASES,
    *scatters.CASES,
    *histograms.CASES,
)
