"""Every way to pay for a gradient: the bits of the full tape, or a refusal for want of memory."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import retrograd as rg
from retrograd.api.checkpoint.checkpointed import Budgeted
from retrograd.errors import UserError
from retrograd.options.checkpointing import Checkpointing
from retrograd.options.memory import bytes_of
from retrograd.runtime.rotating_files import Generations
from tests.random.harness import leaves

__all__ = ["TOO_SHORT", "combinations", "in_every_way", "stopped_at"]

Function = Callable[..., Any]
Args = tuple[Any, ...]


TOO_SHORT = "there is no budget for it"
_CONTINUED = 3
"""Of so many programs one is continued after a refusal: its gradient is compiled twice for that."""


class Cut(BaseException):
    """Ends a run after its file has been written, as a kill would."""


def combinations(leaf: int) -> Iterator[tuple[str, Checkpointing]]:
    """{binary, treeverse} x {bisection, binomial} x {fixed space, fixed time, logarithmic}."""
    kinds: tuple[tuple[Callable[..., Checkpointing], tuple[int, ...]], ...] = (
        (rg.checkpointing.fixed_space, (3,)),
        (rg.checkpointing.fixed_time, (2,)),
        (rg.checkpointing.logarithmic, ()),
    )
    for kind, bound in kinds:
        for tree in ("binary", "treeverse"):
            for split in ("bisection", "binomial"):
                way = kind(*bound, leaf=leaf, tree=tree, split=split)
                yield f"{way.kind}, {tree}, {split}", way


def in_every_way(
    fun: Function, argnums: tuple[int, ...], args: Callable[[], Args], moments: int = 1
) -> str | None:
    """What is different with some way from what the full tape gives; None where nothing is.

    The twelve combinations, and each of them again with what it has learnt; budgets of parts
    of what the tape takes; snapshots on the disk; and runs that end at so many of the
    moments at which they are written, and are continued.
    """
    full = rg.grad(fun, argnums=argnums)
    want = _bits(full(*args()))
    stats = full.stats()
    if stats is None or not stats.tape_bytes:
        return None
    limited = rg.grad(fun, argnums=argnums, memory="1GB")
    if _bits(limited(*args())) != want:
        return "another gradient in sweeps of their own"
    ((_, runner),) = limited.made.values()
    if not isinstance(runner, Budgeted):
        return None

    def with_way(way: Checkpointing) -> list[bytes]:
        # To make a gradient anew for each way would take most of the time.
        assert isinstance(runner, Budgeted)
        runner.way = way
        return _bits(limited(*args()))

    for name, way in combinations(max(16, stats.tape_bytes // 6)):
        runner.before = None
        for turn in ("first", "second"):
            if with_way(way) != want:
                return f"{name}: another gradient in the {turn} call"
    whole = max(stats.peak_bytes, stats.tape_bytes)
    for share in (0.6, 0.25, 0.1):
        runner.before = None
        budget = max(1, int(share * whole))
        try:
            found = _in_a_budget(with_way, budget, want, moments)
        except UserError as error:
            found = None if error.code == "RG4004" else str(error)
        if found is not None:
            return f"{budget} of {whole} bytes: {found}"

    def anew(way: Checkpointing) -> list[bytes]:
        place, plain = way.resume, replace(way, resume=None)
        made = rg.grad(fun, argnums=argnums, checkpointing=plain, resume=place)
        return _bits(made(*args()))

    return _in_less_and_less(with_way, anew, runner, whole, want)


def _in_less_and_less(
    with_way: Callable[[Checkpointing], list[bytes]], anew: Callable[[Checkpointing], list[bytes]],
    runner: Budgeted, whole: int, want: list[bytes],
) -> str | None:  # fmt: skip
    """Down to what is not enough: most is done again just before that. What is named then is tried
    by gradients that are made `anew`, as one with another budget is."""
    budget = whole // 2
    for _ in range(12):
        runner.before = None
        way = rg.checkpointing.budget(budget)
        try:
            with rg.record() as run:
                found = with_way(way)
        except UserError as error:
            if error.code != "RG4004":
                return f"{budget} of {whole} bytes: {error}"
            return _as_advised(anew, way, str(error.way_out), want)
        if found != want:
            return f"another gradient in {budget} of {whole} bytes"
        if run.peak_bytes > budget:
            return f"{run.peak_bytes} bytes instead of {budget}"
        budget = 4 * budget // 5
    return None


def _as_advised(
    anew: Callable[[Checkpointing], list[bytes]], less: Checkpointing, advice: str,
    want: list[bytes],
) -> str | None:  # fmt: skip
    """A budget that is named in a refusal of `less` is enough, and for some programs also to go on
    from there; the runs are short, so that there is one."""
    named = re.fullmatch(r"give it more: (.*) is enough", advice)
    if named is None:
        return None if "not refused" in advice else f"no budget is named: {advice}"
    way = rg.checkpointing.budget(bytes_of(named[1]) or 0)
    try:
        with rg.record() as run:
            found = anew(way)
    except UserError as error:
        return f"{named[1]} was named as enough: {error}"
    if found != want:
        return f"another gradient in {named[1]}, as named in a refusal"
    if int(way.size) // 8 % _CONTINUED == 0:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "run.rg"
            with suppress(UserError):
                anew(replace(less, resume=rg.durable(place, every=0.0)))
            if anew(replace(way, resume=rg.durable(place))) != want:
                return f"another gradient in {named[1]}, continued after a refusal"
    return f"{run.peak_bytes} bytes in {named[1]}" if run.peak_bytes > int(way.size) else None


def _in_a_budget(
    with_way: Callable[[Checkpointing], list[bytes]], budget: int, want: list[bytes], moments: int
) -> str | None:
    for turn in ("first", "second"):
        with rg.record() as run:
            found = with_way(rg.checkpointing.budget(budget))
        if found != want:
            return f"another gradient in the {turn} call"
        if run.peak_bytes > budget:
            return f"{run.peak_bytes} bytes"
    with tempfile.TemporaryDirectory() as folder:
        if with_way(rg.checkpointing.budget(budget, disk=folder)) != want:
            return "another gradient with a disk"
        way = rg.checkpointing.budget(budget)
        often, seldom = (
            replace(way, resume=rg.durable(Path(folder) / "run.rg", every=every))
            for every in (0.0, None)
        )
        for moment in range(1, moments + 1):
            for _ in range(moment):
                _stopped(lambda: with_way(often), 1)
            if with_way(seldom) != want:
                return f"another gradient after being stopped {moment} times"
        if list(Path(folder).iterdir()):
            return "files are left"
    return None


def stopped_at(
    fun: Function, argnums: tuple[int, ...], args: Callable[[], Args], times: int, dice: Random
) -> str | None:
    """As `in_every_way`, of runs that end at so many random moments at which they are written."""
    full = rg.grad(fun, argnums=argnums)
    want, stats = _bits(full(*args())), full.stats()
    if stats is None or not stats.tape_bytes:
        return TOO_SHORT
    whole = max(stats.peak_bytes, stats.tape_bytes)
    for share in range(2, 40):
        try:
            with tempfile.TemporaryDirectory() as folder:
                budget = max(1, whole * share // 40)
                often, seldom = (
                    rg.grad(
                        fun, argnums=argnums, memory=budget,
                        resume=rg.durable(Path(folder) / "run.rg", every=every),
                    )
                    for every in (0.0, None)
                )  # fmt: skip
                with _writings() as count:
                    often(*args())
                for _ in range(times):
                    _stopped(lambda: often(*args()), 1 + dice.randrange(count[0]))
                    if _bits(seldom(*args())) != want:
                        return f"another gradient in {budget} of {whole} bytes"
                return None
        except UserError as error:
            if error.code != "RG4004":
                return str(error)
    return TOO_SHORT


@contextmanager
def _writings(last: int = -1) -> Iterator[list[int]]:
    """Counts how often a run is written, and ends it after it has been so often."""
    write, count = Generations.write, [0]

    def written(self: Generations, *given: Any) -> None:
        write(self, *given)
        count[0] += 1
        if count[0] == last:
            raise Cut

    Generations.write = written  # type: ignore[method-assign]
    try:
        yield count
    finally:
        Generations.write = write  # type: ignore[method-assign]


def _stopped(call: Callable[[], Any], after: int) -> None:
    """Ends a run after it has been written so often; some end before that."""
    with suppress(Cut), _writings(after):
        call()


def _bits(tree: Any) -> list[bytes]:
    return [np.asarray(leaf).tobytes() for leaf in leaves(tree)]
