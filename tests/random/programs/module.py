"""A random program as data, and its life as a module that `inspect` can read."""

from __future__ import annotations

import hashlib
import importlib.util
import linecache
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import retrograd as rg

__all__ = ["RandomProgram", "copied", "load", "loaded"]


@dataclass(frozen=True)
class RandomProgram:
    """The text of a module, its entry function, arguments for it, and what it contains.

    `make_args` is the text of the arguments (an expression over the module's names, `np` among
    them), so that a failing program can be saved whole. `expected` names the exception that
    retrograd raises where plain Python decides otherwise.
    """

    source: str
    name: str
    make_args: str
    tags: frozenset[str]
    smooth: bool = False
    expected: str | None = None

    def text(self) -> str:
        """The program with its arguments, runnable as a script."""
        run = f'if __name__ == "__main__":\n    print({self.name}(*ARGS))\n'
        return f"{self.source}\nARGS = {self.make_args}\n{run}"

    def args(self, module: ModuleType) -> tuple[Any, ...]:
        """Fresh arguments."""
        names = {**vars(module), "np": np}
        return tuple(eval(self.make_args, names))


def load(source: str, directory: Path) -> ModuleType:
    """Writes `source` to a file and imports it under a name made from its content."""
    name = "program_" + hashlib.sha1(source.encode()).hexdigest()[:12]
    path = directory / f"{name}.py"
    path.write_text(source)
    linecache.checkcache(str(path))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@contextmanager
def loaded(
    program: RandomProgram, directory: Path
) -> Iterator[tuple[Callable[..., Any], ModuleType]]:
    """The entry function and its module, which is forgotten afterwards."""
    module = load(program.source, directory)
    try:
        yield getattr(module, program.name), module
    finally:
        sys.modules.pop(module.__name__, None)


def copied(value: Any) -> Any:
    """A deep copy of arguments or results: arrays are copied, structure is kept."""
    if isinstance(value, np.ndarray):
        return value.copy(order="K")
    if isinstance(value, tuple):
        parts = [copied(v) for v in value]
        return type(value)(*parts) if type(value) is not tuple else tuple(parts)
    if isinstance(value, rg.Stack):
        return rg.Stack(copied(value.items), copied(value.filled))
    return value
