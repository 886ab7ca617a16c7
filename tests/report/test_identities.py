"""The table of a gradient check."""

from __future__ import annotations

import io

from rich.console import Console

from retrograd.report.identities import identities_table
from retrograd.testing.gradcheck import GradReport, Identity


def test_the_table_says_which_identity_failed() -> None:
    report = GradReport("f", (Identity("first", 1e-12, 1e-6), Identity("second", 0.5, 1e-6)))
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(identities_table(report))
    lines = console.export_text().splitlines()
    assert any("first" in line and "ok" in line and "1.0e-12" in line for line in lines)
    assert any("second" in line and "FAILED" in line for line in lines)
