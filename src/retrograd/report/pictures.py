"""What pictures have in common: their files, and matplotlib, which is loaded for them alone."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from retrograd.errors import UserError

__all__ = ["byte_unit", "new_figure", "picture_format", "save_figure"]


def picture_format(path: str | Path) -> str:
    """ "svg" or "png", by the name of a file.

    Raises:
        UserError: the name ends otherwise.

    >>> picture_format("run.svg")
    'svg'
    """
    suffix = Path(path).suffix.lower()
    if suffix not in (".svg", ".png"):
        raise UserError(
            "RG6101", f"a picture cannot be written to {str(path)!r}",
            way_out="give a name that ends in .svg or .png",
        )  # fmt: skip
    return suffix[1:]


def new_figure(width: float, height: float) -> Any:
    """A figure of so many inches, without a window.

    Raises:
        UserError: matplotlib is not there.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UserError(
            "RG6101", "pictures are drawn by matplotlib, which is not installed",
            way_out='pip install "retrograd[plots]"',
        ) from error  # fmt: skip
    figure: Any = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save_figure(figure: Any, paths: Iterable[str | Path]) -> None:
    """Writes a figure to files, without the date."""
    for path in paths:
        kind = picture_format(path)
        figure.savefig(path, format=kind, dpi=160, metadata={"Date": None} if kind == "svg" else {})


def byte_unit(size: float) -> tuple[float, str]:
    """How many bytes a unit has that is fit for so many, and its name."""
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= factor:
            return factor, unit
    return 1.0, "B"
