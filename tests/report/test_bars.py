"""Bars of bytes by line: sums, labels, HTML, and pictures in which nothing is cut off."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retrograd as rg
from retrograd.report.bars import LineBytes, bars_html, bytes_by_line, save_bars
from tests.report import guide

HERE = __file__


def at(line: int | None, total: int | None, dtype: str = "f64", file: str = HERE) -> rg.Residual:
    return rg.Residual("sin", dtype, line=line, total=total, file=file)


def line_of(text: str) -> int:
    lines = linecache.getlines(HERE)
    return next(k for k, line in enumerate(lines, 1) if line.strip() == text)


def test_bytes_are_summed_by_line_in_the_order_of_the_file() -> None:
    one, two = line_of("import linecache"), line_of("import sys")
    given = [at(None, 8, "i64", ""), at(two, 40), at(one, 16), at(two, 8, "i64"), at(one, None)]
    found = bytes_by_line([*given, at(two, 2)])
    assert found == [
        LineBytes(str(one), "import linecache", 16, 0),
        LineBytes(str(two), "import sys", 42, 8),
        LineBytes("", "of no line", 0, 8),
    ]
    assert sum(line.total for line in found) == 74


def test_lines_of_several_files_have_their_names() -> None:
    found = bytes_by_line([at(1, 8), at(2, 8, file=guide.__file__)])
    assert {line.place for line in found} == {"test_bars.py:1", "guide.py:2"}


def test_the_sum_is_the_total_of_the_list() -> None:
    program = guide.PROGRAMS["rectified"]
    found = rg.saved_residuals(program.build(None), *program.args)
    lines = bytes_by_line(found)
    assert sum(line.total for line in lines) == found.total
    assert sum(line.floats for line in lines) == found.float_bytes
    assert "x = np.maximum(x @ w + b, 0.0)" in {line.text for line in lines}


def test_notebooks_are_given_bars() -> None:
    lines = [LineBytes("3", "y = a < b & c", 30, 10), LineBytes("4", "z", 80, 0)]
    text = bars_html(lines)
    assert "<code>y = a &lt; b &amp; c</code>" in text
    assert [f"width: {w}%" in text for w in (37.5, 12.5, 100.0)] == [True] * 3
    assert text.count("background") == 3
    assert bars_html([]) == bars_html([LineBytes("1", "x", 0, 0)]) == ""
    html: Any = rg.saved_residuals(guide.chain, *guide.PROGRAMS["chain"].args)
    assert "<code>return np.sin(w @ x)</code>" in html._repr_html_()


MANY = [at(k, 10 ** (k % 7) * 17, "f64" if k % 3 else "i64") for k in range(1, 90)]
LONG = [
    at(k, 999_000 - k, "i64" if k % 2 else "f64", f"/x/{'name' * 12}{k % 3}.py")
    for k in range(1, 9)
]
LISTS = {"many": MANY, "long": LONG, "one": [at(1, 8)], "empty": [], "none": [at(1, 0)]}


@pytest.mark.parametrize("name", LISTS)
def test_nothing_is_cut_off_or_overlaps(name: str) -> None:
    pytest.importorskip("matplotlib")
    from retrograd.report.bars import _figure  # pyright: ignore[reportPrivateUsage]

    figure = _figure("some_function_with_a_long_name" * 3, bytes_by_line(LISTS[name]))
    figure.canvas.draw()
    axes, width, height = figure.axes[0], *figure.canvas.get_width_height()
    labels = [*axes.get_yticklabels(), axes.xaxis.label] if axes.axison else []
    texts = [t for t in (*axes.texts, *labels, figure._suptitle) if t.get_text()]
    texts += [t for legend in figure.legends for t in legend.get_texts()]
    boxes = [text.get_window_extent() for text in texts]
    assert all(b.x0 >= 0 and b.y0 >= 0 and b.x1 <= width and b.y1 <= height for b in boxes)
    for k, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:k]), texts[k]
    bars = [patch.get_window_extent() for patch in axes.patches if patch.get_width()]
    assert not any(bar.overlaps(box) for bar in bars for box in boxes)
    wanted = len({r.line for r in LISTS[name] if r.total})
    assert len(axes.get_yticklabels() if axes.axison else []) == min(wanted, 40)


def test_files(tmp_path: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    found = rg.saved_residuals(lambda w, x: np.sin(w @ x), np.ones((3, 4)), np.ones(4))
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        save_bars("$layer$", found, tmp_path / "saved.png", tmp_path / "saved.svg")
    assert (tmp_path / "saved.png").read_bytes().startswith(b"\x89PNG")
    text = (tmp_path / "saved.svg").read_text()
    assert "Saved for the reverse sweep of $layer$: 24 B" in text
    assert "found = rg.saved_residuals(lambda w, x: np.sin(w @ x)" in text


def test_files_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(rg.UserError, match="RG6101: .* cannot be written"):
        save_bars("f", MANY, tmp_path / "saved.gif")
    pytest.importorskip("matplotlib")
    with pytest.raises(OSError, match="nowhere"):
        save_bars("f", MANY, tmp_path / "nowhere" / "saved.png")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(rg.UserError, match=r"RG6101: .*\n.*retrograd\[plots\]"):
        save_bars("f", MANY, tmp_path / "saved.png")
