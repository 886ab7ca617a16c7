"""Which functions of this package are programs, compiled along as the user's own are."""

from __future__ import annotations

from types import FunctionType

__all__ = ["is_program"]

_WRITTEN = (
    "array_records", "attribute_dicts", "containers", "dict_rows", "frozen_laws", "growing_lists",
    "held_dicts", "keyed_by_run", "lazily", "lists_by_key", "mappings", "masked_", "namespaces",
    "narrow_", "object_arrays", "one_by_one", "orderings", "sets", "signatures", "sparse_",
    "standard_library", "uneven_arrays", "written_statistics",
)  # fmt: skip
"""How the names of modules beside this one begin in which they are."""

_PROGRAMS = (
    "retrograd.constructs.", "retrograd.inversion.",
    *(f"{__package__}.{name}" for name in _WRITTEN),
)  # fmt: skip


def is_program(function: FunctionType) -> bool:
    """Whether a function of ours is written to be compiled along."""
    return (function.__module__ or "").startswith(_PROGRAMS)
