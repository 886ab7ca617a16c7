"""ADBench's own numbers for small data, and comparisons in forward mode.

The inputs and the expected numbers are those of ADBench's unit tests; of the hand's mesh only the
vertices that the data points refer to are kept. Larger cases were calculated by another program.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import retrograd as rg

__all__ = ["assert_close", "directional", "numbers"]

Function = Callable[..., Any]
Arguments = tuple[Any, ...]


def numbers(name: str) -> dict[str, Any]:
    """The contents of a file beside this one."""
    return json.loads((Path(__file__).parent / "adbench" / f"{name}.json").read_text())


def assert_close(found: Any, expected: Any, tolerance: float = 1e-9) -> None:
    """Fails where numbers differ by more than a part of the largest."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.max(np.abs(expected)))


def directional(fun: Function, args: Arguments, seed: int) -> tuple[Arguments, Any]:
    """A random direction, and the derivative in it by forward mode."""
    draw = np.random.default_rng(seed)
    direction = tuple(draw.normal(size=np.shape(a)) for a in args)
    return direction, rg.jvp(fun, args, direction)[1]
