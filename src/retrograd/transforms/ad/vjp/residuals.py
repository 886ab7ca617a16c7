"""Residuals: which primal values a reverse sweep needs, and how each of them is had.

In a scope (a function body, an iteration, a branch) a needed value is, in this order of preference:
still there (loop index, parameters and arrays that nothing overwrites, values of enclosing scopes);
recomputed from such values where that is cheap; or recorded. Of a checkpointed execution
(`Prov.checkpoints`) its policy says instead which results of primitives may be recorded; the others
are recomputed from what the execution reads. What is read of it elsewhere is recorded, if it is not
a cheap function of what the policy has recorded. Recorded values are pushed together at the end of
the scope's forward code and popped together at the start of its reverse code. An array that is
overwritten later in its scope is copied for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from retrograd.ir.formers import unhandled
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    Checkpointed,
    For,
    If,
    Jvp,
    Params,
    Prim,
    Stm,
    Var,
    Vjp,
    While,
)
from retrograd.ir.traverse import blocks, free_vars_expr, stms_deep, substitute, with_blocks
from retrograd.options.saving import Answer
from retrograd.prims.core import Effect, Primitive, PrimitiveSet
from retrograd.prims.facts import Held
from retrograd.transforms.ad.vjp.executions import Readers, answer_to, execution_of
from retrograd.transforms.ad.vjp.roundings import jumps
from retrograd.transforms.ad.vjp.undo_log import NO_LOG, Log

__all__ = [
    "NO_RESIDUALS", "Residuals", "Scope", "Unrestored", "has_work", "known_before", "needed_by",
    "one_push", "pushes", "resolve", "unchecked", "unchecked_block",
]  # fmt: skip


class Unrestored(Exception):
    """A choice of logged arrays that does not work: reverse code reads what is not there yet."""


@dataclass(slots=True)
class Scope:
    """A stretch of forward code whose residuals are recorded together.

    `index` and `carried` are bound by the loop (of a function: the parameters that it takes over).
    `innermost`: the body of a counted loop without inner loops and calls. `loop`: any loop's body.
    `lost` are arrays whose buffers are overwritten or handed on later. `private` are carried arrays
    whose elements can be read again from the array before the loop. `shared` are arrays that go by
    more than one name. `log` has the logged arrays, `given` those versions of them that the
    reverse code is handed. `near`: what is recorded is there for one body at a time. `depth` is the
    number of checkpointed executions around all of it. `nearly` are floats that may have other
    roundings in the reverse sweep. `remade`: what makes a loop's result of the loop's records.
    `once`: it runs once, in no loop and no recursion.
    """

    stms: tuple[Stm, ...]
    index: Var | None
    carried: tuple[Var, ...]
    innermost: bool
    loop: bool
    results: frozenset[Var]
    lost: frozenset[Var]
    private: Mapping[Var, Var] = field(default_factory=dict[Var, Var])
    shared: frozenset[Var] = frozenset()
    log: Log = NO_LOG
    given: frozenset[Var] = frozenset()
    near: bool = False
    depth: int = 0
    nearly: frozenset[Var] = frozenset()
    remade: Mapping[Var, tuple[Stm, ...]] = field(default_factory=dict[Var, "tuple[Stm, ...]"])
    once: bool = False
    made: dict[Var, Stm] = field(default_factory=dict[Var, Stm])

    def __post_init__(self) -> None:
        for stm in self.stms:
            again = _from_before(stm, self.private)
            for out in stm.outs:
                ways = self.remade.get(out, ())  # the last of them makes `out`
                # A loop that is run again elsewhere has not the last record that this reads.
                there = any(not set(stm.outs).isdisjoint(_vars(way)) for way in ways)
                self.made |= {way.outs[0]: way for way in ways} if there else {out: again}


def _from_before(stm: Stm, private: Mapping[Var, Var]) -> Stm:
    """A read of a private array, as a read of what the loop was given."""
    match stm.expr:
        case Prim(op="index", args=(Var() as base, index)) if base in private:
            return replace(stm, expr=replace(stm.expr, args=(private[base], index)))
        case _:
            return stm


@dataclass(frozen=True, slots=True)
class Residuals:
    """What the scope records (in push order), the copies made for that, and the code to repeat.

    Each repeated statement comes with its place: after how many statements of the reverse code.
    """

    recorded: tuple[Var, ...]
    repeated: tuple[tuple[int, Stm], ...]
    copies: Mapping[Var, Var]

    def merged(self, stms: tuple[Stm, ...]) -> tuple[Stm, ...]:
        """The reverse code with what is repeated."""
        at: dict[int, list[Stm]] = {}
        for place, stm in self.repeated:
            at.setdefault(place, []).append(stm)
        found = at.get(0, [])
        for position, stm in enumerate(stms, 1):
            found += [stm, *at.get(position, ())]
        return tuple(found)


NO_RESIDUALS = Residuals((), (), {})


def known_before(scope: Scope, reverse: Block, prims: PrimitiveSet) -> Block:
    """Reverse code that takes from its scope the expensive scalars that the primal has computed."""
    made: dict[str, Var] = {}  # by text, which tells 0.0 from -0.0
    for stm in scope.made.values():
        if _expensive(stm, prims):
            made.setdefault(repr(stm.expr), stm.outs[0])
    same: dict[Var, Atom] = {}
    kept: list[Stm] = []
    for stm in reverse.stms:
        if _expensive(stm, prims) and repr(stm.expr) in made:
            same[stm.outs[0]] = made[repr(stm.expr)]
        else:
            kept.append(stm)
    return substitute(Block(tuple(kept), reverse.results), same) if same else reverse


def _expensive(stm: Stm, prims: PrimitiveSet) -> bool:
    if not isinstance(stm.expr, Prim) or len(stm.outs) != 1 or not stm.outs[0].type.is_scalar:
        return False
    primitive = prims[stm.expr.op]
    scalars = all(a.type.is_scalar for a in stm.expr.args)
    pure = primitive.effect is Effect.PURE
    return pure and scalars and primitive.cost >= prims.costs.recorded_cost


def needed_by(stms: Iterable[Stm], results: Iterable[Atom]) -> dict[Var, int]:
    """Variables that reverse code mentions but does not bind before, in order, and where first."""
    found: dict[Var, int] = {}
    bound: set[Var] = set()
    position = -1
    for position, stm in enumerate(stms):
        for var in free_vars_expr(stm.expr):
            if var not in bound:
                found.setdefault(var, position)
        bound.update(stm.outs)
    for atom in results:
        if isinstance(atom, Var) and atom not in bound:
            found.setdefault(atom, position + 1)
    return found


def resolve(
    scope: Scope,
    needed: Mapping[Var, int],
    restored: Mapping[Var, int],
    prims: PrimitiveSet,
    names: NameSupply,
    readers: Readers,
) -> Residuals:
    """Decides for each needed variable of this scope; those of outer scopes are left to them.

    `restored` says where the reverse code binds versions of logged arrays, `readers` which
    checkpointed execution needs what (`needs_by_execution`).
    """
    held = scope.log.versions
    if any(v in restored for v in needed):
        raise Unrestored("a logged array is read before it is restored")
    last = [v for v in needed if v in held and v not in restored and v not in scope.given]
    ready = {**restored, **dict.fromkeys((*last, *scope.given), 0)}
    work = _Resolver(scope, prims, needed, ready)
    for var in last:
        work.require(var, None, True)
    for execution, variables in readers.items():
        for var in variables:
            work.require(var, execution)
    copies: dict[Var, Var] = {}
    for var in work.recorded:
        needed_after = var in scope.lost or var in scope.results or var in scope.carried
        if not var.type.is_scalar and (needed_after or var in scope.shared):
            copies[var] = names.var(f"{var.name}_kept", var.type)
    made = {id(stm): (0, stm) for stm in scope.made.values()}
    order = work.repeated if held else {k: found for k, found in made.items() if k in work.repeated}
    repeated = tuple((place, s) for place, stm in order.values() for s in unchecked(stm, prims))
    return Residuals(tuple(work.recorded), repeated, copies)


def unchecked_block(block: Block, prims: PrimitiveSet) -> Block:
    """A block that is run again: all its checks have held the first time."""
    stms: list[Stm] = []
    for stm in block.stms:
        if isinstance(stm.expr, Prim):
            stms += unchecked(stm, prims)
        else:
            inner = tuple(unchecked_block(b, prims) for b in blocks(stm.expr))
            stms.append(replace(stm, expr=with_blocks(stm.expr, inner)) if inner else stm)
    return Block(tuple(stms), block.results)


def unchecked(stm: Stm, prims: PrimitiveSet) -> tuple[Stm, ...]:
    """A primitive that is repeated: what it checks has been checked the first time."""
    if isinstance(stm.expr, If):
        return (stm,)  # made without checks (`carried.made_at_the_end`)
    assert isinstance(stm.expr, Prim)
    match prims[stm.expr.op].facts.held:
        case Held.NOTHING:
            return ()
        case Held.SAME:
            return (stm,)
        case Held.UNCHECKED:
            params: Params = tuple((k, False if k == "checked" else v) for k, v in stm.expr.params)
            return (replace(stm, expr=replace(stm.expr, params=params)),)
        case op:
            return (replace(stm, expr=Prim(op, stm.expr.args)),)


@dataclass(slots=True)
class _Resolver:
    """`needed` says where variables are first needed, `ready` where logged arrays are there.

    A place is a number of statements of the reverse code that come before it.
    """

    scope: Scope
    prims: PrimitiveSet
    needed: Mapping[Var, int]
    ready: Mapping[Var, int]
    recorded: dict[Var, None] = field(default_factory=dict[Var, None])
    repeated: dict[int, tuple[int, Stm]] = field(default_factory=dict[int, "tuple[int, Stm]"])
    places: dict[Var, tuple[int, Stm | None]] = field(
        default_factory=dict[Var, "tuple[int, Stm | None]"]
    )
    done: set[Var] = field(default_factory=set[Var])

    def require(self, var: Var, reader: Checkpointed | None, last: bool = False) -> None:
        """Sees to it that a variable is there; `last`: the last version of a logged array.

        What is repeated for it comes before it, and may be thousands of statements long.
        """
        first = self.wanted(var, reader, last)
        frames = [] if first is None else [(iter(_vars(first[1])), first)]
        while frames:
            atoms, found = frames[-1]
            atom = next(atoms, None)
            if atom is None:
                self.repeated[id(found[1])] = found
                frames.pop()
            elif (inner := self.wanted(atom, execution_of(found[1], self.scope.depth))) is not None:
                frames.append((iter(_vars(inner[1])), inner))

    def wanted(
        self, var: Var, reader: Checkpointed | None, last: bool = False
    ) -> tuple[int, Stm] | None:
        """Where to repeat which statement for a variable; None where there is none (any more).

        A checkpointed execution is not run again for what others read of it.
        """
        if var in self.done:
            return None
        self.done.add(var)
        if var == self.scope.index or (var in self.ready and not last):
            return None
        if var in self.scope.carried:
            self.recorded[var] = None
            return None
        if var not in self.scope.made:
            return None  # of an enclosing scope, or a parameter
        own = execution_of(self.scope.made[var], self.scope.depth)
        if own is not None and own != reader and not self.handed_out(self.scope.made[var]):
            self.recorded[var] = None
            return None
        place, stm = self.place(var)
        if stm is None:
            self.recorded[var] = None
            return None
        return place, stm

    def place(self, var: Var) -> tuple[int, Stm | None]:
        """Where a variable is there at the earliest, and the statement to repeat for that, if any.

        It is not repeated where it would come too late.
        """
        if var in self.places:
            return self.places[var]
        found: tuple[int, Stm | None] = self.ready.get(var, 0), None
        if var not in self.ready and var not in self.scope.carried and var != self.scope.index:
            for stm in self.ways(var):
                place = max((self.place(a)[0] for a in _vars(stm)), default=0) if self.ready else 0
                if place <= self.needed.get(var, place):
                    found = place, stm
                    break
        self.places[var] = found
        return found

    def ways(self, var: Var) -> list[Stm]:
        """Statements to repeat for a variable of this scope: first to read where it was written."""
        ways = [self.scope.made[var]] if var in self.scope.made else []
        written = self.scope.log.written.get(var)
        if ways and written is not None and self.ready.keys() & set(_vars(written)):
            ways.insert(0, written)
        return [stm for stm in ways if self.repeatable(stm)]

    def repeatable(self, stm: Stm) -> bool:
        expr = stm.expr
        if isinstance(expr, If):
            return self.made_at_the_end(stm)
        if not isinstance(expr, Prim):
            return False
        primitive = self.prims[expr.op]
        if primitive.effect is Effect.TAPE or primitive.consumes or len(stm.outs) != 1:
            return False
        arrays = [a for a in expr.args if isinstance(a, Var) and not a.type.is_scalar]
        if not all(self.readable(a) or self.again(a, stm) for a in arrays):
            return False
        if jumps(stm, self.scope.nearly, self.prims):
            return False
        match answer_to(stm, self.scope.depth, self.prims):
            case Answer.RECOMPUTE:
                return stm.outs[0] not in self.scope.log.versions
            case Answer.SAVE:
                return False
            case _:
                return self.cheap(stm, primitive, expr, arrays)

    def made_at_the_end(self, stm: Stm) -> bool:
        """Whether a statement makes a loop's result of what the loop has recorded."""
        out = stm.outs[0]
        if stm not in self.scope.remade.get(out, ()) or out in self.scope.log.versions:
            return False
        read = _vars(stm)
        known = all(v.type.is_scalar or self.readable(v) for v in read)
        return known and self.scope.nearly.isdisjoint(read)

    def handed_out(self, stm: Stm) -> bool:
        """Whether what others read of an execution is calculated again of what is recorded of it.

        So it is where that is cheap, and its policy has all of that recorded or leaves it to us.
        """
        own = execution_of(stm, self.scope.depth)
        for var in _vars(stm):
            made = self.scope.made.get(var)
            if made is None or execution_of(made, self.scope.depth) != own:
                continue
            if answer_to(made, self.scope.depth, self.prims) in (None, Answer.RECOMPUTE):
                return False
        if answer_to(stm, self.scope.depth, self.prims) is Answer.AUTO:
            return True
        arrays = [a for a in _vars(stm) if not a.type.is_scalar]
        if not isinstance(stm.expr, Prim) or not self.repeatable(stm):
            return False
        return self.cheap(stm, self.prims[stm.expr.op], stm.expr, arrays)

    def cheap(self, stm: Stm, primitive: Primitive, expr: Prim, arrays: list[Var]) -> bool:
        """Whether a statement that can be repeated had better be."""
        if stm.outs[0] in self.scope.lost:
            return False
        if not stm.outs[0].type.is_scalar:
            # A recorded row stays near the processor, a matrix takes as long as most functions.
            row, costs = self.scope.near and stm.outs[0].type.rank == 1, self.prims.costs
            once = primitive.facts.own_slope and self.scope.once
            least = costs.recorded_once_cost if once else costs.recorded_array_cost
            dear = primitive.cost >= least and not self.of_numbers(arrays)
            dear = dear or (row and primitive.cost >= costs.recorded_cost)
            return primitive.facts.cheap and not dear
        if not arrays:
            return self.scope.innermost or primitive.cost < self.prims.costs.recorded_cost
        if expr.op == "dim":  # where the array is there anyway
            return arrays[0] in self.needed
        return expr.op == "index" and not any(map(self.bulky, arrays))

    def of_numbers(self, arrays: Iterable[Var]) -> bool:
        """Whether arrays are made of numbers alone, as random draws are."""
        seen, waiting = set[Var](), list(arrays)
        while waiting:
            array = waiting.pop()
            made = self.scope.made.get(array)
            if made is None or not isinstance(made.expr, Prim):
                return False
            inner = {a for a in made.expr.args if isinstance(a, Var) and not a.type.is_scalar}
            waiting += inner - seen
            seen |= inner
        return True

    def readable(self, array: Var) -> bool:
        """Whether this version of the array can be had again: an outer scope may keep a copy."""
        if array not in self.scope.lost or array in self.ready:
            return True
        mine = array in self.scope.made or array in self.scope.carried
        return not mine and (self.scope.loop or array in self.scope.log.versions)

    def again(self, array: Var, reader: Stm) -> bool:
        """Whether an array that is given away later is had for an execution that is run again.

        It is recorded where it comes from outside of the execution, else calculated again as well.
        """
        made, depth = self.scope.made.get(array), self.scope.depth
        execution = execution_of(reader, depth)
        if made is None or execution is None or array in self.scope.log.versions:
            return False
        if answer_to(reader, depth, self.prims) is not Answer.RECOMPUTE:
            return False
        if execution_of(made, depth) != execution:
            return True
        return answer_to(made, depth, self.prims) is Answer.RECOMPUTE and self.repeatable(made)

    def bulky(self, array: Var) -> bool:
        """Whether reading one element again would have to record the whole array, in this scope."""
        stm = self.scope.made.get(array)
        if stm is None or array in self.ready or array in self.recorded:
            return False
        return not self.repeatable(stm)


def _vars(stm: Stm) -> list[Var]:
    """What a statement reads whose kind can be repeated; nothing of others."""
    expr = stm.expr
    match expr:
        case Prim(args=args):
            return [a for a in args if isinstance(a, Var)]
        case If():
            return list(free_vars_expr(expr))
        case For() | While() | Call() | Jvp() | Vjp():
            return []
        case _:
            unhandled(expr)


def has_work(block: Block) -> bool:
    """Whether a block holds loops, calls or branches with statements of their own to sweep."""
    for stm in block.stms:
        if isinstance(stm.expr, For | While | Call):
            return True
        if isinstance(stm.expr, If) and (has_work(stm.expr.then) or has_work(stm.expr.orelse)):
            return True
    return False


def one_push(block: Block) -> bool:
    """Whether the block's only pushes are one statement of its own, of scalars."""
    found = list(pushes(block))
    if len(found) != 1 or found[0] not in block.stms or not isinstance(found[0].expr, Prim):
        return False
    return all(a.type.is_scalar for a in found[0].expr.args)


def pushes(block: Block) -> Iterator[Stm]:
    """The statements of a block that put something on the tape."""
    return (s for s in stms_deep(block) if isinstance(s.expr, Prim) and s.expr.op == "push")
