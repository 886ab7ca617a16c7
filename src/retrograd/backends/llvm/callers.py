"""Which line of the user's has called a function that several lines call.

What fails in such a function is said of the line that called it. The function cannot know it: its
caller notes it in the context when the call has failed. Where the run was interrupted in the
function, the caller is only a frame then, and the number of the point in that says it.
"""

from __future__ import annotations

from retrograd.backends.llvm.gen import Gen
from retrograd.ir.terms import Call, Stm
from retrograd.runtime.layout import field_offset

__all__ = ["CALLED_TEXT", "failed_in", "note_callers", "point_of_call"]

_FIRST = 44
"""The first bit of a point's number that belongs to the site of the calling line."""


def failed_in(gen: Gen, stm: Stm, expr: Call) -> str:
    """Where a function goes on when one that it calls has failed; `note_callers` has it."""
    number = _site(gen, stm, expr)
    if number == 0:
        return "fail"
    return gen.callers.setdefault(number, f"called{number}")


def note_callers(gen: Gen) -> None:
    """Ends a function's text with what it does where a called function has failed."""
    for number, label in gen.callers.items():
        gen.f.label(label)
        known = gen.read_field("place")
        unknown = gen.f.value(f"icmp eq i64 {known}, 0")
        gen.write_field("place", gen.f.value(f"select i1 {unknown}, i64 {number}, i64 {known}"))
        gen.f.jump("fail")


def point_of_call(gen: Gen, stm: Stm, expr: Call, point: int) -> int:
    """The number of a point in a call, with that of the calling line's site."""
    return point | _site(gen, stm, expr) << _FIRST


def _site(gen: Gen, stm: Stm, expr: Call) -> int:
    """The number of the calling line's site; 0 where the called function needs none."""
    here, callee = stm.prov.span, gen.shared.program.function(expr.function).prov.span
    if here is None or here.shared or callee is None or not callee.shared:
        return 0
    return gen.shared.error("", "called", here)


CALLED_TEXT = f"""
define internal void @rg_called(ptr %ctx, ptr %innermost) noinline {{
entry:
  %placep = getelementptr i8, ptr %ctx, i64 {field_offset("place")}
  %known = load i64, ptr %placep
  %missing = icmp eq i64 %known, 0
  br i1 %missing, label %next, label %done
next:
  %frame = phi ptr [%innermost, %entry], [%outer, %look]
  %last = icmp eq ptr %frame, null
  br i1 %last, label %done, label %look
look:
  %outer = load ptr, ptr %frame
  %pointp = getelementptr i64, ptr %frame, i64 2
  %point = load i64, ptr %pointp
  %place = lshr i64 %point, {_FIRST}
  store i64 %place, ptr %placep
  %none = icmp eq i64 %place, 0
  br i1 %none, label %next, label %done
done:
  ret void
}}
"""
"""Looks through the frames of a run that has failed, for the innermost line of the user's."""
