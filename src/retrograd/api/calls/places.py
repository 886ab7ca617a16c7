"""Calls of functions that change their caller's objects, dicts and lists.

These are changed after the run, by what it gives. A run that raises gives nothing: Python does the
call again then, which leaves in them, and in arrays, what had been done before.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from io import StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrograd.api.calls.written import assign_places, write_back
from retrograd.api.compile.artefact import Ready
from retrograd.errors import RetrogradError, has_place
from retrograd.frontend.identity.flattening import unflatten
from retrograd.frontend.identity.surroundings import Interface
from retrograd.frontend.identity.transformed import Transformed

__all__ = ["call_with_places"]

_NOT_OF_PYTHON = (RetrogradError, MemoryError, OverflowError)
"""What a run raises where Python may go on, with ints of any size."""


def call_with_places(
    fun: Transformed, ready: Ready, run: Callable[[Sequence[Any]], Sequence[Any]],
    flat: Sequence[Any], args: Sequence[Any], kwargs: Mapping[str, Any],
) -> Any:  # fmt: skip
    """The value of a compiled function, which changes what it is given as Python does.

    Args:
        fun: the function, for `args` and `kwargs`.
        ready: what has been compiled for these.
        run: gives the entry's results for `flat`, in the arrays of which it may write.
        flat: the entry's arguments.
        args: the positional arguments.
        kwargs: the others.

    Raises:
        Whatever the function raises, after the changes that it has made before.
    """
    traced = ready.traced
    if traced.updates or traced.stores or traced.list_stores:
        before = {position: np.array(flat[position]) for position in traced.written}
        with _Undone(fun, flat, before, args, kwargs):
            results = run(flat)
    else:
        results = run(flat)
    return _given_back(ready, traced, results, flat, args, kwargs)


def _given_back(
    ready: Ready, traced: Interface, results: Sequence[Any], flat: Sequence[Any],
    args: Sequence[Any], kwargs: Mapping[str, Any],
) -> Any:  # fmt: skip
    if traced.written:
        write_back(traced, flat, results)
    places = traced.places(args, kwargs)
    known = places.every
    value = unflatten(ready.task.out, iter(results), known, flat)
    assign_places(traced, places, known, flat, results)
    return value


@dataclass(frozen=True, slots=True)
class _Undone:
    """Around a run: where the program raises, Python does the call, and shows nothing again.

    `before` are the arrays of `flat` that the run writes to, as they were.
    """

    fun: Transformed
    flat: Sequence[Any]
    before: Mapping[int, NDArray[Any]]
    args: Sequence[Any]
    kwargs: Mapping[str, Any]

    def __enter__(self) -> None:
        return

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> None:
        if error is None or not has_place(error) or isinstance(error, _NOT_OF_PYTHON):
            return
        for position, array in self.before.items():
            self.flat[position][...] = array
        inner: Any = self.fun
        while isinstance(inner, Transformed):
            inner = inner.fun
        with suppress(type(error)), _silence():  # the run has raised it, with its place
            inner(*self.args, **self.kwargs)


@contextmanager
def _silence() -> Generator[None]:
    """Nothing is printed, logged or warned of meanwhile."""
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
