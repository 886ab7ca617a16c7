"""The commands from end to end, in one process."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from retrograd.cli.main import main

PROGRAM = '''"""A model for the command line."""

import numpy as np


def loss(weights, rate, steps=2):
    x = weights * 1.0
    for _ in range(steps):
        x = x - rate * 2.0 * x
    return np.sum(x * x)


def picked(weights, k):
    return weights[k]


def table(weights):
    return b'weights'
'''

WRONG = '''"""A rule that is off by a factor."""

import retrograd as rg


@rg.custom_jvp
def wrong(x):
    return x * x


@wrong.defjvp
def wrong_rule(primals, tangents):
    (x,), (x_dot,) = primals, tangents
    return x * x, x * x_dot
'''


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "model.py"
    path.write_text(PROGRAM)
    return str(path)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def test_grad_prints_value_and_gradient(model: str) -> None:
    result = run("grad", f"{model}:loss", "--arg", "weights=[1,2]", "--arg", "rate=0.25")
    assert result.exit_code == 0
    lines = result.output.split()
    # Two steps halve the weights twice, so the loss is |w|^2 / 16.
    assert lines[:3] == ["value", "=", "0.3125"]
    assert "[0.125 0.25" in " ".join(lines)


def test_grad_of_several_arguments_is_saved(model: str, tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", np.array([1.0, 2.0]))
    out = tmp_path / "gradient.npz"
    result = run(
        "grad", f"{model}:loss", "--arg", f"weights={tmp_path}/w.npy", "--arg", "rate=0.25",
        "--argnums", "0,1", "--out", str(out),
    )  # fmt: skip
    assert result.exit_code == 0
    with np.load(out) as saved:
        np.testing.assert_allclose(saved["weights"], [0.125, 0.25], rtol=1e-14)
        np.testing.assert_allclose(saved["rate"], -5.0, rtol=1e-14)


def test_check_prints_the_identities(model: str) -> None:
    result = run("check", f"{model}:loss", "--arg", "weights=[1,2]", "--arg", "rate=0.25")
    assert result.exit_code == 0
    assert "FAILED" not in result.output
    assert result.output.count(" ok") == 8


def test_check_fails_with_status_one(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(WRONG)
    result = run("check", f"{tmp_path}/wrong.py:wrong", "--arg", "x=3.0", "--order", "1")
    assert result.exit_code == 1
    assert "FAILED" in result.output


@pytest.mark.parametrize(
    ("stage", "sign"),
    [
        ("typed", "program"), ("optimised", "fma"), ("machine", "program"), ("points", "point="),
        ("cotangents", "push("), ("vjp", "pop("), ("sweeps", "pop("), ("forward", "push("),
        ("reverse", "pop("), ("llvm", "define"),
    ],
)  # fmt: skip
def test_show_prints_a_stage(model: str, stage: str, sign: str) -> None:
    words = ("--arg", "weights=[1,2]", "--arg", "rate=0.25", "--arg", "steps=3")
    result = run("show", f"{model}:loss", "--stage", stage, *words)
    assert result.exit_code == 0
    assert sign in result.output


def test_show_prints_what_a_gradient_in_little_memory_runs(model: str) -> None:
    words = ("--arg", "weights=[1,2]", "--arg", "rate=0.25", "--arg", "steps=3")
    result = run("show", f"{model}:loss", "--stage", "llvm", "--product", "memory", *words)
    assert result.exit_code == 0
    assert "@rg_reverse" in result.output


@pytest.mark.parametrize(
    ("stage", "message"),
    [("jvp", "it has typed, optimised, points"), ("cubist", "typed, optimised, tangents")],
)
def test_a_stage_that_is_not_there(model: str, stage: str, message: str) -> None:
    words = ("--arg", "weights=[1,2]", "--arg", "rate=0.25", "--arg", "steps=3")
    result = run("show", f"{model}:loss", "--stage", stage, *words)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_a_refused_program_is_shown_with_its_place(model: str) -> None:
    result = run("grad", f"{model}:table", "--arg", "weights=[1,2]")
    assert result.exit_code == 2
    assert f"{model}:18:" in result.output
    assert "^" in result.output
    assert "Traceback" not in result.output


def test_an_exception_of_the_program_is_shown_with_its_place(model: str) -> None:
    result = run("grad", f"{model}:picked", "--arg", "weights=[1,2]", "--arg", "k=5")
    assert result.exit_code == 1
    assert result.output.startswith("IndexError: ")
    assert f"{model}:14:" in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--arg", "weights=[1,2]"), "'rate' has no value"),
        (("--arg", "weights=[1,2]", "--arg", "rate=1.0", "--argnums", "7"), "has 3 arguments"),
        (("--arg", "weights=[1,2]", "--arg", "rate=1.0", "--argnums", "x"), "commas between"),
    ],
)
def test_usage_is_explained(model: str, words: tuple[str, ...], message: str) -> None:
    result = run("grad", f"{model}:loss", *words)
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.parametrize("command", ["grad", "check", "show"])
def test_help_has_an_example(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"retrograd {command} model.py:loss" in result.output


def test_a_gradient_that_can_be_continued(model: str, tmp_path: Path) -> None:
    words = ["grad", f"{model}:loss", "--arg", "weights=[0.5,1.5]", "--arg", "rate=0.1"]
    whole = run(*words)
    kept = run(*words, "--memory", "1MB", "--resume", str(tmp_path / "run.rg"))
    assert (kept.exit_code, kept.output) == (0, whole.output)
    assert [path.name for path in tmp_path.iterdir()] == ["model.py"]
    foreign = run(*words, "--resume", model)
    assert foreign.exit_code == 2
    assert "RG4006" in foreign.output


def test_a_folder_that_is_not_there(model: str) -> None:
    """Said before anything is calculated."""
    words = ["grad", f"{model}:loss", "--arg", "weights=[0.5]", "--arg", "rate=0.1"]
    found = run(*words, "--out", "/no/such/folder/g.npz")
    assert found.exit_code == 2
    assert "there is no folder '/no/such/folder'" in found.output
    assert "value =" not in found.output
