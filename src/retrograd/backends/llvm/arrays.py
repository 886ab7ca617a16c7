"""Machine code of the primitives that are not elementwise: shapes, indexing, checks, tape."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retrograd.backends.llvm import bounds, effects, lapack, reductions, tape
from retrograd.backends.llvm.effects import place_of
from retrograd.backends.llvm.elementwise import copy_array, fill_from, materialise
from retrograd.backends.llvm.gen import AnyValue, Gen, Lazy
from retrograd.backends.llvm.random import random_bits
from retrograd.backends.llvm.scalar import emit_scalar
from retrograd.backends.llvm.text import BUNDLE, ArrayValue
from retrograd.backends.llvm.zeros import extents, zeroed, zeros, zeros_around
from retrograd.errors import CompilerBug
from retrograd.ir.terms import Prim, Stm
from retrograd.ir.types import WIDTH, DType, Type

__all__ = ["ARRAY_OPS", "emit_alias"]

Handler = Callable[[Gen, Stm, Prim], Sequence[AnyValue]]


def _in_memory(gen: Gen, value: AnyValue, type_: Type) -> ArrayValue:
    """A lazy value is evaluated; views stay as they are."""
    return value if isinstance(value, ArrayValue) else materialise(gen, value, type_)


# Shapes.


def _dim(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    value = gen.any(expr.args[0])
    axis = expr.param("axis")
    if isinstance(value, str) or not isinstance(axis, int):
        raise CompilerBug("dim of a scalar", stm.prov.span)
    return [value.dims[axis]]


def _full(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    target = gen.fresh(stm.outs[0], extents(gen, stm, expr, 1))
    fill_from(gen, target, gen.scalar(expr.args[0]))
    return [target]


def _iota(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    target = gen.fresh(stm.outs[0], extents(gen, stm, expr, 0))
    gen.loop(target.dims[0], lambda k: gen.write(DType.I64, k, gen.at(target, k)))
    return [target]


def _array_of(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    shape = expr.param("shape")
    assert isinstance(shape, tuple)
    target = gen.fresh(stm.outs[0], [str(n) for n in shape])
    for k, atom in enumerate(expr.args):
        gen.write(target.type.dtype, gen.scalar(atom), gen.at(target, str(k)))
    return [target]


def _copy(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    value = gen.any(expr.args[0])
    if isinstance(value, str):
        return [value]
    if isinstance(value, Lazy) or stm.outs[0] in gen.on_stack:
        target = gen.fresh(stm.outs[0], value.dims)
        fill_from(gen, target, value)
        return [target]
    return [copy_array(gen, value)]


# Aliases: the base's memory read through other extents and strides.


def _strides(gen: Gen, value: ArrayValue) -> list[str]:
    if value.strides is not None:
        return list(value.strides)
    strides = ["1"]
    for dim in reversed(value.dims[1:]):
        strides.insert(0, gen.f.value(f"mul nsw i64 {strides[0]}, {dim}"))
    return strides


def _slice_view(gen: Gen, base: ArrayValue, spec: str, ops: Sequence[str]) -> ArrayValue:
    f = gen.f
    strides = _strides(gen, base)
    offset, dims, steps = "0", list[str](), list[str]()
    axis = taken = 0
    for letter in spec:
        match letter:
            case "n":
                dims.append("1")
                steps.append("0")
                continue
            case "i":
                offset = f.value(
                    f"add i64 {offset}, {f.value(f'mul i64 {ops[taken]}, {strides[axis]}')}"
                )
                taken += 1
            case "s":
                start, size, step = ops[taken : taken + 3]
                taken += 3
                offset = f.value(
                    f"add i64 {offset}, {f.value(f'mul i64 {start}, {strides[axis]}')}"
                )
                dims.append(size)
                stride = strides[axis]
                steps.append(stride if step == "1" else f.value(f"mul i64 {stride}, {step}"))
            case _:
                dims.append(base.dims[axis])
                steps.append(strides[axis])
        axis += 1
    kind = Type(base.type.dtype, len(dims))
    view = ArrayValue(gen.at(base, offset), tuple(dims), kind, tuple(steps), base.root)
    if len(dims) == 1 and steps[0] == "1":
        return ArrayValue(view.ptr, view.dims, kind, None, base.root)
    return view


def emit_alias(gen: Gen, stm: Stm, expr: Prim) -> ArrayValue:
    """A slice, transpose, reshape or broadcast as a view of its base."""
    f = gen.f
    source = gen.any(expr.args[0])
    if isinstance(source, str) and expr.op == "unbundle":
        return _lanes(gen, _stored(gen, source), stm.outs[0].type)
    if isinstance(source, str):
        target = gen.allocate(stm.outs[0].type, extents(gen, stm, expr, 1))
        fill_from(gen, target, source)
        return target
    base = _in_memory(gen, source, expr.args[0].type)
    resized = expr.op in ("reshape", "broadcast")
    rest = extents(gen, stm, expr, 1) if resized else [gen.scalar(a) for a in expr.args[1:]]
    out = stm.outs[0].type
    match expr.op:
        case "slice":
            return _slice_view(gen, base, str(expr.param("spec")), rest)
        case "transpose":
            perm = expr.param("perm")
            assert isinstance(perm, tuple)
            order = [k for k in perm if isinstance(k, int)]
            strides = _strides(gen, base)
            dims = tuple(base.dims[k] for k in order)
            return ArrayValue(base.ptr, dims, out, tuple(strides[k] for k in order), base.root)
        case "unbundle":
            return _lanes(gen, base, out)
        case "reshape":
            good = f.value(f"icmp eq i64 {gen.size_of(base.dims, 1)}, {gen.size_of(rest, 1)}")
            gen.require(
                good, "ValueError", "cannot reshape array into the new shape", place_of(stm, expr)
            )
            if base.strides is not None:
                base = copy_array(gen, base)
            return ArrayValue(base.ptr, tuple(rest), out, None, base.root)
        case _:
            return _broadcast_view(gen, stm, expr, base, rest)


def _stored(gen: Gen, bundle: str) -> ArrayValue:
    """A bundle as an array of one."""
    stored = gen.allocate(Type(DType.BUNDLE, 1), ["1"])
    gen.write(DType.BUNDLE, bundle, stored.ptr)
    return stored


def _lanes(gen: Gen, base: ArrayValue, out: Type) -> ArrayValue:
    """The floats of bundles as a last axis."""
    dims = (*base.dims, str(WIDTH))[-out.rank :]
    if base.strides is None:
        return ArrayValue(base.ptr, dims, out, None, base.root)
    steps = (*(gen.f.value(f"mul i64 {s}, {WIDTH}") for s in base.strides), "1")
    return ArrayValue(base.ptr, dims, out, steps, base.root)


def _unit(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """Basis vectors: one, or a bundle of them. A 1 that is not at a place is left out."""
    f = gen.f
    offset = expr.param("offset")
    k = f.value(f"sub i64 {gen.scalar(expr.args[0])}, {offset}")
    out = stm.outs[0].type
    lanes = WIDTH if out.is_bundle else 1
    if out.is_scalar:
        return [_scalar_unit(gen, k, lanes)]
    zeros = zeroed(gen, stm, extents(gen, stm, expr, 1))
    flat = ArrayValue(zeros.ptr, zeros.dims, Type(DType.F64, 1))
    count = gen.count(zeros.dims)

    def lane(number: str) -> None:
        place = f.value(f"add i64 {k}, {number}")

        def one() -> None:
            at = f.value(f"add i64 {f.value(f'mul i64 {place}, {lanes}')}, {number}")
            gen.write(DType.F64, "1.0", gen.at(flat, at))

        gen.choose(f.value(f"icmp ult i64 {place}, {count}"), one, lambda: None)

    gen.loop(str(lanes), lane)
    return [zeros]


def _scalar_unit(gen: Gen, k: str, lanes: int) -> str:
    f = gen.f
    if lanes == 1:
        return f.value(f"select i1 {f.value(f'icmp eq i64 {k}, 0')}, double 1.0, double 0.0")
    value = "zeroinitializer"
    for lane in range(lanes):
        hit = f.value(f"icmp eq i64 {k}, {-lane}")
        one = f.value(f"select i1 {hit}, double 1.0, double 0.0")
        value = f.value(f"insertelement {BUNDLE} {value}, double {one}, i64 {lane}")
    return value


def _broadcast_view(
    gen: Gen, stm: Stm, expr: Prim, base: ArrayValue, dims: list[str]
) -> ArrayValue:
    f = gen.f
    strides = _strides(gen, base)
    lead = len(dims) - len(base.dims)
    steps = ["0"] * lead
    for mine, stride, want in zip(base.dims, strides, dims[lead:], strict=True):
        one = f.value(f"icmp eq i64 {mine}, 1")
        fits = f.value(f"or i1 {one}, {f.value(f'icmp eq i64 {mine}, {want}')}")
        message = "operands could not be broadcast together: extents {0} and {1}"
        gen.require(fits, "ValueError", message, place_of(stm, expr), [mine, want])
        steps.append(f.value(f"select i1 {one}, i64 0, i64 {stride}"))
    return ArrayValue(base.ptr, tuple(dims), stm.outs[0].type, tuple(steps), base.root)


def _alias_copied(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """The same where the base does not live long enough (or the result is taken over): a copy."""
    if expr.args[0].type.is_scalar:
        return [emit_alias(gen, stm, expr)]
    return [copy_array(gen, emit_alias(gen, stm, expr))]


# Indexing.


def _index(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    base = gen.array(expr.args[0])
    index = bounds.within(gen, stm, expr, base, expr.args[1:])
    return [gen.read(base.type.dtype, gen.address(base, index))]


def _prefetch(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """Asks for an element that will be read or written; nothing waits for it."""
    base = gen.array(expr.args[0])
    place = gen.address(base, [gen.scalar(a) for a in expr.args[1:]])
    write, near, data = (("i32", str(int(_writes(expr)))), ("i32", "3"), ("i32", "1"))
    gen.f.call_void("llvm.prefetch.p0", [("ptr", place), write, near, data])
    return []


def _writes(expr: Prim) -> bool:
    """Whether what is asked for will be written."""
    return bool(dict(expr.params).get("write", True))


def _update(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    base = gen.array(expr.args[0])
    index = bounds.within(gen, stm, expr, base, expr.args[2:])
    gen.write(base.type.dtype, gen.scalar(expr.args[1]), gen.address(base, index))
    return [base]


def _add_at(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    base = gen.array(expr.args[0])
    place = gen.address(base, [gen.scalar(a) for a in expr.args[2:]])
    dtype = base.type.dtype
    old = gen.read(dtype, place)
    gen.write(
        dtype,
        emit_scalar(gen.f, "add", [old, gen.scalar(expr.args[1])], [dtype, dtype], dtype),
        place,
    )
    return [base]


def _into_slice(combine: str | None) -> Handler:
    def handler(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
        base = gen.array(expr.args[0])
        value = gen.any(expr.args[1])
        ops = [gen.scalar(a) for a in expr.args[2:]]
        view = _slice_view(gen, base, str(expr.param("spec")), ops)
        if not isinstance(value, str):
            _fits(gen, stm, expr, value.dims, view.dims)
        fill_from(gen, view, value, combine)
        return [base]

    return handler


def _fits(gen: Gen, stm: Stm, expr: Prim, source: Sequence[str], target: Sequence[str]) -> None:
    """ValueError where a value does not stretch to the slice that it is assigned to."""
    f = gen.f
    lead = len(target) - len(source)
    for mine, want in zip(source, target[max(lead, 0) :], strict=False):
        if mine == want:
            continue
        same = f.value(f"icmp eq i64 {mine}, {want}")
        good = f.value(f"or i1 {same}, {f.value(f'icmp eq i64 {mine}, 1')}")
        message = "could not broadcast input array: extent {0} into {1}"
        gen.require(good, "ValueError", message, place_of(stm, expr), [mine, want])


def _accumulate(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    base, extra = gen.any(expr.args[0]), gen.any(expr.args[1])
    if isinstance(base, str):
        kind = expr.args[0].type.dtype
        assert isinstance(extra, str)
        return [emit_scalar(gen.f, "add", [base, extra], [kind, kind], kind)]
    target = gen.array(expr.args[0])
    if not isinstance(extra, str):
        for m, n in zip(target.dims, extra.dims, strict=True):
            same = gen.f.value(f"icmp eq i64 {gen.lengths.name(m)}, {gen.lengths.name(n)}")
            message = "cotangents of different shapes are added: this is a mistake of the compiler"
            gen.require(same, "ValueError", message, place_of(stm, expr))
            gen.lengths.passed("same", gen.lengths.name(m), gen.lengths.name(n))
    fill_from(gen, target, extra, "add")
    return [base]


# Checks.


def _check_extents(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    f = gen.f
    m, n = (gen.lengths.name(gen.scalar(a)) for a in expr.args)
    if m == n:
        return []
    good = f.value(f"icmp eq i64 {m}, {n}")
    stretched = {"fit": (m, n), "stretch": (m,), "same": ()}[str(expr.param("how"))]
    for extent in stretched:
        good = f.value(f"or i1 {good}, {f.value(f'icmp eq i64 {extent}, 1')}")
    gen.require(good, "ValueError", str(expr.param("message")), place_of(stm, expr), [m, n])
    gen.lengths.passed(str(expr.param("how")), m, n)
    return []


def _common_extent(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    f = gen.f
    m, n = (gen.lengths.name(gen.scalar(a)) for a in expr.args)
    if m == n or gen.lengths.is_plural(m):
        return [m]
    return [f.value(f"select i1 {f.value(f'icmp eq i64 {m}, 1')}, i64 {n}, i64 {m}")]


_TOO_LARGE = "integer overflow: the result needs more than 64 bits"


def _fitting(gen: Gen, stm: Stm, expr: Prim, op: str, a: str, b: str) -> str:
    """`a op b` of two ints, where it has 64 bits."""
    f = gen.f
    pair = f.value(f"call {{i64, i1}} @llvm.{op}.with.overflow.i64(i64 {a}, i64 {b})")
    over = f.value(f"extractvalue {{i64, i1}} {pair}, 1")
    good = f.value(f"xor i1 {over}, true")
    gen.require(good, "OverflowError", _TOO_LARGE, place_of(stm, expr))
    return f.value(f"extractvalue {{i64, i1}} {pair}, 0")


def _checked_int(name: str) -> Handler:
    def handler(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
        a = [gen.scalar(arg) for arg in expr.args]
        if name == "usub" and len(a) == 1:
            a = ["0", a[0]]
        op = {"usub": "ssub"}.get(name, name)
        return [_fitting(gen, stm, expr, op, a[0], a[1])]

    return handler


def _iabs(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    f = gen.f
    value = gen.scalar(expr.args[0])
    good = f.value(f"icmp ne i64 {value}, -9223372036854775808")
    gen.require(good, "OverflowError", _TOO_LARGE, place_of(stm, expr))
    return [f.call("i64", "llvm.abs.i64", [("i64", value), ("i1", "false")])]


def _ipow(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """Repeated squares, each product checked.

    The last square is a factor of the result: so one of them is too large only if that is.
    """
    f = gen.f
    base, exponent = (gen.scalar(a) for a in expr.args)
    result, square = f.slot("i64"), f.slot("i64")
    f.store("i64", "1", result)
    f.store("i64", base, square)
    zeros = f.call("i64", "llvm.ctlz.i64", [("i64", exponent), ("i1", "false")])
    count = f.value(f"sub i64 64, {zeros}")

    def product(a: str, b: str) -> str:
        return _fitting(gen, stm, expr, "smul", a, b)

    def step(k: str) -> None:
        own = f.load("i64", square)
        rest = f.value(f"lshr i64 {exponent}, {k}")
        odd = f.value(f"trunc i64 {rest} to i1")
        factor = f.value(f"select i1 {odd}, i64 {own}, i64 1")
        f.store("i64", product(f.load("i64", result), factor), result)
        more = f.value(f"icmp ugt i64 {rest}, 1")
        root = f.value(f"select i1 {more}, i64 {own}, i64 1")
        f.store("i64", product(root, root), square)

    gen.loop(count, step)
    return [f.load("i64", result)]


ARRAY_OPS: dict[str, Handler] = {
    "dim": _dim,
    "zeros": zeros,
    "empty": zeros,
    "zeros_around": zeros_around,
    "full": _full,
    "iota": _iota,
    "array_of": _array_of,
    "copy": _copy,
    "slice": _alias_copied,
    "transpose": _alias_copied,
    "unbundle": _alias_copied,
    "unit": _unit,
    "units": _unit,
    "reshape": _alias_copied,
    "broadcast": _alias_copied,
    "index": _index,
    "prefetch": _prefetch,
    "update": _update,
    "add_at": _add_at,
    "update_slice": _into_slice(None),
    "add_slice": _into_slice("add"),
    "wrap": bounds.wrap,
    "check_index": bounds.check_index,
    "accumulate": _accumulate,
    "check": effects.check,
    "output": effects.output,
    "check_extents": _check_extents,
    "common_extent": _common_extent,
    "iadd": _checked_int("sadd"),
    "isub": _checked_int("ssub"),
    "imul": _checked_int("smul"),
    "ineg": _checked_int("usub"),
    "iabs": _iabs,
    "ipow": _ipow,
    "push": tape.push,
    "pop": tape.pop,
    "random_bits": random_bits,
    **reductions.REDUCTIONS,
    **lapack.LAPACK_OPS,
}
