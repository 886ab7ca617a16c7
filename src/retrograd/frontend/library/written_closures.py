"""Functions that give functions, compiled as functions of their own: what they capture lives on."""

from __future__ import annotations

from typing import Any

from retrograd.frontend.library.plain.mapping import vectorized

__all__ = ["vectorize"]


def vectorize(pyfunc: Any, otypes: Any = None) -> Any:
    def call(*args: Any) -> Any:
        return vectorized(pyfunc, otypes, *args)

    return call
