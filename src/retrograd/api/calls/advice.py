"""What budget would do where one is too small: found by trying, within bounds.

What is named in a refusal has been enough for a whole run, so it is enough for the next one. How
much is tried depends on the program and its data only: bytes and steps are counted, no time is
measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt

from retrograd.errors import Span, UserError
from retrograd.options.memory import shown
from retrograd.runtime.metered import Meter, Stopped
from retrograd.runtime.schedule.actions import TooSmall

__all__ = ["Look", "Trial", "looked", "most_tried", "refusal", "rounded_up"]

_BYTES, _FLOOR = 4, 10**6
"""So many times the bytes that were too few are tried at most, or a megabyte."""

_STEPS = 4
"""So many times the forward steps are done at most that the refused run did."""

_WORK = 1 << 31
"""Or so many bytes are gone over, where that is more: about a second's."""

_MORE = 2
"""Smaller budgets are tried in so many times the forward steps that the smallest takes which was
enough by then: so looking for it takes about as long as some runs with what is named."""

_LITTLE = 1 << 29
"""Or in so much work, where that is more: the steps of what fails are known by whole parts only."""

_CLOSE = 1.5
"""What is named is at most so many times what was found to be too little, if there is time."""

_MARGIN = 16
"""What is named has been enough for a trial in it, and for one in a part of so many less. What is
live depends a little on the clock: frames on the native stack are counted where a leg ends. The
smaller one alone is no proof, since a little more than what is enough may be too little again."""

_LEGS = 64, 2048, 1 << 14
"""In a trial, legs have the first of these numbers of steps at least, the last one at most, and one
step for as many bytes as the second says, so that frames of a leg take up to about that margin."""

Trial = Callable[[int, Meter], None]
"""Calculates the derivative in so many bytes; TooSmall or Stopped where it does not."""


@dataclass(frozen=True, slots=True)
class Look:
    """What has been found: a budget that is `enough`, None where there was none.

    The `most` bytes that were tried were too few, or had not been too few after so many `steps`,
    where that run was given up; 0 where there are no more bytes than had been asked for.
    """

    enough: int | None
    most: int
    steps: int = 0


def looked(trial: Trial, limit: int, available: int, steps: int) -> Look:
    """Looks for a budget that is enough, where `limit` was too little after so many forward steps.

    The largest that may be tried is first: it has the least to do again.
    """
    most = most_tried(limit, available)
    if most <= limit:
        return Look(None, 0)
    meter = Meter(_STEPS * steps, _WORK)
    try:
        _once(trial, most, meter)
    except TooSmall:
        return Look(None, most)
    except Stopped:
        return Look(None, most, meter.used)
    for budget, used in _smaller(trial, limit, most, meter.used):
        try:
            _again(trial, budget, Meter(_MORE * used, _LITTLE))
        except (TooSmall, Stopped):
            continue
        return Look(budget, most)
    return Look(None, most, meter.used)


def _once(trial: Trial, budget: int, meter: Meter) -> None:
    """As a call begins that is not metered, if a part of so many steps may not take too long."""
    meter.leg, meter.first = _LEGS[2], min(_LEGS[2], meter.part(budget))
    trial(budget, meter)


def _again(trial: Trial, budget: int, meter: Meter) -> None:
    """With less, and short legs."""
    meter.leg, meter.first = max(_LEGS[0], min(budget // _LEGS[1], _LEGS[2])), meter.part(budget)
    trial(budget - budget // _MARGIN, meter)


def _smaller(trial: Trial, limit: int, most: int, used: int) -> list[tuple[int, int]]:
    """Budgets between `limit` and `most` that were enough once, the smallest first, each with the
    forward steps that it took; `most` has taken the steps `used`."""
    found, low = [(most, used)], limit
    meter = Meter(_MORE * used, _LITTLE)
    while found[0][0] > _CLOSE * low:
        enough, last = found[0]
        middle = rounded_up(isqrt(low * enough))
        if not low < middle < enough:
            break
        before = meter.used
        try:
            _once(trial, middle, meter)
        except TooSmall:
            low = middle
        except Stopped:
            break
        else:
            found.insert(0, (middle, meter.used - before))
            meter.steps += _MORE * (found[0][1] - last)
    return found


def most_tried(limit: int, available: int) -> int:
    """The largest budget that is tried where `limit` was too little: one of two digits."""
    return _rounded_down(min(max(_BYTES * limit, _FLOOR), available))


def refusal(limit: int, found: Look, span: Span | None) -> UserError:
    """What a user is told whose budget no schedule can keep to.

    >>> print(refusal(60_000, Look(71_000, 240_000), None).way_out)
    give it more: 71 kB is enough
    >>> print(refusal(60_000, Look(None, 1_000_000), None).way_out)
    give it more than 1 MB, which is too little, too; rg.plan says how much
    >>> print(refusal(60_000, Look(None, 1_000_000, 12_345), None).way_out)
    give it more: 1 MB was not refused in the first 12,345 steps; rg.plan says what all of them need
    """
    if found.enough is not None:
        way_out = f"give it more: {shown(found.enough)} is enough"
    elif not found.most:
        way_out = "there is not more memory on this machine; give it smaller arguments"
    elif not found.steps:
        most = shown(found.most)
        way_out = f"give it more than {most}, which is too little, too; rg.plan says how much"
    else:
        way_out = (
            f"give it more: {shown(found.most)} was not refused in the first {found.steps:,} "
            "steps; rg.plan says what all of them need"
        )
    return UserError("RG4004", f"{shown(limit)} are too little for this derivative", span, way_out)


def rounded_up(size: int) -> int:
    """Two digits that are not less.

    >>> rounded_up(1_234), rounded_up(99_001), rounded_up(7)
    (1300, 100000, 7)
    """
    unit = _unit(size)
    return -(-size // unit) * unit


def _rounded_down(size: int) -> int:
    unit = _unit(size)
    return size // unit * unit


def _unit(size: int) -> int:
    return 10 ** max(0, len(str(size)) - 2)
