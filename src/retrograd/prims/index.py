"""Reading and writing elements and basic slices.

Indices are normalised before they get here. A write takes over its array (`consumes`), so the
rules read shapes from the result, never from the array that was written to; and a cotangent that a
rule changes is copied first, because others may hold it too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from retrograd.errors import CompilerBug, counted
from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Params, flit
from retrograd.ir.types import F64, I64, MAX_RANK, DType, Type
from retrograd.prims.core import ZERO, Case, Effect, Primitive, Pullback, RaisedError, param
from retrograd.prims.extents import extents_of, stretch
from retrograd.prims.facts import (
    A_SUM,
    CHECK,
    IN_FIRST,
    SCALAR,
    SERIAL,
    VIEW,
    Access,
    Bundled,
    Exact,
    Held,
    How,
)  # fmt: skip
from retrograd.prims.lengths import region
from retrograd.prims.rules import (
    BROADCAST_MESSAGE,
    F1,
    F2,
    F3,
    I1,
    axis_of,
    ill_typed,
    option,
    require,
    span_of,
    values_case,
)  # fmt: skip

__all__ = ["INDEX"]

_Tangents = tuple[Atom | None, ...]


_WRITE = replace(SERIAL, linear_in=A_SUM, bundled=Bundled.LANES)
_PLACED, _ADDED, _REGION_PLACED, _REGION_ADDED = (
    replace(_WRITE, access=Access(how, 2, element))
    for element in (True, False)
    for how in (How.REPLACES, How.ADDS)
)


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
    return (b.prim("update", x, value, *args[2:], hint="dot", checked=False, span=None),)


def _update_vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    if out_bar is None:
        return
    if p.wants(1):
        p.add(1, _read(p.b, out_bar, p.args[2:], "bar"))
    if p.wants(0):
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


# Slices.

_ASSIGN_MESSAGE = "could not broadcast input array: extent {0} into {1}"


def _spec(params: Params) -> str:
    return cast(str, param(params, "spec"))


def _slice_rank(name: str, types: tuple[Type, ...], params: Params, first_op: int) -> int:
    spec = _spec(params)
    axes = spec.replace("n", "")
    ops = spec.count("i") + 3 * spec.count("s")
    rank = len(spec) - spec.count("i")
    require(set(spec) <= set("isan") and len(axes) == types[0].rank > 0, name, types)
    require(len(types) == first_op + ops and 0 < rank <= MAX_RANK, name, types)
    require(all(t == I64 for t in types[first_op:]), name, types)
    return rank


def _slice_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    return (types[0].with_rank(_slice_rank("slice", types, params, 1)),)


def _write_type(name: str, exact: bool, types: tuple[Type, ...], params: Params) -> Type:
    if len(types) < 2:
        raise ill_typed(name, types)
    rank = _slice_rank(name, types, params, 2)
    fits = types[1].rank == rank if exact else types[1].rank <= rank
    require(fits and types[1].dtype is types[0].dtype, name, types)
    return types[0]


def _update_slice_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    return (_write_type("update_slice", False, types, params),)


def _add_slice_type(types: tuple[Type, ...], params: Params) -> tuple[Type, ...]:
    require(types[0].dtype is not DType.BOOL, "add_slice", types)
    return (_write_type("add_slice", True, types, params),)


def _range(start: int, size: int, step: int, extent: int) -> slice:
    if size <= 0:
        return slice(0, 0)
    last = start + (size - 1) * step
    if not (0 <= start < extent and 0 <= last < extent):
        raise CompilerBug(f"slice {start}, {size}, {step} of an axis of extent {extent}")
    stop = last + (1 if step > 0 else -1)
    return slice(start, None if stop < 0 else stop, step)


def _key(x: Any, ops: Sequence[Any], spec: str) -> tuple[Any, ...]:
    rest: Iterator[int] = iter([int(op) for op in ops])
    extents: Iterator[int] = iter(x.shape)
    key: list[Any] = []
    for letter in spec:
        if letter == "n":
            key.append(None)
            continue
        extent = next(extents)
        if letter == "a":
            key.append(slice(None))
        elif letter == "s":
            key.append(_range(next(rest), next(rest), next(rest), extent))
        else:
            place = next(rest)
            if not 0 <= place < extent:
                raise CompilerBug(f"unchecked index {place} of an axis of extent {extent}")
            key.append(place)
    return tuple(key)


def _slice_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    x, *ops = args
    return (x[_key(x, ops, _spec(params))].copy(),)


def _update_slice_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    x, value, *ops = args
    out = x.copy()
    key = _key(x, ops, _spec(params))
    try:
        out[key] = np.broadcast_to(value, out[key].shape)
    except ValueError as error:
        raise RaisedError("ValueError", BROADCAST_MESSAGE, span_of(params)) from error
    return (out,)


def _update_slice_demands(b: Builder, args: tuple[Atom, ...], params: Params) -> None:
    value = args[1]
    if value.type.is_scalar:
        return
    into = extents_of(b, args, region(2)(args, params))
    lead = len(into) - value.type.rank
    for axis in range(value.type.rank):
        stretch(b, b.prim("dim", value, axis=axis), into[lead + axis], _ASSIGN_MESSAGE)


def _add_slice_eval(args: Sequence[Any], params: Params) -> tuple[Any, ...]:
    x, value, *ops = args
    out = x.copy()
    key = _key(x, ops, _spec(params))
    if out[key].shape != value.shape:
        raise CompilerBug(f"add_slice of shape {value.shape} into {out[key].shape}")
    with np.errstate(all="ignore"):
        out[key] += value
    return (out,)


def _slice_jvp(
    b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: _Tangents, params: Params
) -> _Tangents:
    x = tangents[0]
    return (None if x is None else b.prim("slice", x, *args[1:], hint="dot", spec=_spec(params)),)


def _slice_vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    if out_bar is not None and p.wants(0):
        p.into(0, "add_slice", out_bar, *p.args[1:], spec=_spec(p.params))


def _update_slice_jvp(
    b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: _Tangents, params: Params
) -> _Tangents:
    x = b.zeros_like(outs[0]) if tangents[0] is None else tangents[0]
    value = flit(0.0) if tangents[1] is None else tangents[1]
    return (b.prim("update_slice", x, value, *args[2:], hint="dot", spec=_spec(params)),)


def _update_slice_vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    spec, ops, value = _spec(p.params), p.args[2:], p.args[1]
    if out_bar is None:
        return
    if p.wants(1):
        part = p.b.prim("slice", out_bar, *ops, hint="bar", spec=spec)
        p.add(1, p.b.prim("sum_like", part, value, hint="bar"))
    if p.wants(0):
        own = p.b.prim("copy", out_bar, hint="bar")
        p.add(0, p.b.prim("update_slice", own, flit(0.0), *ops, hint="bar", spec=spec))


def _add_slice_jvp(
    b: Builder, args: tuple[Atom, ...], outs: tuple[Atom, ...], tangents: _Tangents, params: Params
) -> _Tangents:
    if tangents[1] is None:
        return (tangents[0],)
    x = b.zeros_like(outs[0]) if tangents[0] is None else tangents[0]
    return (b.prim("add_slice", x, tangents[1], *args[2:], hint="dot", spec=_spec(params)),)


def _add_slice_vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    if out_bar is not None and p.wants(0):
        p.add(0, out_bar)
    if out_bar is not None and p.wants(1):
        p.add(1, p.b.prim("slice", out_bar, *p.args[2:], hint="bar", spec=_spec(p.params)))


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


def _case(
    params: Params, types: tuple[Type, ...], shapes: tuple[tuple[int, ...], ...], *ints: int
) -> Case:
    """Random floats of these shapes, then given indices."""
    return Case(
        (*types, *(I64,) * len(ints)),
        params,
        draw=lambda rng: (
            *(rng.uniform(-2.0, 2.0, shape)[()] for shape in shapes),
            *map(np.int64, ints),
        ),
    )


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
            (_case(on, (F1,), ((4,),), 2), _case(off, (F2,), ((2, 3),), 1, 2),
             _case(on, (F3,), ((2, 3, 2),), 1, 0, 1), ints),
            replace(
                SCALAR, linear_in=IN_FIRST, access=Access(How.READS, 1, element=True),
                bundled=Bundled.LANES, held=Held.UNCHECKED,
            ),
            effect=Effect.CHECK,
        ),
        Primitive(
            "update", _update_type, _update_eval, _update_jvp, _update_vjp,
            (_case(on, (F1, F64), write1, 2), _case(off, (F3, F64), write3, 1, 0, 1), int_write),
            replace(_PLACED, held=Held.UNCHECKED), effect=Effect.CHECK, consumes=(0,),
        ),
        Primitive(
            "add_at", _add_at_type, _add_at_eval, _add_at_jvp, _add_at_vjp,
            (_case((), (F1, F64), write1, 2), _case((), (F3, F64), write3, 1, 0, 1), int_add),
            _ADDED, consumes=(0,),
        ),
    )  # fmt: skip


def _slices() -> tuple[Primitive, ...]:
    def spec(text: str) -> Params:
        return (("spec", text),)

    row = _case(spec("ia"), (F2,), ((3, 4),), 1)
    reads = (
        _case(spec("s"), (F1,), ((6,),), 1, 3, 2), _case(spec("s"), (F1,), ((6,),), 5, 6, -1),
        row, _case(spec("ai"), (F2,), ((3, 4),), 2), _case(spec("na"), (F1,), ((3,),)),
        _case(spec("asn"), (F2,), ((3, 4),), 3, 2, -2),
        _case(spec("iai"), (F3,), ((2, 3, 2),), 1, 0), _case(spec("s"), (F1,), ((6,),), 0, 0, 1),
    )  # fmt: skip
    writes = (
        _case(spec("s"), (F1, F1), ((6,), (3,)), 1, 3, 2),
        _case(spec("s"), (F1, F64), ((6,), ()), 5, 6, -1),
        _case(spec("ia"), (F2, F1), ((3, 4), (1,)), 1),
        _case(spec("as"), (F2, F1), ((3, 4), (2,)), 0, 2, 3),
        _case(spec("aia"), (F3, F2), ((2, 3, 2), (2, 1)), 1),
    )
    adds = (
        _case(spec("s"), (F1, F1), ((6,), (3,)), 1, 3, 2),
        _case(spec("ia"), (F2, F1), ((3, 4), (4,)), 1),
        _case(spec("nas"), (F2, F3), ((3, 4), (1, 3, 2)), 3, 2, -3),
    )
    return (
        Primitive(
            "slice", _slice_type, _slice_eval, _slice_jvp, _slice_vjp, reads,
            replace(VIEW, shape=region(1), access=Access(How.READS, 1, element=False)),
        ),
        Primitive(
            "update_slice", _update_slice_type, _update_slice_eval, _update_slice_jvp,
            _update_slice_vjp, writes, replace(_REGION_PLACED, fuses=True), consumes=(0,),
            demands=_update_slice_demands,
        ),
        Primitive(
            "add_slice", _add_slice_type, _add_slice_eval, _add_slice_jvp, _add_slice_vjp, adds,
            _REGION_ADDED, consumes=(0,),
        ),
    )  # fmt: skip


def _rest() -> tuple[Primitive, ...]:
    wraps = tuple(values_case((I64, I64), (np.int64(i), np.int64(4))) for i in (-1, 0, 3))
    return (
        Primitive(
            "accumulate", _accumulate_type, _accumulate_eval, _accumulate_jvp, _accumulate_vjp,
            (Case((F64, F64)), Case((F1, F1)), Case((F3, F3)), Case((I1, I1))),
            replace(_WRITE, fuses=True), consumes=(0,),
        ),
        Primitive("wrap", _two_ints("wrap", (I64,)), _wrap_eval, ZERO, ZERO, wraps,
                  replace(SCALAR, exact=Exact.ALWAYS)),
        Primitive(
            "check_index", _two_ints("check_index", ()), _check_index_eval, ZERO, ZERO,
            (values_case((I64, I64), (np.int64(2), np.int64(3))),), CHECK, effect=Effect.CHECK,
        ),
    )  # fmt: skip


INDEX: tuple[Primitive, ...] = (*_elements(), *_slices(), *_rest())
