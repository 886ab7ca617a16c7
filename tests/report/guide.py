"""The programs of JAX's guide to `jax.checkpoint`, for retrograd and for JAX.

JAX has another copy of this module, with its own `np`, `rg` and `scanned`.
Source: Bradbury et al. 2018, JAX, "Gradient checkpointing with jax.checkpoint".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import retrograd as rg

Function = Callable[..., Any]
Build = Callable[[Any], Function]
"""What makes a program of a policy; None is the program without a checkpoint."""


def layer(w, x):
    return np.sin(w @ x)


def chain(w1, w2, w3, x):
    x = layer(w1, x)
    x = layer(w2, x)
    x = layer(w3, x)
    return x


def nested(w1, w2, w3, x):
    return np.sin(w3 @ np.sin(w2 @ np.sin(w1 @ x)))


def named(w1, w2, w3, x):
    x = rg.checkpoint_name(layer(w1, x), "a")
    x = rg.checkpoint_name(layer(w2, x), "b")
    x = rg.checkpoint_name(layer(w3, x), "c")
    return x


def predict(params, x):
    *ws, last = params
    for i, w in enumerate(ws):
        x = layer(w, x)
        x = rg.checkpoint_name(x, f"layer{i}_output")
    return last @ x


def loss(params, x, y):
    return np.sum((predict(params, x) - y) ** 2)


def sines(x):
    y = rg.checkpoint_name(np.sin(x), "y")
    z = rg.checkpoint_name(np.sin(y), "z")
    w = rg.checkpoint_name(np.sin(z), "w")
    return np.sum(w)


def rectified(params, x):
    for w, b in params:
        x = np.maximum(x @ w + b, 0.0)
    return x


def named_layer(w, x):
    y = rg.checkpoint_name(w @ x, "y")
    return rg.checkpoint_name(np.sin(y), "z")


def two_products(w, x):
    x = rg.checkpoint_name(x, "y")
    z = rg.checkpoint_name(w @ x, "z")
    return w @ z


def scanned(part, ws, x):
    """`lax.scan(part, x, ws)` of JAX."""
    for w in ws:
        x = part(w, x)
    return x


def around(fun: Function) -> Build:
    """The checkpoint is around the program."""
    return lambda policy: fun if policy is None else rg.checkpoint(fun, policy=policy)


def of_parts(policy):
    part = around(layer)(policy)

    def f(w1, w2, w3, x):
        x = part(w1, x)
        x = part(w2, x)
        return part(w3, x)

    return f


def of_stages(policy):
    """The first of two stages."""
    first = around(named)(policy)

    def f(w1, w2, w3, w4, x):
        return np.sum(np.sin(w4 @ first(w1, w2, w3, x)))

    return f


def of_layers(fun):
    """A scan over layers each of which is checkpointed, and a loss of it."""

    def build(policy):
        part = around(fun)(policy)

        def f(ws, x):
            x = scanned(part, ws, x)
            return np.sum(x * x)

        return f

    return build


def of_layers_alone(policy):
    part = around(named_layer)(policy)
    return lambda ws, x: scanned(part, ws, x)


def of_loop(policy):
    """The checkpoint is around the scan."""
    return around(of_layers(named_layer)(None))(policy)


def recursive(count):
    """Sines one after another, of which the first halves are checkpointed, again and again."""

    def composed(count, policy):
        if count == 1:
            return np.sin
        first = composed(count // 2, policy)
        last = composed(count - count // 2, policy)
        early = around(first)(policy)
        return lambda x: last(early(x))

    return lambda policy: composed(count, policy)


W = tuple(np.linspace(-1.0, 1.0, n * m).reshape(n, m) for n, m in ((5, 4), (6, 5), (7, 6), (8, 7)))
X, Y = np.linspace(0.1, 1.0, 4), np.linspace(0.1, 1.0, 8)
NET = tuple((w.T.copy(), w[:, 0].copy()) for w in W)
LAYERS = np.linspace(-0.5, 0.5, 6 * 64).reshape(6, 8, 8), np.linspace(0.1, 1.0, 32).reshape(8, 4)


@dataclass(frozen=True)
class Program:
    """A program, its arguments, and two names of values in it."""

    build: Build
    args: tuple[Any, ...]
    names: tuple[str, ...] = ()


PROGRAMS = {
    "chain": Program(around(chain), (*W[:3], X)),
    "parts": Program(of_parts, (*W[:3], X)),
    "nested": Program(around(nested), (*W[:3], X)),
    "named": Program(around(named), (*W[:3], X), ("a", "b")),
    "stages": Program(of_stages, (*W, X), ("a", "b")),
    "loss": Program(around(loss), (W, X, Y), ("layer1_output", "layer0_output")),
    "sines": Program(around(sines), (X,), ("y", "z")),
    "rectified": Program(around(rectified), (NET, X)),
    "8 sines": Program(recursive(8), (X,)),
    "16 sines": Program(recursive(16), (X,)),
    "scan": Program(of_layers(layer), LAYERS),
    "named scan": Program(of_layers(named_layer), LAYERS, ("y", "z")),
    "scan alone": Program(of_layers_alone, LAYERS, ("y", "z")),
    "scan of products": Program(of_layers(two_products), LAYERS, ("y", "z")),
    "around scan": Program(of_loop, LAYERS, ("y", "z")),
}

POLICIES: dict[str, Callable[[Any, tuple[str, ...]], Any]] = {
    "everything_saveable": lambda p, _: p.everything_saveable,
    "nothing_saveable": lambda p, _: p.nothing_saveable,
    "dots_saveable": lambda p, _: p.dots_saveable,
    "checkpoint_dots": lambda p, _: p.checkpoint_dots,
    "dots_with_no_batch_dims_saveable": lambda p, _: p.dots_with_no_batch_dims_saveable,
    "checkpoint_dots_with_no_batch_dims": lambda p, _: p.checkpoint_dots_with_no_batch_dims,
    "offload_dot_with_no_batch_dims": lambda p, _: p.offload_dot_with_no_batch_dims(
        "device", "pinned_host"
    ),
    "save_only_these_names": lambda p, names: p.save_only_these_names(names[0]),
    "save_any_names_but_these": lambda p, names: p.save_any_names_but_these(names[0]),
    "save_anything_except_these_names": lambda p, names: p.save_anything_except_these_names(
        names[0]
    ),
    "save_from_both_policies": lambda p, names: p.save_from_both_policies(
        p.dots_saveable, p.save_only_these_names(names[1])
    ),
    "save_and_offload_only_these_names": lambda p, names: p.save_and_offload_only_these_names(
        names_which_can_be_saved=[names[0]], names_which_can_be_offloaded=[names[1]],
        offload_src="device", offload_dst="pinned_host",
    ),
}  # fmt: skip
"""Policies, of what has them and of the names in a program."""

BY_NAME = frozenset(name for name in POLICIES if "names" in name or "both" in name)


def policies_of(program: str) -> list[str | None]:
    """The policies that make sense for a program; None is no checkpoint."""
    named = bool(PROGRAMS[program].names)
    return [None, *(name for name in POLICIES if named or name not in BY_NAME)]
