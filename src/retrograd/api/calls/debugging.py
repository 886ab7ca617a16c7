"""Where the first NaN of a call comes from (`debug_nans=True`).

A call runs as it always does. Only where its results have a NaN or an infinity it is run again, by
native code that looks at every number (`retrograd.transforms.finite_checks`) until the first one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from retrograd.api.calls.runner import Runner
from retrograd.api.compile.artefact import linked
from retrograd.api.compile.derive import Task, jvp_task
from retrograd.api.compile.known import known
from retrograd.api.compile.native import image_of
from retrograd.api.compile.prepare import prepare
from retrograd.frontend.identity.specs import ArgSpec
from retrograd.ir.traverse import supply_for
from retrograd.transforms.driver import INTERRUPTIBLE
from retrograd.transforms.finite_checks import check_numbers
from retrograd.transforms.silence import silenced

__all__ = ["find_origin", "find_origin_of_tangent"]


def find_origin(
    fun: Callable[..., Any], specs: Sequence[ArgSpec], named: Mapping[str, ArgSpec],
    args: Sequence[Any], kwargs: Mapping[str, Any], leaves: Sequence[Any],
) -> None:  # fmt: skip
    """Raises FloatingPointError where the program itself has made what is not finite in `leaves`.

    Args:
        fun: what was called, with `args` and `kwargs` of these specs, as they were before.
        specs: of the positional arguments.
        named: of the others.
        args: the positional arguments.
        kwargs: the others.
        leaves: the numbers and arrays of its results.
    """
    prepared = prepare(fun, specs, named, False)
    _search(prepared.task, prepared.traced.flatten(args, kwargs), leaves)


def find_origin_of_tangent(
    fun: Callable[..., Any], specs: Sequence[ArgSpec], flat: Sequence[Any], leaves: Sequence[Any]
) -> None:
    """The same of `jvp`, for the flat arguments of its entry."""
    _search(jvp_task(prepare(fun, specs, {}, True, False).task), flat, leaves)


def _search(task: Task, flat: Sequence[Any], leaves: Sequence[Any]) -> None:
    nan = any(np.isnan(leaf).any() for leaf in leaves)
    error = _first(task, flat, infinities=not nan)
    if error is None:
        return
    before = _first(task, flat, infinities=True) if nan else None
    if before is not None and before.__notes__ != error.__notes__:
        error.add_note(f"  the first infinity: {before}")
        for note in before.__notes__:
            error.add_note(note)
    raise error


def _first(task: Task, flat: Sequence[Any], *, infinities: bool) -> FloatingPointError | None:
    """The error of the first NaN, or infinity, that the program makes."""
    start = time.perf_counter()
    program = silenced(INTERRUPTIBLE.run(task.program, known()))
    program = check_numbers(program, supply_for(program), known(), infinities)
    built = linked(image_of(task, program), time.perf_counter() - start)
    try:
        Runner(built, False)(flat)
    except FloatingPointError as error:
        return error
    return None
