"""Straight-line programs of any number of statements, written to a file and imported from there."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["straight", "text_of"]

NAMES = 8


def text_of(statements: int, seed: int = 3) -> str:
    """A function of a vector of 8 numbers: sums of earlier names, and a sine or cosine of one."""
    draw = random.Random(seed)
    lines = ["import math", "", "", "def straight(x):"]
    lines += [f"    v{k} = x[{k}]" for k in range(NAMES)]
    for _ in range(statements):
        to, first, second = (draw.randrange(NAMES) for _ in range(3))
        wave, pitch = draw.choice(("sin", "cos")), draw.randrange(1, 9)
        lines.append(f"    v{to} = v{first} + 0.1 * math.{wave}(v{second} * 1.{pitch})")
    lines.append("    return " + " + ".join(f"v{k}" for k in range(NAMES)))
    return "\n".join(lines) + "\n"


def straight(folder: Path, statements: int) -> Callable[..., Any]:
    """The function itself; its source is in `folder`."""
    path = folder / f"straight{statements}.py"
    path.write_text(text_of(statements))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.straight
