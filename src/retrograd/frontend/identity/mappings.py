# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
"""What programs have for the dicts of `collections`, written in Python."""

from __future__ import annotations

import collections
from typing import Any

__all__ = ["MODULE", "ChainMap", "Counter", "DefaultDict", "OfKeys", "OrderedDict"]

MODULE = __name__


class OfKeys:
    """What has values by key."""

    data: dict[Any, Any]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[key] = value

    def __contains__(self, key: Any) -> Any:
        return key in self.data

    def __len__(self) -> Any:
        return len(self.data)

    def __iter__(self) -> Any:
        return iter(self.data)

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, dict) or len(self.data) != len(other):
            return False
        return all(key in other and self.data[key] == other[key] for key in self.data)

    def keys(self) -> Any:
        return self.data.keys()

    def values(self) -> Any:
        return self.data.values()

    def items(self) -> Any:
        return self.data.items()

    def get(self, key: Any, default: Any = None) -> Any:
        return self.data.get(key, default)

    def __delitem__(self, key: Any) -> None:
        del self.data[key]

    def __reversed__(self) -> Any:
        return iter(list(self.data)[::-1])

    def setdefault(self, key: Any, default: Any = None) -> Any:
        return self.data.setdefault(key, default)

    def pop(self, key: Any, *default: Any) -> Any:
        return self.data.pop(key, *default)

    def popitem(self) -> Any:
        return self.data.popitem()

    def clear(self) -> None:
        self.data.clear()


class Merged(OfKeys):
    """What takes the values of others as they are."""

    def update(self, data: Any = (), **kwargs: Any) -> None:
        self.data.update(data)
        for key, value in kwargs.items():
            self.data[key] = value

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        own: Any = self
        made = own.copy()
        made.update(other)
        return made

    def __ror__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        own: Any = self
        made = own.copy()
        made.data = dict(other)
        made.update(self)
        return made

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self


class DefaultDict(Merged):
    """`collections.defaultdict`."""

    def __init__(self, default_factory: Any = None, data: Any = (), **kwargs: Any) -> None:
        self.default_factory = default_factory
        self.data: dict[Any, Any] = dict(data)
        for key, value in kwargs.items():
            self.data[key] = value

    def __getitem__(self, key: Any) -> Any:
        if key not in self.data and self.default_factory is not None:
            self.data[key] = self.default_factory()
        return self.data[key]

    def copy(self) -> Any:
        return DefaultDict(self.default_factory, self.data)


class Counter(OfKeys):
    """`collections.Counter`."""

    def __init__(self, iterable: Any = None, **kwargs: Any) -> None:
        self.data: dict[Any, Any] = dict()
        if isinstance(iterable, dict):
            for key in iterable:
                self.data[key] = iterable[key]
        elif iterable is not None:
            for key in iterable:
                self[key] += 1
        for key, value in kwargs.items():
            self[key] += value

    def __getitem__(self, key: Any) -> Any:
        return self.data.get(key, 0)

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, collections.Counter):
            return super().__eq__(other)
        same = all(self.data[key] == other[key] for key in self.data)
        return same and all(self[key] == other[key] for key in other)

    def __delitem__(self, key: Any) -> None:
        if key in self.data:
            del self.data[key]

    def copy(self) -> Any:
        return Counter(self.data)

    def total(self) -> Any:
        return sum(self.data.values())

    def most_common(self, n: Any = None) -> Any:
        pairs = sorted(self.data.items(), key=lambda pair: pair[1], reverse=True)
        return pairs if n is None else pairs[: max(n, 0)]

    def elements(self) -> Any:
        return iter([key for key, count in self.data.items() for _ in range(count)])

    def update(self, iterable: Any = None, **kwargs: Any) -> None:
        for key, count in Counter(iterable, **kwargs).items():
            self[key] += count

    def subtract(self, iterable: Any = None, **kwargs: Any) -> None:
        for key, count in Counter(iterable, **kwargs).items():
            self[key] -= count

    def __add__(self, other: Any) -> Any:
        made = self.copy()
        for key, count in other.items():
            made[key] += count
        return made.positive()

    def __sub__(self, other: Any) -> Any:
        made = self.copy()
        for key, count in other.items():
            made[key] -= count
        return made.positive()

    def __or__(self, other: Any) -> Any:
        made = self.copy()
        for key, count in other.items():
            made[key] = max(made[key], count)
        return made.positive()

    def __and__(self, other: Any) -> Any:
        made = Counter()
        for key, count in self.data.items():
            made[key] = min(count, other[key])
        return made.positive()

    def __iadd__(self, other: Any) -> Any:
        for key, count in other.items():
            self[key] += count
        return self.kept()

    def __isub__(self, other: Any) -> Any:
        for key, count in other.items():
            self[key] -= count
        return self.kept()

    def __ior__(self, other: Any) -> Any:
        for key, count in other.items():
            self[key] = max(self[key], count)
        return self.kept()

    def __iand__(self, other: Any) -> Any:
        for key in list(self.data):
            self[key] = min(self[key], other[key])
        return self.kept()

    def kept(self) -> Any:
        """The counter itself, without what is counted no more than zero times."""
        for key in list(self.data):
            if self.data[key] <= 0:
                del self.data[key]
        return self

    def positive(self) -> Any:
        """What is counted more than zero times."""
        made = Counter()
        for key, count in self.data.items():
            if count > 0:
                made[key] = count
        return made


class OrderedDict(Merged):
    """`collections.OrderedDict`."""

    def __init__(self, data: Any = (), **kwargs: Any) -> None:
        self.data: dict[Any, Any] = dict(data)
        for key, value in kwargs.items():
            self.data[key] = value

    def __getitem__(self, key: Any) -> Any:
        return self.data[key]

    def __eq__(self, other: Any) -> Any:
        if isinstance(other, collections.OrderedDict) and list(self) != list(other):
            return False
        return super().__eq__(other)

    def popitem(self, last: Any = True) -> Any:
        if len(self.data) == 0:
            raise KeyError("dictionary is empty")
        key = list(self.data)[-1 if last else 0]
        return key, self.data.pop(key)

    def move_to_end(self, key: Any, last: Any = True) -> None:
        value = self.data.pop(key)
        if last:
            self.data[key] = value
        else:
            rest = dict(self.data)
            self.data.clear()
            self.data[key] = value
            self.data.update(rest)

    def copy(self) -> Any:
        return OrderedDict(self.data)


class ChainMap:
    """`collections.ChainMap`."""

    def __init__(self, *maps: Any) -> None:
        self.maps: list[Any] = list(maps) if len(maps) > 0 else [{}]

    def __getitem__(self, key: Any) -> Any:
        for one in self.maps:
            if key in one:
                return one[key]
        raise KeyError(key)

    def __contains__(self, key: Any) -> Any:
        return any([key in one for one in self.maps])

    def together(self) -> Any:
        """All items, in the order in which they are gone through."""
        found: dict[Any, Any] = {}
        for one in self.maps[::-1]:
            for key in one:
                found[key] = self[key]
        return found

    def __len__(self) -> Any:
        return len(self.together())

    def __iter__(self) -> Any:
        return iter(self.together())

    def keys(self) -> Any:
        return self.together().keys()

    def values(self) -> Any:
        return self.together().values()

    def items(self) -> Any:
        return self.together().items()

    def get(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            return default
        return self[key]

    def __bool__(self) -> Any:
        return any([len(one) > 0 for one in self.maps])

    def __eq__(self, other: Any) -> Any:
        return isinstance(other, dict | collections.ChainMap) and self.together() == dict(other)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.maps[0][key] = value

    def __delitem__(self, key: Any) -> None:
        if key not in self.maps[0]:
            raise KeyError(f"Key not found in the first mapping: {key!r}")
        del self.maps[0][key]

    def pop(self, key: Any, *default: Any) -> Any:
        if key not in self.maps[0] and len(default) == 0:
            raise KeyError(f"Key not found in the first mapping: {key!r}")
        return self.maps[0].pop(key, *default)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, data: Any = (), **kwargs: Any) -> None:
        self.maps[0].update(data, **kwargs)

    def clear(self) -> None:
        self.maps[0].clear()

    def new_child(self, m: Any = None, **kwargs: Any) -> Any:
        first: Any = {} if m is None else m
        first.update(kwargs)
        return ChainMap(first, *self.maps)

    @property
    def parents(self) -> Any:
        return ChainMap(*self.maps[1:])

    def copy(self) -> Any:
        return ChainMap(self.maps[0].copy(), *self.maps[1:])
