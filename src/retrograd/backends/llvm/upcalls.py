"""Calls of inner derivatives that may be left to whoever runs the code.

The context has a word for each inner derivative that says which way it is done: as a unit, here, or
by somebody else. In the second case the arguments go into the buffer `asked_words`, `asked` names
it (from 1), and the code is interrupted; the results are in the buffer when it is resumed. `inside`
names the inner derivative that is done here, for the case that it fails for want of memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from retrograd.backends.llvm.callers import failed_in
from retrograd.backends.llvm.gen import Gen
from retrograd.backends.llvm.interrupt import kinds_of, make_home, save_frame
from retrograd.backends.llvm.returns import emit_call
from retrograd.ir.terms import Call, Stm
from retrograd.transforms.points.cost_model import FIRST_CALL

__all__ = ["ask_or_call", "may_ask"]


def may_ask(gen: Gen, expr: Call) -> bool:
    """Whether a call may be left to whoever runs this code."""
    pointed = gen.interrupts is not None and expr.point is not None
    return pointed and expr.function in gen.shared.inner


def ask_or_call(gen: Gen, stm: Stm, expr: Call, args: list[tuple[str, str]]) -> None:
    """The call of an inner derivative; its results are in homes, whichever way it is done."""
    f, interrupts = gen.f, gen.interrupts
    assert interrupts is not None
    number = gen.shared.inner[expr.function]
    homes = [make_home(gen, out.type) for out in stm.outs]
    here, ask, answered, join = (f.fresh(n) for n in ("here", "ask", "answered", "joined"))
    ways = gen.read_field("inner_ways", "ptr")
    way = f.load("i64", f.value(f"getelementptr i64, ptr {ways}, i64 {number}"))
    f.branch(f.value(f"icmp eq i64 {way}, 0"), here, ask)
    f.label(here)
    gen.write_field("inside", str(number + 1))
    status, values = emit_call(gen, f"rg.{expr.function}", [v.type for v in stm.outs], args)
    gen.propagate(status, failed_in(gen, stm, expr))
    gen.write_field("inside", "0")
    for value, made in zip(values, homes, strict=True):
        gen.store_value(made.slots, value, made.type)
    f.jump(join)
    f.label(ask)
    _give(gen, args[1:])
    gen.write_field("asked", str(number + 1))
    gen.write_field("budget", f.load("i64", interrupts.budget))
    save_frame(gen, FIRST_CALL + len(interrupts.points), answered)
    f.label(answered)
    position = 0
    words = gen.read_field("asked_words", "ptr")
    for out, made in zip(stm.outs, homes, strict=True):
        for slot, kind in zip(made.slots, kinds_of(out.type), strict=True):
            place = f.value(f"getelementptr i64, ptr {words}, i64 {position}")
            if kind == "i1":
                f.store(kind, f.value(f"icmp ne i64 {f.load('i64', place)}, 0"), slot)
            else:
                f.store(kind, f.load(kind, place), slot)
            position += 1
    f.label(join)
    for out, made in zip(stm.outs, homes, strict=True):
        gen.env[out] = made


def _give(gen: Gen, args: Sequence[tuple[str, str]]) -> None:
    """Arguments into the buffer, a word for each part."""
    f = gen.f
    words = gen.read_field("asked_words", "ptr")
    for position, (kind, value) in enumerate(args):
        place = f.value(f"getelementptr i64, ptr {words}, i64 {position}")
        if kind == "i1":
            kind, value = "i64", f.value(f"zext i1 {value} to i64")
        f.store(kind, value, place)
