"""Ways to pay for reverse mode with repeated work instead of tape: `checkpointing=` of `rg.grad`.

Each is data that says how a run is divided; the gradient is the same to the bit with all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from retrograd.errors import UserError
from retrograd.options.durability import Durable

__all__ = ["Checkpointing", "budget", "fixed_space", "fixed_time", "logarithmic"]


@dataclass(frozen=True, slots=True)
class Checkpointing:
    """A way to divide a run; made by the functions of this module.

    `kind` is "budget", "fixed_space", "fixed_time" or "logarithmic"; `resume` is what the argument
    of that name says.
    """

    kind: str
    size: int | str
    bound: int | None = None
    tree: str = "binary"
    split: str = "binomial"
    resume: Durable | None = None


def budget(memory: int | str) -> Checkpointing:
    """At most so many bytes at any time; snapshots, repetitions and leaves follow from that.

    >>> import retrograd as rg
    >>> rg.checkpointing.budget("64MB").size
    '64MB'
    """
    return Checkpointing("budget", memory)


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
