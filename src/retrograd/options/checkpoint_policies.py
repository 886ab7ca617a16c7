"""The policies of `rg.checkpoint`, under JAX's names: what may be saved for the reverse sweep.

Each is asked about the values that are calculated in a checkpointed function. What it does not let
be saved is calculated again when the reverse sweep needs it. Value and gradient are the same to the
bit with all of them. Source: `jax.checkpoint_policies` (Bradbury et al. 2018, JAX).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, cast

from retrograd.errors import UserError
from retrograd.options.memory import bytes_of
from retrograd.options.saving import BUDGET, Answer, Offloadable, Policy, policy_of
from retrograd.tracebacks import shows_user_frames

__all__ = [
    "AUTO", "Offloadable", "Recompute", "Saveable", "budget", "checkpoint_dots",
    "checkpoint_dots_with_no_batch_dims", "dots_saveable", "dots_with_no_batch_dims_saveable",
    "everything_saveable", "nothing_saveable", "offload_dot_with_no_batch_dims",
    "save_and_offload_only_these_names", "save_any_names_but_these",
    "save_anything_but_these_names", "save_anything_except_these_names", "save_from_both_policies",
    "save_only_these_names",
]  # fmt: skip

Saveable, Recompute, AUTO = Answer.SAVE, Answer.RECOMPUTE, Answer.AUTO
"""What a policy of one's own may answer, besides True and False: a value is saved if the reverse
sweep reads it, it is never saved, or retrograd chooses."""

everything_saveable = Policy("everything_saveable")
"""As if the function were not checkpointed."""

nothing_saveable = Policy("nothing_saveable")
"""Nothing that is calculated inside is saved: the default of `rg.checkpoint`."""

dots_saveable = checkpoint_dots = Policy("dots_saveable")
"""Products of matrices and vectors are saved, and nothing else."""

dots_with_no_batch_dims_saveable = Policy("dots_with_no_batch_dims_saveable")
"""Products of matrices and vectors are saved, those of stacks of matrices are not."""

checkpoint_dots_with_no_batch_dims = dots_with_no_batch_dims_saveable


@shows_user_frames
def save_anything_except_these_names(*names: str) -> Policy:
    """Values with one of these names are not saved; of others retrograd chooses.

    Args:
        names: as given by `rg.checkpoint_name`.

    Raises:
        UserError: a name is no text.

    >>> import retrograd as rg
    >>> policy = rg.checkpoint_policies.save_anything_except_these_names("h")
    >>> policy(rg.Residual("sin", names=("h",))) is rg.checkpoint_policies.Recompute
    True
    """
    return Policy("save_anything_except_these_names", _names(names))


save_anything_but_these_names = save_anything_except_these_names


@shows_user_frames
def save_any_names_but_these(*names: str) -> Policy:
    """Values that have a name are saved, unless it is one of these; others are not.

    >>> import retrograd as rg
    >>> policy = rg.checkpoint_policies.save_any_names_but_these("h")
    >>> [policy(rg.Residual("sin", names=n)).name for n in (("h",), ("k",), ())]
    ['RECOMPUTE', 'SAVE', 'RECOMPUTE']
    """
    return Policy("save_any_names_but_these", _names(names))


@shows_user_frames
def save_only_these_names(*names: str) -> Policy:
    """Values with one of these names are saved, and nothing else.

    >>> import retrograd as rg
    >>> policy = rg.checkpoint_policies.save_only_these_names("h")
    >>> [policy(rg.Residual("sin", names=n)).name for n in (("h",), ("k",), ())]
    ['SAVE', 'RECOMPUTE', 'RECOMPUTE']
    """
    return Policy("save_only_these_names", _names(names))


@shows_user_frames
def save_from_both_policies(policy_1: object, policy_2: object) -> Policy:
    """What one of two policies lets be saved is saved.

    >>> import retrograd as rg
    >>> dots, h = rg.checkpoint_policies.dots_saveable, ("h",)
    >>> only = rg.checkpoint_policies.save_only_these_names("h")
    >>> both = rg.checkpoint_policies.save_from_both_policies(dots, only)
    >>> both(rg.Residual("matmul")).name, both(rg.Residual("sin", names=h)).name
    ('SAVE', 'SAVE')
    """
    return Policy("save_from_both_policies", both=(policy_of(policy_1), policy_of(policy_2)))


@shows_user_frames
def save_and_offload_only_these_names(
    *,
    names_which_can_be_saved: Sequence[str],
    names_which_can_be_offloaded: Sequence[str],
    offload_src: str,
    offload_dst: str | os.PathLike[str],
) -> Policy:
    """Values with one of these names are saved, and nothing else.

    Args:
        names_which_can_be_saved, names_which_can_be_offloaded: names given by `rg.checkpoint_name`.
            A value with one of each is saved in memory.
        offload_src: one of JAX's kinds of memory; not looked at.
        offload_dst: a folder to move arrays to that can be offloaded, or one of JAX's kinds of
            memory, which leaves them in memory (`Offloadable`).

    Raises:
        UserError: a name is in both lists, or no text; `offload_dst` is no path.

    >>> import retrograd as rg
    >>> policy = rg.checkpoint_policies.save_and_offload_only_these_names(
    ...     names_which_can_be_saved=["h"], names_which_can_be_offloaded=["k"],
    ...     offload_src="device", offload_dst="pinned_host")
    >>> policy(rg.Residual("sin", names=("h",))).name
    'SAVE'
    >>> policy(rg.Residual("sin", names=("k",)))
    Offloadable(src='device', dst='pinned_host')
    """
    saved, moved = _names(names_which_can_be_saved), _names(names_which_can_be_offloaded)
    if twice := sorted(set(saved) & set(moved)):
        raise UserError(
            "RG4102", f"the name {twice[0]!r} is one to save and one to offload",
            way_out="give it in one of the two lists",
        )  # fmt: skip
    places = _places(offload_src, offload_dst)
    return Policy("save_and_offload_only_these_names", parts=(saved, moved, places))


@shows_user_frames
def offload_dot_with_no_batch_dims(offload_src: str, offload_dst: str | os.PathLike[str]) -> Policy:
    """As `dots_with_no_batch_dims_saveable`, but what is saved is moved out of memory.

    Args:
        offload_src, offload_dst: as for `save_and_offload_only_these_names`.

    Raises:
        UserError: `offload_dst` is no path.

    >>> import numpy as np, tempfile, retrograd as rg
    >>> w, x = np.eye(100), np.ones((100, 100))
    >>> def f(w, x):
    ...     for _ in range(8):
    ...         x = np.sin(w @ x)
    ...     return np.sum(x)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     policy = rg.checkpoint_policies.offload_dot_with_no_batch_dims("device", folder)
    ...     gradient = rg.grad(rg.checkpoint(f, policy=policy))
    ...     same = np.array_equal(gradient(w, x), rg.grad(f)(w, x))
    >>> same, gradient.stats().offloaded_bytes
    (True, 480000)
    """
    places = _places(offload_src, offload_dst)
    return Policy("offload_dot_with_no_batch_dims", parts=(places,))


@shows_user_frames
def budget(memory: int | str) -> Policy:
    """What spares most operations is saved, as far as so many bytes go.

    Sizes are known when a derivative is called: what is saved is chosen for each combination of
    extents. Around the whole differentiated function the number bounds the peak of all arrays, as
    `memory=` counts it; on an inner function it bounds what one call of that leaves on the tape.
    The first call with new extents saves nothing, and finds out what that takes. Derivatives that
    are divided (`memory=`) save nothing either.

    Not to be confused with `rg.checkpointing.budget`, which divides the time of a run: there the
    number bounds what is kept at any point of any program, here it chooses among values.

    Args:
        memory: bytes, as a positive int or a text such as "200MB".

    Raises:
        UserError: it is neither; or, when a derivative is called, the number is below what saving
            nothing takes (RG4004, which names what is enough).

    Source: Jain et al. 2020, "Checkmate: Breaking the memory wall with optimal tensor
    rematerialization", equation 2, without its time index.

    >>> import math, retrograd as rg
    >>> f = rg.checkpoint(math.sin, policy=rg.checkpoint_policies.budget("1MB"))
    >>> rg.grad(f)(0.0)
    1.0
    """
    found = bytes_of(memory, "budget")
    if found is None:
        raise UserError(
            "RG4102", "a budget of None is no budget",
            way_out='give bytes, as in rg.checkpoint_policies.budget("200MB")',
        )  # fmt: skip
    return Policy(BUDGET, parts=((str(found),),))


def _places(src: object, dst: object) -> tuple[str, str]:
    """Where arrays are, and where they are moved to."""
    place = os.fspath(cast("os.PathLike[Any]", dst)) if isinstance(dst, os.PathLike) else dst
    if not isinstance(src, str) or not isinstance(place, str):
        raise UserError(
            "RG4102", f"offload_src={src!r}, offload_dst={dst!r} are no places",
            way_out='give offload_src="device" and a path of a folder as offload_dst',
        )  # fmt: skip
    return src, place


def _names(given: object) -> tuple[str, ...]:
    """Names as users give them."""
    several = isinstance(given, tuple | list)
    found = tuple(cast("Sequence[object]", given)) if several else (given,)
    texts = tuple(name for name in found if isinstance(name, str))
    if len(texts) < len(found):
        wrong = next(name for name in found if not isinstance(name, str))
        raise UserError(
            "RG4102", f"{wrong!r} is no name of a value",
            way_out='give texts, as in rg.checkpoint_name(x, "h")',
        )  # fmt: skip
    return texts
