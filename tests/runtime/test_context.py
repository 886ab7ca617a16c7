"""Contexts: layout, limits, the tape's address range, buffers of the caller, memory given back."""

from __future__ import annotations

import ctypes
import gc
import threading

import numpy as np
import pytest

from retrograd.ir.terms import Program
from retrograd.runtime import context as module
from retrograd.runtime.context import Context, Memory, available_bytes, stack_floor
from retrograd.runtime.layout import CONTEXT_WORDS, FIELDS, FREE_LISTS, RESET, field_offset
from tests.backends.llvm.native import LIMIT, compiled, native, own, parsed, ready


def test_fields_do_not_overlap() -> None:
    offsets = [field_offset(name) for name in FIELDS]
    assert offsets == list(range(0, 8 * len(FIELDS), 8))
    assert len(set(FIELDS)) == len(FIELDS) <= FREE_LISTS
    assert FREE_LISTS + 129 <= CONTEXT_WORDS


def test_a_call_starts_from_a_clean_report() -> None:
    context = Context()
    for k, name in enumerate(FIELDS[:RESET]):
        context.set(name, k + 5)
    context.prepare(1000, 77)
    assert [context.get(name) for name in FIELDS[:RESET]] == [0, 1000, 0, 77, 0, 0, 0, 0, 0, 0]


def test_the_tape_is_there_when_it_is_asked_for() -> None:
    context = Context()
    context.prepare(LIMIT)
    assert context.tape_address == 0
    context.prepare(LIMIT, tape=True)
    assert context.tape_address == context.get("tape_base") == context.get("tape_top")
    assert context.get("tape_limit") - context.tape_address == LIMIT
    assert context.tape_bytes == 0
    context.set("tape_top", context.tape_address + 24)
    assert context.tape_bytes == 24
    before = context.tape_address
    context.prepare(LIMIT, tape=True)
    assert (context.tape_address, context.tape_bytes) == (before, 0)


def test_a_context_that_cools_gives_the_pages_of_a_long_tape_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_KEEP_TAPE", 4096)
    context = ready()
    size = 1 << 20
    words = np.ctypeslib.as_array(
        (ctypes.c_uint64 * (size // 8)).from_address(context.tape_address)
    )
    words[:] = 7
    context.set("tape_peak", 4096)
    context.cool(None)
    assert np.count_nonzero(words) == size // 8
    context.set("tape_peak", 4097)
    context.cool(None)
    assert np.count_nonzero(words) == 4096 // 8


def test_a_context_that_cools_gives_large_blocks_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_KEEP_LARGE", 10_000)
    monkeypatch.setattr(module, "KEPT", module.Kept(0))
    context, trimmed = Context(), list[int]()  # one without a tape
    context.set("tape_peak", 1 << 40)
    for size in (10_000, 10_001):
        context.set("large_bytes", size)
        context.cool(trimmed.append)
        context.cool(None)
    assert trimmed == [context.address]
    context.set("large_bytes", 0)


def test_contexts_together_keep_a_share_of_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_KEEP_LARGE", 10)
    monkeypatch.setattr(module, "KEPT", module.Kept(100))
    one, two, trimmed = Context(), Context(), list[int]()

    def cooled(context: Context, size: int) -> bool:
        """Whether the context has given its blocks back."""
        trimmed.clear()
        context.set("large_bytes", size)
        context.cool(trimmed.append)
        context.set("large_bytes", 0)
        return trimmed == [context.address]

    assert not cooled(one, 60)
    assert not cooled(one, 70)
    assert cooled(two, 40)
    assert not cooled(two, 10)  # as much as every context keeps
    assert not cooled(one, 50)
    assert not cooled(two, 50)
    del one
    assert not cooled(two, 100)
    assert cooled(two, 101)


def test_less_address_space_is_a_smaller_tape(monkeypatch: pytest.MonkeyPatch) -> None:
    real = module.mmap.mmap

    def small(handle: int, size: int, flags: int) -> object:
        if size > 1 << 22:
            raise OSError("no room")
        return real(handle, size, flags=flags)

    monkeypatch.setattr(module.mmap, "mmap", small)
    context = ready()
    assert 1 << 20 < context.get("tape_limit") - context.tape_address <= 1 << 22


MANY = 100


def many() -> Program:
    """Writes to a hundred arrays of the caller."""
    names = [f"x{k}" for k in range(MANY)]
    head = ", ".join(f"{n}: f64[1]" for n in names)
    lines = [f"  y{k}: f64[1] = update(x{k}, 1.0, 0; checked=true, span=none)" for k in range(MANY)]
    results = ", ".join(f"y{k}" for k in range(0, MANY, 2))
    types = ", ".join(["f64[1]"] * (MANY // 2))
    body = "\n".join(lines)
    return parsed(f"program f\n\nfunction f({head}) -> ({types}):\n{body}\n  return {results}")


def test_any_number_of_arrays_of_the_caller() -> None:
    code = compiled(many())
    args = own([np.zeros(2)] * MANY)
    context = ready()
    results = code.run(context, args)
    assert all(r is a for r, a in zip(results, args[::2], strict=True))
    assert all(np.array_equal(a, [1.0, 0.0]) for a in args)
    assert (context.get("live"), context.get("externals")) == (0, MANY)


HOLDS = """
program f

function f(x: f64[1], n: i64) -> (f64):
  more: bool = gt(n, 0)
  r: f64 = if more:
      m: i64 = sub(n, 1)
      a: f64[1] = mul(x, 0.5)
      s: f64 = call f(a, m)
      t: f64 = index(a, 0; checked=true, span=none)
      u: f64 = add(s, t)
      yield u
    else:
      yield 0.0
  return r
"""


class _Heap(ctypes.Structure):
    _fields_ = tuple((f"f{k}", ctypes.c_size_t) for k in range(10))


def bytes_in_use() -> int:
    """What the C allocator has handed out."""
    info = ctypes.CDLL(None).mallinfo2
    info.restype = _Heap
    return int(info().f7)


def test_a_context_gives_its_memory_back() -> None:
    code = compiled(parsed(HOLDS))
    args = (np.ones(1000), 500)
    context = ready()
    before = bytes_in_use()
    native(code, args, context)
    held = bytes_in_use() - before
    assert held > 500 * 8000  # kept in free lists for the next call
    del context
    gc.collect()
    assert bytes_in_use() - before < held / 10


def test_free_lists_are_used_again() -> None:
    code = compiled(parsed(HOLDS))
    context = ready()
    native(code, (np.ones(1000), 500), context)
    before = bytes_in_use()
    for _ in range(5):
        native(code, (np.ones(1000), 500), context)
    assert bytes_in_use() - before < 10 * 8000
    assert context.get("peak") >= 500 * 8000


def test_memory_is_asked_for_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    answers = iter([10, 20, 30])
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(module, "available_bytes", lambda: next(answers))
    memory = Memory()
    assert [memory.available(), memory.available()] == [10, 10]
    now[0] += 0.2
    assert memory.available() == 20


def test_there_is_memory_and_stack() -> None:
    assert available_bytes() > 1 << 20
    floors = [stack_floor()]
    thread = threading.Thread(target=lambda: floors.append(stack_floor()))
    thread.start()
    thread.join()
    assert len(set(floors)) == 2
    assert all(floors)
