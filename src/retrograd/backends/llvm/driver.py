"""The driver of interruptible code: resumes frame by frame, the innermost first.

`rg_resume_frames(ctx, results)` enters the function of the innermost frame with that frame. What it
returns goes into the context for the frame of its caller, which is entered next, and so on until
the entry itself has returned. So the native stack is one function deep at each start, and the depth
of a recursion is bounded by memory only: a call for which the native stack has no room leaves
frames behind as well (with a budget left), and the run goes on from an empty stack. Returns 0 where
the run has ended, 1 where it has failed, 2 where it was interrupted again; then the new frames
stand before those that were not entered. Frames that are to be entered yet are in `entered`
meanwhile, so that they are known if the run is given up.

`rg_drop_frames(ctx)` forgets an interrupted run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from retrograd.backends.llvm.callers import CALLED_TEXT
from retrograd.backends.llvm.interrupt import FAILED, INTERRUPTED
from retrograd.backends.llvm.returns import in_memory, result_kinds, result_struct
from retrograd.backends.llvm.roles import Role
from retrograd.backends.llvm.signal_text import guarded_text
from retrograd.backends.llvm.text import llvm_scalar
from retrograd.ir.terms import Function
from retrograd.prims.costs import Costs
from retrograd.runtime.layout import field_offset

__all__ = ["FRAMES_TEXT", "driver_text"]


Entered = Mapping[int, tuple[Function, Role]]
"""The interruptible functions by the number that they have in frames, and what they are for."""


def driver_text(entered: Entered, entries: Sequence[Function], ahead: bool, costs: Costs) -> str:
    """LLVM text of the driver of a module, whose entries are among what is `entered`.

    `ahead`: of forward functions there are two, one of which records nothing.
    """
    resume = guarded_text("rg_resume", "rg_resume_frames", True)
    return CALLED_TEXT + _resume_text(entered, entries, ahead, costs) + resume


def _resume_text(entered: Entered, entries: Sequence[Function], ahead: bool, costs: Costs) -> str:
    words = max(1, *(len(result_kinds(f.result_types)) for f, _ in entered.values()))
    cases = "\n".join(f"    i64 {k}, label %enter.{k}" for k in entered)
    given = max(8 * len(result_kinds(f.result_types)) for f in entries)
    blocks = "".join(
        _enter(k, function, role, ahead and role is Role.FORWARD, costs)
        for k, (function, role) in entered.items()
    )
    return f"""
define internal i32 @rg_resume_frames(ptr %ctx, ptr %results, ptr %nothing) {{
entry:
  %words = alloca [{words} x i64]
  {_field("resultsp", "results")}
  store ptr %words, ptr %resultsp
  {_field("framesp", "frames")}
  {_field("lastp", "last_frame")}
  {_field("budgetp", "budget")}
  {_field("askedp", "asked")}
  {_field("enteredp", "entered")}
  {_field("aheadp", "ahead")}
  {_field("latep", "late")}
  %aheadw = load i64, ptr %aheadp
  %ahead = icmp ne i64 %aheadw, 0
  br label %begin
begin:
  call void @rg_enter(ptr %ctx)
  %first = load ptr, ptr %framesp
  store ptr %first, ptr %enteredp
  store ptr null, ptr %framesp
  store ptr %framesp, ptr %lastp
  call void @rg_leave(ptr %ctx)
  br label %next
next:
  %frame = phi ptr [%first, %begin], [%outer, %inward]
  %outer = load ptr, ptr %frame
  %numberp = getelementptr i64, ptr %frame, i64 1
  %number = load i64, ptr %numberp
  %budget = load i64, ptr %budgetp
  switch i64 %number, label %lost [
{cases}
  ]
lost:
  unreachable
{blocks}
check:
  %status = phi i64 {", ".join(f"[%status.{k}, %enter.{k}]" for k in entered)}
  %through = icmp sgt i64 %status, {INTERRUPTED}
  br i1 %through, label %returned, label %odd
{_AFTER_A_FUNCTION}done:
  call void @llvm.memcpy.p0.p0.i64(ptr %results, ptr %words, i64 {given}, i1 false)
  ret i32 0
}}
"""


def _field(name: str, field: str) -> str:
    return f"%{name} = getelementptr i8, ptr %ctx, i64 {field_offset(field)}"


_AFTER_A_FUNCTION = f"""\
odd:
  %failed = icmp eq i64 %status, {FAILED}
  br i1 %failed, label %fail, label %again
again:
  call void @rg_enter(ptr %ctx)
  %last = load ptr, ptr %lastp
  store ptr %outer, ptr %last
  store ptr null, ptr %enteredp
  call void @rg_leave(ptr %ctx)
  %left = load i64, ptr %budgetp
  %late = load i64, ptr %latep
  %some = icmp sgt i64 %left, %late
  %asked = load i64, ptr %askedp
  %none = icmp eq i64 %asked, 0
  %full = and i1 %some, %none
  br i1 %full, label %begin, label %out
out:
  ret i32 2
fail:
  call void @rg_called(ptr %ctx, ptr %outer)
  call void @rg_drop_frames(ptr %ctx)
  ret i32 1
returned:
  store i64 %status, ptr %budgetp
  %ended = icmp eq ptr %outer, null
  br i1 %ended, label %done, label %inward
inward:
  br label %next
"""
"""What becomes of a function that has not simply returned, and of one that has."""

FRAMES_TEXT = f"""
define void @rg_drop_frames(ptr %ctx) noinline {{
entry:
  {_field("framesp", "frames")}
  {_field("enteredp", "entered")}
  br label %next
next:
  %frame = load ptr, ptr %framesp
  %none = icmp eq ptr %frame, null
  br i1 %none, label %others, label %drop
drop:
  %outer = load ptr, ptr %frame
  store ptr %outer, ptr %framesp
  call void @rg_drop_frame(ptr %ctx, ptr %frame)
  br label %next
others:
  %more = load ptr, ptr %enteredp
  %ended = icmp eq ptr %more, null
  br i1 %ended, label %done, label %entered
entered:
  call void @rg_enter(ptr %ctx)
  store ptr %more, ptr %framesp
  store ptr null, ptr %enteredp
  call void @rg_leave(ptr %ctx)
  br label %next
done:
  ret void
}}

define noalias ptr @rg_frame(ptr %ctx, i64 %bytes) noinline {{
entry:
  {_field("livep", "live")}
  %live = load i64, ptr %livep
  %now = add i64 %live, %bytes
  {_field("topp", "tape_top")}
  %top = load i64, ptr %topp
  {_field("basep", "tape_base")}
  %base = load i64, ptr %basep
  %used = sub i64 %top, %base
  %total = add i64 %now, %used
  {_field("limitp", "limit")}
  %limit = load i64, ptr %limitp
  %over = icmp ugt i64 %total, %limit
  br i1 %over, label %none, label %try
try:
  call void @rg_enter(ptr %ctx)
  %frame = call ptr @malloc(i64 %bytes)
  %failed = icmp eq ptr %frame, null
  br i1 %failed, label %without, label %have
have:
  store i64 %now, ptr %livep
  {_field("framedp", "framed")}
  %framed = load i64, ptr %framedp
  %more = add i64 %framed, %bytes
  store i64 %more, ptr %framedp
  {_field("peakp", "peak")}
  %peak = load i64, ptr %peakp
  %higher = call i64 @llvm.smax.i64(i64 %total, i64 %peak)
  store i64 %higher, ptr %peakp
  %sizep = getelementptr i64, ptr %frame, i64 3
  store i64 %bytes, ptr %sizep
  ret ptr %frame
without:
  call void @rg_leave(ptr %ctx)
  br label %none
none:
  ret ptr null
}}

define void @rg_drop_frame(ptr %ctx, ptr %frame) noinline {{
  call void @rg_enter(ptr %ctx)
  {_field("enteredp", "entered")}
  %entered = load ptr, ptr %enteredp
  %outer = load ptr, ptr %frame
  %first = icmp eq ptr %entered, %frame
  %rest = select i1 %first, ptr %outer, ptr %entered
  store ptr %rest, ptr %enteredp
  %sizep = getelementptr i64, ptr %frame, i64 3
  %size = load i64, ptr %sizep
  {_field("livep", "live")}
  %live = load i64, ptr %livep
  %now = sub i64 %live, %size
  store i64 %now, ptr %livep
  {_field("framedp", "framed")}
  %framed = load i64, ptr %framedp
  %less = sub i64 %framed, %size
  store i64 %less, ptr %framedp
  call void @free(ptr %frame)
  call void @rg_leave(ptr %ctx)
  ret void
}}
"""
"""Frames, the same for every module (`support`). A new frame is in no chain yet: the section that
must not be given up is left when it is."""


def _enter(number: int, function: Function, role: Role, twice: bool, costs: Costs) -> str:
    """Enters one function with a frame, and puts its results into words."""
    struct = result_struct(function.result_types, costs, interruptible=True)
    given = ["ptr %ctx", "ptr %frame", "i64 %budget"]
    for param in function.params:
        if param.type.is_scalar:
            given.append(f"{llvm_scalar(param.type.dtype)} zeroinitializer")
        else:
            given += ["ptr null", *["i64 0"] * param.type.rank]
    if in_memory(function.result_types, costs):
        given.append("ptr %words")
    packed, callee = f"%packed.{number}", f"@rg.{function.name}{role.value}"
    lines = [f"enter.{number}:"]
    if twice:
        both = f"ptr @rg.{function.name}{Role.AHEAD.value}, ptr {callee}"
        callee = f"%callee.{number}"
        lines.append(f"  {callee} = select i1 %ahead, {both}")
    lines += [
        f"  {packed} = call {struct} {callee}({', '.join(given)})",
        f"  %status.{number} = extractvalue {struct} {packed}, 0",
    ]
    apart = in_memory(function.result_types, costs)
    for k, kind in enumerate([] if apart else result_kinds(function.result_types)):
        value, place = f"%value.{number}.{k}", f"%place.{number}.{k}"
        lines.append(f"  {value} = extractvalue {struct} {packed}, {k + 1}")
        if kind == "i1":
            lines.append(f"  {value}w = zext i1 {value} to i64")
            kind, value = "i64", f"{value}w"
        lines.append(f"  {place} = getelementptr i64, ptr %words, i64 {k}")
        lines.append(f"  store {kind} {value}, ptr {place}")
    return "\n".join([*lines, "  br label %check", ""])
