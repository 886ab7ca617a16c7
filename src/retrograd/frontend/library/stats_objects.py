"""Distributions of `scipy.stats`, which are objects whose methods are called."""

from __future__ import annotations

from retrograd.frontend.values.kinds import Static
from retrograd.frontend.values.tracer import Tracer

__all__ = ["is_distribution", "method_of"]


def is_distribution(obj: object) -> bool:
    """Whether an object is one of the distributions, known or not."""
    return type(obj).__module__.startswith("scipy.stats.")


def method_of(t: Tracer, distribution: object, name: str) -> Static:
    """A method of one, in the only object that the table of functions knows it by."""
    from retrograd.frontend.library import plain_stats

    known = plain_stats.method(distribution, name)
    if known is None:
        raise t.error(
            "RG0107", f"{name!r} of {type(distribution).__name__} is not known to retrograd",
            plain_stats.known_of(distribution),
        )  # fmt: skip
    return Static(known.real)
