"""The loops over images of bools, as planes: labels, growth, distances.

P. F. Felzenszwalb and D. P. Huttenlocher, Distance transforms of sampled functions, Theory of
Computing 8 (2012): one axis after the other.
"""

from __future__ import annotations

from typing import Any

import numpy

__all__ = ["distances", "labelled", "repeated"]

np: Any = numpy


def labelled(x: Any, structure: Any) -> Any:
    """Numbers of the connected parts in the order in which they are met, and how many there are."""
    depth, rows, columns = x.shape
    low, up, left = structure.shape[0] // 2, structure.shape[1] // 2, structure.shape[2] // 2
    found = np.zeros((depth, rows, columns), dtype=int)
    stack = np.zeros(x.size + 1, dtype=int)
    count = 0
    for start in range(x.size):
        k, i, j = start // (rows * columns), start // columns % rows, start % columns
        if x[k, i, j] and found[k, i, j] == 0:
            count += 1
            found[k, i, j] = count
            stack[0] = start
            size = 1
            while size > 0:
                size -= 1
                at = stack[size]
                k, i, j = at // (rows * columns), at // columns % rows, at % columns
                for a in range(max(k - low, 0), min(k + low + 1, depth)):
                    for b in range(max(i - up, 0), min(i + up + 1, rows)):
                        for c in range(max(j - left, 0), min(j + left + 1, columns)):
                            near = structure[a - k + low, b - i + up, c - j + left]
                            if near and x[a, b, c] and found[a, b, c] == 0:
                                found[a, b, c] = count
                                stack[size] = (a * rows + b) * columns + c
                                size += 1
    return found, count


def _step(x: Any, structure: Any, border: Any, shrinks: Any) -> Any:
    """Where all of the neighbours are True, or one."""
    depth, rows, columns = x.shape
    low, up, left = structure.shape[0] // 2, structure.shape[1] // 2, structure.shape[2] // 2
    found = np.zeros((depth, rows, columns), dtype=bool)
    side = 1 if shrinks else -1
    for k in range(depth):
        for i in range(rows):
            for j in range(columns):
                every, some = True, False
                for a in range(-low, low + 1):
                    for b in range(-up, up + 1):
                        for c in range(-left, left + 1):
                            if structure[a + low, b + up, c + left]:
                                p, q, r = k + side * a, i + side * b, j + side * c
                                one = border
                                if 0 <= p < depth and 0 <= q < rows and 0 <= r < columns:
                                    one = x[p, q, r]
                                every = every and one
                                some = some or one
                found[k, i, j] = every if shrinks else some
    return found


def repeated(
    x: Any, structure: Any, iterations: Any, allowed: Any, border: Any, shrinks: Any
) -> Any:
    """As many steps as are said, or until nothing changes, where it is allowed."""
    done, changes = 0, True
    while changes and (iterations < 1 or done < iterations):
        new = np.where(allowed, _step(x, structure, border, shrinks), x)
        changes = np.any(new != x)
        x = new
        done += 1
    return x


def _least(line: Any, by: Any) -> Any:
    """The least of the values of a line and the squares of how far they are."""
    n = len(line)
    found = np.full(n, np.inf)
    for i in range(n):
        for j in range(n):
            far = (by * (i - j)) ** 2 + line[j]
            if far < found[i]:
                found[i] = far
    return found


def distances(x: Any, by: Any) -> Any:
    """How far each element is from one that is False."""
    depth, rows, columns = x.shape
    found = np.where(x, np.inf, 0.0)
    for k in range(depth):
        for i in range(rows):
            found[k, i, :] = _least(found[k, i, :], by[2])
        for j in range(columns):
            found[k, :, j] = _least(found[k, :, j], by[1])
    for i in range(rows):
        for j in range(columns):
            found[:, i, j] = _least(found[:, i, j], by[0])
    return np.sqrt(found)
