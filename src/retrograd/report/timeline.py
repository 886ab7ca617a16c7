"""The picture of a run: execution diagram, memory, checkpoint tree (Siskind and Pearlmutter 2018).

Their Fig. 2 has the run's execution points from left to right and time going down; the trees of
their Figs. 3 to 7 stand under it, over the same points. What is drawn is what was done, from
`rg.record()`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrograd.api.checkpoint.recording import Recording
from retrograd.errors import UserError
from retrograd.options.memory import shown
from retrograd.report.checkpoint_tree import Node, checkpoint_tree
from retrograd.report.history import History, history_of, longest_call
from retrograd.report.pictures import byte_unit, new_figure, picture_format, save_figure

__all__ = ["save_timeline"]

# Okabe and Ito's colours, which the colour-blind can tell apart.
_COLOURS = {"advance": "#56B4E9", "record": "#D55E00", "lost": "#E69F00", "reverse": "#0072B2"}
_SNAPSHOT, _LIVE, _INK = "#009E73", "#BBBBBB", "#333333"
_NAMES = {
    "advance": "goes ahead",
    "record": "records",
    "lost": "records in vain",
    "reverse": "takes back",
}
_FEW = 32
"""Leaves up to which each has its number."""
_MANY = 2000
"""Lines from which on an SVG has pixels instead."""

Segment = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What a picture is of; `scale` is how many of a unit of time there are in what is counted."""

    history: History
    nodes: Sequence[Node]
    limit: int | None
    scale: float
    unit: str


def save_timeline(
    recording: Recording, *paths: str | Path, call: int | None = None, clock: str = "seconds"
) -> None:
    """Draws a recorded derivative.

    Args:
        recording: what `rg.record()` gives.
        paths: files to write, each ending in .svg or .png.
        call: which of the recorded derivatives, from 0; the one that took longest where it is not
            said.
        clock: "seconds", as they went by, or "steps": those of all sweeps, one after the other,
            which gives the same picture each time.

    Raises:
        UserError: a name ends otherwise, there is no such call or clock, or matplotlib is not
            there.

    >>> import math, tempfile, pathlib, retrograd as rg
    >>> from retrograd.report.timeline import save_timeline
    >>> def swing(x):
    ...     for _ in range(10_000):
    ...         x = x + 0.001 * math.sin(x)
    ...     return x
    >>> with rg.record() as run:
    ...     _ = rg.grad(swing, memory="20kB")(0.5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_timeline(run, f"{folder}/run.svg")
    ...     sorted(path.name for path in pathlib.Path(folder).iterdir())
    ['run.svg']
    """
    for path in paths:
        picture_format(path)
    if clock not in ("seconds", "steps"):
        raise UserError("RG6101", f"clock={clock!r}", way_out='use "seconds" or "steps"')
    if not 0 <= (call or 0) < recording.calls:
        there = f"{recording.calls} with memory= or checkpointing= were called"
        raise UserError(
            "RG6101", f"there is no derivative {call or 0} to draw: {there}",
            way_out="draw what `with rg.record()` has seen, counted from 0",
        )  # fmt: skip
    chosen = longest_call(recording.timeline) if call is None else call
    figure = _figure(recording, chosen, clock)
    save_figure(figure, paths)


def _figure(recording: Recording, call: int, clock: str) -> Any:
    """The figure, without a window."""
    derivative = recording.derivatives[call]
    way = derivative.checkpointing
    history = history_of(recording.timeline, call, clock)
    nodes = checkpoint_tree(history, way.tree == "treeverse")
    limit = derivative.limit if way.kind == "budget" else None
    sheet = _Sheet(
        history, nodes, limit, *((1.0, "steps") if clock == "steps" else _unit(history.seconds))
    )
    figure = new_figure(11.0, 8.5)
    grid = figure.add_gridspec(2, 2, width_ratios=(3.6, 1), height_ratios=(1.7, 1))
    diagram = figure.add_subplot(grid[0, 0])
    memory = figure.add_subplot(grid[0, 1], sharey=diagram)
    tree = figure.add_subplot(grid[1, 0], sharex=diagram)
    legend = figure.add_subplot(grid[1, 1])
    _draw_diagram(diagram, sheet)
    _draw_memory(memory, sheet)
    _draw_tree(tree, sheet)
    _draw_legend(legend, sheet, diagram)
    figure.suptitle(_title(derivative.function, way.kind, sheet), fontsize=12)
    return figure


def _unit(seconds: float) -> tuple[float, str]:
    """How many of a unit of time there are in a second, and its name."""
    for factor, unit in ((1 / 3600, "h"), (1 / 60, "min")):
        if seconds * factor >= 3:
            return factor, unit
    for factor, unit in ((1.0, "s"), (1e3, "ms")):
        if seconds * factor >= 1:
            return factor, unit
    return 1e6, "µs"


def _title(function: str, kind: str, sheet: _Sheet) -> str:
    history = sheet.history
    done = sum(s.end - s.start for s in history.stretches if s.kind != "reverse")
    how = f"{shown(sheet.limit)} budget" if sheet.limit is not None else kind.replace("_", " ")
    again = done / history.length - 1 if history.length else 0.0
    leaves = len(history.leaves)
    return (
        f"{function}: {how}, {history.length:,} steps, "
        f"{leaves:,} {'leaf' if leaves == 1 else 'leaves'}, "
        f"{again:.0%} of the steps done again"
        + (f", {history.seconds * sheet.scale:.3g} {sheet.unit}" if sheet.unit != "steps" else "")
    )


def _lines(
    axes: Any, segments: Sequence[Segment], colour: str, width: float, order: float, **more: Any
) -> None:
    """Lines as one collection; pixels where an SVG would be too large."""
    from matplotlib.collections import LineCollection

    made = LineCollection(segments, colors=colour, linewidths=width, zorder=order, **more)
    made.set_rasterized(len(segments) > _MANY)
    axes.add_collection(made)


def _width(count: int, widest: float, least: float) -> float:
    """A line's width in points, by how many there are."""
    return max(least, widest * min(1.0, (_FEW / max(1, count)) ** 0.5))


def _draw_diagram(axes: Any, sheet: _Sheet) -> None:
    history, scale = sheet.history, sheet.scale
    count = len(history.leaves)
    widths = {
        "advance": _width(count, 1.2, 0.4),
        "record": _width(count, 4.0, 1.0),
        "lost": _width(count, 2.0, 1.0),
        "reverse": _width(count, 4.0, 1.0),
    }
    taken: list[Segment] = [
        ((s.step, s.taken * scale), (s.step, s.dropped * scale)) for s in history.lives
    ]
    _lines(axes, taken, _SNAPSHOT, _width(len(taken), 1.5, 0.3), 1, alpha=0.9)
    for order, (kind, width) in enumerate(widths.items(), 2):
        segments: list[Segment] = []
        for s in history.stretches:
            if s.kind == kind:
                ends = (s.end, s.start) if kind == "reverse" else (s.start, s.end)
                segments.append(((ends[0], s.began * scale), (ends[1], s.ended * scale)))
        _lines(axes, segments, _COLOURS[kind], width, order, capstyle="butt")
    if count <= _FEW:
        back = [s for s in history.stretches if s.kind == "reverse"][-count:] if count else []
        for number, s in enumerate(back, 1):
            place = (s.start + s.end) / 2, s.ended * scale
            axes.annotate(
                str(number), place, (0, -3), textcoords="offset points", ha="center", va="top",
                fontsize=8, color=_COLOURS["reverse"], zorder=9,
            )  # fmt: skip
    axes.set_xlim(0, max(1, history.length))
    below = 1.06 if count <= _FEW else 1.02
    axes.set_ylim(max(history.seconds * scale, 1e-9) * below, 0)
    axes.set_ylabel(f"time ({sheet.unit})")
    if sheet.unit == "steps":
        axes.yaxis.set_major_formatter(_thousands())
    axes.set_title("Execution diagram", loc="left", fontsize=10)
    axes.tick_params(labelbottom=False)
    _plain(axes)


def _thinned(sheet: _Sheet) -> list[tuple[float, tuple[int, int, int]]]:
    """Times with bytes of arrays, snapshots and tape.

    Of many that fall together: the first, the most and the last.
    """
    history = sheet.history
    sizes = zip(history.live, history.kept, history.tape, strict=True)
    rows = list(zip(history.times, sizes, strict=True))
    if len(rows) <= _MANY:
        return rows
    best: dict[int, list[tuple[float, tuple[int, int, int]]]] = {}
    for row in rows:
        place = int(row[0] / max(history.seconds, 1e-9) * _MANY / 4)
        first, most, _ = best.get(place, (row, row, row))
        best[place] = [first, row if sum(row[1]) > sum(most[1]) else most, row]
    return [row for place in sorted(best) for row in sorted(best[place], key=lambda row: row[0])]


def _draw_memory(axes: Any, sheet: _Sheet) -> None:
    """Bytes to the right, one on the other: arrays, snapshots, tape; time as in the diagram."""
    rows = _thinned(sheet)
    most = max(sum(sizes) for _, sizes in rows)
    limit = sheet.limit
    # A limit that is far away would leave nothing to be seen.
    near = limit is not None and limit < 4 * most
    factor, unit = byte_unit(max(most, limit if near and limit is not None else 0, 1))
    times = [t * sheet.scale for t, _ in rows]
    base = [0.0] * len(times)
    for place, colour in enumerate((_LIVE, _SNAPSHOT, _COLOURS["record"])):
        upper = [b + sizes[place] / factor for b, (_, sizes) in zip(base, rows, strict=True)]
        axes.fill_betweenx(times, base, upper, color=colour, linewidth=0)
        base = upper
    if limit is not None and near:
        axes.axvline(limit / factor, color=_INK, linestyle="--", linewidth=1.2)
    axes.set_xlim(0, max(most, limit if near and limit is not None else 0, 1) / factor * 1.05)
    axes.set_xlabel(f"memory ({unit})")
    axes.set_title("Memory", loc="left", fontsize=10)
    axes.tick_params(labelleft=False)
    _plain(axes)


def _draw_tree(axes: Any, sheet: _Sheet) -> None:
    nodes = sheet.nodes
    middles = [(n.start + n.end) / 2 for n in nodes]
    leaves = [k for k, n in enumerate(nodes) if n.leaf]
    few = len(leaves) <= _FEW
    edges: list[Segment] = [
        ((middles[n.parent], nodes[n.parent].depth), (middles[k], n.depth))
        for k, n in enumerate(nodes)
        if n.parent >= 0
    ]
    _lines(axes, edges, _INK, _width(len(leaves), 1.2, 0.3), 1, alpha=0.9 if few else 0.5)
    apart = 0.0015 * sheet.history.length if few else 0.0
    for kind, colour in ((True, _COLOURS["record"]), (False, _INK)):
        if not kind and not few:
            continue  # they would hide the branches
        bars: list[Segment] = [
            ((n.start + apart, n.depth), (n.end - apart, n.depth))
            for n in nodes
            if bool(n.leaf) == kind
        ]
        _lines(axes, bars, colour, _width(len(leaves), 5.0 if kind else 2.0, 1.6), 3)
    if few:
        for k in leaves:
            if nodes[k].leaf > 0:
                axes.annotate(
                    str(nodes[k].leaf), (middles[k], nodes[k].depth), (0, -4), ha="center",
                    va="top", textcoords="offset points", fontsize=8, color=_COLOURS["reverse"],
                )  # fmt: skip
    depth = max(n.depth for n in nodes)
    axes.set_ylim(depth + max(0.6, 0.05 * depth), -max(0.4, 0.03 * depth))
    axes.yaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
    axes.set_xlabel("execution point (steps)")
    axes.set_ylabel("depth")
    axes.set_title("Checkpoint tree", loc="left", fontsize=10)
    axes.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
    axes.xaxis.set_major_formatter(_thousands())
    _plain(axes)


def _thousands() -> Any:
    from matplotlib.ticker import FuncFormatter

    def text(step: float, place: int | None) -> str:
        return f"{step:,.0f}"

    return FuncFormatter(text)


def _plain(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True, color="#E5E5E5", linewidth=0.5)
    axes.set_axisbelow(True)


def _draw_legend(axes: Any, sheet: _Sheet, diagram: Any) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    axes.set_axis_off()
    kinds = {s.kind for s in sheet.history.stretches}
    entries: list[Any] = [
        Line2D([], [], color=_COLOURS[kind], lw=1.5 if kind == "advance" else 4, label=name)
        for kind, name in _NAMES.items()
        if kind in kinds
    ]
    entries.append(Line2D([], [], color=_SNAPSHOT, lw=1.5, label="snapshot, while it is kept"))
    entries.append(Patch(color=_SNAPSHOT, label="bytes of snapshots"))
    entries.append(Patch(color=_COLOURS["record"], label="bytes of the tape"))
    entries.append(Patch(color=_LIVE, label="bytes of arrays and frames"))
    if sheet.limit is not None:
        budget = f"budget: {shown(sheet.limit)}"
        entries.append(Line2D([], [], color=_INK, ls="--", lw=1.2, label=budget))
    if len(sheet.history.leaves) <= _FEW:
        entries.append(Line2D([], [], ls="", label="1, 2, …: leaves, in this order"))
    axes.legend(handles=entries, loc="upper left", frameon=False, fontsize=8, borderaxespad=0)
