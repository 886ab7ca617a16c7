"""How programs see retrograd's own functions: handlers for the frontend, by identity."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from retrograd.frontend import intrinsics
from retrograd.frontend.core import Handler

__all__ = ["handlers"]


@cache
def handlers() -> Mapping[int, Handler]:
    """The handler of each public function that may be called inside a program."""
    from retrograd.api import functions, products

    return {
        id(functions.grad): intrinsics.transform("grad"),
        id(functions.value_and_grad): intrinsics.transform("value_and_grad"),
        id(functions.jit): intrinsics.transform("jit"),
        id(products.jvp): intrinsics.jvp,
        id(products.stop_gradient): intrinsics.stop_gradient,
    }
