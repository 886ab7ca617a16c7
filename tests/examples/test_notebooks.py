"""The code cells of notebooks print what the notebooks show.

With `--rewrite-golden` what they print is written into the notebooks.
"""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import re
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def execute(text: str, name: str, namespace: dict[str, Any]) -> str:
    """Runs a cell; gives what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, name, "exec"), namespace)
    return printed.getvalue()


def outputs(printed: str) -> list[dict[str, Any]]:
    """A cell's output as the format of notebooks has it."""
    lines = printed.splitlines(keepends=True)
    return [{"name": "stdout", "output_type": "stream", "text": lines}] if lines else []


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_cells_print_what_is_shown(
    path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    text = path.read_text(encoding="utf-8")
    notebook = json.loads(text)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for k, cell in enumerate(code_cells(notebook), 1):
        code, name = "".join(cell["source"]), f"cell {k}"
        # Interactive shells do the same, so that the source of functions is found.
        lines = (len(code), None, code.splitlines(keepends=True), name)
        monkeypatch.setitem(linecache.cache, name, lines)
        printed = execute(code, name, namespace)
        cell["execution_count"], cell["outputs"] = k, outputs(printed)
    made = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    assert str(FOLDER.parent) not in made
    if request.config.getoption("--rewrite-golden"):
        path.write_text(made, encoding="utf-8")
    assert made.splitlines() == path.read_text(encoding="utf-8").splitlines()


def test_the_guide_of_checkpoints_is_there() -> None:
    assert "checkpoint_guide" in {path.stem for path in NOTEBOOKS}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_links_lead_somewhere(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    prose = "".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    links = re.findall(r"\]\(([^)#:]+)\)", prose)
    assert links
    assert [link for link in links if not (path.parent / link).exists()] == []
