"""Parallel constructs, written as programs over loops: ordinary functions that run as they stand.

Uncompiled they run on NumPy; in a compiled program they are compiled along with it, so that their
derivatives, in both modes and in every way to pay, are those of the program below. Only
`retrograd.constructs.maps.build`, which makes the arrays, has a translation of its own.
"""

from retrograd.constructs import random
from retrograd.constructs.histograms import gather, hist, reduce_by_index, scatter
from retrograd.constructs.maps import build, iota, map, replicate
from retrograd.constructs.operators import OperatorCheck, check_operator
from retrograd.constructs.reductions import fold, reduce, scan
from retrograd.constructs.stripmining import stripmine
from retrograd.constructs.vectorised import vmap

__all__ = [
    "OperatorCheck", "build", "check_operator", "fold", "gather", "hist", "iota", "map", "random",
    "reduce", "reduce_by_index", "replicate", "scan", "scatter", "stripmine", "vmap",
]  # fmt: skip
