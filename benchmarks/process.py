"""Fresh processes: what one program leaves behind must not touch the figures of another."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import adapter
from benchmarks.figures import Figure, from_json

__all__ = ["Outcome", "fresh_python", "in_own_process", "in_processes", "middle"]

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a process found out before it ended, and what it complained about."""

    figures: list[Figure]
    complaint: str


def fresh_python(
    arguments: Sequence[str], environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Runs Python from the root of the project, with this process's import path."""
    path = os.pathsep.join(filter(None, (str(ROOT), *sys.path)))
    return subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": path} | environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def in_own_process(name: str, options: Sequence[str]) -> Outcome:
    """Measures one problem or part with an empty disk cache, so that compile times are cold."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "figures.json"
        done = fresh_python(
            ("-m", "benchmarks.one", name, str(report), *options),
            adapter.cache_environment(Path(folder) / "cache"),
        )
        figures = from_json(json.loads(report.read_text())) if report.exists() else []
    if done.returncode == 0:
        return Outcome(figures, "")
    last = done.stderr.strip().splitlines()[-8:]
    if done.returncode < 0:
        last.append(f"ended by signal {-done.returncode}")
    return Outcome(figures, "\n".join(last) or f"ended with status {done.returncode}")


def in_processes(name: str, options: Sequence[str], count: int) -> Outcome:
    """The median of so many processes: where code and arrays come to lie is another in each."""
    outcomes = [in_own_process(name, options) for _ in range(count)]
    for outcome in outcomes:
        if outcome.complaint:
            return outcome
    together = zip(*(o.figures for o in outcomes), strict=True)
    return Outcome([middle(figures) for figures in together], "")


def middle(figures: Sequence[Figure]) -> Figure:
    """The one with the median of their values; its note tells of the others."""
    values = [f.value for f in figures if f.value is not None]
    if len(figures) == 1 or len(values) < len(figures):
        return figures[0]
    found = figures[values.index(statistics.median_low(values))]
    spread = f"{min(values):.3g} to {max(values):.3g} in {len(values)} processes"
    return replace(found, note="; ".join(filter(None, (found.note, spread))))
