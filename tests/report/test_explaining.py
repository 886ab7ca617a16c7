"""What lines cost, as `rg.explain` and `retrograd explain` say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import retrograd as rg
from retrograd.cli.main import main

HERE = Path(__file__).read_text(encoding="utf-8").splitlines()


def line_of(text: str) -> int:
    (number,) = [k for k, line in enumerate(HERE, 1) if line.strip() == text]
    return number


def simulate(x: Any, n: Any) -> Any:
    v = np.zeros(len(x))
    total = 0.0
    for _ in range(n):
        for i in range(1, len(x) - 1):
            v[i] += 0.1 * (x[i - 1] - 2.0 * x[i] + x[i + 1])
        x = x + 0.1 * v
        total += np.sum(np.sin(x))
    return total


def gathered(x: Any, ix: Any) -> Any:
    out = np.zeros(len(ix))
    for k in range(len(ix)):
        out[k] = np.exp(x[ix[k]])
    return np.sum(out)


def branching(x: Any, n: Any) -> Any:
    for _ in range(n):
        if x > 0.5:
            x = x * np.cos(x)
        else:
            x = x + 0.3
    return x


def cubed(x: Any) -> Any:
    slope = rg.grad(lambda y: y**3.0 * np.sin(y))
    for _ in range(3):
        x = x - 0.01 * slope(x)
    return x


def found(explanation: rg.Explanation, kind: str) -> dict[int, list[str]]:
    return {line.line: [f.why for f in line.findings] for line in explanation.of(kind)}


def test_loops_copies_and_the_tape_have_their_lines() -> None:
    told = rg.explain(simulate, np.linspace(0.0, 1.0, 100), 50)
    assert [*found(told, "map")] == [line_of("for i in range(1, len(x) - 1):")]
    outer = line_of("for i in range(1, len(x) - 1):") - 1
    assert [*found(told, "serial")] == [outer]
    assert "an argument" in found(told, "copied")[outer][0]
    (taped,) = told.of("taped")
    assert taped.line == line_of("x = x + 0.1 * v")
    (one,) = taped.findings
    assert "np.sin(x)" in one.why
    assert one.bytes is not None
    assert 50 * 100 * 8 <= one.bytes <= 50 * (100 * 8 + 32)
    gradient = rg.grad(simulate)
    gradient(np.linspace(0.0, 1.0, 100), 50)
    taken = gradient.stats()
    assert taken is not None
    assert told.tape_bytes == taken.tape_bytes


def test_checks_say_what_is_not_proved_and_keep_loops_out_of_vectors() -> None:
    told = rg.explain(gathered, np.linspace(0.0, 1.0, 9), np.arange(4))
    where = line_of("out[k] = np.exp(x[ix[k]])")
    assert found(told, "checked") == {
        where: ["IndexError: nothing proves that the index is in bounds, in each iteration"]
    }
    assert f"line {where}" in found(told, "not vectorised")[where - 1][0]


def test_bytes_of_branches_are_those_of_the_run() -> None:
    told = rg.explain(branching, 0.3, 900)
    sizes = {line.line: sum(f.bytes or 0 for f in line.findings) for line in told.of("taped")}
    assert 7200 < sizes[line_of("x = x * np.cos(x)")] <= 14400
    assert "x * np.cos(x) or x + 0.3" in str(told.of("taped"))
    assert sum(sizes.values()) == told.tape_bytes
    assert found(told, "not vectorised")[line_of("if x > 0.5:") - 1] == ["the loop is serial"]


def written(x: Any) -> Any:
    x[0] = 2.0
    return x[0] * x[1]


def test_arguments_that_are_written_are_copied_for_derivatives() -> None:
    told = rg.explain(written, np.ones(9))
    assert [whys for whys in found(told, "copied").values()] == [
        ["an argument that is written to, which derivatives leave as it is"]
    ]


def test_gradients_in_programs_leave_nothing_on_the_tape() -> None:
    told = rg.explain(cubed, 0.5)
    assert told.tape_bytes == 24
    assert {line.text: line.findings[0].bytes for line in told.of("taped")} == {
        "x = x - 0.01 * slope(x)": 24
    }


def test_what_has_no_gradient_has_no_tape() -> None:
    told = rg.explain(lambda n: n * n, 3)
    assert told.tape_bytes is None
    assert "OverflowError" in str(told)
    assert "nothing to say" in str(rg.explain(lambda x: x, 1.0))
    with pytest.raises(rg.UserError, match="RG0107"):
        rg.explain(3, 1.0)  # pyright: ignore[reportArgumentType]


def test_the_command_prints_the_table(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text("import math\n\n\ndef f(x):\n    for _ in range(9):\n        x = math.sin(x)\n")
    path.write_text(path.read_text() + "    return x\n")
    result = CliRunner().invoke(main, ["explain", f"{path}:f", "--arg", "x=0.5"])
    assert result.exit_code == 0, result.output
    assert "f, line by line" in result.output
    assert "72 B" in result.output
    assert "serial" in result.output
