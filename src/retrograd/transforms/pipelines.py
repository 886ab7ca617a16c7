"""The lists of passes that programs go through."""

from __future__ import annotations

from retrograd.transforms.cleanup import (
    COPIES,
    DEAD_CODE,
    FMA,
    FMA_DERIVATIVES,
    GUARDS,
    HOIST,
    INLINE,
    RANGES,
    SIMPLIFY,
)
from retrograd.transforms.loops.extremes import lane_extremes
from retrograd.transforms.loops.jam import jam_loops
from retrograd.transforms.loops.strip import strip_loops
from retrograd.transforms.passes import Pass
from retrograd.transforms.points import number_points

__all__ = ["AFTER_AD", "MACHINE", "OPTIMISE", "POINTS"]

_CLEAN: tuple[Pass, ...] = (SIMPLIFY, HOIST, RANGES, SIMPLIFY, DEAD_CODE)

OPTIMISE: tuple[Pass, ...] = (
    DEAD_CODE, INLINE, *_CLEAN, *_CLEAN, GUARDS, *_CLEAN, COPIES, FMA, HOIST, DEAD_CODE,
)  # fmt: skip
"""For programs as the frontend makes them, before derivatives and before points are numbered.

Contraction is part of it, so that the primal's bits are settled before anything is derived.
"""

AFTER_AD: tuple[Pass, ...] = (
    DEAD_CODE, SIMPLIFY, HOIST, RANGES, SIMPLIFY, DEAD_CODE, COPIES, FMA_DERIVATIVES, DEAD_CODE,
)  # fmt: skip
"""For what a derivative transformation has made. No inlining: points stay where they are.

Statements whose provenance names no transformation are taken to be the primal's.
"""

POINTS: tuple[Pass, ...] = (Pass("points", "execution points are numbered", number_points),)
"""Once, on the program that machine code and the reverse sweep are made from."""

MACHINE: tuple[Pass, ...] = (
    Pass("extremes", "running maxima and minima are found in lanes", lane_extremes),
    Pass("strip", "what a carried scalar does not matter to runs in lanes", strip_loops),
    Pass("jam", "some iterations of a loop share the loop inside it", jam_loops),
    SIMPLIFY, DEAD_CODE,
)  # fmt: skip
"""For machine code that is never interrupted: iterations change places, bits do not.

Nothing is derived from the result, and its points are not where the program's are.
"""
