"""The tape: one stack of 8-byte words in reserved memory, its top and limit in the context.

An array residual is pushed as its pointer and extents; the buffer itself belongs to the tape until
popped. An array that is offloaded may leave memory meanwhile (`retrograd.backends.llvm.offload`).
Arrays that are `held` (`retrograd.transforms.checkpoint.copy_elision`) lie on the tape
themselves, below the words of their push; a popped one is read where it lies.
"""

from __future__ import annotations

from collections.abc import Sequence

from retrograd.backends.llvm.elementwise import contiguous
from retrograd.backends.llvm.gen import AnyValue, Gen, Role
from retrograd.backends.llvm.metadata import CONTEXT_TBAA, TAPE_TBAA
from retrograd.backends.llvm.offload import offload, take_back
from retrograd.backends.llvm.plan import held_positions
from retrograd.backends.llvm.runtime_text import TAPED
from retrograd.backends.llvm.text import BUNDLE, ArrayValue, llvm_scalar
from retrograd.errors import CompilerBug
from retrograd.ir.terms import For, Prim, Stm
from retrograd.ir.traverse import stms_deep
from retrograd.ir.types import WIDTH, Type
from retrograd.prims.control import offloaded_in
from retrograd.runtime.layout import ENOUGH

__all__ = ["block_words", "iterations_left", "pop", "push", "reserve", "words"]


def words(type_: Type) -> int:
    """The 8-byte words that a value takes on the tape."""
    if type_.is_scalar:
        return type_.dtype.size // 8 or 1
    return 1 + type_.rank


def block_words(expr: For) -> tuple[int, bool]:
    """The words that an iteration's residuals take, and whether it pushes (rather than pops)."""
    pushes = pops = 0
    for stm in stms_deep(expr.body):
        if isinstance(stm.expr, Prim) and stm.expr.op == "push":
            pushes += sum(words(a.type) for a in stm.expr.args)
        elif isinstance(stm.expr, Prim) and stm.expr.op == "pop":
            pops += sum(words(out.type) for out in stm.outs)
    return max(pushes, pops), pushes > 0


def reserve(gen: Gen, size: str) -> str:
    """Takes `size` bytes from the top of the tape; MemoryError where it is full."""
    f = gen.f
    top = gen.read_field("tape_top", "ptr")
    # What sweeps that take turns may have changes from action to action; `limit` is up to date.
    limit = gen.read_field("tape_end" if gen.shared.sweeps else "tape_limit", "ptr")
    end, start = (f.value(f"ptrtoint ptr {p} to i64") for p in (limit, top))
    room = f.value(f"sub i64 {end}, {start}")
    fits = f.value(f"icmp ule i64 {size}, {room}")
    if gen.shared.sweeps:
        fits = f.value(f"and i1 {fits}, {_within_limit(gen, size)}")
    message = "the tape of the reverse sweep does not fit in memory"
    gen.require(fits, "MemoryError", message, gen.here)
    new = f.value(f"getelementptr i8, ptr {top}, i64 {size}")
    gen.write_field("tape_top", new, "ptr")
    if gen.shared.sweeps and gen.interrupts is not None:
        _stop_when_enough(gen, new)
    base = gen.read_field("tape_base")
    used = f.value(f"sub i64 {f.value(f'ptrtoint ptr {new} to i64')}, {base}")
    total = f.value(f"add i64 {used}, {gen.read_field('tape_arrays')}")
    peak = f.call("i64", "llvm.smax.i64", [("i64", gen.read_field("tape_peak")), ("i64", total)])
    gen.write_field("tape_peak", peak)
    return top


def _stop_when_enough(gen: Gen, top: str) -> None:
    """Uses up the budget where as much is recorded as there shall be in one leaf."""
    f = gen.f
    assert gen.interrupts is not None
    used = f.value(
        f"sub i64 {f.value(f'ptrtoint ptr {top} to i64')}, {gen.read_field('tape_base')}"
    )
    used = f.value(f"add i64 {used}, {gen.read_field('tape_arrays')}")
    enough = f.value(f"icmp ugt i64 {used}, {gen.read_field('tape_enough')}")
    left = f.load("i64", gen.interrupts.budget)
    some = f.value(f"icmp sgt i64 {left}, 0")
    stop = f.value(f"and i1 {enough}, {some}")
    none = f.value(f"sub i64 {left}, {ENOUGH}")
    f.store("i64", f.value(f"select i1 {stop}, i64 {none}, i64 {left}"), gen.interrupts.budget)


def iterations_left(gen: Gen, words: int) -> str:
    """How many iterations with so many words each there is room for in a leaf; at least one."""
    f = gen.f
    used = f.value(f"sub i64 {gen.read_field('tape_top')}, {gen.read_field('tape_base')}")
    used = f.value(f"add i64 {used}, {gen.read_field('tape_arrays')}")
    room = f.value(f"sub i64 {gen.read_field('tape_enough')}, {used}")
    room = f.call("i64", "llvm.smax.i64", [("i64", room), ("i64", "0")])
    return f.value(f"add i64 {f.value(f'udiv i64 {room}, {8 * words}')}, 1")


def _within_limit(gen: Gen, size: str) -> str:
    """Whether so many bytes more on the tape are within the limit for all; notes the peak."""
    f = gen.f
    top, base = gen.read_field("tape_top"), gen.read_field("tape_base")
    used = f.value(f"add i64 {f.value(f'sub i64 {top}, {base}')}, {size}")
    total = f.value(f"add i64 {used}, {gen.read_field('live')}")
    fits = f.value(f"icmp ule i64 {total}, {gen.read_field('limit')}")
    peak = gen.read_field("peak")
    higher = f.call("i64", "llvm.umax.i64", [("i64", peak), ("i64", total)])
    gen.write_field("peak", f.value(f"select i1 {fits}, i64 {higher}, i64 {peak}"))
    return fits


def _account(gen: Gen, value: ArrayValue, sign: str) -> None:
    """Notes that the tape has taken over an array, or has given one back."""
    f = gen.f
    if gen.shared.sweeps:  # what the block takes, as it counts among live bytes
        size = f.load("i64", f.value(f"getelementptr i8, ptr {value.ptr}, i64 -48"))
    else:
        size = f.value(f"mul i64 {gen.count(value.dims)}, {value.type.dtype.size}")
    gen.write_field("tape_arrays", f.value(f"{sign} i64 {gen.read_field('tape_arrays')}, {size}"))


def _put(gen: Gen, kind: str, value: str, place: str) -> None:
    if kind == "i1":
        kind, value = "i64", gen.f.value(f"zext i1 {value} to i64")
    gen.f.store(kind, value, place, f"{_aligned(kind)}, {TAPE_TBAA}")


def _get(gen: Gen, kind: str, place: str) -> str:
    if kind == "i1":
        return gen.f.value(f"trunc i64 {gen.f.load('i64', place, f', {TAPE_TBAA}')} to i1")
    return gen.f.load(kind, place, f"{_aligned(kind)}, {TAPE_TBAA}")


def _aligned(kind: str) -> str:
    return ", align 8" if kind == BUNDLE else ""


def _block_place(gen: Gen, kind: str) -> str:
    """Where this iteration's next residual is in the loop's block: bundles lie side by side."""
    block = gen.tape_block
    assert block is not None
    f = gen.f
    flat = f.value(f"mul nuw nsw i64 {block.trips}, {block.next_slot}")
    index, size = block.index, WIDTH if kind == BUNDLE else 1
    if size > 1:
        index = f.value(f"mul nuw nsw i64 {index}, {size}")
    flat = f.value(f"add nuw nsw i64 {flat}, {index}")
    block.next_slot += size
    return f.value(f"getelementptr inbounds i64, ptr {block.base}, i64 {flat}")


def push(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """Scalars and arrays onto the tape; arrays are moved."""
    f = gen.f
    if gen.role is Role.AHEAD:
        _unrecorded(gen, expr)
        return []
    values = [(gen.any(a), a.type) for a in expr.args]
    if gen.tape_block is not None:
        for value, type_ in values:
            if not isinstance(value, str):
                raise CompilerBug("an array in a tape block", stm.prov.span)
            kind = llvm_scalar(type_.dtype)
            _put(gen, kind, value, _block_place(gen, kind))
        return []
    held = held_positions(expr)
    for k, (value, _) in enumerate(values):
        if isinstance(value, ArrayValue) and k not in held:
            _account(gen, value, "add")
            gen.owned_by(value, str(TAPED))
    fixed = 8 * sum(words(t) for _, t in values)
    base = _put_elements(gen, [values[k][0] for k in held], fixed)
    word = 0
    for k, (value, type_) in enumerate(values):
        if isinstance(value, str):
            parts = [(llvm_scalar(type_.dtype), value)]
        elif isinstance(value, ArrayValue) and (k in held or value.strides is None):
            parts = [("ptr", value.ptr), *(("i64", d) for d in value.dims)]
        else:
            raise CompilerBug("a view cannot be pushed", stm.prov.span)
        for kind, part in parts:
            _put(gen, kind, part, f.value(f"getelementptr i8, ptr {base}, i64 {8 * word}"))
            word += WIDTH if kind == BUNDLE else 1
    for slot, k, folder in _offloaded(gen, expr, base, [t for _, t in values]):
        array, type_ = values[k]
        assert isinstance(array, ArrayValue)
        offload(gen, slot, array.dims, type_, folder)
    return []


def _offloaded(
    gen: Gen, expr: Prim, base: str, types: Sequence[Type]
) -> list[tuple[str, int, str]]:
    """The arrays that may leave memory: the places of their words, positions and folders."""
    if not gen.shared.offloads:
        return []
    return [
        (
            gen.f.value(f"getelementptr i8, ptr {base}, i64 {8 * sum(map(words, types[:k]))}"),
            k, folder,
        )
        for k, folder in offloaded_in(expr.params)
    ]  # fmt: skip


def _taken_back(gen: Gen, expr: Prim, base: str, types: Sequence[Type]) -> None:
    """Has what is popped in memory again, the last first."""
    for slot, k, _ in reversed(_offloaded(gen, expr, base, types)):
        places = (
            gen.f.value(f"getelementptr i8, ptr {slot}, i64 {8 * (1 + axis)}")
            for axis in range(types[k].rank)
        )
        take_back(gen, slot, [_get(gen, "i64", place) for place in places], types[k])


def _unrecorded(gen: Gen, expr: Prim) -> None:
    """Frees what would have been recorded."""
    held = held_positions(expr)
    for k, atom in enumerate(expr.args):
        if not atom.type.is_scalar and k not in held and atom not in gen.unrecorded:
            gen.free(gen.array(atom))


def _put_elements(gen: Gen, arrays: Sequence[AnyValue], fixed: int) -> str:
    """Takes room for arrays and `fixed` bytes above them, and writes the arrays' elements."""
    f = gen.f
    total, rows = str(fixed), list[tuple[ArrayValue, str, bool]]()
    for value in arrays:
        if isinstance(value, str):
            raise CompilerBug("a scalar is not held on the tape")
        array, temporary = contiguous(gen, value, value.type)
        size = f.value(f"mul i64 {gen.count(array.dims)}, {array.type.dtype.size}")
        rows.append((array, size, temporary))
        total = f.value(f"add i64 {total}, {size}")
    place = reserve(gen, total)
    for array, size, temporary in rows:
        f.call_void("rg_words", [("ptr", place), ("ptr", array.ptr), ("i64", size)])
        place = f.value(f"getelementptr i8, ptr {place}, i64 {size}")
        if temporary:
            gen.free(array)
    return place


def pop(gen: Gen, stm: Stm, expr: Prim) -> list[AnyValue]:
    """What the matching `push` had left."""
    f = gen.f
    types = [out.type for out in stm.outs]
    if gen.tape_block is not None:
        kinds = [llvm_scalar(t.dtype) for t in types]
        return [_get(gen, kind, _block_place(gen, kind)) for kind in kinds]
    size = 8 * sum(map(words, types))
    top = gen.read_field("tape_top", "ptr")
    base = f.value(f"getelementptr i8, ptr {top}, i64 {-size}")
    _taken_back(gen, expr, base, types)
    held = held_positions(expr)
    values: list[AnyValue] = []
    word = 0
    for position, type_ in enumerate(types):
        kinds = [llvm_scalar(type_.dtype)] if type_.is_scalar else ["ptr"] + ["i64"] * type_.rank
        parts = [
            _get(gen, kind, f.value(f"getelementptr i8, ptr {base}, i64 {8 * (word + k)}"))
            for k, kind in enumerate(kinds)
        ]
        word += words(type_)
        if type_.is_scalar:
            values.append(parts[0])
        else:
            popped = ArrayValue(parts[0], tuple(parts[1:]), type_, None, parts[0])
            if position not in held:
                _account(gen, popped, "sub")
                gen.owned_by(popped)
            values.append(popped)
    for position in reversed(held):
        value = values[position]
        assert isinstance(value, ArrayValue)
        size = f.value(f"mul i64 {gen.count(value.dims)}, {value.type.dtype.size}")
        base = f.value(f"getelementptr i8, ptr {base}, i64 {f.value(f'sub i64 0, {size}')}")
        values[position] = ArrayValue(base, value.dims, value.type, None, base)
        gen.taped.add(base)
    f.store("ptr", base, gen.field("tape_top"), f", {CONTEXT_TBAA}")
    return values
