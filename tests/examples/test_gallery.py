"""The gallery shows code that is in the examples, all of them, and the bars that there are."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from benchmarks.adbench import OBJECTIVES
from benchmarks.constructs import CONSTRUCTS
from benchmarks.figures import Bounds

FOLDER = Path(__file__).resolve().parents[2] / "examples"
TEXT = (FOLDER / "gallery.md").read_text(encoding="utf-8")
SECTIONS = {part.splitlines()[0]: part for part in TEXT.split("\n## ")[1:]}
LINK = re.compile(r"\]\(([^)#:]+)\)")
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = {
    "kmeans_by_newton.py", "kmeans_sparse.py", "cross_section_lookup.py", "lattice_boltzmann.py",
    *(f"adbench/{path.name}" for path in FOLDER.glob("adbench/*.py") if path.stem != "__init__"),
    *(f"reversible/{path.name}" for path in FOLDER.glob("reversible/*.py")
      if path.stem not in ("__init__", "plots")),
}  # fmt: skip
KINDS = ("gradient_over_primal", "gradient_over_adjoint", "diagonal_over_primal",
         "jacobian_over_primal")  # fmt: skip


def lines_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def shows(excerpt: str, source: str) -> bool:
    """Whether these lines follow each other in the source, all as far to the right as one."""
    wanted, there = lines_of(excerpt), lines_of(source)
    parts = ["\n".join(there[k : k + len(wanted)]) for k in range(len(there))]
    return textwrap.dedent("\n".join(wanted)) in map(textwrap.dedent, parts)


@pytest.mark.parametrize("title", SECTIONS)
def test_the_code_is_that_of_the_example(title: str) -> None:
    (name,) = LINK.findall(SECTIONS[title])
    (code,) = BLOCK.findall(SECTIONS[title])
    assert shows(code, (FOLDER / name).read_text(encoding="utf-8"))
    assert not shows(code + "pass\n", code)
    assert len(code.splitlines()) <= 14


def test_every_example_is_shown() -> None:
    assert {name for part in SECTIONS.values() for name in LINK.findall(part)} == SHOWN


def test_links_lead_somewhere() -> None:
    assert [link for link in LINK.findall(TEXT) if not (FOLDER / link).exists()] == []


def test_bars_are_those_of_the_benchmarks() -> None:
    bounds = Bounds.load()
    names = [o.name for o in OBJECTIVES] + [c.objective.name for c in CONSTRUCTS]
    there = {bounds.bar(kind, name) for kind in KINDS for name in names}
    said = {float(bar) for bar in re.findall(r"bar (\d+(?:\.\d+)?)", TEXT)}
    assert said
    assert said <= there
