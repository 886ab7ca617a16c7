"""Random words, and numbers of a distribution made of them: one word for each number.

As everywhere in this folder, these are programs: they are compiled along, and run on NumPy as they
stand. Words are signed 64-bit integers.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy

from retrograd.draws import quantile, word, words

__all__ = ["at_most", "drawn", "exponential_of", "normal_of", "uniform_of"]

np: Any = numpy


def drawn(key: Any, counter: Any, shape: Any) -> Any:
    """Words of a key from a place on: a number, or an array. Programs have a primitive for it."""
    place = operator.index(key), operator.index(counter)
    if shape is None:
        return word(*place)
    extents: Any = (operator.index(shape),) if np.ndim(shape) == 0 else tuple(shape)
    if any(n < 0 for n in extents):
        raise ValueError("negative dimensions are not allowed")
    return words(*place, int(np.prod(extents, dtype=object))).reshape(extents)


def uniform_of(word: Any) -> Any:
    """In [0, 1), from the upper 53 bits, as NumPy does."""
    return ((word >> 11) & 9007199254740991) * 1.1102230246251565e-16


def normal_of(word: Any) -> Any:
    """Of the standard normal distribution, by the inverse of its distribution function.

    The middles of 2**53 equal parts of (0, 1): symmetrical, and never 0 or 1.
    """
    return quantile(((word >> 11) + 0.5) * 1.1102230246251565e-16)


def exponential_of(word: Any) -> Any:
    """Of the standard exponential distribution, by the inverse of its distribution function."""
    return -np.log1p(-uniform_of(word))


def at_most(word: Any, count: Any) -> Any:
    """The upper 62 bits times `count`, which is below 2**62, over 2**62, without a wide product."""
    high, low = (word >> 33) & 2147483647, (word >> 2) & 2147483647
    upper, rest = count >> 31, count & 2147483647
    carried = high * rest + low * upper + ((low * rest) >> 31)
    return high * upper + (carried >> 31)
