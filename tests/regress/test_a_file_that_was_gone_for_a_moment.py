"""Between two renamings a durable gradient had no file under the name that was given for it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retrograd.runtime import rotating_files as generations
from retrograd.runtime.rotating_files import Generations

MAGIC = b"a file of"


def written(files: Generations, value: float) -> None:
    files.write(MAGIC, {}, [np.array([value])])


def test_the_name_is_there_at_any_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.rg"
    seen: list[str] = []

    def watched(name: str) -> Any:
        plain = getattr(os, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            value = plain(*args, **kwargs)
            seen.append(name)
            assert path.exists()
            return value

        return call

    with Generations(str(path)) as files:
        written(files, 1.0)
        for name in ("link", "replace", "fsync"):
            monkeypatch.setattr(generations.os, name, watched(name))
        written(files, 2.0)
        before = files.older.read_bytes()
        written(files, 3.0)
    assert seen.count("link") == 2
    assert files.older.read_bytes() != before
    assert files.older.read_bytes() != path.read_bytes()


def test_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*args: Any) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(generations.os, "link", link)
    path = tmp_path / "run.rg"
    with Generations(str(path)) as files:
        written(files, 1.0)
        first = path.read_bytes()
        written(files, 2.0)
    assert files.older.read_bytes() == first != path.read_bytes()
