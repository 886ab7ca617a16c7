"""What each pass makes of a small program, as text that people have read: `golden/<pass>.txt`.

A file has the program before the pass, arguments (a line for each run), and the program after it.
`pytest tests/transforms/test_golden.py --rewrite-golden` writes the last part anew; whoever does
that reads the difference, since a test cannot tell a better program from a worse one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retrograd.ir.check import check_program
from retrograd.ir.equal import alpha_equal
from retrograd.ir.parse import parse_program
from retrograd.ir.print import print_program
from retrograd.ir.terms import Program
from retrograd.prims import DEFAULT
from retrograd.transforms import pipelines
from retrograd.transforms.passes import Pass
from tests.transforms.support import after, derived, outcome

FOLDER = Path(__file__).parent / "golden"
LISTS = (
    pipelines.OPTIMISE, pipelines.AFTER_AD, pipelines.BATCH, pipelines.POINTS, pipelines.MACHINE,
    pipelines.SELECTIONS, pipelines.SWEEPS,
)  # fmt: skip
PASSES: dict[str, Pass] = {p.name: p for passes in reversed(LISTS) for p in passes}
PARTS = ("before", "arguments", "after")


@dataclass(frozen=True, slots=True)
class Golden:
    """A file: what it shows, and its parts."""

    path: Path
    title: str
    before: str
    arguments: str
    after: str

    @classmethod
    def read(cls, name: str) -> Golden:
        path = FOLDER / f"{name}.txt"
        title, *parts = path.read_text().split("\n--- ")
        found = dict(part.split("\n", 1) for part in parts)
        return cls(path, title, *(found[part] for part in PARTS))

    def write(self, after: str) -> None:
        texts = zip(PARTS, (self.before, self.arguments, f"{after}\n"), strict=True)
        sections = (f"--- {part}\n{text.strip()}\n" for part, text in texts)
        self.path.write_text("\n".join((f"{self.title.strip()}\n", *sections)))

    def runs(self) -> list[tuple[Any, ...]]:
        """The arguments of each run; lists are arrays."""
        rows = (eval(f"({line},)") for line in self.arguments.strip().splitlines())
        return [tuple(np.array(a) if isinstance(a, list) else a for a in row) for row in rows]


def checked(text: str) -> Program:
    program = parse_program(text)
    check_program(program, DEFAULT)
    return program


@pytest.mark.parametrize("name", PASSES)
def test_the_program_is_the_one_that_was_read(name: str, request: pytest.FixtureRequest) -> None:
    golden = Golden.read(name)
    source = checked(golden.before)
    if name in ("fma-derivatives", "sparse"):
        source = derived(source)
    found = print_program(after(source, PASSES[name]))
    if request.config.getoption("--rewrite-golden"):
        golden.write(found)
    assert found.strip() == Golden.read(name).after.strip()


@pytest.mark.parametrize("name", PASSES)
def test_the_program_that_was_read_does_the_same(name: str) -> None:
    golden = Golden.read(name)
    source, done = checked(golden.before), checked(golden.after)
    assert not alpha_equal(source, done), "the pass has changed nothing"
    assert golden.runs()
    for args in golden.runs():
        got, want = outcome(done, args), outcome(source, args)
        if name in FUSING:
            assert got != want, "nothing was rounded once instead of twice"
            got, want = rounded(got), rounded(want)
        assert got == want


FUSING = ("fma", "fma-derivatives")
"""Those that change bits: a product and a sum are rounded once."""


def rounded(result: Any) -> list[float]:
    """The scalars of a result to ten digits."""
    return [float(f"{np.frombuffer(data)[0]:.10g}") for _, data in result]


def test_there_is_a_file_for_each_pass_and_no_other() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(PASSES)
