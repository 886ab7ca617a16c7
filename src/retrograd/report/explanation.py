"""What is known of the lines of a program, also as a table."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO

from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from retrograd.options.memory import shown

__all__ = ["Explanation", "Finding", "Line"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is true of a line.

    Attributes:
        kind: "map", "reduction" or "serial" of a loop; "not vectorised", "copied", "taped" or
            "checked".
        why: what it is about, and the reason.
        bytes: of what is taped, how much of it a call with these arguments has; None where it
            was not measured.
    """

    kind: str
    why: str
    bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the user's source.

    Attributes:
        file, line: where it is, lines from 1.
        text: the line, without what indents it.
        findings: at least one.
    """

    file: str
    line: int
    text: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What `rg.explain` has found.

    Attributes:
        function: the name of the function.
        lines: in the order of the source; lines of which there is nothing to say are left out.
        tape_bytes: the whole tape of a gradient, None where no argument has one.
    """

    function: str
    lines: tuple[Line, ...]
    tape_bytes: int | None

    def of(self, kind: str) -> list[Line]:
        """The lines with a finding of that kind, and those findings."""
        found: list[Line] = []
        for line in self.lines:
            kept = tuple(f for f in line.findings if f.kind == kind)
            if kept:
                found.append(Line(line.file, line.line, line.text, kept))
        return found

    def __rich__(self) -> Group:
        """A row for each finding; the text of a line stands at its first one."""
        table = Table(box=box.SIMPLE_HEAD, title=f"{self.function}, line by line",
                      title_justify="left")  # fmt: skip
        table.add_column("line", justify="right", no_wrap=True, min_width=4)
        table.add_column("source", no_wrap=True, overflow="ellipsis", max_width=30)
        table.add_column("is", no_wrap=True, min_width=9)
        table.add_column("tape", justify="right", no_wrap=True)
        table.add_column("because", min_width=16)
        for line in self.lines:
            number, text = str(line.line), line.text
            for one in line.findings:
                size = "" if one.bytes is None else shown(one.bytes)
                table.add_row(number, Text(text), one.kind, size, Text(one.why))
                number = text = ""
        ends = (
            [] if self.tape_bytes is None else [f"A gradient has {shown(self.tape_bytes)} of tape."]
        )
        if not self.lines:
            ends.insert(0, "There is nothing to say of any line.")
        return Group(*([table] if self.lines else []), *map(Text, ends))

    def __str__(self) -> str:
        console = Console(file=StringIO(), width=120)
        with console.capture() as captured:
            console.print(self)
        return "\n".join(line.rstrip() for line in captured.get().splitlines())
