"""NumPy's random numbers of a seed, to the bit: what `np.random.default_rng(seed)` is in programs.
In the tails the last digit is that of `log1p`, which native code has of its own.

A program of whole numbers: each draw is a function of the seed and of what was drawn before, so a
sweep that runs again draws the same. Words are kept in halves of 32 bits, whose products fit into
an int.

M. E. O'Neill, PCG: a family of simple fast space-efficient statistically good algorithms for random
number generation, 2014 (PCG XSL RR 128/64); D. Lemire, Fast random integer generation in an
interval, 2019; R. W. Floyd, in J. Bentley, Programming pearls: a sample of brilliance, 1987.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from retrograd.frontend.library.plain import ziggurat
from retrograd.frontend.library.plain.axes import is_sequence
from retrograd.frontend.library.plain.told import once, refuse, unseeded

__all__ = ["Draws", "Generator", "count_of", "seeded"]

np: Any = numpy

_MASK = 0xFFFFFFFF
_FACTOR = (0x9FCCF645, 0x4385DF64, 0x1FC65DA4, 0x2360ED05)
"""What the state is multiplied by, the lowest part first."""

_NORMAL, _EXPONENTIAL = ziggurat.normal(), ziggurat.exponential()
_INSIDE, _WIDTHS, _HEIGHTS = map(np.array, (_NORMAL.inside, _NORMAL.widths, _NORMAL.heights))
_INSIDE_E, _WIDTHS_E = map(np.array, (_EXPONENTIAL.inside, _EXPONENTIAL.widths))
_HEIGHTS_E = np.array(_EXPONENTIAL.heights)
_END, _END_E = ziggurat.NORMAL_END, ziggurat.EXPONENTIAL_END
_INVERSE_END = 0.27366123732975828


def _product(a: Any, b: Any) -> Any:
    """The halves of a product, the lower one first."""
    low, high = (a & 0xFFFF) * b, (a >> 16) * b
    total = low + ((high & 0xFFFF) << 16)
    return total & _MASK, (total >> 32) + (high >> 16)


def _lower(a: Any, b: Any) -> Any:
    """The lower half of a product."""
    return ((a & 0xFFFF) * b + ((((a >> 16) * b) & 0xFFFF) << 16)) & _MASK


def _stepped(s: Any, c: Any) -> Any:
    """The next state: times a factor, plus what belongs to the stream."""
    f = _FACTOR
    (r00, h00), (r01, h01), (r02, h02) = [_product(s[0], f[k]) for k in range(3)]
    (r10, h10), (r11, h11) = [_product(s[1], f[k]) for k in range(2)]
    r20, h20 = _product(s[2], f[0])
    last = _lower(s[0], f[3]) + _lower(s[1], f[2]) + _lower(s[2], f[1]) + _lower(s[3], f[0])
    one = r00 + c[0]
    two = (one >> 32) + h00 + r01 + r10 + c[1]
    three = (two >> 32) + h01 + h10 + r02 + r11 + r20 + c[2]
    four = (three >> 32) + h02 + h11 + h20 + last + c[3]
    return one & _MASK, two & _MASK, three & _MASK, four & _MASK


def _hashed(value: Any, key: Any, factor: Any) -> Any:
    """A word of a seed, mixed with a key, and the next key."""
    following = _lower(key, factor)
    found = _lower(value ^ key, following)
    return found ^ (found >> 16), following


def _words_of_seed(seed: Any) -> Any:
    """Eight words of 32 bits, by NumPy's `SeedSequence`."""
    pool = np.zeros(4, dtype=int)
    key = 0x43B0D7E5
    for k in range(4):
        word = seed & _MASK if k == 0 else seed >> 32 if k == 1 else 0
        pool[k], key = _hashed(word, key, 0x931E8875)
    for source in range(4):
        for target in range(4):
            if source != target:
                mixed, key = _hashed(pool[source], key, 0x931E8875)
                found = (_lower(pool[target], 0xCA01F9DD) - _lower(mixed, 0x4973F715)) & _MASK
                pool[target] = found ^ (found >> 16)
    words = np.zeros(8, dtype=int)
    key = 0x8B51F9DD
    for k in range(8):
        words[k], key = _hashed(pool[k % 4], key, 0x58F38DED)
    return words


def seeded(seed: Any = None) -> Any:
    """`np.random.default_rng` of an int."""
    if isinstance(seed, Generator):
        return seed
    if seed is None:
        return unseeded()
    if is_sequence(seed) or np.ndim(seed) != 0 or isinstance(seed, (float, np.floating, str)):
        refuse("np.random.default_rng of what is no int", "give it an int of at most 63 bits")
    if seed < 0:
        raise ValueError("expected non-negative integer")
    w = _words_of_seed(seed)
    # The stream is twice its words plus one; the state begins at the stream plus the others.
    c0 = (w[6] << 1 | 1) & _MASK
    c1, c2, c3 = (w[7] << 1 | w[6] >> 31), (w[4] << 1 | w[7] >> 31), (w[5] << 1 | w[4] >> 31)
    c = (c0, c1 & _MASK, c2 & _MASK, c3 & _MASK)
    one = c[0] + w[2]
    two = (one >> 32) + c[1] + w[3]
    three = (two >> 32) + c[2] + w[0]
    four = (three >> 32) + c[3] + w[1]
    state = (one & _MASK, two & _MASK, three & _MASK, four & _MASK)
    return Generator(_stepped(state, c), c)


class Draws:
    """What generators make of `_half`, 32 bits, `_double`, `_normal` and `_exponential`."""

    _half: Callable[..., Any]
    _double: Callable[..., Any]
    _normal: Callable[..., Any]
    _exponential: Callable[..., Any]

    def random(self, size: Any = None) -> Any:
        if size is None:
            return self._double()
        out = np.empty(count_of(size))
        for k in range(len(out)):
            out[k] = self._double()
        return out.reshape(size)

    def standard_normal(self, size: Any = None) -> Any:
        if size is None:
            return self._normal()
        out = np.empty(count_of(size))
        for k in range(len(out)):
            out[k] = self._normal()
        return out.reshape(size)

    def standard_exponential(self, size: Any = None) -> Any:
        if size is None:
            return self._exponential()
        out = np.empty(count_of(size))
        for k in range(len(out)):
            out[k] = self._exponential()
        return out.reshape(size)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        width = np.asarray(high) * 1.0 - np.asarray(low)
        if not np.all(np.isfinite(width)):
            raise OverflowError("high - low range exceeds valid bounds")
        if np.any(width < 0.0):
            raise ValueError("low > high")
        return once(width * self.random(_shape(size, low, high))) + low

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        _not_negative(scale)
        return once(scale * self.standard_normal(_shape(size, loc, scale))) + loc

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
        return np.exp(self.normal(mean, sigma, size))

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        _not_negative(scale)
        return scale * self.standard_exponential(_shape(size, scale, scale))

    def _at_most(self, most: Any) -> Any:
        """An int from zero to `most`, which is below 2**32: words without the bits above."""
        bits = 0
        while (1 << bits) <= most:
            bits += 1
        found = self._half() & ((1 << bits) - 1)
        while found > most:
            found = self._half() & ((1 << bits) - 1)
        return found

    def _ordered(self, places: Any) -> None:
        """Puts all in a random order."""
        for k in range(len(places) - 1, 0, -1):
            other = self._at_most(k)
            kept = places[k]
            places[k] = places[other]
            places[other] = kept

    def permutation(self, x: Any) -> Any:
        whole = not is_sequence(x) and np.ndim(x) == 0
        places = np.arange(x if whole else len(x))
        self._ordered(places)
        return places if whole else np.asarray(x)[places]

    def shuffle(self, x: Any) -> None:
        if is_sequence(x):
            refuse("shuffle of a list", "shuffle an array, or take rng.permutation(l)")
        places = np.arange(len(x))
        self._ordered(places)
        x[:] = np.asarray(x)[places]

    def _weighted(self, p: Any, n: Any, size: Any) -> Any:
        if len(p) != n:
            raise ValueError("a and p must have same size")
        if np.any(p < 0.0):
            raise ValueError("Probabilities are not non-negative")
        if np.abs(np.sum(p) - 1.0) > 1.5e-8:
            raise ValueError("Probabilities do not sum to 1.")
        sums = np.cumsum(p)
        return np.searchsorted(sums / sums[-1], self.random(size), side="right")


class Generator(Draws):
    """`np.random.Generator` with `np.random.PCG64`.

    Attributes:
        state: that of the stream of words, in four parts.
        stream: which stream it is.
        kept: the upper half of a word of which the lower one has been used, or -1.
    """

    def __init__(self, state: Any, stream: Any) -> None:
        self.state = state
        self.stream = stream
        self.kept = -1

    def _word(self) -> Any:
        """The next word in halves, the lower one first."""
        self.state = _stepped(self.state, self.stream)
        s = self.state
        low, high, turn = s[2] ^ s[0], s[3] ^ s[1], s[3] >> 26
        if turn >= 32:
            low, high = high, low
        turn = turn & 31
        part = (1 << turn) - 1
        rest = 32 - turn
        return (low >> turn) | ((high & part) << rest), (high >> turn) | ((low & part) << rest)

    def _half(self) -> Any:
        """The next 32 bits: words are used up by halves."""
        if self.kept >= 0:
            found = self.kept
            self.kept = -1
        else:
            found, self.kept = self._word()
        return found

    def _double(self) -> Any:
        low, high = self._word()
        return ((high << 21) | (low >> 11)) * 1.1102230246251565e-16

    def _below(self, count: Any) -> Any:
        """An int from zero to before `count`, which is at most 2**32."""
        if count == 1:
            return 0
        if count == 4294967296:
            return self._half()
        low, high = _product(count, self._half())
        if low < count:
            least = (4294967296 - count) % count
            while low < least:
                low, high = _product(count, self._half())
        return high

    def _normal(self) -> Any:
        while True:
            low, high = self._word()
            place, size = low & 255, ((high & 0x1FFFFFFF) << 23) | (low >> 9)
            x = size * _WIDTHS[place]
            if (low >> 8) & 1 == 1:
                x = -x
            if size < _INSIDE[place]:
                return x
            if place == 0:
                return self._tail((size >> 8) & 1)
            step = once((_HEIGHTS[place - 1] - _HEIGHTS[place]) * self._double())
            if step + _HEIGHTS[place] < np.exp(-0.5 * x * x):
                return x

    def _tail(self, side: Any) -> Any:
        while True:
            x = -_INVERSE_END * np.log1p(-self._double())
            y = -np.log1p(-self._double())
            if y + y > x * x:
                return -(_END + x) if side == 1 else _END + x

    def _exponential(self) -> Any:
        while True:
            low, high = self._word()
            place, size = (low >> 3) & 255, (high << 21) | (low >> 11)
            x = size * _WIDTHS_E[place]
            if size < _INSIDE_E[place]:
                return x
            if place == 0:
                return _END_E - np.log1p(-self._double())
            step = once((_HEIGHTS_E[place - 1] - _HEIGHTS_E[place]) * self._double())
            if step + _HEIGHTS_E[place] < np.exp(-x):
                return x

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64,
        endpoint: Any = False,
    ) -> Any:  # fmt: skip
        first, end = (0, low) if high is None else (low, high)
        if is_sequence(first) or is_sequence(end) or np.ndim(first) != 0 or np.ndim(end) != 0:
            refuse("integers between arrays", "draw between numbers, in a loop")
        if dtype not in (int, np.int64, "int64", "int"):
            refuse("integers of this dtype", "they have 64 bits here: leave dtype out")
        count = end - first + 1 if endpoint else end - first
        if count < 1:
            raise ValueError("low >= high")
        if count > 4294967296:
            raise ValueError("2**32 ints or fewer are drawn between in programs")
        if size is None:
            return first + self._below(count)
        out = np.empty(count_of(size), dtype=int)
        for k in range(len(out)):
            out[k] = first + self._below(count)
        return out.reshape(size)

    def _shuffle(self, places: Any, first: Any) -> None:
        """Puts those from a place on in a random order with all, as `choice` does."""
        for k in range(len(places) - 1, first - 1, -1):
            other = self._below(k + 1)
            kept = places[k]
            places[k] = places[other]
            places[other] = kept

    def choice(self, a: Any, size: Any = None, replace: Any = True, p: Any = None) -> Any:
        whole = not is_sequence(a) and np.ndim(a) == 0
        n = a if whole else len(a)
        if n < 1:
            raise ValueError("a must be a positive integer unless no samples are taken")
        if not replace:
            if p is not None:
                refuse("choice without replacement by probabilities", "rg.random has it")
            places = self._distinct(n, size)
        elif p is None:
            places = self.integers(0, n, size)
        else:
            places = self._weighted(np.asarray(p) * 1.0, n, size)
        return places if whole else np.asarray(a)[places]

    def _distinct(self, n: Any, size: Any) -> Any:
        """Different ints below n, in a random order."""
        count = 1 if size is None else count_of(size)
        if count > n:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        if n > 10000 and count > n // 50:
            every = np.arange(n)
            self._shuffle(every, max(n - count, 1))
            found = every[n - count :]
        else:
            taken, found = np.zeros(n, dtype=bool), np.zeros(count, dtype=int)
            for last in range(n - count, n):
                one = self._below(last + 1)
                if taken[one]:
                    one = last
                taken[one] = True
                found[last - n + count] = one
            self._shuffle(found, 1)
        return found[0] if size is None else found.reshape(size)


def count_of(size: Any) -> Any:
    """How many numbers an array of this shape has."""
    if not is_sequence(size):
        return size
    total = 1
    for extent in size:
        total = total * extent
    return total


def _shape(size: Any, one: Any, other: Any) -> Any:
    """The shape of numbers with these parameters."""
    if size is None and (np.ndim(one) > 0 or np.ndim(other) > 0):
        return (np.asarray(one) + np.asarray(other)).shape
    return size


def _not_negative(scale: Any) -> None:
    if np.any(np.asarray(scale) < 0.0):
        raise ValueError("scale < 0")
