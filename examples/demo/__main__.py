"""`python -m examples.demo`: known gradients, a model fitted to data, and what it costs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console

from benchmarks import adapter
from examples.demo import (
    adaptive_grid,
    mixture,
    picture,
    programs,
    space_time,
    space_time_picture,
    wine,
)

# Differences of fourth order are good to about this much, relative to the largest component.
DIFFERENCE_TOLERANCE = 1e-8


def known_gradients(console: Console, quick: bool) -> bool:
    """Part (a)."""
    found = adaptive_grid.outcomes(1000, (1, 10) if quick else (1, 10, 1000))
    console.print(adaptive_grid.table(found))
    return all(o.right for o in found)


def wine_mixture(console: Console, folder: Path, iterations: int) -> bool:
    """Part (b)."""
    console.print("[bold](b) A Gaussian mixture with full covariances, fitted to 178 wines[/]")
    wines = wine.load()
    both = adapter.gradient(mixture.objective, (0,))
    value = adapter.primal(mixture.objective)

    def value_and_gradient(*arguments):
        found, (slope,) = both(*arguments)
        return found, slope

    found = wine.fit(wines, value_and_gradient, iterations)
    console.print(
        f"  {len(found.theta)} parameters; objective {found.first_value:.4f} -> {found.value:.4f} "
        f"in {found.iterations} iterations of L-BFGS, {found.evaluations} gradients, "
        f"{found.seconds:.2f} s"
    )
    away = found.theta + 0.05 * np.random.default_rng(1).normal(size=found.theta.shape)
    gradient = value_and_gradient(away, wines.x, wine.COMPONENTS, wine.GAMMA)[1]
    error = wine.difference_error(value, gradient, away, wines)
    console.print(f"  gradient against central differences, near the optimum: {error:.1e}")
    cluster, hits = wine.agreement(found.mixture, wines)
    target = folder / "wine_clusters.png"
    picture.draw(target, found.mixture, wines, cluster, hits)
    console.print(f"  {hits} of {len(cluster)} bottles in the cluster of their cultivar")
    console.print(f"  picture: {target}", highlight=False)
    return error <= DIFFERENCE_TOLERANCE


def costs(console: Console, quick: bool) -> None:
    """Part (c)."""
    with console.status("timing"):
        found = list(programs.rows("quick" if quick else "full"))
    console.print(programs.table(found))


def lengths(console: Console, folder: Path, quick: bool) -> bool:
    """Part (d)."""
    with console.status("gradients of longer and longer runs"):
        found = list(space_time.samples((10, 100) if quick else (10, 100, 1000, 10_000)))
    console.print(space_time.table(found))
    target = folder / "space_and_time.png"
    space_time_picture.draw(target, found)
    console.print(f"  picture: {target}", highlight=False)
    return all(s.right for s in found)


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 1 where a number is wrong."""
    parser = argparse.ArgumentParser(prog="python -m examples.demo", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out"), help="where the pictures go")
    parser.add_argument("--quick", action="store_true", help="small sizes")
    options = parser.parse_args(arguments)
    console = Console()
    right = known_gradients(console, options.quick)
    right = wine_mixture(console, options.out, 200) and right
    costs(console, options.quick)
    right = lengths(console, options.out, options.quick) and right
    if not right:
        console.print("a number is wrong", style="bold red")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
