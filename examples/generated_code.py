"""The gradient of generated code without a single loop, in less memory than its tape takes.

Programs that write programs (symbolic algebra, code generators of mechanics and chemistry) leave
thousands of statements, one after the other. Here the steps of a ring of pendulums are written out.
The run can stop between any parts of such code, so its gradient can be had in a budget, too.
"""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import retrograd as rg

STEPS, RING = 30, 8


def text_of(steps: int, ring: int) -> str:
    """A function of all angles at the beginning; two statements for each pendulum and step."""
    lines = ["import math", "", "", "def swing(start):"]
    lines += [f"    x{k} = start[{k}]\n    v{k} = 0.0" for k in range(ring)]
    for _ in range(steps):
        for k in range(ring):
            pull = f"x{(k + 1) % ring} - 2.0 * x{k} + x{k - 1 if k else ring - 1}"
            lines.append(f"    v{k} += 0.02 * ({pull} - math.sin(x{k}))")
        lines += [f"    x{k} += 0.02 * v{k}" for k in range(ring)]
    return "\n".join([*lines, "    return x0 * x0", ""])


def swing_of(steps: int, ring: int) -> Callable[..., Any]:
    """The function, imported from a file: retrograd reads its source there."""
    path = Path(tempfile.mkdtemp(prefix="generated-code-")) / "swing.py"
    path.write_text(text_of(steps, ring))
    spec = importlib.util.spec_from_file_location("swing", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.swing


def main() -> None:
    """Takes the gradient by the full tape and in half of that."""
    swing = swing_of(STEPS, RING)
    start = np.sin(np.arange(float(RING)))
    whole = rg.grad(swing)
    expected = whole(start)
    tape = whole.stats().tape_bytes
    little = rg.grad(swing, memory=tape // 2)
    with rg.record() as run:
        found = little(start)
    print(f"gradient {found}")
    print(
        f"{2 * STEPS * RING} statements: a tape of {tape} bytes, or {run.peak_bytes} in all",
        end=", ",
    )
    print(f"{run.leaves} leaves, {run.recomputed_steps / run.steps:.0%} of the steps done again")
    assert found.tobytes() == expected.tobytes()
    assert run.peak_bytes <= tape // 2
    ends = (swing(start + shift * np.eye(RING)[0]) for shift in (1e-6, -1e-6))
    assert abs((next(ends) - next(ends)) / 2e-6 - found[0]) < 1e-6


if __name__ == "__main__":
    main()
