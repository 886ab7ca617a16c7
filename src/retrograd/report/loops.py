"""A table of a function's loops: maps, reductions, and those that are serial."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from retrograd.api.compile.known import known
from retrograd.api.compile.prepare import prepare
from retrograd.frontend.identity.named_constants import constant_extents
from retrograd.frontend.identity.specs import specs_of
from retrograd.ir.terms import Program
from retrograd.transforms.analysis.loop_kinds import Kind, Loop, loops_of
from retrograd.transforms.driver import PLAIN

__all__ = ["loops", "print_loops"]


def loops(f: Callable[..., Any], args: Sequence[Any]) -> list[Loop]:
    """The loops of `f` for arguments of these types, as they are before anything is derived.

    Args:
        f: the user's function.
        args: arguments, of which only the types count.

    Returns:
        One for each loop of the source that is reached, outer before inner. Of a loop of which
        there are several copies, the first or last iterations taken out, that which is least free.
    """
    specs = specs_of(args, constant_extents(f))
    task = prepare(f, specs, {}, derivative=False).task
    seen: dict[str, Program] = {}
    PLAIN.run(task.program, known(), listener=lambda name, p: seen.update({name: p}))
    order = list(Kind)
    found: dict[tuple[str, int], Loop] = {}
    for one in loops_of(seen["optimised"], known()):
        key = (str(one.prov.span), one.depth)
        if key not in found or order.index(one.kind) > order.index(found[key].kind):
            found[key] = one
    return sorted(found.values(), key=lambda one: (_line(one), one.depth))


def _line(one: Loop) -> tuple[str, int]:
    return ("", 0) if one.prov.span is None else (one.prov.span.file, one.prov.span.line)


def print_loops(f: Callable[..., Any], args: Sequence[Any]) -> None:
    """Prints the table of the loops of `f`."""
    table = Table(box=box.SIMPLE_HEAD, title="Loops", title_justify="left")
    table.add_column("line", no_wrap=True, justify="right", min_width=4)
    table.add_column("loop", no_wrap=True, overflow="ellipsis", max_width=36)
    table.add_column("is", no_wrap=True, min_width=9)
    table.add_column("because", min_width=20)
    found = loops(f, args)
    for one in found:
        span = one.prov.span
        text = "" if span is None else linecache.getline(span.file, span.line).strip()
        table.add_row(
            "" if span is None else str(span.line), "  " * one.depth + text, one.kind.value, one.why
        )
    console = Console()
    console.print(table if found else "there are no loops")
    if any(one.kind is Kind.REDUCTION for one in found):
        console.print(
            "A reduction is done in Python's order, which is its meaning; "
            "rg.reduce and np.sum may take parts apart."
        )
