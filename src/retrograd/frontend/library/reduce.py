"""NumPy's reductions and linear algebra."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retrograd.frontend.library import operators
from retrograd.frontend.library.args import axes_of, bind, flag, no_more, shape_of
from retrograd.frontend.library.create import as_array
from retrograd.frontend.values.arrays import value_atom
from retrograd.frontend.values.kinds import ArrayRef, Scalar, TupleValue, Value, static_int
from retrograd.frontend.values.scalars import convert
from retrograd.frontend.values.tracer import Handler, Tracer
from retrograd.ir.terms import Atom, ilit
from retrograd.ir.types import F64, DType

__all__ = ["TABLE", "ravel", "dot", "reduction", "reshape", "transpose"]

Args = Sequence[Value]
Kwargs = Mapping[str, Value]


def _operand(t: Tracer, value: Value, op: str) -> Atom:
    atom = value_atom(t, as_array(t, value, None), f"the argument of np.{op}")
    wants_bool = op in ("any", "all")
    if wants_bool and atom.type.dtype is not DType.BOOL:
        return convert(t, atom, DType.BOOL)
    if not wants_bool and atom.type.dtype is DType.BOOL:
        return convert(t, atom, DType.I64)
    return atom


def _reduce(t: Tracer, op: str, atom: Atom, axes: tuple[int, ...], keepdims: bool) -> Atom:
    if atom.type.is_scalar:
        return atom
    name, span = f"reduce_{op}", t.span
    if op in ("max", "min"):
        return t.prim(name, atom, axes=axes, keepdims=keepdims, span=span)
    return t.prim(name, atom, axes=axes, keepdims=keepdims)


def reduction(op: str) -> Handler:
    """`np.sum` and its like, also as methods."""

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        value, axis, keep = bind(t, f"np.{op}", args, kwargs, "a axis keepdims")
        assert value is not None
        atom = _operand(t, value, op)
        axes = axes_of(t, axis, atom.type.rank)
        return t.new(_reduce(t, op, atom, axes, flag(t, keep, "keepdims")))

    return handler


def _count(t: Tracer, atom: Atom, axes: tuple[int, ...]) -> Atom:
    total: Atom = ilit(1)
    for axis in axes:
        extent = t.prim("dim", atom, axis=axis)
        total = extent if total == ilit(1) else t.prim("mul", total, extent)
    return convert(t, total, F64)


def _mean(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, axis, keep = bind(t, "np.mean", args, kwargs, "a axis keepdims")
    assert value is not None
    atom = convert(t, _operand(t, value, "mean"), F64)
    axes = axes_of(t, axis, atom.type.rank)
    total = _reduce(t, "sum", atom, axes, flag(t, keep, "keepdims"))
    return t.new(t.prim("div", total, _count(t, atom, axes)))


def _variance(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, axis, keep = bind(t, "np.var", args, kwargs, "a axis keepdims")
    assert value is not None
    atom = convert(t, _operand(t, value, "var"), F64)
    axes = axes_of(t, axis, atom.type.rank)
    mean = t.prim("div", _reduce(t, "sum", atom, axes, True), _count(t, atom, axes))
    off = t.prim("sub", atom, mean)
    squares = t.prim("mul", off, off)
    total = _reduce(t, "sum", squares, axes, flag(t, keep, "keepdims"))
    return t.new(t.prim("div", total, _count(t, atom, axes)))


def _deviation(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    variance = _variance(t, args, kwargs)
    return t.new(t.prim("sqrt", value_atom(t, variance)))


def dot(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`np.dot`: a product with a number, or `@`."""
    a, b = bind(t, "np.dot", args, kwargs, "a b", 2)
    assert a is not None
    assert b is not None
    a, b = as_array(t, a, None), as_array(t, b, None)
    if isinstance(a, Scalar) or isinstance(b, Scalar):
        return operators.binary(t, "mul", a, b)
    return operators.matmul(t, a, b)


def _matmul(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    a, b = bind(t, "np.matmul", args, kwargs, "a b", 2)
    assert a is not None
    assert b is not None
    return operators.matmul(t, as_array(t, a, None), as_array(t, b, None))


def _outer(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    a, b = bind(t, "np.outer", args, kwargs, "a b", 2)
    assert a is not None
    assert b is not None
    x, y = value_atom(t, as_array(t, a, None)), value_atom(t, as_array(t, b, None))
    if x.type.rank != 1 or y.type.rank != 1:
        raise t.error("RG0110", "np.outer of anything but two vectors", "flatten them first")
    rows, columns = t.prim("slice", x, spec="an"), t.prim("slice", y, spec="na")
    return t.new(operators.elementwise(t, "mul", rows, columns))


def transpose(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`np.transpose` and `x.T`: here a copy, so that neither array may be written afterwards."""
    value, order = bind(t, "np.transpose", args, kwargs, "a axes")
    assert value is not None
    if not isinstance(value, ArrayRef) or value.type.rank < 2:
        return value
    rank = value.type.rank
    perm = tuple(range(rank))[::-1]
    if isinstance(order, TupleValue):
        entries = [static_int(item) for item in order.items]
        known = tuple(e % rank for e in entries if e is not None)
        if sorted(known) != list(range(rank)):
            raise t.error("RG0113", "the axes of np.transpose must be literals, each once")
        perm = known
    made = t.new(t.prim("transpose", value_atom(t, value), perm=perm))
    return linked(t, made, value)


def linked(t: Tracer, made: Value, value: ArrayRef) -> Value:
    """A copy that is a view in NumPy: a write to one makes the other unusable."""
    if isinstance(made, ArrayRef):
        t.state.link(made.loc, value.loc)
    return made


def reshape(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`np.reshape` and `x.reshape`, with at most one extent of -1."""
    no_more(t, "reshape", {k: v for k, v in kwargs.items() if k != "shape"})
    value = args[0]
    entries = args[1:] or tuple(kwargs.values())
    if not entries:
        raise t.error("RG0108", "reshape lacks the shape", "give it the extents")
    single = len(entries) == 1
    shape = entries[0] if single else TupleValue(tuple(entries))
    if not isinstance(value, ArrayRef):
        raise t.error("RG0110", "reshape of a number", "use np.full")
    dims = list(shape_of(t, shape))
    atom = value_atom(t, value)
    unknown = [k for k, dim in enumerate(dims) if dim == ilit(-1)]
    if len(unknown) == 1:
        known: Atom = ilit(1)
        for k, dim in enumerate(dims):
            if k not in unknown:
                known = dim if known == ilit(1) else t.prim("mul", known, dim)
        dims[unknown[0]] = t.prim("floordiv", _size(t, atom), known)
    made = t.new(t.prim("reshape", atom, *dims))
    return linked(t, made, value)


def _size(t: Tracer, atom: Atom) -> Atom:
    total: Atom = ilit(1)
    for dim in t.b.dims(atom):
        total = dim if total == ilit(1) else t.prim("mul", total, dim)
    return total


def ravel(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "np.ravel", args, kwargs, "a")
    assert value is not None
    return reshape(t, (value, Scalar(ilit(-1))), {})


def _norm(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "np.linalg.norm", args, kwargs, "x")
    assert value is not None
    atom = convert(t, value_atom(t, as_array(t, value, None)), F64)
    squares = t.prim("mul", atom, atom)
    return t.new(t.prim("sqrt", _reduce(t, "sum", squares, tuple(range(atom.type.rank)), False)))


def _trace(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    (value,) = bind(t, "np.trace", args, kwargs, "a")
    assert value is not None
    atom = value_atom(t, value)
    if atom.type.rank != 2:
        raise t.error("RG0110", "np.trace of anything but a matrix", "pass an array of rank 2")
    rows, columns = (t.prim("iota", dim) for dim in t.b.dims(atom))
    on = t.prim("eq", t.prim("slice", rows, spec="an"), t.prim("slice", columns, spec="na"))
    zero = convert(t, ilit(0), atom.type.dtype)
    return t.new(_reduce(t, "sum", t.prim("select", on, atom, zero), (0, 1), False))


def _broadcast_to(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, shape = bind(t, "np.broadcast_to", args, kwargs, "array shape", 2)
    assert value is not None
    assert shape is not None
    made = t.new(t.prim("broadcast", value_atom(t, value), *shape_of(t, shape)))
    return linked(t, made, value) if isinstance(value, ArrayRef) else made


TABLE: Mapping[object, Handler] = {
    np.sum: reduction("sum"),
    np.prod: reduction("prod"),
    np.max: reduction("max"),
    np.min: reduction("min"),
    np.amax: reduction("max"),
    np.amin: reduction("min"),
    np.any: reduction("any"),
    np.all: reduction("all"),
    np.mean: _mean,
    np.var: _variance,
    np.std: _deviation,
    np.dot: dot,
    np.matmul: _matmul,
    np.outer: _outer,
    np.transpose: transpose,
    np.reshape: reshape,
    np.ravel: ravel,
    np.linalg.norm: _norm,
    np.trace: _trace,
    np.broadcast_to: _broadcast_to,
}
