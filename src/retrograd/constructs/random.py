"""Random numbers that are a function of two ints: a key, and how many words have been drawn.

A generator is an object of these two, so a program that draws can be run again, backwards, in parts
or on several threads, and draws the same. Inside of programs it is an object as those of users are:
its methods are compiled along. Every number takes one word, so none is ever rejected, and a number
is differentiable in the parameters of its distribution.

The words, and `random`, are those of NumPy's `Generator(Philox(key=seed))`; the other methods give
other numbers of the same distributions.

Source: Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3".
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.drawing import (
    at_most,
    drawn,
    exponential_of,
    normal_of,
    uniform_of,
)  # fmt: skip
from retrograd.frontend.library.plain.told import unseeded
from retrograd.tracebacks import library_program

__all__ = ["Generator", "bits", "default_rng"]

np: Any = numpy


@library_program
def bits(key: Any, counter: Any, shape: Any = None) -> Any:
    """Random 64-bit words, as signed ints: a pure function of its arguments.

    Args:
        key: an int; streams of different keys have nothing to do with each other.
        counter: which word of the key's stream comes first, an int.
        shape: None for one int, or an int or a tuple of ints for an array.

    Raises:
        ValueError: a negative extent.

    >>> import retrograd as rg
    >>> rg.random.bits(7, 0, 3)
    array([-2450217600087886713,  7690482641475171352,  7016733477187837617])
    >>> rg.random.bits(7, 2)
    7016733477187837617
    """
    return drawn(key, counter, shape)


@library_program
def default_rng(seed: Any = None) -> Generator:
    """A generator that begins at word 0 of the key `seed`.

    Args:
        seed: an int that is not negative. It has to be given: draws are a function of arguments.

    Raises:
        ValueError: a negative seed.
        UserError: no seed.

    >>> import numpy as np, retrograd as rg
    >>> def noisy(sigma):
    ...     rng = rg.random.default_rng(7)
    ...     return np.mean(rng.normal(0.0, sigma, size=1000) ** 2.0)
    >>> bool(np.isclose(rg.grad(noisy)(3.0), 2.0 * noisy(3.0) / 3.0))
    True
    """
    if seed is None:
        return unseeded()
    if seed < 0 or seed > 9223372036854775807:
        raise ValueError("expected a seed of at most 63 bits that is not negative")
    return Generator(seed, 0)


class Generator:
    """Random numbers with the methods of NumPy's `Generator`.

    `size` is None for one number (or as many as the parameters have elements), an int, or a tuple.

    Attributes:
        key: which stream of words it takes.
        counter: how many of them have been taken.

    >>> import numpy as np, retrograd as rg
    >>> rng = rg.random.default_rng(7)
    >>> float(rng.random()) == np.random.Generator(np.random.Philox(key=7)).random()
    True
    >>> rng.integers(1, 7, size=5)
    array([2, 3, 3, 1, 5])
    >>> rng.counter
    6
    >>> again = rg.random.Generator(rng.key, 0)
    """

    def __init__(self, key: Any, counter: Any = 0) -> None:
        self.key = key
        self.counter = counter

    def words(self, size: Any = None) -> Any:
        """The next words, as `bits` gives them."""
        found = bits(self.key, self.counter, size)
        self.counter = self.counter + (1 if size is None else found.size)
        return found

    @library_program
    def random(self, size: Any = None) -> Any:
        """Floats in [0, 1)."""
        return uniform_of(self.words(size))

    @library_program
    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Floats from `low` to before `high`, numbers or arrays."""
        return low + (high - low) * uniform_of(self.words(_size(size, low, high)))

    @library_program
    def standard_normal(self, size: Any = None) -> Any:
        """Floats of the normal distribution with mean 0 and standard deviation 1."""
        return normal_of(self.words(size))

    @library_program
    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Floats of a normal distribution; `loc` and `scale` are numbers or arrays.

        Raises:
            ValueError: a negative scale.
        """
        _positive(scale)
        return loc + scale * normal_of(self.words(_size(size, loc, scale)))

    @library_program
    def standard_exponential(self, size: Any = None) -> Any:
        """Floats of the exponential distribution with mean 1."""
        return exponential_of(self.words(size))

    @library_program
    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """Floats of the exponential distribution with mean `scale`, a number or an array.

        Raises:
            ValueError: a negative scale.
        """
        _positive(scale)
        return scale * exponential_of(self.words(_size(size, scale, scale)))

    @library_program
    def integers(self, low: Any, high: Any = None, size: Any = None, endpoint: Any = False) -> Any:
        """Ints from `low` to before `high` (with `endpoint`, to `high`); of one bound from 0.

        A number takes one word, so of n ints some come up more often than others: by n / 2**62.

        Raises:
            ValueError: no int lies between the bounds, or 2**62 and more do.
        """
        first, end = (0, low) if high is None else (low, high)
        count = end - first + 1 if endpoint else end - first
        if not 0 < count < 4611686018427387904:
            raise ValueError("low >= high, or 2**62 ints between them")
        return first + at_most(self.words(size), count)

    @library_program
    def permutation(self, x: Any) -> Any:
        """The ints below `x` in a random order, or the elements (rows) of an array: a copy."""
        if isinstance(x, (int, np.integer)):
            return np.argsort(self.words(x), kind="stable")
        return np.asarray(x)[np.argsort(self.words(len(x)), kind="stable")]

    @library_program
    def shuffle(self, x: Any) -> None:
        """Puts the elements (rows) of an array in a random order, in place."""
        x[:] = x[np.argsort(self.words(len(x)), kind="stable")]

    @library_program
    def choice(self, a: Any, size: Any = None, replace: Any = True, p: Any = None) -> Any:
        """Elements (rows) of an array, or of the ints below `a`.

        Args:
            a: an array, or an int.
            size: how many.
            replace: whether an element may come up more than once, True or False.
            p: the probability of each element.

        Raises:
            ValueError: without `replace`, more elements than there are.
        """
        whole = isinstance(a, (int, np.integer))
        n = a if whole else len(a)
        if not replace:
            places = self._distinct(n, size, p)
        elif p is None:
            places = self.integers(0, n, size)
        else:
            sums = np.cumsum(p)
            places = np.searchsorted(sums / sums[-1], self.random(size), side="right")
        return places if whole else np.asarray(a)[places]

    def _distinct(self, n: Any, size: Any, p: Any) -> Any:
        """Places that are different. With probabilities: those that come first in a race of
        exponential clocks."""
        if (1 if size is None else size) > n:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        order = self.permutation(n)
        if p is not None:
            rates = np.where(p > 0.0, p, 1.0)
            times = np.where(p > 0.0, exponential_of(self.words(n)) / rates, np.inf)
            order = np.argsort(times, kind="stable")
        return order[0] if size is None else order[:size]

    @library_program
    def spawn(self, n_children: Any) -> Any:
        """A list of so many generators, whose streams have nothing to do with each other.

        Their keys are the next words of this one.
        """
        return [Generator(self.words(), 0) for _ in range(n_children)]


def _size(size: Any, one: Any, other: Any) -> Any:
    """The shape of numbers with these parameters."""
    if size is None and (np.ndim(one) > 0 or np.ndim(other) > 0):
        return (one + other).shape
    return size


def _positive(scale: Any) -> None:
    if np.any(scale < 0.0):
        raise ValueError("scale < 0")
