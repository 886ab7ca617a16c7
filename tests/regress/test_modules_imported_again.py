"""After a module was edited and imported again, derivatives were those of the text of before."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

import retrograd as rg
from retrograd.errors import UserError

Edited = Callable[[str], ModuleType]
NAME = "module_that_is_edited"


@pytest.fixture
def edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Edited]:
    """Writes the text of a module, and imports it, again if need be."""
    path = tmp_path / f"{NAME}.py"
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(text: str) -> ModuleType:
        path.write_text(text)
        importlib.invalidate_caches()
        known = sys.modules.get(NAME)
        return importlib.import_module(NAME) if known is None else importlib.reload(known)

    yield write
    sys.modules.pop(NAME, None)


def test_the_new_text_is_differentiated(edited: Edited) -> None:
    assert rg.grad(edited("def f(x):\n    return x * 2.0\n").f)(1.0) == 2.0
    assert rg.grad(edited("def f(x):\n    return x * 3.0 * x\n").f)(1.0) == 6.0
    moved = edited("\n\ndef g(x):\n    return x\n\ndef f(x):\n    return x * 5.0\n")
    assert rg.grad(moved.f)(1.0) == 5.0


def test_times_and_sizes_of_files_do_not_matter(edited: Edited) -> None:
    first = edited("def f(x):\n    return x * 2.0\n")
    assert rg.jit(first.f)(1.0) == 2.0
    path = Path(str(first.__file__))
    stat = path.stat()
    path.write_text("def f(x):\n    return x * 3.0\n")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert rg.grad(importlib.reload(first).f)(1.0) == 3.0


def test_a_function_of_before_is_what_it_was(edited: Edited) -> None:
    """The text is known if it has been read; if not, what stands there now is no source of it."""
    module = edited("def f(x):\n    return x * 2.0\n\n\ndef g(x):\n    return x * 4.0\n")
    read = module.f
    assert rg.grad(read)(1.0) == 2.0
    Path(str(module.__file__)).write_text("def f(x):\n    return x * 3.0\n")
    assert rg.jit(read)(1.0) == 2.0
    unread = edited("def h(x):\n    return x * 7.0\n").h
    Path(str(module.__file__)).write_text("def h(x):\n    return x * 8.0\n")
    with pytest.raises(UserError, match="is not what is running"):
        rg.grad(unread)(1.0)
