"""What a derivative saves between its two sweeps, as a list and as a table."""

from __future__ import annotations

import html
import inspect
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, SupportsIndex, overload

from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from retrograd.api.calls.sharing import refuse_sharing
from retrograd.api.compile.derive import Task, argument_numbers, float_positions, pullback_task
from retrograd.api.compile.known import known
from retrograd.api.compile.prepare import prepare
from retrograd.api.functions import checked
from retrograd.errors import Limitation, UserError
from retrograd.frontend.identity.flattening import leaf_types
from retrograd.frontend.identity.specs import spec_of
from retrograd.ir.terms import Call, Program
from retrograd.options.memory import shown
from retrograd.options.saving import Residual
from retrograd.report.counting import forward_of
from retrograd.report.residuals import nothing, values_of
from retrograd.tracebacks import shows_user_frames
from retrograd.transforms.driver import PLAIN

__all__ = ["SavedResiduals", "print_saved_residuals", "saved_residuals"]

_COLUMNS = ("value", "bytes", "times", "where", "expression", "primitive", "names")


class SavedResiduals(Sequence[Residual]):
    """A sequence of residuals, in the order of the run, which notebooks show as a table.

    Attributes:
        function: the name of the function.
        arguments: the names of the arguments that the reverse sweep reads, which cost nothing.
        total: the bytes of all elements that are saved.
        float_bytes: those of floats alone: the rest are extents, counts and branches.
    """

    __slots__ = ("_residuals", "arguments", "function")

    def __init__(
        self, function: str, residuals: Sequence[Residual], arguments: Sequence[str]
    ) -> None:
        self.function = function
        self.arguments = tuple(arguments)
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
        return f"SavedResiduals({self.function!r}, {list(self._residuals)!r}, {self.arguments!r})"

    def _rows(self) -> list[tuple[str, ...]]:
        return [_row(r) for r in self._residuals]

    def _ends(self) -> list[str]:
        ends = [
            f"{shown(self.total)} are saved, {shown(self.float_bytes)} of them floats."
            if self._residuals else "Nothing is saved."
        ]  # fmt: skip
        ends += [f"from the argument {name!r}: costs nothing" for name in self.arguments]
        return ends

    def __rich__(self) -> Group:
        """A row for each residual, then the total and the arguments."""
        table = Table(box=box.SIMPLE_HEAD, title=f"saved for the reverse sweep of {self.function}",
                      title_justify="left")  # fmt: skip
        for name in _COLUMNS:
            whole = name in ("value", "bytes", "times", "where")
            right = name in ("bytes", "times")
            table.add_column(name, justify="right" if right else "left", no_wrap=whole)
        for row in self._rows():
            table.add_row(*map(Text, row))
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
        return f"<table>{cells(_COLUMNS, 'th')}{rows}</table>{ends}"


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
        UserError: no argument is a float, or the program is outside the accepted subset.
        Limitation: both sweeps are one loop in parts, or `fun` holds a derivative with a tape.

    >>> import numpy as np, retrograd as rg
    >>> def layer(w, x):
    ...     return np.sum(np.sin(w @ x))
    >>> found = rg.saved_residuals(layer, np.ones((3, 4)), np.ones(4))
    >>> found.float_bytes, [r.shape for r in found if r.dtype == "f64"], found.arguments
    (24, [(3,)], ('w', 'x'))
    """
    fun = checked(fun, "saved_residuals")
    specs = [spec_of(value, f"argument {k}") for k, value in enumerate(args)]
    named = {name: spec_of(value, f"argument {name!r}") for name, value in kwargs.items()}
    prepared = prepare(fun, specs, named, derivative=True)
    inner = prepared.task
    span = inner.main.prov.span
    if not any(type_.is_float for type_ in leaf_types(inner.out)):
        raise UserError("RG0303", "the function returns no float, so that it has no derivative",
                        span, "return a float or an array of floats")  # fmt: skip
    wanted = None if argnums is None else float_positions(inner, argument_numbers(argnums))
    count = sum(len(list(leaf_types(spec))) for spec in inner.args)
    if not any(var.type.is_float for var in inner.main.params[:count]):
        raise UserError("RG0302", "no argument is a float, so that there is no derivative", span,
                        "pass a float or a float64 array (for example 2.0 for 2)")  # fmt: skip
    task = pullback_task(inner, wanted=wanted)
    program = PLAIN.run(task.program, known())
    flat = prepared.traced.flatten(args, kwargs)
    refuse_sharing(fun, prepared.traced, flat)
    params = task.main.params
    bars = params[count : count + len(params) - len(flat)]
    every = [*flat[:count], *map(nothing, bars), *flat[count:]]
    found = values_of(task, program, every, bars)
    if found is None:
        raise Limitation(
            "RG4104", "what is saved is not counted: parts of it are taken back before the forward "
            "sweep ends", span, "rg.record shows the tape of a run as a whole",
        )  # fmt: skip
    names = _names(fun, inner, kwargs)
    return SavedResiduals(_title(fun), found, _read(program, names))


def _title(fun: Callable[..., Any]) -> str:
    name: object = getattr(fun, "__name__", None)
    return name if isinstance(name, str) else str(fun)


def _names(fun: Callable[..., Any], task: Task, kwargs: Mapping[str, Any]) -> list[str]:
    """The name of the argument that each leaf is part of."""
    try:
        given = list(inspect.signature(fun).parameters.values())
    except (TypeError, ValueError):
        given = []
    own = [p.name for p in given if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    positional = len(task.args) - len(kwargs)
    rest = [str(k) for k in range(len(own), positional)]
    every = [*own[:positional], *rest, *kwargs]
    return [
        name for name, spec in zip(every, task.args, strict=False) for _ in leaf_types(spec)
    ]  # fmt: skip


def _read(program: Program, names: Sequence[str]) -> list[str]:
    """The arguments whose elements the reverse sweep is given."""
    main = program.main
    ahead = len(forward_of(program).main.body.stms)
    given = {
        atom
        for stm in main.body.stms[ahead:]
        if isinstance(stm.expr, Call)
        for atom in stm.expr.args
    }
    pairs = zip(main.params, names, strict=False)
    return list(dict.fromkeys(name for param, name in pairs if param in given))


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
    found = saved_residuals(fun, *args, argnums=argnums, **kwargs)
    Console().print(found)
