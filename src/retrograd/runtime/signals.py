"""What native code needs to let Python answer signals while it runs: a table of addresses, a timer.

The table is the process's, since signals are. `retrograd.backends.llvm.signal_text` has the native
side and says how the two work together.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import signal
import threading
from collections.abc import Callable, Generator
from functools import cache
from types import MappingProxyType
from typing import Any

__all__ = ["ACTION_WORDS", "answer_signals", "signal_offset", "signal_table", "unanswered"]

ACTION_WORDS = 19
"""The words of a `struct sigaction` of glibc; the first of them is the handler."""

_SIZES = MappingProxyType(
    {
        "main": 1, "current": 1, "armed": 1, "calls": 1, "seen": 1, "hooked": 1, "tripped": 1,
        "ticks": 1, "timer": 1, "signal": 1, "on_tick": 1, "on_interrupt": 1, "set_timer": 1,
        "guarded": 1, "left": 1,
        "save_thread": 1, "restore_thread": 1, "check_signals": 1, "again": 4,
        "action": ACTION_WORDS, "saved": ACTION_WORDS,
    }
)  # fmt: skip
"""The fields of the table, with the words that they have.

`main` is the thread that answers signals (0: nobody does), `current` the innermost native call of
it, `calls` how many there were. The timer is `armed` while there are calls; it gives the signal
`signal`, for which there is the handler `on_tick`. `on_interrupt` is the handler of SIGINT
while one is `hooked`, `action` what is given to the system for that, and `saved` what was there
before. `tripped` notes that SIGINT has come; `ticks` counts what the timer has given in the current
call, `again` is when it does next, `seen` how many calls there were at its last. `guarded` and
`left` are what native code calls for a call from Python, and when it may be given up again.
"""


def _placed() -> dict[str, int]:
    places: dict[str, int] = {}
    total = 0
    for name, size in _SIZES.items():
        places[name] = total
        total += size
    return places


_PLACES = MappingProxyType(_placed())

_TICK = 25_000_000
"""Nanoseconds between two looks at what native code is doing."""

_THREAD_ID, _MONOTONIC = 4, 1
_SIGINFO, _RESTART, _NODEFER = 0x4, 0x10000000, 0x40000000


def signal_offset(name: str) -> int:
    """Byte offset of a field of the table."""
    return 8 * _PLACES[name]


class _Action(ctypes.Structure):
    """A `struct sigaction`."""

    _fields_ = (
        ("handler", ctypes.c_uint64),
        ("mask", ctypes.c_uint64 * 16),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_uint64),
    )


class _Event(ctypes.Structure):
    """A `struct sigevent` that asks for a signal to one thread."""

    _fields_ = (
        ("value", ctypes.c_uint64),
        ("signo", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("thread", ctypes.c_int),
        ("rest", ctypes.c_int * 11),
    )


class _Table:
    """The words. `libc` has the functions of the system that are called for them."""

    __slots__ = ("kept", "libc", "lock", "words")

    def __init__(self) -> None:
        self.words = (ctypes.c_uint64 * sum(_SIZES.values()))()
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.kept: object = None
        self.lock = threading.Lock()
        python = ctypes.pythonapi
        self._set("save_thread", _address(python.PyEval_SaveThread))
        self._set("restore_thread", _address(python.PyEval_RestoreThread))
        self._set("check_signals", _address(python.PyErr_CheckSignals))

    def answer(self, register: Callable[[int], None], kept: object) -> None:
        """Makes native code ready, which is kept for as long as the process; once."""
        with self.lock:
            if self.kept is not None:
                return
            register(ctypes.addressof(self.words))
            self.kept = kept
            for thing in (self, self.words, kept):  # a signal may come while the process ends
                ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
            self._install()

    def _install(self) -> None:
        """The timer with its handler; what is there for SIGINT stays."""
        number = self._free_signal()
        action = _Action(handler=self.get("on_tick"), flags=_RESTART | _NODEFER)
        if number is None or self.libc.sigaction(number, ctypes.byref(action), None) != 0:
            return
        self._set("signal", number)
        # Python code runs in it: SIGINT stays possible, and no other stack is used for it.
        hook = _Action(handler=self.get("on_interrupt"), flags=_SIGINFO | _RESTART | _NODEFER)
        ctypes.memmove(self._place("action"), ctypes.byref(hook), ctypes.sizeof(hook))
        self.words[_PLACES["again"] + 3] = _TICK
        self._start()
        os.register_at_fork(after_in_child=self._start)
        atexit.register(self._set, "main", 0)

    def get(self, name: str) -> int:
        return self.words[_PLACES[name]]

    def _set(self, name: str, value: int) -> None:
        self.words[_PLACES[name]] = value

    def _place(self, name: str) -> int:
        return ctypes.addressof(self.words) + signal_offset(name)

    def _start(self) -> None:
        """The timer for the main thread; a process that was forked has none."""
        for name in ("main", "current", "armed"):
            self._set(name, 0)
        main, number = threading.main_thread(), threading.get_native_id()
        if threading.current_thread() is not main:  # after a fork it is, by another number
            number = main.native_id or 0
        event = _Event(signo=self.get("signal"), notify=_THREAD_ID, thread=number)
        place = ctypes.c_void_p(self._place("timer"))
        timers = ctypes.CDLL("librt.so.1")  # where an old glibc has them; a newer one finds its own
        if timers.timer_create(_MONOTONIC, ctypes.byref(event), place) == 0:
            self._set("set_timer", _address(timers.timer_settime))
            self._set("main", main.ident or 0)

    def _free_signal(self) -> int | None:
        """A signal that nobody handles: one that is ignored if it comes without a handler, or else
        the last of those for programs."""
        now = _Action()
        for number in (signal.SIGURG, *range(signal.SIGRTMAX - 1, signal.SIGRTMIN, -1)):
            if self.libc.sigaction(number, None, ctypes.byref(now)) == 0 and now.handler == 0:
                return int(number)
        return None


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


@cache
def _table() -> _Table:
    return _Table()


def signal_table() -> int:
    """The address of this process's table."""
    return ctypes.addressof(_table().words)


def answer_signals(register: Callable[[int], None], kept: object) -> None:
    """Has signals answered while native code runs, by the first code that is given.

    Args:
        register: notes the table, and puts the addresses of the handlers into it.
        kept: what must not go away for the handlers to be there.
    """
    with contextlib.suppress(OSError):  # without timers, they are answered after the call
        _table().answer(register, kept)


@contextlib.contextmanager
def unanswered() -> Generator[None]:
    """Signals wait until a call of native code has ended: what the rest is measured against."""
    words, place = _table().words, _PLACES["main"]
    main, words[place] = words[place], 0
    try:
        yield
    finally:
        words[place] = main
