"""Discrete Fourier transforms of columns, written out in Python as `written_arrays` is.

A transform of n = r * l numbers is r of l each, of sums with factors on the unit circle. The
numbers change places on the way (Stockham's order), so that there is no reversal of digits, and
the inner loops run over neighbours. Factors are 4, 2 and small primes; a length with a large prime
is a convolution of a length that is a power of two.

Sources: Cooley and Tukey 1965, "An algorithm for the machine calculation of complex Fourier
series"; Bluestein 1970, "A linear filtering approach to the computation of the discrete Fourier
transform".
"""

from __future__ import annotations

from typing import Any

import numpy

from retrograd.frontend.library.plain.told import WithRule

__all__ = ["transformed"]

np: Any = numpy

_LARGEST = 61
"""The largest prime by whose square a transform is done."""


def _transformed(real: Any, imag: Any, sign: Any) -> Any:
    left, prime = real.shape[0], 2
    while left > 1 and prime <= _LARGEST:  # a `for` of so few iterations would be unrolled
        if left % prime == 0:
            left = left // prime
        else:
            prime += 1
    if left > 1:
        return convolved(real, imag, sign)
    return staged(real, imag, sign)


def _rule(real: Any, imag: Any, sign: Any) -> Any:
    return _transformed(real, imag, sign), ()


def _pullback(sign: Any, kept: Any, bars: Any) -> Any:
    """The transposed matrix is that of the other sign."""
    return transformed(bars[0], bars[1], -sign)


transformed = WithRule("vjp", _transformed, (2,), _rule, _pullback)
"""The sums of x[k] * exp(sign * 2j * pi * j * k / n) for all j, of the columns of a matrix."""


def staged(real: Any, imag: Any, sign: Any) -> Any:
    n, columns = real.shape
    turns = np.arange(n) * (2.0 * np.pi / n)
    cosines, sines = np.cos(turns), sign * np.sin(turns)
    x, y = np.reshape(real, (n * columns,)).copy(), np.reshape(imag, (n * columns,)).copy()
    left, width, prime = n, columns, 3
    while left > 1:
        if left % 4 == 0:
            step = left // 4
            x, y = by_four(x, y, cosines, sines, step, width, sign)
            left, width = step, width * 4
        elif left % 2 == 0:
            step = left // 2
            x, y = by_two(x, y, cosines, sines, step, width)
            left, width = step, width * 2
        elif left % prime == 0:
            step = left // prime
            x, y = by_prime(x, y, cosines, sines, step, width, prime)
            left, width = step, width * prime
        else:
            prime += 2
    return np.reshape(x, (n, columns)), np.reshape(y, (n, columns))


def by_two(x: Any, y: Any, cosines: Any, sines: Any, step: Any, width: Any) -> Any:
    stride = len(cosines) // (2 * step)
    a, b = np.reshape(x, (2, step, width)), np.reshape(y, (2, step, width))
    c, d = np.zeros((step, 2, width)), np.zeros((step, 2, width))
    for j in range(step):
        u, v = cosines[j * stride], sines[j * stride]
        for k in range(width):
            p, q = a[0, j, k] - a[1, j, k], b[0, j, k] - b[1, j, k]
            c[j, 0, k] = a[0, j, k] + a[1, j, k]
            d[j, 0, k] = b[0, j, k] + b[1, j, k]
            c[j, 1, k] = p * u - q * v
            d[j, 1, k] = p * v + q * u
    size = 2 * step * width
    return np.reshape(c, (size,)), np.reshape(d, (size,))


def by_four(x: Any, y: Any, cosines: Any, sines: Any, step: Any, width: Any, sign: Any) -> Any:
    stride = len(cosines) // (4 * step)
    a, b = np.reshape(x, (4, step, width)), np.reshape(y, (4, step, width))
    c, d = np.zeros((step, 4, width)), np.zeros((step, 4, width))
    for j in range(step):
        u1, v1 = cosines[j * stride], sines[j * stride]
        u2, v2 = cosines[2 * j * stride], sines[2 * j * stride]
        u3, v3 = cosines[3 * j * stride], sines[3 * j * stride]
        for k in range(width):
            p0, q0 = a[0, j, k] + a[2, j, k], b[0, j, k] + b[2, j, k]
            p1, q1 = a[0, j, k] - a[2, j, k], b[0, j, k] - b[2, j, k]
            p2, q2 = a[1, j, k] + a[3, j, k], b[1, j, k] + b[3, j, k]
            p3, q3 = sign * (b[3, j, k] - b[1, j, k]), sign * (a[1, j, k] - a[3, j, k])
            c[j, 0, k] = p0 + p2
            d[j, 0, k] = q0 + q2
            c[j, 1, k] = (p1 + p3) * u1 - (q1 + q3) * v1
            d[j, 1, k] = (p1 + p3) * v1 + (q1 + q3) * u1
            c[j, 2, k] = (p0 - p2) * u2 - (q0 - q2) * v2
            d[j, 2, k] = (p0 - p2) * v2 + (q0 - q2) * u2
            c[j, 3, k] = (p1 - p3) * u3 - (q1 - q3) * v3
            d[j, 3, k] = (p1 - p3) * v3 + (q1 - q3) * u3
    size = 4 * step * width
    return np.reshape(c, (size,)), np.reshape(d, (size,))


def by_prime(x: Any, y: Any, cosines: Any, sines: Any, step: Any, width: Any, prime: Any) -> Any:
    n = len(cosines)
    stride, part = n // (prime * step), n // prime
    a, b = np.reshape(x, (prime, step, width)), np.reshape(y, (prime, step, width))
    c, d = np.zeros((step, prime, width)), np.zeros((step, prime, width))
    for j in range(step):
        for s in range(prime):
            for q in range(prime):
                turn = (q * s * part + j * s * stride) % n
                u, v = cosines[turn], sines[turn]
                for k in range(width):
                    c[j, s, k] += a[q, j, k] * u - b[q, j, k] * v
                    d[j, s, k] += a[q, j, k] * v + b[q, j, k] * u
    size = prime * step * width
    return np.reshape(c, (size,)), np.reshape(d, (size,))


def convolved(real: Any, imag: Any, sign: Any) -> Any:
    """By j * k = (j * j + k * k - (j - k) ** 2) / 2."""
    n, columns = real.shape
    size = 1
    while size < 2 * n - 1:
        size = 2 * size
    counts = np.arange(n)
    turns = ((counts * counts) % (2 * n)) * (np.pi / n)
    u, v = np.cos(turns)[:, None], sign * np.sin(turns)[:, None]
    a, b = np.zeros((size, columns)), np.zeros((size, columns))
    a[:n, :] = real * u - imag * v
    b[:n, :] = real * v + imag * u
    c, d = np.zeros((size, 1)), np.zeros((size, 1))
    c[:n, :] = u
    d[:n, :] = -v
    c[size - n + 1 :, :] = u[:0:-1]
    d[size - n + 1 :, :] = -v[:0:-1]
    a, b = staged(a, b, -1.0)
    c, d = staged(c, d, -1.0)
    p, q = staged(a * c - b * d, a * d + b * c, 1.0)
    p, q = p[:n, :] / size, q[:n, :] / size
    return p * u - q * v, p * v + q * u
