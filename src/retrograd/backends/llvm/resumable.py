"""Loops and calls of interruptible code: what they hold across a point is in homes.

A loop counts in a slot and reads its trip count from one, so that a frame brings both back. Sums
keep their lanes in homes too, and are added up in the order of `reduce`. The residuals of a chunk
of iterations are one block on the tape with its length above it; the reverse loop takes such chunks
off one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retrograd.backends.llvm.alias import settled
from retrograd.backends.llvm.callers import failed_in, point_of_call
from retrograd.backends.llvm.gen import Gen, Home, Role
from retrograd.backends.llvm.interrupt import (
    FAILED,
    INTERRUPTED,
    beyond_late,
    branch_on_budget,
    charge,
    chunked,
    kinds_of,
    make_home,
    note_clean,
    save_frame,
    wait_for_tape,
)
from retrograd.backends.llvm.metadata import TAPE_TBAA
from retrograd.backends.llvm.reduce import LANES, accumulators, add_chunk, add_terms
from retrograd.backends.llvm.returns import emit_call
from retrograd.backends.llvm.tape import block_words, iterations_left, reserve
from retrograd.backends.llvm.tape_blocks import TapeBlock
from retrograd.ir.terms import Block, Call, For, If, Prim, Stm, While
from retrograd.ir.traverse import blocks
from retrograd.ir.types import I64
from retrograd.transforms.points.cost_model import CALL, FIRST_CALL, iteration_cost, runs_in_chunks

__all__ = [
    "above_stack_limit", "ask_before_call", "interruptible_call", "resumable_loop",
    "resumable_while",
]  # fmt: skip

Body = Callable[[str, str, "TapeBlock | None"], list[str]]
"""Emits an iteration, by its number, the trip count, and where its residuals are; the terms of the
loop's sums."""


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop that can be interrupted, with the homes of its trip count and counter.

    `lanes` and `totals` are those of its sums; `plain`: its arrays keep their names.
    """

    expr: For
    trips: Home
    counter: Home
    body: Body
    plain: bool
    lanes: Sequence[str]
    totals: Sequence[str]


def resumable_loop(gen: Gen, expr: For, trips: str, body: Body, plain: bool) -> list[str]:
    """A counted loop that can be interrupted; its sums.

    Where the cost of an iteration is known it runs in chunks (of reverse loops, those that are on
    the tape), else each iteration may be the last before it stops.
    """
    n, k = make_home(gen, I64), make_home(gen, I64)
    gen.f.store("i64", trips, n.slots[0])
    gen.f.store("i64", "0", k.slots[0])
    lanes, totals = _open_sums(gen, expr.sums)

    loop = _Loop(expr, n, k, body, plain, lanes, totals)
    if gen.role is Role.REVERSE:
        if expr.block and expr.point is not None:
            _taken_chunks(gen, loop)
        else:
            _each(gen, loop)
    elif expr.point is None or not runs_in_chunks(expr, gen.shared.planner.prims):
        _each(gen, loop)
    else:
        chunked(
            gen, expr.point, (n, k), iteration_cost(expr.body), not expr.sums,
            lambda first, count: _some(gen, loop, first, count), _room(gen, expr),
        )  # fmt: skip
    return [gen.f.load("double", total) for total in totals]


def _room(gen: Gen, expr: For) -> Callable[[], str] | None:
    """How many iterations of a loop there is room for on the tape, where that is limited."""
    words, pushing = block_words(expr)
    if not (gen.shared.sweeps and gen.role is Role.FORWARD and expr.block and pushing):
        return None
    return lambda: iterations_left(gen, words)


def _open_sums(gen: Gen, count: int) -> tuple[list[str], list[str]]:
    """Lanes and totals of sums, all of them homes."""
    if not count:
        return [], []
    f = gen.f
    assert gen.interrupts is not None
    lanes, totals = accumulators(gen, count)
    for lane in lanes:
        places = ["%" + f.fresh("lane") for _ in range(LANES)]
        f.allocas += [
            f"  {place} = getelementptr double, ptr {lane}, i64 {k}"
            for k, place in enumerate(places)
        ]
        gen.interrupts.homes += [(place, "double") for place in places]
    gen.interrupts.homes += [(total, "double") for total in totals]
    return lanes, totals


def _each(gen: Gen, loop: _Loop) -> None:
    """Runs each iteration, and asks for the budget before."""
    f, expr = gen.f, loop.expr
    n, counter = loop.trips.slots[0], loop.counter.slots[0]
    head, check, after = (f.fresh(name) for name in ("points", "check", "after"))
    f.label(head)
    k = f.load("i64", counter)
    f.branch(f.value(f"icmp slt i64 {k}, {f.load('i64', n)}"), check, after)
    f.label(check)
    if expr.point is not None and gen.role is not Role.REVERSE:
        go = f.fresh("body")
        branch_on_budget(gen, expr.point, head, go)
        f.label(go)
        note_clean(gen, expr.point)
        charge(gen, str(iteration_cost(expr.body)))
    terms = loop.body(k, f.load("i64", n), None)
    now = f.load("i64", counter)
    if terms:
        add_terms(gen, f.load("i64", n), loop.lanes, loop.totals, now, terms)
    f.store("i64", f.value(f"add nsw i64 {now}, 1"), counter)
    f.jump(head)
    f.label(after)


def _some(gen: Gen, loop: _Loop, first: str, count: str) -> None:
    """So many iterations of a forward loop; what they record is one block with its length."""
    words, pushing = block_words(loop.expr)
    block = None
    if loop.expr.block and pushing and gen.role is not Role.AHEAD:
        f = gen.f
        size = f.value(f"mul i64 {count}, {8 * words}")
        base = reserve(gen, f.value(f"add i64 {size}, 8"))
        f.store("i64", count, f.value(f"getelementptr i8, ptr {base}, i64 {size}"), _LENGTH)
        block = base
    place = block
    _iterations(
        gen, loop, first, count,
        lambda j: None if place is None else TapeBlock(place, count, j),
    )  # fmt: skip


def _taken_chunks(gen: Gen, loop: _Loop) -> None:
    """A reverse loop by the chunks that are on the tape, the last one first."""
    f = gen.f
    words, _ = block_words(loop.expr)
    n, counter = loop.trips.slots[0], loop.counter.slots[0]
    head, check, after = (f.fresh(name) for name in ("points", "check", "after"))
    f.label(head)
    more = f.value(f"icmp slt i64 {f.load('i64', counter)}, {f.load('i64', n)}")
    f.branch(more, check, after)
    f.label(check)
    wait_for_tape(gen)
    top = gen.read_field("tape_top", "ptr")
    above = f.value(f"getelementptr i8, ptr {top}, i64 -8")
    count = f.load("i64", above, _LENGTH)
    charge(gen, count)  # a chunk may be a whole leg of the forward run
    size = f.value(f"mul i64 {count}, {-8 * words}")
    base = f.value(f"getelementptr i8, ptr {above}, i64 {size}")
    last = f.value(f"sub nsw i64 {count}, 1")
    k = f.load("i64", counter)
    _iterations(
        gen, loop, k, count,
        lambda j: TapeBlock(base, count, f.value(f"sub nsw i64 {last}, {j}")),
    )  # fmt: skip
    gen.write_field("tape_top", base, "ptr")
    f.store("i64", f.value(f"add nsw i64 {k}, {count}"), counter)
    f.jump(head)
    f.label(after)


_LENGTH = f", align 8, {TAPE_TBAA}"


def _iterations(
    gen: Gen, loop: _Loop, first: str, count: str, block: Callable[[str], TapeBlock | None]
) -> None:
    """Iterations in a natural loop; `block(j)` is where the residuals of the j-th of them are."""
    f = gen.f
    trips = f.load("i64", loop.trips.slots[0])

    def body(j: str) -> list[str]:
        return loop.body(f.value(f"add nuw nsw i64 {first}, {j}"), trips, block(j))

    with settled(gen, loop.expr, loop.plain):
        if loop.lanes:
            add_chunk(gen, trips, loop.lanes, loop.totals, first, count, body)
        else:
            gen.loop(count, lambda j: (body(j), None)[1])


def resumable_while(
    gen: Gen, expr: While, condition: Callable[[], str], body: Callable[[], None]
) -> None:
    """A loop with a condition, which can be interrupted before each iteration.

    An iteration of a nanosecond is made longer by asking. Short ones are written out a few times
    behind one question, whether the budget is enough for all of them.
    """
    f, cost = gen.f, iteration_cost(expr.body)
    assert expr.point is not None
    head, inside, go, after = (f.fresh(n) for n in ("while", "body", "go", "after"))
    f.label(head)
    f.branch(condition(), inside, after)
    f.label(inside)
    short = cost <= gen.shared.planner.prims.costs.while_short
    if short and _only_scalars(expr.cond) and _only_scalars(expr.body):
        _together(gen, expr.point, cost, (head, after), condition, body)
    asked = f.fresh("ask")
    f.jump(asked)
    f.label(asked)
    branch_on_budget(gen, expr.point, inside, go)  # the condition is not evaluated again
    f.label(go)
    note_clean(gen, expr.point)
    charge(gen, str(cost))
    body()
    f.jump(head)
    f.label(after)


def _together(
    gen: Gen, point: int, cost: int, places: tuple[str, str], condition: Callable[[], str],
    body: Callable[[], None],
) -> None:  # fmt: skip
    """Iterations for which the budget is enough, where it is; `places` are the loop's ends."""
    f, (head, after) = gen.f, places
    assert gen.interrupts is not None
    count = gen.shared.planner.prims.costs.while_together
    left = beyond_late(gen, point, f.load("i64", gen.interrupts.budget))
    go, ask = f.fresh("together"), f.fresh("apart")
    f.branch(f.value(f"icmp sgt i64 {left}, {(count - 1) * cost}"), go, ask)
    f.label(go)
    for done in range(1, count):
        body()
        more, end = f.fresh("more"), f.fresh("end")
        f.branch(condition(), more, end)
        f.label(end)
        charge(gen, str(done * cost))
        f.jump(after)
        f.label(more)
    body()
    charge(gen, str(count * cost))
    f.jump(head)
    f.label(ask)


def _only_scalars(block: Block) -> bool:
    """Whether a block makes no arrays, records nothing, and has no points or loops in it."""
    for stm in block.stms:
        match stm.expr:
            case Prim(op="push"):
                return False
            case Prim():
                if not all(out.type.is_scalar for out in stm.outs):
                    return False
            case If():
                if not all(map(_only_scalars, blocks(stm.expr))):
                    return False
            case _:
                return False
    return True


def ask_before_call(gen: Gen, point: int, deep: bool) -> None:
    """A call is a point: what it is given is in homes already.

    A call that may go deep also leaves where the native stack is used up; the driver then goes on
    from an empty stack.
    """
    f = gen.f
    head, go = f.fresh("call"), f.fresh("go")
    f.label(head)
    room = above_stack_limit(gen) if deep else ""
    if gen.role is Role.REVERSE and not deep:
        return
    branch_on_budget(gen, point, head, go, room)
    f.label(go)
    charge(gen, str(CALL))


def above_stack_limit(gen: Gen) -> str:
    """Whether the native stack has room for another call, an i1."""
    f = gen.f
    frame = f.value("call ptr @llvm.frameaddress.p0(i32 0)")
    here = f.value(f"ptrtoint ptr {frame} to i64")
    return f.value(f"icmp ugt i64 {here}, {gen.read_field('stack_limit')}")


def interruptible_call(
    gen: Gen, stm: Stm, expr: Call, args: list[tuple[str, str]], deep: bool
) -> None:
    """A call of what may be interrupted: then this frame is saved too.

    On resumption the driver has put the callee's results into the context. `deep`: the call is part
    of a recursion.
    """
    f = gen.f
    assert gen.interrupts is not None
    homes = [make_home(gen, out.type) for out in stm.outs]
    left = f.load("i64", gen.interrupts.budget)
    given = [args[0], ("ptr", "null"), ("i64", left), *args[1:]]
    types = [out.type for out in stm.outs]
    status, values = emit_call(gen, gen.symbol(expr.function), types, given, interruptible=True)
    for value, made in zip(values, homes, strict=True):
        gen.store_value(made.slots, value, made.type)
    done, odd, unwind, join = (f.fresh(n) for n in ("done", "odd", "unwind", "joined"))
    f.store("i64", status, gen.interrupts.budget)
    f.branch(f.value(f"icmp sgt i64 {status}, {INTERRUPTED}"), join, odd, ", !prof !20")
    f.label(odd)
    gen.can_fail = True
    f.branch(f.value(f"icmp eq i64 {status}, {FAILED}"), failed_in(gen, stm, expr), unwind)
    f.label(unwind)
    number = point_of_call(gen, stm, expr, FIRST_CALL + len(gen.interrupts.points))
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
    if deep and gen.role is not Role.REVERSE:
        _ask_after_call(gen)


def _ask_after_call(gen: Gen) -> None:
    """The return from a recursion is a point too: there may be a long way back, with work on it."""
    f = gen.f
    assert gen.interrupts is not None
    again, go = f.fresh("returned"), f.fresh("go")
    f.label(again)
    branch_on_budget(gen, FIRST_CALL + len(gen.interrupts.points), again, go)
    f.label(go)
    charge(gen, str(CALL))
