"""`rg.print_fwd_bwd`: both sweeps side by side, with the names of what stands on the tape."""

from __future__ import annotations

import importlib
import re
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import retrograd as rg
from retrograd.report.columns import Columns, columns_of
from retrograd.report.pullback import pulled
from retrograd.report.reading import TAPE
from retrograd.report.showing import show

W = np.linspace(-1.0, 1.0, 9).reshape(3, 3)
X = np.linspace(0.1, 1.0, 3)


def layer(w: Any, x: Any) -> Any:
    return np.sin(w @ x)


def chain(w1: Any, w2: Any, x: Any) -> Any:
    return layer(w2, layer(w1, x))


def scan(ws: Any, x: Any) -> Any:
    for w in ws:
        x = np.sin(w @ x)
    return np.sum(x * x)


def recursive(x: float, n: int) -> float:
    if n == 0:
        return x
    return np.sin(recursive(x * x, n - 1)) * x


def columns(fun: Any, *args: Any, argnums: Any = None) -> Columns:
    return columns_of(pulled(fun, "columns", args, {}, argnums))


def on_tape(found: Columns, side: int, op: str) -> list[str]:
    """The names in the statements of one sweep that touch the tape."""
    texts = [text for row in found.rows for kind, text in row[side] if kind == TAPE and op in text]
    return [name for text in texts for name in re.findall(r"\b\w+\b(?=[:,)])", text)]


def test_what_is_pushed_is_popped_under_the_same_names() -> None:
    for fun, args in ((chain, (W, W, X)), (scan, (np.stack([W] * 4), X)), (recursive, (0.9, 3))):
        found = columns(fun, *args)
        pushed, popped = on_tape(found, 0, "push"), on_tape(found, 1, "pop")
        assert sorted(pushed) == sorted(set(popped) - {"f64", "i64"})
        assert len(pushed) >= 2
    assert len(on_tape(columns(chain, W, W, X), 0, "push")) == len(
        rg.saved_residuals(chain, W, W, X)
    )


def test_code_stands_below_the_users_lines(capsys: pytest.CaptureFixture[str]) -> None:
    text = str(columns(chain, W, W, X))
    assert "chain(w1: f64[3, 3], w2: f64[3, 3], x: f64[3]):" in text
    assert "chain_pullback(y_bar: f64[:]):" in text
    assert "return np.sin(w @ x)" in text
    assert "return w1_bar, w2_bar, x_bar" in text
    assert "check_extents" not in text
    assert "dim(" not in text
    rg.print_fwd_bwd(chain, W, W, X)
    assert "backward" in capsys.readouterr().out


def test_loops_are_written_with_their_elements() -> None:
    text = str(columns(scan, np.stack([W] * 5), X))
    assert "for i < ws.shape[0]" in text
    assert "= ws[i, :, :]" in text
    assert "backwards" in text


def test_what_is_run_again_is_on_both_sides() -> None:
    found = columns(rg.checkpoint(layer), W, X)
    ahead, back = ("\n".join(text for _, text in side) for side in found.rows[0])
    (line,) = [text for text in ahead.splitlines() if "matmul(w, x)" in text]
    assert line in back.splitlines()
    assert "(checkpoint_1)" in back
    assert not on_tape(found, 0, "push")


def test_only_some_arguments() -> None:
    assert "return x_bar" in str(columns(chain, W, W, X, argnums=2))


def test_functions_of_both_sweeps_are_side_by_side() -> None:
    found = columns(recursive, 0.9, 3)
    (row,) = [row for row in found.rows[1:] if row[0]]
    assert "_fwd_" in row[0][0][1]
    assert "_rev_" in row[1][0][1]
    assert "<b>" in found._repr_html_()  # pyright: ignore[reportPrivateUsage]


def test_notebooks_are_given_the_table_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[object] = []
    module = ModuleType("IPython.display")
    vars(module)["display"] = shown.append
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr(importlib, "import_module", lambda name: sys.modules[name])
    found = columns(layer, W, X)
    show(found, Console(force_jupyter=True))
    assert shown == [found]


def test_bad_input() -> None:
    with pytest.raises(rg.UserError, match="RG0302"):
        rg.print_fwd_bwd(lambda n: 2.0 * n, 3)
    with pytest.raises(rg.UserError, match="RG0107"):
        rg.print_fwd_bwd(3)  # pyright: ignore[reportArgumentType]
