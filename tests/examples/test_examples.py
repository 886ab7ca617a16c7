"""Every example runs, and its own checks hold."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {"examples": ROOT / "examples", "examples.adbench": ROOT / "examples" / "adbench"}
EXAMPLES = sorted(
    f"{package}.{p.stem}"
    for package, folder in FOLDERS.items()
    for p in folder.glob("*.py")
    if p.stem != "__init__"
)


def run(*arguments: str) -> str:
    """Standard output of `python -m ...` from the root of the project."""
    path = os.pathsep.join((str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")))
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process: one of its own takes longer to begin than most examples to run."""
    path = ROOT / f"{name.replace('.', '/')}.py"
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", [str(path)])
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out.strip()


QUICK = ("examples.adbench.bundle_adjustment", "examples.newton_hvp")
"""One of each folder: the checks of all the others are run in this process anyway."""


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in EXAMPLES]
)
def test_as_users_run_it(name: str) -> None:
    assert run(name).strip()


def test_demo(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("sklearn", "matplotlib", "tqdm"):
        pytest.importorskip(package)
    monkeypatch.setattr(sys, "argv", ["demo", "--quick", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("examples.demo", run_name="__main__")
    text = capsys.readouterr().out
    assert ended.value.code == 0, text
    assert "wrong" not in text
    for name in ("wine_clusters.png", "space_and_time.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    assert "bottles in the cluster" in text
    assert "space and time against the length of the run" in text
