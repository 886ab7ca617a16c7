"""The report of a gradient check as a table."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table

from retrograd.testing.gradcheck import GradReport

__all__ = ["identities_table", "print_identities"]


def identities_table(report: GradReport) -> Table:
    """One row for each identity: error, what is accepted, verdict."""
    title = f"Derivatives of {report.function}"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("identity")
    table.add_column("error", justify="right")
    table.add_column("accepted", justify="right")
    table.add_column("")
    for row in report.rows:
        verdict = "[green]ok[/green]" if row.ok else "[bold red]FAILED[/bold red]"
        table.add_row(row.name, f"{row.error:.1e}", f"{row.tolerance:.1e}", verdict)
    return table


def print_identities(report: GradReport) -> None:
    """The table on the terminal (plain text where there is none)."""
    Console().print(identities_table(report))
