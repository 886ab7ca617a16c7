"""Inner derivatives that native code leaves to others, calculated and handed back.

See `retrograd.backends.llvm.upcalls` for the other side.
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from retrograd.backends.llvm.execute import DTYPES, Result, word_format
from retrograd.ir.types import DType, Type
from retrograd.options.durability import Durable
from retrograd.runtime.arrays import address_of
from retrograd.runtime.context import Context
from retrograd.runtime.execute import Exhausted
from retrograd.runtime.metered import Meter
from retrograd.runtime.schedule.measured import inner_share

__all__ = ["Answers", "Derivative", "Given", "Inner", "Keeper", "Watch"]


@dataclass(frozen=True, slots=True)
class Given:
    """An inner derivative's results, the most bytes that it had, whether it had its whole tape at
    once, and the forward steps that it did, with those of derivatives within it."""

    results: Sequence[Result]
    peak: int
    at_once: bool
    steps: int


Watch = Callable[[float], None]
"""Told what share of an inner derivative is done, from 0 to 1."""


class Keeper(Protocol):
    """Keeps answers for another process (`retrograd.api.checkpoint.durable`), and finds those of
    another one.

    At `inner_place` an inner derivative may write its own run meanwhile.
    """

    @property
    def inner_place(self) -> Durable: ...

    def key(self, number: int, args: Sequence[Result]) -> bytes:
        """What is asked for, in few bytes."""
        ...

    def found(self, key: bytes) -> Sequence[Result] | None: ...
    def keep(self, key: bytes, results: Sequence[Result]) -> None: ...


class Derivative(Protocol):
    """An inner derivative with a schedule of its own. `capped`: there is a limit to its memory, or
    to that of one within it, so it never runs as a unit. `free`: it takes as much as there is."""

    @property
    def params(self) -> tuple[Type, ...]: ...

    @property
    def results(self) -> tuple[Type, ...]: ...

    @property
    def capped(self) -> bool: ...

    @property
    def free(self) -> bool: ...

    def make(self) -> None:
        """Compiles it, which is otherwise done when it is asked for first."""
        ...

    def __call__(
        self, args: Sequence[Result], room: int, watch: Watch | None = None,
        place: Durable | None = None, meter: Meter | None = None,
    ) -> Given:  # fmt: skip
        """Calculates it in so many bytes. `Exhausted` where those are too few.

        `watch` is told how far it is; at `place` it continues and is written to; its steps are
        charged to a `meter`.
        """
        ...


@dataclass(frozen=True, slots=True)
class Inner:
    """The inner derivatives of a program.

    `ways` has a word for each, 0 where native code does it itself; it is kept from run to run.
    """

    derivatives: Sequence[Derivative]
    ways: NDArray[np.uint64]

    @staticmethod
    def of(derivatives: Sequence[Derivative]) -> Inner:
        """At first, native code does those itself that are not capped."""
        return Inner(derivatives, np.array([*(d.capped for d in derivatives), 0], np.uint64))

    def afresh(self) -> Inner:
        """The same, of which nothing is known from runs before."""
        return Inner.of(self.derivatives)

    def within(self, room: int) -> Inner:
        """The same, which all ask, and have so many bytes at most."""
        return Inner.of([_Within(d, room) for d in self.derivatives])

    @property
    def free(self) -> bool:
        """Whether there are any that take as much as there is."""
        return any(d.free for d in self.derivatives)


@dataclass(frozen=True, slots=True)
class _Within(Derivative):
    """An inner derivative that has a cap, whoever asks for it."""

    derivative: Derivative
    room: int

    @property
    def params(self) -> tuple[Type, ...]:
        return self.derivative.params

    @property
    def results(self) -> tuple[Type, ...]:
        return self.derivative.results

    @property
    def capped(self) -> bool:
        return True

    @property
    def free(self) -> bool:
        return False

    def make(self) -> None:
        self.derivative.make()

    def __call__(
        self, args: Sequence[Result], room: int, watch: Watch | None = None,
        place: Durable | None = None, meter: Meter | None = None,
    ) -> Given:  # fmt: skip
        return self.derivative(args, min(room, self.room), watch, place, meter)


@dataclass(slots=True)
class Answers:
    """What the code in one context may ask for.

    `needs` is what those that were calculated at once have needed, `divided` are those that were
    not. `promised` is what whoever makes the schedule has been told to leave free for them, of a
    `budget`, in bytes. `count` is how many there were, `steps` the forward steps that these did;
    `watch` is told how far the one is that is under way, `keeper` has them for later, and their
    steps are charged to a `meter`.
    """

    context: Context
    inner: Inner
    own: Callable[[NDArray[Any]], int]
    needs: dict[int, int] = field(default_factory=dict[int, int])
    divided: set[int] = field(default_factory=set[int])
    budget: int = field(init=False)
    promised: int = 0
    count: int = 0
    steps: int = 0
    watch: Watch | None = None
    keeper: Keeper | None = None
    meter: Meter | None = None
    _words: ctypes.Array[ctypes.c_char] = field(init=False)

    def __post_init__(self) -> None:
        sizes = [
            struct.calcsize(word_format(types))
            for d in self.inner.derivatives
            for types in (d.params, d.results)
        ]
        self._words = (ctypes.c_char * max(sizes, default=1))()
        self.context.set("inner_ways", address_of(self.inner.ways))
        self.context.set("asked_words", ctypes.addressof(self._words))
        self.context.set("asked", 0)
        self.context.set("inside", 0)
        self.budget = self.context.get("limit")

    def written(self) -> list[list[int]]:
        """What is known of inner derivatives, for another process that goes on."""
        needs = [number for pair in self.needs.items() for number in pair]
        return [self.inner.ways.tolist(), needs, sorted(self.divided), [self.promised]]

    def read(self, given: Sequence[Sequence[int]]) -> None:
        """What another process has `written`. ValueError or TypeError where that is nothing."""
        ways, needs, divided, (promised,) = given
        np.maximum(self.inner.ways, np.array(ways, np.uint64), out=self.inner.ways)
        self.needs |= zip(map(int, needs[::2]), map(int, needs[1::2]), strict=True)
        self.divided |= set(map(int, divided))
        self.promised = int(promised)

    def answer(self) -> None:
        """Answers what the code was interrupted for (`asked` in the context says so).

        Raises:
            Exhausted: there is no room for it; the run that has asked is to be dropped.
        """
        number = self.context.get("asked")
        self.context.set("asked", 0)
        self._answer(number - 1)

    def failed_inside(self) -> bool:
        """Whether a run has failed in a derivative that will not be done in that way again."""
        number = self.context.get("inside")
        self.context.set("inside", 0)
        if number == 0 or self.inner.ways[number - 1]:
            return False
        self.inner.ways[number - 1] = 1
        return True

    def _answer(self, number: int) -> None:
        context, derivative = self.context, self.inner.derivatives[number]
        total = context.get("live") + context.get("tape_top") - context.get("tape_base")
        limit = context.get("limit")
        room = max(0, limit - total)
        wanted = self._wanted(number)
        if room < wanted and self.promised < wanted - wanted // 4:
            self.promised = wanted
            raise Exhausted(inner=wanted, learnt=True)
        given = self._given(number, room)
        self.count += 1
        self.steps += given.steps
        if given.at_once:
            self.needs[number] = max(given.peak + given.peak // 8, self.needs.get(number, 0))
        else:
            self.divided.add(number)
        context.lent = max(context.lent, total + given.peak)
        self._write(derivative.results, given.results)

    def _wanted(self, number: int) -> int:
        """The bytes that a derivative had better have; less will do."""
        limit, live = self.context.get("limit"), self.context.get("live")
        if number in self.divided:
            return inner_share(max(0, self.budget - live))
        return min(self.needs.get(number, limit), max(0, limit - live) // 2)

    def _given(self, number: int, room: int) -> Given:
        derivative, keeper = self.inner.derivatives[number], self.keeper
        args = self._read(derivative.params)
        if keeper is None:
            return derivative(args, room, self.watch, None, self.meter)
        key = keeper.key(number, args)
        results = keeper.found(key)
        if results is not None and _fit(results, derivative.results):
            return Given(results, sum(np.asarray(v).nbytes for v in results), False, 0)
        given = derivative(args, room, self.watch, keeper.inner_place)
        keeper.keep(key, given.results)
        return given

    def _read(self, types: Sequence[Type]) -> list[Result]:
        parts = struct.unpack_from(word_format(types), self._words)
        found: list[Result] = []
        position = 0
        for type_ in types:
            value = parts[position]
            position += 1
            if type_.is_scalar:
                found.append(bool(value) if type_.dtype is DType.BOOL else value)
                continue
            shape = parts[position : position + type_.rank]
            position += type_.rank
            found.append(_there(value, shape, DTYPES[type_.dtype]))
        return found

    def _write(self, types: Sequence[Type], values: Sequence[Result]) -> None:
        words: list[float | int] = []
        for value in values:
            if isinstance(value, np.ndarray):
                words += (self.own(value), *value.shape)
            else:
                words.append(value)
        struct.pack_into(word_format(types), self._words, 0, *words)


def _fit(values: Sequence[Result], types: Sequence[Type]) -> bool:
    """Whether values that somebody has written are of these types."""
    if len(values) != len(types):
        return False
    kinds = [(isinstance(v, np.ndarray), np.ndim(v), np.asarray(v).dtype) for v in values]
    return kinds == [(not t.is_scalar, t.rank, np.dtype(DTYPES[t.dtype])) for t in types]


def _there(
    address: int, shape: tuple[int, ...], dtype: np.dtype[np.generic]
) -> NDArray[np.generic]:
    """An array that is somebody else's, to be read only as long as they wait."""
    size = math.prod(shape) * dtype.itemsize
    if size == 0:
        return np.zeros(shape, dtype)
    memory = memoryview((ctypes.c_char * size).from_address(address))
    return np.ndarray(shape, dtype, memory)
