"""Sweeps that take turns, with the forward one cut at given steps.

Inner derivatives are asked for wherever they can be, and cut in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from retrograd.backends.llvm.cache import support_codes
from retrograd.backends.llvm.coroutines import Kept, TurnTaking
from retrograd.backends.llvm.execute import Executable, Result
from retrograd.backends.llvm.jit import link_objects, object_code
from retrograd.backends.llvm.module import sweeps_text
from retrograd.backends.llvm.nested_gradients import Derivative, Given, Inner, Watch
from retrograd.ir.check import check_program
from retrograd.ir.terms import Program
from retrograd.ir.traverse import supply_for
from retrograd.ir.types import Type
from retrograd.options.durability import Durable
from retrograd.prims import DEFAULT
from retrograd.runtime.metered import Meter
from retrograd.runtime.state import FrameShapes
from retrograd.transforms.checkpoint.sweep_split import sweeps_apart
from retrograd.transforms.passes import run_pipeline
from retrograd.transforms.pipelines import SWEEPS
from tests.backends.llvm.native import bits, own, ready, scalar

__all__ = ["LEAVES", "Turning", "in_turns", "turning"]

LEAVES = (1, 2, 3, 7, 40, 10**9)


@dataclass(frozen=True, slots=True)
class Turning:
    """Two sweeps, linked, and the inner derivatives that they may ask for."""

    ahead: Executable
    back: Executable
    shapes: FrameShapes
    inner: tuple[Turning, ...]


@dataclass(slots=True)
class _Cut(Derivative):
    """An inner derivative that is calculated in leaves of so many steps."""

    code: Turning
    leaf: int
    most: int

    @property
    def params(self) -> tuple[Type, ...]:
        return self.code.ahead.params

    @property
    def results(self) -> tuple[Type, ...]:
        return self.code.back.results

    @property
    def free(self) -> bool:
        return not self.capped

    @property
    def capped(self) -> bool:
        return True

    def make(self) -> None:
        """It has been compiled."""

    def __call__(
        self, args: Sequence[Result], room: int, watch: Watch | None = None,
        place: Durable | None = None, meter: Meter | None = None,
    ) -> Given:  # fmt: skip
        values, _, asks = in_turns(self.code, args, self.leaf, self.most)
        return Given(own(values), 0, asks > 0, 0)


def turning(program: Program, grain: int = 1) -> Turning | None:
    """The two sweeps of a derivative; None where there are not two."""
    return _turning(run_pipeline(SWEEPS, program, DEFAULT, check=True), grain)


def _turning(program: Program, grain: int) -> Turning | None:
    sweeps = sweeps_apart(program, supply_for(program), DEFAULT)
    if sweeps is None:
        return None
    made = [*sweeps.forward.functions, *sweeps.reverse.functions]
    for entry in (sweeps.forward.entry, sweeps.reverse.entry):
        check_program(Program(tuple(made), entry), DEFAULT)
    module = sweeps_text(sweeps, DEFAULT, grain)
    linked = link_objects(
        (object_code(module.text, 0), *support_codes(module)), program.entry, turns=True
    )
    pair: list[Executable] = []
    for one, taken in (
        (sweeps.forward, module.taken_ahead), (sweeps.reverse, module.taken_back),
    ):  # fmt: skip
        types = tuple(p.type for p in one.main.params)
        pair.append(Executable.of(linked, types, one.main.result_types, module.errors, taken))
    inner = tuple(map(partial(_turning, grain=grain), sweeps.inner.values()))
    assert None not in inner, "an inner derivative has no two sweeps"
    return Turning(pair[0], pair[1], module.frames, tuple(filter(None, inner)))


def in_turns(
    code: Turning, args: Sequence[Any], leaf: int, most: int = 10**9
) -> tuple[list[Any], int, int]:
    """The results, with leaves of that many steps, from snapshots that one advance has left.

    Where there are `most` of those, the next leaf is as long as all of them. Also how often the
    reverse sweep has waited, and how many inner derivatives were asked for.
    """
    context = ready()
    inner = Inner.of([_Cut(one, leaf, most) for one in code.inner])
    run = TurnTaking(code.ahead, code.back, code.shapes, context, own(args), inner)
    snapshots: list[Kept | None] = [None]
    while not run.advance(run.step + leaf, clean=True):
        snapshots.append(run.save())
        if len(snapshots) == most:
            leaf = run.step
    assert context.get("live") == context.tape_bytes == 0
    results, end, waits = run.results, 1 << 60, 0
    assert results is not None
    while True:
        assert snapshots, "the reverse sweep waits for what is not there"
        start = snapshots.pop()
        run.load(start)
        ended = run.record(end)
        assert run.step == end or waits == 0
        assert ended == (waits == 0)
        end = 0 if start is None else start.step
        if ended:
            assert run.results is not None
            assert bits(own(run.results)) == bits(own(results))
        if run.reverse():
            break
        waits += 1
    assert run.gradients is not None
    assert context.tape_bytes == context.get("live") == 0
    return [scalar(v) for v in run.gradients], waits, run.answers.count
