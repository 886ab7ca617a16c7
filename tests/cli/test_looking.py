"""`retrograd timeline` and `retrograd plan` from end to end, in one process."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from retrograd.cli.main import main

PROGRAM = '''"""Programs to look at."""

import numpy as np


def loss(w, n=3000):
    x = w * 1.0
    for _ in range(n):
        x = x - 0.01 * np.sin(x) * np.sum(x)
    return np.sum(x * x)


def scaled(w):
    return 3.0 * w
'''

REMARKED = """
import retrograd as rg


@rg.checkpoint
def whole(w):
    return np.sum(np.exp(np.sin(w)))
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "model.py"
    path.write_text(PROGRAM)
    return str(path)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def test_timeline_draws_and_counts(model: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    outs = [tmp_path / "run.svg", tmp_path / "run.png"]
    words = [word for out in outs for word in ("--out", str(out))]
    result = run("timeline", f"{model}:loss", "--arg", "w=[1,2,3]", "--memory", "30kB", *words)
    assert result.exit_code == 0, result.output
    assert "Derivatives of loss" in result.output
    assert "steps done again" in result.output
    assert outs[0].read_text().startswith("<?xml")
    assert outs[1].read_bytes().startswith(b"\x89PNG")
    for out in outs:
        assert f"written to {out}" in result.output


@pytest.mark.parametrize(
    "words",
    [
        ("--memory", "30000"),
        ("--snapshots", "3", "--leaf", "10kB", "--tree", "treeverse", "--split", "bisection"),
        ("--repeats", "2", "--leaf", "10000"),
        ("--logarithmic", "--leaf", "10kB"),
    ],
)
def test_ways_to_divide_a_run(model: str, words: tuple[str, ...]) -> None:
    result = run("timeline", f"{model}:loss", "--arg", "w=[1,2,3]", *words)
    assert result.exit_code == 0, result.output
    leaves = next(line.split()[-1] for line in result.output.splitlines() if "leaves" in line)
    assert int(leaves) > 3


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ((), 2, "give one of --memory"),
        (("--memory", "1MB", "--logarithmic"), 2, "give one of --memory"),
        (("--memory", "1MB", "--leaf", "1kB"), 2, "--leaf does not go with --memory"),
        (("--memory", "lots"), 2, "RG4003"),
        (("--memory", "100"), 2, "RG4004"),
        (("--snapshots", "0"), 2, "RG4005"),
        (("--memory", "1MB", "--out", "run.gif"), 2, "RG6101"),
        (("--memory", "1MB", "--out", "no/such/run.svg"), 2, "there is no folder 'no/such'"),
        (("--memory", "1MB", "--argnums", "4"), 2, "has 2 arguments"),
    ],
)
def test_usage_is_explained(model: str, words: tuple[str, ...], status: int, message: str) -> None:
    result = run("timeline", f"{model}:loss", "--arg", "w=[1,2,3]", *words)
    assert (result.exit_code, message in result.output) == (status, True), result.output


def test_a_run_of_one_step(model: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "run.png"
    words = ("--arg", "w=1.0", "--memory", "1MB", "--out", str(out))
    result = run("timeline", f"{model}:scaled", *words)
    assert result.exit_code == 0
    assert out.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("command", ["timeline", "plan", "residuals"])
def test_help_has_an_example(command: str) -> None:
    assert f"retrograd {command} model.py:loss" in run(command, "--help").output


def test_plan_is_a_table(model: str) -> None:
    result = run("plan", f"{model}:loss", "--arg", "w=[1,2,3]")
    assert result.exit_code == 0, result.output
    rows = [line.split() for line in result.output.splitlines() if line.endswith("B  ")]
    assert 4 <= len(rows) <= 8
    assert rows[-1][4:6] == ["1", "0"]  # the whole tape: one leaf, no snapshot
    assert "are enough" in result.output


def test_plan_of_budgets(model: str) -> None:
    words = ("--memory", "100", "--memory", "10kB", "--memory", "1GB", "--argnums", "0")
    result = run("plan", f"{model}:loss", "--arg", "w=[1,2,3]", *words)
    assert result.exit_code == 0, result.output
    assert "100 B are too little" in result.output
    rows = [line.split()[:2] for line in result.output.splitlines() if line.endswith("B  ")]
    assert rows == [["10", "kB"], ["1", "GB"]]


@pytest.mark.parametrize(
    ("words", "message"),
    [(("--memory", "x"), "RG4003"), (("--memory", "0"), "RG4003"), (("--argnums", "9"), "has 2")],
)
def test_plans_that_are_none(model: str, words: tuple[str, ...], message: str) -> None:
    result = run("plan", f"{model}:loss", "--arg", "w=[1,2,3]", *words)
    assert (result.exit_code, message in result.output) == (2, True), result.output


def test_residuals_are_a_table_and_code(model: str) -> None:
    result = run("residuals", f"{model}:loss", "--arg", "w=[1,2,3]", "--arg", "n=4", "--code")
    assert result.exit_code == 0, result.output
    assert "model.py:9" in result.output
    assert "of them floats" in result.output
    assert "backward" in result.output
    assert "backward" not in run("residuals", f"{model}:scaled", "--arg", "w=2.0").output
    assert run("residuals", f"{model}:scaled", "--arg", "w=2").exit_code == 2


def test_residuals_are_a_picture(model: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "saved.png"
    result = run("residuals", f"{model}:loss", "--arg", "w=[1,2,3]", "--png", str(out))
    assert result.exit_code == 0, result.output
    assert f"written to {out}" in result.output
    assert out.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("png", "message"),
    [
        ("saved.svg", "does not end in .png"),
        ("nowhere/saved.png", "there is no folder"),
        (".", "is a directory"),
        ("locked.png", "a picture cannot be written"),
    ],
)
def test_pictures_that_cannot_be_written(
    model: str, tmp_path: Path, png: str, message: str
) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "locked.png").symlink_to(tmp_path / "gone" / "saved.png")
    words = ("--arg", "w=2.0", "--png", str(tmp_path / png))
    result = run("residuals", f"{model}:scaled", *words)
    assert (result.exit_code != 0, message in result.output) == (True, True), result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("argnums", "message"), [("9", "has 2"), ("w", "numbers with commas"), ("1", "of type i64")]
)
def test_residuals_of_no_argument(model: str, argnums: str, message: str) -> None:
    words = ("--arg", "w=[1.0,2.0]", "--arg", "n=4", "--argnums", argnums)
    result = run("residuals", f"{model}:loss", *words)
    assert (result.exit_code, message in result.output) == (2, True), result.output


def test_residuals_end_with_a_remark(model: str) -> None:
    path = Path(model)
    path.write_text(path.read_text() + REMARKED)
    result = run("residuals", f"{model}:whole", "--arg", "w=[1.0,2.0]")
    assert result.exit_code == 0, result.output
    text = " ".join(result.output.split())
    assert "The checkpoint around all of 'whole' spares a gradient nothing" in text
