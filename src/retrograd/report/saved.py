"""What a derivative saves between its two sweeps, as a list and as a table."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, SupportsIndex, overload

from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from retrograd.api.compile.known import known
from retrograd.errors import Limitation
from retrograd.options.memory import shown
from retrograd.options.saving import Residual
from retrograd.report.bars import bars_html, bytes_by_line
from retrograd.report.last_stage import remarks_on
from retrograd.report.pullback import pulled
from retrograd.report.residuals import sweeps_in, values_of
from retrograd.report.showing import show
from retrograd.tracebacks import shows_user_frames
from retrograd.transforms.driver import PLAIN

__all__ = ["SavedResiduals", "print_saved_residuals", "saved_residuals"]

_COLUMNS = ("value", "bytes", "times", "where", "expression", "primitive", "names")


class SavedResiduals(Sequence[Residual]):
    """A sequence of residuals, in the order of the run, which notebooks show as a table and as bars
    by line.

    Attributes:
        function: the name of the function.
        arguments: the names of the arguments that the reverse sweep reads, which cost nothing.
        remarks: which checkpoint spares a gradient nothing, why, and what to do instead.
        total: the bytes of all elements that are saved.
        float_bytes: those of floats alone: the rest are extents, counts and branches.
    """

    __slots__ = ("_residuals", "arguments", "function", "remarks")

    def __init__(
        self, function: str, residuals: Sequence[Residual], arguments: Sequence[str],
        remarks: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self.function = function
        self.arguments = tuple(arguments)
        self.remarks = tuple(remarks)
        self._residuals = tuple(residuals)

    @property
    def total(self) -> int:
        return sum(r.total or 0 for r in self._residuals)

    @property
    def float_bytes(self) -> int:
        return sum(r.total or 0 for r in self._residuals if r.dtype.startswith("f64"))

    @overload
    def __getitem__(self, index: SupportsIndex) -> Residual: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Residual]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Residual | Sequence[Residual]:
        return self._residuals[index]

    def __len__(self) -> int:
        return len(self._residuals)

    def __repr__(self) -> str:
        given = (self.function, list(self._residuals), self.arguments, self.remarks)
        return f"SavedResiduals({', '.join(map(repr, given))})"

    def _rows(self) -> list[tuple[str, ...]]:
        return [_row(r) for r in self._residuals]

    def _ends(self) -> list[str]:
        ends = [
            f"{shown(self.total)} are saved, {shown(self.float_bytes)} of them floats."
            if self._residuals else "Nothing is saved."
        ]  # fmt: skip
        ends += [f"from the argument {name!r}: costs nothing" for name in self.arguments]
        return [*ends, *self.remarks]

    def __rich__(self) -> Group:
        """A row for each residual, then the total and the arguments."""
        table = Table(box=box.SIMPLE_HEAD, title=f"saved for the reverse sweep of {self.function}",
                      title_justify="left")  # fmt: skip
        named = any(r.names for r in self._residuals)
        columns = _COLUMNS if named else _COLUMNS[:-1]
        for name in columns:
            right = name in ("bytes", "times")
            whole = name not in ("expression", "names")
            table.add_column(
                name, justify="right" if right else "left", no_wrap=whole, overflow="fold"
            )
        for row in self._rows():
            table.add_row(*map(Text, row[: len(columns)]))
        return Group(*([table] if self._residuals else []), *map(Text, self._ends()))

    def __str__(self) -> str:
        console = Console(file=StringIO(), width=140)
        with console.capture() as captured:
            console.print(self)
        return "\n".join(line.rstrip() for line in captured.get().splitlines())

    def _repr_html_(self) -> str:
        def cells(row: Sequence[str], tag: str) -> str:
            inner = "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in row)
            return f"<tr>{inner}</tr>"

        rows = "".join(cells(row, "td") for row in self._rows())
        ends = "".join(f"<p>{html.escape(text)}</p>" for text in self._ends())
        bars = bars_html(bytes_by_line(self._residuals))
        table = f"<table>{cells(_COLUMNS, 'th')}{rows}</table>" if rows else ""
        return f"{table}{bars}{ends}"


def _row(r: Residual) -> tuple[str, ...]:
    place = "" if r.line is None else f"{Path(r.file).name}:{r.line}"
    inner = "differs" if r.shape is None else ",".join(map(str, r.shape))
    value = f"{r.dtype}[{inner}]" if inner else r.dtype
    times = "" if r.times is None else str(r.times)
    total = "" if r.total is None else str(r.total)
    return (value, total, times, place, r.expression, r.primitive, ", ".join(r.names))


@shows_user_frames
def saved_residuals(
    fun: Callable[..., Any], *args: Any, argnums: int | tuple[int, ...] | None = None,
    **kwargs: Any,
) -> SavedResiduals:  # fmt: skip
    """What a derivative of `fun` saves between its two sweeps, value by value.

    No derivative is calculated: a program that counts runs once on the arguments, and of `fun`
    it does what sizes, numbers of iterations and branches depend on.

    Args:
        fun: a function as for `vjp`, with any result.
        args, kwargs: its arguments.
        argnums: the positions of those that are differentiated; None is every float.

    Returns:
        A sequence of `rg.Residual`, with `arguments`, `total` and `float_bytes`. `shape` and
        `bytes` are those of one time, None where they differ; `total` is of all times. Scalars of
        dtype "i64" are extents and indices.

    Raises:
        UserError: no argument is a float, `argnums` names none, or the program is outside the
            accepted subset.
        Limitation: a pullback of the user's may raise where both sweeps of a map are one loop.

    >>> import numpy as np, retrograd as rg
    >>> def layer(w, x):
    ...     return np.sum(np.sin(w @ x))
    >>> found = rg.saved_residuals(layer, np.ones((3, 4)), np.ones(4))
    >>> found.float_bytes, [r.shape for r in found if r.dtype == "f64"], found.arguments
    (24, [(3,)], ('w', 'x'))
    """
    pullback = pulled(fun, "saved_residuals", args, kwargs, argnums)
    program = PLAIN.run(pullback.task.program, known())
    sweeps = sweeps_in(pullback.task, program, pullback.cotangents)
    found = values_of(pullback.task, sweeps, pullback.given)
    if found is None:
        raise Limitation(
            "RG4104", "what is saved is not counted: both sweeps of a map are one loop, which may "
            "raise an exception by a cotangent", pullback.inner.main.prov.span,
            "ask for the function without that map",
        )  # fmt: skip
    pairs = zip(program.main.params, pullback.arguments, strict=False)
    given = dict.fromkeys(name for param, name in pairs if param in sweeps.read)
    return SavedResiduals(pullback.name, found, tuple(given), remarks_on(pullback))


@shows_user_frames
def print_saved_residuals(
    fun: Callable[..., Any], *args: Any, argnums: int | tuple[int, ...] | None = None,
    **kwargs: Any,
) -> None:  # fmt: skip
    """Prints what `saved_residuals` finds as a table, with the total.

    Args:
        fun, args, argnums, kwargs: as for `saved_residuals`.

    Raises:
        UserError, Limitation: as `saved_residuals`.

    >>> import math, retrograd as rg
    >>> rg.print_saved_residuals(lambda x: 3.0 * x, 2.0)
    Nothing is saved.
    """
    show(saved_residuals(fun, *args, argnums=argnums, **kwargs))
