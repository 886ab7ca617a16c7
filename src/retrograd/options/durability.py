"""Where a derivative is written to while it is calculated: `resume=` of `rg.grad`."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import cast

from retrograd.errors import UserError
from retrograd.tracebacks import shows_user_frames

__all__ = ["Durable", "Resume", "durable", "durable_of"]


@dataclass(frozen=True, slots=True)
class Durable:
    """A file for what is done so far, and the least seconds between two times that it is written;
    made by `durable`."""

    path: str
    every: float | None = None


Resume = str | os.PathLike[str] | Durable


@shows_user_frames
def durable(path: str | os.PathLike[str], every: float | None = None) -> Durable:
    """A file that a derivative writes and continues from, for `resume=`.

    Args:
        path: the file. `path + ".1"` is the one before, `path + ".lock"` says that it is in use;
            `path + ".answers"` and `path + ".inner"` have results of inner derivatives since then,
            and the one that is under way.
        every: seconds that have to pass before it is written again; 0.0 for as often as can be.
            None is 2, or twenty times what the last writing took where that is more.

    Returns:
        What `resume=` takes; a path by itself is that with `every=None`.

    Raises:
        UserError: `path` is no path, or `every` no number of seconds.

    >>> import os, tempfile, retrograd as rg
    >>> def decay(x):
    ...     for _ in range(10_000):
    ...         x = x - 0.001 * x * x
    ...     return x
    >>> place = rg.durable(os.path.join(tempfile.mkdtemp(), "run.rg"), every=60.0)
    >>> rg.grad(decay, resume=place)(0.5) == rg.grad(decay)(0.5)
    True
    """
    return _checked(path, every)


def _checked(path: object, every: object) -> Durable:
    text = os.fspath(cast("os.PathLike[str]", path)) if isinstance(path, str | os.PathLike) else ""
    if not isinstance(cast("object", text), str) or not text or "\0" in text:
        raise _unfit(f"resume={path!r} is no path of a file")
    if every is None:
        return Durable(text)
    if isinstance(every, bool) or not isinstance(every, int | float) or not 0 <= every < math.inf:
        raise _unfit(f"every={every!r} is no number of seconds")
    return Durable(text, float(every))


def durable_of(resume: object) -> Durable:
    """What `resume=` means. UserError where it is nothing of the kind."""
    return resume if isinstance(resume, Durable) else _checked(resume, None)


def _unfit(message: str) -> UserError:
    return UserError(
        "RG4007", message, way_out='give a path, such as "run.rg", or rg.durable("run.rg", every=2)'
    )
