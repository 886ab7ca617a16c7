"""NumPy's older random numbers of a seed: what `np.random.RandomState(seed)` is in programs.

Its numbers are NumPy's to the bit, but that those which need a logarithm may differ in the last
digit: that of native code is its own.

M. Matsumoto and T. Nishimura, Mersenne Twister: a 623-dimensionally equidistributed uniform
pseudo-random number generator, 1998; G. Marsaglia and T. A. Bray, A convenient method for
generating normal variables, 1964.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain import pcg
from retrograd.frontend.library.plain.axes import is_sequence
from retrograd.frontend.library.plain.told import once, refuse, unseeded

__all__ = ["RandomState", "seeded"]

np: Any = numpy

_MASK = 0xFFFFFFFF
_WORDS, _AHEAD = 624, 397
_TWIST = 0x9908B0DF


def seeded(seed: Any = None) -> Any:
    """`np.random.RandomState` of an int."""
    if seed is None:
        return unseeded()
    if is_sequence(seed) or np.ndim(seed) != 0 or isinstance(seed, (float, np.floating, str)):
        refuse("np.random.RandomState of what is no int", "give it an int of 32 bits")
    if seed < 0 or seed > _MASK:
        raise ValueError("Seed must be between 0 and 2**32 - 1")
    words = np.zeros(_WORDS, dtype=int)  # whose length makes loops, where a number is unrolled
    word = seed
    for k in range(len(words)):
        words[k] = word
        word = (1812433253 * (word ^ (word >> 30)) + k + 1) & _MASK
    return RandomState(words)


class RandomState(pcg.Draws):
    """`np.random.RandomState`.

    Attributes:
        words: the state.
        place: the next word of it; at its end there are new ones.
        spare: the second of two normal numbers that are made at once.
        has_spare: whether there is one.
    """

    def __init__(self, words: Any) -> None:
        self.words = words
        self.place = _WORDS
        self.spare = 0.0
        self.has_spare = False

    def _twisted(self) -> None:
        """The next words of the state."""
        words = self.words
        for k in range(len(words)):
            both = (words[k] & 0x80000000) | (words[(k + 1) % _WORDS] & 0x7FFFFFFF)
            words[k] = words[(k + _AHEAD) % _WORDS] ^ (both >> 1) ^ ((both & 1) * _TWIST)
        self.place = 0

    def _half(self) -> Any:
        if self.place == _WORDS:
            self._twisted()
        y = self.words[self.place]
        self.place += 1
        y = y ^ (y >> 11)
        y = y ^ ((y << 7) & 0x9D2C5680)
        y = y ^ ((y << 15) & 0xEFC60000)
        return y ^ (y >> 18)

    def _double(self) -> Any:
        high = self._half() >> 5
        low = self._half() >> 6
        return (high * 67108864 + low) / 9007199254740992.0

    def _normal(self) -> Any:
        if self.has_spare:
            self.has_spare = False
            return self.spare
        square = 0.0
        x = y = 0.0
        while square >= 1.0 or square == 0.0:
            x = 2.0 * self._double() - 1.0
            y = 2.0 * self._double() - 1.0
            square = once(x * x) + once(y * y)
        factor = np.sqrt(-2.0 * np.log(square) / square)
        self.spare, self.has_spare = factor * x, True
        return factor * y

    def _exponential(self) -> Any:
        return -np.log(1.0 - self._double())

    def rand(self, *shape: Any) -> Any:
        return self._double() if len(shape) == 0 else self.random(shape)

    def randn(self, *shape: Any) -> Any:
        return self._normal() if len(shape) == 0 else self.standard_normal(shape)

    def random_sample(self, size: Any = None) -> Any:
        return self.random(size)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        first, end = (0, low) if high is None else (low, high)
        if is_sequence(first) or is_sequence(end) or np.ndim(first) != 0 or np.ndim(end) != 0:
            refuse("randint between arrays", "draw between numbers, in a loop")
        if dtype not in (int, np.int64, "int64", "int"):
            refuse("randint of this dtype", "they have 64 bits here: leave dtype out")
        most = end - first - 1
        if most < 0:
            raise ValueError("low >= high")
        if most > _MASK:
            raise ValueError("2**32 ints or fewer are drawn between in programs")
        if most == 0:
            return first + (0 if size is None else np.zeros(size, dtype=int))
        if size is None:
            return first + self._at_most(most)
        out = np.empty(pcg.count_of(size), dtype=int)
        for k in range(len(out)):
            out[k] = first + self._at_most(most)
        return out.reshape(size)

    def choice(self, a: Any, size: Any = None, replace: Any = True, p: Any = None) -> Any:
        whole = not is_sequence(a) and np.ndim(a) == 0
        n = a if whole else len(a)
        if n < 1:
            raise ValueError("a must be greater than 0 unless no samples are taken")
        if not replace:
            if p is not None:
                refuse("choice without replacement by probabilities", "rg.random has it")
            count = 1 if size is None else pcg.count_of(size)
            if count > n:
                text = "Cannot take a larger sample than population when 'replace=False'"
                raise ValueError(text)
            every = self.permutation(n)[:count]
            places = every[0] if size is None else every.reshape(size)
        elif p is None:
            places = self.randint(0, n, size)
        else:
            places = self._weighted(np.asarray(p) * 1.0, n, size)
        return places if whole else np.asarray(a)[places]
