"""What plain Python cannot say, and the translation is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from retrograd.errors import UserError
from retrograd.frontend.identity.refusing import linked, refuse, refuse_if
from retrograd.frontend.identity.transformed import Ruled

__all__ = [
    "UNSEEDED", "WithRule", "constant", "gradient_of", "jacobian_of", "linked", "once",
    "one_of_several", "pair", "refuse", "refuse_if", "rounded", "unseeded",
]  # fmt: skip

UNSEEDED = (
    "random numbers without a seed", None, "give it an int: draws are a function of arguments",
)  # fmt: skip
"""The message, the place and the way out."""


@dataclass(slots=True, eq=False)
class WithRule(Ruled):
    """A program with a derivative rule."""

    def __call__(self, *args: Any) -> Any:
        return self.fun(*args)


def constant(x: Any) -> Any:
    """What derivatives take for a constant."""
    return x


def once(x: Any) -> Any:
    """A product that is rounded before anything is added to it, as in Python."""
    return x


def jacobian_of(f: Any) -> Any:
    """The function that gives the Jacobian of `f`, which gives an array of an array."""

    def differences(x: Any) -> Any:
        steps = 1e-6 * np.eye(len(x))
        return np.stack([(f(x + step) - f(x - step)) / 2e-6 for step in steps], axis=-1)

    return differences


def gradient_of(f: Any) -> Any:
    """The function that gives the gradient of `f`, which gives a number of an array."""
    return jacobian_of(f)


def one_of_several(product: Any) -> Any:
    """A product that one operation gives with others, which checkpoint policies ask for."""
    return product


def pair(real: Any, imag: Any) -> Any:
    """The complex number or array of two parts that nothing else refers to."""
    return real + 1j * imag


def rounded(f: Any, x: Any, args: Any) -> Any:
    """`f(x, *args)` for its sign: its last sum is Python's, which need not be so elsewhere."""
    return f(x, *args)


def unseeded() -> Any:
    """An error of the translation, and of NumPy's run: random numbers of nothing."""
    raise UserError("RG0134", *UNSEEDED)
