"""Reversible functions inside of programs: their inverses and adjoints are functions like others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from retrograd.frontend.identity.transformed import Reversible
from retrograd.frontend.values.kinds import Static, Value, describe
from retrograd.frontend.values.tracer import Tracer

__all__ = ["adjoint_of", "inverse"]


def _reversible(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Reversible:
    match args:
        case [Static(obj=Reversible() as found)] if not kwargs:
            t.recorder.require(found)
            return found
        case [fun] if not kwargs:
            raise t.error(
                "RG0509", f"{describe(fun)} is not reversible", "decorate it with rg.reversible"
            )
        case _:
            raise t.error("RG0509", "this takes one reversible function", "write rg.inverse(f)")


def inverse(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of `inverse(f)`."""
    return Static(_reversible(t, args, kwargs).partner)


def adjoint_of(t: Tracer, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The handler of `adjoint_of(f)` in generated text."""
    return Static(_reversible(t, args, kwargs).adjoint)
