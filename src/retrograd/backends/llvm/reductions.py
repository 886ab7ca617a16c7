"""Machine code of reductions of arrays.

Sums of bundles are serial in each lane: the lanes are what runs side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retrograd.backends.llvm.array_kernels import AXES
from retrograd.backends.llvm.elementwise import (
    contiguous,
    fill_from,
    flat_reader,
    materialise,
    nest_code,
    parts,
    unstretched,
)
from retrograd.backends.llvm.extremes import lane_extreme
from retrograd.backends.llvm.gen import AnyValue, Gen, Lazy
from retrograd.backends.llvm.products import matmul
from retrograd.backends.llvm.reduce import LANES, lane_sums
from retrograd.backends.llvm.scalar import emit_scalar
from retrograd.backends.llvm.text import ArrayValue, float_text, llvm_scalar
from retrograd.errors import Span
from retrograd.ir.terms import Prim, Stm
from retrograd.ir.types import DType, Type

__all__ = ["REDUCTIONS", "emit_sum_like", "sum_of_all"]

Handler = Callable[[Gen, Stm, Prim], Sequence[AnyValue]]

_COMBINE = {
    "reduce_sum": "add",
    "reduce_prod": "mul",
    "reduce_max": "maximum",
    "reduce_min": "minimum",
    "reduce_any": "or_",
    "reduce_all": "and_",
}


def _identity(op: str, dtype: DType) -> str:
    match op, dtype:
        case ("reduce_sum", DType.F64):
            return "0.0"
        case ("reduce_sum", DType.BUNDLE):
            return "zeroinitializer"
        case ("reduce_prod", DType.F64):
            return "1.0"
        case ("reduce_max", DType.F64):
            return float_text(float("-inf"))
        case ("reduce_min", DType.F64):
            return float_text(float("inf"))
        case ("reduce_prod", _):
            return "1"
        case ("reduce_max", _):
            return "-9223372036854775808"
        case ("reduce_min", _):
            return "9223372036854775807"
        case ("reduce_all", _):
            return "true"
        case ("reduce_any", _):
            return "false"
        case _:
            return "0"


def _span(stm: Stm, expr: Prim) -> Span | None:
    found = dict(expr.params).get("span")
    return found if isinstance(found, Span) else stm.prov.span


def _run(
    gen: Gen, op: str, dtype: DType, trips: str, read: Callable[[str], str],
    calculated: bool = False,
) -> str:  # fmt: skip
    """One run of elements folded: sums and extremes of floats in lanes, all else serially.

    `calculated`: elements are results of some arithmetic.
    """
    f = gen.f
    if op in ("reduce_max", "reduce_min") and dtype is DType.F64:
        return lane_extreme(gen, _COMBINE[op], trips, read)
    if op == "reduce_sum" and dtype is DType.F64:
        (total,) = lane_sums(gen, trips, 1, lambda k: [read(k)], True, unrolled=calculated)
        return total
    kind = llvm_scalar(dtype)
    slot = f.slot(kind)
    f.store(kind, _identity(op, dtype), slot)

    def step(k: str) -> None:
        pair = [f.load(kind, slot), read(k)]
        f.store(kind, emit_scalar(f, _COMBINE[op], pair, [dtype, dtype], dtype), slot)

    gen.loop(trips, step, gen.vector_hint())
    return f.load(kind, slot)


def _run_in_memory(gen: Gen, op: str, array: ArrayValue, trips: str, start: str) -> str:
    """A run of the elements of a row-major array from `start` on."""
    f, dtype = gen.f, array.type.dtype
    trips = gen.lengths.name(trips)

    def read(k: str) -> str:
        return gen.read(dtype, gen.at(array, f.value(f"add nsw i64 {start}, {k}")))

    known = trips.isdecimal() and int(trips) < LANES
    if op != "reduce_sum" or dtype is not DType.F64 or known:
        return _run(gen, op, dtype, trips, read)
    total = f.slot("double")

    def short() -> None:
        (folded,) = lane_sums(gen, trips, 1, lambda k: [read(k)], True, short=True)
        f.store("double", folded, total)

    def long() -> None:
        args = [("ptr", gen.at(array, start)), ("i64", trips)]
        f.store("double", f.call("double", "rg_sum", args), total)

    gen.choose(f.value(f"icmp slt i64 {trips}, {LANES}"), short, long)
    return f.load("double", total)


def _reduce(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    f = gen.f
    given = gen.any(expr.args[0])
    type_ = expr.args[0].type
    if isinstance(given, str):
        return [given]
    params = dict(expr.params)
    named = params.get("axes")
    axes = (
        {k % type_.rank for k in named if isinstance(k, int)}
        if isinstance(named, tuple)
        else set[int]()
    )
    if expr.op in ("reduce_max", "reduce_min"):
        reduced = gen.count([given.dims[k] for k in sorted(axes)])
        good = f.value(f"icmp sgt i64 {reduced}, 0")
        name = {"reduce_max": "maximum", "reduce_min": "minimum"}[expr.op]
        message = f"zero-size array to reduction operation {name} which has no identity"
        gen.require(good, "ValueError", message, _span(stm, expr))
    out = stm.outs[0].type
    kept = [k for k in range(type_.rank) if k not in axes]
    reader = None if kept else flat_reader(gen, given)
    if reader is not None:  # evaluated where it is added up
        calculated = isinstance(given, Lazy)
        folded = _run(gen, expr.op, type_.dtype, gen.count(given.dims), reader, calculated)
        return [_boxed(gen, folded, out)]
    if not kept:
        return [_boxed(gen, _folded(gen, expr.op, given, type_), out)]
    last = axes == {type_.rank - 1}
    if last and isinstance(given, Lazy) and _is_cheap(gen, given):
        return [_calculated_rows(gen, expr.op, given, out)]
    value, temporary = contiguous(gen, given, type_)
    if last:
        result: AnyValue = _rows(gen, expr.op, value, out)
    else:
        result = _scattered(gen, expr.op, value, kept, out)
    if temporary:
        gen.free(value)
    return [result]


def _folded(gen: Gen, op: str, given: ArrayValue | Lazy, type_: Type) -> str:
    """All elements folded; where it turns out that none is stretched, without a temporary."""

    def of_temporary(stretched: bool = False) -> str:
        value = materialise(gen, given, type_, stretched)
        folded = _run_in_memory(gen, op, value, gen.count(value.dims), "0")
        gen.free(value)
        return folded

    plain = unstretched(gen, given)
    if plain is None:
        return of_temporary()
    same, reader = plain
    kind = llvm_scalar(type_.dtype)
    slot = gen.f.slot(kind)

    def keep(folded: str) -> None:
        gen.f.store(kind, folded, slot)

    trips = gen.count(given.dims)
    gen.choose(
        same,
        lambda: keep(_run(gen, op, type_.dtype, trips, reader(), True)),
        lambda: keep(of_temporary(True)),
    )
    return gen.f.load(kind, slot)


def _boxed(gen: Gen, folded: str, out: Type) -> AnyValue:
    """A scalar as the result of a reduction that keeps all dimensions, with extents of 1."""
    if out.is_scalar:
        return folded
    boxed = gen.allocate(out, ["1"] * out.rank)
    gen.write(out.dtype, folded, boxed.ptr)
    return boxed


def _out_dims(value: ArrayValue | Lazy, kept: Sequence[int], out: Type) -> list[str]:
    if out.rank == len(kept):
        return [value.dims[k] for k in kept]
    return [value.dims[k] if k in kept else "1" for k in range(len(value.dims))]


def _rows(gen: Gen, op: str, value: ArrayValue, out: Type) -> ArrayValue:
    """Each row of the last axis is one run."""
    f = gen.f
    target = gen.allocate(out, _out_dims(value, range(len(value.dims) - 1), out))
    length = value.dims[-1]

    def row(r: str) -> None:
        start = f.value(f"mul nsw i64 {r}, {length}")
        folded = _run_in_memory(gen, op, value, length, start)
        gen.write(out.dtype, folded, gen.at(target, r))

    gen.loop(gen.count(value.dims[:-1]), row, gen.vector_hint())
    return target


def _calculated_rows(gen: Gen, op: str, given: Lazy, out: Type) -> ArrayValue:
    """The same of rows whose elements are calculated where they are added up."""
    rows = given.dims[:-1]
    target = gen.allocate(out, _out_dims(given, range(len(rows)), out))
    flat = ArrayValue(target.ptr, rows, Type(out.dtype, len(rows)))
    trips = gen.lengths.name(given.dims[-1])

    def code(reader: Callable[[Sequence[str]], str]) -> None:
        def level(index: list[str]) -> None:
            if len(index) < len(rows):
                gen.loop(rows[len(index)], lambda k: level([*index, k]), gen.vector_hint())
                return
            folded = _run(gen, op, given.type.dtype, trips, lambda k: reader([*index, k]), True)
            gen.write(out.dtype, folded, gen.address(flat, index))

        level([])

    nest_code(gen, given, code)
    return target


def _is_cheap(gen: Gen, value: Lazy) -> bool:
    """Whether elements are calculated one by one as quickly as in lanes."""
    return _cost(gen, value) <= gen.shared.planner.prims.costs.folded_cost


def _cost(gen: Gen, value: AnyValue) -> float:
    """Additions for an element of what is calculated where it is used."""
    ops = [part.op for part in parts(value) if isinstance(part, Lazy)]
    return sum(gen.shared.planner.prims[op].cost for op in ops)


def _scattered(gen: Gen, op: str, value: ArrayValue, kept: Sequence[int], out: Type) -> ArrayValue:
    """Row-major walk over all elements; each is combined into its place of the result."""
    target = gen.allocate(out, _out_dims(value, kept, out))
    if op == "reduce_sum" and out.dtype is DType.F64 and len(value.dims) <= AXES:
        _add_along(gen, target, value, kept)
        return target
    fill_from(gen, target, _identity(op, out.dtype))
    flat = ArrayValue(target.ptr, tuple(value.dims[k] for k in kept), Type(out.dtype, len(kept)))
    rank = len(value.dims)

    def level(axis: int, index: list[str]) -> None:
        if axis < rank:
            gen.loop(value.dims[axis], lambda k: level(axis + 1, [*index, k]), gen.vector_hint())
            return
        place = gen.address(flat, [index[k] for k in kept])
        pair = [gen.read(out.dtype, place), gen.read(out.dtype, gen.address(value, index))]
        folded = emit_scalar(gen.f, _COMBINE[op], pair, [out.dtype, out.dtype], out.dtype)
        gen.write(out.dtype, folded, place)

    level(0, [])
    return target


def _sum_like(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    return [emit_sum_like(gen, stm, expr, False)]


def emit_sum_like(gen: Gen, stm: Stm, expr: Prim, shared: bool) -> AnyValue:
    """The transpose of broadcasting: sums over the axes along which `x` was stretched.

    `shared`: where there is none, the result may be the operand itself.
    """
    given = gen.any(expr.args[0])
    like = gen.any(expr.args[1])
    source, out = expr.args[0].type, stm.outs[0].type
    if isinstance(given, str):
        if isinstance(like, str):
            return given
        target = gen.allocate(out, like.dims)
        fill_from(gen, target, given)
        return target
    if isinstance(like, str):
        return sum_of_all(gen, given, source)
    if out.rank != source.rank:
        target = gen.allocate(out, like.dims)
        _stretched(gen, target, given)
        return target
    if shared and isinstance(given, ArrayValue) and given.strides is None:
        return _operand_or_sum(gen, given, like, out)
    same = _same_extents(gen, given, like)
    if isinstance(given, ArrayValue) and given.strides is None:
        target = gen.allocate(out, like.dims)
        gen.choose(
            same, lambda: fill_from(gen, target, given), lambda: _stretched(gen, target, given)
        )
        return target
    value = materialise(gen, given, source)
    return value if same == "true" else _itself_or_sum(gen, value, like, out, same)


def sum_of_all(gen: Gen, given: AnyValue, source: Type) -> str:
    """The sum of all elements of an array."""
    assert not isinstance(given, str)
    reader = flat_reader(gen, given)
    if reader is not None:
        return _run(gen, "reduce_sum", source.dtype, gen.count(given.dims), reader)
    value, temporary = contiguous(gen, given, source)
    total = _run_in_memory(gen, "reduce_sum", value, gen.count(value.dims), "0")
    if temporary:
        gen.free(value)
    return total


def _same_extents(gen: Gen, given: AnyValue, like: AnyValue) -> str:
    assert not isinstance(given, str)
    assert not isinstance(like, str)
    same, name = "true", gen.lengths.name
    for mine, theirs in zip(map(name, given.dims), map(name, like.dims), strict=True):
        if mine != theirs:
            same = gen.f.value(f"and i1 {same}, {gen.f.value(f'icmp eq i64 {mine}, {theirs}')}")
    return same


def _operand_or_sum(gen: Gen, given: ArrayValue, like: AnyValue, out: Type) -> AnyValue:
    """The operand where nothing was stretched, else the sums: which, is seen from the address."""
    assert not isinstance(like, str)
    slot = gen.f.slot("ptr")

    def summed() -> None:
        target = gen.allocate(out, like.dims)
        _stretched(gen, target, given)
        gen.f.store("ptr", target.ptr, slot)

    gen.choose(_same_extents(gen, given, like), lambda: gen.f.store("ptr", given.ptr, slot), summed)
    ptr = gen.f.load("ptr", slot)
    gen.same[ptr] = given.ptr
    return ArrayValue(ptr, like.dims, out, None, given.root)


def _itself_or_sum(gen: Gen, value: ArrayValue, like: AnyValue, out: Type, same: str) -> ArrayValue:
    """A new array, or the sums of it where something was stretched."""
    assert not isinstance(like, str)
    slot = gen.f.slot("ptr")

    def summed() -> None:
        target = gen.allocate(out, like.dims)
        _stretched(gen, target, value)
        gen.free(value)
        gen.f.store("ptr", target.ptr, slot)

    gen.choose(same, lambda: gen.f.store("ptr", value.ptr, slot), summed)
    ptr = gen.f.load("ptr", slot)
    return ArrayValue(ptr, like.dims, out, None, ptr)


def _stretched(gen: Gen, target: ArrayValue, given: AnyValue) -> None:
    f = gen.f
    assert not isinstance(given, str)
    source = given.type
    dtype = source.dtype
    value, temporary = contiguous(gen, given, source)
    lead = source.rank - len(target.dims)
    pairs = zip(target.dims, value.dims[lead:], strict=True)
    named = (tuple(map(gen.lengths.name, pair)) for pair in pairs)
    zeroed = [None if d == n else f.value(f"icmp eq i64 {d}, 1") for d, n in named]
    if dtype is DType.F64 and source.rank <= AXES:
        _add_along(gen, target, value, range(lead, source.rank), zeroed)
        if temporary:
            gen.free(value)
        return
    fill_from(gen, target, _identity("reduce_sum", dtype))

    def level(axis: int, index: list[str]) -> None:
        if axis < source.rank:
            gen.loop(value.dims[axis], lambda k: level(axis + 1, [*index, k]), gen.vector_hint())
            return
        place = gen.address(
            target,
            [
                k if z is None else f.value(f"select i1 {z}, i64 0, i64 {k}")
                for z, k in zip(zeroed, index[lead:], strict=True)
            ],
        )
        pair = [gen.read(dtype, place), gen.read(dtype, gen.address(value, index))]
        gen.write(dtype, emit_scalar(f, "add", pair, [dtype, dtype], dtype), place)

    level(0, [])
    if temporary:
        gen.free(value)


def _add_along(
    gen: Gen, target: ArrayValue, value: ArrayValue, kept: Sequence[int],
    zeroed: Sequence[str | None] = (),
) -> None:  # fmt: skip
    """Sums over the axes that are not `kept`, and over those of the kept ones along which `zeroed`
    says that the target has but one element."""
    f = gen.f
    strides = ["0"] * len(value.dims)
    size = "1"
    dims = target.dims if len(target.dims) == len(kept) else [value.dims[k] for k in kept]
    for axis, dim, one in reversed([*zip(kept, dims, zeroed or [None] * len(kept), strict=True)]):
        strides[axis] = size if one is None else f.value(f"select i1 {one}, i64 0, i64 {size}")
        size = f.value(f"mul nsw i64 {size}, {dim}")
    lead = AXES - len(value.dims)
    args = [("ptr", target.ptr), ("i64", size), ("ptr", value.ptr)]
    args += [("i64", n) for n in (*["1"] * lead, *value.dims, *["0"] * lead, *strides)]
    f.call_void("rg_add_along", args)


REDUCTIONS: dict[str, Handler] = {
    **dict.fromkeys(_COMBINE, _reduce),
    "sum_like": _sum_like,
    "matmul": matmul,
}
