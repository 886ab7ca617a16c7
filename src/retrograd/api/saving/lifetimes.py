"""Programs that count what a derivative takes: bytes in arrays, bytes on the tape, operations.

Beside the statements of a program stand those that count: its arrays as machine code allocates and
frees them (`backends/llvm/plan.py` has the rules, docs/decisions/0002), what lies on the tape, and
the cost of each primitive. The extents of arrays are numbers that go through calls, loops, branches
and the tape by themselves, so that what no number counted depends on is dead code: most of the
arithmetic. What is left runs once on the user's arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from retrograd.api.saving.applications import Application
from retrograd.api.saving.buffers import NUMBERS, OFFLOADED, Buffer, Meter, Unknown
from retrograd.backends.llvm.frame_arrays import frame_arrays
from retrograd.backends.llvm.plan import BlockPlan, Planner, consumed_params, held_positions
from retrograd.backends.llvm.tape import block_words, words
from retrograd.ir.build import Builder
from retrograd.ir.formers import unhandled
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    For,
    Function,
    If,
    Jvp,
    Prim,
    Program,
    Stm,
    Var,
    Vjp,
    While,
    ilit,
)
from retrograd.ir.traverse import stms_deep, supply_for
from retrograd.ir.types import I64, Type
from retrograd.prims.control import offloaded_in
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.analysis.effects import recursive_functions
from retrograd.transforms.analysis.shape_equality import agreed_shapes
from retrograd.transforms.analysis.shapes import Shapes

__all__ = ["counting_program"]


@dataclass(frozen=True, slots=True)
class _Shared:
    """What the functions of a program share."""

    prims: PrimitiveSet
    planner: Planner
    names: NameSupply
    gaps: set[str]
    shapes: Mapping[str, Shapes]
    recursive: frozenset[str]


def counting_program(program: Program, prims: PrimitiveSet) -> tuple[Program, frozenset[str]]:
    """The program whose entry gives the numbers of `NUMBERS`, as they are at the end of a run, and
    what there is in it for which the bytes in arrays are not counted rightly.

    Raises:
        Unknown: something in it is not counted.
    """
    planner = Planner(prims, consumed_params(program, prims))
    shared = _Shared(
        prims, planner, supply_for(program), set(), agreed_shapes(program, prims),
        recursive_functions(program),
    )  # fmt: skip
    counting = ((_Counting(shared, f.name), f) for f in program.functions)
    functions = tuple(
        one.entry(f) if f.name == program.entry else one.function(f) for one, f in counting
    )
    return Program(functions, program.entry), frozenset(shared.gaps)


@dataclass(slots=True)
class _Counting:
    """Makes the counting twin of one function.

    `name` is the function's; `buffers` has for each array how it lies in memory. `in_block`: inside
    a loop whose residuals are one block on the tape, which is counted as a whole.
    """

    shared: _Shared
    name: str
    buffers: dict[Var, Buffer] = field(default_factory=dict[Var, Buffer])
    on_stack: frozenset[Var] = frozenset()
    in_block: bool = False

    def builder(self) -> Builder:
        return Builder(self.shared.names, self.shared.prims.result_types)

    def fresh(self, type_: Type) -> Buffer:
        """A new array that comes from elsewhere, with extents that do."""
        return Buffer(type_, tuple(self.shared.names.var("n", I64) for _ in range(type_.rank)))

    # Functions.

    def function(self, function: Function) -> Function:
        meter = Meter(self.builder(), self.numbers(), self.shared.gaps)
        given = tuple(meter.numbers)
        extents: list[Var] = []
        for param in function.params:
            if not param.type.is_scalar:
                self.buffers[param] = self.fresh(param.type)
                extents += _vars(self.buffers[param].dims)
        eaten = self.shared.planner.consumed[function.name]
        owned = frozenset(function.params[k] for k in eaten)
        results = self.block(meter, function.body, owned)
        body = meter.b.block((*meter.numbers, *function.body.results, *_dims(results)))
        return replace(function, params=(*_vars(given), *function.params, *extents), body=body)

    def entry(self, function: Function) -> Function:
        meter = Meter(self.builder(), [ilit(0)] * len(NUMBERS), self.shared.gaps)
        for param in function.params:
            if not param.type.is_scalar:
                self.buffers[param] = Buffer(param.type, meter.b.dims(param), fixed=True)
        eaten = self.shared.planner.consumed[function.name]
        self.block(meter, function.body, frozenset(function.params[k] for k in eaten))
        return replace(function, body=meter.b.block(meter.numbers))

    def numbers(self) -> list[Atom]:
        return [self.shared.names.var(name, I64) for name in NUMBERS]

    # Blocks, as `backends.llvm.blocks.emit_block` goes through them.

    def block(
        self, meter: Meter, block: Block, given: frozenset[Var],
        lent: frozenset[int] = frozenset(),
    ) -> list[Buffer | None]:  # fmt: skip
        planner = self.shared.planner
        shapes = self.shared.shapes[self.name].arrays
        plan = planner.plan(block, extents=shapes)
        self.on_stack |= planner.shapes_alone(block)
        if self.name not in self.shared.recursive:
            self.on_stack |= frame_arrays(planner, block, plan, shapes)
        unused = {v for v in given if v not in plan.last}
        self.free(meter, unused)
        owned = set(given - unused)
        for position, stm in enumerate(block.stms):
            eaten = planner.consumed_by(stm)
            dying = {v for v in owned if plan.last.get(v) == position}
            branch = isinstance(stm.expr, If)
            handed = plan.handed(position, stm, owned) if branch else frozenset[Var]()
            self.stm(meter, stm, plan, handed)
            self.free(meter, dying - eaten - handed)
            owned -= dying | eaten
            for out in stm.outs:
                if out.type.is_scalar or out in plan.lazy:
                    continue
                if out in plan.alias and not self.buffers[out].copied:
                    continue
                if out in plan.last:
                    owned.add(out)
                else:
                    meter.free(self.buffers[out])
        return self.results(meter, block.results, owned, lent)

    def free(self, meter: Meter, arrays: Iterable[Var]) -> None:
        for var in sorted(arrays, key=lambda v: v.name):
            meter.free(self.buffers[var])

    def results(
        self, meter: Meter, results: Sequence[Atom], owned: set[Var], lent: frozenset[int]
    ) -> list[Buffer | None]:
        found: list[Buffer | None] = []
        moved: set[Var] = set()
        for position, atom in enumerate(results):
            if not isinstance(atom, Var) or atom.type.is_scalar:
                found.append(None)
                continue
            buffer = self.buffers[atom]
            if position in lent:
                found.append(buffer)
            elif buffer.leaves is None and atom in owned and atom not in moved:
                moved.add(atom)
                found.append(buffer)
            else:
                found.append(meter.allocate(atom.type, buffer.dims))
        self.free(meter, owned - moved)
        return found

    # Statements.

    def stm(self, meter: Meter, stm: Stm, plan: BlockPlan, handed: frozenset[Var]) -> None:
        expr = stm.expr
        match expr:
            case Prim():
                self.prim(meter, stm, expr, plan)
            case If():
                self.branch(meter, stm, expr, handed)
            case For() | While():
                self.loop(meter, stm, expr)
            case Call():
                self.call(meter, stm, expr)
            case Jvp() | Vjp():
                raise Unknown("derivatives that are not lowered")
            case _:
                unhandled(expr)

    def prim(self, meter: Meter, stm: Stm, expr: Prim, plan: BlockPlan) -> None:
        match expr.op:
            case "push":
                self.push(meter, stm, expr)
            case "pop":
                self.pop(meter, stm, expr)
            case "dim":
                array = expr.args[0]
                assert isinstance(array, Var)
                axis = expr.param("axis")
                assert isinstance(axis, int)
                dim = self.buffers[array].dims[axis]
                meter.b.stms.append(replace(stm, expr=Prim("copy", (dim,))))
                meter.same[stm.outs[0]] = dim
            case _:
                meter.b.stms.append(stm)
                apply = Application(meter, self.shared.prims, self.buffers, stm, expr, plan)
                apply.count(self.on_stack)

    def push(self, meter: Meter, stm: Stm, expr: Prim) -> None:
        held = held_positions(expr)
        dims: list[Atom] = []
        for k, atom in enumerate(expr.args):
            if atom.type.is_scalar:
                continue
            assert isinstance(atom, Var)
            buffer = self.buffers[atom]
            dims += buffer.dims
            if k in held and not buffer.plain:
                meter.free(meter.allocate(atom.type, buffer.dims))
            if k not in held and not buffer.plain:
                meter.gaps.add("views that are recorded")
            meter.recorded(meter.elements(buffer))
        if offloaded_in(expr.params):
            meter.gaps.add(OFFLOADED)
        if not self.in_block:
            meter.recorded(ilit(8 * sum(words(a.type) for a in expr.args)))
            meter.noted()
        meter.b.stms.append(replace(stm, expr=replace(expr, args=(*expr.args, *dims))))

    def pop(self, meter: Meter, stm: Stm, expr: Prim) -> None:
        held = held_positions(expr)
        dims: list[Var] = []
        for k, out in enumerate(stm.outs):
            if not out.type.is_scalar:
                found = replace(self.fresh(out.type), fixed=k in held)
                self.buffers[out] = found
                dims += _vars(found.dims)
        types = (*(str(o.type) for o in stm.outs), *(str(I64) for _ in dims))
        params = tuple((key, types if key == "types" else value) for key, value in expr.params)
        outs = (*stm.outs, *dims)
        meter.b.stms.append(replace(stm, outs=outs, expr=replace(expr, params=params)))
        for out in stm.outs:
            if not out.type.is_scalar:
                meter.taken(meter.elements(self.buffers[out]))
        if not self.in_block:
            meter.taken(ilit(8 * sum(words(o.type) for o in stm.outs)))

    def call(self, meter: Meter, stm: Stm, expr: Call) -> None:
        eaten = self.shared.planner.consumed[expr.function]
        dims: list[Atom] = []
        temporaries: list[Buffer] = []
        for k, atom in enumerate(expr.args):
            if isinstance(atom, Var) and not atom.type.is_scalar:
                buffer = self.buffers[atom]
                given = meter.owned(buffer)
                if given is not buffer and k not in eaten:
                    temporaries.append(given)
                if k in eaten and given.fixed:
                    meter.gaps.add("arrays on the tape that are handed on")
                dims += given.dims
        outs, extents = self.outs(stm.outs)
        args = (*meter.numbers, *expr.args, *dims)
        numbers = self.numbers()
        meter.b.stms.append(
            replace(stm, outs=(*_vars(numbers), *outs, *extents), expr=replace(expr, args=args))
        )
        meter.numbers[:] = numbers
        for temporary in temporaries:
            meter.free(temporary)

    def outs(self, outs: Sequence[Var]) -> tuple[Sequence[Var], list[Var]]:
        """Results that are new arrays, with extents of their own, which are results, too."""
        extents: list[Var] = []
        for out in outs:
            if not out.type.is_scalar:
                self.buffers[out] = self.fresh(out.type)
                extents += _vars(self.buffers[out].dims)
        return outs, extents

    # Control flow.

    def branch(self, meter: Meter, stm: Stm, expr: If, handed: frozenset[Var]) -> None:
        planner = self.shared.planner
        in_place: dict[int, Var] = {}
        for k, (a, b) in enumerate(zip(expr.then.results, expr.orelse.results, strict=True)):
            if isinstance(a, Var) and isinstance(b, Var) and not a.type.is_scalar:
                root = planner.root_of(expr.then, a)
                if root is not None and root == planner.root_of(expr.orelse, b) and root in handed:
                    in_place[k] = root
        sides: list[Block] = []
        for block in (expr.then, expr.orelse):
            inner = meter.inside(self.builder(), meter.numbers)
            found = self.block(inner, block, handed)
            if any(b is not None and b.fixed for b in found):
                meter.gaps.add("arrays on the tape that are handed on")
            made = [b for k, b in enumerate(found) if k not in in_place]
            sides.append(inner.b.block((*inner.numbers, *block.results, *_dims(made))))
        _, extents = self.outs([o for k, o in enumerate(stm.outs) if k not in in_place])
        self.buffers.update((stm.outs[k], self.buffers[root]) for k, root in in_place.items())
        numbers = self.numbers()
        new = replace(expr, then=sides[0], orelse=sides[1])
        meter.b.stms.append(replace(stm, outs=(*_vars(numbers), *stm.outs, *extents), expr=new))
        meter.numbers[:] = numbers

    def loop(self, meter: Meter, stm: Stm, expr: For | While) -> None:
        carried = self.carry(meter, expr)
        outer, size = self.in_block, ilit(0)
        if isinstance(expr, For) and expr.block:
            self.in_block = True
            per, pushes = block_words(expr)
            trips = meter.b.prim("maximum", expr.trips, ilit(0))
            size = meter.b.mul(trips, ilit(8 * per))
            if pushes:
                meter.recorded(size)
                meter.noted()
        numbers, inits = self.numbers(), (*meter.numbers, *expr.inits, *carried.dims)
        body = self.inside(meter, numbers, expr, carried)
        names = (*_vars(numbers), *expr.carried, *carried.inside)
        after = self.numbers()
        count = len(expr.carried)
        extents = [self.shared.names.var("n", I64) for _ in carried.dims]
        outs = (*_vars(after), *stm.outs[:count], *extents, *stm.outs[count:])
        new: For | While = replace(expr, carried=names, inits=inits, body=body)
        if isinstance(new, For):
            new = replace(new, block=False)
        meter.b.stms.append(replace(stm, outs=outs, expr=new))
        meter.numbers[:] = after
        self.in_block = outer
        if isinstance(expr, For) and expr.block and not block_words(expr)[1]:
            meter.taken(size)
        self.after(meter, stm, expr, carried, extents)

    def carry(self, meter: Meter, expr: For | While) -> _Carried:
        """Binds what a loop carries, as `backends.llvm.blocks` does."""
        planner = self.shared.planner
        found = _Carried()
        for k, (var, init) in enumerate(zip(expr.carried, expr.inits, strict=True)):
            if var.type.is_scalar:
                continue
            assert isinstance(init, Var)
            buffer = self.buffers[init]
            held = meter.owned(buffer)
            self.buffers[var] = held
            if planner.borrows(expr, k):
                found.lent.add(k)
                if held is not buffer:
                    found.copied.add(k)
                continue
            found.owned.add(var)
            result = expr.body.results[k]
            if isinstance(result, Var) and planner.root_of(expr.body, result) == var:
                continue
            if held.fixed:
                meter.gaps.add("arrays on the tape that are handed on")
            found.moving.append(k)
            found.dims += held.dims
            self.buffers[var] = self.fresh(var.type)
            found.inside += _vars(self.buffers[var].dims)
        return found

    def inside(
        self, meter: Meter, numbers: list[Atom], expr: For | While, carried: _Carried
    ) -> Block:
        if isinstance(expr, While):
            if any(isinstance(s.expr, Call) for s in stms_deep(expr.cond)):
                raise Unknown("conditions of loops that call")
            tested = meter.inside(self.builder(), numbers)
            self.block(tested, expr.cond, frozenset())
            if tested.numbers[:2] != numbers[:2]:
                meter.gaps.add("conditions of `while` loops that make arrays")
        inner = meter.inside(self.builder(), numbers)
        results = self.block(inner, expr.body, frozenset(carried.owned), frozenset(carried.lent))
        count = len(expr.carried)
        moved = [results[k] for k in carried.moving]
        if any(b is not None and b.fixed for b in moved):
            meter.gaps.add("arrays on the tape that are handed on")
        own, sums = expr.body.results[:count], expr.body.results[count:]
        return inner.b.block((*inner.numbers, *own, *_dims(moved), *sums))

    def after(
        self, meter: Meter, stm: Stm, expr: For | While, carried: _Carried, extents: Sequence[Var]
    ) -> None:
        place = 0
        for k, var in enumerate(expr.carried):
            out = stm.outs[k]
            if var.type.is_scalar:
                continue
            buffer = self.buffers[var]
            if k in carried.lent and k not in carried.copied:
                self.buffers[out] = meter.allocate(out.type, buffer.dims)
            elif k in carried.moving:
                self.buffers[out] = Buffer(out.type, tuple(extents[place : place + out.type.rank]))
                place += out.type.rank
            else:
                self.buffers[out] = buffer


@dataclass(slots=True)
class _Carried:
    """How a loop holds the arrays that it carries: positions, and extents of those that move."""

    owned: set[Var] = field(default_factory=set[Var])
    lent: set[int] = field(default_factory=set[int])
    copied: set[int] = field(default_factory=set[int])
    moving: list[int] = field(default_factory=list[int])
    dims: list[Atom] = field(default_factory=list[Atom])
    inside: list[Var] = field(default_factory=list[Var])


def _dims(buffers: Iterable[Buffer | None]) -> list[Atom]:
    return [dim for buffer in buffers if buffer is not None for dim in buffer.dims]


def _vars(atoms: Iterable[Atom]) -> list[Var]:
    return [a for a in atoms if isinstance(a, Var)]
