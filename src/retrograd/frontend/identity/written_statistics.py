# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
"""What programs have for `statistics`.

Python adds fractions, without rounding; here what each addition loses is added up, too (Knuth, The
Art of Computer Programming, volume 2, section 4.2.2, theorem B), which doubles the precision.

They are translated as functions of the user's are, as those of `identity/containers.py`.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping
from statistics import StatisticsError as Error
from typing import Any

__all__ = ["FUNCTIONS"]

_INTERNAL: Any = vars(statistics)


def _sum(items: Any) -> Any:
    total, lost = 0.0, 0.0
    for item in items:
        after = total + item
        added = after - total
        lost += (total - (after - added)) + (item - added)
        total = after
    if math.isinf(total):
        return total
    return total + lost


def mean(data: Any) -> Any:
    items = list(data)
    if len(items) == 0:
        raise Error("mean requires at least one data point")
    return _sum(items) / len(items)


def fmean(data: Any, weights: Any = None) -> Any:
    items = list(data)
    if len(items) == 0:
        raise Error("fmean requires at least one data point")
    if weights is None:
        return _sum(items) / len(items)
    shares = list(weights)
    if len(shares) != len(items):
        raise Error("data and weights must be the same length")
    whole = _sum(shares)
    if whole == 0.0:
        raise Error("sum of weights must be non-zero")
    return _sum([x * w for x, w in zip(items, shares, strict=True)]) / whole


def geometric_mean(data: Any) -> Any:
    items = list(data)
    if len(items) == 0 or min(items) <= 0.0:
        raise statistics.StatisticsError(
            "geometric mean requires a non-empty dataset containing positive numbers"
        )
    return math.exp(_sum([math.log(x) for x in items]) / len(items))


def harmonic_mean(data: Any) -> Any:
    items = list(data)
    if len(items) == 0:
        raise Error("harmonic_mean requires at least one data point")
    least = min(items)
    if least < 0.0:
        raise Error("harmonic mean does not support negative values")
    if least == 0.0:
        return 0.0
    return len(items) / _sum([1.0 / x for x in items])


def _squares(items: Any, centre: Any) -> Any:
    """The sum of squares of differences from a centre: the mean of the items, if it is None."""
    if centre is not None:
        return _sum([(x - centre) ** 2 for x in items])
    middle = _sum(items) / len(items)
    rest = _sum([x - middle for x in items])
    return _sum([(x - middle) ** 2 for x in items]) - rest * rest / len(items)


def variance(data: Any, xbar: Any = None) -> Any:
    items = list(data)
    if len(items) < 2:
        raise Error("variance requires at least two data points")
    return _squares(items, xbar) / (len(items) - 1)


def pvariance(data: Any, mu: Any = None) -> Any:
    items = list(data)
    if len(items) == 0:
        raise Error("pvariance requires at least one data point")
    return _squares(items, mu) / len(items)


def stdev(data: Any, xbar: Any = None) -> Any:
    items = list(data)
    if len(items) < 2:
        raise Error("stdev requires at least two data points")
    return math.sqrt(_squares(items, xbar) / (len(items) - 1))


def pstdev(data: Any, mu: Any = None) -> Any:
    items = list(data)
    if len(items) == 0:
        raise Error("pstdev requires at least one data point")
    return math.sqrt(_squares(items, mu) / len(items))


def median(data: Any) -> Any:
    items = sorted(data)
    n = len(items)
    if n == 0:
        raise Error("no median for empty data")
    if n % 2 == 1:
        return items[n // 2]
    return (items[n // 2 - 1] + items[n // 2]) / 2


def median_low(data: Any) -> Any:
    items = sorted(data)
    if len(items) == 0:
        raise Error("no median for empty data")
    return items[(len(items) - 1) // 2]


def median_high(data: Any) -> Any:
    items = sorted(data)
    if len(items) == 0:
        raise Error("no median for empty data")
    return items[len(items) // 2]


def _products(name: Any, x: Any, y: Any) -> Any:
    """The sums of products of two series' differences from their means: of one with the other, and
    of each with itself."""
    if len(x) != len(y):
        raise Error(name + " requires that both inputs have same number of data points")
    if len(x) < 2:
        raise Error(name + " requires at least two data points")
    a, b = _sum(x) / len(x), _sum(y) / len(y)
    both = _sum([(p - a) * (q - b) for p, q in zip(x, y, strict=True)])
    return both, _sum([(p - a) ** 2 for p in x]), _sum([(q - b) ** 2 for q in y])


def covariance(x: Any, y: Any) -> Any:
    both, _, _ = _products("covariance", x, y)
    return both / (len(x) - 1)


def correlation(x: Any, y: Any) -> Any:
    both, one, other = _products("correlation", x, y)
    if one * other == 0.0:
        raise Error("at least one of the inputs is constant")
    return both / math.sqrt(one * other)


def _mean_stdev(data: Any) -> Any:
    items = list(data)
    if len(items) < 2:
        raise Error("stdev requires at least two data points")
    return mean(items), stdev(items)


FUNCTIONS: Mapping[int, Callable[..., Any]] = {
    id(statistics.mean): mean,
    id(statistics.fmean): fmean,
    id(statistics.median): median,
    id(statistics.geometric_mean): geometric_mean,
    id(statistics.harmonic_mean): harmonic_mean,
    id(statistics.variance): variance,
    id(statistics.pvariance): pvariance,
    id(statistics.stdev): stdev,
    id(statistics.pstdev): pstdev,
    id(statistics.median_low): median_low,
    id(statistics.median_high): median_high,
    id(statistics.covariance): covariance,
    id(statistics.correlation): correlation,
    id(_INTERNAL["_mean_stdev"]): _mean_stdev,
}
"""By the `id` of the function that each stands for."""
