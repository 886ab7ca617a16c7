"""Assignments to elements of `x.flat`, by their position in the order of the elements.

The elements are copied to an array of one axis, which is assigned to, and the result is written
back to the array, whatever view of another one it is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

import numpy as np

from retrograd.frontend.syntax.keyed import names_for
from retrograd.frontend.values.arrays import value_atom, write
from retrograd.frontend.values.kinds import ArrayRef, Static, Value
from retrograd.frontend.values.scopes import assign_name
from retrograd.frontend.values.tracer import Tracer

__all__ = ["to_elements"]


def to_elements(t: Tracer, node: ast.Subscript, change: Callable[[ast.Subscript], None]) -> None:
    """Does to `node` what `change` does to an element or part of a value; `x.flat[..]`, too."""
    match node.value:
        case ast.Attribute(value=inner, attr="flat"):
            base = t.eval(inner)
        case _:
            change(node)
            return
    (name,) = names_for(t, 1)
    t.frame.locals[name] = t.ctx.fresh()
    own = ast.copy_location(ast.Name(name, ast.Load()), inner)
    plain = isinstance(base, ArrayRef) and base.type.rank > 0
    value = t.call(Static(np.array), [t.call(Static(np.ravel), [base], {})], {}) if plain else base
    assign_name(t, name, value)
    read = own if plain else ast.copy_location(ast.Attribute(own, "flat", ast.Load()), node.value)
    before = t.state.arrays.get(base.loc) if isinstance(base, ArrayRef) else None
    change(ast.copy_location(ast.Subscript(read, node.slice, node.ctx), node))
    if plain:
        assert isinstance(base, ArrayRef)
        if t.state.arrays.get(base.loc) is not before:
            raise t.error(
                "RG0106", "the value that is assigned to an element of `flat` changes the array",
                "give the value a name before",
            )  # fmt: skip
        _write_back(t, base, value)
    t.state.cells.pop(t.frame.locals.pop(name), None)


def _write_back(t: Tracer, base: ArrayRef, value: Value) -> None:
    shape = t.call(Static(np.shape), [base], {})
    write(t, base, value_atom(t, t.call(Static(np.reshape), [value, shape], {})))
