"""Assignments to elements of arrays without axes, which are numbers here: `x[mask] = y`, `x[...]`.

Such a number is made an array of one element, which is assigned to, and its name gets what is
there then. That is refused where something else has the array as well.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from retrograd.frontend.syntax.advanced import Entry, IndexArray
from retrograd.frontend.syntax.index_entries import items_of, of_one
from retrograd.frontend.values.arrays import Slice
from retrograd.frontend.values.kinds import ArrayRef, Scalar, Value, describe
from retrograd.frontend.values.numbers import may_be_array
from retrograd.frontend.values.scopes import assign_name
from retrograd.frontend.values.tracer import Tracer
from retrograd.frontend.values.zero_dimensional import changed_number
from retrograd.ir.terms import ilit

__all__ = ["change_number", "no_elements"]


def no_elements(t: Tracer, value: Value) -> Exception:
    """The refusal of an index of what has none."""
    return t.error(
        "RG0109",
        f"{describe(value)} has no elements",
        "index an array, a list, a tuple or a dict",
        python=TypeError if isinstance(value, Scalar) and not may_be_array(value) else None,
    )


def change_number(
    t: Tracer,
    node: ast.Subscript,
    owner: Value,
    change: Callable[[ArrayRef, Sequence[Entry]], None],
) -> bool:
    """Does to the elements of a name's array without axes what `change` does to those of an array;
    whether it is one."""
    if not isinstance(owner, Scalar) or not owner.array or not isinstance(node.value, ast.Name):
        return False
    items = items_of(t, node.slice)
    match items:
        case [IndexArray(new=True) as mask]:
            where: list[Entry] = [IndexArray(mask.ref)]
        case [] | [None]:
            where = [Slice(None, None, None)]
        case _:
            raise no_elements(t, owner)
    array = of_one(t, owner)
    change(array, where)
    element = t.prim("index", t.base(array.loc), ilit(0), checked=False)
    assign_name(t, node.value.id, changed_number(t, owner, Scalar(element, numpy=True)))
    return True
