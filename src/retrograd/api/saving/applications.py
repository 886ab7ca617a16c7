"""What one application of a primitive allocates in machine code, and what it costs.

Each case here is that of a handler of `retrograd.backends.llvm` (`arrays`, `reductions`,
`products`): which temporaries there are at a time is theirs to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from retrograd.api.saving.buffers import Buffer, Meter
from retrograd.backends.llvm.plan import BlockPlan
from retrograd.ir.terms import Atom, Lit, Prim, Stm, Var, ilit
from retrograd.ir.types import Type
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.lengths import Along, Common, Length
from retrograd.prims.operations import operations

__all__ = ["Application"]

_IN_PLACE = ("update", "add_at", "update_slice", "add_slice", "accumulate")
_MAKERS = ("zeros", "empty", "zeros_around", "full", "iota", "array_of", "copy", "unit", "units")


@dataclass(slots=True)
class Application:
    """One statement, of the block of a plan. The statement itself has been emitted."""

    meter: Meter
    prims: PrimitiveSet
    buffers: dict[Var, Buffer]
    stm: Stm
    expr: Prim
    plan: BlockPlan

    def count(self, on_stack: frozenset[Var]) -> None:
        """Counts its bytes and its cost, and says how its results lie in memory."""
        for out in self.stm.outs:
            if not out.type.is_scalar:
                self.buffers[out] = self.made(out, on_stack)
        if all(out.type.is_scalar for out in self.stm.outs):
            self.reduced()
        self.cost()

    def given(self, k: int) -> Buffer | None:
        """How an operand lies in memory, None for a scalar."""
        atom = self.expr.args[k]
        return self.buffers[atom] if isinstance(atom, Var) and not atom.type.is_scalar else None

    def array(self, k: int) -> Buffer:
        found = self.given(k)
        assert found is not None
        return found

    # Extents.

    def dims(self, out: Var) -> tuple[Atom, ...]:
        lengths = self.prims[self.expr.op].facts.shape(self.expr.args, self.expr.params)
        if lengths is None:
            return self.meter.b.dims(out)
        return tuple(map(self.length, lengths))

    def length(self, length: Length) -> Atom:
        match length:
            case int():
                return ilit(length)
            case Along(operand, axis):
                return self.array(operand).dims[axis]
            case Common(lengths):
                first, *others = dict.fromkeys(map(self.length, lengths))
                for other in others:
                    first = self.meter.b.prim("common_extent", first, other)
                return first
            case Lit():
                return length
            case Var():
                return self.meter.same.get(length, length)

    # Bytes.

    def made(self, out: Var, on_stack: frozenset[Var]) -> Buffer:
        op, meter, plan = self.expr.op, self.meter, self.plan
        dims = self.dims(out)
        if op in _IN_PLACE:
            return self.array(0)
        if out in plan.alias:
            return self.view(out.type, dims)
        if out in plan.lazy:
            distinct = [self.expr.args.index(a) for a in dict.fromkeys(self.expr.args)]
            read = [b for k in distinct if (b := self.given(k)) is not None]
            leaves = dict.fromkeys(leaf for b in read for leaf in b.read())
            costs = {var: cost for b in read for var, cost in b.costs.items()}
            costs[out] = self.prims[op].cost
            return Buffer(out.type, dims, leaves=tuple(leaves), costs=costs)
        framed = out in on_stack
        if framed and (self.prims[op].elementwise or op in _MAKERS):
            return Buffer(out.type, dims, fixed=True)
        if self.prims[op].elementwise or op in _MAKERS:
            return meter.allocate(out.type, dims)
        if self.prims[op].facts.view:
            if self.given(0) is not None:
                self.view(out.type, dims)
            return meter.allocate(out.type, dims)
        if op == "sum_like":
            return self.sum_like(out, dims)
        if op == "matmul":
            return self.product(out.type, dims, framed)
        if op.startswith("reduce_"):
            return self.reduction(out.type, dims)
        meter.gaps.add(f"the primitive {op}")
        return meter.allocate(out.type, dims)

    def view(self, type_: Type, dims: tuple[Atom, ...]) -> Buffer:
        base = self.array(0)
        if base.leaves is not None:
            base = self.meter.allocate(base.type, base.dims)
        match self.expr.op:
            case "slice":
                units = self.sliced(base)
                plain = units == (True,)
                return Buffer(type_, dims, units=None if plain else units)
            case "transpose":
                perm = self.expr.param("perm")
                assert isinstance(perm, tuple)
                units = tuple(base.strides[k] for k in perm if isinstance(k, int))
                return Buffer(type_, dims, units=units)
            case "reshape":
                if base.units is None:
                    return Buffer(type_, dims)
                return replace(self.meter.allocate(type_, dims), copied=True)
            case "broadcast":
                return Buffer(type_, dims, units=(False,) * type_.rank)
            case _:
                if base.units is None:
                    return Buffer(type_, dims)
                return Buffer(type_, dims, units=(False,) * (type_.rank - 1) + (True,))

    def sliced(self, base: Buffer) -> tuple[bool, ...]:
        """Which axes of a slice have the stride 1."""
        found: list[bool] = []
        axis, operand = 0, 1
        for letter in str(self.expr.param("spec")):
            if letter == "n":
                found.append(False)
                continue
            if letter == "a":
                found.append(base.strides[axis])
            elif letter == "s":
                step = self.expr.args[operand + 2]
                found.append(base.strides[axis] and step == ilit(1))
            operand += {"i": 1, "s": 3}.get(letter, 0)
            axis += 1
        return tuple(found)

    def temporary(self, k: int) -> Buffer | None:
        """What is made of an operand that is not in row-major order."""
        buffer = self.given(k)
        if buffer is None or buffer.plain:
            return None
        return self.meter.allocate(buffer.type, buffer.dims)

    def drop(self, buffers: Sequence[Buffer | None]) -> None:
        for buffer in buffers:
            if buffer is not None:
                self.meter.free(buffer)

    def product(self, type_: Type, dims: tuple[Atom, ...], framed: bool) -> Buffer:
        made = [self.temporary(k) for k in (0, 1)]
        out = Buffer(type_, dims, fixed=True) if framed else self.meter.allocate(type_, dims)
        self.drop(made)
        return out

    def reduction(self, type_: Type, dims: tuple[Atom, ...]) -> Buffer:
        axes = dict(self.expr.params).get("axes")
        if isinstance(axes, tuple) and len(axes) == self.expr.args[0].type.rank:
            self.folded(self.array(0))
            return self.meter.allocate(type_, dims)
        given, last = self.array(0), axes == (self.expr.args[0].type.rank - 1,)
        if last and given.leaves is not None and given.cost <= self.prims.costs.folded_cost:
            return self.meter.allocate(type_, dims)
        made = self.temporary(0)
        out = self.meter.allocate(type_, dims)
        self.drop([made])
        return out

    def folded(self, given: Buffer) -> None:
        """The temporary of a fold of all elements: none where nothing is stretched."""
        if _flat(given):
            return
        if not _in_order(given):
            self.drop([self.temporary(0)])
            return
        pairs = {
            (m, t): None
            for leaf in given.read()
            for m, t in zip(given.dims, leaf.dims, strict=True)
            if m != t
        }
        self.passing(given, self.equal(pairs))

    def equal(self, pairs: Iterable[tuple[Atom, Atom]]) -> Atom | None:
        """Whether the extents of all pairs are equal; None where there is no pair."""
        same: Atom | None = None
        for mine, theirs in pairs:
            equal = self.meter.b.prim("eq", mine, theirs)
            same = equal if same is None else self.meter.b.prim("and_", same, equal)
        return same

    def passing(self, buffer: Buffer, unless: Atom | None) -> None:
        """Counts a copy that is freed right away, and is made unless that holds."""
        meter = self.meter
        if unless is not None:
            size = meter.unless(unless, meter.room(buffer))
            meter.change("peak", "maximum", meter.change("live", "add", size))
            meter.change("live", "sub", size)

    def reduced(self) -> None:
        """Temporaries of a primitive with scalar results."""
        op = self.expr.op
        if op == "matmul":
            self.drop([self.temporary(0), self.temporary(1)])
        elif op.startswith("reduce_") or op == "sum_like":
            given = self.given(0)
            if given is not None and op != "sum_like":
                self.folded(given)
            elif given is not None and not _flat(given):
                self.drop([self.temporary(0)])

    def sum_like(self, out: Var, dims: tuple[Atom, ...]) -> Buffer:
        meter, given, like = self.meter, self.given(0), self.array(1)
        dims = like.dims
        if given is None:
            return meter.allocate(out.type, dims)
        if given.type.rank != out.type.rank:
            made = meter.allocate(out.type, dims)
            self.drop([self.temporary(0)])
            return made
        pairs = [(m, t) for m, t in zip(given.dims, dims, strict=True) if m != t]
        same = self.equal(pairs)
        if out in self.plan.same and given.plain:
            if same is None:
                return replace(Buffer(out.type, dims), fixed=True)
            made = Buffer(out.type, dims, shared=same)
            size = meter.unless(same, meter.room(made))
            meter.change("peak", "maximum", meter.change("live", "add", size))
            return made
        made = meter.allocate(out.type, dims)
        if not given.plain:
            self.passing(given, same)
        return made

    # Cost.

    def cost(self) -> None:
        """Counts so many additions."""
        found = operations(
            self.prims, self.stm, lambda a: self.buffers[a].dims if isinstance(a, Var) else ()
        )
        if found is not None:
            self.meter.worked(self.stm, self.meter.count(found.dims), found.cost)


def _in_order(buffer: Buffer) -> bool:
    """Whether all that is read has no gaps and as many axes as the whole."""
    return all(leaf.plain and len(leaf.dims) == len(buffer.dims) for leaf in buffer.read())


def _flat(buffer: Buffer) -> bool:
    """Whether all that is read lies in row-major order, with the extents of the whole."""
    return all(leaf.plain and leaf.dims == buffer.dims for leaf in buffer.read())
