"""What derivatives in a budget have taken, all together, as a table."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table

from retrograd.api.checkpoint.recording import Recording
from retrograd.options.memory import shown

__all__ = ["print_totals", "totals_table"]


def totals_table(recording: Recording) -> Table:
    """Two columns: what is counted, and how much of it there was."""
    functions = dict.fromkeys(d.function for d in recording.derivatives)
    title = f"Derivatives of {', '.join(functions)}" if functions else "Derivatives without a tape"
    table = Table(
        "", title=title, title_justify="left", box=box.SIMPLE_HEAD, show_header=False
    )  # fmt: skip
    table.add_column(justify="right")
    length = recording.steps - recording.recomputed_steps
    again = recording.recomputed_steps / length if length else 0.0
    seconds: dict[int, float] = {}
    for event in recording.timeline:
        seconds[event.call] = event.seconds
    for name, value in (
        ("calls", f"{recording.calls:,}"),
        ("steps of the run", f"{length:,}"),
        ("steps done again", f"{recording.recomputed_steps:,} ({again:.0%})"),
        ("leaves", f"{recording.leaves:,}"),
        ("snapshots taken", f"{recording.snapshots:,}"),
        ("snapshots at a time", f"{recording.live_snapshots:,}"),
        ("most bytes in all", shown(recording.peak_bytes)),
        ("most bytes on the tape", shown(recording.tape_bytes)),
        ("most bytes in snapshots", shown(recording.snapshot_bytes)),
        ("seconds", f"{sum(seconds.values()):.3g}"),
    ):
        table.add_row(name, value)
    return table


def print_totals(recording: Recording) -> None:
    """The table on the terminal (plain text where there is none)."""
    Console().print(totals_table(recording))
