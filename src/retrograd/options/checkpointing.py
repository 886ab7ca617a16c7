"""Ways to pay for reverse mode with repeated work instead of tape: `checkpointing=` of `rg.grad`.

Each is data that says how a run is divided; the gradient is the same to the bit with all of them.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import cast

from retrograd.errors import UserError
from retrograd.options.durability import Durable
from retrograd.tracebacks import shows_user_frames

__all__ = [
    "SHARED", "Checkpointing", "budget", "fixed_space", "fixed_time", "logarithmic", "policy_name",
    "policy_named",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Checkpointing:
    """A way to divide a run; made by the functions of this module.

    `kind` is "budget", "fixed_space", "fixed_time" or "logarithmic"; "share" where an inner
    derivative has what the one around it leaves. `resume` is what the argument of that name says.
    `disk` is a folder for snapshots, which have `disk_limit` bytes there.
    """

    kind: str
    size: int | str
    bound: int | None = None
    tree: str = "binary"
    split: str = "binomial"
    resume: Durable | None = None
    disk: str | None = None
    disk_limit: int | str | None = None


def policy_name(way: Checkpointing | None) -> str | None:
    """The name of a way in programs, which know no more of it. `resume` is no part of it."""
    if way is None:
        return None
    return json.dumps([getattr(way, name) for name in _NAMED], default=int)


def policy_named(name: str) -> Checkpointing:
    """The way of that name."""
    return Checkpointing(**dict(zip(_NAMED, json.loads(name), strict=True)))


_NAMED = ("kind", "size", "bound", "tree", "split", "disk", "disk_limit")
SHARED = json.dumps(["share", 1, None, "binary", "binomial", None, None])
"""The name of the policy of inner derivatives that have what the one around them leaves."""


@shows_user_frames
def budget(
    memory: int | str,
    disk: str | os.PathLike[str] | None = None,
    disk_limit: int | str | None = None,
) -> Checkpointing:
    """At most so many bytes at any time; snapshots, repetitions and leaves follow from that.

    It divides the time of a run. `rg.checkpoint_policies.budget` chooses among values instead.

    Args:
        memory: those bytes, as an int or a text such as "64MB".
        disk: a folder. Snapshots that have no room in memory are moved there, those that are needed
            last first, before any is given up. They are in a folder `retrograd-PID-...` of their
            own, which is removed when the call ends; that of a process that was killed stays, and
            can be deleted.
        disk_limit: the most bytes that they may take there; None is as many as there are. Where the
            disk is full before that, there is a warning, and there are fewer snapshots.

    >>> import retrograd as rg
    >>> rg.checkpointing.budget("64MB").size
    '64MB'
    >>> import tempfile
    >>> def decay(x):
    ...     for _ in range(100_000):
    ...         x = x - 0.0001 * x * x
    ...     return x
    >>> with tempfile.TemporaryDirectory() as folder, rg.record() as run:
    ...     way = rg.checkpointing.budget("20kB", disk=folder, disk_limit="10MB")
    ...     same = rg.grad(decay, checkpointing=way)(0.5) == rg.grad(decay)(0.5)
    >>> same, run.peak_bytes <= 20_000, run.disk_bytes > 0
    (True, True, True)
    """
    if disk is None:
        if disk_limit is not None:
            raise UserError(
                "RG4005", f"disk_limit={disk_limit!r} without a disk", way_out="give disk="
            )
        return Checkpointing("budget", memory)
    folder: object = (
        os.fspath(disk) if isinstance(cast("object", disk), str | os.PathLike) else disk
    )
    if not isinstance(folder, str):
        raise UserError(
            "RG4007",
            f"disk={disk!r} is no path of a folder",
            way_out='give a path: disk="/scratch"',
        )
    return Checkpointing("budget", memory, disk=folder, disk_limit=disk_limit)


@shows_user_frames
def fixed_space(
    snapshots: int, leaf: int | str = "4MB", tree: str = "binary", split: str = "binomial"
) -> Checkpointing:
    """At most so many snapshots at a time, the beginning of the run among them.

    Args:
        snapshots: their number, d.
        leaf: bytes of tape that are recorded at once; with `split="bisection"` it is more where the
            snapshots are not enough for leaves of that size.
        tree: "binary" (Siskind and Pearlmutter 2018) or "treeverse" (Griewank 1992).
        split: "binomial" (the fewest steps there are) or "bisection".

    >>> import retrograd as rg
    >>> def decay(x):
    ...     for _ in range(20_000):
    ...         x = x - 0.001 * x * x
    ...     return x
    >>> few = rg.checkpointing.fixed_space(snapshots=4, leaf="10kB")
    >>> rg.grad(decay, checkpointing=few)(0.5) == rg.grad(decay)(0.5)
    True
    """
    return _checked(Checkpointing("fixed_space", leaf, snapshots, tree, split), "snapshots")


@shows_user_frames
def fixed_time(
    repeats: int, leaf: int | str = "4MB", tree: str = "binary", split: str = "binomial"
) -> Checkpointing:
    """No step is done more than so many times before the time that it is recorded.

    Args:
        repeats: that number, t. The snapshots are as many as that takes.
        leaf: bytes of tape that are recorded at once.
        tree: as for `fixed_space`.
        split: as for `fixed_space`.

    >>> import retrograd as rg
    >>> rg.checkpointing.fixed_time(repeats=2).bound
    2
    """
    return _checked(Checkpointing("fixed_time", leaf, repeats, tree, split), "repeats")


@shows_user_frames
def logarithmic(
    leaf: int | str = "4MB", tree: str = "binary", split: str = "bisection"
) -> Checkpointing:
    """Snapshots and repetitions both grow with the logarithm of the run's length.

    >>> import retrograd as rg
    >>> rg.checkpointing.logarithmic(leaf="1MB").kind
    'logarithmic'
    """
    return _checked(Checkpointing("logarithmic", leaf, None, tree, split), "")


def _checked(made: Checkpointing, what: str) -> Checkpointing:
    bound = made.bound
    if what and (isinstance(bound, bool) or not isinstance(bound, int) or bound < 1):
        raise UserError("RG4005", f"{what}={bound!r}", way_out=f"give {what} a positive int")
    if made.tree not in ("binary", "treeverse"):
        raise UserError("RG4005", f"tree={made.tree!r}", way_out='use "binary" or "treeverse"')
    if made.split not in ("binomial", "bisection"):
        raise UserError("RG4005", f"split={made.split!r}", way_out='use "binomial" or "bisection"')
    return made
