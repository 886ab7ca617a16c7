"""Directions of derivatives: basis vectors, and the way into bundles and out of them.

`unit(k, *extents; offset)` is the basis vector that has its 1 at place k - offset in row-major
order (zeros where there is no such place; without extents, the number 1 or 0). `units` is the
bundle of WIDTH such vectors, for k and the places after it. Both are constants to derivatives;
`splat` and `unbundle` come in after the last derivative was taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from retrograd.ir.terms import Atom, Params
from retrograd.ir.types import F64, I64, WIDTH
from retrograd.prims.bundles import (
    Bundle,
    splat_type,
    unbundle_type,
    unbundled,
    unit_type,
    unit_vector,
)
from retrograd.prims.core import ZERO, Case, Primitive, Unsupported, param
from retrograd.prims.facts import ELEMENTWISE, IN_FIRST, MAKER, VIEW, Bundled
from retrograd.prims.lengths import Along, Lengths, from_operands
from retrograd.prims.rules import F2, values_case

__all__ = ["DIRECTIONS"]


def _place(args: Sequence[Any], params: Params) -> tuple[int, tuple[int, ...]]:
    offset = cast(int, param(params, "offset"))
    return int(args[0]) - offset, tuple(int(n) for n in args[1:])


def _unit(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    return (unit_vector(*_place(args, params)),)


def _units(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    first, shape = _place(args, params)
    return (Bundle(tuple(unit_vector(first + lane, shape) for lane in range(WIDTH))),)


def _splat(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    return (Bundle((args[0],) * WIDTH),)


def _unbundle(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    return (unbundled(args[0]),)


def _lanes_last(args: tuple[Atom, ...], params: Params) -> Lengths | None:
    return (*(Along(0, axis) for axis in range(args[0].type.rank)), WIDTH)


def _bundles(*shape: int) -> Case:
    """A case with one random bundle, or array of bundles."""
    return Case(
        (F64.bundled.with_rank(len(shape)),),
        draw=lambda rng: (Bundle(tuple(rng.uniform(-2.0, 2.0, (WIDTH, *shape)))),),
    )


def _family() -> tuple[Primitive, ...]:
    last = Unsupported("bundles come in after the last derivative was taken")
    at = [
        values_case((I64,) * len(args), tuple(map(np.int64, args)), (("offset", offset),))
        for offset, args in (
            (0, (1, 3)), (2, (3, 3)), (0, (4, 2, 3)), (0, (7, 2, 2, 3)), (0, (3, 3)), (1, (0, 3)),
            (0, (0,)), (2, (2,)), (2, (3,)), (0, (0, 0)),
        )
    ]  # fmt: skip
    basis = replace(MAKER, shape=from_operands(1))
    return (
        Primitive("unit", unit_type(F64), _unit, ZERO, ZERO, tuple(at), basis),
        Primitive("units", unit_type(F64.bundled), _units, ZERO, ZERO, tuple(at), basis),
        Primitive(
            "splat", splat_type, _splat, last, last, (Case((F64,)), Case((F2,))),
            replace(ELEMENTWISE, linear_in=IN_FIRST), cost=0.0, elementwise=True,
        ),
        Primitive(
            "unbundle", unbundle_type, _unbundle, last, last, (_bundles(), _bundles(2, 3)),
            replace(VIEW, shape=_lanes_last, bundled=Bundled.OWN), cost=0.0,
        ),
    )  # fmt: skip


DIRECTIONS: tuple[Primitive, ...] = _family()
