# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
"""What programs have for classes of `collections` and iterators of `itertools`, written in Python.

They are translated as the user's own classes and functions are. Iterators run to their end where
they are made, so what they have read must not change before it is used (`values/iterators.py`).
"""

from __future__ import annotations

import collections
import collections.abc
import heapq
import itertools
import queue
import sys
from collections.abc import Mapping
from typing import Any

from retrograd.frontend.identity import keyed_by_run, lists_by_key, sets, signatures
from retrograd.frontend.identity.attribute_dicts import Attributes
from retrograd.frontend.identity.dict_rows import DictRow
from retrograd.frontend.identity.growing_lists import Growing
from retrograd.frontend.identity.mappings import ChainMap, Counter, DefaultDict, OrderedDict

__all__ = ["CLASSES", "MODULE", "STAND_INS", "Deque", "stands_for"]

MODULE = __name__
_OF_NUMPY = {
    "retrograd.frontend.library.plain.pcg": "Generator",
    "retrograd.frontend.library.plain.mersenne": "RandomState",
}
"""Where the generators are that stand for NumPy's."""

_abc: Any = collections.abc


class Deque:
    """`collections.deque`."""

    def __init__(self, iterable: Any = (), maxlen: Any = None) -> None:
        self.items: list[Any] = []
        self.maxlen = maxlen
        for item in iterable:
            self.append(item)

    def append(self, x: Any) -> None:
        self.items.append(x)
        if self.maxlen is not None and len(self.items) > self.maxlen:
            self.items.pop(0)

    def appendleft(self, x: Any) -> None:
        self.items.insert(0, x)
        if self.maxlen is not None and len(self.items) > self.maxlen:
            self.items.pop()

    def extend(self, iterable: Any) -> None:
        for item in iterable:
            self.append(item)

    def extendleft(self, iterable: Any) -> None:
        for item in iterable:
            self.appendleft(item)

    def pop(self) -> Any:
        if len(self.items) == 0:
            raise IndexError("pop from an empty deque")
        return self.items.pop()

    def popleft(self) -> Any:
        if len(self.items) == 0:
            raise IndexError("pop from an empty deque")
        return self.items.pop(0)

    def rotate(self, n: Any = 1) -> None:
        if len(self.items) > 0:
            k = n % len(self.items)
            self.items = self.items[len(self.items) - k :] + self.items[: len(self.items) - k]

    def clear(self) -> None:
        self.items = []

    def index(self, x: Any) -> Any:
        if x not in self.items:
            raise ValueError("value is not in deque")
        return self.items.index(x)

    def insert(self, i: Any, x: Any) -> None:
        if self.maxlen is not None and len(self.items) >= self.maxlen:
            raise IndexError("deque already at its maximum size")
        self.items.insert(i, x)

    def remove(self, value: Any) -> None:
        if value not in self.items:
            raise ValueError("deque.remove(x): x not in deque")
        self.items.remove(value)

    def count(self, x: Any) -> Any:
        return self.items.count(x)

    def reverse(self) -> None:
        self.items = self.items[::-1]

    def copy(self) -> Any:
        return Deque(self.items, self.maxlen)

    def __len__(self) -> Any:
        return len(self.items)

    def __iter__(self) -> Any:
        return iter(self.items)

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.items[index] = value

    def __delitem__(self, index: Any) -> None:
        del self.items[index]

    def __contains__(self, value: Any) -> Any:
        return value in self.items

    def __reversed__(self) -> Any:
        return iter(self.items[::-1])

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, collections.deque):
            return NotImplemented
        made = self.copy()
        made.extend(list(other))
        return made

    def __iadd__(self, other: Any) -> Any:
        self.extend(list(other))
        return self

    def __mul__(self, n: Any) -> Any:
        return Deque(self.items * n, self.maxlen)

    def __imul__(self, n: Any) -> Any:
        items = list(self.items)
        self.items = []
        for _ in range(n):
            self.extend(items)
        return self

    def __eq__(self, other: Any) -> Any:
        return isinstance(other, collections.deque) and self.items == list(other)


# What classes have of `collections.abc`.


def mapping_get(self: Any, key: Any, default: Any = None) -> Any:
    try:
        return self[key]
    except KeyError:
        return default


def mapping_contains(self: Any, key: Any) -> Any:
    try:
        self[key]
    except KeyError:
        return False
    return True


def mapping_keys(self: Any) -> Any:
    return list(self)


def mapping_values(self: Any) -> Any:
    return [self[key] for key in self]


def mapping_items(self: Any) -> Any:
    return [(key, self[key]) for key in self]


def mutable_update(self: Any, other: Any = (), **kwargs: Any) -> None:
    table = dict(other)
    for key in table:
        self[key] = table[key]
    for key, value in kwargs.items():
        self[key] = value


def mutable_setdefault(self: Any, key: Any, default: Any = None) -> Any:
    if key not in self:
        self[key] = default
    return self[key]


def mutable_pop(self: Any, key: Any, *default: Any) -> Any:
    if len(default) > 0 and key not in self:
        return default[0]
    value = self[key]
    del self[key]
    return value


def mutable_clear(self: Any) -> None:
    for key in list(self):
        del self[key]


def sequence_contains(self: Any, value: Any) -> Any:
    return any(self[k] == value for k in range(len(self)))


def sequence_iter(self: Any) -> Any:
    return iter([self[k] for k in range(len(self))])


def sequence_reversed(self: Any) -> Any:
    return iter([self[k] for k in range(len(self) - 1, -1, -1)])


def chain(*iterables: Any) -> Any:
    found: list[Any] = []
    for one in iterables:
        found.extend(one)
    return iter(found)


def accumulate(iterable: Any, func: Any = None, *, initial: Any = None) -> Any:
    found: list[Any] = []
    if initial is not None:
        found.append(initial)
    for item in iterable:
        if len(found) == 0:
            found.append(item)
        elif func is None:
            found.append(found[-1] + item)
        else:
            found.append(func(found[-1], item))
    return iter(found)


def pairwise(iterable: Any) -> Any:
    items = list(iterable)
    return zip(items[:-1], items[1:], strict=False)  # noqa: RUF007


class Queue:
    """`queue.Queue`, for one thread: nobody waits for what is not there."""

    def __init__(self, maxsize: Any = 0) -> None:
        self.maxsize = maxsize
        self.items: list[Any] = []

    def put(self, item: Any, block: Any = True, timeout: Any = None) -> None:
        if self.full():
            raise queue.Full
        self.items.append(item)

    def get(self, block: Any = True, timeout: Any = None) -> Any:
        if not self.items:
            raise queue.Empty
        return self.items.pop(0)

    def put_nowait(self, item: Any) -> None:
        self.put(item)

    def get_nowait(self) -> Any:
        return self.get()

    def qsize(self) -> Any:
        return len(self.items)

    def empty(self) -> Any:
        return len(self.items) == 0

    def full(self) -> Any:
        return 0 < self.maxsize <= len(self.items)

    def task_done(self) -> None:
        return


class LifoQueue(Queue):
    """`queue.LifoQueue`."""

    def get(self, block: Any = True, timeout: Any = None) -> Any:
        if not self.items:
            raise queue.Empty
        return self.items.pop()


class PriorityQueue(Queue):
    """`queue.PriorityQueue`."""

    def put(self, item: Any, block: Any = True, timeout: Any = None) -> None:
        if self.full():
            raise queue.Full
        heapq.heappush(self.items, item)

    def get(self, block: Any = True, timeout: Any = None) -> Any:
        if not self.items:
            raise queue.Empty
        return heapq.heappop(self.items)


def map_of(function: Any, *iterables: Any) -> Any:
    if len(iterables) == 1:
        return iter([function(item) for item in iterables[0]])
    return iter([function(*items) for items in zip(*iterables, strict=False)])


def filter_of(function: Any, iterable: Any) -> Any:
    if function is None:
        return iter([item for item in iterable if item])
    return iter([item for item in iterable if function(item)])


def starmap(function: Any, iterable: Any) -> Any:
    return iter([function(*args) for args in iterable])


def islice(iterable: Any, start: Any, *rest: Any) -> Any:
    items = list(iterable)
    if len(rest) == 0:
        return iter(items[:start])
    step = rest[1] if len(rest) > 1 else 1
    return iter(items[start : rest[0] : step])


def takewhile(predicate: Any, iterable: Any) -> Any:
    found: list[Any] = []
    for item in iterable:
        if not predicate(item):
            break
        found.append(item)
    return iter(found)


def dropwhile(predicate: Any, iterable: Any) -> Any:
    found: list[Any] = []
    dropping = True
    for item in iterable:
        if dropping and predicate(item):
            continue
        dropping = False
        found.append(item)
    return iter(found)


def filterfalse(function: Any, iterable: Any) -> Any:
    if function is None:
        return iter([item for item in iterable if not item])
    return iter([item for item in iterable if not function(item)])


def compress(data: Any, selectors: Any) -> Any:
    found: list[Any] = []
    for item, chosen in zip(data, selectors, strict=False):
        if chosen:
            found.append(item)
    return iter(found)


def tee(iterable: Any, n: Any = 2) -> Any:
    items = list(iterable)
    return tuple([iter(items) for _ in range(n)])


def repeat(object: Any, times: Any) -> Any:
    return iter([object for _ in range(times)])


_MADE: Mapping[type, type] = {
    Deque: collections.deque, DefaultDict: collections.defaultdict, Counter: collections.Counter,
    OrderedDict: collections.OrderedDict, ChainMap: collections.ChainMap, **keyed_by_run.CLASSES,
    Queue: queue.Queue, LifoQueue: queue.LifoQueue, PriorityQueue: queue.PriorityQueue,
}  # fmt: skip

CLASSES: Mapping[type, type] = {
    **_MADE, **lists_by_key.CLASSES, **sets.CLASSES, Attributes: dict, **signatures.CLASSES,
    lists_by_key.ListsByKey: collections.defaultdict,
}  # fmt: skip
"""The classes that those here stand for."""


def stands_for(cls: type) -> type | None:
    """The class that one of ours stands for; None of others."""
    if issubclass(cls, Growing | DictRow):
        return list if issubclass(cls, Growing) else dict
    if (name := _OF_NUMPY.get(cls.__module__)) is not None:
        return getattr(sys.modules["numpy.random"], name)
    return CLASSES.get(cls)


STAND_INS: Mapping[int, Any] = {
    **{id(original): own for own, original in _MADE.items()},
    id(map): map_of, id(filter): filter_of,
    id(itertools.chain): chain, id(itertools.accumulate): accumulate,
    id(itertools.pairwise): pairwise, id(itertools.starmap): starmap,
    id(itertools.islice): islice, id(itertools.takewhile): takewhile,
    id(itertools.dropwhile): dropwhile, id(itertools.filterfalse): filterfalse,
    id(itertools.compress): compress, id(itertools.repeat): repeat, id(itertools.tee): tee,
    id(_abc.Mapping.get): mapping_get, id(_abc.Mapping.__contains__): mapping_contains,
    id(_abc.Mapping.keys): mapping_keys, id(_abc.Mapping.values): mapping_values,
    id(_abc.Mapping.items): mapping_items, id(_abc.MutableMapping.update): mutable_update,
    id(_abc.MutableMapping.setdefault): mutable_setdefault,
    id(_abc.MutableMapping.pop): mutable_pop, id(_abc.MutableMapping.clear): mutable_clear,
    id(_abc.Sequence.__contains__): sequence_contains, id(_abc.Sequence.__iter__): sequence_iter,
    id(_abc.Sequence.__reversed__): sequence_reversed,
}  # fmt: skip
"""By the `id` of what is called."""
