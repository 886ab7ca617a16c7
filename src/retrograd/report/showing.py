"""Where reports that are printed go: to the terminal, or into a notebook as HTML."""

from __future__ import annotations

import importlib

from rich.console import Console, RenderableType

__all__ = ["show"]


def show(report: RenderableType, console: Console | None = None) -> None:
    """Prints a report; a notebook is given it as it is, to show its HTML."""
    console = Console() if console is None else console
    if console.is_jupyter:
        importlib.import_module("IPython.display").display(report)
    else:
        console.print(report)
