"""Statements, blocks and structured control: the walk over a function's body."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from retrograd.backends.llvm.alias import arrays_of, plain_body, scopes
from retrograd.backends.llvm.arrays import ARRAY_OPS, emit_alias
from retrograd.backends.llvm.elementwise import broadcast_dims, copy_array, materialise
from retrograd.backends.llvm.gen import AnyValue, Gen, Home, Lazy, TapeBlock, result_struct
from retrograd.backends.llvm.interrupt import (
    branch_on_budget,
    charge,
    cost_of,
    crossings,
    home,
    loop_homes,
    make_home,
    pointer_home,
    pointful,
)  # fmt: skip
from retrograd.backends.llvm.plan import (
    BlockPlan,
    consumed_by,
    has_inner_work,
    loop_borrows,
    plan_block,
    root_of,
    stack_arrays,
)  # fmt: skip
from retrograd.backends.llvm.reduce import lane_sums
from retrograd.backends.llvm.resumable import (
    ask_before_call,
    counted_points,
    interruptible_call,
    summed_points,
    unpack,
)
from retrograd.backends.llvm.scalar import emit_scalar, in_library
from retrograd.backends.llvm.tape import reserve, words
from retrograd.backends.llvm.text import ArrayValue, llvm_scalar
from retrograd.errors import CompilerBug
from retrograd.ir.terms import Atom, Block, Call, For, If, Prim, Stm, Var, While
from retrograd.ir.traverse import free_vars_expr, stms_deep
from retrograd.ir.types import Type

__all__ = ["emit_block"]


def emit_block(
    gen: Gen, block: Block, given: frozenset[Var], lent: frozenset[int] = frozenset()
) -> list[AnyValue]:
    """Emits a block; its result values, arrays owned by whoever receives them.

    `given` are arrays from outside that this block owns: it moves or frees each of them. The
    results at the positions `lent` are arrays that a loop only lends to its body: they come back as
    they are.
    """
    shared = gen.shared
    points: tuple[int, ...] = ()
    if gen.interrupts is not None:
        points = tuple(k for k, stm in enumerate(block.stms) if pointful(stm.expr))
    plan = plan_block(block, shared.prims, shared.consumed, points)
    if gen.interrupts is None:
        gen.on_stack |= stack_arrays(block, shared.prims, shared.consumed)
    unused = {v for v in given if v not in plan.last}
    _free_all(gen, unused)
    owned = set(given - unused)
    across = crossings(block, plan.last, points)
    for position, stm in enumerate(block.stms):
        eaten = consumed_by(stm, shared.prims, shared.consumed)
        dying = {v for v in owned if plan.last.get(v) == position}
        branch = isinstance(stm.expr, If)
        handed = plan.handed(position, stm, owned) if branch else frozenset[Var]()
        before = gen.f.closed
        gen.here = stm.prov.span
        _emit_stm(gen, stm, plan, handed)
        _free_all(gen, dying - eaten - handed)
        owned -= dying | eaten
        for out in across.get(position, ()):
            home(gen, out, gen.any(out))
        for out in stm.outs:
            if out.type.is_scalar or out in plan.lazy:
                continue
            if out in plan.alias and not _reshapes_view(gen, stm):
                continue
            if out in plan.last:
                owned.add(out)
            elif not before:
                gen.free(gen.array(out))
    return _results(gen, block.results, owned, lent)


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
            _emit_prim(gen, stm, stm.expr, plan)
        case If():
            _emit_if(gen, stm, stm.expr, handed)
        case For():
            _emit_for(gen, stm, stm.expr)
        case While():
            _emit_while(gen, stm, stm.expr)
        case Call():
            _emit_call(gen, stm, stm.expr)
        case _:
            raise CompilerBug("a derivative node reached code generation", stm.prov.span)


def _emit_prim(gen: Gen, stm: Stm, expr: Prim, plan: BlockPlan) -> None:
    primitive = gen.shared.prims[expr.op]
    out = stm.outs[0] if stm.outs else None
    if out is not None and out in plan.alias:
        gen.env[out] = emit_alias(gen, stm, expr)
    elif primitive.elementwise:
        assert out is not None
        gen.env[out] = _elementwise(gen, stm, expr, out, out in plan.lazy)
    elif expr.op in ARRAY_OPS:
        for var, value in zip(stm.outs, ARRAY_OPS[expr.op](gen, stm, expr), strict=True):
            gen.env[var] = value
    else:
        raise CompilerBug(f"no machine code for primitive {expr.op!r}", stm.prov.span)


def _elementwise(gen: Gen, stm: Stm, expr: Prim, out: Var, lazy: bool) -> AnyValue:
    args = [gen.any(a) for a in expr.args]
    dtypes = [a.type.dtype for a in expr.args]
    if in_library(expr.op, dtypes[0]):
        gen.shared.math.add(expr.op)
    if out.type.is_scalar:
        scalars = [a for a in args if isinstance(a, str)]
        return emit_scalar(gen.f, expr.op, scalars, dtypes, out.type.dtype)
    dims = broadcast_dims(gen, args, out.type.rank, stm.prov.span)
    value = Lazy(expr.op, tuple(args), tuple(dtypes), out.type, dims)
    return value if lazy else materialise(gen, value, out.type)


def _owned_array(gen: Gen, value: AnyValue, type_: Type) -> AnyValue:
    """What a loop or function can take over: row-major, not lazy (lazy and views are copied)."""
    if isinstance(value, Lazy) or (isinstance(value, ArrayValue) and value.strides is not None):
        return materialise(gen, value, type_)
    return value


def _emit_if(gen: Gen, stm: Stm, expr: If, handed: frozenset[Var]) -> None:
    f = gen.f
    prims, consumed = gen.shared.prims, gen.shared.consumed
    pairs = list(zip(expr.then.results, expr.orelse.results, strict=True))
    in_place: dict[int, Var] = {}
    for k, (a, b) in enumerate(pairs):
        if isinstance(a, Var) and isinstance(b, Var) and not a.type.is_scalar:
            roots = root_of(expr.then, a, prims, consumed), root_of(expr.orelse, b, prims, consumed)
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
    of arrays that it only reads, and `copied` the copies of views that were made for that.
    """

    slots: dict[int, list[str]]
    owned: frozenset[Var]
    lent: frozenset[int]
    copied: frozenset[int]


def _carry(gen: Gen, expr: For | While) -> _Carried:
    """Binds the carried variables."""
    prims, consumed = gen.shared.prims, gen.shared.consumed
    slots: dict[int, list[str]] = {}
    owned: set[Var] = set()
    lent: set[int] = set()
    copied: set[int] = set()
    for k, (var, init) in enumerate(zip(expr.carried, expr.inits, strict=True)):
        value = gen.any(init)
        if var.type.is_scalar:
            slots[k] = _loop_slots(gen, var.type)
            gen.store_value(slots[k], value, var.type)
            continue
        if loop_borrows(expr, k, prims, consumed):
            lent.add(k)
            held = _owned_array(gen, value, var.type)
            if held is not value:
                copied.add(k)
            gen.env[var] = held
            if gen.interrupts is not None:
                home(gen, var, held)
            continue
        owned.add(var)
        value = _owned_array(gen, value, var.type)
        result = expr.body.results[k]
        if isinstance(result, Var) and root_of(expr.body, result, prims, consumed) == var:
            gen.env[var] = value
            if gen.interrupts is not None:
                home(gen, var, value)
        else:
            slots[k] = _loop_slots(gen, var.type)
            gen.store_value(slots[k], value, var.type)
    return _Carried(slots, frozenset(owned), frozenset(lent), frozenset(copied))


def _loop_slots(gen: Gen, type_: Type) -> list[str]:
    if gen.interrupts is None:
        return gen.make_slots(type_)
    return list(make_home(gen, type_).slots)


def _load_carried(gen: Gen, expr: For | While, slots: dict[int, list[str]]) -> None:
    for k, held in slots.items():
        var = expr.carried[k]
        if gen.interrupts is not None:
            gen.env[var] = Home(tuple(held), var.type)
        else:
            gen.env[var] = gen.load_value(held, var.type)


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
    trips = f.call("i64", "llvm.smax.i64", [("i64", gen.scalar(expr.trips)), ("i64", "0")])
    held = _carry(gen, expr)
    outer_block, outer_apart = gen.tape_block, gen.apart
    if plain_body(expr.body) and all(expr.carried[k].type.is_scalar for k in held.slots):
        gen.apart = scopes(gen, arrays_of(gen, expr))
    count = len(expr.carried)
    block = _open_block(gen, expr, trips) if expr.block else None
    # A loop that can be resumed finds its trip count and block in slots.
    resumed = gen.interrupts is not None and pointful(expr)
    homes = loop_homes(gen, trips) if resumed else None
    base = pointer_home(gen, block) if resumed and block is not None else None

    def body(k: str) -> list[str]:
        index, bound = k, trips if homes is None else f.load("i64", homes[0].slots[0])
        if expr.descending:
            last = f.value(f"sub nsw i64 {bound}, 1")
            index = f.value(f"sub nsw i64 {last}, {k}")
        if gen.interrupts is not None and any(pointful(s.expr) for s in expr.body.stms):
            home(gen, expr.index, index)
        else:
            gen.env[expr.index] = index
        here = block if base is None else f.load("ptr", base)
        gen.tape_block = None if here is None else TapeBlock(here, bound, index)
        _load_carried(gen, expr, held.slots)
        values = emit_block(gen, expr.body, held.owned, held.lent)
        for position, place in held.slots.items():
            gen.store_value(place, values[position], expr.carried[position].type)
        return [v for v in values[count:] if isinstance(v, str)]

    sums: list[str] = []
    if homes is not None and not expr.sums:
        counted_points(gen, expr, homes, body)
    elif homes is not None and any(pointful(s.expr) for s in expr.body.stms):
        sums = summed_points(gen, expr, homes, body)
    elif expr.sums:
        scalars = all(expr.carried[k].type.is_scalar for k in held.slots)
        innermost = not has_inner_work(expr.body) and scalars
        sums = lane_sums(gen, trips, expr.sums, body, innermost, _chained(expr, held.slots))
    else:
        hint = gen.rolled_hint() if has_inner_work(expr.body) else ""
        gen.loop(trips, lambda k: (body(k), None)[1], hint)
    gen.tape_block, gen.apart = outer_block, outer_apart
    if block is not None:
        _close_block(gen, expr, block if base is None else f.load("ptr", base))
    _finish_loop(gen, stm, expr, held)
    for out, value in zip(stm.outs[count:], sums, strict=True):
        gen.env[out] = value


def _chained(expr: For, slots: Iterable[int]) -> bool:
    """Whether a carried float depends on what it was in the iteration before."""
    for k in slots:
        if expr.carried[k].type.is_float:
            reached: set[Atom] = {expr.carried[k]}
            for stm in expr.body.stms:
                if not reached.isdisjoint(free_vars_expr(stm.expr)):
                    reached.update(stm.outs)
            if expr.body.results[k] in reached:
                return True
    return False


def _block_words(expr: For) -> tuple[int, bool]:
    """The words that an iteration's residuals take, and whether it pushes (rather than pops)."""
    pushes = pops = 0
    for stm in stms_deep(expr.body):
        if isinstance(stm.expr, Prim) and stm.expr.op == "push":
            pushes += sum(words(a.type) for a in stm.expr.args)
        elif isinstance(stm.expr, Prim) and stm.expr.op == "pop":
            pops += sum(words(out.type) for out in stm.outs)
    return max(pushes, pops), pushes > 0


def _open_block(gen: Gen, expr: For, trips: str) -> str:
    """Reserves (or finds) the loop's block on the tape; its first byte."""
    words, pushing = _block_words(expr)
    size = gen.f.value(f"mul i64 {trips}, {8 * words}")
    if pushing:
        return reserve(gen, size)
    top = gen.read_field("tape_top", "ptr")
    return gen.f.value(f"getelementptr i8, ptr {top}, i64 {gen.f.value(f'sub i64 0, {size}')}")


def _close_block(gen: Gen, expr: For, base: str) -> None:
    if not _block_words(expr)[1]:
        gen.write_field("tape_top", base, "ptr")


def _emit_while(gen: Gen, stm: Stm, expr: While) -> None:
    f = gen.f
    held = _carry(gen, expr)
    slots = held.slots
    head, inside, after = f.fresh("while"), f.fresh("body"), f.fresh("after")
    f.label(head)
    _load_carried(gen, expr, slots)
    (test,) = emit_block(gen, expr.cond, frozenset())
    assert isinstance(test, str)
    f.branch(test, inside, after)
    f.label(inside)
    if gen.interrupts is not None and expr.point is not None:
        go = f.fresh("go")
        branch_on_budget(gen, expr.point, head, go)
        f.label(go)
        charge(gen, str(cost_of(expr.body)))
    values = emit_block(gen, expr.body, held.owned, held.lent)
    for position, place in slots.items():
        gen.store_value(place, values[position], expr.carried[position].type)
    f.jump(head)
    f.label(after)
    _finish_loop(gen, stm, expr, held)


def _emit_call(gen: Gen, stm: Stm, expr: Call) -> None:
    f = gen.f
    if gen.interrupts is not None and expr.point is not None:
        ask_before_call(gen, expr.point, expr.function in gen.shared.recursive)
    args: list[tuple[str, str]] = [("ptr", "%ctx")]
    temporaries: list[tuple[ArrayValue, Home | None]] = []
    eaten = gen.shared.consumed[expr.function]
    for k, atom in enumerate(expr.args):
        value = gen.any(atom)
        if isinstance(value, str):
            args.append((llvm_scalar(atom.type.dtype), value))
            continue
        given = _owned_array(gen, value, atom.type)
        assert isinstance(given, ArrayValue)
        if given is not value and k not in eaten:
            kept = None if gen.interrupts is None else make_home(gen, atom.type)
            if kept is not None:
                gen.store_value(kept.slots, given, atom.type)
            temporaries.append((given, kept))
        args += [("ptr", given.ptr), *(("i64", dim) for dim in given.dims)]
    struct = result_struct([out.type for out in stm.outs], gen.interrupts is not None)
    if gen.interrupts is not None:
        interruptible_call(gen, stm, expr, struct, args)
    else:
        packed = f.call(struct, f"rg.{expr.function}", args)
        gen.propagate(f.value(f"extractvalue {struct} {packed}, 0"))
        position = 1
        for out in stm.outs:
            gen.env[out], position = unpack(gen, struct, packed, position, out.type)
    for value, kept in temporaries:
        again = value if kept is None else gen.load_value(kept.slots, value.type)
        assert isinstance(again, ArrayValue)
        gen.free(again)
