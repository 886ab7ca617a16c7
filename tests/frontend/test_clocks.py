# pyright: reportUnknownLambdaType=false
"""`time.time()` and the like: differences are taken, and nothing may depend on them."""

from __future__ import annotations

import time
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

A = np.array([2.0, 3.0, 4.0])


def measured(x: Any, verbose: Any = False) -> Any:
    begun, s, step = time.time(), 0.0, None
    for v in x:
        t0 = perf_counter()
        s = s + v * v
        step = perf_counter() - t0
    taken = (time.time() - begun) * 1000.0 / len(x)
    if verbose:
        print(f"{taken:.2f} ms", step)
    return s


def on_some_paths(x: Any, verbose: Any = 0) -> Any:
    if verbose >= 2:
        begun = time.monotonic()
    s = np.sum(x * x)
    if verbose >= 2:
        print(time.monotonic() - begun)
    return s


def perhaps(x: Any) -> Any:
    begun = perf_counter() if x[0] > 0.0 else None
    return x[0] if begun is not None else x[1]


@pytest.mark.parametrize("f", [measured, on_some_paths, perhaps])
def test_what_does_not_look_at_them(f: Callable[..., Any]) -> None:
    agree(f, A)
    agree(f, -A)


def test_slopes() -> None:
    assert rg.grad(measured)(A).tolist() == [4.0, 6.0, 8.0]


LOOKING: list[Callable[..., Any]] = [
    lambda x: x[0] if time.time() - time.time() > 5.0 else x[1],
    lambda x: x[0] if time.time() else x[1],
    lambda x: x[0] if time.time() == time.time() else x[1],
    lambda x: x[0] if time.time() is time.time() else x[1],
    lambda x: x[0] if isinstance(time.time(), float) else x[1],
    lambda x: x[0] if type(time.time()) is float else x[1],
    lambda x: x[0] if hasattr(time.time(), "real") else x[1],
    lambda x: x[0] if np.isscalar(time.time()) else x[1],
    lambda x: x[0] * len(str(time.time())),
    lambda x: x[0] * len(f"{time.time():.2f}"),
    lambda x: x[0] * (time.time() or 3.0),
    lambda x: x[0] if 1.0 in [time.time(), 1.0] else x[1],
    lambda x: x[0] if (time.time(), 1) == (time.time(), 1) else x[1],
    lambda x: x[0] * len({time.time(): 1.0, perf_counter(): 2.0}),
    lambda x: x[0] * time.time(),
    lambda x: x * time.time(),
    lambda x: x[0] * float(time.time()),
    lambda x: x[0] * max(time.time(), 1.0),
    lambda x: np.sin(time.time()) * x[0],
    lambda x: np.array([time.time(), x[0]]),
]


@pytest.mark.parametrize("f", LOOKING)
def test_what_looks_at_them_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(UserError, match="clock"):
        rg.jit(f)(A)


def test_what_is_shown_is_refused_where_it_is_shown() -> None:
    with pytest.raises(UserError, match=r"test_clocks.py:29:.*what a clock tells"):
        rg.jit(measured)(A, True)
