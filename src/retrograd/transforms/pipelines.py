"""The lists of passes that programs go through."""

from __future__ import annotations

from functools import partial

from retrograd.transforms.ad.adjoint_loops import form_adjoint_loops
from retrograd.transforms.ad.branch_values import calculate_in_branches
from retrograd.transforms.ad.counters import count_by_index
from retrograd.transforms.ad.masked_slopes import mask_slopes
from retrograd.transforms.ad.selections import select_iterations
from retrograd.transforms.ad.single_writes import mark_single_writes
from retrograd.transforms.ad.vjp import inline_pullbacks
from retrograd.transforms.batch import batch_directions
from retrograd.transforms.checkpoint.copy_elision import record_elements
from retrograd.transforms.checkpoint.residual_sinking import record_early
from retrograd.transforms.cleanup import (
    COPIES,
    COPIES_BETWEEN,
    DEAD_CODE,
    EQUAL,
    FMA,
    FMA_DERIVATIVES,
    FORWARDS,
    GUARDS,
    HOIST,
    INLINE,
    RANGES,
    SIMPLIFY,
    SPARSE,
    WINDOWS,
)
from retrograd.transforms.loops.base_case_inlining import decide_endings
from retrograd.transforms.loops.loop_distribution import strip_loops
from retrograd.transforms.loops.loop_reversal import walk_upwards
from retrograd.transforms.loops.loop_versioning import version_loops
from retrograd.transforms.loops.minmax_reduction import lane_extremes
from retrograd.transforms.loops.prefetch_in_calls import prefetch_in_calls
from retrograd.transforms.loops.rerun_fusion import fuse_reruns
from retrograd.transforms.loops.rising_rows import store_rising_rows
from retrograd.transforms.loops.row_packing import pack_rows
from retrograd.transforms.loops.row_prefetch import prefetch_rows
from retrograd.transforms.loops.row_sums import loop_row_sums
from retrograd.transforms.loops.software_prefetch import prefetch_cotangents
from retrograd.transforms.loops.unroll_and_fuse import unroll_and_fuse
from retrograd.transforms.loops.unroll_and_jam import jam_loops
from retrograd.transforms.optimise.array_sums import add_in_one_loop
from retrograd.transforms.optimise.interprocedural_dce import drop_unneeded
from retrograd.transforms.optimise.late_makers import make_in_callees, make_late
from retrograd.transforms.optimise.loop_peeling import divide_edges
from retrograd.transforms.optimise.zero_fills import spare_fills
from retrograd.transforms.passes import Pass
from retrograd.transforms.points.outlining import divide_lines
from retrograd.transforms.points.safepoints import number_points

__all__ = [
    "AFTER_AD", "BATCH", "MACHINE", "OPTIMISE", "POINTS", "PULLBACKS", "SELECTIONS", "SWEEPS",
    "UNNEEDED",
]  # fmt: skip

_CLEAN: tuple[Pass, ...] = (SIMPLIFY, HOIST, RANGES, SIMPLIFY, DEAD_CODE)

_LATE: tuple[Pass, ...] = (
    Pass("callees", "functions make what callers make for them alone", make_in_callees),
    Pass("late", "arrays of zeros are made just before their first use", make_late),
)

_SUMS = Pass("array-sums", "terms that are no arrays yet are added in one loop", add_in_one_loop)

EDGES = Pass("edges", "iterations in which indices come round are done apart", divide_edges)

OPTIMISE: tuple[Pass, ...] = (
    DEAD_CODE, INLINE, *_CLEAN, EDGES, *_CLEAN, GUARDS, *_CLEAN, COPIES, FMA, HOIST, DEAD_CODE,
    EQUAL,
)  # fmt: skip
"""For programs as the frontend makes them, before derivatives and before points are numbered.

Contraction is part of it, so that the primal's bits are settled before anything is derived.
"""

AFTER_AD: tuple[Pass, ...] = (
    DEAD_CODE, SIMPLIFY, SPARSE, HOIST, RANGES, SIMPLIFY, DEAD_CODE, COPIES_BETWEEN, FORWARDS,
    WINDOWS, SIMPLIFY, FMA_DERIVATIVES, DEAD_CODE,
)  # fmt: skip
"""For what a derivative transformation has made. No inlining: points stay where they are.

Statements whose provenance names no transformation are taken to be the primal's.
"""

UNNEEDED = Pass("unneeded", "what nobody needs crosses no call and no tape", drop_unneeded)

_MASKS = Pass(
    "masked-slopes", "what a selection alone uses has slopes where it is taken", mask_slopes
)

PULLBACKS: tuple[Pass, ...] = (
    _MASKS,
    Pass("pullbacks", "pullbacks of straight lines are where they are asked for", inline_pullbacks),
    DEAD_CODE, *_CLEAN, GUARDS, *_CLEAN, COPIES,
    Pass("adjoint-loops", "loops around pullbacks are those of reverse sweeps", form_adjoint_loops),
    DEAD_CODE, SIMPLIFY, HOIST, DEAD_CODE,
)  # fmt: skip
"""Before points are numbered, of programs with such pullbacks in them."""

BATCH: tuple[Pass, ...] = (
    Pass("batch", "loops over directions take several at once", batch_directions), DEAD_CODE,
)  # fmt: skip
"""After all that derives: passes before it know nothing of bundles."""

SELECTIONS: tuple[Pass, ...] = (
    Pass("counters", "carried counters are read off the index", count_by_index),
    Pass("selections", "what a loop keeps or replaces is calculated again", select_iterations),
    SIMPLIFY,
    Pass("branch-values", "what a branch alone differentiates is in it", calculate_in_branches),
    _MASKS,
    Pass("single-writes", "elements that are written once are marked", mark_single_writes),
)  # fmt: skip
"""Before points are numbered, of programs with cotangents of functions in them."""

POINTS: tuple[Pass, ...] = (
    Pass("parts", "long lines of array statements become calls", divide_lines),
    Pass("points", "execution points are numbered", number_points),
)
"""Once, on the program that machine code and the reverse sweep are made from."""

SWEEPS: tuple[Pass, ...] = (
    UNNEEDED,
    Pass(
        "records", "elements are recorded instead of copies",
        partial(record_elements, waiting=True),
    ),
    _SUMS, SIMPLIFY, DEAD_CODE,
    Pass("early", "residuals are recorded before the next long loop", record_early),
    _LATE[1],
)  # fmt: skip
"""For machine code of a forward and a reverse sweep that take turns, before they are divided."""

MACHINE: tuple[Pass, ...] = (
    UNNEEDED,
    Pass("fused-reruns", "what is run again is in the loop of its reverse", fuse_reruns),
    Pass("extremes", "running maxima and minima are found in lanes", lane_extremes),
    Pass("records", "elements are recorded instead of copies", record_elements),
    Pass("endings", "the end of a recursion is decided by the caller", decide_endings),
    Pass("strip", "what a carried scalar does not matter to runs in lanes", strip_loops),
    Pass("row-sums", "short sums of rows are loops, to be jammed", loop_row_sums),
    Pass("packing", "rows that are read side by side again and again are packed", pack_rows),
    Pass("jam", "some iterations of a loop share the loop inside it", jam_loops),
    *_LATE, _SUMS, SIMPLIFY, DEAD_CODE,
    Pass("upwards", "loops walk arrays upwards where the order is free", walk_upwards),
    Pass("fills", "arrays are not cleared where loops write to them first", spare_fills),
    Pass("prefetch", "blocks ask for the memory that their reverse writes to", prefetch_cotangents),
    Pass(
        "prefetch-in-calls", "forward sweeps ask for cotangents that their reverse adds to",
        prefetch_in_calls,
    ),
    Pass("prefetch-rows", "loops ask for the rows of later iterations", prefetch_rows),
    Pass("rising-rows", "elements of rows that rise are stored, not added to", store_rising_rows),
    Pass("versions", "loops in which no index comes round are apart", version_loops),
    Pass("iterations", "some iterations go through their arrays together", unroll_and_fuse),
)  # fmt: skip
"""For machine code that is never interrupted: iterations change places, bits do not.

Nothing is derived from the result, and its points are not where the program's are.
"""
