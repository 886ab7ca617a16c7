"""Two files of the disk cache under each other's names: the gradient of one function was taken for
that of the other, since nothing in a file said what it was of."""

from __future__ import annotations

from pathlib import Path

import pytest

import retrograd as rg


def square(x):
    return x * x


def cube(x):
    return x * x * x


def exchanged(one: Path, other: Path) -> None:
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)


@pytest.mark.parametrize("suffix", [".o", ".rg"])
def test_exchanged_files_are_not_taken(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rg.grad(lambda x: x)(1.0)  # what all programs share is stored by the first
    monkeypatch.setenv("RETROGRAD_CACHE", str(tmp_path))
    assert (rg.grad(square)(3.0), rg.grad(cube)(3.0)) == (6.0, 27.0)
    folder = tmp_path / "retrograd"
    exchanged(*folder.glob(f"*{suffix}"))
    if suffix == ".o":  # they are asked for where there is no entry by source
        for path in folder.glob("*.rg"):
            path.unlink()
    assert (rg.grad(square)(3.0), rg.grad(cube)(3.0)) == (6.0, 27.0)
