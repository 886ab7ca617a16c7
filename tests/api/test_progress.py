"""The progress bar: on terminals only, when asked, never in the way."""

from __future__ import annotations

import _thread
import io
import math
import os
import pty
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import retrograd as rg
from retrograd.backends.llvm.coroutines import TurnTaking

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = '''"""Takes a derivative in a budget."""

import math
import sys

import retrograd as rg


def swing(x, n):
    for _ in range(n):
        x = x + 0.001 * math.sin(x)
    return x


with rg.progress(sys.argv[1] == "show", after=0.0):
    print(rg.grad(swing, memory="100kB")(0.5, 200_000))
'''


def swing(x, n):
    for _ in range(n):
        x = x + 0.001 * math.sin(x)
    return x


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Gone(Terminal):
    def write(self, s: str) -> int:
        raise BrokenPipeError


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    stream = Terminal()
    # pytest puts its own standard error back before a test begins.
    monkeypatch.setattr("retrograd.api.checkpoint.progress.sys", SimpleNamespace(stderr=stream))
    monkeypatch.delenv("RETROGRAD_PROGRESS", raising=False)
    return stream


def percents(text: str) -> list[int]:
    return [int(found) for found in re.findall(r"(\d+) % \[", text)]


def on_a_terminal(tmp_path: Path, word: str) -> tuple[str, str]:
    """Standard output, and what a pseudo-terminal at standard error has got."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    ours, theirs = pty.openpty()
    env = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    process = subprocess.Popen(
        [sys.executable, str(path), word], stdout=subprocess.PIPE, stderr=theirs, env=env
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            got = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not got:
            break
        shown += got
    os.close(ours)
    out, _ = process.communicate()
    assert process.returncode == 0
    return out.decode(), shown.decode()


def test_on_a_terminal(tmp_path: Path) -> None:
    out, shown = on_a_terminal(tmp_path, "show")
    assert float(out) == rg.grad(swing)(0.5, 200_000)
    assert "swing: first pass" in shown
    assert percents(shown)[-1] == 100
    assert shown.endswith("\r\x1b[K")
    assert "\n" not in shown


def test_off_on_a_terminal(tmp_path: Path) -> None:
    out, shown = on_a_terminal(tmp_path, "hide")
    assert float(out) == rg.grad(swing)(0.5, 200_000)
    assert shown == ""


def test_nothing_where_there_is_no_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    with rg.progress(after=0.0):
        rg.grad(swing, memory="100kB")(0.5, 100_000)
    assert capfd.readouterr() == ("", "")


def test_shares_grow_to_all(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrograd.api.checkpoint.progress._EVERY", 0.0)
    with rg.progress(after=0.0), rg.record() as run:
        rg.grad(swing, memory="100kB")(0.5, 200_000)
    shown = percents(terminal.getvalue())
    assert len(shown) > run.leaves
    assert shown == sorted(shown)
    assert shown[-1] == 100
    assert 100 not in shown[:-3]
    assert re.search(r"\d+ % \[#+\.+\] 0:00, 0:00 left", terminal.getvalue())


def test_within_one_leaf(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tape that is left says how far a long reverse sweep is."""
    monkeypatch.setattr("retrograd.api.checkpoint.progress._EVERY", 0.0)
    with rg.progress(after=0.0), rg.record() as run:
        rg.grad(swing, memory="1GB")(0.5, 3_000_000)
    assert run.leaves == 1
    shown = percents(terminal.getvalue())
    assert len(set(shown)) > 3
    assert shown == sorted(shown)


def days(x, n, m):
    """Days of many steps: each has a schedule of its own where there is little room."""
    for _ in range(n):
        for _ in range(m):
            x = x + 0.001 * np.sin(x)
        x = 0.9 * x
    return np.sum(x * x)


def test_within_inner_derivatives(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrograd.api.checkpoint.progress._EVERY", 0.0)
    with rg.progress(after=0.0), rg.record() as run:
        rg.grad(days, memory="40kB")(np.ones(3), 2, 50_000)
    assert run.inner == 2
    shown = percents(terminal.getvalue())
    assert len(set(shown)) > 20
    assert shown == sorted(shown)
    assert shown[-1] == 100


def test_reverse_sweeps_look_up_as_often(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They took eight legs of the forward sweep at a time, with signals waiting."""
    backward: list[bool] = []
    monkeypatch.setattr(TurnTaking, "_told", lambda _, back: backward.append(back))
    with rg.progress(after=0.0):
        rg.grad(swing, memory="1GB")(0.5, 3_000_000)
    assert backward.count(True) >= backward.count(False) // 2 > 2


def test_nothing_before_two_seconds(terminal: Terminal) -> None:
    rg.grad(swing, memory="100kB")(0.5, 50_000)
    assert terminal.getvalue() == ""


def test_off_by_the_environment(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrograd.api.checkpoint.progress._AFTER", 0.0)
    monkeypatch.setenv("RETROGRAD_PROGRESS", "0")
    rg.grad(swing, memory="100kB")(0.5, 50_000)
    assert terminal.getvalue() == ""
    monkeypatch.delenv("RETROGRAD_PROGRESS")
    rg.grad(swing, memory="100kB")(0.5, 50_000)
    assert "100 %" in terminal.getvalue()


def test_off_when_asked(terminal: Terminal) -> None:
    with rg.progress(after=0.0), rg.progress(False):
        rg.grad(swing, memory="100kB")(0.5, 50_000)
    assert terminal.getvalue() == ""


def test_only_in_the_main_thread(terminal: Terminal) -> None:
    def work() -> None:
        with rg.progress(after=0.0):
            rg.grad(swing, memory="100kB")(0.5, 50_000)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert terminal.getvalue() == ""


def test_a_terminal_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    want = rg.grad(swing)(0.5, 50_000)
    closed = Terminal()
    closed.close()
    for stream in (Gone(), closed, None):
        monkeypatch.setattr("retrograd.api.checkpoint.progress.sys", SimpleNamespace(stderr=stream))
        with rg.progress(after=0.0):
            assert rg.grad(swing, memory="100kB")(0.5, 50_000) == want


def test_it_vanishes_when_the_user_interrupts(terminal: Terminal) -> None:
    limited = rg.grad(swing, memory="1MB")
    limited(0.5, 100)

    def counts() -> set[str]:
        return set(re.findall(r"first pass, ([\d,]+) steps", terminal.getvalue()))

    def interrupting() -> None:
        while len(counts()) < 2:
            time.sleep(0.005)
        _thread.interrupt_main()

    thread = threading.Thread(target=interrupting)
    thread.start()
    with rg.progress(after=0.0), pytest.raises(KeyboardInterrupt):
        limited(0.5, 10**12)
    thread.join()
    shown = terminal.getvalue()
    assert "first pass" in shown
    assert "100 %" not in shown
    assert shown.endswith("\r\x1b[K")
    # A single long action is seen while it goes on.


def test_it_vanishes_when_the_program_fails(terminal: Terminal) -> None:
    def fails(x, n):
        a = np.ones(3)
        for k in range(n):
            x = x + 0.001 * math.sin(x)
        return x / a[n]

    with rg.progress(after=0.0), pytest.raises(IndexError):
        rg.grad(fails, memory="100kB")(0.5, 100_000)
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_recordings_are_told_as_well(terminal: Terminal) -> None:
    with rg.record() as run, rg.progress(after=0.0):
        rg.grad(swing, memory="100kB")(0.5, 50_000)
    assert len(run.timeline) > run.leaves > 1
