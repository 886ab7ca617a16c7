"""The page that compares the ways of paying counts what its table says."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "which_one.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| (.+?) \| ([\d,]+) \| ([\d,]+) \|", re.MULTILINE)


def test_the_table_says_what_is_counted(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    (code,) = BLOCK.findall(text)
    path = tmp_path / "which_one.py"
    path.write_text(code, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("which_one", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    said = {name: (number(tape), number(peak)) for name, tape, peak in ROW.findall(text)}
    assert said == module.counted


def number(text: str) -> int:
    return int(text.replace(",", ""))
