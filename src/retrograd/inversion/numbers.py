"""Fixed-point numbers: additions that are undone to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from retrograd.api.products import stop_gradient

__all__ = ["Fixed", "fixed"]

# A class of arrays and numbers alike, which programs compile along: nothing in it has a type.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

_UNITS = 8796093022208.0  # 2 ** 43
_LIMIT = 1048576.0  # 2 ** 20


class Fixed:
    """Numbers with 20 bits before the point and 43 after it; made by `fixed`.

    They read as floats, by arithmetic or as `x.floats`. Only `+=` and `-=` change them, by what is
    added, rounded to a multiple of 2^-43: so they undo each other to the bit.

    Attributes:
        units: ints, of which 2^43 are 1.
        slope: floats, of which only the derivatives count. They change as the numbers do.
    """

    def __init__(self, units: Any, slope: Any) -> None:
        self.units = units
        self.slope = slope

    @property
    def floats(self) -> Any:
        """The numbers as floats."""
        return self.units / _UNITS + (self.slope - stop_gradient(self.slope))

    def __len__(self) -> int:
        return len(self.units)

    def __getitem__(self, index: Any) -> Fixed:
        return Fixed(self.units[index], self.slope[index])

    def __setitem__(self, index: Any, value: Fixed) -> None:
        self.units[index] = value.units
        self.slope[index] = value.slope

    def __iadd__(self, change: Any) -> Fixed:
        if isinstance(self.units, np.ndarray):
            self.units += _rounded(change)
            self.slope += change
            return self
        return Fixed(self.units + _rounded(change), self.slope + change)

    def __isub__(self, change: Any) -> Fixed:
        if isinstance(self.units, np.ndarray):
            self.units -= _rounded(change)
            self.slope -= change
            return self
        return Fixed(self.units - _rounded(change), self.slope - change)

    def __add__(self, other: Any) -> Any:
        return self.floats + _read(other)

    def __radd__(self, other: Any) -> Any:
        return other + self.floats

    def __sub__(self, other: Any) -> Any:
        return self.floats - _read(other)

    def __rsub__(self, other: Any) -> Any:
        return other - self.floats

    def __mul__(self, other: Any) -> Any:
        return self.floats * _read(other)

    def __rmul__(self, other: Any) -> Any:
        return other * self.floats

    def __truediv__(self, other: Any) -> Any:
        return self.floats / _read(other)

    def __rtruediv__(self, other: Any) -> Any:
        return other / self.floats

    def __pow__(self, other: Any) -> Any:
        return self.floats ** _read(other)

    def __neg__(self) -> Any:
        return -self.floats

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.floats, dtype)

    def __repr__(self) -> str:
        return f"fixed({self.floats})"


def _read(value: Any) -> Any:
    return value.floats if isinstance(value, Fixed) else value


def _rounded(change: Any) -> Any:
    """A float as a number of units."""
    scaled = np.rint(change * _UNITS)
    return scaled.astype(np.int64) if isinstance(scaled, np.ndarray) else int(scaled)


def fixed(x: Any) -> Fixed:
    """An array of floats as fixed-point numbers, of which reversible functions drift by nothing.

    Args:
        x: an array of floats, each below 2^20 in size.

    Returns:
        Numbers that read as floats and are changed by `+=` and `-=` only.

    Raises:
        OverflowError: a number is too large.

    Source: Liu and Zhao 2020 (`Fixed43`).

    >>> import numpy as np, retrograd as rg
    >>> @rg.reversible
    ... def step(x, v):
    ...     v -= 0.1 * x
    ...     x += 0.1 * v
    >>> x, v = rg.fixed(np.array([1.0])), rg.fixed(np.array([0.3]))
    >>> step(x, v)
    >>> rg.inverse(step)(x, v)
    >>> x.units == rg.fixed(np.array([1.0])).units
    array([ True])
    """
    if np.any(np.abs(x) >= _LIMIT):
        raise OverflowError("fixed-point numbers are below 2 ** 20 in size")
    return Fixed(_rounded(x), x.copy())
