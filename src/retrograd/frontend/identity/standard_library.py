# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

"""What programs have for `heapq` and `bisect`, for `statistics`, and for more of `itertools`.

They are translated as functions of the user's are, as those of `identity/containers.py`.
"""

from __future__ import annotations

import bisect
import functools
import heapq
import itertools
import operator
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = [
    "function_for", "greatest", "joined", "keys_of", "largest", "least", "max_or", "min_or",
    "same_items", "same_objects", "smallest",
]  # fmt: skip

# Heaps: the smallest item is first, and none is smaller than the one at half its position.


def _towards_root(heap: Any, start: Any, place: Any, item: Any) -> None:
    """Puts an item where it belongs between a position and one above it."""
    while place > start:
        parent = (place - 1) // 2
        if not item < heap[parent]:
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = item


def _to_leaf(heap: Any, place: Any, item: Any) -> None:
    """Moves the smaller of two items up, down to a leaf, and puts an item in where it belongs."""
    start = place
    child = 2 * place + 1
    while child < len(heap):
        if child + 1 < len(heap) and not heap[child] < heap[child + 1]:
            child += 1
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    _towards_root(heap, start, place, item)


def heappush(heap: Any, item: Any) -> None:
    heap.append(item)
    _towards_root(heap, 0, len(heap) - 1, item)


def heappop(heap: Any) -> Any:
    if len(heap) == 0:
        raise IndexError("pop from an empty heap")
    last = heap.pop()
    found = last
    if len(heap) > 0:
        found = heap[0]
        _to_leaf(heap, 0, last)
    return found


def heapify(heap: Any) -> None:
    for place in range(len(heap) // 2 - 1, -1, -1):
        _to_leaf(heap, place, heap[place])


def heapreplace(heap: Any, item: Any) -> Any:
    if len(heap) == 0:
        raise IndexError("index out of range")
    found = heap[0]
    _to_leaf(heap, 0, item)
    return found


def heappushpop(heap: Any, item: Any) -> Any:
    found = item
    if len(heap) > 0 and heap[0] < item:
        found = heap[0]
        _to_leaf(heap, 0, item)
    return found


def nsmallest(n: Any, iterable: Any, key: Any = None) -> Any:
    return sorted(iterable, key=key)[: max(n, 0)]


def nlargest(n: Any, iterable: Any, key: Any = None) -> Any:
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


def bisect_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    if lo < 0:
        raise ValueError("lo must be non-negative")
    last = len(a) if hi is None else hi
    while lo < last:
        middle = (lo + last) // 2
        if (a[middle] if key is None else key(a[middle])) < x:
            lo = middle + 1
        else:
            last = middle
    return lo


def bisect_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    if lo < 0:
        raise ValueError("lo must be non-negative")
    last = len(a) if hi is None else hi
    while lo < last:
        middle = (lo + last) // 2
        if x < (a[middle] if key is None else key(a[middle])):
            last = middle
        else:
            lo = middle + 1
    return lo


def insort_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    sought = x if key is None else key(x)
    a.insert(bisect_left(a, sought, lo, hi, key=key), x)


def insort_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    sought = x if key is None else key(x)
    a.insert(bisect_right(a, sought, lo, hi, key=key), x)


# Iterators, which run to their end where they are made.


def zip_longest(*iterables: Any, fillvalue: Any = None) -> Any:
    lists = [list(one) for one in iterables]
    longest = 0
    for one in lists:
        longest = max(longest, len(one))
    return iter([
        tuple([one[k] if k < len(one) else fillvalue for one in lists]) for k in range(longest)
    ])  # fmt: skip


# `max` and `min` where there may be nothing, and of what is no number.


def max_or(iterable: Any, *, default: Any, key: Any = None) -> Any:
    items = list(iterable)
    if len(items) == 0:
        return default
    return max(items) if key is None else max(items, key=key)


def min_or(iterable: Any, *, default: Any, key: Any = None) -> Any:
    items = list(iterable)
    if len(items) == 0:
        return default
    return min(items) if key is None else min(items, key=key)


def joined(iterable: Any, /, start: Any = 0) -> Any:
    """`sum` of lists or tuples, which begins with a list."""
    if not isinstance(start, list):
        raise TypeError("unsupported operand types for +: items and what sum starts with")
    found: list[Any] = []
    found.extend(start)
    for items in iterable:
        for item in items:
            found.append(item)
    return found


def largest(items: Any) -> Any:
    best = items[0]
    for item in items[1:]:
        if item > best:
            best = item
    return best


def smallest(items: Any) -> Any:
    best = items[0]
    for item in items[1:]:
        if item < best:
            best = item
    return best


def greatest(items: Any) -> Any:
    """`max` of a list of tuples."""
    if len(items) == 0:
        raise ValueError("max() iterable argument is empty")
    return largest(items)


def least(items: Any) -> Any:
    """`min` of a list of tuples."""
    if len(items) == 0:
        raise ValueError("min() iterable argument is empty")
    return smallest(items)


def keys_of(items: Any, key: Any) -> Any:
    return [key(item) for item in items]


# `operator`: functions that take a part of what they are given.


def itemgetter(item: Any, *items: Any) -> Any:
    def part(obj: Any, item: Any = item) -> Any:
        return obj[item]

    def several(obj: Any, items: Any = (item, *items)) -> Any:
        return tuple([obj[one] for one in items])

    return part if len(items) == 0 else several


def attrgetter(attr: Any, *attrs: Any) -> Any:
    def part(obj: Any) -> Any:
        return getattr(obj, attr)

    def several(obj: Any) -> Any:
        return (getattr(obj, attr), *[getattr(obj, one) for one in attrs])

    return part if len(attrs) == 0 else several


def methodcaller(name: Any, /, *args: Any, **kwargs: Any) -> Any:
    def called(obj: Any) -> Any:
        return getattr(obj, name)(*args, **kwargs)

    return called


# `functools.cmp_to_key`.


class _Compared:
    """A key that a comparison orders."""

    def __init__(self, mycmp: Any, obj: Any) -> None:
        self.mycmp = mycmp
        self.obj = obj

    def __lt__(self, other: Any) -> Any:
        return self.mycmp(self.obj, other.obj) < 0

    def __gt__(self, other: Any) -> Any:
        return self.mycmp(self.obj, other.obj) > 0

    def __le__(self, other: Any) -> Any:
        return self.mycmp(self.obj, other.obj) <= 0

    def __ge__(self, other: Any) -> Any:
        return self.mycmp(self.obj, other.obj) >= 0

    def __eq__(self, other: Any) -> Any:
        return self.mycmp(self.obj, other.obj) == 0


@dataclass(frozen=True)
class Comparison:
    """What `cmp_to_key` makes of a comparison."""

    mycmp: Any

    def __call__(self, obj: Any) -> Any:
        return _Compared(self.mycmp, obj)


def cmp_to_key(mycmp: Any) -> Any:
    return Comparison(mycmp)


def less(a: Any, b: Any) -> Any:
    """A comparison of what has an order of its own."""
    return -1 if a < b else 1


def _first_run(items: Any, mycmp: Any) -> Any:
    """How many items at the beginning are in order; a part that falls is turned round."""
    n = 1
    if n < len(items) and mycmp(items[1], items[0]) < 0:
        n = 2
        while n < len(items) and mycmp(items[n], items[n - 1]) < 0:
            n += 1
        items[:n] = items[:n][::-1]
        return n
    while n < len(items) and not mycmp(items[n], items[n - 1]) < 0:
        n += 1
    return n


def sorted_by(iterable: Any, mycmp: Any, reverse: Any) -> Any:
    """The items in the order of a comparison, of which there are as many as Python makes of few
    items; equal ones keep their order."""
    items = list(iterable)
    if reverse:
        items.reverse()
    for start in range(_first_run(items, mycmp), len(items)):
        pivot = items[start]
        low, high = 0, start
        while low < high:
            middle = (low + high) // 2
            if mycmp(pivot, items[middle]) < 0:
                high = middle
            else:
                low = middle + 1
        items.insert(low, items.pop(start))
    return items[::-1] if reverse else items


# Lists that are compared.


def same_items(a: Any, b: Any) -> Any:
    """`a == b` of lists of the same kind of items, which are no objects."""
    if len(a) != len(b):
        return False
    k = 0
    while k < len(a) and a[k] == b[k]:
        k += 1
    return k == len(a)


def same_objects(a: Any, b: Any) -> Any:
    """`a == b` of lists of objects: what is the same object is equal, whatever `__eq__` says."""
    if len(a) != len(b):
        return False
    k = 0
    while k < len(a) and (a[k] is b[k] or a[k] == b[k]):
        k += 1
    return k == len(a)


_FUNCTIONS: Mapping[int, Callable[..., Any]] = {
    id(heapq.heappush): heappush, id(heapq.heappop): heappop, id(heapq.heapify): heapify,
    id(heapq.heapreplace): heapreplace, id(heapq.heappushpop): heappushpop,
    id(heapq.nsmallest): nsmallest, id(heapq.nlargest): nlargest,
    id(bisect.bisect_left): bisect_left, id(bisect.bisect_right): bisect_right,
    id(bisect.insort_left): insort_left, id(bisect.insort_right): insort_right,
    id(itertools.zip_longest): zip_longest,
    id(operator.itemgetter): itemgetter, id(operator.attrgetter): attrgetter,
    id(operator.methodcaller): methodcaller, id(functools.cmp_to_key): cmp_to_key,
}  # fmt: skip
"""By the `id` of the function that each stands for."""


def function_for(obj: object) -> Callable[..., Any] | None:
    """What programs have for a function of the standard library; None where there is none."""
    if getattr(obj, "__module__", None) == "statistics" and "statistics" in sys.modules:
        # Only who uses it has loaded it, which takes a hundredth of a second.
        from retrograd.frontend.identity import written_statistics

        return written_statistics.FUNCTIONS.get(id(obj))
    return _FUNCTIONS.get(id(obj))
