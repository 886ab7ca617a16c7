"""Loops and calls of interruptible code: what they hold across a point is in homes.

A loop counts in a slot and reads its trip count from one, so that a frame brings both back. A sum
over a loop with points inside keeps its lanes in homes too, and adds in the order of `reduce`.
"""

from __future__ import annotations

from collections.abc import Callable

from retrograd.backends.llvm.gen import AnyValue, Gen, Home
from retrograd.backends.llvm.interrupt import (
    FAILED,
    INTERRUPTED,
    branch_on_budget,
    charge,
    chunked,
    cost_of,
    kinds_of,
    make_home,
    pointful,
    save_frame,
)
from retrograd.backends.llvm.reduce import LANES, accumulators, add_terms
from retrograd.backends.llvm.text import ArrayValue
from retrograd.ir.terms import Call, For, Stm
from retrograd.ir.types import Type

__all__ = [
    "above_stack_limit", "ask_before_call", "counted_points", "interruptible_call", "summed_points",
    "unpack",
]  # fmt: skip

FIRST_CALL = 1 << 32
"""Calls are numbered from here in frames, loops have their number in the program."""

Body = Callable[[str], list[str]]


def counted_points(gen: Gen, expr: For, homes: tuple[Home, Home], body: Body) -> None:
    """A counted loop that can be interrupted: in chunks if it has no points, else every time."""
    f = gen.f
    if expr.point is None or any(pointful(stm.expr) for stm in expr.body.stms):
        _each(gen, expr, homes, lambda k: (body(k), None)[1])
        return

    def run(first: str, count: str) -> None:
        gen.loop(count, lambda j: (body(f.value(f"add nuw nsw i64 {first}, {j}")), None)[1])

    chunked(gen, expr.point, *homes, cost_of(expr.body), run)


def summed_points(gen: Gen, expr: For, homes: tuple[Home, Home], body: Body) -> list[str]:
    """A counted loop with points inside whose sums are open while it is interrupted."""
    f = gen.f
    assert gen.interrupts is not None
    lanes, totals = accumulators(gen, expr.sums)
    for lane in lanes:
        places = ["%" + f.fresh("lane") for _ in range(LANES)]
        f.allocas += [
            f"  {place} = getelementptr double, ptr {lane}, i64 {k}"
            for k, place in enumerate(places)
        ]
        gen.interrupts.homes += [(place, "double") for place in places]
    gen.interrupts.homes += [(total, "double") for total in totals]

    def step(k: str) -> None:
        terms = body(k)
        trips, now = (f.load("i64", h.slots[0]) for h in homes)
        add_terms(gen, trips, lanes, totals, now, terms)

    _each(gen, expr, homes, step)
    return [f.load("double", total) for total in totals]


def _each(gen: Gen, expr: For, homes: tuple[Home, Home], step: Callable[[str], None]) -> None:
    """Runs `step(k)` for each k of the loop, and asks for the budget before each."""
    f = gen.f
    n, counter = (h.slots[0] for h in homes)
    head, check, go, after = (f.fresh(name) for name in ("points", "check", "body", "after"))
    f.label(head)
    k = f.load("i64", counter)
    f.branch(f.value(f"icmp slt i64 {k}, {f.load('i64', n)}"), check, after)
    f.label(check)
    if expr.point is not None:
        branch_on_budget(gen, expr.point, head, go)
        f.label(go)
        charge(gen, "1")
    step(k)
    f.store("i64", f.value(f"add nsw i64 {f.load('i64', counter)}, 1"), counter)
    f.jump(head)
    f.label(after)


def ask_before_call(gen: Gen, point: int, deep: bool) -> None:
    """A call is a point: what it is given is in homes already.

    A call that may go deep also leaves where the native stack is used up; the driver then goes on
    from an empty stack.
    """
    f = gen.f
    head, go = f.fresh("call"), f.fresh("go")
    f.label(head)
    room = above_stack_limit(gen) if deep else ""
    branch_on_budget(gen, point, head, go, room)
    f.label(go)
    charge(gen, "1")


def above_stack_limit(gen: Gen) -> str:
    """Whether the native stack has room for another call, an i1."""
    f = gen.f
    frame = f.value("call ptr @llvm.frameaddress.p0(i32 0)")
    here = f.value(f"ptrtoint ptr {frame} to i64")
    return f.value(f"icmp ugt i64 {here}, {gen.read_field('stack_limit')}")


def interruptible_call(
    gen: Gen, stm: Stm, expr: Call, struct: str, args: list[tuple[str, str]]
) -> None:
    """A call of what may be interrupted: then this frame is saved too.

    On resumption the driver has put the callee's results into the context.
    """
    f = gen.f
    assert gen.interrupts is not None
    homes = [make_home(gen, out.type) for out in stm.outs]
    left = f.load("i64", gen.interrupts.budget)
    packed = f.call(
        struct, f"rg.{expr.function}", [args[0], ("ptr", "null"), ("i64", left), *args[1:]]
    )
    status = f.value(f"extractvalue {struct} {packed}, 0")
    position = 1
    for out, made in zip(stm.outs, homes, strict=True):
        value, position = unpack(gen, struct, packed, position, out.type)
        gen.store_value(made.slots, value, out.type)
    done, odd, unwind, join = (f.fresh(n) for n in ("done", "odd", "unwind", "joined"))
    f.store("i64", status, gen.interrupts.budget)
    f.branch(f.value(f"icmp sgt i64 {status}, {INTERRUPTED}"), join, odd, ", !prof !20")
    f.label(odd)
    gen.can_fail = True
    f.branch(f.value(f"icmp eq i64 {status}, {FAILED}"), gen.fail_label, unwind)
    f.label(unwind)
    number = FIRST_CALL + len(gen.interrupts.points)
    save_frame(gen, number, done)
    f.label(done)
    words = gen.read_field("results", "ptr")
    position = 0
    for out, made in zip(stm.outs, homes, strict=True):
        for slot, kind in zip(made.slots, kinds_of(out.type), strict=True):
            place = f.value(f"getelementptr i64, ptr {words}, i64 {position}")
            f.store(kind, f.load(kind, place), slot)
            position += 1
    f.label(join)
    for out, made in zip(stm.outs, homes, strict=True):
        gen.env[out] = made


def unpack(gen: Gen, struct: str, packed: str, position: int, type_: Type) -> tuple[AnyValue, int]:
    """One result out of a returned struct, and the position of the next."""
    first = gen.f.value(f"extractvalue {struct} {packed}, {position}")
    if type_.is_scalar:
        return first, position + 1
    dims = tuple(
        gen.f.value(f"extractvalue {struct} {packed}, {position + 1 + k}")
        for k in range(type_.rank)
    )
    return ArrayValue(first, dims, type_, None, first), position + 1 + type_.rank
