"""The parts beside the problems, at small sizes: all figures there, and wrong numbers refused."""

from __future__ import annotations

import ast
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks import (
    adapter,
    endurance,
    equinox_rival,
    equinox_runs,
    grid,
    memory,
    one,
    process,
    schedules,
    space,
)
from benchmarks.endurance import Bound, TapeUnlike, same_bits
from benchmarks.figures import Bounds, Figure, from_json
from benchmarks.interruptible import CASES
from benchmarks.long_runs import LONG_RUNS, LongRun
from benchmarks.parts import PARTS
from benchmarks.process import Outcome
from benchmarks.programs import by_equinox
from benchmarks.programs.straight import straight, text_of
from retrograd.runtime.schedule.actions import Advance, Drop, Load, Record, Reverse, Save

runs = pytest.mark.parametrize("run", LONG_RUNS, ids=[r.name for r in LONG_RUNS])


DIFFERENCES = {"schedule_action", "driver_share", "interruptible_call"}
"""Figures that are one time less another one: on a busy machine there may be nothing left."""


def figures_of(name: str) -> list[Figure]:
    found = list(PARTS[name].figures(Bounds.load(), True))
    assert all(f.value is not None and (f.value > 0 or f.kind in DIFFERENCES) for f in found)
    return found


def test_answering_signals() -> None:
    found = figures_of("signals")
    assert [f.subject for f in found] == ["call", "scalars", "arrays", "products"]


def test_linear_algebra() -> None:
    assert [f.subject for f in figures_of("linear")] == ["solve", "cholesky"]


@pytest.mark.thinned(3)
@runs
def test_long_run(run: LongRun) -> None:
    found = figures_of(run.name)
    assert [f.kind for f in found] == ["long_over_primal", "long_over_tape"]
    assert "kB" in found[0].note


@runs
def test_long_run_against_plain_python(run: LongRun) -> None:
    size = {
        "run_tree": {"depth": 50}, "run_while": {"loops": 20, "longest": 50},
        "run_lstm": {"length": 5, "inputs": 2, "hidden": 3}, "run_reaction": {"n": 6, "steps": 4},
        "run_adaptive": {"until": 2}, "run_straight": {"statements": 20},
        "run_growing": {"steps": 20}, "run_product": {"n": 6, "steps": 5},
        "run_layers": {"layers": 14, "rows": 4, "width": 3},
    }[run.name]  # fmt: skip
    function, arguments = run.made(size), run.own(run.data(size))
    assert math.isclose(adapter.primal(function)(*arguments), function(*arguments), rel_tol=1e-9)


def test_the_adaptive_solver_rejects_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    (run,) = (r for r in LONG_RUNS if r.name == "run_adaptive")
    start, stiffness, until, tolerance = run.data(run.sizes["quick"])
    calls: list[float] = []

    def slope(x: float, v: float, mu: float) -> tuple[float, float]:
        calls.append(x)
        return v, mu * (1.0 - x * x) * v - x

    monkeypatch.setitem(run.made({}).__globals__, "slope", slope)
    run.made({})(start, stiffness, until, tolerance)
    starts = calls[::4]
    assert len(starts) > len(set(starts)) > 10


@pytest.mark.parametrize("budget", [100, 10**9])
def test_another_gradient_or_too_many_bytes_are_errors(
    monkeypatch: pytest.MonkeyPatch, budget: int
) -> None:
    (run,) = (r for r in LONG_RUNS if r.name == "run_growing")
    bound = replace(Bound.of(run, "quick"), budget=budget)
    plain = run.derivative(run, bound.function, None)
    monkeypatch.setattr(Bound, "derivative", lambda self, memory: plain)
    if budget == 100:
        with pytest.raises(TapeUnlike, match="bytes in a budget of 100"):
            bound.within()
    else:
        value, gradients = bound.within().results
        with pytest.raises(TapeUnlike, match="other bits"):
            bound.whole(plain, (np.nextafter(value, 2.0), gradients))


def test_what_takes_long_is_run_once() -> None:
    calls: list[str] = []
    pair = endurance.timed(lambda: calls.append("a"), lambda: calls.append("b"), 60.0)
    assert calls == ["a", "b"]
    assert pair.ratio == pair.ours / pair.rival


def test_bits() -> None:
    x = np.array([0.0, 1.0])
    assert same_bits((1.0, (x,)), (1.0, (x.copy(),)))
    assert not same_bits((1.0, (x,)), (1.0, (-x + 0.0,)))
    assert not same_bits((x,), (x, x))
    assert not same_bits(x, -x)
    assert not same_bits(x, x.reshape(1, 2))


def test_a_budget_that_is_refused_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    (run,) = (r for r in LONG_RUNS if r.name == "run_growing")
    tight = replace(run, sizes={"quick": run.sizes["quick"], "full": {"steps": 700}})
    of = Bound.of
    monkeypatch.setattr(
        Bound, "of",
        lambda run, size: replace(of(run, size), budget=100) if size == "full" else of(run, size),
    )  # fmt: skip
    (found,) = endurance.endurance(tight, Bounds.load(), False)
    assert found.value is None
    assert "refused" in found.note


def test_straight_line_code_has_as_many_statements_as_it_should(tmp_path: Path) -> None:
    (function,) = (n for n in ast.parse(text_of(50)).body if isinstance(n, ast.FunctionDef))
    assert len(function.body) == 50 + 8 + 1
    assert text_of(50) == text_of(50)
    x = np.linspace(-1.0, 1.0, 8)
    assert straight(tmp_path, 50)(x) != straight(tmp_path, 51)(x)


def test_space_in_processes_of_their_own() -> None:
    found = figures_of("space")
    assert {f.kind for f in found} == {"space_growth", "space_over_primal"}
    assert all(f.verdict == "ok" for f in found if f.kind == "space_growth")


def test_more_bytes_than_the_budget_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(space, "BUDGET", 1000)
    with pytest.raises(ValueError, match="bytes in 1000"):
        list(space.space(Bounds.load(), True))


def test_high_water_sees_memory_that_is_given_back() -> None:
    memory.forget_high_water()
    before = memory.high_water_bytes()
    del_me = np.ones(8_000_000)
    assert del_me[-1] == 1.0
    del del_me
    assert memory.high_water_bytes() - before > 50_000_000
    assert memory.available_bytes() > 10**8


def test_grid() -> None:
    found = figures_of("grid")
    assert [f.kind for f in found] == ["larger_over_smaller_budget"] * 7 + ["ample_over_tape"]
    assert all(f.bar is not None for f in found)


def test_spread() -> None:
    budgets = grid.spread(1000, 128_000)
    assert budgets[0] == 1000
    assert budgets[-1] == 128_000
    assert np.allclose(np.diff(np.log2(budgets)), 1.0, rtol=1e-2)


def test_interruptible() -> None:
    found = figures_of("interruptible")
    assert [f.subject for f in found] == [*CASES, "collatz"]
    bars = {f.subject: f.bar for f in found if f.kind == "interruptible_over_primal"}
    assert (bars["fig8"], bars["collatz"], bars["quadrature"]) == (1.03, 1.05, 1.1)
    assert bars["fib"] is None


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("name", "kinds"),
    [("binomial", {"binomial_over_optimum"}), ("snapshots", {"snapshot_over_copy"}),
     ("driver", {"driver_share"}), ("schedules", {"schedule_action", "schedule_bytes"})],
)  # fmt: skip
def test_other_parts(name: str, kinds: set[str]) -> None:
    found = figures_of(name)
    assert {f.kind for f in found} == kinds
    if name == "schedules":
        assert all(f.verdict == "ok" for f in found if f.kind == "schedule_bytes")


def test_every_long_run_has_a_word_about_equinox() -> None:
    told = [*by_equinox.PROGRAMS, *by_equinox.UNWRITTEN, *equinox_runs.NO_LOOP]
    assert sorted(told) == sorted(r.name for r in LONG_RUNS)


@pytest.mark.slow
@pytest.mark.skipif(not equinox_rival.available(), reason="JAX and Equinox are not installed")
@pytest.mark.filterwarnings("default")
def test_equinox() -> None:
    found = list(PARTS["equinox"].figures(Bounds.load(), True))
    assert [f.subject for f in found] == [r.name for r in LONG_RUNS]
    for figure in found:
        assert (figure.value is not None) == (figure.subject in by_equinox.PROGRAMS)
        assert figure.value is not None or figure.note.startswith("none: ")


def test_equinox_is_left_out_where_it_is_not_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(equinox_rival, "available", lambda: False)
    assert list(PARTS["equinox"].figures(Bounds.load(), True)) == []
    assert one.measured("equinox", True, False) == ()


def test_the_counting_machine_counts() -> None:
    machine = schedules.Counting(10)
    assert machine.do(Record(99, 200)).tape == 300
    seen = machine.do(Record(99, 500))
    assert (seen.step, seen.tape) == (6, 600)
    machine.do(Load(0))
    assert machine.do(Advance(4)).step == 4
    assert machine.do(Save(1)).kept == schedules.LIVE
    assert machine.do(Advance(99)).ended
    assert machine.do(Load(1)).step == 4
    assert machine.do(Record(99, 10**6)).tape == 600
    machine.do(Reverse())
    assert not machine.done
    assert machine.do(Drop(1)).kept == 0
    machine.do(Load(0))
    machine.do(Record(4, 10**6))
    machine.do(Reverse())
    assert machine.done


def test_an_action_takes_what_the_machine_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    made = schedules.budget_schedule
    for ticks, seconds in (([0.0, 8.0, 10.0, 12.0], 0.6), ([0.0, 2.0, 10.0, 18.0], 0.0)):
        left = iter(ticks)
        monkeypatch.setattr(schedules.time, "perf_counter", lambda left=left: next(left))
        found, count = schedules.sample(lambda: made(40 * schedules.LIVE), 80_000, 10)
        assert (found, count) == (pytest.approx(seconds), 10)


@pytest.mark.parametrize("case", tuple(schedules.cases()), ids=lambda c: c[0])
def test_schedules_reverse_a_whole_run(case: tuple) -> None:
    _, made, _ = case
    machine = schedules.Counting(2000)
    assert 0 < schedules.follow(made(), machine, 10**6) < 2000
    assert machine.done
    assert machine.start == 0
    assert machine.most <= 40 * schedules.LIVE


def test_a_part_is_measured_like_a_problem(tmp_path: Path) -> None:
    target = tmp_path / "figures.json"
    assert one.main(["run_growing", str(target), "--quick"]) == 0
    assert len(from_json(json.loads(target.read_text()))) == 2


def test_parts_can_be_chosen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []

    def outcome(name: str, flags: list[str]) -> Outcome:
        asked.append(name)
        return Outcome([Figure("schedule_action", "budget", 0.5, unit="us", bar=1.0)], "")

    monkeypatch.setattr(process, "in_own_process", outcome)
    assert command.main(["--problem", "schedules", "--problem", "run_tree", "--quick"]) == 0
    assert asked == ["schedules", "run_tree"]
    assert "0.500 us" in capsys.readouterr().out


def test_the_median_of_processes_counts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what else that process has measured."""
    values = [1.07, 0.97, 1.02, 1.01, 1.03]
    left = iter(values)

    def outcome(name: str, flags: list[str]) -> Outcome:
        value = next(left)
        return Outcome([Figure("driver_share", "leaves", value, 10 * value, bar=1.03)], "")

    monkeypatch.setattr(process, "in_own_process", outcome)
    (found,) = process.in_processes("driver", [], PARTS["driver"].processes).figures
    assert (found.value, found.ours, found.verdict) == (1.02, 10 * 1.02, "ok")
    assert found.note == "0.97 to 1.07 in 5 processes"
    left = iter(values)
    assert command.main(["--problem", "driver"]) == 0
    assert "0.97 to 1.07" in " ".join(capsys.readouterr().out.split())
    assert list(left) == []
    left = iter(values)
    assert command.main(["--problem", "driver", "--quick"]) == 0
    assert list(left) == values[1:]


def test_one_of_many_processes_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it had measured is there, and what it complained about."""
    figures = [Figure("ample_over_tape", "1 MB", 1.0)]
    left = iter([Outcome(2 * figures, ""), Outcome(figures, "it broke"), Outcome(2 * figures, "")])
    monkeypatch.setattr(process, "in_own_process", lambda name, flags: next(left))
    assert process.in_processes("grid", [], 3) == Outcome(figures, "it broke")


def test_figures_without_a_value_have_no_median() -> None:
    figures = [Figure("tape_over_adjoint", "lstm", None, note="no rival")] * 3
    assert process.middle(figures) == figures[0]
