"""One function, and the entry of a module, as LLVM text.

`backends.llvm.returns` says how results are handed back.
"""

from __future__ import annotations

from retrograd.backends.llvm.blocks import emit_block
from retrograd.backends.llvm.callers import note_callers
from retrograd.backends.llvm.gen import Gen, Interrupts, Role, Shared
from retrograd.backends.llvm.interrupt import FAILED, INTERRUPTED, entry_switch, frame_shapes, home
from retrograd.backends.llvm.lengths import Lengths
from retrograd.backends.llvm.resumable import above_stack_limit
from retrograd.backends.llvm.returns import (
    emit_return,
    in_memory,
    result_kinds,
    result_struct,
    store_word,
)  # fmt: skip
from retrograd.backends.llvm.signal_text import guarded_text
from retrograd.backends.llvm.text import ArrayValue, FunctionText, llvm_scalar
from retrograd.errors import CompilerBug
from retrograd.ir.terms import For, Function, While
from retrograd.ir.traverse import stms_deep
from retrograd.prims.costs import Costs
from retrograd.runtime.layout import field_offset

__all__ = ["entry_text", "function_text"]

_ATTRIBUTES = 'nounwind "prefer-vector-width"="512" "no-builtin-memcpy"'


def _parameters(
    function: Function, taken: frozenset[int], captured: bool, costs: Costs
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
    if in_memory(function.result_types, costs):
        texts.append("ptr noalias nocapture writeonly %out")
    return texts, values


def function_text(shared: Shared, function: Function, role: Role | None, grain: int) -> str:
    """A function that is interruptible in some role, or part of units."""
    interruptible = role is not None
    costs = shared.planner.prims.costs
    struct = result_struct(function.result_types, costs, interruptible)
    f = FunctionText(function.name)
    lengths = Lengths(shared.extents[function.name], lasting=not interruptible)
    gen = Gen(f, shared, lengths)
    taken = shared.planner.consumed[function.name]
    texts, values = _parameters(function, taken, interruptible, costs)
    if role is not None:
        steady = _is_steady(function, costs)
        gen.interrupts = Interrupts(f.slot("i64"), grain, role, steady)
        texts[1:1] = ["ptr %frame", "i64 %budget"]
        f.allocas.append("  %frame_slot = alloca ptr")
        f.allocas.append(f"  store i64 %budget, ptr {gen.interrupts.budget}")
    gen.env.update((param, values[param.name]) for param in function.params)
    homes = {p: home(gen, p, values[p.name]) for p in function.params if interruptible}
    if function.name in shared.recursive and not interruptible:
        good = above_stack_limit(gen)
        gen.require(good, "RecursionError", "maximum recursion depth exceeded", function.prov.span)
    given = frozenset(function.params[k] for k in taken)
    results = emit_block(gen, function.body, given, homes=homes, bound=function.params)
    first = f"i64 {f.load('i64', gen.interrupts.budget)}" if gen.interrupts is not None else "i32 0"
    emit_return(f, function.result_types, results, first, costs)
    if gen.interrupts is not None:
        _leave(gen, shared, function, struct)
    if gen.can_fail:
        gen.fail()
        note_callers(gen)
        f.lines.append("fail:")
        failed = f"i64 {FAILED}" if interruptible else "i32 1"
        f.lines.append(f"  %failed = insertvalue {struct} zeroinitializer, {failed}, 0")
        f.lines.append(f"  ret {struct} %failed")
    if gen.interrupts is not None:
        _note_frames(gen.interrupts, shared, function)
    start = entry_switch(gen, "begin") if interruptible else ["  br label %begin"]
    body = "\n".join(["entry:", *f.allocas, *start, "begin:", *f.lines])
    head = f"define internal {struct} @{gen.symbol(function.name)}({', '.join(texts)})"
    # A tail call made into a loop would go round without ever looking at the depth.
    more = ' "disable-tail-calls"="true"' if function.name in shared.recursive else ""
    return f"{head} {_ATTRIBUTES}{more} {{\n{body}\n}}\n"


def _is_steady(function: Function, costs: Costs) -> bool:
    """Whether there are very many arguments, and no loop that would read them again and again."""
    words = len(result_kinds([p.type for p in function.params]))
    loops = any(isinstance(s.expr, For | While) for s in stms_deep(function.body))
    return words > costs.argument_words and not loops


def _note_frames(interrupts: Interrupts, shared: Shared, function: Function) -> None:
    """What frames hold; a forward sweep has the same whether it records or not."""
    number = [g.name for g in shared.program.functions].index(function.name)
    for place, kinds in frame_shapes(interrupts, number).items():
        if shared.frames.setdefault(place, kinds) != kinds:
            raise CompilerBug(f"two kinds of frames of {function.name!r}", function.prov.span)


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
    f.call_void("rg_leave", [("ptr", "%ctx")])  # entered by `rg_frame`
    left = f.value(f"insertvalue {struct} zeroinitializer, i64 {INTERRUPTED}, 0")
    f.end(f"ret {struct} {left}")


def recording_or_not(f: FunctionText, function: Function) -> str:
    """Which of the two forward sweeps of a function is meant now, as an instruction."""
    word = f.load("i64", f.value(f"getelementptr i8, ptr %ctx, i64 {field_offset('ahead')}"))
    names = [f"ptr @rg.{function.name}{role.value}" for role in (Role.AHEAD, Role.FORWARD)]
    return f"select i1 {f.value(f'icmp ne i64 {word}, 0')}, {', '.join(names)}"


def _from_words(f: FunctionText, function: Function) -> list[str]:
    """The arguments of a function from the words of the entry."""
    args: list[str] = []
    for param in function.params:
        kinds = ["ptr"] + ["i64"] * param.type.rank if not param.type.is_scalar else []
        for kind in kinds or [llvm_scalar(param.type.dtype)]:
            place = f.value(f"getelementptr i64, ptr %args, i64 {len(args)}")
            if kind == "i1":
                raw = f.load("i64", place)
                args.append(f"i1 {f.value(f'icmp ne i64 {raw}, 0')}")
            else:
                args.append(f"{kind} {f.load(kind, place)}")
    return args


def _call_after_failure(f: FunctionText, status: str, call: str) -> None:
    """Frees everything and calls, where something has failed."""
    good, failed = f.fresh("good"), f.fresh("failed")
    f.branch(f.value(f"icmp eq i32 {status}, 0"), good, failed)
    f.label(failed)
    f.call_void("rg_release_all", [("ptr", "%ctx")])
    f.value(f"call {call}")
    f.jump(good)
    f.label(good)


def entry_text(
    name: str, function: Function, role: Role | None, costs: Costs, ahead: bool = False,
    after: Function | None = None,
) -> str:  # fmt: skip
    """`i32 name(ctx, args, results)`: words in, words out; and `name_released`, which gives up the
    interpreter's lock meanwhile.

    A bool is one word, an array its pointer and extents. `ahead`: the context says whether the
    forward sweep records. `after` is called with the same arguments after a failure, and may fail
    in another way.
    """
    interruptible = role is not None
    f = FunctionText(name)
    args = ["ptr %ctx"]
    if interruptible:
        budget = f.load("i64", f.value(f"getelementptr i8, ptr %ctx, i64 {field_offset('budget')}"))
        args += ["ptr null", f"i64 {budget}"]
    symbol = f"@rg.{function.name}{role.value if role is not None else ''}"
    if ahead:
        symbol = f.value(recording_or_not(f, function))
    args += _from_words(f, function)
    struct = result_struct(function.result_types, costs, interruptible)
    apart = in_memory(function.result_types, costs)
    given = ", ".join(args)
    args += ["ptr %results"] if apart else []
    packed = f.value(f"call {struct} {symbol}({', '.join(args)})")
    status = f.value(f"extractvalue {struct} {packed}, 0")
    if interruptible:
        place_left = f.value(f"getelementptr i8, ptr %ctx, i64 {field_offset('budget')}")
        ended = f.value(f"icmp sgt i64 {status}, {INTERRUPTED}")
        left = f.value(f"select i1 {ended}, i64 {status}, i64 {f.load('i64', place_left)}")
        f.store("i64", left, place_left)
        failed = f.value(f"icmp eq i64 {status}, {FAILED}")
        left = f.value(f"icmp eq i64 {status}, {INTERRUPTED}")
        status = f.value(f"select i1 {left}, i32 2, i32 {f.value(f'zext i1 {failed} to i32')}")
    for k, kind in enumerate([] if apart else result_kinds(function.result_types)):
        part = f.value(f"extractvalue {struct} {packed}, {k + 1}")
        store_word(f, "%results", k, kind, part)
    if after is not None:
        _call_after_failure(f, status, f"{result_struct((), costs)} @rg.{after.name}({given})")
    f.end(f"ret i32 {status}")
    body = "\n".join(["entry:", *f.lines])
    head = f"define internal i32 @{name}.body(ptr %ctx, ptr %args, ptr %results)"
    declared = "" if after is None else "declare void @rg_release_all(ptr)\n"
    return f"{declared}{head} {_ATTRIBUTES} {{\n{body}\n}}\n" + "".join(
        guarded_text(name + ending, f"{name}.body", release)
        for ending, release in (("", False), ("_released", True))
    )
