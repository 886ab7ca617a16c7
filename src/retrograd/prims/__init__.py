"""The primitives: each with its type, evaluation, derivatives, cost and test cases in one place."""

from __future__ import annotations

from retrograd.prims.arith import ARITH
from retrograd.prims.compare import COMPARE
from retrograd.prims.control import CONTROL
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.directions import DIRECTIONS
from retrograd.prims.elementary import ELEMENTARY
from retrograd.prims.extents import EXTENTS
from retrograd.prims.index import INDEX
from retrograd.prims.integer import INTEGER
from retrograd.prims.lapack import LAPACK
from retrograd.prims.linalg import LINALG
from retrograd.prims.random import RANDOM
from retrograd.prims.reduce import REDUCE
from retrograd.prims.shape import SHAPE
from retrograd.prims.solve import SOLVE
from retrograd.prims.special import SPECIAL

__all__ = ["DEFAULT"]

DEFAULT = PrimitiveSet.of((
    ARITH, ELEMENTARY, SPECIAL, COMPARE, INTEGER, SHAPE, INDEX, REDUCE, LINALG, CONTROL, DIRECTIONS,
    EXTENTS, LAPACK, SOLVE, RANDOM,
))  # fmt: skip
