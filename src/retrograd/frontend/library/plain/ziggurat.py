"""The tables by which NumPy draws normal and exponential numbers.

G. Marsaglia, W. W. Tsang, The ziggurat method for generating random variables, 2000. 256 layers of
one area lie under the density. NumPy's tables of exponential numbers are the ends of the layers,
those of normal ones what the recurrence for these gives with the area that is written here, each
operation rounded to double precision. So they are calculated in the same way, with logarithms that
are rounded rightly on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import lru_cache
from itertools import pairwise

__all__ = ["EXPONENTIAL_END", "NORMAL_END", "Tables", "exponential", "normal"]

NORMAL_END = 3.6541528853610088
EXPONENTIAL_END = 7.69711747013105
"""Where the lowest layers end and the tails begin."""

_NORMAL_AREA = 0.004928673233974652
_NORMAL_STEPS = {37: -2}
"""Ends that are so many last places off in NumPy's table."""


@dataclass(frozen=True, slots=True)
class Tables:
    """For each layer, the lowest first: below which integer a draw is certainly inside; what an
    integer is multiplied by; the density at its end."""

    inside: tuple[int, ...]
    widths: tuple[float, ...]
    heights: tuple[float, ...]


@lru_cache(maxsize=1)
def normal() -> Tables:
    """Those of the normal distribution, for integers of 52 bits."""
    return _tables(
        NORMAL_END, _NORMAL_AREA, 2.0**52, lambda x: _exp(-0.5 * x * x),
        lambda height: math.sqrt(-2.0 * _log(height)), _NORMAL_STEPS,
    )  # fmt: skip


def _tables(
    end: float, area: float, whole: float, density: Callable[[float], float],
    inverse: Callable[[float], float], steps: dict[int, int],
) -> Tables:  # fmt: skip
    inside, widths, heights = [0] * 256, [0.0] * 256, [1.0] * 256
    x = end
    heights[255], widths[255] = density(x), x / whole
    inside[0] = int(x * heights[255] / area * whole)
    widths[0] = area / heights[255] / whole
    for k in range(254, 0, -1):
        before, x = x, inverse(area / x + heights[k + 1])
        for _ in range(abs(steps.get(k, 0))):
            x = math.nextafter(x, math.copysign(math.inf, steps[k]))
        inside[k + 1] = int(x / before * whole)
        widths[k], heights[k] = x / whole, density(x)
    return Tables(tuple(inside), tuple(widths), tuple(heights))


@lru_cache(maxsize=1)
def exponential() -> Tables:
    """Those of the exponential distribution, for integers of 53 bits."""
    with localcontext() as context:
        context.prec = 50
        end, whole = Decimal("7.6971174701310497140446280481"), Decimal(2) ** 53
        area = (end + 1) * (-end).exp()
        ends = [end]
        for _ in range(254):
            ends.append(-(area / ends[-1] + (-ends[-1]).exp()).ln())
        ends.append(Decimal(0))
        ends.reverse()
        lowest = area / (-end).exp()
        return Tables(
            (int(end / lowest * whole), *(int(a / b * whole) for a, b in pairwise(ends))),
            tuple(float(x / whole) for x in (lowest, *ends[1:])),
            tuple(float((-x).exp()) for x in ends),
        )


def _exp(x: float) -> float:
    with localcontext() as context:
        context.prec = 40
        return float(Decimal(x).exp())


def _log(x: float) -> float:
    with localcontext() as context:
        context.prec = 40
        return float(Decimal(x).ln())
