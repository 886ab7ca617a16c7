"""What a user waits for outside the loops: import, first gradient, a cached process, one call."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import adapter
from benchmarks.figures import Bounds, Figure
from benchmarks.process import fresh_python
from benchmarks.timing import interleave

__all__ = ["startup"]

IMPORT = "import time; t = time.perf_counter(); {}; print(time.perf_counter() - t)"
HUNDRED = ("-m", "benchmarks.programs.hundred")


def startup(bounds: Bounds, repeats: int) -> Iterator[Figure]:
    """All of them; each process is run `repeats` times and the median counts."""
    seconds, loaded, numpy = (
        median_of(("-c", IMPORT.format(statement)), repeats)
        for statement in ("import retrograd", "from retrograd import grad", "import numpy")
    )
    note = f"with the compiler loaded: {loaded:.3f} s; numpy alone: {numpy:.3f} s"
    yield Figure("import", "import", seconds, unit="s", bar=bounds.bar("import", ""), note=note)
    cold, warm = [], []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as cache:
            environment = adapter.cache_environment(Path(cache))
            cold.append(process(HUNDRED, environment))
            warm.append(process(HUNDRED, environment))
    for kind, samples in (("first_gradient", cold), ("second_process", warm)):
        bar, value = bounds.bar(kind, ""), statistics.median(samples)
        yield Figure(
            kind, "gradient", value, unit="s", bar=bar, note="the compiler is loaded within it"
        )
    yield call_overhead(bounds)


def process(arguments: tuple[str, ...], extra: dict[str, str]) -> float:
    """The number that a fresh Python prints."""
    done = fresh_python(arguments, extra)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(arguments)} failed:\n{done.stderr}")
    return float(done.stdout.split()[-1])


def median_of(arguments: tuple[str, ...], repeats: int) -> float:
    return statistics.median(process(arguments, {}) for _ in range(repeats))


def call_overhead(bounds: Bounds) -> Figure:
    """One call of a compiled function that does next to nothing, loop overhead subtracted."""

    def square(x):
        return x * x

    compiled = adapter.primal(square)

    def calls() -> None:
        for _ in range(1000):
            compiled(1.5)

    def empty() -> None:
        for _ in range(1000):
            pass

    pair = interleave(calls, empty, pairs=9)
    value = 1e3 * (pair.ours - pair.rival)
    return Figure("call", "x * x", value, unit="us", bar=bounds.bar("call", ""))
