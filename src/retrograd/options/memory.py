"""Budgets as users write them: a number of bytes, or a text such as "64MB" or "1.5GiB"."""

from __future__ import annotations

import re
from dataclasses import replace
from operator import index
from typing import SupportsIndex

from retrograd.errors import UserError
from retrograd.options.checkpointing import Checkpointing
from retrograd.options.durability import durable_of
from retrograd.options.saving import Policy

__all__ = ["bytes_of", "chosen", "shown"]

_UNITS = {
    "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40,
}  # fmt: skip
_TEXT = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([a-zA-Z]+)\s*")
_MOST = 2**62


def bytes_of(memory: object, name: str = "memory") -> int | None:
    """The number of bytes that `memory=`, or the argument of that name, means; None where there is
    no limit.

    Raises:
        UserError: it is neither None, a positive int, nor a text of a number and a unit.

    >>> bytes_of("8MB"), bytes_of("8 MiB"), bytes_of(1000), bytes_of(None)
    (8000000, 8388608, 1000, None)
    """
    if memory is None:
        return None
    if isinstance(memory, SupportsIndex) and not isinstance(memory, bool):
        try:
            return _checked(index(memory), memory, name)
        except TypeError as error:  # an array of several
            raise _unclear(memory, name) from error
    if isinstance(memory, str):
        found = _TEXT.fullmatch(memory)
        if found is not None and found[2].lower() in _UNITS:
            return _checked(float(found[1]) * _UNITS[found[2].lower()], memory, name)
    raise _unclear(memory, name)


def chosen(memory: object, checkpointing: object, resume: object) -> Checkpointing | None:
    """What `memory=`, `checkpointing=` and `resume=` say together, with sizes in bytes; None for a
    full tape. `resume=` by itself leaves all memory that there is.

    Raises:
        UserError: the first two are both given, or one of them is not what it should be.
    """
    way = _way(memory, checkpointing)
    if resume is None:
        return way
    return replace(way or Checkpointing("budget", _MOST), resume=durable_of(resume))


def _way(memory: object, checkpointing: object) -> Checkpointing | None:
    if isinstance(memory, Checkpointing):
        raise UserError(
            "RG4003", f"memory= is given a schedule (rg.checkpointing.{memory.kind})",
            way_out=f"pass it as checkpointing=rg.checkpointing.{memory.kind}(...)",
        )  # fmt: skip
    for name, given in (("memory", memory), ("checkpointing", checkpointing)):
        if isinstance(given, Policy):
            raise _of_values(name, given)
    size = bytes_of(memory)
    if checkpointing is None:
        return None if size is None else Checkpointing("budget", size)
    if size is not None:
        raise UserError(
            "RG4005", "memory= and checkpointing= are given both",
            way_out='give one: memory="64MB" is checkpointing=rg.checkpointing.budget("64MB")',
        )  # fmt: skip
    if not isinstance(checkpointing, Checkpointing):
        raise UserError(
            "RG4005", f"checkpointing={checkpointing!r}",
            way_out="use a function of rg.checkpointing, such as budget or fixed_space",
        )  # fmt: skip
    limit = bytes_of(checkpointing.disk_limit, "disk_limit")
    name = "memory" if checkpointing.kind == "budget" else "leaf"
    return replace(checkpointing, size=bytes_of(checkpointing.size, name) or 1, disk_limit=limit)


def _of_values(name: str, given: Policy) -> UserError:
    return UserError(
        "RG4003" if name == "memory" else "RG4005",
        f"{name}= is given a policy (rg.checkpoint_policies.{given.kind}), which chooses among "
        "values",
        way_out="pass it to rg.checkpoint(f, policy=...), or divide the time of the run: "
        "checkpointing=rg.checkpointing.budget(...)",
    )  # fmt: skip


def _checked(number: float, memory: object, name: str) -> int:
    if not 1 <= number <= _MOST:
        raise _unclear(memory, name)
    return int(number)


def _unclear(memory: object, name: str) -> UserError:
    return UserError(
        "RG4003", f"{name}={memory!r} is no number of bytes",
        way_out='give a positive int, or a text with a unit: "64MB" (64*10**6), "64MiB" (64*2**20)',
    )  # fmt: skip


def shown(size: float) -> str:
    """A number of bytes for people.

    >>> shown(8_000_000), shown(999), shown(1_234_567_890)
    ('8 MB', '999 B', '1.23 GB')
    """
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"
