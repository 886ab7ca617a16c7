"""Programs of parallel constructs: derivatives against primals and adjoints in C, and their tapes.

The programs are those of a user who has not tuned anything; data are random.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import adapter
from benchmarks.adbench import Objective, Size, check, gradient_of, slope_along
from benchmarks.crival import CAdjoint, address, integer, load, pointer
from benchmarks.figures import Bounds, Figure
from benchmarks.problems.base import Arguments
from benchmarks.programs import constructs as programs
from benchmarks.timing import Run, interleave
from benchmarks.validate import WrongGradient
from examples import cross_section_lookup, kmeans_by_newton, kmeans_sparse, lattice_boltzmann

__all__ = ["CONSTRUCTS", "Construct", "check_against", "constructs"]


@dataclass(frozen=True, slots=True)
class Construct:
    """One program.

    Attributes:
        objective: the program, its data, and how its gradient is checked.
        adjoint: binds a hand-written adjoint in C to arguments, where there is one.
        known: the gradient by NumPy, where differences would not do, and the Hessian diagonal,
            where it is timed.
        tape: whether the tape has a bar.
    """

    objective: Objective
    adjoint: Callable[[Arguments], CAdjoint] | None = None
    known: Callable[..., tuple[Any, ...]] | None = None
    tape: bool = False


@functools.cache
def library() -> Any:
    names = {
        "kmeans_adjoint": (*(address,) * 3, integer, integer, integer),
        "csr_adjoint": (*(address,) * 6, integer, integer),
    }
    return load(Path(programs.__file__).with_suffix(".c"), names)


def kmeans_adjoint(arguments: Arguments) -> CAdjoint:
    centres, points = arguments
    bar = np.empty_like(centres)
    fixed = (*map(pointer, (centres, points, bar)), len(centres), *points.shape)
    function = library()["kmeans_adjoint"]
    return CAdjoint(lambda: function(*fixed), (bar,), 0)


def csr_adjoint(arguments: Arguments) -> CAdjoint:
    values, x, starts, columns = arguments
    bars = np.empty_like(values), np.empty_like(x)
    places = (a.ctypes.data_as(address) for a in (starts, columns))
    fixed = (
        pointer(values), pointer(x), *places, *map(pointer, bars), len(starts) - 1, len(x)
    )  # fmt: skip
    function = library()["csr_adjoint"]
    return CAdjoint(lambda: function(*fixed), bars, 0)


def kmeans_known(centres: Any, points: Any) -> tuple[Any, Any]:
    """Gradient and Hessian diagonal: of each centre, how far and how many its points are."""
    squares = np.sum(centres * centres, axis=1) - 2.0 * points @ centres.T
    nearest = np.eye(len(centres))[np.argmin(squares, axis=1)]
    counts = np.broadcast_to(np.sum(nearest, axis=0)[:, None], centres.shape)
    return 2.0 * (counts * centres - nearest.T @ points), 2.0 * counts


def sparse_known(centres: Any, points: Any) -> tuple[Any, Any]:
    return kmeans_known(centres, kmeans_sparse.dense(points, centres.shape[1]))


def kmeans_data(size: Size) -> Arguments:
    rng = np.random.default_rng(6)
    points = rng.normal(size=(size["n"], size["d"]))
    return points[rng.choice(size["n"], size["k"], replace=False)], points


def sparse_data(size: Size) -> Arguments:
    rng = np.random.default_rng(7)
    return kmeans_sparse.data(size["n"], size["d"], size["k"], size["filled"], rng)


def recurrence_data(size: Size) -> Arguments:
    """Factors whose products stay between 1/2 and 2.

    A processor takes thirty times as long for numbers below 1e-308.
    """
    n, rng = size["n"], np.random.default_rng(9)
    level = rng.uniform(0.5, 1.0, n + 1)
    return level[1:] / level[:-1], rng.normal(size=n), rng.normal(size=n)


def log_sums_known(a: Any, weights: Any) -> tuple[Any]:
    """What each element adds to the sums from its own on."""
    later = weights * np.exp(-np.logaddexp.accumulate(a))
    return (np.exp(a) * np.cumsum(later[::-1])[::-1],)


def lookup_data(size: Size) -> Arguments:
    rng = np.random.default_rng(10)
    return cross_section_lookup.data(size["lookups"], size["nuclides"], size["points"], rng)


def objective(
    name: str,
    title: str,
    primal: Callable[..., Any],
    argnums: tuple[int, ...],
    data: Callable[[Size], Arguments],
    full: Size,
    quick: Size,
) -> Objective:
    return Objective(
        name, title, "gradient_over_primal", primal, gradient_of, slope_along, argnums, data,
        {"full": full, "quick": quick},
    )  # fmt: skip


CONSTRUCTS = (
    Construct(
        objective(
            "kmeans", "k-means", kmeans_by_newton.cost, (0,), kmeans_data,
            {"n": 10_000, "k": 100, "d": 16}, {"n": 300, "k": 10, "d": 4},
        ),
        adjoint=kmeans_adjoint, known=kmeans_known,
    ),
    Construct(
        objective(
            "kmeans_loops", "k-means, plain loops", programs.kmeans_of_loops, (0,), kmeans_data,
            {"n": 10_000, "k": 100, "d": 16}, {"n": 300, "k": 10, "d": 4},
        ),
        adjoint=kmeans_adjoint, known=kmeans_known,
    ),
    Construct(
        objective(
            "kmeans_sparse", "k-means on sparse data", kmeans_sparse.cost, (0,), sparse_data,
            {"n": 10_000, "k": 20, "d": 1000, "filled": 30},
            {"n": 300, "k": 5, "d": 50, "filled": 6},
        ),
        known=sparse_known,
    ),
    Construct(
        objective(
            "csr_product", "map over rows of a sparse matrix", programs.csr_product, (0, 1),
            lambda size: programs.ragged(
                size["rows"], size["rows"], 20.0, np.random.default_rng(8)
            ),
            {"rows": 50_000}, {"rows": 500},
        ),
        adjoint=csr_adjoint,
    ),
    Construct(
        objective(
            "lookup", "cross-section lookups", cross_section_lookup.misfit, (0, 1), lookup_data,
            {"lookups": 100_000, "nuclides": 60, "points": 5000},
            {"lookups": 500, "nuclides": 10, "points": 50},
        )
    ),
    Construct(
        objective(
            "lattice_boltzmann", "lattice Boltzmann", lattice_boltzmann.energy, (0, 1),
            lambda size: lattice_boltzmann.data(
                size["n"], size["steps"], np.random.default_rng(11)
            ),
            {"n": 32, "steps": 10}, {"n": 5, "steps": 3},
        )
    ),
    Construct(
        objective(
            "scan", "a scan by an operator of one's own", programs.recurrence, (0, 1),
            recurrence_data, {"n": 1_000_000}, {"n": 3000},
        ),
        tape=True,
    ),
    Construct(
        objective(
            "scan_np", "a scan by an operator of NumPy's", programs.log_sums, (0,),
            lambda size: recurrence_data(size)[1:], {"n": 1_000_000}, {"n": 3000},
        ),
        known=log_sums_known, tape=True,
    ),
    Construct(
        objective(
            "map_of_loop", "a map of a loop of 100 steps", programs.map_of_loop, (0, 1),
            lambda size: (np.random.default_rng(12).normal(size=size["n"]), 0.1),
            {"n": 100_000}, {"n": 100},
        ),
        tape=True,
    ),
    Construct(
        objective(
            "nest", "a loop in a loop that is a map", programs.nest, (0, 1),
            lambda size: tuple(
                np.random.default_rng(13).normal(size=size[name]) for name in ("n", "inner")
            ),
            {"n": 100_000, "inner": 100}, {"n": 100, "inner": 20},
        ),
        tape=True,
    ),
)  # fmt: skip
"""In the order of the tables."""


def check_against(name: str, found: Any, expected: Any, tolerance: float = 1e-9) -> None:
    """Compares componentwise, relative to the largest component of each part."""
    for ours, theirs in zip(found, expected, strict=True):
        error = float(np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs)))
        if not error <= tolerance:
            raise WrongGradient(f"{name}: {error:.1e} off")


def constructs(construct: Construct, bounds: Bounds, quick: bool) -> Iterator[Figure]:
    """Times of derivatives, after they have been checked, and bytes."""
    about = construct.objective
    arguments = about.data(about.sizes["quick" if quick else "full"])
    primal, derived = adapter.primal(about.primal), about.derived(about)
    effort = (5, 0.002) if quick else (15, 0.01)

    def against(kind: str, ours: Run, rival: Run) -> Figure:
        pair, bar = interleave(ours, rival, *effort), bounds.bar(kind, about.name)
        return Figure(kind, about.name, pair.ratio, 1e3 * pair.ours, 1e3 * pair.rival, bar=bar)

    value, gradient = derived(*arguments)
    known = () if construct.known is None else construct.known(*arguments)
    if known:
        check_against(about.name, gradient, known[:1])
    else:
        check(about, arguments, (value, gradient))
    yield against(about.kind, lambda: derived(*arguments), lambda: primal(*arguments))
    if construct.adjoint is not None:
        rival = construct.adjoint(arguments)
        check_against(about.name, (value, *gradient), (rival.run(), *rival.gradient))
        yield against("gradient_over_adjoint", lambda: derived(*arguments), rival.run)
    if len(known) > 1:
        both, (at, *others) = adapter.product_in(about.primal, None), arguments
        ones = np.ones_like(at)
        check_against(about.name, both(at, ones, *others), known)
        yield against(
            "diagonal_over_primal", lambda: both(at, ones, *others), lambda: primal(*arguments)
        )
    if construct.tape:
        kilobytes = adapter.tape_bytes(derived, arguments) / 1e3
        bar = bounds.bar("tape_of_construct", about.name)
        yield Figure("tape_of_construct", about.name, kilobytes, unit="kB", bar=bar)
