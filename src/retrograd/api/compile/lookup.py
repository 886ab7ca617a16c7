"""A compiled function: out of the disk cache where it is there, else from the compiler."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from retrograd.api.compile.artefact import Ready, linked
from retrograd.api.compile.disk_cache import load, query, save
from retrograd.frontend.identity.specs import ArgSpec

__all__ = ["obtain"]


def obtain(
    fun: Callable[..., Any],
    args: Sequence[ArgSpec],
    kwargs: Mapping[str, ArgSpec],
    product: str = "",
) -> Ready | None:
    """`fun` as native code for arguments of these specs.

    None where there are derivatives in it that are paid for in ways of their own.

    `product` is "jvp" or "vjp" for products with the Jacobian, "" for the function itself.
    """
    start = time.perf_counter()
    asked = query(fun, args, kwargs, product)
    found = None if asked is None else load(asked)
    if found is not None:
        built = linked(found.image, time.perf_counter() - start)
        return Ready(
            found.traced, found.task, found.product, found.base, found.levels, built, found.silent,
            found.sized,
        )  # fmt: skip
    from retrograd.api.compile.prepare import compiled

    made = compiled(fun, args, kwargs, product, start)
    if made is None:
        return None
    traced, image, ready = made
    if asked is not None:
        save(asked, traced, image, ready)
    return ready
