"""What reversible functions say of themselves: conditions after branches, ends of locals, ...

Each is an ordinary function, so that the text runs as it stands, without the checks.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from retrograd.errors import UserError
from retrograd.tracebacks import library_program

__all__ = [
    "hadamard", "irreversible", "release", "rotate", "rotl", "since", "temporarily", "when",
]  # fmt: skip

_LARGEST = 9223372036854775807


def when(before: Any, after: Any) -> Any:
    """The condition of an `if`: `before` decides; afterwards `after` is true in that branch only.

    Args:
        before: a condition, evaluated before the branch.
        after: a condition, evaluated after the branch, which has to be what `before` was: the way
            back goes by it.

    Returns:
        `before`.

    Raises:
        InvertibilityError: by the reversible function, where `after` is something else.

    Source: Liu and Zhao 2020, "Differentiate everything with a reversible embedded
    domain-specific language" (`if (pre, post)`).

    >>> import retrograd as rg
    >>> @rg.reversible
    ... def f(n):
    ...     if rg.when(n < 10, n < 12):
    ...         n += 2
    ...     return n
    >>> f(3), rg.inverse(f)(5)
    (5, 3)
    """
    return before


def since(start: Any, going: Any) -> Any:
    """The condition of a `while`: it goes on while `going`, since `start`.

    Args:
        start: a condition that is true before the first iteration and false after each.
        going: whether there is another iteration.

    Returns:
        `going`.

    Raises:
        InvertibilityError: by the reversible function, where `start` is something else.

    Source: Liu and Zhao 2020 (`while (pre, post)`).

    >>> import retrograd as rg
    >>> @rg.reversible
    ... def f(n):
    ...     while rg.since(n == 0, n < 10):
    ...         n += 3
    ...     return n
    >>> f(0), rg.inverse(f)(12)
    (12, 0)
    """
    return going


def release(local: Any, value: Any) -> None:
    """The end of a local that was updated: it has this value, on the way back it begins with it.

    Args:
        local: the name of a local of the reversible function.
        value: what it is now; floats within the tolerance of the function.

    Raises:
        InvertibilityError: by the reversible function, where it is something else.

    >>> import retrograd as rg
    >>> @rg.reversible
    ... def f(x, y):
    ...     a = 0.0
    ...     a += x * x
    ...     y += a
    ...     a -= x * x
    ...     rg.release(a, 0.0)
    ...     return y
    >>> f(3.0, 1.0)
    10.0
    """


@contextmanager
def temporarily() -> Generator[None]:
    """`with rg.temporarily():` statements that are undone at the end of the block around.

    Raises:
        UserError: outside of a reversible function.

    >>> import retrograd as rg
    >>> @rg.reversible
    ... def f(x, y):
    ...     with rg.temporarily():
    ...         x += 1.0
    ...     y += x * x
    ...     return x, y
    >>> f(2.0, 0.0)
    (2.0, 9.0)
    """
    raise UserError(
        "RG0507", "rg.temporarily() outside of a reversible function",
        way_out="decorate the function with rg.reversible",
    )  # fmt: skip
    yield


@contextmanager
def irreversible() -> Generator[None]:
    """`with rg.irreversible():` statements without derivative that run in both directions.

    They may read anything and write only names that no other statement reads.

    >>> import retrograd as rg
    >>> @rg.reversible
    ... def f(x):
    ...     x += 1
    ...     with rg.irreversible():
    ...         print("x is", x)
    ...     return x
    >>> f(1)
    x is 2
    2
    """
    yield


def rotate(a: Any, b: Any, angle: Any) -> Any:
    """The point (a, b) turned by an angle: `a, b = rg.rotate(a, b, angle)`.

    Args:
        a: a float, or an array of floats.
        b: as `a`.
        angle: in radians, counterclockwise.

    Returns:
        (a cos(angle) - b sin(angle), a sin(angle) + b cos(angle)).

    >>> import math, retrograd as rg
    >>> a, b = rg.rotate(1.0, 0.0, math.pi)
    >>> a
    -1.0
    """
    c, s = math.cos(angle), math.sin(angle)
    return a * c - b * s, a * s + b * c


def hadamard(a: Any, b: Any) -> Any:
    """The Hadamard transform of a pair: `a, b = rg.hadamard(a, b)`; its own inverse.

    Args:
        a: a float, or an array of floats.
        b: as `a`.

    Returns:
        ((a + b) / sqrt(2), (a - b) / sqrt(2)).

    >>> import retrograd as rg
    >>> rg.hadamard(*rg.hadamard(1.0, 0.0))[1]
    0.0
    """
    half = math.sqrt(0.5)
    return (a + b) * half, (a - b) * half


@library_program
def rotl(n: Any, count: Any) -> Any:
    """The 64 bits of an int rotated to the left: `n = rg.rotl(n, count)`.

    Args:
        n: an int of 64 bits with a sign.
        count: by how many bits, an int.

    Returns:
        An int of 64 bits with a sign.

    >>> import retrograd as rg
    >>> rg.rotl(-2, 1)
    -3
    """
    k = count % 64
    if k == 0:
        return n
    low = (n >> (64 - k)) & (_LARGEST >> (63 - k))
    kept = n & (_LARGEST >> k)
    # A shift by 63 in one step is one that does not fit, by the rules of compiled ints.
    value = ((kept << (k - 1)) << 1) | low
    if (n >> (63 - k)) & 1 == 1:
        value = value + (-_LARGEST - 1)
    return value
