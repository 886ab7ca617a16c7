"""Which recorded arrays the policies of checkpointed executions have moved out of memory.

A push names those arrays, and so does its pop: `offloaded` has pairs of a position and a folder.
The mark changes no value: who keeps the tape looks at it (`retrograd.backends.llvm.offload`), or
does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from retrograd.ir.terms import Block, Param, Var
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.ad.vjp.executions import folder_of
from retrograd.transforms.ad.vjp.residuals import Scope

__all__ = ["folders_of", "marked"]


def folders_of(
    scope: Scope, block: Block, recorded: Iterable[Var], made: Mapping[Var, Var],
    prims: PrimitiveSet,
) -> Mapping[Var, str]:  # fmt: skip
    """The folders of the recorded arrays that are to be moved.

    Of what a loop carries, the policy is asked about what an iteration ends with, or about what is
    recorded instead.

    Args:
        scope: the scope that records.
        block: its block, which ends with what a loop carries to the next iteration.
        recorded: what is recorded.
        made: what is recorded instead of carried values that are made of it.
        prims: the primitives.
    """
    ends = dict(zip(scope.carried, block.results, strict=False)) if scope.loop else {}
    found: dict[Var, str] = {}
    for var in recorded:
        end = made.get(var, ends.get(var, var))
        if var.type.is_scalar or not isinstance(end, Var) or end not in scope.made:
            continue
        folder = folder_of(scope.made[end], end, scope.depth, prims)
        if folder is not None:
            found[var] = folder
    return found


def marked(
    values: Sequence[Var], folders: Mapping[Var, str], params: Iterable[tuple[str, Param]]
) -> tuple[tuple[str, Param], ...]:
    """The parameters of a push or pop of these values, with the mark if any is to be moved."""
    places: tuple[Param, ...] = tuple((k, folders[v]) for k, v in enumerate(values) if v in folders)
    return (*([("offloaded", places)] if places else []), *params)
