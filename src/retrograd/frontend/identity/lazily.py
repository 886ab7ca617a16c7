# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
"""What programs have for lazy functions that are given generators: generators, written in Python.

They take an item where they need it, as Python's own do, so that both run in turns. They are
translated as generators of the user's are (`syntax/delayed.py`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

__all__ = [
    "CONSUMING", "ENDLESS", "GENERATORS", "endless", "flattened", "gathered", "in_groups",
    "written", "zipped",
]  # fmt: skip


def gathered(iterable: Any) -> Any:
    """All items, as a list."""
    found: list[Any] = []
    for item in iterable:
        found.append(item)
    return found


def any_of(iterable: Any) -> Any:
    found = False
    for item in iterable:
        if item:
            found = True
            break
    return found


def all_of(iterable: Any) -> Any:
    found = True
    for item in iterable:
        if not item:
            found = False
            break
    return found


def enumerated(iterable: Any, start: Any = 0) -> Any:
    n = start
    for item in iterable:
        yield n, item
        n += 1


def zipped(before: Any, iterable: Any, after: Any) -> Any:
    """`zip` with one generator among sequences: those `before` are asked for an item first."""
    if any([len(one) == 0 for one in before]):
        return
    k = 0
    for item in iterable:
        if any([k >= len(one) for one in after]):
            return
        yield (*[one[k] for one in before], item, *[one[k] for one in after])
        k = k + 1
        if any([k >= len(one) for one in before]):
            return


def in_groups(iterable: Any, count: Any) -> Any:
    """`zip(it, it)`, of `count` times one iterator: what is left over at the end is dropped."""
    every = list(iterable)
    return zip(*[every[k::count] for k in range(count)], strict=False)


def map_of(function: Any, iterable: Any) -> Any:
    for item in iterable:
        yield function(item)


def filter_of(function: Any, iterable: Any) -> Any:
    for item in iterable:
        if item if function is None else function(item):
            yield item


def filterfalse(function: Any, iterable: Any) -> Any:
    for item in iterable:
        if not (item if function is None else function(item)):
            yield item


def starmap(function: Any, iterable: Any) -> Any:
    for args in iterable:
        yield function(*args)


def islice(iterable: Any, start: Any, *rest: Any) -> Any:
    first = start if len(rest) > 0 and start is not None else 0
    stop = rest[0] if len(rest) > 0 else start
    step = rest[1] if len(rest) > 1 and rest[1] is not None else 1
    if stop is not None and stop <= 0:
        return
    k = 0
    for item in iterable:
        if k >= first and (k - first) % step == 0:
            yield item
        k = k + 1
        if stop is not None and k >= stop:
            return


def takewhile(predicate: Any, iterable: Any) -> Any:
    for item in iterable:
        if not predicate(item):
            return
        yield item


def dropwhile(predicate: Any, iterable: Any) -> Any:
    dropping = True
    for item in iterable:
        dropping = dropping and predicate(item)
        if not dropping:
            yield item


def chain(*iterables: Any) -> Any:
    for one in iterables:
        yield from one


def pairwise(iterable: Any) -> Any:
    begun = False
    previous = None
    for item in iterable:
        if begun:
            yield previous, item
        previous = item
        begun = True


def accumulate(iterable: Any, func: Any = None, *, initial: Any = None) -> Any:
    total = initial
    begun = initial is not None
    if begun:
        yield total
    for item in iterable:
        if not begun:
            total = item
        elif func is None:
            total = total + item
        else:
            total = func(total, item)
        begun = True
        yield total


def groupby(iterable: Any, key: Any = None) -> Any:
    group: list[Any] = []
    current = None
    for item in iterable:
        own = item if key is None else key(item)
        if len(group) > 0 and own != current:
            yield current, iter(group)
            group = []
        current = own
        group.append(item)
    if len(group) > 0:
        yield current, iter(group)


def flattened(iterable: Any) -> Any:
    for one in iterable:
        yield from one


def count(start: Any = 0, step: Any = 1) -> Any:
    n = start
    while True:
        yield n
        n += step


def cycle(iterable: Any) -> Any:
    saved = list(iterable)
    k = 0
    while True:
        yield saved[k]
        k = (k + 1) % len(saved)


def repeat(object: Any) -> Any:
    while True:
        yield object


def endless(step: Any) -> Any:
    """The generator of which each item is a call."""
    while True:
        yield step()


ENDLESS: Mapping[int, Callable[..., Any]] = {
    id(itertools.count): count, id(itertools.cycle): cycle, id(itertools.repeat): repeat,
}  # fmt: skip
"""Generator functions that have no end, by the `id` of what each stands for."""

GENERATORS: Mapping[int, Callable[..., Any]] = {
    id(enumerate): enumerated, id(map): map_of, id(filter): filter_of,
    id(itertools.filterfalse): filterfalse, id(itertools.starmap): starmap,
    id(itertools.islice): islice, id(itertools.takewhile): takewhile,
    id(itertools.dropwhile): dropwhile, id(itertools.chain): chain,
    id(itertools.pairwise): pairwise, id(itertools.accumulate): accumulate,
}  # fmt: skip
"""Generator functions, by the `id` of what each stands for."""

CONSUMING: Mapping[int, Callable[..., Any]] = {id(any): any_of, id(all): all_of}
"""Functions that stop as soon as they know, by the `id` of what each stands for."""


def written(obj: object) -> Callable[..., Any] | None:
    """The generator function that always stands for a function; None where there is none."""
    if obj == itertools.chain.from_iterable:
        return flattened
    return groupby if obj is itertools.groupby else None
