"""What does a gradient keep between its sweeps, of which line, and which checkpoint is of no use?

Writes `saved.png`, bars of bytes by line, into the folder that is given as an argument, by default
one that is thrown away.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

import retrograd as rg
from retrograd.report.bars import save_bars


def layer(w, x):
    """A layer: a derivative keeps both products, or what comes in."""
    return np.sin(w @ np.sin(w @ x))


def head(v, x):
    """The last stage."""
    return np.sum(np.sin(v @ x) ** 2)


def stack(part, end):
    """A stack of layers and its last stage."""

    def loss(ws, v, x):
        for k in range(len(ws)):
            x = part(ws[k], x)
        return end(v, x)

    return loss


def main(folder: Path) -> None:
    """Prints what is kept without checkpoints, and with them at the right and the wrong place; then
    the list of the latter, and the code of both sweeps of the last stage."""
    draw = np.random.default_rng(0)
    args = draw.normal(size=(6, 32, 32)) / 6.0, draw.normal(size=(8, 32)), np.ones((32, 16))
    kept: dict[str, rg.SavedResiduals] = {}
    for name, part, end in (
        ("no checkpoint", layer, head),
        ("the layers", rg.checkpoint(layer), head),
        ("the head", layer, rg.checkpoint(head)),
    ):
        loss = stack(part, end)
        kept[name] = rg.saved_residuals(loss, *args, argnums=(0, 1))
        gradient = rg.grad(loss, argnums=(0, 1))
        gradient(*args)
        peak = gradient.stats().peak_bytes
        print(f"{name:<14} keeps {kept[name].float_bytes:>7,} bytes; peak {peak:>7,}")
    assert kept["the layers"].remarks == ()
    assert kept["the layers"].total < kept["no checkpoint"].total
    rg.print_saved_residuals(stack(layer, rg.checkpoint(head)), *args, argnums=(0, 1))
    rg.print_fwd_bwd(head, *args[1:], argnums=0)
    save_bars("loss", kept["no checkpoint"], folder / "saved.png")
    print(f"saved.png has {(folder / 'saved.png').stat().st_size:,} bytes")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as made:
            main(Path(made))
