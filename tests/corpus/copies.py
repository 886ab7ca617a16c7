"""Functions of installed packages, as if they were a user's own.

Functions of SciPy are known by identity, or refused where they are called. What is measured is
whether such code works, so a module of SciPy's is run once more under another name and taken from
there.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

__all__ = ["function_of", "in_copy"]

_COPIED = ("scipy",)


def function_of(module: str, name: str) -> FunctionType:
    """A function of a module, or of a copy of it; ModuleNotFoundError if it is not installed."""
    found: Callable[..., Any] = getattr(in_copy(module), name)
    if not isinstance(found, FunctionType):
        raise ImportError(f"{module}.{name} is no plain function")
    return found


def in_copy(module: str) -> ModuleType:
    """A module, or a copy of it if it is one of SciPy's."""
    real = importlib.import_module(module)
    if module.partition(".")[0] not in _COPIED:
        return real
    name = "corpus_" + module.replace(".", "_")
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, real.__file__)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    made.__package__ = real.__package__
    made.__spec__ = None
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made
