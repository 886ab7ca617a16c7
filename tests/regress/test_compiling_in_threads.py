"""Threads that called a function for the first time at once each compiled it.

With CPython 3.11 that could fail: its parser raised SystemError.
"""

from __future__ import annotations

import threading

import numpy as np

import retrograd as rg
from retrograd.api.compile import prepare
from retrograd.frontend import trace


def test_threads_wait_for_the_same_code(monkeypatch) -> None:
    made: list[object] = []

    def counted(*args, **kwargs):
        made.append(args)
        return trace.trace_function(*args, **kwargs)

    monkeypatch.setattr(prepare, "trace_function", counted)

    def f(x):
        return np.sum(x * x * x)

    gradient, found = rg.grad(f, memory="1MB"), []

    def run() -> None:
        found.append(gradient(np.ones(3)).tolist())

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[3.0, 3.0, 3.0]] * 6
    assert len(made) == 1
