"""What a derivative saves, as bars: bytes for each line of the user's."""

from __future__ import annotations

import html
import linecache
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrograd.options.memory import shown
from retrograd.options.saving import Residual
from retrograd.report.pictures import byte_unit, new_figure, picture_format, save_figure

__all__ = ["LineBytes", "bars_html", "bytes_by_line", "save_bars"]

_FLOATS, _OTHERS = "#0072B2", "#BBBBBB"
"""Two of Okabe and Ito's colours, and grey."""
_FEWEST, _MOST = 2, 40
"""Bars that a picture has room for."""
_WIDEST, _NAME = 64, 28
"""Characters that it has room for, of a line's text and of its place."""
_ROW, _FRAME = 0.26, 1.25
"""Inches in height of a bar, and of what is above and below them."""


@dataclass(frozen=True, slots=True)
class LineBytes:
    """What is saved of the values of one line.

    Attributes:
        place: the line, with its file where there are several.
        text: what stands there.
        floats, others: the bytes of floats, and of extents, counts and branches.
    """

    place: str
    text: str
    floats: int
    others: int

    @property
    def total(self) -> int:
        return self.floats + self.others


def bytes_by_line(residuals: Iterable[Residual]) -> list[LineBytes]:
    """The lines of which something is saved, as they stand in their files; what is of no line
    comes last."""
    sizes: dict[tuple[str, int], list[int]] = {}
    for r in residuals:
        size = sizes.setdefault((r.file, r.line or 0), [0, 0])
        size[not r.dtype.startswith("f64")] += r.total or 0
    several = len({file for file, _ in sizes if file}) > 1
    places = sorted(sizes, key=lambda place: (not place[1], place))
    return [_line(place, sizes[place], several) for place in places]


def _line(place: tuple[str, int], size: Sequence[int], several: bool) -> LineBytes:
    file, line = place
    if not line:
        return LineBytes("", "of no line", *size)
    shown_place = f"{Path(file).name}:{line}" if several else str(line)
    return LineBytes(shown_place, linecache.getline(file, line).strip(), *size)


def bars_html(lines: Sequence[LineBytes]) -> str:
    """The bars as a table for a notebook; "" where there are none."""
    most = max((line.total for line in lines), default=0)
    rows = "".join(_row_html(line, most) for line in lines if line.total)
    head = "<tr><th>line</th><th>text</th><th>bytes</th><th></th></tr>"
    return f"<table>{head}{rows}</table>" if rows else ""


def _row_html(line: LineBytes, most: int) -> str:
    left = 'style="text-align: left"'
    parts = "".join(
        f'<div style="background: {colour}; width: {100 * size / most:.1f}%; height: 0.9em"></div>'
        for colour, size in ((_FLOATS, line.floats), (_OTHERS, line.others))
        if size
    )
    return (
        f"<tr><td>{html.escape(line.place)}</td><td {left}><code>{html.escape(line.text)}</code>"
        f'</td><td>{shown(line.total)}</td><td style="min-width: 16em">'
        f'<div style="display: flex">{parts}</div></td></tr>'
    )


def save_bars(function: str, residuals: Sequence[Residual], *paths: str | Path) -> None:
    """Draws what a derivative saves: a bar for each line.

    Args:
        function: the name of what is differentiated.
        residuals: what `rg.saved_residuals` gives.
        paths: files to write, each ending in .svg or .png.

    Raises:
        UserError: a name ends otherwise, or matplotlib is not there.
        OSError: a file cannot be written.

    >>> import numpy as np, tempfile, pathlib, retrograd as rg
    >>> from retrograd.report.bars import save_bars
    >>> found = rg.saved_residuals(lambda w, x: np.sin(w @ x), np.ones((3, 4)), np.ones(4))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_bars("layer", found, f"{folder}/saved.png")
    ...     [path.name for path in pathlib.Path(folder).iterdir()]
    ['saved.png']
    """
    for path in paths:
        picture_format(path)
    save_figure(_figure(function, bytes_by_line(residuals)), paths)


def _figure(function: str, lines: Sequence[LineBytes]) -> Any:
    total = sum(line.total for line in lines)
    lines = _largest([line for line in lines if line.total])
    figure = new_figure(10.0, _FRAME + _ROW * max(_FEWEST, len(lines)))
    axes = figure.add_subplot()
    title = f"Saved for the reverse sweep of {_cut(function, 48)}: {shown(total)}"
    figure.suptitle(title, fontsize=11, parse_math=False)
    if lines:
        _draw(axes, lines)
    else:
        axes.set_axis_off()
        axes.text(0.5, 0.5, "Nothing is saved.", ha="center", va="center", fontsize=10)
    return figure


def _largest(lines: Sequence[LineBytes]) -> list[LineBytes]:
    """The lines that have bars, in their order; one bar for all others."""
    if len(lines) <= _MOST:
        return list(lines)
    least = sorted((line.total for line in lines), reverse=True)[_MOST - 2]
    large = [line for line in lines if line.total >= least][: _MOST - 1]
    rest = [line for line in lines if line not in large]
    other = LineBytes(
        "", f"{len(rest)} other lines",
        sum(line.floats for line in rest), sum(line.others for line in rest),
    )  # fmt: skip
    return [*large, other]


def _draw(axes: Any, lines: Sequence[LineBytes]) -> None:
    from matplotlib.patches import Patch

    factor, unit = byte_unit(max(line.total for line in lines))
    rows = range(len(lines))
    floats = [line.floats / factor for line in lines]
    axes.barh(rows, floats, height=0.7, color=_FLOATS)
    axes.barh(
        rows, [line.others / factor for line in lines], left=floats, height=0.7, color=_OTHERS
    )
    for row, line in zip(rows, lines, strict=True):
        # Beside the axes, so that no bar is in the way.
        axes.text(1.01, row, shown(line.total), transform=axes.get_yaxis_transform(),
                  va="center_baseline", ha="left", fontsize=8)  # fmt: skip
    axes.set_yticks(rows, _labels(lines))
    for label in axes.get_yticklabels():
        label.set(fontsize=8, fontfamily="monospace", parse_math=False)
    apart = max(0, _FEWEST - len(lines)) / 2  # bars are as thick as in other pictures
    axes.set_ylim(len(lines) - 0.4 + apart, -0.6 - apart)
    axes.set_xlim(0, max(line.total for line in lines) / factor * 1.02)
    axes.set_xlabel(f"saved ({unit})", fontsize=9)
    axes.tick_params(axis="x", labelsize=8)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True, axis="x", color="#E5E5E5", linewidth=0.5)
    axes.set_axisbelow(True)
    if any(line.others for line in lines):
        kinds = ((_FLOATS, "floats"), (_OTHERS, "extents, counts and branches"))
        handles = [Patch(color=colour, label=label) for colour, label in kinds]
        axes.figure.legend(
            handles=handles, loc="outside lower right", ncols=2, frameon=False, fontsize=8
        )


def _labels(lines: Sequence[LineBytes]) -> list[str]:
    """Places and texts below each other, as in a listing."""
    texts = [_cut(line.text) for line in lines]
    places = [p if len(p) <= _NAME else f"…{p[1 - _NAME :]}" for p in (x.place for x in lines)]
    width = max(map(len, texts))
    room = max(map(len, places))
    return [f"{p:>{room}}  {text:<{width}}" for p, text in zip(places, texts, strict=True)]


def _cut(text: str, room: int = _WIDEST) -> str:
    return text if len(text) <= room else text[: room - 1] + "…"
