"""Interruptible code: budgets, execution points, frames on the heap, resumption.

A function counts down a budget. At a point where it is used up, the function writes its homes (the
values that live across points) to a frame on the heap and returns status 2; its callers do the same
after the call. To resume, the driver enters the innermost frame's function with that frame: the
entry switch reloads the homes and jumps to the point. Its results then enter the caller's frame,
and so on outwards, so depth is bounded by memory only. Innermost counted loops run in chunks and
stay natural loops.

A frame is [next outer frame, function number, point, bytes, address of the list of those homes that
are pointers, homes...] in 8-byte words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from retrograd.backends.llvm.gen import AnyValue, Gen, Home, Interrupts, Role, Shapes
from retrograd.backends.llvm.plan import BlockPlan
from retrograd.backends.llvm.text import llvm_scalar
from retrograd.ir.terms import Block, Call, Expr, For, Prim, Var
from retrograd.ir.types import Type
from retrograd.transforms.checkpoint.sweep_split import takes
from retrograd.transforms.points.cost_model import pointful

__all__ = [
    "FAILED", "FRAME_HEADER", "INTERRUPTED", "beyond_late", "branch_on_budget", "charge", "chunked",
    "crossings", "drop_homes", "entry_switch", "frame_shapes", "home", "kinds_of", "leave_homes",
    "make_home", "note_clean", "save_frame", "stops", "wait_for_tape", "waits",
]  # fmt: skip

FRAME_HEADER = 5
FIRST_WAIT = 1 << 40
"""Waits are numbered from here in frames, other places as in `transforms.charges`."""

FAILED, INTERRUPTED = -(2**63), -(2**63) + 1
"""What interruptible code returns in place of its budget where it did not come to its end."""


def stops(gen: Gen, expr: Expr) -> bool:
    """Whether this code may be interrupted inside an expression."""
    match gen.role:
        case None:
            return False
        case Role.REVERSE:  # what a chunk has recorded is there as a whole
            return gen.tape_block is None and takes(expr, gen.shared.popping)
        case _:
            return pointful(expr)


def waits(gen: Gen, expr: Expr) -> bool:
    """Whether reverse code has to look, before a statement, if anything is on the tape."""
    if gen.role is not Role.REVERSE or gen.tape_block is not None:
        return False
    match expr:
        case Prim():
            return expr.op == "pop"
        case Call():
            return expr.point is None and expr.function in gen.shared.popping
        case For():
            return expr.block and expr.point is None and stops(gen, expr)
        case _:
            return False


def crossings(block: Block, plan: BlockPlan, points: Sequence[int]) -> dict[int, list[Var]]:
    """For each statement, which of what is known after it lives across a later one of `points`."""
    made = {out: k for k, stm in enumerate(block.stms) for out in stm.outs} if points else {}
    found: dict[int, list[Var]] = {}
    for out, position in made.items():
        if any(position < q <= plan.last.get(out, -1) for q in points):
            # A sum is known, and an array there, when the loop has run that it is part of.
            found.setdefault(made[plan.joined.get(out, out)], []).append(out)
    return found


def kinds_of(type_: Type) -> list[str]:
    return [llvm_scalar(type_.dtype)] if type_.is_scalar else ["ptr"] + ["i64"] * type_.rank


def make_home(gen: Gen, type_: Type) -> Home:
    """Slots that frames save from here on."""
    slots = gen.make_slots(type_)
    if _interrupts(gen).steady:
        gen.f.fixed.update(slots)
    _interrupts(gen).homes += zip(slots, kinds_of(type_), strict=True)
    return Home(tuple(slots), type_)


def home(gen: Gen, var: Var, value: AnyValue) -> Home:
    """Gives a variable a home and puts its value there."""
    made = make_home(gen, var.type)
    gen.store_value(made.slots, value, var.type)
    gen.env[var] = made
    return made


def leave_homes(gen: Gen, mark: int) -> None:
    """Frames save no longer what has got a home since there were `mark` of them."""
    if gen.interrupts is not None:
        del gen.interrupts.homes[mark:]


def drop_homes(gen: Gen, dead: Iterable[Home]) -> None:
    """Frames save no longer what nothing reads again."""
    slots = {slot for made in dead for slot in made.slots}
    if slots:
        state = _interrupts(gen)
        state.homes = [h for h in state.homes if h[0] not in slots]


def _interrupts(gen: Gen) -> Interrupts:
    assert gen.interrupts is not None
    return gen.interrupts


def charge(gen: Gen, cost: str) -> None:
    """Takes `cost` off the budget."""
    f, slot = gen.f, _interrupts(gen).budget
    f.store("i64", f.value(f"sub i64 {f.load('i64', slot)}, {cost}"), slot)


def chunked(
    gen: Gen, point: int, homes: tuple[Home, Home], cost: int, from_end: bool,
    run: Callable[[str, str], None], room: Callable[[], str] | None,
) -> None:  # fmt: skip
    """A counted loop without inner points: `run(first, count)` for chunks within the budget.

    `homes` are those of its trip count and counter. Chunks end at a multiple of `grain` iterations,
    counted `from_end` where the reverse loop, which does so, has sums; wherever they began, so that
    a run to a given number of steps ends at the same point (`charges.chunk_end`). `room` says how
    many iterations a chunk had better not go beyond.
    """
    f = gen.f
    head, check, go, after = (f.fresh(n) for n in ("points", "check", "chunk", "after"))
    f.label(head)
    n, k = (f.load("i64", home.slots[0]) for home in homes)
    f.branch(f.value(f"icmp slt i64 {k}, {n}"), check, after)
    f.label(check)
    branch_on_budget(gen, point, head, go)
    f.label(go)
    left = beyond_late(gen, point, f.load("i64", _interrupts(gen).budget))
    some = f.value(f"add i64 {left}, {cost - 1}")
    some = f.value(f"udiv i64 {some}, {cost}")
    if room is not None:
        some = f.call("i64", "llvm.umin.i64", [("i64", some), ("i64", room())])
    grain = _interrupts(gen).grain
    if from_end:
        beyond = f.value(f"sub i64 {n}, {f.value(f'add i64 {k}, {some}')}")
        beyond = f.call("i64", "llvm.smax.i64", [("i64", beyond), ("i64", "0")])
        end = f.value(f"sub i64 {n}, {f.value(f'and i64 {beyond}, -{grain}')}")
    else:
        end = f.value(f"add i64 {f.value(f'add i64 {k}, {some}')}, {grain - 1}")
        end = f.call(
            "i64", "llvm.smin.i64", [("i64", f.value(f"and i64 {end}, -{grain}")), ("i64", n)]
        )
    count = f.value(f"sub i64 {end}, {k}")
    run(k, count)
    f.store("i64", f.value(f"add nsw i64 {k}, {count}"), homes[1].slots[0])
    charge(gen, f.value(f"mul i64 {count}, {cost}"))
    f.jump(head)
    f.label(after)


def branch_on_budget(gen: Gen, point: int, resume: str, go: str, room: str = "") -> None:
    """Branches to `go` while there is a budget (and `room`, an i1), or saves and leaves."""
    f = gen.f
    left = f.load("i64", _interrupts(gen).budget)
    good = f.value(f"icmp sgt i64 {beyond_late(gen, point, left)}, 0")
    if room:
        good = f.value(f"and i1 {good}, {room}")
    out = f.fresh("out")
    f.branch(good, go, out, ", !prof !20")
    f.label(out)
    gen.write_field("budget", left)
    save_frame(gen, point, resume)


def beyond_late(gen: Gen, point: int, left: str) -> str:
    """What is left of a budget before a run stops at a point: at a heavy one it stops later."""
    heavy = gen.shared.heavy.points
    if gen.role is not Role.AHEAD or not heavy or (gen.f.name, point) in heavy:
        return left
    return gen.f.value(f"sub i64 {left}, {gen.read_field('late')}")


def note_clean(gen: Gen, point: int) -> None:
    """Notes how many steps apart the iterations of a loop are that has heavy points inside."""
    if (gen.f.name, point) not in gen.shared.heavy.around:
        return
    f = gen.f
    left = f.load("i64", _interrupts(gen).budget)
    now = f.value(f"sub i64 {gen.read_field('clean_end')}, {left}")
    before = gen.read_field("clean_at")
    apart = f.value(f"sub i64 {now}, {before}")
    after = f.value(f"icmp sgt i64 {apart}, 0")
    known = f.value(f"and i1 {after}, {f.value(f'icmp sgt i64 {before}, 0')}")
    one = f.value(f"select i1 {known}, i64 {apart}, i64 {gen.read_field('clean_apart')}")
    gen.write_field("clean_apart", one)
    gen.write_field("clean_at", now)


def wait_for_tape(gen: Gen) -> None:
    """Reverse code leaves here while the tape is empty, or where its budget is used up.

    Not everything that waits takes something then. When the first leaf of the run is taken back,
    all is there that will ever be, and nothing waits any more.
    """
    f, slot = gen.f, _interrupts(gen).budget
    look, go, out = (f.fresh(n) for n in ("look", "go", "wait"))
    f.label(look)
    top, empty = gen.read_field("tape_top"), gen.read_field("wait_at")
    left = f.load("i64", slot)
    some = f.value(f"icmp sgt i64 {left}, 0")
    more = f.value(f"icmp ne i64 {top}, {empty}")
    f.branch(f.value(f"and i1 {some}, {more}"), go, out, ", !prof !20")
    f.label(out)
    gen.write_field("budget", "0")
    save_frame(gen, FIRST_WAIT + len(_interrupts(gen).points), look)
    f.label(go)
    f.store("i64", f.value(f"sub nsw i64 {f.load('i64', slot)}, 1"), slot)


def save_frame(gen: Gen, point: int, resume: str) -> None:
    """Writes the homes to a frame for `point`, returns status 2; resumption goes on at `resume`."""
    f, state = gen.f, _interrupts(gen)
    state.points.append((point, resume, tuple(state.homes)))
    words = FRAME_HEADER + len(state.homes)
    frame = f.call("ptr", "rg_frame", [("ptr", "%ctx"), ("i64", str(8 * words))])
    good = f.value(f"icmp ne ptr {frame}, null")
    gen.require(good, "RecursionError", "frames of calls do not fit in memory", gen.here)
    f.store("i64", str(point), f.value(f"getelementptr i64, ptr {frame}, i64 2"))
    pointers = [FRAME_HEADER + k for k, (_, kind) in enumerate(state.homes) if kind == "ptr"]
    listed = gen.shared.places(pointers)
    f.store("ptr", listed, f.value(f"getelementptr i64, ptr {frame}, i64 4"))
    for k, (slot, kind) in enumerate(state.homes):
        place = f.value(f"getelementptr i64, ptr {frame}, i64 {FRAME_HEADER + k}")
        value = f.load(kind, slot)
        if kind == "i1":
            kind, value = "i64", f.value(f"zext i1 {value} to i64")
        f.store(kind, value, place)
    f.store("ptr", frame, "%frame_slot")
    f.jump("leave")


def frame_shapes(state: Interrupts, function: int) -> Shapes:
    """What the frames of a function hold, by its number and the point."""
    return {(function, point): tuple(kind for _, kind in saved) for point, _, saved in state.points}


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
    for number, label, saved in state.points:
        lines.append(f"resume.{number}:")
        for k, (slot, kind) in enumerate(saved):
            name = f"%w{number}.{k}"
            lines.append(f"  {name}p = getelementptr i64, ptr %frame, i64 {FRAME_HEADER + k}")
            load = "i64" if kind == "i1" else kind
            lines.append(f"  {name} = load {load}, ptr {name}p")
            if kind == "i1":
                lines.append(f"  {name}b = trunc i64 {name} to i1")
                name += "b"
            how = "volatile " if state.steady else ""
            lines.append(f"  store {how}{kind} {name}, ptr {slot}")
        lines += ["  call void @rg_drop_frame(ptr %ctx, ptr %frame)", f"  br label %{label}"]
    return lines
