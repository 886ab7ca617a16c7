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
    yield from gradients(bounds, repeats)
    yield call_overhead(bounds)


def gradients(bounds: Bounds, repeats: int) -> Iterator[Figure]:
    """The first gradient of 100 lines, with nothing on disk and with what the first has left.

    Python's own bytecode is there, as after an installation; the note tells the time without.
    """
    cold, warm = [], []
    with tempfile.TemporaryDirectory() as folder:
        bytecode = {"PYTHONPYCACHEPREFIX": f"{folder}/bytecode", "PYTHONDONTWRITEBYTECODE": ""}
        fresh = adapter.cache_environment(Path(folder, "first"))
        plain = process(HUNDRED, fresh | bytecode | {"PYTHONDONTWRITEBYTECODE": "1"})
        process(HUNDRED, adapter.cache_environment(Path(folder, "second")) | bytecode)
        for k in range(repeats):
            environment = adapter.cache_environment(Path(folder, f"repeat{k}")) | bytecode
            cold.append(process(HUNDRED, environment))
            warm.append(process(HUNDRED, environment))
    note = f"the compiler is loaded within it; where Python has no bytecode either: {plain:.1f} s"
    for kind, samples, said in (
        ("first_gradient", cold, note),
        ("second_process", warm, "in the second process"),
    ):
        bar, value = bounds.bar(kind, ""), statistics.median(samples)
        yield Figure(kind, "gradient", value, unit="s", bar=bar, note=said)


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
