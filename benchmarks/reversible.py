"""Reversible functions: both directions and gradients against the plain text, compiled.

Nothing is timed before the inverse has restored the arguments, and the gradient has agreed with
that of the plain text, which has a tape. Each is measured with and without tests at run time, by
the time of the processor: all is of one thread.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import adapter
from benchmarks.figures import Bounds, Figure
from benchmarks.problems.base import Arguments
from benchmarks.programs import reversible as programs
from benchmarks.timing import Run, interleave, once
from benchmarks.validate import WrongGradient

__all__ = ["CASES", "Case", "Variant", "adjoint_alone", "agree", "fixed_point", "reversible"]


@dataclass(frozen=True, slots=True)
class Case:
    """A program.

    Attributes:
        program: the function, as plain text.
        data: its arguments; True for small ones.
        changed: how many arguments change, which are the first ones.
        argnums: the arguments by which the gradient is.
        gradient: whether that is timed.
        tolerance: of the gradient, relative to its largest number.
    """

    program: Callable[..., Any]
    data: Callable[[bool], Arguments]
    changed: int
    argnums: tuple[int, ...]
    gradient: bool = True
    tolerance: float = 1e-8

    @property
    def name(self) -> str:
        return self.program.__name__

    def fresh(self, arguments: Arguments) -> Arguments:
        """The arguments, of which those that change are copies."""
        return (*(a.copy() for a in arguments[: self.changed]), *arguments[self.changed :])

    def loss(self, step: Callable[..., Any]) -> Callable[..., Any]:
        """The sum of squares of what has changed, in the end."""
        if self.changed == 1:

            def loss(x, *rest):
                x = x.copy()
                step(x, *rest)
                return np.sum(x * x)

        else:

            def loss(x, v, *rest):
                x, v = x.copy(), v.copy()
                step(x, v, *rest)
                return np.sum(x * x) + np.sum(v * v)

        return loss


def _two_bodies(quick: bool) -> Arguments:
    steps = 1000 if quick else 1_000_000
    x, v = (
        np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.1]]),
        np.array([[0.0, -0.1, 0.0], [0.1, 1.0, 0.0]]),
    )
    return x, v, np.array([1.0, 0.1]), 0.001, steps


def _nine_bodies(quick: bool) -> Arguments:
    x, v = np.random.default_rng(8).normal(size=(2, 3, 9))
    return 3.0 * x, 0.3 * v, np.linspace(0.1, 1.0, 9), 0.001, 20 if quick else 2000


def _wave(quick: bool) -> Arguments:
    n, steps = (30, 20) if quick else (1000, 1000)
    at = np.linspace(0.0, 1.0, n)
    return np.exp(-(((at - 0.5) / 0.1) ** 2)), np.zeros(n), 1.0 + 0.2 * np.sin(6.0 * at), 0.4, steps


def _csr(quick: bool) -> Arguments:
    from scipy import sparse

    n, rng = (50 if quick else 1000), np.random.default_rng(4)
    a = sparse.random(n, n, 0.05, "csr", random_state=rng)
    rows, columns = a.indptr.astype(np.int64), a.indices.astype(np.int64)
    return np.zeros(n), a.data, rng.normal(size=n), rows, columns


def _coupling(quick: bool) -> Arguments:
    rng, n = np.random.default_rng(5), (8 if quick else 256)
    shapes = ((n, 1), (n, 1), (1, 16), (16,), (16, 1), (1,))
    return tuple(rng.normal(size=shape) for shape in shapes)


CASES = (
    Case(programs.two_bodies, _two_bodies, 2, (0, 1, 2, 3), tolerance=1e-5),
    Case(programs.nine_bodies, _nine_bodies, 2, (0, 1, 2)),
    Case(programs.wave, _wave, 2, (0, 1, 2)),
    Case(programs.wave_np, _wave, 2, (0, 1, 2)),
    Case(programs.csr, _csr, 1, (1, 2), gradient=False),
    Case(programs.coupling, _coupling, 1, (1, 2, 3, 4, 5), gradient=False),
)
"""In the order of the tables."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A case with or without tests at run time."""

    case: Case
    checked: bool
    arguments: Arguments
    bounds: Bounds
    quick: bool

    @property
    def subject(self) -> str:
        return self.case.name if self.checked else f"{self.case.name}, unchecked"

    @property
    def function(self) -> Any:
        return adapter.reversible(self.case.program, self.checked)

    def against(self, kind: str, subject: str, ours: Run, rival: Run) -> Figure:
        pairs, seconds = (3, 0.002) if self.quick else (9, 0.05)
        pair = interleave(ours, rival, pairs, seconds, time.process_time)
        bar = self.bounds.bar(kind, subject)
        return Figure(kind, subject, pair.ratio, 1e3 * pair.ours, 1e3 * pair.rival, bar=bar)

    def seconds(self, run: Run) -> Figure:
        """Of a first call, with an empty disk cache."""
        kind = "reversible_compile"
        with tempfile.TemporaryDirectory() as folder:
            old = {name: os.environ.get(name) for name in adapter.cache_environment(Path(folder))}
            os.environ.update(adapter.cache_environment(Path(folder)))
            try:
                seconds = once(run, time.process_time)
            finally:
                for name, value in old.items():
                    os.environ.pop(name) if value is None else os.environ.update({name: value})
        bar = self.bounds.bar(kind, self.subject)
        return Figure(kind, self.subject, seconds, unit="s", bar=bar)

    def directions(self) -> Iterator[Figure]:
        """Both directions against the plain text."""
        plain = partial(self._called, adapter.primal(self.case.program))
        forward, back = map(adapter.primal, (self.function, adapter.inverse(self.function)))
        ends = self.case.fresh(self.arguments)
        forward(*ends)
        back(*ends)
        for a, b in zip(ends, self.arguments, strict=True):
            agree(f"{self.subject}: restored", a, b, self.case.tolerance)
        for name, run in (("forward", forward), ("inverse", back)):
            subject = f"{self.case.name} {name}"
            kind = "checked_over_plain" if self.checked else "unchecked_over_plain"
            yield self.against(kind, subject, partial(self._called, run), plain)

    def _called(self, run: Callable[..., Any]) -> Any:
        return run(*self.case.fresh(self.arguments))

    def gradients(self) -> Iterator[Figure]:
        """The gradient against the plain text, and against that with a tape."""
        case, given = self.case, self.arguments
        ours = adapter.gradient(case.loss(self.function), case.argnums)
        small = case.data(True)
        yield self.seconds(lambda: ours(*small))
        taped = adapter.gradient(case.loss(case.program), case.argnums)
        _, found = ours(*given)
        _, expected = taped(*given)
        size = max(float(np.max(np.abs(b))) for b in expected)
        for a, b in zip(found, expected, strict=True):
            agree(f"{self.subject}: gradient", a, b, case.tolerance, size)
        if not case.gradient:
            return
        plain = partial(self._called, adapter.primal(case.program))
        run, tape = (lambda: ours(*given)), (lambda: taped(*given))
        yield self.against("reversible_over_plain", self.subject, run, plain)
        yield self.against("reversible_over_tape", self.subject, run, tape)


def agree(what: str, found: Any, expected: Any, tolerance: float, size: float = 1.0) -> None:
    """Raises `WrongGradient` where numbers differ by more than that, relative to a size."""
    error = float(np.max(np.abs(np.asarray(found) - np.asarray(expected))))
    if not error <= tolerance * max(1.0, size):
        raise WrongGradient(f"{what}: {error:.1e} off, of {size:.1e}")


def adjoint_alone(variant: Variant) -> Iterator[Figure]:
    """A sparse product taken off, with cotangents, against the product; nothing is copied."""
    y, values, x, rows, columns = variant.case.fresh(variant.arguments)
    product, back = adapter.primal(variant.function), adapter.adjoint(variant.function)
    bars = np.ones_like(y), np.zeros_like(values), np.zeros_like(x), None, None
    product(y, values, x, rows, columns)
    back(y, values, x, rows, columns, bars)
    of_rows = np.repeat(np.arange(len(y)), np.diff(rows))
    agree("csr: restored", y, np.zeros_like(y), 1e-12)
    agree("csr: cotangent", bars[1], np.ones_like(y)[of_rows] * x[columns], 1e-12)
    yield variant.against(
        "adjoint_over_product", variant.subject,
        lambda: back(y, values, x, rows, columns, bars),
        lambda: product(y, values, x, rows, columns),
    )  # fmt: skip


def fixed_point(variant: Variant) -> Iterator[Figure]:
    """Two bodies in fixed point against floats: the run there and back, and the gradient."""
    case, given, step = variant.case, variant.arguments, variant.function
    fixed, back = adapter.fixed_point, adapter.inverse(variant.function)

    def end(x, v, mass, dt, steps):
        x, v = fixed(x), fixed(v)
        step(x, v, mass, dt, steps)
        return np.sum(x.floats * x.floats) + np.sum(v.floats * v.floats)

    def off(x, v, mass, dt, steps):
        a, b = fixed(x), fixed(v)
        before = a.units.copy(), b.units.copy()
        step(a, b, mass, dt, steps)
        back(a, b, mass, dt, steps)
        return np.max(np.abs(a.units - before[0])) + np.max(np.abs(b.units - before[1]))

    agree("fixed point: restored", adapter.primal(off)(*given), 0, 0.0)
    floats = case.loss(step)
    pairs = [adapter.gradient(f, case.argnums) for f in (end, floats)]
    (_, found), (_, expected) = (f(*given) for f in pairs)
    size = max(float(np.max(np.abs(b))) for b in expected)
    for a, b in zip(found, expected, strict=True):
        agree("fixed point: gradient", a, b, 1e-4, size)
    runs = [adapter.primal(f) for f in (end, floats)]
    for subject, (ours, rival) in (("run", runs), ("gradient", pairs)):
        yield variant.against(
            "fixed_over_floats", subject,
            partial(ours, *given), partial(rival, *given),
        )  # fmt: skip


def reversible(bounds: Bounds, quick: bool) -> Iterator[Figure]:
    """All figures, case by case."""
    for case in CASES:
        for checked in (True, False):
            variant = Variant(case, checked, case.data(quick), bounds, quick)
            yield from variant.directions()
            yield from variant.gradients()
            if case.program is programs.csr:
                yield from adjoint_alone(variant)
            if case.program is programs.two_bodies and checked:
                yield from fixed_point(variant)
