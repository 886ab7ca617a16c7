"""Values and gradients as text and as a file."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

__all__ = ["gradient_text", "named_gradients", "save_gradients"]


def named_gradients(
    f: Callable[..., Any], positions: Sequence[int], gradients: Sequence[Any]
) -> dict[str, Any]:
    """Gradients by parameter; a tuple's members are `name.0`, a NamedTuple's `name.field`."""
    parameters = list(inspect.signature(f).parameters)
    named: dict[str, Any] = {}

    def add(name: str, value: Any) -> None:
        if not isinstance(value, tuple):
            named[name] = value
            return
        members = cast("tuple[Any, ...]", value)
        fields = getattr(members, "_fields", tuple(range(len(members))))
        for field, member in zip(fields, members, strict=True):
            add(f"{name}.{field}", member)

    for position, gradient in zip(positions, gradients, strict=True):
        add(parameters[position], gradient)
    return named


def gradient_text(value: Any, gradients: dict[str, Any]) -> str:
    """The value, then each gradient; long arrays are shortened as NumPy prints them."""
    lines = [f"value = {value!s}"]
    for name, gradient in gradients.items():
        data = np.asarray(gradient)
        shape = f" {list(data.shape)}" if data.ndim else ""
        text = np.array2string(data, precision=17, max_line_width=100, prefix="  ")
        lines.append(f"d/d{name}{shape} =" + (f"\n  {text}" if data.ndim else f" {text}"))
    return "\n".join(lines)


def save_gradients(path: str, value: Any, gradients: dict[str, Any]) -> None:
    """Writes `value` and every gradient into an .npz file."""
    with open(path, "wb") as file:
        np.savez(file, **{"value": np.asarray(value)}, **gradients)
