"""How much memory a derivative needs, found without calculating it."""

from __future__ import annotations

import time
from collections.abc import Sequence

from retrograd.api.checkpoint.sweepcode import SweepCode
from retrograd.backends.llvm.coroutines import TurnTaking
from retrograd.backends.llvm.execute import Result
from retrograd.errors import UserError
from retrograd.runtime.context import Context, available_bytes, stack_floor
from retrograd.runtime.execute import Exhausted
from retrograd.runtime.schedule.profile import Profile, Unfinished, probe
from retrograd.runtime.schedule.simulate import smallest_budget

__all__ = ["needs_much", "profile_of", "profiles_of"]

_STATES = 16
"""Snapshots' worth of memory that inner schedules should do with."""

_LEAST = 4
"""The same, in which an inner derivative is tried last."""

_LONGER = 30.0
"""So many times as long as with all the room there is may a trial take."""


def profile_of(
    code: SweepCode, args: Sequence[Result], patience: float = 1e9, cap: int | None = None
) -> Profile:
    """The profile of a run in a context of its own; arguments as for `probe`.

    With a `cap` inner derivatives have that much memory and no more.

    Raises:
        Unfinished: it took too long.
        Exhausted: the machine has not enough memory for the run itself, or the cap is too small.
        Whatever the program raises.
    """
    context, limit = Context(), available_bytes()
    context.prepare(limit, stack_floor(), tape=True)
    inner = code.inner if cap is None else code.inner.within(cap)
    machine = TurnTaking(code.ahead, code.back, code.shapes, context, args, inner)
    try:
        return probe(machine, limit, patience=patience)
    finally:
        machine.drop()


def needs_much(profile: Profile) -> bool:
    """Whether the smallest budget is more than inner schedules would have to have."""
    return smallest_budget(profile) > _STATES * max(1.0, *profile.size.values)


def profiles_of(code: SweepCode, args: Sequence[Result]) -> Sequence[Profile]:
    """Profiles of the same run where inner derivatives have less and less room.

    In the first one they have all there is, as they do where the budget allows it. Where they are
    what takes the most, less is enough if they are divided, too.

    Raises:
        Exhausted: the machine has not enough memory for the run itself.
        Whatever the program raises.
    """
    start = time.perf_counter()
    found = profile_of(code, args)
    patience = max(1.0, _LONGER * (time.perf_counter() - start))
    least, most = _LEAST * max(1.0, *found.size.values), found.most_beside() / 2
    if not code.inner.free or least >= most:
        return (found,)
    for derivative in code.inner.derivatives:
        derivative.make()
    profiles = [found]
    for part in (1.0, 0.67, 0.33, 0.0):
        try:
            cap = int(least * (most / least) ** part)
            profiles.append(profile_of(code, args, cap=cap, patience=patience))
        except (Exhausted, Unfinished, UserError):  # a cap of the user's, or less than needed
            break
    return profiles
