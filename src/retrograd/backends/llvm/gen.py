"""The state of generating one function, and what every part of the generator shares.

A `Gen` knows the text so far, the value of each variable, the module's error table and the
lifetimes of the block that is being emitted. Checks end in one common failure exit per function,
which returns status 1 after the error's number has been written to the context.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from retrograd.backends.llvm.lengths import Lengths
from retrograd.backends.llvm.metadata import CONTEXT_TBAA, TBAA
from retrograd.backends.llvm.plan import Planner
from retrograd.backends.llvm.roles import Interrupts, Role
from retrograd.backends.llvm.sites import SHOWN_WORDS, ErrorSite
from retrograd.backends.llvm.tape_blocks import TapeBlock
from retrograd.backends.llvm.text import (
    ArrayValue,
    FunctionText,
    Value,
    float_text,
    llvm_scalar,
    memory_scalar,
)  # fmt: skip
from retrograd.errors import CompilerBug, Span
from retrograd.ir.terms import Atom, Lit, Program, Var
from retrograd.ir.types import DType, Type
from retrograd.runtime.layout import field_offset
from retrograd.transforms.analysis.shapes import Shapes as Extents
from retrograd.transforms.points.heavy_points import HeavyPoints

__all__ = ["ErrorSite", "Gen", "Interrupts", "Lazy", "Role", "Shapes", "Shared"]

Shapes = dict[tuple[int, int], tuple[str, ...]]
"""The LLVM types of the words of a frame, by function number and point."""

_FEW = 4
"""Iterations up to which LLVM is told nothing of a loop, and makes a line of statements of it."""


@dataclass(slots=True)
class Shared:
    """What the functions of one module share.

    `offloads`: arrays of the tape may leave memory, to those `folders`, by number.
    """

    program: Program
    planner: Planner
    recursive: frozenset[str]
    extents: Mapping[str, Extents]
    popping: frozenset[str] = frozenset()
    sweeps: bool = False
    inner: Mapping[str, int] = field(default_factory=dict[str, int])
    errors: list[ErrorSite] = field(default_factory=list[ErrorSite])
    math: set[str] = field(default_factory=set[str])
    metadata: list[str] = field(default_factory=list[str])
    stamp: int = 100
    frames: Shapes = field(default_factory=dict[tuple[int, int], tuple[str, ...]])
    constants: dict[tuple[int, ...], str] = field(default_factory=dict[tuple[int, ...], str])
    heavy: HeavyPoints = field(default_factory=HeavyPoints)
    offloads: bool = False
    folders: dict[str, int] = field(default_factory=dict[str, int])

    def error(
        self, kind: str, message: str | tuple[Any, ...], span: Span | None,
        types: tuple[str, ...] = (),
    ) -> int:  # fmt: skip
        """The number of an error site (from 1), shared between equal ones."""
        site = ErrorSite(kind, message, span, types)
        if site not in self.errors:
            self.errors.append(site)
        return self.errors.index(site) + 1

    def places(self, positions: Sequence[int]) -> str:
        """A constant that lists positions, after their number."""
        known = self.constants.setdefault(tuple(positions), f"@rg.places.{len(self.constants)}")
        return known

    def constants_text(self) -> str:
        """The constants that `places` has named."""
        lines: list[str] = []
        for positions, name in self.constants.items():
            words = ", ".join(f"i64 {k}" for k in (len(positions), *positions))
            lines.append(
                f"{name} = private unnamed_addr constant [{1 + len(positions)} x i64] [{words}]"
            )
        return "\n".join(lines)

    def node(self, text: str, distinct: bool = False) -> str:
        """A new metadata node; `{self}` in the text stands for its own name."""
        self.stamp += 1
        name = f"!{self.stamp}"
        word = "distinct " if distinct else ""
        self.metadata.append(f"{name} = {word}{text.replace('{self}', name)}")
        return name


@dataclass(frozen=True, slots=True)
class Lazy:
    """An elementwise result that its only consumer evaluates, element by element."""

    op: str
    args: tuple[Value | Lazy, ...]
    dtypes: tuple[DType, ...]
    type: Type
    dims: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a loop over elements does that waits for others (`fused_loops`): each element of `value`
    becomes one of `target`, or is added to it, or to the sum that `out` is then."""

    out: Var
    value: AnyValue
    target: ArrayValue | None = None
    adds: bool = False


@dataclass(frozen=True, slots=True)
class Home:
    """A value that lives across an execution point: in stack slots, which fill a frame."""

    slots: tuple[str, ...]
    type: Type


AnyValue = Value | Lazy


def _aligned(dtype: DType) -> str:
    """Arrays of bundles have the alignment of every array, which is less than LLVM assumes."""
    return ", align 64" if dtype is DType.BUNDLE else ""


@dataclass(slots=True)
class Gen:
    """Generation of one function.

    `apart` has, inside a loop with alias facts, the metadata of accesses for each buffer; `buffer`
    the buffer that an address points into. `here` is the user's line of the statement
    being emitted. `unrecorded` are copies that would only be recorded, where nothing is. `same` has
    the address that an array may share, for the addresses of such arrays. `wrapped` has what was
    given for places that came round in this block, until they are checked. `waiting` are loops
    that the last of them is joined with.
    """

    f: FunctionText
    shared: Shared
    lengths: Lengths
    env: dict[Var, AnyValue | Home] = field(default_factory=dict[Var, "AnyValue | Home"])
    interrupts: Interrupts | None = None
    failures: dict[int, str] = field(default_factory=dict[int, str])
    callers: dict[int, str] = field(default_factory=dict[int, str])
    can_fail: bool = False
    tape_block: TapeBlock | None = None
    here: Span | None = None
    apart: Mapping[str, str] = field(default_factory=dict[str, str])
    buffer: dict[str, str] = field(default_factory=dict[str, str])
    on_stack: frozenset[Var] = frozenset()
    shapes: frozenset[Var] = frozenset()
    slots: set[str] = field(default_factory=set[str])
    taped: set[str] = field(default_factory=set[str])
    unrecorded: frozenset[Var] = frozenset()
    same: dict[str, str] = field(default_factory=dict[str, str])
    wrapped: dict[Var, str] = field(default_factory=dict[Var, str])
    waiting: list[Waiting] = field(default_factory=list["Waiting"])

    @property
    def role(self) -> Role | None:
        """What the code is for, None where it is never interrupted."""
        return None if self.interrupts is None else self.interrupts.role

    def symbol(self, function: str) -> str:
        """The name in the module of a function that may be interrupted where this one may."""
        role = self.role
        return f"rg.{function}" if role is None else f"rg.{function}{role.value}"

    # Values of atoms.

    def any(self, atom: Atom) -> AnyValue:
        if isinstance(atom, Lit):
            return self._literal(atom)
        value = self.env[atom]
        if not isinstance(value, Home):
            return value
        loaded = self.load_value(value.slots, value.type)
        if not isinstance(loaded, ArrayValue):
            return loaded
        # However often it is loaded, it is one buffer.
        return replace(self.lengths.array(atom, loaded), root=value.slots[0])

    def settle(self, variables: Iterable[Var]) -> None:
        """Calls the extents of what has just been bound by their names."""
        for var in variables:
            match self.env.get(var):
                case str(value):
                    self.env[var] = self.lengths.scalar(var, value)
                case ArrayValue() as value:
                    self.env[var] = self.lengths.array(var, value)
                case Lazy() as value:
                    self.env[var] = replace(value, dims=self.lengths.extents(var, value.dims))
                case _:
                    pass

    def _literal(self, lit: Lit) -> str:
        match lit.type.dtype:
            case DType.F64:
                return float_text(float(lit.value))
            case DType.I64:
                return str(int(lit.value))
            case DType.BOOL:
                return "true" if lit.value else "false"
            case DType.BUNDLE:
                raise CompilerBug("a literal bundle")

    def scalar(self, atom: Atom) -> str:
        value = self.any(atom)
        if not isinstance(value, str):
            raise CompilerBug(f"{atom} is not a scalar in code generation")
        return value

    def array(self, atom: Atom) -> ArrayValue:
        value = self.any(atom)
        if not isinstance(value, ArrayValue):
            raise CompilerBug(f"{atom} is not an array in code generation")
        return value

    # Values in stack slots.

    def make_slots(self, type_: Type) -> list[str]:
        """Slots for a value: one for a scalar; pointer and extents for an array."""
        if type_.is_scalar:
            return [self.f.slot(llvm_scalar(type_.dtype))]
        return [self.f.slot("ptr"), *(self.f.slot("i64") for _ in range(type_.rank))]

    def store_value(self, slots: Sequence[str], value: AnyValue, type_: Type) -> None:
        if isinstance(value, str):
            self.f.store(llvm_scalar(type_.dtype), value, slots[0])
        elif isinstance(value, ArrayValue):
            self.f.store("ptr", value.ptr, slots[0])
            for slot, dim in zip(slots[1:], value.dims, strict=True):
                self.f.store("i64", dim, slot)
        else:
            raise CompilerBug("a lazy value has no slots")

    def load_value(self, slots: Sequence[str], type_: Type) -> AnyValue:
        if type_.is_scalar:
            return self.f.load(llvm_scalar(type_.dtype), slots[0])
        ptr = self.f.load("ptr", slots[0])
        dims = tuple(self.f.load("i64", slot) for slot in slots[1:])
        return ArrayValue(ptr, dims, type_, None, ptr)

    # The context.

    def field(self, name: str) -> str:
        return self.f.value(f"getelementptr i8, ptr %ctx, i64 {field_offset(name)}")

    def read_field(self, name: str, llvm_type: str = "i64") -> str:
        return self.f.load(llvm_type, self.field(name), f", {CONTEXT_TBAA}")

    def write_field(self, name: str, value: str, llvm_type: str = "i64") -> None:
        self.f.store(llvm_type, value, self.field(name), f", {CONTEXT_TBAA}")

    # Failure.

    def require(
        self, cond: str, kind: str, message: str | tuple[Any, ...], span: Span | None,
        aux: Sequence[str] = (), types: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        """Goes on where `cond` holds, else the function fails. `{0}`, `{1}` in messages: aux.

        `aux` are words; of which types they are made says `types`, where the message shows them.
        """
        if cond == "true":
            return
        number = self.shared.error(kind, message, span, types)
        self.can_fail = True
        good = self.f.fresh("ok")
        bad = self.f.fresh("bad") if aux else self.failures.setdefault(number, f"failed{number}")
        self.f.branch(cond, good, bad, ", !prof !20")
        if aux:
            self.f.label(bad)
            for name, value in zip(SHOWN_WORDS, aux, strict=False):
                self.write_field(name, value)
            self.f.jump(self.failures.setdefault(number, f"failed{number}"))
        self.f.label(good)

    def fail(self) -> None:
        """Ends the function's text with what fails in it: the number of the error is noted."""
        for number, label in self.failures.items():
            self.f.label(label)
            self.write_field("error", str(number))
            if (span := self.shared.errors[number - 1].span) is not None and span.shared:
                self.write_field("place", "0")
            self.f.jump("fail")

    def propagate(self, status: str, failed: str = "fail") -> None:
        """Fails where a called function has failed, which goes on at the label `failed`."""
        self.can_fail = True
        good = self.f.fresh("ok")
        cond = self.f.value(f"icmp eq i32 {status}, 0")
        self.f.branch(cond, good, failed, ", !prof !20")
        self.f.label(good)

    # Arrays.

    def count(self, dims: Sequence[str]) -> str:
        """Number of elements."""
        total = dims[0]
        for dim in dims[1:]:
            total = self.f.value(f"mul nsw i64 {total}, {dim}")
        return total

    def allocate(self, type_: Type, dims: Sequence[str]) -> ArrayValue:
        """A fresh row-major array, not initialised; MemoryError where it does not fit."""
        if len(dims) <= 2 and not all(map(str.isdecimal, dims)):
            words = [("i64", d) for d in (*dims, str(type_.dtype.size))]
            name = f"rg_alloc_{len(dims)}"
        else:
            words, name = [("i64", self.size_of(dims, type_.dtype.size))], "rg_alloc"
        ptr = self.f.call("noalias ptr", name, [("ptr", "%ctx"), *words])
        good = self.f.value(f"icmp ne ptr {ptr}, null")
        message = "an array of {0} bytes does not fit in memory"  # the allocator has noted these
        self.require(good, "MemoryError", message, self.here)
        return ArrayValue(ptr, tuple(dims), type_, None, ptr)

    def size_of(self, dims: Sequence[str], element: int) -> str:
        """Bytes of an array; where 63 bits cannot hold that, a number that no memory has."""
        f = self.f
        if all(map(str.isdecimal, dims)):
            return str(min(math.prod(map(int, dims)) * element, 2**63 - 1))
        total, flags = dims[0], list[str]()
        for dim in dims[1:]:
            pair = f.value(f"call {{i64, i1}} @llvm.umul.with.overflow.i64(i64 {total}, i64 {dim})")
            total = f.value(f"extractvalue {{i64, i1}} {pair}, 0")
            flags.append(f.value(f"extractvalue {{i64, i1}} {pair}, 1"))
        huge = f.value(f"icmp ugt i64 {total}, {2**59}")
        for flag in flags:
            huge = f.value(f"or i1 {huge}, {flag}")
        size = f.value(f"mul i64 {total}, {element}")
        return f.value(f"select i1 {huge}, i64 {2**63 - 1}, i64 {size}")

    def fresh(self, out: Var, dims: Sequence[str]) -> ArrayValue:
        """A fresh array for the result of a statement, in the frame where that may be.

        The result has to be this array itself, not one that is loaded: nothing would know of it
        that it is never freed.
        """
        if out in self.on_stack and all(map(str.isdecimal, dims)):
            return self._stack_array(out.type, dims)
        return self.allocate(out.type, dims)

    def _stack_array(self, type_: Type, dims: Sequence[str]) -> ArrayValue:
        """An array of known size in the frame; it is never freed."""
        count = math.prod(int(d) for d in dims)
        ptr = self.f.slot(f"[{count} x {memory_scalar(type_.dtype)}]", 64)
        self.slots.add(ptr)
        return ArrayValue(ptr, tuple(dims), type_, None, ptr)

    def free(self, value: ArrayValue) -> None:
        if value.ptr in self.slots or value.ptr == "null":
            return
        if value.ptr in self.taped:  # what is pushed from now on may be written there
            self.f.emit('fence syncscope("singlethread") seq_cst')
            return
        if value.ptr in self.same:
            other = self.f.value(f"icmp ne ptr {value.ptr}, {self.same[value.ptr]}")
            self.choose(other, lambda: self._free(value), lambda: None)
        else:
            self._free(value)

    def _free(self, value: ArrayValue) -> None:
        self.f.call_void("rg_free", [("ptr", "%ctx"), ("ptr", value.ptr)])

    def owned_by(self, value: ArrayValue, owner: str | None = None) -> None:
        """Notes in an array's block, where sweeps share a context, who has it: who runs now."""
        if self.shared.sweeps:
            place = self.f.value(f"getelementptr i8, ptr {value.ptr}, i64 -40")
            self.f.store("i64", owner or self.read_field("owner"), place)

    def address(self, value: ArrayValue, index: Sequence[str]) -> str:
        """Pointer to one element."""
        return self.at(value, self.offset(value, index))

    def offset(self, value: ArrayValue, index: Sequence[str]) -> str:
        """Position of an element from the first one, in elements."""
        if value.strides is None:
            flat = index[0]
            for dim, k in zip(value.dims[1:], index[1:], strict=True):
                flat = self.f.value(f"mul nsw i64 {flat}, {dim}")
                flat = self.f.value(f"add nsw i64 {flat}, {k}")
            return flat
        parts = [
            k if s == "1" else self.f.value(f"mul nsw i64 {k}, {s}")
            for k, s in zip(index, value.strides, strict=True)
        ]
        flat = parts[0]
        for part in parts[1:]:
            flat = self.f.value(f"add nsw i64 {flat}, {part}")
        return flat

    def at(self, value: ArrayValue, offset: str) -> str:
        kind = memory_scalar(value.type.dtype)
        place = self.f.value(f"getelementptr inbounds {kind}, ptr {value.ptr}, i64 {offset}")
        self.buffer[place] = value.root
        return place

    def facts(self, dtype: DType, ptr: str) -> str:
        """What is known of an access to an element: its type, and what it cannot overlap with."""
        return f"{_aligned(dtype)}, {TBAA[dtype]}" + self.apart.get(self.buffer.get(ptr, ""), "")

    def read(self, dtype: DType, ptr: str) -> str:
        """Loads an element into a register."""
        raw = self.f.load(memory_scalar(dtype), ptr, self.facts(dtype, ptr))
        return self.f.value(f"trunc i8 {raw} to i1") if dtype is DType.BOOL else raw

    def write(self, dtype: DType, value: str, ptr: str) -> None:
        if dtype is DType.BOOL:
            value = self.f.value(f"zext i1 {value} to i8")
        self.f.store(memory_scalar(dtype), value, ptr, self.facts(dtype, ptr))

    # Loops of the generator's own.

    def loop(self, trips: str, body: Callable[[str], None], tail: str = "") -> None:
        """`for k in 0 .. trips-1: body(k)`; `tail` is metadata for the back edge."""
        f = self.f
        start, head, inside, after = (f.fresh(n) for n in ("start", "head", "body", "after"))
        latch = f.fresh("latch")
        k, step = "%" + f.fresh("k"), "%" + f.fresh("k")
        f.label(start)
        f.label(head)
        f.emit(f"{k} = phi i64 [0, %{start}], [{step}, %{latch}]")
        more = f.value(f"icmp slt i64 {k}, {trips}")
        f.branch(more, inside, after)
        f.label(inside)
        body(k)
        f.label(latch)
        f.emit(f"{step} = add nuw nsw i64 {k}, 1")
        few = trips.isdecimal() and int(trips) <= _FEW
        f.emit(f"br label %{head}{'' if few else tail}")
        f.closed = True
        f.label(after)

    def vector_hint(self) -> str:
        """Metadata for an innermost loop's back edge: vectorise first, do not unroll before."""
        return self._hint('!{!"llvm.loop.unroll.disable"}')

    def rolled_hint(self) -> str:
        """Metadata for the back edge of a loop around others: not several iterations at once."""
        return self._hint('!{!"llvm.loop.unroll.runtime.disable"}')

    def chained_hint(self) -> str:
        """Metadata for a short innermost loop around a chain of additions: four in a row."""
        return self._hint(
            '!{!"llvm.loop.vectorize.enable", i1 false}', '!{!"llvm.loop.unroll.count", i32 4}'
        )

    def _hint(self, *said: str) -> str:
        nodes = ", ".join(["{self}", *map(self.shared.node, said)])
        return f", !llvm.loop {self.shared.node('!{' + nodes + '}', distinct=True)}"

    def choose(self, cond: str, then: Callable[[], None], orelse: Callable[[], None]) -> None:
        """A branch without results."""
        if cond in ("true", "false"):
            (then if cond == "true" else orelse)()
            return
        yes, no, join = (self.f.fresh(n) for n in ("yes", "no", "join"))
        self.f.branch(cond, yes, no)
        self.f.label(yes)
        then()
        self.f.jump(join)
        self.f.label(no)
        orelse()
        self.f.label(join)
