"""What a derivative will take in one budget or another, without calculating it in each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from retrograd.api.checkpointed import Budgeted
from retrograd.api.functions import Compiled, value_and_grad
from retrograd.api.probing import needs_much, profiles_of, rounded_up
from retrograd.api.ready import Argnums
from retrograd.errors import UserError
from retrograd.options.memory import bytes_of
from retrograd.runtime.execute import Exhausted
from retrograd.runtime.schedule.actions import TooSmall
from retrograd.runtime.schedule.profile import Profile
from retrograd.runtime.schedule.simulate import (
    Outcome,
    TooLong,
    simulate,
    smallest_budget,
    whole_tape,
)

__all__ = ["Plan", "PlanRow", "plan"]

_ROWS = 8
_PATIENCE = 200_000
"""Actions after which a budget is taken to be of little use."""


@dataclass(frozen=True, slots=True)
class PlanRow:
    """What a derivative is expected to take in one budget.

    Attributes:
        budget: bytes.
        seconds: how long it takes.
        slowdown: that, as a multiple of what it takes with the whole tape.
        leaves: stretches that are recorded and taken back.
        snapshots: how many are taken.
        live_snapshots: how many there are at a time at most.
        recomputed: forward steps that are done again, as a share of the run's.
        peak_bytes: the most bytes at a time.
    """

    budget: int
    seconds: float
    slowdown: float
    leaves: int
    snapshots: int
    live_snapshots: int
    recomputed: float
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What `rg.plan` has found.

    Attributes:
        function: the name of what is differentiated.
        steps: of the run, in the unit of `primops`; it does more than the function alone.
        tape_bytes: the whole tape.
        smallest: about the smallest budget that is enough, bytes.
        full: the smallest one for which nothing is done again, bytes.
        rows: one for each budget that is enough, the smallest first.
        refused: budgets that are not enough, bytes.
        slow: budgets that may be enough, but for a run that is done again too often to be counted.
    """

    function: str
    steps: int
    tape_bytes: int
    smallest: int
    full: int
    rows: tuple[PlanRow, ...]
    refused: tuple[int, ...]
    slow: tuple[int, ...]


def plan(
    fun: Callable[..., Any], *args: Any, budgets: Sequence[int | str] | int | str | None = None,
    argnums: Argnums = 0,
) -> Plan:  # fmt: skip
    """Predicts time and bytes of `rg.grad(fun, memory=...)(*args)` for a table of budgets.

    The run is gone through twice, without and with recording, and a small part of it is taken back
    (a 64th, or 32 MB of tape). Then the schedule of each budget is tried on what was measured.
    Where inner derivatives or bodies of loops take the most, it is gone through some times more,
    with less and less room for these. Sizes and numbers of leaves are near the real ones; seconds
    are as good as the machine is calm.

    Args:
        fun: a function that returns one float.
        args: its arguments, as for the gradient.
        budgets: what to try, one or several, as `memory=` takes it; from the smallest that is
            enough up to the whole tape where it is not said.
        argnums: as for `grad`.

    Raises:
        UserError: as `grad` does; a budget is no number of bytes; or the machine has not enough
            memory for the run itself.

    >>> import math, retrograd as rg
    >>> def swing(x):
    ...     for _ in range(20_000):
    ...         x = x + 0.001 * math.sin(x)
    ...     return x
    >>> found = rg.plan(swing, 0.5, budgets=["1MB", "20kB"])
    >>> [row.leaves > 1 for row in found.rows], found.smallest < 20_000
    ([True, False], True)
    """
    if isinstance(budgets, int | str):
        budgets = (budgets,)
    sizes = None if budgets is None else [_size(budget) for budget in budgets]
    derivative = value_and_grad(fun, argnums=argnums, memory=1 << 62)
    variants, name = _profiles(derivative, args)
    profile = variants[0][0]
    least = min(rounded_up(5 * smallest_budget(p) // 4) for found in variants for p in found)
    full = rounded_up(whole_tape(profile))
    base = simulate(profile, full)
    tried = _spread(least, full) if sizes is None else sorted(set(sizes))
    rows: list[PlanRow] = []
    refused: list[int] = []
    slow: list[int] = []
    for budget in tried:
        try:
            rows.append(_row(base, budget, *_outcome(variants, budget)))
        except TooSmall:
            refused.append(budget)
        except TooLong:
            slow.append(budget)
    tape = int(profile.tape.values[-1])
    least = min(least, full)
    return Plan(
        name, profile.length, tape, least, full, tuple(rows), tuple(refused), tuple(slow)
    )  # fmt: skip


def _size(budget: int | str) -> int:
    size = bytes_of(budget)
    if size is None:
        raise UserError("RG4003", "a budget is None", way_out="leave out what has no limit")
    return size


_Variants = Sequence[Sequence[Profile]]
"""Of each variant of the sweeps, in the order in which they are tried; the first is of a run with
inner derivatives that have all the room there is, the others of such with less."""


def _outcome(variants: _Variants, budget: int) -> tuple[Profile, Outcome]:
    """The fastest of what the profiles of the first variant say for which the budget is enough.

    Raises:
        TooSmall: it is for none.
        TooLong: it may be, with more steps than anybody wants.
    """
    for profiles in variants:
        found: list[tuple[Profile, Outcome]] = []
        slow = False
        for profile in profiles:
            try:
                found.append((profile, simulate(profile, budget, _PATIENCE)))
            except TooSmall:
                continue
            except TooLong:
                slow = True
        if found:
            return min(found, key=lambda one: one[1].seconds)
        if slow:
            raise TooLong
    raise TooSmall(budget)


def _profiles(derivative: Compiled, args: Sequence[Any]) -> tuple[_Variants, str]:
    """What the run of a derivative is like, and the name of the function.

    Also with less room for inner derivatives if that makes a difference; and with the finest
    sweeps, where others need much more than some snapshots.
    """
    ready, runner = derivative.specialise(args, {})
    if not isinstance(runner, Budgeted):
        raise UserError(
            "RG4008", "this derivative has no tape, so no budget changes anything",
            way_out="plan the gradient of a function that is not a derivative itself",
        )  # fmt: skip
    code, given = runner.code, runner.inputs(ready.traced.flatten(args, {}))
    try:
        variants = [profiles_of(code, given)]
        if all(needs_much(profile) for profile in variants[0]):
            finest = runner.variants.finest()
            variants += [] if finest is code else [profiles_of(finest, given)]
    except Exhausted:
        raise UserError(
            "RG4008", "the machine has not enough memory for the run itself", code.span,
            "give it smaller arguments",
        ) from None  # fmt: skip
    return variants, runner.function


def _spread(least: int, full: int) -> list[int]:
    """Budgets from the one to the other, each the same multiple of the one before."""
    if full <= least:
        return [full]
    ratio = (full / least) ** (1 / (_ROWS - 1))
    between = [rounded_up(int(least * ratio**k)) for k in range(1, _ROWS - 1)]
    return sorted({least, *between, full})


def _row(base: Outcome, budget: int, profile: Profile, found: Outcome) -> PlanRow:
    return PlanRow(
        budget, found.seconds, found.seconds / max(base.seconds, 1e-12), found.leaves,
        found.snapshots, found.live_snapshots, found.steps / profile.length - 1, found.peak,
    )  # fmt: skip
