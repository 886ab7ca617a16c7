"""Reading and writing basic slices: views, what replaces them, what is added to them.

Slices are normalised before they get here. A write takes over its array (`consumes`), so the rules
read shapes from the result, never from the array that was written to; and a cotangent that a rule
changes is copied first, because others may hold it too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from retrograd.errors import CompilerBug
from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Param, Params, flit
from retrograd.ir.types import F64, I64, MAX_RANK, DType, Type
from retrograd.prims.core import Case, Primitive, Pullback, RaisedError, param
from retrograd.prims.extents import extents_of, stretch
from retrograd.prims.facts import (
    A_SUM,
    SERIAL,
    VIEW,
    Access,
    Bundled,
    Facts,
    How,
)  # fmt: skip
from retrograd.prims.lengths import region
from retrograd.prims.rules import (
    BROADCAST_MESSAGE,
    F1,
    F2,
    F3,
    ill_typed,
    option,
    require,
    span_of,
)  # fmt: skip

__all__ = ["SLICES", "WRITE", "placed", "case_of", "written_once"]

_Tangents = tuple[Atom | None, ...]


WRITE = replace(SERIAL, linear_in=A_SUM, bundled=Bundled.LANES)


def placed(how: How, element: bool) -> Facts:
    """The facts of a primitive that writes an element, or a region, of its first operand."""
    return replace(WRITE, access=Access(how, 2, element))


def written_once(params: Params) -> dict[str, Param]:
    """The mark of a write into constants that no other write meets."""
    return {"once": True} if option(params, "once", False) else {}


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
    how: dict[str, Param] = {"spec": _spec(params), **written_once(params)}
    return (b.prim("update_slice", x, value, *args[2:], hint="dot", **how),)


def _update_slice_vjp(p: Pullback) -> None:
    (out_bar,) = p.out_bars
    spec, ops, value = _spec(p.params), p.args[2:], p.args[1]
    if out_bar is None:
        return
    if p.wants(1):
        part = p.b.prim("slice", out_bar, *ops, hint="bar", spec=spec)
        p.add(1, p.b.prim("sum_like", part, value, hint="bar"))
    if p.wants(0) and written_once(p.params):
        p.add(0, out_bar)
    elif p.wants(0):
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


def case_of(
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


def _slices() -> tuple[Primitive, ...]:
    def spec(text: str) -> Params:
        return (("spec", text),)

    row = case_of(spec("ia"), (F2,), ((3, 4),), 1)
    reads = (
        case_of(spec("s"), (F1,), ((6,),), 1, 3, 2), case_of(spec("s"), (F1,), ((6,),), 5, 6, -1),
        row, case_of(spec("ai"), (F2,), ((3, 4),), 2), case_of(spec("na"), (F1,), ((3,),)),
        case_of(spec("asn"), (F2,), ((3, 4),), 3, 2, -2),
        case_of(spec("iai"), (F3,), ((2, 3, 2),), 1, 0),
        case_of(spec("s"), (F1,), ((6,),), 0, 0, 1),
    )  # fmt: skip
    writes = (
        case_of(spec("s"), (F1, F1), ((6,), (3,)), 1, 3, 2),
        case_of(spec("s"), (F1, F64), ((6,), ()), 5, 6, -1),
        case_of(spec("ia"), (F2, F1), ((3, 4), (1,)), 1),
        case_of(spec("as"), (F2, F1), ((3, 4), (2,)), 0, 2, 3),
        case_of(spec("aia"), (F3, F2), ((2, 3, 2), (2, 1)), 1),
    )
    adds = (
        case_of(spec("s"), (F1, F1), ((6,), (3,)), 1, 3, 2),
        case_of(spec("ia"), (F2, F1), ((3, 4), (4,)), 1),
        case_of(spec("nas"), (F2, F3), ((3, 4), (1, 3, 2)), 3, 2, -3),
    )
    return (
        Primitive(
            "slice", _slice_type, _slice_eval, _slice_jvp, _slice_vjp, reads,
            replace(VIEW, shape=region(1), access=Access(How.READS, 1, element=False)),
        ),
        Primitive(
            "update_slice", _update_slice_type, _update_slice_eval, _update_slice_jvp,
            _update_slice_vjp, writes, replace(placed(How.REPLACES, False), fuses=True),
            consumes=(0,), demands=_update_slice_demands,
        ),
        Primitive(
            "add_slice", _add_slice_type, _add_slice_eval, _add_slice_jvp, _add_slice_vjp, adds,
            placed(How.ADDS, False), consumes=(0,),
        ),
    )  # fmt: skip


SLICES: tuple[Primitive, ...] = _slices()
