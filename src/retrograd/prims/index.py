"""Reading and writing elements.

Indices are normalised before they get here. A write takes over its array (`consumes`), so the
rules read shapes from the result, never from the array that was written to; and a cotangent that a
rule changes is copied first, because others may hold it too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from retrograd.errors import CompilerBug, counted
from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Param, Params, flit
from retrograd.ir.types import F64, I64, DType, Type
from retrograd.prims.core import ZERO, Case, Effect, Primitive, Pullback, RaisedError
from retrograd.prims.facts import (
    CHECK,
    IN_FIRST,
    SCALAR,
    Access,
    Bundled,
    Exact,
    Held,
    How,
)  # fmt: skip
from retrograd.prims.rules import (
    F1,
    F2,
    F3,
    I1,
    axis_of,
    option,
    require,
    span_of,
    values_case,
)  # fmt: skip
from retrograd.prims.slices import SLICES, WRITE, case_of, placed, written_once

__all__ = ["INDEX", "REPLACING"]

REPLACING: Mapping[str, tuple[str, Mapping[str, Param]]] = {
    "update": ("update", {}), "update_slice": ("update_slice", {}),
    "add_at": ("update", {"checked": False, "span": None}), "add_slice": ("update_slice", {}),
}  # fmt: skip
"""For each write the one to the same places that replaces what is there, and what it says more."""

_Tangents = tuple[Atom | None, ...]


_PLACED, _ADDED = (placed(how, element=True) for how in (How.REPLACES, How.ADDS))


# Single elements.


def _element_type(name: str, types: tuple[Type, ...], first_index: int) -> None:
    require(len(types) == first_index + types[0].rank and types[0].rank > 0, name, types)
    require(all(t == I64 for t in types[first_index:]), name, types)


def _index_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    _element_type("index", types, 1)
    return (types[0].element,)


def _update_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    _element_type("update", types, 2)
    require(types[1] == types[0].element, "update", types)
    return (types[0],)


def _add_at_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    _element_type("add_at", types, 2)
    require(types[0].dtype is not DType.BOOL and types[1] == types[0].element, "add_at", types)
    return (types[0],)


def _place(x: Any, indices: Sequence[Any], params: Params, checked: bool) -> tuple[int, ...]:
    place = tuple(int(i) for i in indices)
    for axis, (i, n) in enumerate(zip(place, x.shape, strict=True)):
        if not 0 <= i < n:
            message = f"index {counted(i, n)} is out of bounds for axis {axis} with size {n}"
            if checked:
                raise RaisedError("IndexError", message, span_of(params))
            raise CompilerBug(f"unchecked {message}")
    return place


def _index_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    x, *indices = args
    return (x[_place(x, indices, params, option(params, "checked", True))],)


def _update_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    x, value, *indices = args
    out = x.copy()
    out[_place(x, indices, params, option(params, "checked", True))] = value
    return (out,)


def _add_at_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    x, value, *indices = args
    out = x.copy()
    with np.errstate(all="ignore"):
        out[_place(x, indices, params, False)] += value
    return (out,)


def _read(b: Builder, x: Atom, indices: Sequence[Atom], hint: str) -> Atom:
    return b.prim("index", x, *indices, hint=hint, checked=False, span=None)


def _index_jvp(
    b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: _Tangents, params: Params
) -> _Tangents:
    x = tangents[0]
    return (None if x is None else _read(b, x, args[1:], "dot"),)


def _index_vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    if out_bar is not None and p.wants(0):
        p.into(0, "add_at", out_bar, *p.args[1:])


def _update_jvp(
    b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: _Tangents, params: Params
) -> _Tangents:
    x = b.zeros_like(outs[0]) if tangents[0] is None else tangents[0]
    value = flit(0.0) if tangents[1] is None else tangents[1]
    how: dict[str, Param] = {"checked": False, "span": None, **written_once(params)}
    return (b.prim("update", x, value, *args[2:], hint="dot", **how),)


def _update_vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    if out_bar is None:
        return
    if p.wants(1):
        p.add(1, _read(p.b, out_bar, p.args[2:], "bar"))
    if p.wants(0) and written_once(p.params):
        p.add(0, out_bar)
    elif p.wants(0):
        own = p.b.prim("copy", out_bar, hint="bar")
        cleared = p.b.prim(
            "update", own, flit(0.0), *p.args[2:], hint="bar", checked=False, span=None
        )
        p.add(0, cleared)


def _add_at_jvp(
    b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: _Tangents, params: Params
) -> _Tangents:
    if tangents[1] is None:
        return (tangents[0],)
    x = b.zeros_like(outs[0]) if tangents[0] is None else tangents[0]
    return (b.prim("add_at", x, tangents[1], *args[2:], hint="dot"),)


def _add_at_vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    if out_bar is not None and p.wants(0):
        p.add(0, out_bar)
    if out_bar is not None and p.wants(1):
        p.add(1, _read(p.b, out_bar, p.args[2:], "bar"))


# accumulate


def _accumulate_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    require(len(types) == 2 and types[0] == types[1], "accumulate", types)
    require(types[0].dtype is not DType.BOOL, "accumulate", types)
    return (types[0],)


def _accumulate_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    x, y = args
    if np.shape(x) != np.shape(y):
        raise CompilerBug(f"accumulate of shape {np.shape(y)} into {np.shape(x)}")
    with np.errstate(all="ignore"):
        return (np.add(x, y),)


def _accumulate_jvp(
    b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: _Tangents, params: Params
) -> _Tangents:
    x, y = tangents
    if x is None or y is None:
        return (y if x is None else x,)
    return (b.prim("accumulate", x, y, hint="dot"),)


def _accumulate_vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    for k in (0, 1):
        if out_bar is not None and p.wants(k):
            p.add(k, out_bar)


# wrap and check_index


def _two_ints(name: str, results: tuple[Type, ...]) -> Any:
    def rule(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
        require(types == (I64, I64), name, types)
        return results

    return rule


def _wrap_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    i, n = (int(a) for a in args)
    return (np.int64(i + n if i < 0 else i),)


def _check_index_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    i, n = (int(a) for a in args)
    if not 0 <= i < n:
        axis = axis_of(params)
        message = f"index {counted(i, n)} is out of bounds for axis {axis} with size {n}"
        raise RaisedError("IndexError", message, span_of(params))
    return ()


def _elements() -> tuple[Primitive, ...]:
    on: Params = (("checked", True), ("span", None))
    off: Params = (("checked", False), ("span", None))
    ints = values_case((I1, I64), (np.array([4, 5]), np.int64(1)), on)
    int_write = values_case((I1, I64, I64), (np.array([4, 5]), np.int64(9), np.int64(1)), on)
    int_add = values_case((I1, I64, I64), (np.array([4, 5]), np.int64(9), np.int64(1)))
    write1, write3 = ((4,), ()), ((2, 3, 2), ())
    return (
        Primitive(
            "index", _index_type, _index_eval, _index_jvp, _index_vjp,
            (case_of(on, (F1,), ((4,),), 2), case_of(off, (F2,), ((2, 3),), 1, 2),
             case_of(on, (F3,), ((2, 3, 2),), 1, 0, 1), ints),
            replace(
                SCALAR, linear_in=IN_FIRST, access=Access(How.READS, 1, element=True),
                bundled=Bundled.LANES, held=Held.UNCHECKED,
            ),
            effect=Effect.CHECK,
        ),
        Primitive(
            "update", _update_type, _update_eval, _update_jvp, _update_vjp,
            (case_of(on, (F1, F64), write1, 2),
             case_of(off, (F3, F64), write3, 1, 0, 1), int_write),
            replace(_PLACED, held=Held.UNCHECKED), effect=Effect.CHECK, consumes=(0,),
        ),
        Primitive(
            "add_at", _add_at_type, _add_at_eval, _add_at_jvp, _add_at_vjp,
            (case_of((), (F1, F64), write1, 2), case_of((), (F3, F64), write3, 1, 0, 1), int_add),
            _ADDED, consumes=(0,),
        ),
    )  # fmt: skip


def _prefetch_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    _element_type("prefetch", types, 1)
    return ()


def _prefetch_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    return ()


def _rest() -> tuple[Primitive, ...]:
    wraps = tuple(values_case((I64, I64), (np.int64(i), np.int64(4))) for i in (-1, 0, 3))
    return (
        Primitive(
            "accumulate", _accumulate_type, _accumulate_eval, _accumulate_jvp, _accumulate_vjp,
            (Case((F64, F64)), Case((F1, F1)), Case((F3, F3)), Case((I1, I1))),
            replace(WRITE, fuses=True), consumes=(0,),
        ),
        Primitive("wrap", _two_ints("wrap", (I64,)), _wrap_eval, ZERO, ZERO, wraps,
                  replace(SCALAR, exact=Exact.ALWAYS)),
        Primitive(
            "check_index", _two_ints("check_index", ()), _check_index_eval, ZERO, ZERO,
            (values_case((I64, I64), (np.int64(2), np.int64(3))),), CHECK, effect=Effect.CHECK,
        ),
        Primitive(
            "prefetch", _prefetch_type, _prefetch_eval, ZERO, ZERO,
            (values_case((F1, I64), (np.array([4.0, 5.0]), np.int64(1))),),
            replace(CHECK, shape_only=(0,), exact=Exact.NEVER), effect=Effect.CHECK,
        ),
    )  # fmt: skip


INDEX: tuple[Primitive, ...] = (*_elements(), *SLICES, *_rest())
