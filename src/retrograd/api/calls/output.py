"""What a function shows, where a derivative of it was asked for: a run of the function itself.

So each line is there once, in order and before the derivative, however often the derivative runs
parts of the function again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from retrograd.api.calls.arguments import Known, argument_specs
from retrograd.api.calls.runner import Runner
from retrograd.api.calls.sharing import place_of
from retrograd.api.compile.artefact import Ready
from retrograd.api.compile.compile_cache import compiling, remember
from retrograd.api.compile.lookup import obtain
from retrograd.errors import Limitation
from retrograd.frontend.identity.transformed import Transformed

__all__ = ["show_output"]


@dataclass(frozen=True, slots=True)
class _Shown:
    """Functions that are run for what they show, by their arguments' types."""

    made: dict[object, tuple[Ready, Runner]] = field(
        default_factory=dict[object, "tuple[Ready, Runner]"]
    )


_SHOWN = _Shown()


def show_output(
    fun: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], known: Known
) -> None:
    """Runs the function of which `fun` is a derivative, on copies of what it writes to.

    `known`: what of the arguments is part of the programs.

    Raises:
        Limitation: there are derivatives in it that are paid for in ways of their own.
    """
    specs, named = argument_specs(fun, args, kwargs, known)
    inner = fun
    while isinstance(inner, Transformed):
        inner = inner.fun
    key = (inner, specs, tuple(named.items()))
    found = _SHOWN.made.get(key)
    if found is None or not found[0].traced.fits():
        with compiling():
            ready = obtain(inner, specs, named, "value")
        if ready is None:
            raise Limitation(
                "RG0128", "a function that prints, logs or warns has a derivative inside with "
                "memory= or checkpointing=", place_of(inner), "take the one or the other away",
            )  # fmt: skip
        found = ready, Runner(ready.built, False)
        remember(_SHOWN.made, key, found)
    ready, runner = found
    runner(ready.traced.flatten(args, kwargs))
