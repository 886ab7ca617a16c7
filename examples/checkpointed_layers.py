"""Layers whose inside is run again on the way back, with one named value that is kept.

Policies say what a derivative may keep of a checkpointed call; none of them changes a bit.
"""

from __future__ import annotations

import numpy as np

import retrograd as rg

policies = rg.checkpoint_policies


def layer(w, v, x):
    """Two products with something cheap after each."""
    hidden = rg.checkpoint_name(np.tanh(w @ x), "hidden")
    return x + np.sin(v @ hidden)


def products(residual):
    """A policy of one's own: what is dear to calculate again."""
    return residual.primitive == "matmul"


def loss_with(block):
    """The loss of a stack of such layers."""

    def loss(ws, vs, x):
        for k in range(len(ws)):
            x = block(ws[k], vs[k], x)
        return np.mean(x * x)

    return loss


def main() -> None:
    """Prints that the gradients are the same, by policy."""
    draw = np.random.default_rng(0)
    ws, vs = draw.normal(size=(6, 32, 32)) / 6.0, draw.normal(size=(6, 32, 32)) / 6.0
    x = draw.normal(size=(32, 8))
    expected = rg.grad(loss_with(layer), argnums=(0, 1))(ws, vs, x)
    for name, policy in (
        ("nothing", policies.nothing_saveable),
        ("products", policies.dots_saveable),
        ("one name", policies.save_only_these_names("hidden")),
        ("all but it", policies.save_anything_except_these_names("hidden")),
        ("one's own", products),
    ):
        loss = loss_with(rg.checkpoint(layer, policy=policy))
        found = rg.grad(loss, argnums=(0, 1))(ws, vs, x)
        assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))
        print(f"{name:<10} the same gradient, to the bit")


if __name__ == "__main__":
    main()
