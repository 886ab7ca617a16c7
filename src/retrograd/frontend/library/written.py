"""Library functions written out in Python: they are compiled along as if the user had written them.

So their derivatives, overflow checks and errors are those of the program below.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from retrograd.frontend.library.plain.told import refuse

__all__ = ["WRITTEN", "divisor_factorial", "strip_of"]


def strip_of(n: Any, levels: Any) -> Any:
    """A number of iterations that, to the power of `levels`, is n at least."""
    return int(max(n, 0) ** (1.0 / levels)) + 1


def _factorial(n: Any) -> Any:
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    product = 1
    for k in range(2, n + 1):
        product *= k
    return product


_FACTORIALS = tuple(float(math.factorial(k)) for k in range(171))


def divisor_factorial(n: Any) -> Any:
    """`math.factorial` of what is known at run time only, where a number is divided by it: as an
    int it would need more than 64 bits from 21 on."""
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    if n >= len(_FACTORIALS):
        raise OverflowError("int too large to convert to float")
    return np.array(_FACTORIALS)[n]


def _gcd(*numbers: Any) -> Any:
    a = 0
    for number in numbers:
        b = abs(number)
        while b != 0:
            a, b = b, a % b
    return a


def _lcm(*numbers: Any) -> Any:
    product = 1
    for number in numbers:
        if number == 0:
            product = 0
        else:
            b, rest = abs(number), product
            while rest != 0:
                b, rest = rest, b % rest
            product = product // b * abs(number) if b != 0 else 0
    return product


def _comb(n: Any, k: Any) -> Any:
    if n < 0 or k < 0:
        raise ValueError("n and k must be non-negative integers")
    k = min(k, n - k)
    product = 1 if k >= 0 else 0
    for i in range(1, k + 1):
        # product * (n - k + i) / i, divided before it can overflow
        a, b = product, i
        while b != 0:
            a, b = b, a % b
        product = product // a * ((n - k + i) // (i // a))
    return product


def _perm(n: Any, k: Any = None) -> Any:
    if n < 0:
        raise ValueError("n must be a non-negative integer")
    last = n if k is None else k
    if last < 0:
        raise ValueError("k must be a non-negative integer")
    product = 1 if last <= n else 0
    for i in range(min(last, n)):
        product *= n - i
    return product


def _isqrt(n: Any) -> Any:
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    root = min(int(math.sqrt(float(n))), 3037000499)
    while root * root > n:
        root -= 1
    while root < 3037000499 and (root + 1) * (root + 1) <= n:
        root += 1
    return root


def _fmod(x: Any, y: Any) -> Any:
    side = math.copysign(1.0, x)
    return side * ((side * x) % abs(y))


def _remainder(x: Any, y: Any) -> Any:
    side, size, step = math.copysign(1.0, x), abs(x), abs(y)
    if math.isinf(step) and math.isfinite(size):
        return x * 1.0
    rest = size % step
    other = step - rest
    if rest < other:
        near = rest
    elif rest > other:
        near = -other
    else:  # half-way: to the even multiple
        near = rest - 2.0 * ((0.5 * (size - rest)) % step)
    return side * near


def _modf(x: Any) -> Any:
    side = math.copysign(1.0, x)
    size = side * x
    whole = size if math.isinf(size) else np.floor(size)
    rest = 0.0 if math.isinf(size) else size - whole
    return (side * rest, side * whole)


def _isclose(a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Any:
    if rel_tol < 0.0 or abs_tol < 0.0:
        raise ValueError("tolerances must be non-negative")
    if a == b:
        return True
    if math.isinf(a) or math.isinf(b):
        return False
    apart = abs(b - a)
    return apart <= abs(rel_tol * b) or apart <= abs(rel_tol * a) or apart <= abs_tol


def _fsum(terms: Any) -> Any:
    # Shewchuk's partial sums, no two of which share a bit; a double has 2,098 places for bits.
    partials = np.zeros(2100)
    count = 0
    special = 0.0
    for term in terms:
        x = float(term)
        if not math.isfinite(x):
            special += x
            x = 0.0
        kept = 0
        for k in range(count):
            y = partials[k]
            if abs(x) < abs(y):
                x, y = y, x
            high = x + y
            low = y - (high - x)
            if low != 0.0:
                partials[kept] = low
                kept += 1
            x = high
        partials[kept] = x
        count = kept + 1
    total, low = 0.0, 0.0
    while count > 0 and low == 0.0:
        count -= 1
        x, y = total, partials[count]
        total = x + y
        low = y - (total - x)
    if count > 0 and low * partials[count - 1] > 0.0:
        # The rest decides a tie of the last rounding.
        twice = 2.0 * low
        above = total + twice
        if above - total == twice:
            total = above
    return total + special


def _dist(p: Any, q: Any) -> Any:
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    total = 0.0
    for a, b in zip(p, q):  # noqa: B905 (the lengths have been compared)
        total = math.hypot(total, a - b)
    return total


def _prod(iterable: Any, *, start: Any = 1) -> Any:
    for factor in iterable:
        start = start * factor
    return start


def _geterr() -> Any:
    return {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}


def _seterr(
    all: Any = None, divide: Any = None, over: Any = None, under: Any = None, invalid: Any = None
) -> Any:
    for how in (all, divide, over, under, invalid):
        if how in ("raise", "call", "log"):
            refuse("np.seterr with 'raise' or 'call'", "test the result: np.isfinite(x)")
    return _geterr()


def _exit(status: Any = None) -> Any:
    raise SystemExit(status)


WRITTEN: Mapping[object, Callable[..., Any]] = {
    math.factorial: _factorial,
    math.gcd: _gcd,
    math.lcm: _lcm,
    math.comb: _comb,
    math.perm: _perm,
    math.isqrt: _isqrt,
    math.fmod: _fmod,
    math.remainder: _remainder,
    math.modf: _modf,
    math.isclose: _isclose,
    math.fsum: _fsum,
    math.dist: _dist,
    math.prod: _prod,
    np.geterr: _geterr,
    np.seterr: _seterr,
    sys.exit: _exit,
}
"""By the identity of the object."""
