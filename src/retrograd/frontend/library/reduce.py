"""NumPy's reductions and linear algebra."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from retrograd.frontend.library import operators
from retrograd.frontend.library.args import (
    axes_of,
    bind,
    dtype_from,
    flag,
    is_none,
    no_more,
    shape_of,
)
from retrograd.frontend.library.create import as_array
from retrograd.frontend.library.plain import reducing
from retrograd.frontend.library.plain.norms import root_of_squares
from retrograd.frontend.library.plain.products import dot_of_stacks
from retrograd.frontend.values.arrays import value_atom
from retrograd.frontend.values.baked import known_int
from retrograd.frontend.values.kinds import (
    NONE,
    ArrayRef,
    Scalar,
    Static,
    TupleValue,
    Value,
    parts,
    )  # fmt: skip
from retrograd.frontend.values.scalars import as_float, convert
from retrograd.frontend.values.tracer import Handler, PathEnds, Tracer
from retrograd.ir.terms import Atom, Lit, false, flit, ilit, true
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
    if not axes:
        return t.prim("copy", atom)
    name, span = f"reduce_{op}", t.span
    if op in ("max", "min"):
        return t.prim(name, atom, axes=axes, keepdims=keepdims, span=span)
    return t.prim(name, atom, axes=axes, keepdims=keepdims)


def reduction(op: str) -> Handler:
    """`np.sum` and its like, also as methods."""

    def handler(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
        typed = op in ("sum", "prod")
        names = "a axis dtype out keepdims" if typed else "a axis out keepdims"
        if any(name in kwargs for name in ("initial", "where")):
            return _of_chosen(t, op, names, args, kwargs)
        value, axis, *rest, out, keep = bind(t, f"np.{op}", args, kwargs, names)
        assert value is not None
        _no_out(t, f"np.{op}", out)
        if typed and not is_none(rest[0]):
            value = as_array(t, value, dtype_from(t, rest[0], DType.F64))
        atom = _operand(t, value, op)
        axes = axes_of(t, axis, atom.type.rank)
        found = _reduce(t, op, atom, axes, flag(t, keep, "keepdims"))
        bools = op in ("max", "min") and _is_of_bools(value)
        return t.new(convert(t, found, DType.BOOL) if bools else found)

    return handler


def _of_chosen(t: Tracer, op: str, names: str, args: Args, kwargs: Kwargs) -> Value:
    """With `initial` or `where`."""
    if op in ("any", "all") and "initial" in kwargs:
        raise t.error("RG0108", f"np.{op} with the argument 'initial'", "use `or`, or `and`")
    value, axis, *rest, out, keep, initial, where = bind(
        t, f"np.{op}", args, kwargs, f"{names} initial where"
    )
    assert value is not None
    _no_out(t, f"np.{op}", out)
    if rest and not is_none(rest[0]):
        value = as_array(t, value, dtype_from(t, rest[0], DType.F64))
    where = NONE if where == Scalar(true) else where
    given = (value, axis, Scalar(true if flag(t, keep, "keepdims") else false), initial, where)
    program = getattr(reducing, f"reduced_{op}")
    return t.call(Static(program), [NONE if one is None else one for one in given], {})


def _is_of_bools(value: Value) -> bool:
    return isinstance(value, Scalar | ArrayRef) and value.type.dtype is DType.BOOL


def _no_out(t: Tracer, name: str, out: Value | None) -> None:
    if not is_none(out):
        raise t.error("RG0108", f"{name} with the argument 'out'", "assign what it gives")


def _only_floats(t: Tracer, name: str, dtype: Value | None, out: Value | None) -> None:
    _no_out(t, name, out)
    if dtype_from(t, dtype, DType.F64) is not DType.F64:
        raise t.error("RG0108", f"{name} with this dtype", "it is a float")


def _count(t: Tracer, atom: Atom, axes: tuple[int, ...]) -> Atom:
    total: Atom = ilit(1)
    for axis in axes:
        extent = t.prim("dim", atom, axis=axis)
        total = extent if total == ilit(1) else t.prim("mul", total, extent)
    return convert(t, total, F64)


def _mean(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    names = "a axis dtype out keepdims where"
    value, axis, dtype, out, keep, where = bind(t, "np.mean", args, kwargs, names)
    assert value is not None
    if where is not None and where != Scalar(true):
        _only_floats(t, "np.mean", dtype, out)
        kept = Scalar(true if flag(t, keep, "keepdims") else false)
        given = (value, NONE if axis is None else axis, kept, where)
        return t.call(Static(reducing.chosen_mean), given, {})
    _only_floats(t, "np.mean", dtype, out)
    atom = convert(t, _operand(t, value, "mean"), F64)
    axes = axes_of(t, axis, atom.type.rank)
    total = _reduce(t, "sum", atom, axes, flag(t, keep, "keepdims"))
    return t.new(t.prim("div", total, _count(t, atom, axes)))


def _variance(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    names = "a axis dtype out ddof keepdims where"
    value, axis, dtype, out, ddof, keep, where = bind(t, "np.var", args, kwargs, names)
    assert value is not None
    _only_floats(t, "np.var", dtype, out)
    if where is not None and where != Scalar(true):
        kept = Scalar(true if flag(t, keep, "keepdims") else false)
        less = Scalar(flit(0.0)) if ddof is None else ddof
        given = (value, NONE if axis is None else axis, less, kept, where)
        return t.call(Static(reducing.chosen_var), given, {})
    atom = convert(t, _operand(t, value, "var"), F64)
    axes = axes_of(t, axis, atom.type.rank)
    mean = t.prim("div", _reduce(t, "sum", atom, axes, True), _count(t, atom, axes))
    off = t.prim("sub", atom, mean)
    squares = t.prim("mul", off, off)
    total = _reduce(t, "sum", squares, axes, flag(t, keep, "keepdims"))
    count = _count(t, atom, axes)
    if ddof is not None:
        less = t.prim("sub", count, as_float(t, ddof, "ddof"))
        count = t.prim("maximum", less, flit(0.0))
    return t.new(t.prim("div", total, count))


def _deviation(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    variance = _variance(t, args, kwargs)
    return t.call(Static(root_of_squares), (variance,), {})


def dot(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`np.dot`: a product with a number, or `@`."""
    a, b = bind(t, "np.dot", args, kwargs, "a b", 2)
    assert a is not None
    assert b is not None
    a, b = as_array(t, a, None), as_array(t, b, None)
    if isinstance(a, Scalar) or isinstance(b, Scalar):
        return operators.binary(t, "mul", a, b)
    ranks = [x.type.rank for x in (a, b) if isinstance(x, ArrayRef)]
    if max(ranks) > 2:
        return t.call(Static(dot_of_stacks), (a, b), {})
    return operators.matmul(t, a, b)


def _matmul(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    a, b = bind(t, "np.matmul", args, kwargs, "a b", 2)
    assert a is not None
    assert b is not None
    return operators.matmul(t, as_array(t, a, None), as_array(t, b, None))


def transpose(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`np.transpose` and `x.T`: here a copy, so that neither array may be written afterwards."""
    value, order = bind(t, "np.transpose", args, kwargs, "a axes")
    assert value is not None
    rank = value.type.rank if isinstance(value, ArrayRef) else 0
    perm = tuple(range(rank))[::-1]
    if not is_none(order) and not isinstance(order, TupleValue):
        raise t.error("RG0113", "the axes of np.transpose must be literals", "write a tuple")
    if isinstance(order, TupleValue):
        entries = [known_int(t, item) for item in order.items]
        known = tuple(e % rank for e in entries if e is not None and -rank <= e < rank)
        if len(known) < len(entries) or sorted(known) != list(range(rank)):
            raise t.error(
                "RG0113",
                "the axes of np.transpose must be literals, each once",
                "write the numbers of the axes: np.transpose(x, (1, 0))",
            )
        perm = known
    if not isinstance(value, ArrayRef) or rank < 2:
        return value
    made = t.new(t.prim("transpose", value_atom(t, value), perm=perm))
    return linked(t, made, value)


def linked(t: Tracer, made: Value, value: ArrayRef) -> Value:
    """A copy that is a view in NumPy: a write to one makes the other unusable."""
    if isinstance(made, ArrayRef):
        t.state.follow(made.loc, value.loc)
    return made


_NOTHING_LEFT = "cannot reshape an array with an extent of 0 beside -1"


def reshape(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    """`np.reshape` and `x.reshape`, with at most one extent that is negative: what is left."""
    no_more(t, "reshape", {k: v for k, v in kwargs.items() if k not in ("shape", "order")})
    value = args[0]
    if _by_columns(kwargs.get("order")):
        return _reshape_by_columns(t, value, args[1:] or (kwargs.get("shape", NONE),))
    entries = args[1:] or tuple(v for k, v in kwargs.items() if k == "shape")
    if not entries:
        raise t.error("RG0108", "reshape lacks the shape", "give it the extents")
    single = len(entries) == 1
    shape = entries[0] if single else TupleValue(tuple(entries))
    if not isinstance(value, ArrayRef):
        value = as_array(t, value, None)
    dims = list(shape_of(t, shape))
    entries = parts(shape) or (shape,) * len(dims)
    open_ = [k for k, entry in enumerate(entries) if not _is_extent(entry)]
    if open_ and t.ctx.stack and not t.frame.origin.ours:
        t.ctx.stack[-1].asks = True
    if isinstance(value, Scalar):
        return _of_a_number(t, value, _of_the_run(t, dims, open_, ilit(1)))
    atom = value_atom(t, value)
    if not dims:
        return _the_only_one(t, atom)
    unknown = [k for k, dim in enumerate(dims) if isinstance(dim, Lit) and dim.value < 0]
    if len(unknown) == 1:
        known: Atom = ilit(1)
        for k, dim in enumerate(dims):
            if k not in unknown:
                known = dim if known == ilit(1) else t.prim("mul", known, dim)
        if not isinstance(known, Lit) or known.value == 0:
            some = t.prim("ne", known, ilit(0))
            t.check(some, "ValueError", _NOTHING_LEFT)
        dims[unknown[0]] = t.prim("floordiv", _size(t, atom), known)
    elif open_:
        dims = _of_the_run(t, dims, open_, _size(t, atom))
    made = t.new(t.prim("reshape", atom, *dims))
    return linked(t, made, value) if isinstance(value, ArrayRef) else made


def _of_the_run(t: Tracer, dims: list[Atom], open_: Sequence[int], size: Atom) -> list[Atom]:
    """The extents where some may turn out to be negative, one at most: what is left of the size."""
    if not open_:
        return dims
    left = {k: t.prim("lt", dims[k], ilit(0)) for k in open_}
    known: Atom = ilit(1)
    some: Atom = false
    for k, dim in enumerate(dims):
        if k in left:
            twice = t.prim("and_", some, left[k]) if some != false else false
            if twice != false:
                one = t.prim("not_", twice)
                t.check(one, "ValueError", "can only specify one unknown dimension")
            some = t.prim("or_", some, left[k]) if some != false else left[k]
            dim = t.prim("select", left[k], ilit(1), dim)
        known = dim if known == ilit(1) else t.prim("mul", known, dim)
    divisor = t.prim("select", some, known, ilit(1))
    t.check(t.prim("ne", divisor, ilit(0)), "ValueError", _NOTHING_LEFT)
    rest = t.prim("floordiv", size, divisor)
    return [
        t.prim("select", left[k], rest, dim) if k in left else dim for k, dim in enumerate(dims)
    ]


def _is_extent(entry: Value) -> bool:
    """Whether an int is known not to stand for what is left, or to do so."""
    return isinstance(entry, Scalar) and (isinstance(entry.atom, Lit) or entry.is_nonneg)


def _by_columns(order: Value | None) -> bool:
    return isinstance(order, Static) and order.obj == "F"


def _reshape_by_columns(t: Tracer, value: Value, entries: Args) -> Value:
    """With the first index changing fastest: that of the transposed array, transposed."""
    shape = entries[0] if len(entries) == 1 else TupleValue(tuple(entries))
    backwards = TupleValue(shape.items[::-1]) if isinstance(shape, TupleValue) else shape
    turned = transpose(t, (as_array(t, value, None),), {})
    return transpose(t, (reshape(t, (turned, backwards), {}),), {})


def _of_a_number(t: Tracer, value: Scalar, dims: Sequence[Atom]) -> Value:
    """An array of one element."""
    extents = [ilit(1) if dim == ilit(-1) else dim for dim in dims]
    for dim in extents:
        one = t.prim("eq", dim, ilit(1)) if dim != ilit(1) else true
        t.check(one, "ValueError", "cannot reshape array of size 1")
    return t.new(t.prim("full", value.atom, *(ilit(1) for _ in extents))) if extents else value


def _the_only_one(t: Tracer, atom: Atom) -> Value:
    """An array of one element as a number."""
    one = t.prim("eq", _size(t, atom), ilit(1))
    t.check(one, "ValueError", "cannot reshape an array of this size into shape ()")
    places = [ilit(0)] * atom.type.rank
    return t.new(t.prim("index", atom, *places, checked=False, span=t.span))


def _size(t: Tracer, atom: Atom) -> Atom:
    total: Atom = ilit(1)
    for dim in t.b.dims(atom):
        total = dim if total == ilit(1) else t.prim("mul", total, dim)
    return total


def ravel(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, order = bind(t, "np.ravel", args, kwargs, "a order")
    assert value is not None
    if _by_columns(order):
        value = transpose(t, (as_array(t, value, None),), {})
    return reshape(t, (value, Scalar(ilit(-1))), {})


def _broadcast_to(t: Tracer, args: Args, kwargs: Kwargs) -> Value:
    value, shape = bind(t, "np.broadcast_to", args, kwargs, "array shape", 2)
    assert value is not None
    assert shape is not None
    value, dims = as_array(t, value, None), shape_of(t, shape)
    atom = value_atom(t, value)
    if atom.type.rank > len(dims):
        t.check(false, "ValueError", "input operand has more dimensions than allowed")
        raise PathEnds
    if not dims:
        return value
    made = t.new(t.prim("broadcast", atom, *dims))
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
    np.transpose: transpose,
    np.reshape: reshape,
    np.ravel: ravel,
    np.broadcast_to: _broadcast_to,
}
