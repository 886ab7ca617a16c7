"""The figures as tables, one per kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table

from benchmarks.figures import Bounds, Figure

__all__ = ["tables"]

STYLES = {"ok": "green", "missed": "bold red", "": ""}


def number(value: float | None) -> str:
    """Three significant digits, without powers of ten."""
    if value is None:
        return "-"
    if value >= 100.0:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 1.0 else f"{value:.3f}"


def tables(figures: Sequence[Figure], bounds: Bounds) -> Iterator[Table]:
    """One table for each kind that has figures, in the order of `bounds.toml`."""
    for kind in bounds.table:
        rows = [f for f in figures if f.kind == kind]
        if rows:
            yield table(bounds.title(kind), rows)


def table(title: str, rows: Sequence[Figure]) -> Table:
    """Absolute figures only where there are some."""
    absolute = any(f.ours is not None for f in rows)
    judged = any(f.bar is not None for f in rows)
    noted = any(f.note for f in rows)
    out = Table(title=title, title_justify="left", title_style="bold")
    out.add_column("")
    for name in ("retrograd", "rival") if absolute else ():
        out.add_column(name, justify="right")
    out.add_column("ratio" if absolute else "", justify="right")
    for name in ("bar", "verdict") if judged else ():
        out.add_column(name, justify="right")
    if noted:
        out.add_column("")
    for f in rows:
        cells = [f.subject]
        if absolute:
            cells += ["-" if v is None else f"{number(v)} {f.unit}" for v in (f.ours, f.rival)]
        value = number(f.value)
        cells.append(value if absolute or f.value is None else f"{value} {f.unit}")
        if judged:
            style = STYLES[f.verdict]
            verdict = f"[{style}]{f.verdict}[/]" if style else ""
            cells += [number(f.bar) if f.bar is not None else "", verdict]
        if noted:
            cells.append(f.note)
        out.add_row(*cells)
    return out
