"""Elementwise array code: broadcasting, fused evaluation, materialisation.

A result is evaluated in one loop over all elements where every operand has the result's extents
and no gaps, otherwise in a loop nest. Only where an operand is stretched along one of its own axes
the stride is chosen at run time, which LLVM makes gathers of: there are two versions of the code
where that is not known. What is the same for all elements of a row and takes long, such as a root,
is calculated for a block of rows in lanes, before these rows: one at a time would wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from retrograd.backends.llvm.gen import AnyValue, Gen, Lazy
from retrograd.backends.llvm.scalar import emit_scalar, in_library
from retrograd.backends.llvm.text import ArrayValue
from retrograd.errors import Span
from retrograd.ir.types import F64, Type

__all__ = [
    "Elements", "broadcast_dims", "contiguous", "copy_array", "fill_from", "flat_reader",
    "leaves", "materialise", "nest_code", "parts", "unstretched",
]  # fmt: skip

Reader = Callable[[Sequence[str]], str]

_ROWS = 32
"""Rows of a block: a few vectors of the widest kind."""


class _Walk(Enum):
    """How the elements of the result are visited, and with which strides those of the operands."""

    FLAT = auto()  # one loop over all
    NEST = auto()  # a loop for each axis
    STRETCHED = auto()  # the same, and operands may have the extent 1 where the result has not


def broadcast_dims(
    gen: Gen, values: Sequence[AnyValue], rank: int, span: Span | None
) -> tuple[str, ...]:
    """Extents of an elementwise result; ValueError at run time where operands do not fit."""
    f = gen.f
    dims: list[str] = []
    shapes = [v.dims for v in values if not isinstance(v, str)]
    for axis in range(rank):
        found: list[str] = []
        for shape in shapes:
            position = axis - (rank - len(shape))
            name = gen.lengths.name(shape[position]) if position >= 0 else ""
            if position >= 0 and name not in found:
                found.append(name)
        if len(found) > 1:
            found = [dim for dim in found if dim != "1"]
        current = found[0]
        for other in found[1:]:
            same = f.value(f"icmp eq i64 {current}, {other}")
            one_a = f.value(f"icmp eq i64 {current}, 1")
            one_b = f.value(f"icmp eq i64 {other}, 1")
            fits = f.value(f"or i1 {same}, {f.value(f'or i1 {one_a}, {one_b}')}")
            message = "operands could not be broadcast together: extents {0} and {1}"
            gen.require(fits, "ValueError", message, span, [current, other])
            gen.lengths.passed("fit", current, other)
            if gen.lengths.is_plural(other) or gen.lengths.is_plural(current):
                current = current if gen.lengths.is_plural(current) else other
                continue
            current = f.value(f"select i1 {one_a}, i64 {other}, i64 {current}")
        dims.append(current)
    return tuple(dims)


def parts(value: AnyValue) -> list[AnyValue]:
    """What evaluating `value` evaluates or reads, itself among them, each once."""
    found: dict[int, AnyValue] = {}
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if id(part) not in found:
            found[id(part)] = part
            waiting += reversed(part.args) if isinstance(part, Lazy) else ()
    return list(found.values())


def leaves(value: AnyValue) -> list[ArrayValue]:
    """The arrays in memory that evaluating `value` reads."""
    return [part for part in parts(value) if isinstance(part, ArrayValue)]


def _reader(
    gen: Gen, value: AnyValue, dims: Sequence[str], walk: _Walk,
    given: Mapping[int, Reader] | None = None,
) -> Reader:  # fmt: skip
    """Code that gives the element of `value` at an index of a result with these extents; `given`
    is that of some of the operands, by identity."""
    elements = Elements(gen, dims, walk, dict(given or {}))
    reader = elements.reader(value)

    def read(index: Sequence[str]) -> str:
        elements.found.clear()
        return reader(index)

    return read


@dataclass(frozen=True, slots=True)
class Elements:
    """What is used in several places is evaluated once for each element, at every depth.

    `readers` and `found`, the values of the element that is evaluated, are by identity.
    """

    gen: Gen
    dims: Sequence[str]
    walk: _Walk
    readers: dict[int, Reader]
    found: dict[int, str] = field(default_factory=dict[int, str])

    @staticmethod
    def flat(gen: Gen, dims: Sequence[str]) -> Elements:
        """Those of arrays of these extents, in row-major order."""
        return Elements(gen, dims, _Walk.FLAT, {})

    def at(self, value: AnyValue, k: str) -> str:
        """The k-th element."""
        return self.reader(value)([k])

    def reader(self, value: AnyValue) -> Reader:
        if id(value) not in self.readers:
            self.readers[id(value)] = self.made(value)
        return self.readers[id(value)]

    def made(self, value: AnyValue) -> Reader:
        match value:
            case str():
                return lambda index: value
            case ArrayValue():
                read = _array_reader(self.gen, value, self.dims, self.walk)
            case Lazy():
                read = self.evaluated(value)

        def once(index: Sequence[str]) -> str:
            if id(value) not in self.found:
                self.found[id(value)] = read(index)
            return self.found[id(value)]

        return once

    def evaluated(self, value: Lazy) -> Reader:
        gen, operands = self.gen, list(map(self.reader, value.args))
        if in_library(value.op, value.dtypes[0]):
            gen.shared.math.add(value.op)

        def read(index: Sequence[str]) -> str:
            args = [reader(index) for reader in operands]
            return emit_scalar(gen.f, value.op, args, list(value.dtypes), value.type.dtype)

        return read


def _array_reader(gen: Gen, value: ArrayValue, dims: Sequence[str], walk: _Walk) -> Reader:
    if walk is _Walk.FLAT:
        return lambda index: gen.read(value.type.dtype, gen.at(value, index[0]))
    return _strided_reader(gen, value, dims, walk)


def flat_reader(gen: Gen, value: AnyValue) -> Callable[[str], str] | None:
    """Code for the k-th element in row-major order, where all that is read lies in that order."""
    if isinstance(value, str):
        return None
    name = gen.lengths.name
    dims = list(map(name, value.dims))
    if not _in_order(value) or any(list(map(name, leaf.dims)) != dims for leaf in leaves(value)):
        return None
    return _flat(gen, value)


def _flat(gen: Gen, value: ArrayValue | Lazy) -> Callable[[str], str]:
    reader = _reader(gen, value, value.dims, _Walk.FLAT)
    return lambda k: reader([k])


def unstretched(
    gen: Gen, value: ArrayValue | Lazy
) -> tuple[str, Callable[[], Callable[[str], str]]] | None:
    """Whether nothing that is read is stretched, where only the run can tell, and what makes the
    code for the k-th element then, in row-major order."""
    same = _as_large(gen, value, value.dims) if _in_order(value) else "false"
    return None if same == "false" else (same, lambda: _flat(gen, value))


def nest_code(gen: Gen, value: Lazy, use: Callable[[Reader], None]) -> None:
    """Runs `use(reader)`, with code for the element at an index: twice where only the run can tell
    whether something is stretched."""
    same = _as_large(gen, value, value.dims)

    def code(walk: _Walk) -> None:
        use(_reader(gen, value, value.dims, walk))

    if same in ("true", "false"):
        code(_Walk.NEST if same == "true" else _Walk.STRETCHED)
    else:
        gen.choose(same, lambda: code(_Walk.NEST), lambda: code(_Walk.STRETCHED))


def _in_order(value: ArrayValue | Lazy) -> bool:
    """Whether all that is read has as many axes as the result, and no gaps."""
    rank = len(value.dims)
    return all(leaf.strides is None and len(leaf.dims) == rank for leaf in leaves(value))


def _as_large(gen: Gen, value: AnyValue, dims: Sequence[str]) -> str:
    """Whether all that is read has the extents of the result; "false" where something may have the
    extent 1 only: if the result has it too, code for stretched operands does as well."""
    f, same, name = gen.f, "true", gen.lengths.name
    for leaf in leaves(value):
        pairs = zip(dims[len(dims) - len(leaf.dims) :], leaf.dims, strict=True)
        for mine, theirs in ((name(m), name(t)) for m, t in pairs):
            if mine != theirs and theirs == "1":
                return "false"
            if mine != theirs:
                equal = f.value(f"icmp eq i64 {mine}, {theirs}")
                same = equal if same == "true" else f.value(f"and i1 {same}, {equal}")
    return same


def _strided_reader(gen: Gen, value: ArrayValue, dims: Sequence[str], walk: _Walk) -> Reader:
    f = gen.f
    strides = list(value.strides) if value.strides is not None else _row_major(gen, value)
    lead = len(dims) - len(value.dims)
    if walk is _Walk.STRETCHED:
        pairs = zip(value.dims, dims[lead:], strict=True)
        for k, (mine, wanted) in enumerate(tuple(map(gen.lengths.name, pair)) for pair in pairs):
            if mine == wanted:  # there is but the index 0 where the extent is 1
                continue
            if mine == "1":
                strides[k] = "0"
            else:
                one = f.value(f"icmp eq i64 {mine}, 1")
                strides[k] = f.value(f"select i1 {one}, i64 0, i64 {strides[k]}")
    view = ArrayValue(value.ptr, value.dims, value.type, tuple(strides), value.root)
    return lambda index: gen.read(value.type.dtype, gen.address(view, index[lead:]))


def _row_major(gen: Gen, value: ArrayValue) -> list[str]:
    strides = ["1"]
    for dim in reversed(value.dims[1:]):
        strides.insert(0, gen.f.value(f"mul nsw i64 {strides[0]}, {dim}"))
    return strides


def _each_element(
    gen: Gen,
    value: AnyValue,
    dims: Sequence[str],
    flat: bool,
    use: Callable[[Sequence[str], bool, str], None],
    stretched: bool = False,
) -> None:
    """Runs `use(index, flat, element)` for every element of `value` stretched to `dims`.

    `flat` is whether the index may be one number, the position in row-major order; `stretched`,
    whether something is known to be stretched.
    """
    rank = len(dims)

    def flat_code() -> None:
        reader = _reader(gen, value, dims, _Walk.FLAT)
        gen.loop(gen.count(dims), lambda k: use([k], True, reader([k])), gen.vector_hint())

    def nest_code(walk: _Walk) -> None:
        rows = _dear_rows(gen, value, dims) if walk is _Walk.STRETCHED else []
        found: dict[int, str] = {}
        given = {id(one): _found_in(found, one) for one in rows}
        reader = _reader(gen, value, dims, walk, given)

        def level(axis: int, index: list[str]) -> None:
            if axis == rank:
                use(index, False, reader(index))
            elif rows and axis == rank - 2:
                made = [(id(one), _reader(gen, one, dims, walk)) for one in rows]
                blocks = _Rows(gen, dims[axis], index, made, found)
                blocks.each(lambda k: level(axis + 1, [*index, k]))
            else:
                gen.loop(dims[axis], lambda k: level(axis + 1, [*index, k]), gen.vector_hint())

        level(0, [])

    same = "false" if stretched else _as_large(gen, value, dims)
    if same == "false":
        nest_code(_Walk.STRETCHED)
        return
    in_order = all(leaf.strides is None and len(leaf.dims) == rank for leaf in leaves(value))
    usual = flat_code if flat and in_order else lambda: nest_code(_Walk.NEST)
    if same == "true":
        usual()
    else:
        gen.choose(same, usual, lambda: nest_code(_Walk.STRETCHED))


def _dear_rows(gen: Gen, value: AnyValue, dims: Sequence[str]) -> list[Lazy]:
    """The largest parts of `value` that have an element for each row of the result, and take long
    to calculate."""
    name, prims = gen.lengths.name, gen.shared.planner.prims

    def dear(part: Lazy) -> bool:
        ops = [one.op for one in parts(part) if isinstance(one, Lazy)]
        return any(prims[op].cost >= prims.costs.row_cost for op in ops)

    found: dict[int, Lazy] = {}
    seen: set[int] = set()

    def look(part: AnyValue) -> None:
        if not isinstance(part, Lazy) or id(part) in seen:
            return
        seen.add(id(part))
        ends = [(name(mine), name(theirs)) for mine, theirs in zip(part.dims, dims, strict=False)]
        if len(part.dims) == len(dims) and ends[-1][0] == "1" and ends[-1][1] != "1":
            same = ends[-2][0] == ends[-2][1] and part.type.dtype is F64.dtype
            if same and dear(part):
                found[id(part)] = part
            return
        for arg in part.args:
            look(arg)

    if len(dims) >= 2:
        look(value)
    return list(found.values())


def _found_in(found: Mapping[int, str], part: Lazy) -> Reader:
    return lambda index: found[id(part)]


@dataclass(frozen=True, slots=True)
class _Rows:
    """A loop over rows at an index, in blocks: values of `parts` for the rows of one are made
    first. `found` has those of the row that is gone through, by the identity of the part."""

    gen: Gen
    extent: str
    index: Sequence[str]
    parts: Sequence[tuple[int, Reader]]
    found: dict[int, str]

    def each(self, use: Callable[[str], None]) -> None:
        gen, f = self.gen, self.gen.f
        buffers = [f.slot(f"[{_ROWS} x double]", 64) for _ in self.parts]
        whole = f.value(f"add nsw i64 {self.extent}, {_ROWS - 1}")

        def block(number: str) -> None:
            start = f.value(f"mul nsw i64 {number}, {_ROWS}")
            rest = f.value(f"sub nsw i64 {self.extent}, {start}")
            count = f.call("i64", "llvm.smin.i64", [("i64", rest), ("i64", str(_ROWS))])

            def place(buffer: str, k: str) -> str:
                return f.value(f"getelementptr inbounds double, ptr {buffer}, i64 {k}")

            def make(k: str) -> None:
                at = [*self.index, f.value(f"add nsw i64 {start}, {k}"), "0"]
                for buffer, (_, reader) in zip(buffers, self.parts, strict=True):
                    f.store("double", reader(at), place(buffer, k))

            def row(k: str) -> None:
                for buffer, (part, _) in zip(buffers, self.parts, strict=True):
                    self.found[part] = f.load("double", place(buffer, k))
                use(f.value(f"add nsw i64 {start}, {k}"))

            gen.loop(count, make, gen.vector_hint())
            gen.loop(count, row, gen.vector_hint())

        gen.loop(f.value(f"sdiv i64 {whole}, {_ROWS}"), block)


def fill_from(
    gen: Gen, target: ArrayValue, value: AnyValue, combine: str | None = None,
    stretched: bool = False,
) -> None:  # fmt: skip
    """target[...] = value, or target[...] = combine(target[...], value), stretched to the target.

    A target with gaps is walked as a nest; `stretched` is as for `materialise`.
    """

    def use(index: Sequence[str], flat: bool, element: str) -> None:
        place = gen.at(target, index[0]) if flat else gen.address(target, index)
        if combine is not None:
            old = gen.read(target.type.dtype, place)
            dtype = target.type.dtype
            element = emit_scalar(gen.f, combine, [old, element], [dtype, dtype], dtype)
        gen.write(target.type.dtype, element, place)

    _each_element(gen, value, target.dims, target.strides is None, use, stretched)


def materialise(gen: Gen, value: AnyValue, type_: Type, stretched: bool = False) -> ArrayValue:
    """A fresh row-major array with the elements of `value` (a Lazy or a view).

    `stretched`: something that it reads is known to be stretched.
    """
    if isinstance(value, str):
        raise AssertionError("a scalar has no array to materialise")
    target = gen.allocate(type_, value.dims)
    fill_from(gen, target, value, stretched=stretched)
    return target


def copy_array(gen: Gen, value: ArrayValue) -> ArrayValue:
    """A fresh row-major copy."""
    if value.strides is not None:
        return materialise(gen, value, value.type)
    target = gen.allocate(value.type, value.dims)
    size = gen.f.value(f"mul i64 {gen.count(value.dims)}, {value.type.dtype.size}")
    gen.f.call_void(
        "llvm.memcpy.p0.p0.i64",
        [("ptr", target.ptr), ("ptr", value.ptr), ("i64", size), ("i1", "false")],
    )
    return target


def contiguous(gen: Gen, value: AnyValue, type_: Type) -> tuple[ArrayValue, bool]:
    """The value as a row-major array, and whether it is a temporary that the caller must free."""
    if isinstance(value, ArrayValue) and value.strides is None:
        return value, False
    return materialise(gen, value, type_), True
