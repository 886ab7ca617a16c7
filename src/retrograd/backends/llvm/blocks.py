"""Statements, blocks and structured control: the walk over a function's body."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from retrograd.backends.llvm.alias import plain_body, settled
from retrograd.backends.llvm.callers import failed_in
from retrograd.backends.llvm.elementwise import copy_array, materialise
from retrograd.backends.llvm.frame_arrays import frame_arrays
from retrograd.backends.llvm.fused_loops import emit_fused
from retrograd.backends.llvm.gen import AnyValue, Gen, Home, Lazy, Role
from retrograd.backends.llvm.interrupt import (
    crossings,
    drop_homes,
    home,
    leave_homes,
    make_home,
    stops,
    wait_for_tape,
    waits,
)  # fmt: skip
from retrograd.backends.llvm.plan import BlockPlan, has_inner_work
from retrograd.backends.llvm.primitives import emit_prim
from retrograd.backends.llvm.reduce import lane_sums
from retrograd.backends.llvm.resumable import (
    Body,
    ask_before_call,
    interruptible_call,
    resumable_loop,
    resumable_while,
)
from retrograd.backends.llvm.returns import emit_call
from retrograd.backends.llvm.tape import block_words, reserve
from retrograd.backends.llvm.tape_blocks import TapeBlock
from retrograd.backends.llvm.text import ArrayValue, llvm_scalar
from retrograd.backends.llvm.upcalls import ask_or_call, may_ask
from retrograd.errors import CompilerBug
from retrograd.ir.terms import Atom, Block, Call, For, If, Prim, Stm, Var, While
from retrograd.ir.traverse import free_vars_expr
from retrograd.ir.types import Type

__all__ = ["emit_block"]

_NO_HOMES: Mapping[Var, Home] = {}


def emit_block(
    gen: Gen, block: Block, given: frozenset[Var], lent: frozenset[int] = frozenset(),
    homes: Mapping[Var, Home] = _NO_HOMES, bound: Sequence[Var] = (),
) -> list[AnyValue]:  # fmt: skip
    """Emits a block; its result values, arrays owned by whoever receives them.

    `bound` are the variables that begin with it.
    `given` are arrays from outside that this block owns: it moves or frees each of them. The
    results at the positions `lent` are arrays that a loop only lends to its body: they come back as
    they are. `homes` are those of variables that nothing but this block reads.
    """
    planner, mark_lengths = gen.shared.planner, gen.lengths.mark()
    gen.settle(bound)
    points = tuple(k for k, stm in enumerate(block.stms) if stops(gen, stm.expr))
    plan = planner.plan(block, points, gen.lengths.shapes.arrays)
    unused = {v for v in given if v not in plan.last}
    _free_all(gen, unused)
    owned = set(given - unused)
    across = crossings(block, plan, points)
    _off_the_heap(gen, block, plan, across)
    ending: dict[int, list[Home]] = {}
    for var, made_home in homes.items():
        ending.setdefault(plan.last.get(var, 0), []).append(made_home)
    unrecorded = _unrecorded(gen, block, plan, across)
    outer = gen.unrecorded, gen.wrapped
    gen.unrecorded, gen.wrapped = gen.unrecorded | unrecorded, {}
    ends = plan.ends()
    for position, stm in enumerate(block.stms):
        eaten = planner.consumed_by(stm)
        dying = owned.intersection(ends.get(position, ()))
        branch = isinstance(stm.expr, If)
        handed = plan.handed(position, stm, owned) if branch else frozenset[Var]()
        before = gen.f.closed
        mark = 0 if gen.interrupts is None else len(gen.interrupts.homes)
        gen.here = stm.prov.span
        if waits(gen, stm.expr):
            wait_for_tape(gen)
        made = not unrecorded.intersection(stm.outs)
        if made:
            _emit_stm(gen, stm, plan, handed)
        _free_all(gen, dying - eaten - handed)
        owned -= dying | eaten
        leave_homes(gen, mark)
        for out in across.get(position, ()):
            ending.setdefault(plan.last[out], []).append(home(gen, out, gen.any(out)))
        drop_homes(gen, ending.get(position, ()))
        for out in stm.outs if made else ():
            if out.type.is_scalar or out in plan.lazy:
                continue
            if out in plan.alias and not _reshapes_view(gen, stm):
                continue
            if out in plan.last:
                owned.add(out)
            elif not before:
                gen.free(gen.array(out))
    gen.unrecorded, gen.wrapped = outer
    results = _results(gen, block.results, owned, lent)
    gen.lengths.leave(mark_lengths)
    return results


def _off_the_heap(
    gen: Gen, block: Block, plan: BlockPlan, across: Mapping[int, Sequence[Var]]
) -> None:
    """Notes the arrays of a block that are in the frame, and those that have no memory."""
    planner = gen.shared.planner
    plain = gen.interrupts is None and gen.f.name not in gen.shared.recursive
    if plain and len(gen.on_stack) < planner.prims.costs.stack_arrays:
        gen.on_stack |= frame_arrays(planner, block, plan, gen.lengths.shapes.arrays)
    gen.shapes |= planner.shapes_alone(block).difference(*across.values())


def _unrecorded(
    gen: Gen, block: Block, plan: BlockPlan, across: dict[int, list[Var]]
) -> frozenset[Var]:
    """Copies that a block makes for a push only, where nothing is recorded."""
    if gen.role is not Role.AHEAD:
        return frozenset()
    found: set[Var] = set()
    for stm in block.stms:
        if isinstance(stm.expr, Prim) and stm.expr.op == "push":
            found.update(a for a in stm.expr.args if isinstance(a, Var))
    copies = {
        stm.outs[0]: position
        for position, stm in enumerate(block.stms)
        if isinstance(stm.expr, Prim) and stm.expr.op == "copy" and stm.outs[0] in found
    }
    uses = Counter(v for stm in block.stms for v in free_vars_expr(stm.expr))
    return frozenset(
        v
        for v, k in copies.items()
        if uses[v] == 1 and v not in across.get(k, ()) and v not in block.results
    )


def _free_all(gen: Gen, arrays: Iterable[Var]) -> None:
    """Frees arrays, in the same order in every process: the text is the cache's key."""
    for var in sorted(arrays, key=lambda v: v.name):
        gen.free(gen.array(var))


def _reshapes_view(gen: Gen, stm: Stm) -> bool:
    """Whether a statement reshapes a view, whose elements had to be copied for that."""
    if not isinstance(stm.expr, Prim) or stm.expr.op != "reshape":
        return False
    base = stm.expr.args[0]
    value = gen.env.get(base) if isinstance(base, Var) else None
    return isinstance(value, ArrayValue) and value.strides is not None


def _results(
    gen: Gen, results: Sequence[Atom], owned: set[Var], lent: frozenset[int]
) -> list[AnyValue]:
    values: list[AnyValue] = []
    moved: set[Var] = set()
    for position, atom in enumerate(results):
        value = gen.any(atom)
        if atom.type.is_scalar or position in lent:
            values.append(value)
        elif isinstance(value, Lazy):
            values.append(materialise(gen, value, atom.type))
        elif isinstance(atom, Var) and atom in owned and atom not in moved:
            moved.add(atom)
            values.append(value)
        elif isinstance(value, ArrayValue):
            values.append(copy_array(gen, value))
        else:
            raise CompilerBug(f"{atom} is neither scalar nor array")
    _free_all(gen, owned - moved)  # read until now by a view among the results
    return values


def _emit_stm(gen: Gen, stm: Stm, plan: BlockPlan, handed: frozenset[Var]) -> None:
    match stm.expr:
        case Prim():
            emit_prim(gen, stm, stm.expr, plan)
        case If():
            _emit_if(gen, stm, stm.expr, handed)
        case For():
            _emit_for(gen, stm, stm.expr)
        case While():
            _emit_while(gen, stm, stm.expr)
        case Call():
            _call(gen, stm, stm.expr)
        case _:
            raise CompilerBug("a derivative node reached code generation", stm.prov.span)
    gen.settle(stm.outs)
    if stm.outs and plan.joined.get(stm.outs[0]) == stm.outs[0]:
        emit_fused(gen)


def _owned_array(gen: Gen, value: AnyValue, type_: Type) -> AnyValue:
    """What a loop or function can take over: row-major, not lazy (lazy and views are copied)."""
    if isinstance(value, Lazy) or (isinstance(value, ArrayValue) and value.strides is not None):
        return materialise(gen, value, type_)
    return value


def _emit_if(gen: Gen, stm: Stm, expr: If, handed: frozenset[Var]) -> None:
    f = gen.f
    planner = gen.shared.planner
    pairs = list(zip(expr.then.results, expr.orelse.results, strict=True))
    in_place: dict[int, Var] = {}
    for k, (a, b) in enumerate(pairs):
        if isinstance(a, Var) and isinstance(b, Var) and not a.type.is_scalar:
            roots = planner.root_of(expr.then, a), planner.root_of(expr.orelse, b)
            if roots[0] is not None and roots[0] == roots[1] and roots[0] in handed:
                in_place[k] = roots[0]
    slots = {k: gen.make_slots(out.type) for k, out in enumerate(stm.outs) if k not in in_place}
    yes, no, join = f.fresh("then"), f.fresh("else"), f.fresh("join")
    f.branch(gen.scalar(expr.cond), yes, no)
    for name, block in ((yes, expr.then), (no, expr.orelse)):
        f.label(name)
        values = emit_block(gen, block, handed)
        for k, value in enumerate(values):
            if k in slots:
                gen.store_value(slots[k], value, stm.outs[k].type)
        f.jump(join)
    f.label(join)
    for k, out in enumerate(stm.outs):
        gen.env[out] = gen.env[in_place[k]] if k in in_place else gen.load_value(slots[k], out.type)


@dataclass(frozen=True, slots=True)
class _Carried:
    """How a loop holds what it carries.

    `slots` are those of what changes, `owned` the arrays that the body owns, `lent` the positions
    of arrays that it only reads, and `copied` the copies of views that were made for that. `homed`:
    frames save what is carried.
    """

    slots: dict[int, list[str]]
    owned: frozenset[Var]
    lent: frozenset[int]
    copied: frozenset[int]
    homed: bool


def _carry(gen: Gen, expr: For | While) -> _Carried:
    """Binds the carried variables, in homes where the loop can be interrupted."""
    homed = stops(gen, expr)
    planner = gen.shared.planner
    slots: dict[int, list[str]] = {}
    owned: set[Var] = set()
    lent: set[int] = set()
    copied: set[int] = set()
    for k, (var, init) in enumerate(zip(expr.carried, expr.inits, strict=True)):
        value = gen.any(init)
        if var.type.is_scalar:
            slots[k] = _loop_slots(gen, var.type, homed)
            gen.store_value(slots[k], value, var.type)
            continue
        if planner.borrows(expr, k):
            lent.add(k)
            held = _owned_array(gen, value, var.type)
            if held is not value:
                copied.add(k)
            gen.env[var] = held
            if homed:
                home(gen, var, held)
            continue
        owned.add(var)
        value = _owned_array(gen, value, var.type)
        result = expr.body.results[k]
        if isinstance(result, Var) and planner.root_of(expr.body, result) == var:
            gen.env[var] = value
            if homed:
                home(gen, var, value)
        else:
            slots[k] = _loop_slots(gen, var.type, homed)
            gen.store_value(slots[k], value, var.type)
    return _Carried(slots, frozenset(owned), frozenset(lent), frozenset(copied), homed)


def _loop_slots(gen: Gen, type_: Type, homed: bool) -> list[str]:
    return list(make_home(gen, type_).slots) if homed else gen.make_slots(type_)


def _load_carried(gen: Gen, expr: For | While, held: _Carried) -> None:
    for k, slots in held.slots.items():
        var = expr.carried[k]
        if held.homed:
            gen.env[var] = Home(tuple(slots), var.type)
        else:
            gen.env[var] = gen.load_value(slots, var.type)


def _finish_loop(gen: Gen, stm: Stm, expr: For | While, held: _Carried) -> None:
    for k, var in enumerate(expr.carried):
        out = stm.outs[k]
        if k in held.lent and k not in held.copied:
            gen.env[out] = copy_array(gen, gen.array(var))
        elif k in held.slots:
            gen.env[out] = gen.load_value(held.slots[k], out.type)
        else:
            gen.env[out] = gen.env[var]


def _emit_for(gen: Gen, stm: Stm, expr: For) -> None:
    f = gen.f
    trips = gen.scalar(expr.trips)
    if not trips.isdecimal():
        trips = f.call("i64", "llvm.smax.i64", [("i64", trips), ("i64", "0")])
    held = _carry(gen, expr)
    outer_block = gen.tape_block
    plain = plain_body(expr.body) and all(expr.carried[k].type.is_scalar for k in held.slots)
    count = len(expr.carried)
    resumed = stops(gen, expr) and not (expr.block and expr.point is None)
    homed = not expr.block and any(stops(gen, s.expr) for s in expr.body.stms)

    def body(k: str, bound: str, block: TapeBlock | None) -> list[str]:
        index = k
        if expr.descending:
            index = f.value(f"sub nsw i64 {f.value(f'sub nsw i64 {bound}, 1')}, {k}")
        if homed:
            home(gen, expr.index, index)
        else:
            gen.env[expr.index] = index
        gen.tape_block = block
        _load_carried(gen, expr, held)
        values = emit_block(gen, expr.body, held.owned, held.lent, bound=expr.carried)
        for position, place in held.slots.items():
            gen.store_value(place, values[position], expr.carried[position].type)
        return [v for v in values[count:] if isinstance(v, str)]

    if resumed:
        sums = resumable_loop(gen, expr, trips, body, plain)
    else:
        with settled(gen, expr, plain):
            sums = _plain_loop(gen, expr, trips, held, body)
    gen.tape_block = outer_block
    _finish_loop(gen, stm, expr, held)
    for out, value in zip(stm.outs[count:], sums, strict=True):
        gen.env[out] = value


def _plain_loop(gen: Gen, expr: For, trips: str, held: _Carried, body: Body) -> list[str]:
    """A loop that runs as a whole; its sums."""
    block = _open_block(gen, expr, trips) if expr.block and gen.role is not Role.AHEAD else None

    def step(k: str) -> list[str]:
        index = k
        if block is not None and expr.descending:
            index = gen.f.value(f"sub nsw i64 {gen.f.value(f'sub nsw i64 {trips}, 1')}, {k}")
        return body(k, trips, None if block is None else TapeBlock(block, trips, index))

    sums: list[str] = []
    if expr.sums:
        scalars = all(expr.carried[k].type.is_scalar for k in held.slots)
        innermost = not has_inner_work(expr.body) and scalars
        sums = lane_sums(gen, trips, expr.sums, step, innermost, _chained(expr, held.slots))
    else:
        hint = gen.rolled_hint() if has_inner_work(expr.body) else ""
        gen.loop(trips, lambda k: (step(k), None)[1], hint)
    if block is not None:
        _close_block(gen, expr, block)
    return sums


def _chained(expr: For, slots: Iterable[int]) -> bool:
    """Whether a carried float depends on what it was in the iteration before."""
    floats = [k for k in slots if expr.carried[k].type.is_float]
    if not floats:
        return False
    # The carried floats that a variable depends on, as bits: there may be as many as statements.
    reached: dict[Atom, int] = {expr.carried[k]: 1 << bit for bit, k in enumerate(floats)}
    for stm in expr.body.stms:
        bits = 0
        for var in free_vars_expr(stm.expr):
            bits |= reached.get(var, 0)
        if bits:
            reached.update((out, bits) for out in stm.outs)
    results = enumerate(expr.body.results[k] for k in floats)
    return any(reached.get(result, 0) >> bit & 1 for bit, result in results)


def _open_block(gen: Gen, expr: For, trips: str) -> str:
    """Reserves (or finds) the loop's block on the tape; its first byte."""
    words, pushing = block_words(expr)
    size = gen.f.value(f"mul i64 {trips}, {8 * words}")
    if pushing:
        return reserve(gen, size)
    top = gen.read_field("tape_top", "ptr")
    return gen.f.value(f"getelementptr i8, ptr {top}, i64 {gen.f.value(f'sub i64 0, {size}')}")


def _close_block(gen: Gen, expr: For, base: str) -> None:
    if not block_words(expr)[1]:
        gen.write_field("tape_top", base, "ptr")


def _emit_while(gen: Gen, stm: Stm, expr: While) -> None:
    f = gen.f
    held = _carry(gen, expr)

    def condition() -> str:
        _load_carried(gen, expr, held)
        (test,) = emit_block(gen, expr.cond, frozenset(), bound=expr.carried)
        assert isinstance(test, str)
        return test

    def body() -> None:
        values = emit_block(gen, expr.body, held.owned, held.lent, bound=expr.carried)
        for position, place in held.slots.items():
            gen.store_value(place, values[position], expr.carried[position].type)

    if gen.interrupts is not None and expr.point is not None and gen.role is not Role.REVERSE:
        resumable_while(gen, expr, condition, body)
    else:
        head, inside, after = f.fresh("while"), f.fresh("body"), f.fresh("after")
        f.label(head)
        f.branch(condition(), inside, after)
        f.label(inside)
        body()
        f.jump(head)
        f.label(after)
    _finish_loop(gen, stm, expr, held)


def _call(gen: Gen, stm: Stm, expr: Call) -> None:
    asking = may_ask(gen, expr)
    pointed = gen.interrupts is not None and expr.point is not None
    deep = expr.function in gen.shared.recursive
    if pointed and not asking:
        assert expr.point is not None
        ask_before_call(gen, expr.point, deep)
    args: list[tuple[str, str]] = [("ptr", "%ctx")]
    temporaries: list[tuple[ArrayValue, Home | None]] = []
    eaten = gen.shared.planner.consumed[expr.function]
    for k, atom in enumerate(expr.args):
        value = gen.any(atom)
        if isinstance(value, str):
            args.append((llvm_scalar(atom.type.dtype), value))
            continue
        given = _owned_array(gen, value, atom.type)
        assert isinstance(given, ArrayValue)
        if given is not value and k not in eaten:
            kept = make_home(gen, atom.type) if pointed else None
            if kept is not None:
                gen.store_value(kept.slots, given, atom.type)
            temporaries.append((given, kept))
        args += [("ptr", given.ptr), *(("i64", dim) for dim in given.dims)]
    if asking:
        ask_or_call(gen, stm, expr, args)
    elif pointed:
        interruptible_call(gen, stm, expr, args, deep)
    else:
        status, values = emit_call(gen, f"rg.{expr.function}", [v.type for v in stm.outs], args)
        gen.propagate(status, failed_in(gen, stm, expr))
        gen.env.update(zip(stm.outs, values, strict=True))
    for value, kept in temporaries:
        again = value if kept is None else gen.load_value(kept.slots, value.type)
        assert isinstance(again, ArrayValue)
        gen.free(again)
