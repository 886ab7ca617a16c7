"""Ctrl-C, and other signals, are answered while native code runs, whatever it is doing."""

from __future__ import annotations

import _thread
import contextlib
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Generator
from types import FrameType
from typing import Any

import numpy as np
import pytest

import retrograd as rg

pytestmark = pytest.mark.thinned(2)

ENDLESS = 10**15
"""Iterations that nobody can wait for: a call that does so many would never come back."""


def pendulum(x, n):
    v = 0.0
    for _ in range(n):
        v -= 0.0001 * math.sin(x)
        x += 0.0001 * v
    return x


def halved(x, n):
    """A loop whose end is not known before."""
    k = 0
    while k < n:
        x = 0.5 * (x + 2.0 / x)
        k += 1
    return x


def total(x, n):
    """An innermost loop that runs in vectors."""
    s = 0.0
    for k in range(n):
        s += x * k
    return s


def deep(x, n):
    """A call in a call, and so on, again and again."""
    s = 0.0
    for _ in range(n):
        s += climb(x, 1000)
    return s


def climb(x, k):
    return x if k == 0 else 1.0 + climb(x, k - 1)


def rows(x, n):
    """Array statements that take fresh memory."""
    for _ in range(n):
        y = np.sin(x) * 0.5
        x = y + 0.25 * x
    return np.sum(x)


def moved(x, n):
    """Copies of large arrays, all of it in the system's library."""
    y = x * 1.0
    for _ in range(n):
        y[:] = x
        x[:] = y
    return y[0]


def products(x, n):
    """Calls of BLAS."""
    for _ in range(n):
        x = x @ x * 0.001
    return np.sum(x)


def scanned(x, n):
    """Loops around loops over arrays, written element by element."""
    for _ in range(n):
        for i in range(1, len(x)):
            x[i] = 0.5 * (x[i - 1] + x[i])
    return x[-1]


@contextlib.contextmanager
def ctrl_c(after: float = 0.2, send: Callable[[], object] | None = None) -> Generator[None]:
    """SIGINT comes to this process in a while.

    It comes again every ten seconds: an exception that is raised where Python removes objects is
    lost, as it would be without this project.
    """
    sent = send if send is not None else lambda: os.kill(os.getpid(), signal.SIGINT)
    done = threading.Event()

    def sending() -> None:
        wait = after
        while not done.wait(wait):
            sent()
            wait = 10.0

    sender = threading.Thread(target=sending)
    sender.start()
    try:
        yield
    finally:
        done.set()
        sender.join()


def same(a: Any, b: Any) -> bool:
    return np.asarray(a).tobytes() == np.asarray(b).tobytes()


SQUARE = np.full((40, 40), 0.5)
LINE = np.linspace(0.1, 0.9, 100_000)

PROGRAMS: dict[str, tuple[Callable[..., Any], Any]] = {
    "pendulum": (pendulum, 0.5),
    "halved": (halved, 3.0),
    "total": (total, 3.0),
    "deep": (deep, 3.0),
    "rows": (rows, LINE),
    "few": (rows, LINE[:3]),
    "moved": (moved, LINE),
    "products": (products, SQUARE),
    "large": (products, np.full((1000, 1000), 0.001)),
    "scanned": (scanned, LINE[:50]),
}


def _first(x: Any) -> Any:
    return x.copy() if isinstance(x, np.ndarray) else x


def check_stops(call: Callable[[Any, int], Any], x: Any, few: int = 3) -> None:
    """A call without end is left, and the next one is as if nothing had been."""
    want = call(_first(x), few)
    for _ in range(2):
        with ctrl_c(), pytest.raises(KeyboardInterrupt):
            call(_first(x), ENDLESS)
        assert same(call(_first(x), few), want)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_plain_code(name: str) -> None:
    fun, x = PROGRAMS[name]
    check_stops(rg.jit(fun), x)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", [n for n in PROGRAMS if n != "moved"])
def test_tangents(name: str) -> None:
    fun, x = PROGRAMS[name]

    def tangent(x, n):
        return rg.jvp(lambda v: fun(v, n), (x,), (x,))[1]

    check_stops(tangent, x)


def test_the_first_call() -> None:
    """It holds the lock of the interpreter: nobody knew that it would be long."""
    with ctrl_c(0.5), pytest.raises(KeyboardInterrupt):
        rg.jit(pendulum)(0.5, ENDLESS)


def test_a_sweep_back() -> None:
    """The tape fits in memory; the way to it takes seconds, and it is given up on the way."""

    def inner(x, n):
        s = 0.0
        for _ in range(n):
            s += rg.grad(pendulum)(x + s * 0.0, 1000)
        return s

    check_stops(rg.jit(inner), 0.5)
    check_stops(rg.grad(inner, memory="1MB"), 0.5)


@rg.reversible
def swung(x, v, dt, n):
    """Steps that are run backwards."""
    for _ in range(n):
        v -= dt * np.sin(x)
        x += dt * v


def test_reversible_functions_and_their_adjoints() -> None:
    check_stops(lambda x, n: rg.jit(swung)(x, 0.0 * x, 0.01, n), LINE[:50])
    adjoint, one = rg.adjoint(swung), LINE[:50]
    check_stops(lambda x, n: adjoint(x, 0.0 * x, 0.01, n, one, one, 0.0)[1][0], one)


def unrecorded(x, n):
    """An endless loop for which a reverse sweep needs no tape."""
    k = 0
    for i in range(n):
        k += i * i % 7
    return x * k


def pulled(x, n):
    return rg.vjp(lambda v: unrecorded(v, n), x)[1](1.0)


def column(x, n):
    return rg.jacfwd(lambda v: rows(v, n) * v)(x)


def row(x, n):
    return rg.jacrev(lambda v: unrecorded(v, n))(x)


@pytest.mark.parametrize(
    ("way", "x"),
    [
        (rg.grad(unrecorded), 2.0),
        (rg.value_and_grad(unrecorded), 2.0),
        (rg.jit(rg.grad(unrecorded)), 2.0),
        (pulled, 2.0),
        (column, LINE[:20]),
        (row, LINE[:20]),
    ],
)
def test_derivatives(way: Callable[..., Any], x: Any) -> None:
    check_stops(lambda x, n: way(x, n), x)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ["pendulum", "halved", "rows", "products", "large", "scanned"])
def test_derivatives_with_little_memory(name: str) -> None:
    fun, x = PROGRAMS[name]
    check_stops(rg.grad(fun, memory="400MB" if name == "large" else "20MB"), x)


def test_a_count_of_steps_first() -> None:
    """Fixed space counts the steps of the run before it begins."""
    way = rg.checkpointing.fixed_space(3)
    check_stops(rg.grad(rows, checkpointing=way), LINE[:50])


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ["pendulum", "deep", "large", "scanned"])
def test_interrupted_runs(name: str) -> None:
    fun, x = PROGRAMS[name]
    check_stops(lambda x, n: rg.primops(fun, x, n), x)
    check_stops(lambda x, n: rg.interrupt(fun, x, n, steps=ENDLESS), x)
    capsule = rg.interrupt(fun, x, ENDLESS, steps=5)
    with ctrl_c(), pytest.raises(KeyboardInterrupt):
        rg.resume(capsule)
    assert rg.resume(capsule, 5).steps > capsule.steps


class Handled(Exception):
    """What a handler of the user's raises."""


@contextlib.contextmanager
def handler(handle: Callable[[int, FrameType | None], None]) -> Generator[None]:
    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ["pendulum", "rows"])
def test_a_handler_that_returns(name: str) -> None:
    """The run goes on to its end, with the same bits; the handler may call native code itself."""
    fun, x = PROGRAMS[name]
    compiled = rg.jit(fun)
    few = compiled(_first(x), 3)
    count = 1000
    while True:
        start = time.perf_counter()
        want = compiled(_first(x), count)
        if time.perf_counter() - start > 0.8:
            break
        count *= 2
    seen: list[Any] = []

    def note(number: int, frame: FrameType | None) -> None:
        seen.append(compiled(_first(x), 3))

    def twice() -> None:
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)

    with handler(note), ctrl_c(0.1, twice):
        assert same(compiled(_first(x), count), want)
        assert len(seen) >= 1
    assert all(same(value, few) for value in seen)


def test_a_handler_that_raises() -> None:
    def refuse(number: int, frame: FrameType | None) -> None:
        raise Handled

    compiled = rg.jit(pendulum)
    with handler(refuse):
        for _ in range(2):
            with ctrl_c(), pytest.raises(Handled):
                compiled(0.5, ENDLESS)
    check_stops(compiled, 0.5)


def test_a_handler_that_puts_another_in_its_place() -> None:
    """The first Ctrl-C asks for a second one."""
    seen: list[int] = []

    def once(number: int, frame: FrameType | None) -> None:
        seen.append(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()

    with handler(once), ctrl_c(), pytest.raises(KeyboardInterrupt):
        rg.jit(pendulum)(0.5, ENDLESS)
    assert seen == [signal.SIGINT]


def test_nothing_stays_installed() -> None:
    """After a call, signals are what they were: Python waits for one as before."""
    check_stops(rg.jit(pendulum), 0.5)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with ctrl_c(0.1), pytest.raises(KeyboardInterrupt):
        time.sleep(60)


def test_other_signals_and_none_of_the_system() -> None:
    """They are looked for now and then."""

    def refuse(number: int, frame: FrameType | None) -> None:
        raise Handled

    compiled = rg.jit(pendulum)
    compiled(0.5, 3_000_000)
    with ctrl_c(0.1, _thread.interrupt_main), pytest.raises(KeyboardInterrupt):
        compiled(0.5, ENDLESS)
    before = signal.signal(signal.SIGTERM, refuse)
    try:
        with (
            ctrl_c(0.1, lambda: os.kill(os.getpid(), signal.SIGTERM)),
            pytest.raises(Handled),
        ):
            compiled(0.5, ENDLESS)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_to_another_thread() -> None:
    """The system may give it to any thread."""
    with ctrl_c(0.2, lambda: signal.raise_signal(signal.SIGINT)), pytest.raises(KeyboardInterrupt):
        rg.jit(pendulum)(0.5, 10**14)


def test_in_another_thread() -> None:
    """Only the main thread answers; a call of another one goes on."""
    compiled = rg.jit(pendulum)
    compiled(0.5, 3_000_000)
    want = compiled(0.5, 30_000_000)
    found: list[float] = []
    done = threading.Event()

    def work() -> None:
        found.append(compiled(0.5, 30_000_000))
        done.set()

    threading.Thread(target=work).start()
    with ctrl_c(0.05), pytest.raises(KeyboardInterrupt):
        time.sleep(60)
    assert done.wait(60)
    assert found == [want]


def test_after_a_fork() -> None:
    """A child has no timer of its parent's."""
    compiled = rg.jit(pendulum)
    want = compiled(0.5, 3_000_000)
    child = os.fork()
    if child == 0:
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        try:
            compiled(0.5, ENDLESS)
        except KeyboardInterrupt:
            os._exit(0 if compiled(0.5, 3_000_000) == want else 2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    check_stops(compiled, 0.5)


def test_memory_is_given_back() -> None:
    """What a run that was left held is there for the next one, again and again."""
    fun, x = PROGRAMS["rows"]
    compiled = rg.jit(fun)
    compiled(_first(x), 3)
    before = _resident()
    for _ in range(20):
        with ctrl_c(0.1), pytest.raises(KeyboardInterrupt):
            compiled(_first(x), ENDLESS)
    assert _resident() - before < 20 * x.nbytes


def _resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as numbers:
        return int(numbers.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
