"""Functions of complex numbers, and of arrays of them, in terms of their real and imaginary parts.

Values, signed zeros and branch cuts are those of C99, NumPy and `cmath`; derivatives are those of
the formulas, which are written so that none of them is 0 times infinity where the function has a
derivative. On a branch cut it is the one from the side that the sign of the zero says.
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.told import pair

__all__ = [
    "added", "angle", "conjugate", "cos", "cosh", "divided", "divided_by_real", "equal", "exp",
    "expm1", "exp2", "finite", "infinite", "inverse_cos", "inverse_cosh", "inverse_sin",
    "inverse_sinh", "inverse_tan", "inverse_tanh", "isclose", "log", "log10", "log1p", "log2",
    "multiplied", "nan", "negative", "of_polar", "polar", "powered", "powered_by_real",
    "reciprocal", "sign", "sin", "sinh", "size", "sqrt", "square", "subtracted", "tan", "tanh",
    "unequal", "whole_power",
]  # fmt: skip

np: Any = numpy

_NEAR_BELOW, _NEAR_ABOVE = 0.71, 1.73
_LN2, _LN10 = 0.6931471805599453, 2.302585092994046


# Operators, of parts: a + bi and c + di.


def added(a: Any, b: Any, c: Any, d: Any) -> Any:
    return a + c, b + d


def subtracted(a: Any, b: Any, c: Any, d: Any) -> Any:
    return a - c, b - d


def multiplied(a: Any, b: Any, c: Any, d: Any) -> Any:
    return a * c - b * d, a * d + b * c


def divided(a: Any, b: Any, c: Any, d: Any) -> Any:
    """By Smith's method, as CPython and NumPy have it.

    Source: Smith 1962, "Algorithm 116: complex division".
    """
    first = np.abs(c) >= np.abs(d)
    large, small = np.where(first, c, d), np.where(first, d, c)
    ratio = small / np.where(large == 0.0, 1.0, large)
    divisor = large + small * ratio
    real = np.where(first, a, b) + np.where(first, b, a) * ratio
    imag = np.where(first, b, -a) - np.where(first, a, -b) * ratio
    return real / divisor, imag / divisor


def divided_by_real(a: Any, b: Any, c: Any) -> Any:
    """As above with d = 0, but for its ratio, which is a zero of the sign of c."""
    zero, divisor = np.copysign(0.0, c), c + 0.0
    return (a + b * zero) / divisor, (b - a * zero) / divisor


def powered(a: Any, b: Any, c: Any, d: Any) -> Any:
    """By polar coordinates, as CPython has it."""
    length, turned = np.hypot(a, b), np.arctan2(b, a)
    size = length**c * np.exp(-(turned * d))
    phase = turned * c + d * np.log(np.where(length == 0.0, 1.0, length))
    return size * np.cos(phase), size * np.sin(phase)


def powered_by_real(a: Any, b: Any, c: Any) -> Any:
    length, turned = np.hypot(a, b), np.arctan2(b, a)
    size, phase = length**c, turned * c
    return size * np.cos(phase), size * np.sin(phase)


def whole_power(z: Any, n: Any) -> Any:
    """z to the power of an int of the run, as CPython has it: by squares up to 100."""
    if n > 100 or n < -100:
        real, imag = powered_by_real(z.real, z.imag, 1.0 * n)
        return pair(real, imag)
    found, factor, left = pair(np.ones_like(z.real), np.zeros_like(z.imag)), z, abs(n)
    while left > 0:
        if left % 2 == 1:
            found = found * factor
        factor = factor * factor
        left = left // 2
    return 1.0 / found if n < 0 else found


def equal(a: Any, b: Any, c: Any, d: Any) -> Any:
    return (a == c) & (b == d)


def unequal(a: Any, b: Any, c: Any, d: Any) -> Any:
    return (a != c) | (b != d)


def negative(z: Any) -> Any:
    return pair(-z.real, -z.imag)


# Parts.


def conjugate(z: Any) -> Any:
    return pair(np.copy(z.real), -z.imag)


def size(z: Any) -> Any:
    """The absolute value; its derivative at zero is zero."""
    x, y = z.real, z.imag
    zero = (x == 0.0) & (y == 0.0)
    return np.where(zero, 0.0, np.hypot(np.where(zero, 1.0, x), y))


def angle(z: Any, deg: Any = False) -> Any:
    found = np.arctan2(z.imag, z.real)
    return found * (180.0 / np.pi) if deg else found


def polar(z: Any) -> Any:
    return size(z), angle(z)


def of_polar(r: Any, phi: Any) -> Any:
    return pair(r * np.cos(phi), r * np.sin(phi))


def sign(z: Any) -> Any:
    length = size(z)
    there = np.where(length == 0.0, 1.0, length)
    return pair(z.real / there, z.imag / there)


def nan(z: Any) -> Any:
    return np.logical_or(np.isnan(z.real), np.isnan(z.imag))


def infinite(z: Any) -> Any:
    return np.logical_or(np.isinf(z.real), np.isinf(z.imag))


def finite(z: Any) -> Any:
    return np.logical_and(np.isfinite(z.real), np.isfinite(z.imag))


def isclose(a: Any, b: Any, rel_tol: Any = 1e-9, abs_tol: Any = 0.0) -> Any:  # of `cmath`
    near = abs(a - b)
    return (a == b) | (
        (near <= np.maximum(rel_tol * np.maximum(abs(a), abs(b)), abs_tol)) & (near < np.inf)
    )


# Elementary functions.


def _scaled(length: Any, factor: Any) -> Any:
    """A product in which a zero stays one, also beside what has overflowed.

    Source: ISO C, annex G.6.3, on zeros of the imaginary part.
    """
    lost = (factor == 0.0) & np.isinf(length)
    return np.where(lost, factor * np.copysign(1.0, length), length * factor)


def exp(z: Any) -> Any:
    length = np.exp(z.real)
    return pair(length * np.cos(z.imag), _scaled(length, np.sin(z.imag)))


def exp2(z: Any) -> Any:
    return exp(pair(z.real * _LN2, z.imag * _LN2))


def expm1(z: Any) -> Any:
    half = np.sin(0.5 * z.imag)
    real = np.expm1(z.real) * np.cos(z.imag) - 2.0 * half * half
    return pair(real, _scaled(np.exp(z.real), np.sin(z.imag)))


def log(z: Any) -> Any:
    return pair(_log_of_size(z.real, z.imag), np.arctan2(z.imag, z.real))


def _log_of_size(x: Any, y: Any) -> Any:
    """Of numbers of a size near one, by how far their square is from one."""
    length = np.hypot(x, y)
    near = (length >= _NEAR_BELOW) & (length <= _NEAR_ABOVE)
    across = np.abs(x) >= np.abs(y)
    large, small = np.where(across, x, y), np.where(across, y, x)
    large = large * np.copysign(1.0, large)
    off = np.where(near, (large - 1.0) * (large + 1.0) + small * small, 0.0)
    return 0.5 * np.log1p(off) + np.log(np.where(near, 1.0, length))


def log2(z: Any) -> Any:
    return log(z) / _LN2


def log10(z: Any) -> Any:
    return log(z) / _LN10


def log1p(z: Any) -> Any:
    x, y = z.real, z.imag
    small = (np.abs(x) < 0.5) & (np.abs(y) < 0.5)
    off = np.where(small, (2.0 + x) * x + y * y, 0.0)
    far = _log_of_size(np.where(small, 1.0, 1.0 + x), np.where(small, 0.0, y))
    return pair(0.5 * np.log1p(off) + far, np.arctan2(y, 1.0 + x))


def sqrt(z: Any) -> Any:
    x, y = z.real, z.imag
    right, zero = x >= 0.0, (x == 0.0) & (y == 0.0)
    root = np.sqrt(0.5 * (np.hypot(x, y) + np.where(right, x, -x)))
    # At zero the slope is infinite, which the zero that is taken off says of this part, too.
    other = np.where(zero, y - 0.0 * root, y / (2.0 * np.where(zero, 1.0, root)))
    side = np.copysign(1.0, y)
    return pair(np.where(right, root, side * other), np.where(right, other, side * root))


def square(z: Any) -> Any:
    return z * z


def reciprocal(z: Any) -> Any:
    x, y = z.real, z.imag
    first = np.abs(x) >= np.abs(y)
    large, small = np.where(first, x, y), np.where(first, y, x)
    ratio = small / large
    divisor = large + small * ratio
    return pair(np.where(first, 1.0, ratio) / divisor, -np.where(first, ratio, 1.0) / divisor)


def sin(z: Any) -> Any:
    x, y = z.real, z.imag
    return pair(_scaled(np.cosh(y), np.sin(x)), np.cos(x) * np.sinh(y))


def cos(z: Any) -> Any:
    x, y = z.real, z.imag
    return pair(np.cos(x) * np.cosh(y), -_scaled(np.sinh(y), np.sin(x)))


def tan(z: Any) -> Any:
    found = tanh(pair(-z.imag, np.copy(z.real)))
    return pair(np.copy(found.imag), -found.real)


def sinh(z: Any) -> Any:
    x, y = z.real, z.imag
    return pair(np.sinh(x) * np.cos(y), _scaled(np.cosh(x), np.sin(y)))


def cosh(z: Any) -> Any:
    x, y = z.real, z.imag
    return pair(np.cosh(x) * np.cos(y), _scaled(np.sinh(x), np.sin(y)))


def tanh(z: Any) -> Any:
    """Source: Kahan 1987, "Branch cuts for complex elementary functions"."""
    far = np.abs(z.real) > 350.0  # where the squares would overflow
    along, across = np.tanh(z.real), np.tan(z.imag)
    shrunk = np.where(far, 0.0, 1.0 / np.cosh(np.where(far, 0.0, z.real)))
    both = along * across
    divisor = 1.0 + both * both
    real = along * (1.0 + across * across) / divisor
    return pair(np.where(far, along, real), across / divisor * shrunk * shrunk)


def inverse_sin(z: Any) -> Any:
    found = inverse_sinh(pair(-z.imag, np.copy(z.real)))
    return pair(np.copy(found.imag), -found.real)


def inverse_cos(z: Any) -> Any:
    left = sqrt(pair(1.0 - z.real, -z.imag))
    right = sqrt(pair(1.0 + z.real, np.copy(z.imag)))
    real = 2.0 * np.arctan2(left.real, right.real)
    return pair(real, np.arcsinh(right.real * left.imag - right.imag * left.real))


def inverse_tan(z: Any) -> Any:
    found = inverse_tanh(pair(-z.imag, np.copy(z.real)))
    return pair(np.copy(found.imag), -found.real)


def inverse_sinh(z: Any) -> Any:
    up, down = sqrt(pair(1.0 + z.imag, -z.real)), sqrt(pair(1.0 - z.imag, np.copy(z.real)))
    real = np.arcsinh(up.real * down.imag - down.real * up.imag)
    return pair(real, np.arctan2(z.imag, up.real * down.real - up.imag * down.imag))


def inverse_cosh(z: Any) -> Any:
    left = sqrt(pair(z.real - 1.0, np.copy(z.imag)))
    right = sqrt(pair(z.real + 1.0, np.copy(z.imag)))
    real = np.arcsinh(left.real * right.real + left.imag * right.imag)
    return pair(real, 2.0 * np.arctan2(left.imag, right.real))


def inverse_tanh(z: Any) -> Any:
    side = np.copysign(1.0, z.real)
    x, y = side * z.real, side * z.imag
    real = 0.25 * np.log1p(4.0 * x / ((1.0 - x) * (1.0 - x) + y * y))
    return pair(side * real, side * -0.5 * np.arctan2(-2.0 * y, (1.0 - x) * (1.0 + x) - y * y))
