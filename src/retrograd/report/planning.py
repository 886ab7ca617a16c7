"""What a derivative will take in one budget or another, without calculating it in each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast, overload

from retrograd.api.calls.advice import rounded_up
from retrograd.api.calls.arguments import Numbers
from retrograd.api.calls.sharing import refuse_sharing
from retrograd.api.checkpoint.checkpointed import Budgeted
from retrograd.api.checkpoint.probing import needs_much, profiles_of
from retrograd.api.functions import Compiled, value_and_grad
from retrograd.errors import UserError
from retrograd.options.memory import bytes_of
from retrograd.report.plan import Plan, PlanRow
from retrograd.report.policy_plan import PolicyPlan, plan_policies
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
from retrograd.tracebacks import shows_user_frames

__all__ = ["plan"]

_ROWS = 8
_PATIENCE = 200_000
"""Actions after which a budget is taken to be of little use."""


@overload
def plan(
    fun: Callable[..., Any], *args: Any, budgets: Sequence[int | str] | int | str | None = None,
    argnums: Numbers = None, policies: None = None, **kwargs: Any,
) -> Plan: ...  # fmt: skip
@overload
def plan(
    fun: Callable[..., Any], *args: Any, policies: Sequence[object], argnums: Numbers = None,
    **kwargs: Any,
) -> PolicyPlan: ...  # fmt: skip
@shows_user_frames
def plan(
    fun: Callable[..., Any], *args: Any, budgets: Sequence[int | str] | int | str | None = None,
    argnums: Numbers = None, policies: Sequence[object] | None = None, **kwargs: Any,
) -> Plan | PolicyPlan:  # fmt: skip
    """Predicts time and bytes of `rg.grad(fun, memory=...)(*args)` for a table of budgets, or of
    `rg.grad(rg.checkpoint(fun, policy=...))(*args)` for one of policies; `print` shows it.

    For budgets the run is gone through twice, without and with recording, and a small part of it is
    taken back (a 64th, or 32 MB of tape). Then each schedule is tried on what was measured. Where
    inner derivatives or bodies of loops take the most, it is gone through some times more, with
    less and less room for these. Sizes and numbers of leaves are near the real ones; seconds are as
    good as the machine is calm.

    For policies no derivative is calculated: a program that counts bytes and operations runs once
    for each, and of `fun` it does what sizes, numbers of iterations and branches depend on. Bytes
    are those that `stats()` counts afterwards, None where they cannot be; time is an estimate.

    Args:
        fun: a function that returns one float.
        args: its arguments, as for the gradient.
        budgets: what to try, one or several, as `memory=` takes it; from the smallest that is
            enough up to the whole tape where it is not said.
        argnums: as for `grad`.
        policies: what to try instead of budgets, as `rg.checkpoint` takes it; None among them is
            the function as it is written.
        kwargs: keyword arguments of `fun`. Where one has the name of a parameter of `plan`, make it
            a positional one: `lambda x: fun(x, budgets=...)`.

    Returns:
        A `Plan`: a row for each budget that is enough, and those that are not. With `policies` a
        `PolicyPlan`: a row for each of them.

    Raises:
        UserError: as `grad` does; a budget is no number of bytes; budgets and policies are both
            given; or the machine has not enough memory for the run itself.

    >>> import math, retrograd as rg
    >>> def swing(x):
    ...     for _ in range(20_000):
    ...         x = x + 0.001 * math.sin(x)
    ...     return x
    >>> found = rg.plan(swing, 0.5, budgets=["1MB", "20kB"])
    >>> [row.leaves > 1 for row in found.rows], found.smallest < 20_000
    ([True, False], True)

    >>> import numpy as np
    >>> def loss(w, x):
    ...     return np.sum(np.sin(w @ np.sin(w @ x)))
    >>> w, x = np.ones((9, 9)), np.ones(9)
    >>> found = rg.plan(loss, w, x, policies=[None, rg.checkpoint_policies.nothing_saveable])
    >>> [(row.name, row.tape_bytes) for row in found.rows]
    [('as written', 176), ('nothing_saveable', 0)]
    """
    if policies is not None:
        if budgets is not None:
            raise UserError(
                "RG4003", "budgets and policies are both given", way_out="plan one, then the other"
            )
        return plan_policies(fun, args, kwargs, argnums, policies)
    return _plan_budgets(fun, args, kwargs, argnums, budgets)


def _plan_budgets(
    fun: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], argnums: Numbers,
    budgets: object,
) -> Plan:  # fmt: skip
    """The table of budgets."""
    sizes = None if budgets is None else [_size(budget) for budget in _several(budgets)]
    derivative = value_and_grad(fun, argnums=argnums, memory=1 << 62)
    variants, name = _profiles(derivative, args, kwargs)
    profile = variants[0][0]
    full = rounded_up(whole_tape(profile))
    least = _least(variants, full)
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
    return Plan(
        name, profile.length, tape, least, full, tuple(rows), tuple(refused), tuple(slow)
    )  # fmt: skip


def _several(budgets: object) -> Iterable[object]:
    if isinstance(budgets, str | bytes) or not isinstance(budgets, Iterable):
        return (budgets,)
    return cast(Iterable[object], budgets)


def _size(budget: object) -> int:
    size = bytes_of(budget, "budgets")
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
    raise TooSmall


def _profiles(
    derivative: Compiled, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[_Variants, str]:
    """What the run of a derivative is like, and the name of the function.

    Also with less room for inner derivatives if that makes a difference; and with the finest
    sweeps, where others need much more than some snapshots.
    """
    ready, runner = derivative.specialise(args, kwargs)
    if not isinstance(runner, Budgeted):
        raise UserError(
            "RG4008", "this derivative has no tape, so no budget changes anything",
            way_out="plan the gradient of a function that is not a derivative itself",
        )  # fmt: skip
    flat = ready.traced.flatten(args, kwargs)
    refuse_sharing(derivative, ready.traced, flat)
    code, given = runner.code, runner.inputs(flat)
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


def _least(variants: _Variants, full: int) -> int:
    """About the smallest budget that is enough, for the schedules that are tried here, too."""
    least = min(5 * smallest_budget(p) // 4 for found in variants for p in found)
    while (size := rounded_up(least)) < full:
        try:
            _outcome(variants, size)
        except TooSmall:
            least = max(5 * least // 4, least + 1)
            continue
        except TooLong:
            pass
        return size
    return full


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
