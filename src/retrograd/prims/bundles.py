"""Bundles: primitives on several directions at once.

An element of type `f64x16` holds one float for each of `WIDTH` directions. A primitive on bundles
means: itself, on each lane. Only those that say so (`Facts.bundled`) have machine code for that;
they are what the tangents and cotangents of a program go through, and linear. All their float
operands are bundles then, but where they say otherwise. Three primitives are about bundles as such:
`splat` puts one float into all lanes, `units` makes basis vectors, and `unbundle` makes the lanes
an axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from retrograd.errors import CompilerBug
from retrograd.ir.terms import Params
from retrograd.ir.types import F64, I64, MAX_RANK, WIDTH, Type
from retrograd.prims.facts import Bundled, Facts

__all__ = ["Bundle", "by_lanes", "bundled_types", "is_bundled"]

_Rule = Callable[[tuple[Type, ...], Params], tuple[Type, ...]]


@dataclass(frozen=True, slots=True)
class Bundle:
    """The value of a bundle, or of an array of bundles, to the evaluator: one value per lane."""

    lanes: tuple[Any, ...]


def is_bundled(facts: Facts, types: Sequence[Type]) -> bool:
    """Whether the result is a bundle: a shape is that of any lane."""
    return any(t.is_bundle for k, t in enumerate(types) if k not in facts.shape_only)


def bundled_types(
    op: str, facts: Facts, rule: _Rule, types: tuple[Type, ...], params: Params
) -> tuple[Type, ...]:
    """Result types of a primitive on bundles, from its rule for floats."""
    plain = rule(tuple(t.single for t in types), params)
    floats = sum(t.is_float for k, t in enumerate(types) if k not in facts.shape_only)
    if not _applies(facts, floats, types):
        raise CompilerBug(f"{op} does not apply to ({', '.join(map(str, types))})")
    return tuple(t.bundled for t in plain) if is_bundled(facts, types) else plain


def _applies(facts: Facts, floats: int, types: Sequence[Type]) -> bool:
    """Whether as many operands are floats beside the bundles as a primitive takes."""
    match facts.bundled:
        case Bundled.NEVER | Bundled.OWN:
            return False
        case Bundled.ANY:
            return True
        case Bundled.LANES:
            return floats == 0 or not is_bundled(facts, types)
        case Bundled.ONE:
            return floats > 0
        case Bundled.LAST:
            return types[-1].is_bundle and not any(t.is_bundle for t in types[:-1])


def by_lanes(
    evaluate: Callable[[Sequence[Any], Params], tuple[Any, ...]],
    facts: Facts, values: Sequence[Any], params: Params,
) -> tuple[Any, ...]:  # fmt: skip
    """Evaluates a primitive on every lane."""
    found: list[tuple[Any, ...]] = []
    for k in range(WIDTH):
        picked = [v.lanes[k] if isinstance(v, Bundle) else v for v in values]
        found.append(evaluate(picked, params))
    read = (v for k, v in enumerate(values) if k not in facts.shape_only)
    if not any(isinstance(v, Bundle) for v in read):
        return found[0]
    return tuple(Bundle(lanes) for lanes in zip(*found, strict=True))


def unit_vector(place: int, shape: tuple[int, ...]) -> Any:
    """The basis vector of that place; zeros where there is none."""
    flat = np.zeros(math.prod(shape))
    if 0 <= place < flat.size:
        flat[place] = 1.0
    return flat.reshape(shape)[()]


def unit_type(result: Type) -> _Rule:
    """(place, *extents) -> a float array, or an array of bundles, of those extents."""

    def rule(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
        if not 1 <= len(types) <= MAX_RANK + 1 or any(t != I64 for t in types):
            raise CompilerBug(f"unit does not apply to ({', '.join(map(str, types))})")
        return (result.with_rank(len(types) - 1),)

    return rule


def splat_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    """Floats to bundles."""
    if len(types) != 1 or not types[0].is_float:
        raise CompilerBug(f"splat does not apply to ({', '.join(map(str, types))})")
    return (types[0].bundled,)


def unbundle_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    """Bundles to floats, with the lanes as the last axis."""
    if len(types) != 1 or not types[0].is_bundle or types[0].rank >= MAX_RANK:
        raise CompilerBug(f"unbundle does not apply to ({', '.join(map(str, types))})")
    return (F64.with_rank(types[0].rank + 1),)


def unbundled(value: Bundle) -> Any:
    """The lanes of a value as its last axis."""
    return np.stack([np.asarray(lane) for lane in value.lanes], axis=-1)
