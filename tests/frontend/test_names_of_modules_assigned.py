"""Counters and results in names of modules and closures, which a program assigns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import retrograd as rg
from tests.frontend import other_module

COUNT = 0
TOTAL = 0.0
BEST: float | None = None
HISTORY: list[float] = []
PARAMS = {"rate": 0.5}
MODE = "slow"


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    global COUNT, TOTAL, BEST, HISTORY, PARAMS, MODE
    COUNT, TOTAL, BEST, HISTORY, PARAMS, MODE = 0, 0.0, None, [], {"rate": 0.5}, "slow"
    yield
    COUNT, TOTAL, BEST, HISTORY, PARAMS, MODE = 0, 0.0, None, [], {"rate": 0.5}, "slow"


def state() -> Any:
    return COUNT, TOTAL, BEST, list(HISTORY), dict(PARAMS), MODE


def residual(x: float) -> float:
    global COUNT  # noqa: PLW0603
    COUNT += 1
    return x * x - 2.0


def newton(x: float) -> float:
    for _ in range(4):
        x = x - residual(x) / (2.0 * x)
    return x * COUNT


def summed(x: float) -> float:
    global TOTAL  # noqa: PLW0603
    for k in range(3):
        TOTAL += x * k
    return TOTAL * x


def kept(x: float) -> float:
    global BEST  # noqa: PLW0603
    for k in range(4):
        y = (x - k) ** 2
        if BEST is None or y < BEST:
            BEST = y
    return BEST + x if BEST is not None else x


def begun_again(x: float) -> float:
    global HISTORY  # noqa: PLW0603
    HISTORY = []
    for k in range(3):
        HISTORY.append(x * k)
    return sum(HISTORY)


def replaced(x: float) -> float:
    global PARAMS, MODE  # noqa: PLW0603
    PARAMS = {"rate": x, "steps": 2.0}
    MODE = "fast"
    return PARAMS["rate"] * x


def of_another_module(x: float) -> float:
    other_module.CALLS += 1
    return x * other_module.CALLS


@pytest.mark.parametrize("program", [newton, summed, kept, begun_again, replaced])
def test_names_are_written_back(program: Callable[[float], float]) -> None:
    expected, wanted = program(1.4), state()
    again, later = program(1.4), state()
    _fresh()
    compiled = rg.jit(program)
    assert compiled(1.4) == pytest.approx(expected)
    assert _near(state(), wanted)
    assert compiled(1.4) == pytest.approx(again)
    assert _near(state(), later)


def _fresh() -> None:
    global COUNT, TOTAL, BEST, HISTORY, PARAMS, MODE
    COUNT, TOTAL, BEST, HISTORY, PARAMS, MODE = 0, 0.0, None, [], {"rate": 0.5}, "slow"


def _near(one: Any, other: Any) -> bool:
    return repr(one) == repr(other)


@pytest.mark.parametrize("program", [newton, summed, kept])
def test_derivatives_read_names_and_write_nothing(program: Callable[[float], float]) -> None:
    before = state()
    slope = rg.grad(program)(1.4)
    assert rg.grad(program, memory=10**6)(1.4) == slope
    assert state() == before
    high = program(1.4 + 1e-6)
    _fresh()
    low = program(1.4 - 1e-6)
    assert slope == pytest.approx((high - low) / 2e-6, rel=1e-6)


def test_names_of_other_modules_are_written_back() -> None:
    other_module.CALLS = 0
    compiled = rg.jit(of_another_module)
    assert [compiled(2.0), compiled(2.0)] == [2.0, 4.0]
    assert other_module.CALLS == 2


def test_counters_of_closures_are_written_back() -> None:
    def counting() -> tuple[Callable[[float], float], Callable[[], int]]:
        calls = 0

        def f(x: float) -> float:
            nonlocal calls
            calls += 1
            return x * calls

        return f, lambda: calls

    f, calls = counting()
    compiled = rg.jit(f)
    assert [compiled(2.0), compiled(2.0)] == [2.0, 4.0]
    assert rg.grad(f)(2.0) == 3.0
    assert calls() == 2


def test_a_run_that_raises_has_counted() -> None:
    def failing(x: float) -> float:
        global COUNT  # noqa: PLW0603
        COUNT += 1
        if x < 0.0:
            raise ValueError("negative")
        return x

    with pytest.raises(ValueError, match="negative"):
        rg.jit(failing)(-1.0)
    assert COUNT == 1


def test_a_name_that_there_is_not_is_refused() -> None:
    def assigned(x: float) -> float:
        global NOWHERE  # noqa: PLW0603
        NOWHERE = x
        return x

    with pytest.raises(rg.UserError, match=r"NOWHERE = 0, outside of functions"):
        rg.jit(assigned)(1.0)


def test_functions_are_not_replaced() -> None:
    def assigned(x: float) -> float:
        global residual  # noqa: PLW0603
        residual = x  # type: ignore[assignment]
        return x

    with pytest.raises(rg.UserError, match="'residual' is assigned"):
        rg.jit(assigned)(1.0)
