"""Every way to pay for a gradient: the bits of the full tape, or a refusal for want of memory."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import retrograd as rg
from retrograd.api.checkpointed import Budgeted
from retrograd.errors import UserError
from retrograd.options.checkpointing import Checkpointing
from retrograd.runtime.generations import Generations
from tests.random.harness import leaves

__all__ = ["combinations", "in_every_way"]

Function = Callable[..., Any]
Args = tuple[Any, ...]


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

    The twelve combinations, and each of them again with what it has learnt; budgets of a half and a
    quarter of what the tape takes; snapshots on the disk; and runs that end at so many of the
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
    for share in (2, 4):
        runner.before = None
        budget = max(1, stats.peak_bytes // share)
        try:
            found = _in_a_budget(with_way, budget, want, moments)
        except UserError as error:
            found = None if error.code == "RG4004" else str(error)
        if found is not None:
            return f"{budget} of {stats.peak_bytes} bytes: {found}"
    return None


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
        place = rg.durable(Path(folder) / "run.rg", every=0.0)
        way = replace(rg.checkpointing.budget(budget), resume=place)
        for moment in range(1, moments + 1):
            if _continued(lambda: with_way(way), moment) != want:
                return f"another gradient after being stopped {moment} times"
        if list(Path(folder).iterdir()):
            return "files are left"
    return None


def _continued(gradient: Callable[[], list[bytes]], times: int) -> list[bytes]:
    """The gradient by a run that ends where it is written, and continues, so many times."""
    write = Generations.write
    for _ in range(times):

        def written(self: Generations, *given: Any) -> None:
            write(self, *given)
            raise Cut

        Generations.write = written  # type: ignore[method-assign]
        try:
            return gradient()
        except Cut:
            pass
        finally:
            Generations.write = write  # type: ignore[method-assign]
    return gradient()


def _bits(tree: Any) -> list[bytes]:
    return [np.asarray(leaf).tobytes() for leaf in leaves(tree)]
