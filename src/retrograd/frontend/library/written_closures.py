"""Functions that give functions, compiled as functions of their own: what they capture lives on."""

from __future__ import annotations

from typing import Any

from retrograd.frontend.library.plain.mapping import by_signature, vectorized

__all__ = ["vectorize"]


def vectorize(pyfunc: Any, otypes: Any = None, signature: Any = None) -> Any:
    def call(*args: Any) -> Any:
        if signature is not None:
            return by_signature(pyfunc, otypes, signature, *args)
        return vectorized(pyfunc, otypes, *args)

    return call
