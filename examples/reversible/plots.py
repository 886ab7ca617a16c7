"""What the examples of this folder share: their options, and figures in files.

matplotlib is loaded only where a figure is drawn.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["COLOURS", "options", "save", "subplots"]

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9")
"""Colours that stay apart for most colour-blind readers."""


def options(about: str | None, arguments: Sequence[str] | None) -> argparse.Namespace:
    """What was asked for on the command line: `quick` and `out`."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--out", type=Path, default=Path("out"), help="where figures go")
    parser.add_argument("--quick", action="store_true", help="small sizes")
    return parser.parse_args(arguments)


def subplots(columns: int, width: float = 5.0, height: float = 4.0) -> tuple[Any, list[Any]]:
    """A figure without a window, and its plots side by side, each of so many inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(columns * width, height), layout="constrained")
    FigureCanvasAgg(figure)
    plots: list[Any] = list(figure.subplots(1, columns, squeeze=False)[0])
    for plot in plots:
        plot.spines[["top", "right"]].set_visible(False)
    return figure, plots


def save(figure: Any, path: Path) -> None:
    """Writes a figure and says where."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    print(f"figure: {path}")
