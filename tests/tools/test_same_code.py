"""The comparison of two trees' code: names and order do not count, everything else does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tools.module_text import canonical
from tools.same_code import ROOT, main

MODULE = """\
declare double @sin(double)
define internal double @rg.wave(double %x) {
entry:
  %t1 = call double @sin(double %x), !tbaa !3
  ret double %t1
}
define internal double @rg.twice(double %x) {
entry:
  %t1 = fadd double %x, %x ; the same again
  ret double %t1
}
define double @rg_entry(double %x) {
begin.2:
  %a = call double @rg.wave(double %x)
  %b = call double @rg.twice(double %a)
  br label %end
end:
  ret double %b
}
!3 = !{!4, !4, i64 0}
!4 = !{!"words"}
"""

RENAMED = """\
declare double @sin(double)
define double @rg_entry(double %in) {
start:
  %0 = call double @rg.f7(double %in)
  %1 = call double @rg.f3(double %0)
  br label %"last one"
"last one":
  ret double %1
}
define internal double @rg.f3(double %y) {
entry:
  %sum = fadd double %y, %y
  ret double %sum
}
define internal double @rg.f7(double %y) {
entry:
  %t9 = call double @sin(double %y), !tbaa !8
  ret double %t9
}
!1 = !{!"words"}
!8 = !{!1, !1, i64 0}
"""


def test_names_and_order_do_not_count() -> None:
    assert canonical(MODULE) == canonical(RENAMED)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("fadd double %x, %x", "fadd double %x, 1.0"),
        ("call double @rg.wave(double %x)", "call double @rg.twice(double %x)"),
        ("call double @rg.twice(double %a)", "call double @rg.twice(double %x)"),
        ('!"words"', '!"bytes"'),
        ("@sin", "@cos"),
        ("internal double @rg.wave", "internal fastcc double @rg.wave"),
        ("br label %end", "br label %begin.2"),
    ],
)
def test_everything_else_counts(was: str, now: str) -> None:
    assert was in MODULE
    assert canonical(MODULE.replace(was, now)) != canonical(MODULE)


FEW = ["--count", "2", "--only", "^fib "]
ONE = ["--count", "2", "--only", "^random_0001 primal$", "--values"]


def test_a_tree_makes_what_it_makes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(ROOT), *FEW]) == 0
    assert "no differences" in capsys.readouterr().out


def test_another_text_and_other_bits_are_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Here every addition is a subtraction in the other tree."""
    shutil.copytree(ROOT / "src", tmp_path / "src")
    changed = 0
    for path in (tmp_path / "src/retrograd/backends/llvm").glob("*.py"):
        text = path.read_text()
        changed += text.count('"fadd')
        path.write_text(text.replace('"fadd', '"fsub'))
    assert changed
    assert main([str(tmp_path), *ONE]) == 1
    found = capsys.readouterr().out
    assert "random_0001, primal: text" in found
    assert "random_0001, primal: outcome" in found
    assert "fsub" in found
