"""The documentation agrees with the tree, and every example in it is run."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from retrograd.errors import RetrogradError

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "retrograd"
PAGES = ROOT / "docs" / "errors"
CODE = re.compile(r"\bRG\d{4}\b")
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECTIONS = ("## Example", "## Way out")
# A bug that is known is mended; and no primitive without a pullback can be reached.
WITHOUT_EXAMPLE = {"RG9001", "RG2201"}


def codes_in_sources() -> set[str]:
    texts = (path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    return {code for text in texts for code in re.findall(r"[\"'](RG\d{4})[\"']", text)}


def pages() -> list[Path]:
    return sorted(PAGES.glob("RG*.md"))


def section(text: str, heading: str) -> str:
    """The text under `heading`, up to the next heading of the same depth."""
    _, _, rest = text.partition(f"\n{heading}\n")
    return rest.partition("\n## ")[0]


def blocks(text: str) -> list[str]:
    return BLOCK.findall(text)


def run_as_file(code: str, path: Path) -> None:
    """Runs `code` as a module of its own: retrograd reads the source of functions from files."""
    path.write_text(code, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[path.stem]


def test_the_tour_names_every_folder_and_no_other() -> None:
    tour = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^## `(\w+)/`", tour, re.MULTILINE))
    there = {p.parent.name for p in PACKAGE.glob("*/*.py")}
    assert named == there


def test_the_tour_names_modules_that_exist() -> None:
    tour = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:\w+/)+\w+\.py)`", tour))
    missing = {n for n in named if not (PACKAGE / n).is_file() and not (ROOT / n).is_file()}
    assert missing == set()


def test_every_error_code_has_a_page_and_every_page_a_code() -> None:
    assert {page.stem for page in pages()} == codes_in_sources()


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_an_error_page_shows_the_error_and_the_way_out(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# {page.stem}: ")
    if page.stem in WITHOUT_EXAMPLE:
        return
    failing, mended = (blocks(section(text, heading)) for heading in SECTIONS)
    assert len(failing) == 1
    with pytest.raises(RetrogradError) as caught:
        run_as_file(failing[0], tmp_path / "failing.py")
    assert caught.value.code == page.stem
    for number, code in enumerate(mended):
        run_as_file(code, tmp_path / f"mended_{number}.py")


PROSE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
PROSE += [ROOT / "docs" / name for name in (
    "differences.md", "language.md", "memory.md", "policies.md", "semantics.md", "tutorial.md",
)]  # fmt: skip


@pytest.mark.parametrize("page", PROSE, ids=lambda page: page.stem)
def test_the_examples_in_the_prose_run(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for number, code in enumerate(blocks(text)):
        run_as_file(code, tmp_path / f"example_{number}.py")
    assert text.startswith("# ")


@pytest.mark.parametrize(
    "page",
    sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").rglob("*.md")),
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
