"""Interruptible code: budgets, execution points, frames on the heap, resumption.

A function counts down a budget. At a point where it is used up, the function writes its homes (the
values that live across points) to a frame on the heap and returns status 2; its callers do the same
after the call. To resume, the driver enters the innermost frame's function with that frame: the
entry switch reloads the homes and jumps to the point. Its results then enter the caller's frame,
and so on outwards, so depth is bounded by memory only. Innermost counted loops run in chunks and
stay natural loops.

A frame is [next outer frame, function number, point, bytes, homes...] in 8-byte words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retrograd.backends.llvm.gen import AnyValue, Gen, Home, Interrupts, Shapes
from retrograd.backends.llvm.text import llvm_scalar
from retrograd.ir.terms import Block, Call, Expr, For, Var, While
from retrograd.ir.traverse import blocks, stms_deep
from retrograd.ir.types import I64, Type

__all__ = [
    "FAILED", "FRAME_HEADER", "INTERRUPTED", "branch_on_budget", "charge", "chunked", "cost_of",
    "crossings", "entry_switch", "frame_shapes", "home", "kinds_of", "loop_homes", "make_home",
    "pointer_home", "pointful", "save_frame",
]  # fmt: skip

FRAME_HEADER = 4
FAILED, INTERRUPTED = -(2**63), -(2**63) + 1
"""What interruptible code returns in place of its budget where it did not come to its end."""


def pointful(expr: Expr) -> bool:
    """Whether code may be interrupted inside an expression; a callee may have points of its own."""
    if isinstance(expr, Call) or (isinstance(expr, For | While) and expr.point is not None):
        return True
    return any(pointful(stm.expr) for block in blocks(expr) for stm in block.stms)


def cost_of(block: Block) -> int:
    """Cost of one run of a block without points, in statements."""
    return max(1, sum(1 for _ in stms_deep(block)))


def crossings(block: Block, last: dict[Var, int], points: Sequence[int]) -> dict[int, list[Var]]:
    """For each statement, which of its results live across a later one of `points`."""
    found: dict[int, list[Var]] = {}
    for position, stm in enumerate(block.stms):
        for out in stm.outs:
            end = last.get(out, -1)
            if any(position < q <= end for q in points):
                found.setdefault(position, []).append(out)
    return found


def kinds_of(type_: Type) -> list[str]:
    return [llvm_scalar(type_.dtype)] if type_.is_scalar else ["ptr"] + ["i64"] * type_.rank


def make_home(gen: Gen, type_: Type) -> Home:
    """Slots that frames save from here on."""
    slots = gen.make_slots(type_)
    _interrupts(gen).homes += zip(slots, kinds_of(type_), strict=True)
    return Home(tuple(slots), type_)


def pointer_home(gen: Gen, value: str) -> str:
    """A slot with an address that frames save from here on."""
    slot = gen.f.slot("ptr")
    _interrupts(gen).homes.append((slot, "ptr"))
    gen.f.store("ptr", value, slot)
    return slot


def home(gen: Gen, var: Var, value: AnyValue) -> None:
    """Gives a variable a home and puts its value there."""
    made = make_home(gen, var.type)
    gen.store_value(made.slots, value, var.type)
    gen.env[var] = made


def _interrupts(gen: Gen) -> Interrupts:
    assert gen.interrupts is not None
    return gen.interrupts


def charge(gen: Gen, cost: str) -> None:
    """Takes `cost` off the budget."""
    f, slot = gen.f, _interrupts(gen).budget
    f.store("i64", f.value(f"sub i64 {f.load('i64', slot)}, {cost}"), slot)


def chunked(
    gen: Gen, point: int, trips: Home, counter: Home, cost: int, run: Callable[[str, str], None]
) -> None:
    """A counted loop without inner points: `run(first, count)` for chunks within the budget."""
    f = gen.f
    head, check, go, after = (f.fresh(n) for n in ("points", "check", "chunk", "after"))
    f.label(head)
    k, n = f.load("i64", counter.slots[0]), f.load("i64", trips.slots[0])
    f.branch(f.value(f"icmp slt i64 {k}, {n}"), check, after)
    f.label(check)
    branch_on_budget(gen, point, head, go)
    f.label(go)
    left = f.load("i64", _interrupts(gen).budget)
    some = f.value(f"icmp sgt i64 {left}, 0")
    left = f.value(f"select i1 {some}, i64 {left}, i64 {1 << 62}")  # a derivative is one step
    grain = _interrupts(gen).grain
    allowed = f.value(f"add i64 {f.value(f'udiv i64 {left}, {cost}')}, {grain}")
    allowed = f.value(f"and i64 {allowed}, -{grain}")
    rest = f.value(f"sub i64 {n}, {k}")
    count = f.call("i64", "llvm.smin.i64", [("i64", rest), ("i64", allowed)])
    run(k, count)
    f.store("i64", f.value(f"add nsw i64 {k}, {count}"), counter.slots[0])
    charge(gen, f.value(f"mul i64 {count}, {cost}"))
    f.jump(head)
    f.label(after)


def branch_on_budget(gen: Gen, point: int, resume: str, go: str, room: str = "") -> None:
    """Branches to `go` while there is a budget (and `room`, an i1), or saves and leaves.

    While something is on the tape a derivative is being calculated, which is one step: the run goes
    on without a budget until the tape is empty.
    """
    f = gen.f
    left = f.load("i64", _interrupts(gen).budget)
    good = f.value(f"icmp sgt i64 {left}, 0")
    if room:
        good = f.value(f"and i1 {good}, {room}")
    ask, out = f.fresh("ask"), f.fresh("out")
    f.branch(good, go, ask, ", !prof !20")
    f.label(ask)
    top, base = gen.read_field("tape_top"), gen.read_field("tape_base")
    inside = f.value(f"icmp ne i64 {top}, {base}")
    f.branch(f.value(f"and i1 {inside}, {room}") if room else inside, go, out)
    f.label(out)
    some = f.call("i64", "llvm.smax.i64", [("i64", left), ("i64", "1")])
    gen.write_field("budget", f.value(f"select i1 {inside}, i64 {some}, i64 {left}"))
    save_frame(gen, point, resume)


def save_frame(gen: Gen, point: int, resume: str) -> None:
    """Writes the homes to a frame for `point`, returns status 2; resumption goes on at `resume`."""
    f, state = gen.f, _interrupts(gen)
    state.points.append((point, resume, len(state.homes)))
    words = FRAME_HEADER + len(state.homes)
    frame = f.call("ptr", "rg_frame", [("ptr", "%ctx"), ("i64", str(8 * words))])
    good = f.value(f"icmp ne ptr {frame}, null")
    gen.require(good, "RecursionError", "frames of calls do not fit in memory", gen.here)
    f.store("i64", str(point), f.value(f"getelementptr i64, ptr {frame}, i64 2"))
    for k, (slot, kind) in enumerate(state.homes):
        place = f.value(f"getelementptr i64, ptr {frame}, i64 {FRAME_HEADER + k}")
        value = f.load(kind, slot)
        if kind == "i1":
            kind, value = "i64", f.value(f"zext i1 {value} to i64")
        f.store(kind, value, place)
    f.store("ptr", frame, "%frame_slot")
    f.jump("leave")


def loop_homes(gen: Gen, trips: str) -> tuple[Home, Home]:
    """Homes for the trip count and the counter of a loop."""
    n, k = make_home(gen, I64), make_home(gen, I64)
    gen.f.store("i64", trips, n.slots[0])
    gen.f.store("i64", "0", k.slots[0])
    return n, k


def frame_shapes(state: Interrupts, function: int) -> Shapes:
    """What the frames of a function hold, by its number and the point."""
    kinds = tuple(kind for _, kind in state.homes)
    return {(function, point): kinds[:count] for point, _, count in state.points}


def entry_switch(gen: Gen, begin: str) -> list[str]:
    """The entry's text: a fresh start, or the homes reloaded and a jump to the frame's point."""
    state = _interrupts(gen)
    lines = [
        "  %fresh = icmp eq ptr %frame, null",
        f"  br i1 %fresh, label %{begin}, label %resume",
        "resume:",
        "  %pointp = getelementptr i64, ptr %frame, i64 2",
        "  %point = load i64, ptr %pointp",
        "  switch i64 %point, label %lost [",
        *(f"    i64 {n}, label %resume.{n}" for n, _, _ in state.points),
        "  ]",
        "lost:",
        "  unreachable",
    ]
    for number, label, count in state.points:
        lines.append(f"resume.{number}:")
        for k, (slot, kind) in enumerate(state.homes[:count]):
            name = f"%w{number}.{k}"
            lines.append(f"  {name}p = getelementptr i64, ptr %frame, i64 {FRAME_HEADER + k}")
            load = "i64" if kind == "i1" else kind
            lines.append(f"  {name} = load {load}, ptr {name}p")
            if kind == "i1":
                lines.append(f"  {name}b = trunc i64 {name} to i1")
                name += "b"
            lines.append(f"  store {kind} {name}, ptr {slot}")
        lines += ["  call void @rg_drop_frame(ptr %ctx, ptr %frame)", f"  br label %{label}"]
    return lines
