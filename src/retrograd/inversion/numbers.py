"""Fixed-point and logarithmic numbers: sums that are undone to the bit, products without drift."""

from __future__ import annotations

from typing import Any

import numpy as np

from retrograd.api.products import stop_gradient
from retrograd.tracebacks import library_program

__all__ = ["Fixed", "Logarithmic", "fixed", "logarithmic"]

# A class of arrays and numbers alike, which programs compile along: nothing in it has a type.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

_LIMIT = 1048576.0  # 2 ** 20
_UNIT = 1.1368683772161603e-13  # 2 ** -43


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
        """The numbers as floats: 2^-43 as a literal, which machine code knows."""
        return self.units * 1.1368683772161603e-13 + (self.slope - stop_gradient(self.slope))

    def __len__(self) -> int:
        return len(self.units)

    def __getitem__(self, index: Any) -> Fixed:
        return Fixed(self.units[index], self.slope[index])

    def __setitem__(self, index: Any, value: Fixed) -> None:
        self.units[index] = value.units
        self.slope[index] = value.slope

    def __iadd__(self, change: Any) -> Fixed:
        change = _read(change)
        if isinstance(self.units, np.ndarray):
            _check(change, self.units * _UNIT + change)
            self.units += _rounded(change)
            self.slope += change
            return self
        return Fixed(int(self.units) + _rounded(change), self.slope + change)

    def __isub__(self, change: Any) -> Fixed:
        change = _read(change)
        if isinstance(self.units, np.ndarray):
            _check(change, self.units * _UNIT - change)
            self.units -= _rounded(change)
            self.slope -= change
            return self
        return Fixed(int(self.units) - _rounded(change), self.slope - change)

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
    return value.floats if isinstance(value, Fixed | Logarithmic) else value


def _check(change: Any, ends: Any) -> None:
    """Refuses what an array of fixed-point numbers does not hold: its units would come round."""
    if not np.all((np.abs(change) < _LIMIT) & (np.abs(ends) < _LIMIT)):
        raise OverflowError("fixed-point numbers are below 2 ** 20 in size")


def _rounded(change: Any) -> Any:
    """A float as a number of units, 2^43 of which are 1."""
    scaled = change * 8796093022208.0
    return np.rint(scaled).astype(np.int64) if isinstance(scaled, np.ndarray) else round(scaled)


@library_program
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


class Logarithmic:
    """Positive numbers by their logarithms; made by `logarithmic`.

    They read as floats, by arithmetic or as `x.floats`; sums, products and powers of them are
    logarithmic again, however large or small. Only `*=` and `/=` change them.

    Attributes:
        logs: the natural logarithms, floats. Cotangents in `rg.adjoint` are of these.
    """

    def __init__(self, logs: Any) -> None:
        self.logs = logs

    @property
    def floats(self) -> Any:
        """The numbers as floats."""
        return np.exp(self.logs)

    def __len__(self) -> int:
        return len(self.logs)

    def __getitem__(self, index: Any) -> Logarithmic:
        return Logarithmic(self.logs[index])

    def __setitem__(self, index: Any, value: Logarithmic) -> None:
        self.logs[index] = value.logs

    def __imul__(self, factor: Any) -> Logarithmic:
        if isinstance(self.logs, np.ndarray):
            self.logs += log_of(factor)
            return self
        return Logarithmic(self.logs + log_of(factor))

    def __itruediv__(self, factor: Any) -> Logarithmic:
        if isinstance(self.logs, np.ndarray):
            self.logs -= log_of(factor)
            return self
        return Logarithmic(self.logs - log_of(factor))

    def __iadd__(self, change: Any) -> Logarithmic:
        raise TypeError("logarithmic numbers are changed by *= and /= only")

    def __isub__(self, change: Any) -> Logarithmic:
        raise TypeError("logarithmic numbers are changed by *= and /= only")

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Logarithmic):
            return Logarithmic(self.logs + other.logs)
        return self.floats * other

    def __rmul__(self, other: Any) -> Any:
        return other * self.floats

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Logarithmic):
            return Logarithmic(self.logs - other.logs)
        return self.floats / other

    def __rtruediv__(self, other: Any) -> Any:
        return other / self.floats

    def __pow__(self, other: Any) -> Logarithmic:
        return Logarithmic(self.logs * other)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Logarithmic):
            return Logarithmic(np.logaddexp(self.logs, other.logs))
        return self.floats + other

    def __radd__(self, other: Any) -> Any:
        return other + self.floats

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Logarithmic):
            return Logarithmic(self.logs + np.log1p(-np.exp(other.logs - self.logs)))
        return self.floats - other

    def __rsub__(self, other: Any) -> Any:
        return other - self.floats

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.floats, dtype)

    def __repr__(self) -> str:
        return f"logarithmic({self.floats})"


def log_of(value: Any) -> Any:
    """The natural logarithm of numbers, logarithmic or not."""
    return value.logs if isinstance(value, Logarithmic) else np.log(value)


@library_program
def logarithmic(x: Any) -> Logarithmic:
    """Positive numbers by their logarithms, which reversible functions multiply and divide.

    Args:
        x: a float, or an array of floats, above 0.

    Returns:
        Numbers that read as floats and are changed by `*=` and `/=` only.

    Raises:
        ValueError: a number is not above 0.

    Source: Liu and Zhao 2020 (`ULogarithmic`).

    >>> import numpy as np, retrograd as rg
    >>> @rg.reversible
    ... def power(y, x, n):
    ...     for _ in range(n):
    ...         y *= x
    >>> y = rg.logarithmic(np.array([1.0]))
    >>> power(y, 2.0, 10)
    >>> y.floats
    array([1024.])
    """
    if not np.all(x > 0.0):
        raise ValueError("logarithmic numbers are above 0")
    return Logarithmic(np.log(x))
