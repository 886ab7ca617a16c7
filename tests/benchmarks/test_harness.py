"""The harness: timing by a made-up clock, bars, verdicts, tables, and the whole path."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from benchmarks import __main__ as command
from benchmarks import adapter, one, process
from benchmarks.budgets import budgets
from benchmarks.crival import gcc_available
from benchmarks.figures import Bounds, Figure, as_json, from_json
from benchmarks.interruptible import CASES
from benchmarks.measure import Effort, measure
from benchmarks.parts import PARTS
from benchmarks.problems.catalogue import PROBLEMS
from benchmarks.problems.rk4 import RK4
from benchmarks.process import Outcome
from benchmarks.tables import tables
from benchmarks.timing import interleave

JUDGED = ("primal_over_c", "gradient_over_adjoint", "tape_over_adjoint", "gradient_over_primal")


class Clock:
    """A clock that only moves when a program says how long it took, and drifts."""

    def __init__(self) -> None:
        self.now = 0.0
        self.drift = 1.0

    def __call__(self) -> float:
        return self.now

    def program(self, seconds: float, calls: list[str], name: str) -> Callable[[], None]:
        def run() -> None:
            calls.append(name)
            self.now += seconds * self.drift
            self.drift *= 1.01

        return run


def test_ratio_survives_a_drifting_clock() -> None:
    clock, calls = Clock(), list[str]()
    pair = interleave(
        clock.program(0.03, calls, "a"), clock.program(0.02, calls, "b"), 9, 0.001, clock
    )
    assert pair.ratio == pytest.approx(1.5, rel=0.02)
    assert "".join(calls).endswith("abbaabbaabbaabbaab")


def test_short_programs_are_repeated_until_a_sample_is_long_enough() -> None:
    clock, calls = Clock(), list[str]()
    clock.drift = 1.0

    def short() -> None:
        calls.append("a")
        clock.now += 1e-4

    interleave(short, short, 3, 0.01, clock)
    assert len(calls) >= 6 * 100


def test_every_bar_of_the_issue_is_there() -> None:
    bounds = Bounds.load()
    assert bounds.bar("primal_over_c", "fig8") == 1.15
    assert bounds.bar("gradient_over_adjoint", "rk4") == 1.25
    assert bounds.bar("tape_over_adjoint", "leapfrog") == 1.2
    assert bounds.bar("gradient_over_primal", "lstm") == 4.0
    assert bounds.bar("gradient_over_primal", "fig8") is None
    assert bounds.bar("import", "") == 0.2
    assert bounds.bar("first_gradient", "") == 1.5
    assert bounds.bar("second_process", "") == 0.15
    assert bounds.bar("call", "") == 3.0
    assert bounds.bar("budget_over_primal", "fig8") == 5.0
    assert bounds.bar("budget_over_primal", "fig8_sum") == 8.0
    assert bounds.bar("budget_over_tape", "fig8") == 1.4
    assert bounds.bar("small_over_large_budget", "fig8_sum") == 2.0


def test_bars_name_problems_that_exist() -> None:
    known = {p.name for p in PROBLEMS} | {*CASES} | {*PARTS}
    for section in Bounds.load().table.values():
        assert set(section.get("only", ())) <= known
        assert section["title"]


@pytest.mark.parametrize(
    ("value", "bar", "verdict"), [(1.0, 1.15, "ok"), (1.2, 1.15, "missed"), (9.0, None, "")]
)
def test_verdict(value: float, bar: float | None, verdict: str) -> None:
    assert Figure("primal_over_c", "fig8", value, bar=bar).verdict == verdict


def test_a_figure_that_could_not_be_taken_misses_its_bar() -> None:
    assert Figure("primal_over_c", "fig8", None, bar=1.15).verdict == "missed"


def test_tables_show_figures_bars_and_verdicts() -> None:
    figures = [
        Figure("primal_over_c", "fig8", 1.0834, 10.834, 10.0, "ms", 1.15),
        Figure("import", "import", 0.25, unit="s", bar=0.2, note="numpy alone: 0.1 s"),
    ]
    console = Console(record=True, width=120)
    for table in tables(figures, Bounds.load()):
        console.print(table)
    text = console.export_text()
    for expected in ("1.08", "10.8 ms", "10 ms", "1.15", "ok", "missed", "numpy alone", "fig8"):
        assert expected in text


def test_json_round_trips() -> None:
    figures = [Figure("import", "import", 0.25, unit="s", bar=0.2)]
    (entry,) = json.loads(json.dumps(as_json(figures)))
    assert entry["verdict"] == "missed"
    assert from_json([entry]) == figures


def play_retrograd(monkeypatch: pytest.MonkeyPatch, spoil: float = 0.0) -> None:
    """Lets the C of the RK4 problem play retrograd's part."""
    adjoint = RK4.c_adjoint
    assert adjoint is not None

    def gradient(f: Callable[..., Any], argnums: tuple[int, ...]) -> Callable[..., Any]:
        def run(*arguments: Any) -> tuple[float, tuple[Any, ...]]:
            rival = adjoint(arguments)
            return rival.run(), tuple(g + spoil * np.ones_like(g) for g in rival.gradient)

        return run

    monkeypatch.setattr(adapter, "primal", lambda f: lambda *a: RK4.c_primal(a).run())
    monkeypatch.setattr(adapter, "gradient", gradient)
    monkeypatch.setattr(adapter, "tape_bytes", lambda g, a: adjoint(a).tape_bytes)


@pytest.mark.skipif(not gcc_available(), reason="the rivals in C need gcc")
def test_a_problem_gives_all_its_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    play_retrograd(monkeypatch)
    figures = list(measure(RK4, Effort("tiny", 3, 1e-5), Bounds.load(), jax=False))
    assert {f.kind for f in figures} == {*JUDGED, "compile", "cold_over_adjoint"}
    (tape,) = (f for f in figures if f.kind == "tape_over_adjoint")
    assert tape.value == 1.0
    assert tape.verdict == "ok"


@pytest.mark.skipif(not gcc_available(), reason="the rivals in C need gcc")
def test_a_wrong_gradient_is_not_timed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    play_retrograd(monkeypatch, spoil=1e-3)
    target = tmp_path / "figures.json"
    assert one.main(["rk4", str(target), "--quick", "--no-jax"]) == 1
    assert "WrongGradient" in capsys.readouterr().err
    found = from_json(json.loads(target.read_text()))
    assert "gradient_over_adjoint" not in {f.kind for f in found}


@pytest.mark.skipif(not gcc_available(), reason="the rivals in C need gcc")
def test_an_empty_tape_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    play_retrograd(monkeypatch)
    monkeypatch.setattr(adapter, "tape_bytes", lambda g, a: 0)
    figures = list(measure(RK4, Effort("tiny", 3, 1e-5), Bounds.load(), jax=False))
    (tape,) = (f for f in figures if f.kind == "tape_over_adjoint")
    assert tape.verdict == "missed"


def test_a_process_that_fails_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [Figure("compile", "rk4", 0.1, unit="s", note="primal")]
    monkeypatch.setattr(process, "in_own_process", lambda name, flags: Outcome(found, "it broke"))
    assert command.main(["--problem", "rk4"]) == 1
    text = capsys.readouterr().out
    assert "it broke" in text
    assert "0.100 s" in text


def test_gradients_in_a_budget_are_those_without() -> None:
    figures = list(budgets(Bounds.load(), 60, 2))
    assert {f.kind for f in figures} == {
        "budget_over_primal", "budget_over_tape", "small_over_large_budget"
    }  # fmt: skip
    assert all(f.value is not None and f.value > 0 and f.bar is not None for f in figures)
