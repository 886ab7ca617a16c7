"""Both sweeps of a derivative side by side."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from retrograd.api.compile.known import known
from retrograd.api.saving.sweeps import Sweeps, is_tape, site_of
from retrograd.ir.terms import Atom, Block, Call, Function, Param, Prim, Program, Stm, Var, Vjp
from retrograd.ir.traverse import free_vars_expr, stms_deep, substitute
from retrograd.prims.core import Effect
from retrograd.report.pullback import Pulled, pulled
from retrograd.report.reading import CODE, SOURCE, TAPE, Line, Reading, type_text
from retrograd.report.residuals import sweeps_in
from retrograd.report.showing import show
from retrograd.tracebacks import shows_user_frames
from retrograd.transforms.analysis.effects import (
    callees,
    prim_effect,
    reachable,
    recursive_functions,
)
from retrograd.transforms.driver import PLAIN
from retrograd.transforms.passes import run_pipeline
from retrograd.transforms.pipelines import UNNEEDED

__all__ = ["Columns", "columns_of", "print_fwd_bwd"]

_STYLES = {CODE: "", SOURCE: "dim", TAPE: "bold"}
_HEADS = ("forward", "backward")


@dataclass(frozen=True, slots=True)
class Columns:
    """The code of both sweeps.

    Attributes:
        function: the name of the function.
        rows: pairs of what the forward and the reverse sweep do: first the sweeps themselves, then
            the functions that they call, those that belong together side by side.
    """

    function: str
    rows: tuple[tuple[tuple[Line, ...], tuple[Line, ...]], ...]

    def __rich__(self) -> Table:
        """Two columns; what touches the tape is bold, the user's lines are dim."""
        table = Table(box=box.SIMPLE_HEAD, show_lines=True, title=f"both sweeps of {self.function}",
                      title_justify="left")  # fmt: skip
        for head in _HEADS:
            table.add_column(head, overflow="fold", ratio=1)
        for row in self.rows:
            table.add_row(*map(_text, row))
        return table

    def __str__(self) -> str:
        console = Console(file=StringIO(), width=160)
        with console.capture() as captured:
            console.print(self)
        return "\n".join(line.rstrip() for line in captured.get().splitlines())

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr>{''.join(map(_html, row))}</tr>" for row in self.rows)
        heads = "".join(f"<th>{head}</th>" for head in _HEADS)
        return f"<table><tr>{heads}</tr>{rows}</table>"


def _text(lines: Sequence[Line]) -> Text:
    made = Text()
    for k, (kind, text) in enumerate(lines):
        made.append("\n" * bool(k))
        made.append(text, _STYLES[kind])
    return made


def _html(lines: Sequence[Line]) -> str:
    tags = {CODE: "{}", SOURCE: "<i>{}</i>", TAPE: "<b>{}</b>"}
    inner = "\n".join(tags[kind].format(html.escape(text)) for kind, text in lines)
    return f'<td style="text-align: left; vertical-align: top"><pre>{inner}</pre></td>'


def columns_of(pullback: Pulled) -> Columns:
    """The sweeps of a pullback that gives the value as well, optimised, before loops are rearranged
    for the machine."""
    task = pullback.with_value
    seen: dict[str, Program] = {}
    PLAIN.run(task.program, known(), listener=lambda name, p: seen.update({name: p}))
    program = run_pipeline((UNNEEDED,), seen["vjp"], known(), check=False)
    sweeps = sweeps_in(task, program, pullback.cotangents)
    return Columns(pullback.name, tuple(_rows(sweeps, pullback)))


def _rows(sweeps: Sweeps, pullback: Pulled) -> Iterator[tuple[tuple[Line, ...], tuple[Line, ...]]]:
    program, main = sweeps.program, sweeps.program.main
    reading = Reading(known())
    ahead, values = _inlined(program, sweeps.forward, {})
    back, values = _inlined(program, sweeps.backward, values)
    results = [values.get(a, a) if isinstance(a, Var) else a for a in main.body.results]
    wrt = _differentiated(pullback)
    value, bars = results[: len(results) - len(wrt)], results[len(results) - len(wrt) :]
    made = {v for stm in ahead for v in stm.outs} | set(main.params)
    early = [a for a in value if not isinstance(a, Var) or a in made]
    ahead, late = _needed(ahead, early)
    back = (*late, *back)
    others = [_called(program, stms) for stms in (ahead, back)]
    parts = (Block(stms, ()) for stms in (ahead, back))
    reading.reserve((*parts, *(f.body for side in others for f in side)))
    heads = _heads(reading, pullback, main.params)
    for name, bar in zip(wrt, bars, strict=True):
        if isinstance(bar, Var) and bar.name not in reading.names:
            reading.call(bar, f"{name}_bar")
    yield (
        ((CODE, heads[0]), *reading.stms(ahead, "  "), *_returned(reading, early)),
        (
            (CODE, heads[1]), *reading.stms(back, "  "),
            *_returned(reading, [*value[len(early) :], *bars]),
        ),
    )  # fmt: skip
    for left, right in _paired(*others):
        yield _function(reading, left), _function(reading, right)


def _differentiated(pullback: Pulled) -> list[str]:
    """The names of the arguments that the results of the pullback are the cotangents of."""
    node = pullback.task.main.body.stms[-1].expr
    assert isinstance(node, Vjp)
    return [pullback.arguments[k] for k in node.wrt]


def _needed(
    stms: Sequence[Stm], results: Sequence[Atom]
) -> tuple[tuple[Stm, ...], tuple[Stm, ...]]:
    """Statements that results, or what may act, need; and the others, which can come later."""
    wanted = {a for a in results if isinstance(a, Var)}
    kept: list[Stm] = []
    late: list[Stm] = []
    for stm in reversed(stms):
        expr = stm.expr
        pure = isinstance(expr, Prim) and prim_effect(expr, known()) is Effect.PURE
        if pure and wanted.isdisjoint(stm.outs):
            late.append(stm)
        else:
            kept.append(stm)
            wanted.update(free_vars_expr(expr))
    return tuple(reversed(kept)), tuple(reversed(late))


def _function(reading: Reading, function: Function | None) -> tuple[Line, ...]:
    return () if function is None else tuple(reading.function(function))


def _returned(reading: Reading, atoms: Sequence[Atom]) -> list[Line]:
    return [(CODE, f"  return {reading.atoms(atoms)}")] if atoms else []


def _heads(reading: Reading, pullback: Pulled, params: Sequence[Var]) -> tuple[str, str]:
    """The first lines: arguments with their shapes, and the cotangents."""
    given: list[str] = []
    for name, value, param in zip(pullback.arguments, pullback.given, params, strict=False):
        type_ = type_text(param.type)
        if param.type.rank:
            type_ = type_.partition("[")[0] + str(list(np.shape(value)))
        given.append(f"{reading.call(param, name)}: {type_}")
    count = len(pullback.arguments)
    bars = params[count : count + len(pullback.cotangents)]
    for var in bars:
        reading.call(var, "y_bar")
    head = f"{pullback.name}({', '.join(given)}):"
    return head, f"{pullback.name}_pullback({reading.typed(bars)}):"


def _inlined(
    program: Program, stms: Sequence[Stm], values: Mapping[Var, Atom]
) -> tuple[tuple[Stm, ...], Mapping[Var, Atom]]:
    """The statements with what is called from there only in its place, and what stands for results
    of such calls.

    Names stay as they are, so that what the reverse sweep calculates again is called as before.
    """
    calls = Counter(name for f in program.functions for name in callees(f))
    recursive = recursive_functions(program)
    found: list[Stm] = []
    atoms_of: dict[Var, Atom] = dict(values)
    for before in stms:
        stm = substitute(Block((before,), ()), atoms_of).stms[0]
        name = stm.expr.function if isinstance(stm.expr, Call) else None
        if name is None or calls[name] > 1 or name in recursive:
            found.append(stm)
            continue
        assert isinstance(stm.expr, Call)
        function = program.function(name)
        body = substitute(function.body, dict(zip(function.params, stm.expr.args, strict=True)))
        inner, more = _inlined(program, body.stms, atoms_of)
        found += inner
        results = substitute(Block((), body.results), more).results
        atoms_of.update({**more, **dict(zip(stm.outs, results, strict=True))})
    return tuple(found), atoms_of


def _called(program: Program, stms: Sequence[Stm]) -> list[Function]:
    """The functions that statements call, and those that these call, callers first."""
    main = replace(program.main, body=Block(tuple(stms), ()))
    rest = (f for f in program.functions if f.name != main.name)
    names = reachable(Program((main, *rest), main.name))
    return [f for f in program.functions if f.name in names and f.name != main.name]


def _paired(
    ahead: Sequence[Function], back: Sequence[Function]
) -> Iterator[tuple[Function | None, Function | None]]:
    """Functions beside those that take off the tape what they have put there."""
    left = list(back)
    for function in ahead:
        mine = _sites(function, "push")
        other = next((f for f in left if mine & _sites(f, "pop")), None)
        if other is not None:
            left.remove(other)
        yield function, other
    yield from ((None, function) for function in left)


def _sites(function: Function, op: str) -> frozenset[Param]:
    return frozenset(site_of(stm) for stm in stms_deep(function.body) if is_tape(stm, op))


@shows_user_frames
def print_fwd_bwd(
    fun: Callable[..., Any], *args: Any, argnums: int | tuple[int, ...] | None = None,
    **kwargs: Any,
) -> None:  # fmt: skip
    """Prints the forward and the reverse sweep of a derivative of `fun` side by side.

    What stands on the tape in between is what is pushed on the left and popped on the right. Names
    that are on both sides are the same value, which the reverse sweep takes off the tape or
    calculates again. Lines of the user's stand above what they have become. It is the program
    before loops are rearranged for the machine; checks are left out. Nothing is run.

    Args:
        fun, args, argnums, kwargs: as for `saved_residuals`.

    Raises:
        UserError: as `saved_residuals`.

    >>> import numpy as np, retrograd as rg
    >>> rg.print_fwd_bwd(lambda x: np.sin(x) * 2.0, 1.0)  # doctest: +ELLIPSIS
    both sweeps of <lambda>...
    """
    show(columns_of(pulled(fun, "print_fwd_bwd", args, kwargs, argnums)))
