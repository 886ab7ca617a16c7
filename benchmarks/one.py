"""`python -m benchmarks.one NAME FILE [--quick] [--no-jax]`: one problem or part, as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks import jax_rival
from benchmarks.figures import Bounds, Figure, as_json
from benchmarks.measure import Effort, measure
from benchmarks.parts import PARTS
from benchmarks.problems.catalogue import PROBLEMS
from benchmarks.validate import WrongGradient
from retrograd.errors import RetrogradError

__all__ = ["main"]


def measured(name: str, quick: bool, jax: bool) -> Iterable[Figure]:
    """The figures of a problem, or of a part."""
    bounds = Bounds.load()
    for problem in PROBLEMS:
        if problem.name == name:
            return measure(problem, Effort.of(quick), bounds, jax)
    return PARTS[name].figures(bounds, quick) if jax or name != "equinox" else ()


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the figures after each one, so that what was found survives a crash."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.one", description=__doc__)
    parser.add_argument("name", choices=[*(p.name for p in PROBLEMS), *PARTS])
    parser.add_argument("report", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--no-jax", action="store_true")
    options = parser.parse_args(arguments)
    jax = jax_rival.available() and not options.no_jax
    figures: list[Figure] = []
    try:
        for figure in measured(options.name, options.quick, jax):
            figures.append(figure)
            options.report.write_text(json.dumps(as_json(figures)))
    except (RetrogradError, WrongGradient) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
