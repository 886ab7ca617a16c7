"""`resume=` with the path of a pipe: opening it waited for somebody to write to it, for ever."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

import retrograd as rg


def decay(x):
    for _ in range(1000):
        x = x - 0.001 * x * x
    return x


@pytest.mark.parametrize("ending", ["", ".1", ".new", ".lock", ".answers"])
def test_a_pipe_is_refused(ending: str, tmp_path: Path) -> None:
    path = tmp_path / "run.rg"
    os.mkfifo(f"{path}{ending}")
    with pytest.raises(rg.UserError, match="it is a pipe") as caught:
        rg.grad(decay, resume=path)(0.5)
    assert caught.value.code == "RG4007"
    assert [p.name for p in tmp_path.iterdir()] == [f"run.rg{ending}"]


def test_a_capsule_is_not_read_from_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "run.rg"
    os.mkfifo(path)
    with pytest.raises(rg.UserError, match="is a pipe") as caught:
        rg.Capsule.load(path, decay, 0.5)
    assert caught.value.code == "RG4001"


@pytest.mark.parametrize("path", [Path("/dev/null"), Path("/dev/zero")])
def test_a_device_is_refused(path: Path) -> None:
    with pytest.raises(rg.UserError, match="it is a device"):
        rg.vjp(decay, 0.5, resume=path)[1](1.0)


def test_a_folder_and_a_socket_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("run.rg")
        with pytest.raises(rg.UserError, match="it is a socket"):
            rg.grad(decay, resume="run.rg")(0.5)
    with pytest.raises(rg.UserError, match="it is a folder"):
        rg.grad(decay, resume=tmp_path)(0.5)
    assert [p.name for p in tmp_path.iterdir()] == ["run.rg"]
