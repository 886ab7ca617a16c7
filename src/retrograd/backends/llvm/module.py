"""A program as the text of an LLVM module: its functions, the run-time support, the entry wrapper.

Each function returns a struct: status (0 is success), then its results. The entry `rg_entry` takes
a context, an array of 8-byte argument words and one of result words, so that one C signature serves
all.
"""

from __future__ import annotations

from dataclasses import dataclass

from retrograd.backends.llvm.blocks import emit_block
from retrograd.backends.llvm.driver import driver_text
from retrograd.backends.llvm.gemm import GEMM_TEXT
from retrograd.backends.llvm.gen import (
    TBAA_TEXT,
    ErrorSite,
    Gen,
    Interrupts,
    Shapes,
    Shared,
    result_struct,
)
from retrograd.backends.llvm.interrupt import FAILED, INTERRUPTED, entry_switch, frame_shapes, home
from retrograd.backends.llvm.math import emit as math_text
from retrograd.backends.llvm.plan import consumed_params, recursive_functions
from retrograd.backends.llvm.reduce import LANES
from retrograd.backends.llvm.resumable import above_stack_limit
from retrograd.backends.llvm.runtime_text import RUNTIME_TEXT
from retrograd.backends.llvm.scalar import INTRINSICS
from retrograd.backends.llvm.snapshots import SNAPSHOT_TEXT
from retrograd.backends.llvm.special import POLYGAMMA_TEXT
from retrograd.backends.llvm.text import ArrayValue, FunctionText, llvm_scalar
from retrograd.ir.terms import Function, Program
from retrograd.ir.types import Type
from retrograd.prims.core import PrimitiveSet
from retrograd.runtime.layout import field_offset

__all__ = ["ModuleText", "module_text"]

_ATTRIBUTES = 'nounwind "prefer-vector-width"="512" "no-builtin-memcpy"'


@dataclass(frozen=True, slots=True)
class ModuleText:
    """LLVM text, the error sites by number (from 1), and which entry arguments are taken over.

    `frames` has, for each function by number and each of its points, the LLVM types of the words
    that a frame holds.
    """

    text: str
    errors: tuple[ErrorSite, ...]
    consumed: frozenset[int]
    frames: Shapes


def _parameters(
    function: Function, taken: frozenset[int], captured: bool
) -> tuple[list[str], dict[str, ArrayValue | str]]:
    texts, values = ["ptr noalias %ctx"], dict[str, ArrayValue | str]()
    for k, param in enumerate(function.params):
        if param.type.is_scalar:
            texts.append(f"{llvm_scalar(param.type.dtype)} %p{k}")
            values[param.name] = f"%p{k}"
        else:
            # What is taken over may be handed back, pushed on the tape or saved in a frame.
            kept = "" if captured or k in taken else " nocapture"
            texts.append(f"ptr noalias{kept} %p{k}")
            dims = tuple(f"%p{k}d{axis}" for axis in range(param.type.rank))
            texts += [f"i64 {d}" for d in dims]
            values[param.name] = ArrayValue(f"%p{k}", dims, param.type, None, f"%p{k}")
    return texts, values


def _function_text(shared: Shared, function: Function, interruptible: bool, grain: int) -> str:
    struct = result_struct(function.result_types, interruptible)
    f = FunctionText(function.name)
    gen = Gen(f, shared, struct)
    texts, values = _parameters(function, shared.consumed[function.name], interruptible)
    if interruptible:
        gen.interrupts = Interrupts(f.slot("i64"), grain)
        texts[1:1] = ["ptr %frame", "i64 %budget"]
        f.allocas.append("  %frame_slot = alloca ptr")
        f.allocas.append(f"  store i64 %budget, ptr {gen.interrupts.budget}")
    for param in function.params:
        gen.env[param] = values[param.name]
        if interruptible:
            home(gen, param, values[param.name])
    if function.name in shared.recursive and not interruptible:
        good = above_stack_limit(gen)
        gen.require(good, "RecursionError", "maximum recursion depth exceeded", function.prov.span)
    taken = shared.consumed[function.name]
    given = frozenset(function.params[k] for k in taken)
    results = emit_block(gen, function.body, given)
    first = f"i64 {f.load('i64', gen.interrupts.budget)}" if gen.interrupts is not None else "i32 0"
    packed, position = f.value(f"insertvalue {struct} poison, {first}, 0"), 1
    for value, type_ in zip(results, function.result_types, strict=True):
        parts = _result_parts(value, type_)
        for kind, part in parts:
            packed = f.value(f"insertvalue {struct} {packed}, {kind} {part}, {position}")
            position += 1
    f.end(f"ret {struct} {packed}")
    if gen.interrupts is not None:
        _leave(gen, shared, function, struct)
    if gen.can_fail:
        f.lines.append("fail:")
        failed = f"i64 {FAILED}" if interruptible else "i32 1"
        f.lines.append(f"  %failed = insertvalue {struct} zeroinitializer, {failed}, 0")
        f.lines.append(f"  ret {struct} %failed")
    if gen.interrupts is not None:
        number = [g.name for g in shared.program.functions].index(function.name)
        shared.frames.update(frame_shapes(gen.interrupts, number))
    start = entry_switch(gen, "begin") if interruptible else ["  br label %begin"]
    body = "\n".join(["entry:", *f.allocas, *start, "begin:", *f.lines])
    head = f"define internal {struct} @rg.{function.name}({', '.join(texts)})"
    # A tail call made into a loop would go round without ever looking at the depth.
    more = ' "disable-tail-calls"="true"' if function.name in shared.recursive else ""
    return f"{head} {_ATTRIBUTES}{more} {{\n{body}\n}}\n"


def _leave(gen: Gen, shared: Shared, function: Function, struct: str) -> None:
    """The exit of an interrupted function: its frame goes to the end of the context's chain."""
    f = gen.f
    f.lines.append("leave:")
    f.closed = False
    number = [g.name for g in shared.program.functions].index(function.name)
    frame = f.load("ptr", "%frame_slot")
    f.store("i64", str(number), f.value(f"getelementptr i64, ptr {frame}, i64 1"))
    f.store("ptr", "null", frame)
    last = gen.read_field("last_frame", "ptr")
    f.store("ptr", frame, last)
    gen.write_field("last_frame", frame, "ptr")
    left = f.value(f"insertvalue {struct} zeroinitializer, i64 {INTERRUPTED}, 0")
    f.end(f"ret {struct} {left}")


def _result_parts(value: object, type_: Type) -> list[tuple[str, str]]:
    if isinstance(value, ArrayValue):
        return [("ptr", value.ptr), *(("i64", d) for d in value.dims)]
    assert isinstance(value, str)
    return [(llvm_scalar(type_.dtype), value)]


def _entry_text(function: Function, interruptible: bool) -> str:
    """`i32 rg_entry(ctx, args, results)`: words in, words out.

    A bool is one word, an array its pointer and extents.
    """
    f = FunctionText("rg_entry")
    args, word = list[str](), 0
    args.append("ptr %ctx")
    if interruptible:
        budget = f.load("i64", f.value(f"getelementptr i8, ptr %ctx, i64 {field_offset('budget')}"))
        args += ["ptr null", f"i64 {budget}"]

    def place(base: str, k: int) -> str:
        return f.value(f"getelementptr i64, ptr {base}, i64 {k}")

    for param in function.params:
        kinds = ["ptr"] + ["i64"] * param.type.rank if not param.type.is_scalar else []
        for kind in kinds or [llvm_scalar(param.type.dtype)]:
            if kind == "i1":
                raw = f.load("i64", place("%args", word))
                args.append(f"i1 {f.value(f'icmp ne i64 {raw}, 0')}")
            else:
                args.append(f"{kind} {f.load(kind, place('%args', word))}")
            word += 1
    struct = result_struct(function.result_types, interruptible)
    packed = f.value(f"call {struct} @rg.{function.name}({', '.join(args)})")
    status = f.value(f"extractvalue {struct} {packed}, 0")
    if interruptible:
        place_left = f.value(f"getelementptr i8, ptr %ctx, i64 {field_offset('budget')}")
        ended = f.value(f"icmp sgt i64 {status}, {INTERRUPTED}")
        left = f.value(f"select i1 {ended}, i64 {status}, i64 {f.load('i64', place_left)}")
        f.store("i64", left, place_left)
        failed = f.value(f"icmp eq i64 {status}, {FAILED}")
        left = f.value(f"icmp eq i64 {status}, {INTERRUPTED}")
        status = f.value(f"select i1 {left}, i32 2, i32 {f.value(f'zext i1 {failed} to i32')}")
    position = 1
    for type_ in function.result_types:
        kinds = (
            ["ptr"] + ["i64"] * type_.rank if not type_.is_scalar else [llvm_scalar(type_.dtype)]
        )
        for kind in kinds:
            part = f.value(f"extractvalue {struct} {packed}, {position}")
            if kind == "i1":
                kind, part = "i64", f.value(f"zext i1 {part} to i64")
            f.store(kind, part, place("%results", position - 1))
            position += 1
    f.end(f"ret i32 {status}")
    body = "\n".join(["entry:", *f.lines])
    head = "define i32 @rg_entry(ptr %ctx, ptr %args, ptr %results)"
    return f"{head} {_ATTRIBUTES} {{\n{body}\n}}\n"


def module_text(
    program: Program, prims: PrimitiveSet, interruptible: bool = False, grain: int = LANES
) -> ModuleText:
    """LLVM text of a program without derivative nodes.

    Interruptible code runs innermost loops in chunks of a multiple of `grain` iterations, a power
    of two.
    """
    consumed = consumed_params(program, prims)
    shared = Shared(program, prims, consumed, recursive_functions(program))
    functions = [
        _function_text(shared, function, interruptible, grain) for function in program.functions
    ]
    entry = _entry_text(program.main, interruptible)
    math = math_text(sorted(shared.math))
    declared = {line for line in math.splitlines() if line.startswith("declare")}
    intrinsics = "\n".join(line for line in INTRINSICS.splitlines() if line not in declared)
    profile = (
        '!19 = !{!"branch_weights", i32 1, i32 1048576}\n'
        '!20 = !{!"branch_weights", i32 1048576, i32 1}'
    )
    support = "".join(
        given
        for callee, given in (("@rg_gemm(", GEMM_TEXT), ("@rg_polygamma(", POLYGAMMA_TEXT))
        if any(callee in text for text in functions)
    )
    driver = driver_text(program) + SNAPSHOT_TEXT if interruptible else ""
    parts = [
        intrinsics, RUNTIME_TEXT, support, math, *functions, entry, driver, TBAA_TEXT, profile,
        *shared.metadata,
    ]  # fmt: skip
    return ModuleText(
        "\n".join(parts), tuple(shared.errors), consumed[program.entry], shared.frames
    )
