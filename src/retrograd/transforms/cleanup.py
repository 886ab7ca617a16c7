"""The clean-up passes by name."""

from __future__ import annotations

from retrograd.transforms.ad.scalar_replacement import keep_windows
from retrograd.transforms.ad.sparse_cotangents import touch_one_element
from retrograd.transforms.loops.loop_reversal import run_forwards
from retrograd.transforms.optimise.check_elimination import drop_checks
from retrograd.transforms.optimise.check_hoisting import guard_loops
from retrograd.transforms.optimise.copies import take_over_between, take_over_copies
from retrograd.transforms.optimise.dce import eliminate_dead_code
from retrograd.transforms.optimise.equal_functions import merge_equal
from retrograd.transforms.optimise.fma import contract, contract_derivatives
from retrograd.transforms.optimise.hoist import hoist
from retrograd.transforms.optimise.inline import inline
from retrograd.transforms.optimise.simplify import simplify
from retrograd.transforms.passes import Pass

__all__ = [
    "COPIES", "COPIES_BETWEEN", "DEAD_CODE", "EQUAL", "FMA", "FMA_DERIVATIVES", "FORWARDS",
    "GUARDS", "HOIST", "INLINE", "RANGES", "SIMPLIFY", "SPARSE", "WINDOWS",
]  # fmt: skip

INLINE = Pass("inline", "small functions and functions called once go into their callers", inline)
SIMPLIFY = Pass("simplify", "copies, constants, identities, common subexpressions", simplify)
DEAD_CODE = Pass("dead-code", "what no result and no effect needs goes", eliminate_dead_code)
HOIST = Pass("hoist", "loop-invariant scalars move out of loops", hoist)
RANGES = Pass("ranges", "checks that provably hold go", drop_checks)
GUARDS = Pass("guards", "checks of the iterations of a loop move before it", guard_loops)
EQUAL = Pass("equal", "functions that do the same are one", merge_equal)
COPIES = Pass("copies", "a copy takes over an array that nothing uses afterwards", take_over_copies)
COPIES_BETWEEN = Pass(
    "copies-between", "the same for parameters that all callers give up", take_over_between
)
FMA = Pass("fma", "products and sums become fused", contract)
FMA_DERIVATIVES = Pass(
    "fma-derivatives", "the same in derivative statements only", contract_derivatives
)
WINDOWS = Pass("windows", "neighbours that a loop adds to are kept in scalars", keep_windows)
FORWARDS = Pass("forwards", "reverse loops of independent iterations run forwards", run_forwards)
SPARSE = Pass(
    "sparse", "the reverse of a map with one used element is that element's", touch_one_element
)
