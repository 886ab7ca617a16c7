"""Random words that are a function of a key and a place, and normal numbers of them, on NumPy.

Word k of a key is the same whoever asks for it, in whatever order. So a program that draws has no
state but two ints, and what is run again draws again what it drew. Words come in blocks of four;
block 0 is that of counter 1, as in `numpy.random.Philox`.

Source: Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3", Philox 4x64-10; Wichura
1988, "The percentage points of the normal distribution", algorithm AS 241.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["BUMPS", "CENTRE", "FACTORS", "FAR", "MIDDLE", "ROUNDS", "quantile", "word", "words"]

ROUNDS = 10
FACTORS = (0xD2E7470EE14C6C93, 0xCA5A826395121157)
"""What words 0 and 2 of a block are multiplied by in a round."""
BUMPS = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
"""What is added to the two words of the key after a round."""

Ratio = tuple[tuple[float, ...], tuple[float, ...]]
"""The coefficients of two polynomials, lowest order first."""

CENTRE: Ratio = (
    (3.387132872796366608, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
     45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727),
    (1.0, 42.313330701600911252, 687.1870074920579083, 5394.1960214247511077,
     21213.794301586595867, 39307.89580009271061, 28729.085735721942674, 5226.495278852854561),
)  # fmt: skip
"""In 0.180625 - q**2, times q, where |q| is up to 0.425."""
MIDDLE: Ratio = (
    (1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055, 3.64784832476320460504,
     1.27045825245236838258, 0.24178072517745061177, 0.0227238449892691845833,
     7.7454501427834140764e-4),
    (1.0, 2.05319162663775882187, 1.6763848301838038494, 0.68976733498510000455,
     0.14810397642748007459, 0.0151986665636164571966, 5.475938084995344946e-4,
     1.05075007164441684324e-9),
)  # fmt: skip
"""In r - 1.6, for r = sqrt(-log(1/2 - |q|)) up to 5."""
FAR: Ratio = (
    (6.6579046435011037772, 5.4637849111641143699, 1.7848265399172913358, 0.29656057182850489123,
     0.026532189526576123093, 0.0012426609473880784386, 2.71155556874348757815e-5,
     2.01033439929228813265e-7),
    (1.0, 0.59983220655588793769, 0.13692988092273580531, 0.0148753612908506148525,
     7.868691311456132591e-4, 1.8463183175100546818e-5, 1.4215117583164458887e-7,
     2.04426310338993978564e-15),
)  # fmt: skip
"""In r - 5, above."""

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_WHOLE = 2**64 - 1

Words = npt.NDArray[np.uint64]


def words(key: int, start: int, count: int) -> npt.NDArray[np.int64]:
    """Words `start` to `start + count - 1` of a key, as signed integers.

    >>> from retrograd.draws import words
    >>> words(7, 0, 6)[4:] == words(7, 4, 2)
    array([ True,  True])
    """
    first = (start & _WHOLE) >> 2
    blocks = ((start & 3) + count + 3) // 4
    counters = np.arange(blocks, dtype=np.uint64) + np.uint64(first) + np.uint64(1)
    found = np.stack(_block(key & _WHOLE, counters), axis=1).reshape(-1)
    return found[start & 3 :][:count].view(np.int64)


def word(key: int, place: int) -> int:
    """One word of a key, without arrays.

    >>> from retrograd.draws import word, words
    >>> word(7, 5) == words(7, 5, 1).item()
    True
    """
    place &= _WHOLE
    a, b, c, d = (place >> 2) + 1, 0, 0, 0
    first, second = key & _WHOLE, 0
    for _ in range(ROUNDS):
        one, other = a * FACTORS[0], c * FACTORS[1]
        a, b = (other >> 64) ^ b ^ first, other & _WHOLE
        c, d = (one >> 64) ^ d ^ second, one & _WHOLE
        first, second = (first + BUMPS[0]) & _WHOLE, (second + BUMPS[1]) & _WHOLE
    found = (a, b, c, d)[place & 3]
    return found - 2**64 if found >> 63 else found


def _block(key: int, counters: Words) -> tuple[Words, ...]:
    """The four words of each of these blocks."""
    none: Any = np.zeros_like(counters)
    a, b, c, d = counters, none, none.copy(), none.copy()
    first, second = key, 0
    for _ in range(ROUNDS):
        (high, low), (above, below) = _product(a, FACTORS[0]), _product(c, FACTORS[1])
        a, b = above ^ b ^ np.uint64(first), below
        c, d = high ^ d ^ np.uint64(second), low
        first, second = (first + BUMPS[0]) & _WHOLE, (second + BUMPS[1]) & _WHOLE
    return a, b, c, d


def _product(x: Words, factor: int) -> tuple[Words, Words]:
    """The upper and the lower 64 bits of a product, from those of halves."""
    x1, x0 = x >> _HALF, x & _LOW
    y1, y0 = np.uint64(factor >> 32), np.uint64(factor & 0xFFFFFFFF)
    across = x1 * y0 + (x0 * y0 >> _HALF)
    back = x0 * y1 + (across & _LOW)
    return x1 * y1 + (across >> _HALF) + (back >> _HALF), x * np.uint64(factor)


def quantile(q: Any) -> Any:
    """Where the normal distribution function is 1/2 + q, of a number or an array.

    >>> from retrograd.draws import quantile
    >>> round(float(quantile(0.475)), 6), float(quantile(-0.5))
    (1.959964, -inf)
    """
    if np.ndim(q) == 0:
        return np.float64(_of_number(float(q)))
    where: Any = np.where
    size = np.abs(q)
    inside = size <= 0.425
    near = np.where(inside, q, 0.0)
    with np.errstate(all="ignore"):
        r: Any = np.sqrt(-np.log(np.where(inside, 0.05, 0.5 - size)))
        near_end = where(r > 5.0, _ratio(r - 5.0, FAR), _ratio(r - 1.6, MIDDLE))
    tail = where(r == np.inf, r, near_end)
    centre = near * _ratio(0.180625 - near * near, CENTRE)
    return where(inside, centre, np.copysign(tail, q))


def _of_number(q: float) -> float:
    size = abs(q)
    if size <= 0.425:
        return q * _ratio(0.180625 - q * q, CENTRE)
    if not size < 0.5:
        return math.copysign(math.inf, q) if size == 0.5 else math.nan
    r = math.sqrt(-math.log(0.5 - size))
    return math.copysign(_ratio(r - 5.0, FAR) if r > 5.0 else _ratio(r - 1.6, MIDDLE), q)


def _ratio(x: Any, of: Ratio) -> Any:
    top, bottom = of[0][-1], of[1][-1]
    for a, b in zip(of[0][-2::-1], of[1][-2::-1], strict=True):
        top, bottom = top * x + a, bottom * x + b
    return top / bottom
