"""NumPy's functions that make arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retrograd.frontend.identity.object_arrays import of_nothing
from retrograd.frontend.library.args import bind, dtype_from, flag, is_none, shape_of, too_many_axes
from retrograd.frontend.library.object_arrays import means_objects, of_no_numbers
from retrograd.frontend.library.operators import binary
from retrograd.frontend.library.plain.joining import flat, items_joined, items_stacked
from retrograd.frontend.values.arrays import extent, read, value_atom
from retrograd.frontend.values.baked import known_int
from retrograd.frontend.values.kinds import (
    ArrayRef,
    RangeValue,
    Scalar,
    Static,
    TupleValue,
    Value,
    describe,
)  # fmt: skip
from retrograd.frontend.values.literals import static_int
from retrograd.frontend.values.records import is_record
from retrograd.frontend.values.scalars import (
    as_element,
    as_float,
    as_index,
    convert,
    join_dtype,
    number,
)
from retrograd.frontend.values.scopes import literal
from retrograd.frontend.values.tracer import Handler, PathEnds, Tracer
from retrograd.ir.terms import Atom, false, flit, ilit, true
from retrograd.ir.types import F64, I64, MAX_RANK, DType

__all__ = ["TABLE", "array", "as_array", "as_operand", "copy_of", "filled"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def filled(t: Tracer, value: Atom, dims: tuple[Atom, ...]) -> Value:
    """An array of one value; a number for no extents."""
    if not dims:
        return Scalar(value)
    return t.new(t.prim("full", value, *dims))


def _constant(dtype: DType, number_: int) -> Atom:
    match dtype:
        case DType.F64:
            return flit(number_)
        case DType.I64:
            return ilit(number_)
        case _:
            return true


def _of_zeros(t: Tracer, op: str, dims: tuple[Atom, ...], dtype: DType) -> Value:
    if not dims:
        return Scalar(convert(t, ilit(0), dtype))
    return t.new(t.prim(op, *dims, dtype=dtype.value))


def _zeros(op: str) -> Handler:
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        shape, dtype, _ = bind(t, f"np.{op}", args, kwargs, "shape dtype order")
        assert shape is not None
        if op == "empty" and means_objects(dtype):
            return t.call(Static(of_nothing), (shape,), {})
        return _of_zeros(t, op, shape_of(t, shape), dtype_from(t, dtype, DType.F64))

    return handler


def _ones(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    shape, dtype, _ = bind(t, "np.ones", args, kwargs, "shape dtype order")
    assert shape is not None
    return filled(t, _constant(dtype_from(t, dtype, DType.F64), 1), shape_of(t, shape))


def _full(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    shape, value, dtype, _ = bind(t, "np.full", args, kwargs, "shape fill_value dtype order", 2)
    assert shape is not None
    assert value is not None
    value = as_array(t, value, None)
    wanted = dtype_from(t, dtype, value_atom(t, value).type.dtype)
    return _filled_with(t, value, shape_of(t, shape), wanted)


def _filled_with(t: Tracer, value: Value, dims: tuple[Atom, ...], dtype: DType) -> Value:
    """A number, or an array that is stretched, in every place."""
    atom = as_element(t, value_atom(t, as_array(t, value, None), "the fill value"), dtype)
    if atom.type.rank > len(dims):
        t.check(false, "ValueError", "could not broadcast input array into this shape")
        raise PathEnds
    return filled(t, atom, dims) if atom.type.is_scalar else t.new(t.prim("broadcast", atom, *dims))


def dims_of(t: Tracer, value: Value) -> tuple[Atom, ...]:
    """The extents of an array; none for a number."""
    if not isinstance(value, ArrayRef):
        number(t, value)
        return ()
    return tuple(extent(t, value, axis) for axis in range(value.type.rank))


def array_like(name: str, op: str, fill: int | None = None) -> Handler:
    """`zeros_like` and its like."""

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        if op == "full":
            names = "a fill_value dtype order subok shape"
            like, value, dtype, *_, shape = bind(t, name, args, kwargs, names, 2)
        else:
            names = "a dtype order subok shape"
            (like, dtype, *_, shape), value = bind(t, name, args, kwargs, names), None
        assert like is not None
        like = as_array(t, like, None)
        own = like.type.dtype if isinstance(like, ArrayRef | Scalar) else DType.F64
        wanted = dtype_from(t, dtype, own)
        dims = dims_of(t, like) if shape is None or is_none(shape) else shape_of(t, shape)
        if value is not None:
            return _filled_with(t, value, dims, wanted)
        if fill is not None:
            return filled(t, _constant(wanted, fill), dims)
        return _of_zeros(t, op, dims, wanted)

    return handler


def _arange(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    one, two, three, dtype = bind(t, "np.arange", args, kwargs, "start stop step dtype")
    assert one is not None
    two, three = (None if is_none(v) else v for v in (two, three))
    start = Scalar(ilit(0)) if two is None else number(t, one, "the start")
    stop = number(t, one if two is None else two, "the end")
    step = Scalar(ilit(1)) if three is None else number(t, three, "the step")
    joined = join_dtype(join_dtype(start.type.dtype, stop.type.dtype), step.type.dtype)
    if joined is DType.F64:
        room = binary(t, "div", binary(t, "sub", stop, start), Scalar(as_float(t, step)))
        count = convert(t, t.prim("ceil", as_float(t, room)), I64)
    elif static_int(step) == 1:
        count = number(t, binary(t, "sub", stop, start)).atom
    else:
        ahead = binary(t, "sub", start, stop)
        count = t.prim("neg", number(t, binary(t, "floordiv", ahead, step)).atom)
    counts = t.prim("iota", t.prim("imax", count, ilit(0)))
    values = convert(t, counts, joined)
    if not (joined is DType.I64 and static_int(step) == 1):
        values = t.prim("mul", values, convert(t, step.atom, joined))
    if static_int(start) != 0:
        values = t.prim("add", values, convert(t, start.atom, joined))
    return t.new(convert(t, values, dtype_from(t, dtype, joined)))


def _linspace(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    first, last, num = bind(t, "np.linspace", args, kwargs, "start stop num", 2)
    assert first is not None
    assert last is not None
    start, stop = as_float(t, first, "the start"), as_float(t, last, "the end")
    count = ilit(50) if num is None else as_index(t, num).atom
    gaps = t.prim("imax", t.prim("sub", count, ilit(1)), ilit(1))
    step = t.prim("div", t.prim("sub", stop, start), convert(t, gaps, F64))
    ramp = convert(t, t.prim("iota", count), F64)
    values = t.prim("add", t.prim("mul", ramp, step), start)
    is_last = t.prim("eq", t.prim("iota", count), gaps)
    return t.new(t.prim("select", is_last, stop, values))


def _eye(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    count, columns, dtype = bind(t, "np.eye", args, kwargs, "N M dtype")
    assert count is not None
    rows = t.prim("iota", as_index(t, count).atom)
    wide = rows if is_none(columns) or columns is None else (
        t.prim("iota", as_index(t, columns).atom)
    )  # fmt: skip
    equal = t.prim("eq", t.prim("slice", rows, spec="an"), t.prim("slice", wide, spec="na"))
    return t.new(convert(t, equal, dtype_from(t, dtype, DType.F64)))


def copy_of(t: Tracer, value: Value) -> Value:
    """A new array of the same content; numbers are themselves."""
    if isinstance(value, ArrayRef):
        atom = read(t, value)
        return t.new(t.prim("copy", atom) if value.view is None else atom)
    return value


def _copy(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, _ = bind(t, "np.copy", args, kwargs, "a order")
    assert value is not None
    return copy_of(t, as_array(t, value, None))


def _leaves(t: Tracer, value: Value) -> tuple[list[Atom], tuple[int, ...]]:
    """The numbers of a nested list, row by row, and its shape."""
    if isinstance(value, Scalar):
        return [value.atom], ()
    if not isinstance(value, TupleValue) or is_record(value):
        raise t.error("RG0110", f"np.array of {describe(value)}", "give it numbers or arrays")
    atoms: list[Atom] = []
    shapes: set[tuple[int, ...]] = set()
    for item in value.items:
        own, shape = _leaves(t, item)
        atoms += own
        shapes.add(shape)
    if len(shapes) > 1:
        raise t.error("RG0110", "np.array of rows of different length", "make them equally long")
    return atoms, (len(value.items), *(shapes.pop() if shapes else ()))


def _has_arrays(value: Value) -> bool:
    if isinstance(value, TupleValue):
        return any(_has_arrays(item) for item in value.items)
    return isinstance(value, ArrayRef)


def _range_array(t: Tracer, value: RangeValue) -> Value:
    return _arange(t, (value.start, value.stop, value.step), {})


def as_array(t: Tracer, value: Value, dtype: DType | None) -> Value:
    """An array or number with that content; arrays of that dtype are themselves."""
    match value:
        case Scalar():
            return Scalar(as_element(t, value.atom, dtype or value.type.dtype))
        case ArrayRef():
            if dtype is None or dtype is value.type.dtype:
                return value
            return t.new(convert(t, read(t, value), dtype))
        case RangeValue(backwards=False):
            return as_array(t, _range_array(t, value), dtype)
        case TupleValue() if _has_arrays(value) and not is_record(value):
            return stack(t, [as_array(t, item, dtype) for item in value.items])
        case TupleValue():
            return _from_numbers(t, value, dtype)
        case _:
            raise t.error("RG0110", f"an array of {describe(value)}", "give it numbers or arrays")


def as_operand(t: Tracer, value: Value) -> Value:
    """A list or a tuple as an array; anything else is itself."""
    return as_array(t, value, None) if isinstance(value, TupleValue) else value


def _from_numbers(t: Tracer, value: TupleValue, dtype: DType | None) -> Value:
    atoms, shape = _leaves(t, value)
    if len(shape) > MAX_RANK:
        raise too_many_axes(t, len(shape))
    if not atoms:
        dims = tuple(ilit(extent_) for extent_ in shape)
        return _of_zeros(t, "zeros", dims, dtype or DType.F64)
    joined = dtype
    if joined is None:
        joined = atoms[0].type.dtype
        for atom in atoms[1:]:
            joined = join_dtype(joined, atom.type.dtype)
    converted = [as_element(t, atom, joined) for atom in atoms]
    return t.new(t.prim("array_of", *converted, shape=shape))


def stack(t: Tracer, rows: Sequence[Value], axis: int = 0) -> Value:
    """The arrays of a list along an axis of a new one; they must have one shape."""
    atoms = [value_atom(t, as_operand(t, row), "a row") for row in rows]
    rank, joined = atoms[0].type.rank, atoms[0].type.dtype
    for atom in atoms[1:]:
        if atom.type.rank != rank:
            raise t.error("RG0110", "rows of different rank", "give all rows the same rank")
        joined = join_dtype(joined, atom.type.dtype)
    if rank == 0 and axis in (0, -1):
        return _from_numbers(t, TupleValue(tuple(Scalar(atom) for atom in atoms)), None)
    if rank == MAX_RANK:
        raise too_many_axes(t, rank + 1)
    if not -rank - 1 <= axis <= rank:
        raise t.error(
            "RG0108",
            f"np.stack of arrays of rank {rank} along axis {axis}",
            f"write an axis from {-rank - 1} to {rank}",
        )
    dims = t.b.dims(atoms[0])
    for atom in atoms[1:]:
        for k, dim in enumerate(dims):
            same = t.prim("eq", t.prim("dim", atom, axis=k), dim)
            t.check(same, "ValueError", "all input arrays must have the same shape")
    before = axis % (rank + 1)
    shape = (*dims[:before], ilit(len(atoms)), *dims[before:])
    out = t.prim("zeros", *shape, dtype=joined.value)
    for k, atom in enumerate(atoms):
        spec = "a" * before + "i" + "a" * (rank - before)
        out = t.prim("update_slice", out, convert(t, atom, joined), ilit(k), spec=spec)
    return t.new(out)


def array(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`np.array`."""
    names = "object dtype copy order subok ndmin"
    value, dtype, copy, _, _, ndmin = bind(t, "np.array", args, kwargs, names)
    assert value is not None
    if (made := of_no_numbers(t, value, dtype)) is not None:
        return made
    wanted = None if is_none(dtype) else dtype_from(t, dtype, DType.F64)
    made = as_array(t, value, wanted)
    if made == value and (is_none(copy) or flag(t, copy, "copy")):
        made = copy_of(t, made)
    return made if ndmin is None else _of_rank(t, made, ndmin)


def _of_rank(t: Tracer, value: Value, ndmin: Value) -> Value:
    """An array with axes of extent 1 before those that it has."""
    least = known_int(t, ndmin)
    if least is None or least > MAX_RANK:
        raise t.error("RG0113", "this `ndmin`", f"write an int of at most {MAX_RANK}")
    atom = value_atom(t, value)
    if atom.type.rank >= least:
        return value
    ones = [ilit(1)] * (least - atom.type.rank)
    if atom.type.is_scalar:
        return t.new(t.prim("full", atom, *ones))
    return t.new(t.prim("reshape", atom, *ones, *t.b.dims(atom)))


def _asarray(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, dtype, _, copy = bind(t, "np.asarray", args, kwargs, "a dtype order copy")
    assert value is not None
    if (made := of_no_numbers(t, value, dtype)) is not None:
        return made
    made = as_array(t, value, None if is_none(dtype) else dtype_from(t, dtype, DType.F64))
    wanted = not is_none(copy) and flag(t, copy, "copy")
    return copy_of(t, made) if wanted and made == value else made


def _contiguous(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`np.ascontiguousarray`, which has one axis at least."""
    made = _asarray(t, args, kwargs)
    return t.new(t.prim("full", made.atom, ilit(1))) if isinstance(made, Scalar) else made


def _stack(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    rows, axis, _, dtype, casting = bind(
        t, "np.stack", args, kwargs, "arrays axis out dtype casting"
    )
    if not is_none(dtype) and rows is not None:
        return _joined_as(t, _stack, rows, axis, dtype, casting)
    along = 0 if axis is None else known_int(t, axis)
    if along is None:
        raise t.error("RG0113", "np.stack along an axis that is not known", "write an int")
    if isinstance(rows, ArrayRef):
        return copy_of(t, t.call(Static(items_stacked), (rows, literal(along)), {}))
    if not isinstance(rows, TupleValue) or is_record(rows) or not rows.items:
        raise t.error("RG0108", "np.stack of anything but a tuple of arrays", "pass a tuple")
    return stack(t, rows.items, along)


def _joined_as(
    t: Tracer, join: Handler, rows: Value, axis: Value | None, dtype: Value | None,
    casting: Value | None,
) -> Value:  # fmt: skip
    """With a dtype, which may lose no kind of number unless `casting` says so."""
    made = join(t, (rows,), {} if axis is None else {"axis": axis})
    wanted = dtype_from(t, dtype, DType.F64)
    order = [DType.BOOL, DType.I64, DType.F64]
    unsafe = isinstance(casting, Static) and casting.obj == "unsafe"
    loses = isinstance(made, ArrayRef) and order.index(made.type.dtype) > order.index(wanted)
    if loses and not unsafe:
        raise t.error("RG0110", "what is joined has another dtype", "give it casting='unsafe'")
    return as_array(t, made, wanted)


def _concatenate(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    rows, axis, _, dtype, casting = bind(
        t, "np.concatenate", args, kwargs, "arrays axis out dtype casting"
    )
    if not is_none(dtype) and rows is not None:
        return _joined_as(t, _concatenate, rows, axis, dtype, casting)
    if isinstance(rows, ArrayRef):
        place = literal(0) if axis is None else axis
        return copy_of(t, t.call(Static(items_joined), (rows, place), {}))
    if not isinstance(rows, TupleValue) or is_record(rows) or not rows.items:
        raise t.error("RG0108", "np.concatenate of anything but a tuple of arrays", "pass a tuple")
    along = 0 if axis is None or is_none(axis) else known_int(t, axis)
    if axis is not None and is_none(axis):
        rows = TupleValue(tuple(t.call(Static(flat), (row,), {}) for row in rows.items))
    atoms = [value_atom(t, as_operand(t, row), "a part") for row in rows.items]
    rank, joined = atoms[0].type.rank, atoms[0].type.dtype
    if along is None:
        raise t.error("RG0113", "np.concatenate along an axis that is not known", "write an int")
    if not -rank <= along < rank or any(a.type.rank != rank for a in atoms):
        raise t.error(
            "RG0108",
            "np.concatenate with parts of these ranks along this axis",
            "use arrays of one rank: x[None] has one axis more",
        )
    along %= rank
    for atom in atoms[1:]:
        joined = join_dtype(joined, atom.type.dtype)
        for axis_ in range(rank):
            if axis_ != along:
                one, two = (t.prim("dim", a, axis=axis_) for a in (atoms[0], atom))
                same = t.prim("eq", one, two)
                t.check(same, "ValueError", "all input array dimensions must match exactly")
    sizes = [t.prim("dim", atom, axis=along) for atom in atoms]
    total = sizes[0]
    for size in sizes[1:]:
        total = t.prim("add", total, size)
    dims = list(t.b.dims(atoms[0]))
    dims[along] = total
    out = t.prim("zeros", *dims, dtype=joined.value)
    spec = "a" * along + "s" + "a" * (rank - along - 1)
    offset: Atom = ilit(0)
    for atom, size in zip(atoms, sizes, strict=True):
        value = convert(t, atom, joined)
        out = t.prim("update_slice", out, value, offset, size, ilit(1), spec=spec)
        offset = t.prim("add", offset, size)
    return t.new(out)


def _cast(dtype: DType) -> Handler:
    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        (value,) = bind(t, f"np.{dtype.value}", args, kwargs, "x")
        assert value is not None
        return as_array(t, value, dtype)

    return handler


def _shape(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "np.shape", args, kwargs, "a")
    assert value is not None
    return TupleValue(tuple(Scalar(dim, True) for dim in _extents(t, value)))


def _extents(t: Tracer, value: Value) -> tuple[Atom, ...]:
    """The extents of what is an array to NumPy: lists are."""
    return dims_of(t, as_array(t, value, None) if isinstance(value, TupleValue) else value)


def _ndim(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "np.ndim", args, kwargs, "a")
    assert value is not None
    return Scalar(ilit(len(_extents(t, value))))


TABLE: Mapping[object, Handler] = {
    np.zeros: _zeros("zeros"),
    np.empty: _zeros("empty"),
    np.ones: _ones,
    np.full: _full,
    np.zeros_like: array_like("np.zeros_like", "zeros"),
    np.empty_like: array_like("np.empty_like", "empty"),
    np.ones_like: array_like("np.ones_like", "ones", 1),
    np.full_like: array_like("np.full_like", "full"),
    np.arange: _arange,
    np.linspace: _linspace,
    np.eye: _eye,
    np.identity: _eye,
    np.copy: _copy,
    np.array: array,
    np.asarray: _asarray,
    np.ascontiguousarray: _contiguous,
    np.asanyarray: _asarray,
    np.asfortranarray: _contiguous,
    np.stack: _stack,
    np.concatenate: _concatenate,
    np.float64: _cast(DType.F64),
    np.int64: _cast(DType.I64),
    np.bool_: _cast(DType.BOOL),
    np.shape: _shape,
    np.ndim: _ndim,
}
