"""The program of Siskind & Pearlmutter's Fig. 8, against numbers known to 60 digits."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table

from benchmarks import adapter
from benchmarks.problems.fig8 import fig8
from benchmarks.problems.fig8_oracle import CASES, STRIDE, Case

__all__ = ["Outcome", "outcomes", "table"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case, what came out, relative errors and seconds of a warm gradient."""

    case: Case
    value: float
    value_error: float
    gradient_error: float
    seconds: float

    @property
    def right(self) -> bool:
        """Within the rounding that the program itself magnifies."""
        return max(self.value_error, self.gradient_error) <= self.case.tolerance


def cases(n: int, steps: Sequence[int]) -> list[Case]:
    return [c for c in CASES if c.n == n and c.steps in steps]


def outcome(value_and_gradient: Callable[..., Any], case: Case) -> Outcome:
    """Runs one case twice: the first call may compile."""
    x = np.arange(case.n, 0, -1, dtype=np.float64)
    value, (gradient,) = value_and_gradient(x, case.steps, STRIDE)
    start = time.perf_counter()
    value_and_gradient(x, case.steps, STRIDE)
    seconds = time.perf_counter() - start
    leading = gradient[: len(case.gradient)]
    errors = [
        float(np.max(np.abs(leading / np.array(case.gradient) - 1.0))),
        abs(float(gradient.sum()) / case.gradient_sum - 1.0),
        abs(float(np.linalg.norm(gradient)) / case.gradient_norm - 1.0),
    ]
    return Outcome(case, float(value), abs(float(value) / case.value - 1.0), max(errors), seconds)


def outcomes(n: int = 1000, steps: Sequence[int] = (1, 10, 1000)) -> list[Outcome]:
    """All cases of that size, compiled once."""
    compiled = adapter.gradient(fig8, (0,))
    return [outcome(compiled, case) for case in cases(n, steps)]


def table(found: Sequence[Outcome]) -> Table:
    """Value and gradient against the known numbers."""
    title = f"(a) Fig. 8 with a weighted sum, n = {found[0].case.n}"
    out = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    out.show_edge = out.pad_edge = False
    for name in ("l", "value", "known", "error", "grad. error", "time", ""):
        out.add_column(name, justify="right")
    for o in found:
        out.add_row(
            str(o.case.steps), f"{o.value:.10g}", f"{o.case.value:.10g}", f"{o.value_error:.1e}",
            f"{o.gradient_error:.1e}", f"{1e3 * o.seconds:.2f} ms",
            "[green]right[/]" if o.right else "[bold red]wrong[/]",
        )  # fmt: skip
    return out
