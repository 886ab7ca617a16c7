"""One walk that simplifies: copy propagation, folding, identities, common subexpressions, extents.

Blocks are visited in order of execution with the tables of what is available; what a branch or a
loop body adds to them is taken back when the walk leaves it. So every replacement is by a value
that dominates its use. Control flow that is decided at compile time goes.

Sharing is invisible for scalars. Two equal arrays become one only if neither is consumed. Products
that a reverse sweep makes are not those of its primal: only the former may become a part of `fma`,
and which of the latter a reverse sweep does again depends on what is recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from retrograd.ir.formers import unhandled
from retrograd.ir.linear import linear_functions
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    Expr,
    For,
    Function,
    If,
    Jvp,
    Lit,
    Params,
    Prim,
    Program,
    Stm,
    Var,
    Vjp,
    While,
    flit,
    ilit,
)  # fmt: skip
from retrograd.ir.traverse import map_atoms, stms_of, with_blocks
from retrograd.ir.types import BOOL, I64
from retrograd.prims.core import Effect, PrimitiveSet
from retrograd.records import Itself, quickly_made
from retrograd.transforms.analysis.effects import prim_effect
from retrograd.transforms.analysis.shape_equality import agreed_shapes
from retrograd.transforms.analysis.shapes import Axis, Extent, Shapes
from retrograd.transforms.optimise.algebra import copied, fold, rewrite
from retrograd.transforms.passes import per_function, unless_settled

__all__ = ["simplify"]

Key = tuple[str, tuple[object, ...], Params]

_MAX_REWRITES = 10
_ONES = (ilit(1), ilit(1))


def simplify(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Simplifies every function of `program`."""
    linear = linear_functions(program, prims)
    shapes = agreed_shapes(program, prims)

    def one(function: Function) -> Function:
        consumed, known = linear[function.name], shapes[function.name]
        key = "simplified", Itself(prims), Itself(consumed), Itself(known)
        return unless_settled(
            function, names, key, lambda f: _simplified(f, names, prims, consumed.names, known)
        )

    return per_function(program, one)


def _simplified(
    function: Function,
    names: NameSupply,
    prims: PrimitiveSet,
    consumed: frozenset[str],
    shapes: Shapes,
) -> Function:
    """One function; `consumed` are its arrays that are taken over somewhere."""
    asked = frozenset(
        shapes.scalars[stm.outs[0].name]
        for stm in stms_of(function)
        if isinstance(stm.expr, Prim) and stm.expr.op == "dim"
    )
    lasting = {p.name: p for p in function.params if p.name not in consumed}
    walk = _Walk(prims, names, consumed, shapes, asked, lasting)
    return function.with_body(walk.block(function.body))


def _atom_key(atom: Atom) -> object:
    return atom.name if isinstance(atom, Var) else (atom.type, repr(atom.value))


def _key(expr: Prim, commutative: bool) -> Key:
    args = tuple([a.name if isinstance(a, Var) else (a.type, repr(a.value)) for a in expr.args])
    if commutative:
        args = tuple(sorted(args, key=repr))
    params = tuple([p for p in expr.params if p[0] != "span"]) if expr.params else ()
    return expr.op, args, params


def _checked_key(key: Key) -> Key:
    """The key of the same access with a check, whose result serves as well."""
    op, args, params = key
    return op, args, tuple(("checked", True) if p == ("checked", False) else p for p in params)


@quickly_made
@dataclass(slots=True)
class _Walk:
    """State of the walk. `known` and `extents` hold what is available; `undo` what to take back.

    `told` are names that users have given to results for which others are used.
    """

    prims: PrimitiveSet
    names: NameSupply
    consumed: frozenset[str]
    shapes: Shapes
    asked: frozenset[Extent]
    lasting: Mapping[str, Var]
    values: dict[str, Atom] = field(default_factory=dict[str, Atom])
    definitions: dict[str, Prim] = field(default_factory=dict[str, Prim])
    known: dict[Key, tuple[Atom, ...]] = field(default_factory=dict["Key", "tuple[Atom, ...]"])
    extents: dict[Extent, Var] = field(default_factory=dict["Extent", Var])
    undo: list[Key | Axis] = field(default_factory=list["Key | Axis"])
    out: list[Stm] = field(default_factory=list[Stm])
    told: dict[Atom, list[str]] = field(default_factory=dict["Atom", "list[str]"])

    def swap(self, atom: Atom) -> Atom:
        return self.values.get(atom.name, atom) if isinstance(atom, Var) else atom

    def bind(self, outs: Sequence[Var], atoms: Sequence[Atom]) -> None:
        for out, atom in zip(outs, atoms, strict=True):
            self.values[out.name] = atom

    def definition(self, atom: Atom) -> Prim | None:
        return self.definitions.get(atom.name) if isinstance(atom, Var) else None

    def block(self, block: Block) -> Block:
        """The simplified block; what it made available is forgotten at its end.

        Where nothing is simpler, it is the block itself.
        """
        outer, mark = self.out, len(self.undo)
        self.out = []
        self.stms(block.stms)
        stms = tuple(map(self.renamed, self.out)) if self.told else tuple(self.out)
        done = block.changed(stms, tuple(map(self.swap, block.results)))
        self.out = outer
        while len(self.undo) > mark:
            key = self.undo.pop()
            if isinstance(key, Axis):
                del self.extents[key]
            else:
                del self.known[key]
        return done

    def renamed(self, stm: Stm) -> Stm:
        """A statement with the users' names of equal ones that it stands for."""
        more = [(k, name) for k, out in enumerate(stm.outs) for name in self.told.get(out, ())]
        return replace(stm, prov=stm.prov.named(tuple(more))) if more else stm

    def stms(self, stms: tuple[Stm, ...]) -> None:
        for stm in stms:
            expr = map_atoms(stm.expr, self.swap)
            match expr:
                case Prim():
                    self.prim(stm, expr)
                case If():
                    self.branch(stm, expr)
                case For():
                    self.counted(stm, expr)
                case While():
                    self.conditional(stm, expr)
                case Call() | Jvp() | Vjp():
                    self.out.append(stm.with_expr(expr))
                case _:
                    unhandled(expr)

    # Primitives.

    def prim(self, stm: Stm, expr: Prim) -> None:
        for _ in range(_MAX_REWRITES):
            literals = fold(expr, self.prims)
            if literals is not None:
                self.bind(stm.outs, literals)
                return
            better = self.better(stm, expr)
            if isinstance(better, Var | Lit):
                self.bind(stm.outs, (better,))
                return
            if better is None:
                break
            expr = better
        self.share(stm.with_expr(expr), expr)

    def better(self, stm: Stm, expr: Prim) -> Atom | Prim | None:
        match expr.op:
            case "dim":
                here = self.extent(stm.outs[0].name) or self.of_parameter(stm, expr)
                return here or self.combined(stm, expr)
            case "common_extent":
                return self.extent(stm.outs[0].name) or rewrite(expr, self.definition)
            case "check_extents":
                return self.proved(stm, expr) or rewrite(expr, self.definition)
            case "index":
                return self.loaded(expr)
            case "update_slice" if self.replaces_all(expr):
                return Prim("copy", (expr.args[1],))
            case "sum_like" if self.of_same_extents(*expr.args):
                kept = self.consumed.isdisjoint(
                    (stm.outs[0].name, getattr(expr.args[0], "name", ""))
                )
                return expr.args[0] if kept else None
            case _ if (source := copied(expr)) is not None:
                if not self.consumed & {stm.outs[0].name, source.name}:
                    return source
                return self.made_again(source) if expr.op == "copy" else None
            case _:
                return rewrite(expr, self.definition)

    def replaces_all(self, expr: Prim) -> bool:
        """Whether every element of an array becomes one of another array, of the same extents."""
        array, *others = expr.args
        if len(others) != 1 or set(str(expr.param("spec"))) != {"a"}:
            return False
        return self.of_same_extents(array, *others)

    def of_same_extents(self, one: Atom, other: Atom) -> bool:
        """Whether two arrays are known to have the same extents."""
        shapes = [self.shapes.arrays.get(getattr(a, "name", "")) for a in (one, other)]
        return shapes[0] is not None and shapes[0] == shapes[1]

    def made_again(self, array: Atom) -> Prim | None:
        """An array of numbers is as quickly made as copied, and need not be kept for that."""
        made = self.definition(array)
        if made is None or not self.prims[made.op].facts.cheap:
            return None
        return made if all(a.type.is_scalar for a in made.args) else None

    def extent(self, name: str) -> Atom | None:
        """A value that is already there for the result `name` of `dim` or `common_extent`."""
        return self.available(self.shapes.scalars[name])

    def available(self, extent: Extent) -> Atom | None:
        """A value that is already there for an extent."""
        if isinstance(extent, int):
            return ilit(extent)
        if isinstance(extent, Var):
            return self.swap(extent)
        return self.extents.get(extent)

    def of_parameter(self, stm: Stm, expr: Prim) -> Prim | None:
        """The same extent of a parameter that stays: loops and reverse sweeps have that at hand."""
        extent = self.shapes.scalars[stm.outs[0].name]
        if not isinstance(extent, Axis) or extent.array not in self.lasting:
            return None
        param = self.lasting[extent.array]
        return None if expr.args == (param,) else Prim("dim", (param,), (("axis", extent.axis),))

    def combined(self, stm: Stm, expr: Prim) -> Atom | None:
        """The extent of an elementwise result from those of its operands.

        So no array is kept in memory because somebody asks for its extent.
        """
        array, axis = expr.args[0], expr.param("axis")
        source = self.definition(array)
        if source is None or not self.prims[source.op].elementwise or not isinstance(axis, int):
            return None
        return self.length(array, axis, stm) if self.measurable(array, axis) else None

    def measurable(self, array: Atom, axis: int) -> bool:
        """Whether the extents that an extent comes from can be asked for here.

        They cannot where an array may have been taken over by now.
        """
        assert isinstance(array, Var)
        source = self.definition(array)
        if self.available(self.shapes.arrays[array.name][axis]) is not None:
            return True
        if source is None or not self.prims[source.op].elementwise:
            return array.name not in self.consumed
        back = array.type.rank - axis
        operands = (a for a in source.args if a.type.rank >= back)
        return all(self.measurable(a, a.type.rank - back) for a in operands)

    def length(self, array: Atom, axis: int, stm: Stm) -> Atom:
        """A value for an extent, with the statements that it takes."""
        assert isinstance(array, Var)
        extent = self.shapes.arrays[array.name][axis]
        known, source = self.available(extent), self.definition(array)
        if known is not None:
            return known
        if source is None or not self.prims[source.op].elementwise:
            return self.named(extent, Prim("dim", (array,), (("axis", axis),)), stm)
        back = array.type.rank - axis
        operands = dict.fromkeys(a for a in source.args if a.type.rank >= back)
        found, *more = (self.length(a, a.type.rank - back, stm) for a in operands)
        for other in more:
            both = Prim("common_extent", (found, other))
            better = rewrite(both, self.definition)
            found = better if isinstance(better, Var | Lit) else self.named(extent, both, stm)
        return found

    def named(self, extent: Extent, expr: Prim, stm: Stm) -> Var:
        """A new statement whose result is an extent."""
        out = self.names.var("n", I64)
        self.out.append(Stm((out,), expr, stm.prov))
        self.definitions[out.name] = expr
        if isinstance(extent, Axis) and extent not in self.extents:
            self.extents[extent] = out
            self.undo.append(extent)
        return out

    def proved(self, stm: Stm, expr: Prim) -> Prim | None:
        """A check of extents that the shapes of the arrays imply: of numbers, which folds."""
        assert isinstance(stm.expr, Prim)
        m, n = map(self.shapes.scalar, stm.expr.args)
        if not self.shapes.fit(str(expr.param("how")), m, n) or expr.args == _ONES:
            return None
        return Prim(expr.op, _ONES, expr.params)

    def loaded(self, expr: Prim) -> Atom | Prim | None:
        """What an element is known to be from how the array was made."""
        source = self.definition(expr.args[0])
        if source is None:
            return None
        match source.op:
            case "update" if list(map(_atom_key, source.args[2:])) == [
                _atom_key(a) for a in expr.args[1:]
            ]:
                return source.args[1]
            case "full" if prim_effect(expr, self.prims) is Effect.PURE:
                return source.args[0]
            case "zeros" if prim_effect(expr, self.prims) is Effect.PURE:
                return {"f64": flit(0.0), "i64": ilit(0)}.get(str(source.param("dtype")))
            case _:
                return None

    def share(self, stm: Stm, expr: Prim) -> None:
        """Emits a statement, or uses the results of an equal one."""
        primitive = self.prims[expr.op]
        arrays = [out.name for out in stm.outs if out.type.rank]
        key = _key(expr, primitive.facts.commutative)
        if arrays and stm.prov.rerun:  # what would be alive from one run to the other
            key = (*key[:2], (*key[2], ("rerun", stm.prov.rerun)))
        if expr.op == "mul" and stm.prov.via[-1:] == ("vjp",):  # or fma would depend on reruns
            key = (*key[:2], (*key[2], ("via", "vjp")))
        once = primitive.effect in (Effect.TAPE, Effect.OUTPUT)
        if once or (arrays and not self.consumed.isdisjoint(arrays)):
            self.emit(stm, expr)
            return
        found = self.known.get(key)
        if found is None and key[2]:
            found = self.known.get(_checked_key(key))
        if found is not None:
            self.bind(stm.outs, found)
            for position, name in stm.prov.names:
                self.told.setdefault(found[position], []).append(name)
            return
        self.known[key] = stm.outs
        self.undo.append(key)
        self.emit(stm, expr)

    def emit(self, stm: Stm, expr: Prim) -> None:
        self.out.append(stm)
        if len(stm.outs) == 1:
            self.definitions[stm.outs[0].name] = expr
        if expr.op in ("dim", "common_extent"):
            extent = self.shapes.scalars.get(stm.outs[0].name)
            if isinstance(extent, Axis) and extent not in self.extents:
                self.extents[extent] = stm.outs[0]
                self.undo.append(extent)

    # Control flow.

    def branch(self, stm: Stm, expr: If) -> None:
        if isinstance(expr.cond, Lit):
            taken = expr.then if expr.cond.value else expr.orelse
            self.stms(taken.stms)
            self.bind(stm.outs, [self.swap(a) for a in taken.results])
            return
        negated = self.definition(expr.cond)
        if negated is not None and negated.op == "not_":
            expr = If(negated.args[0], expr.orelse, expr.then)
        then, orelse = self.block(expr.then), self.block(expr.orelse)
        self.out.append(stm.with_expr(with_blocks(expr, (then, orelse))))
        for out, one, two in zip(stm.outs, then.results, orelse.results, strict=True):
            if _atom_key(one) == _atom_key(two):  # it comes from outside, as both see it
                self.values[out.name] = one

    def counted(self, stm: Stm, expr: For) -> None:
        count = len(expr.carried)
        if isinstance(expr.trips, Lit) and expr.trips.value <= 0:
            self.bind(stm.outs, (*expr.inits, *(flit(0.0),) * expr.sums))
            return
        if _is_once(expr):
            self.bind((expr.index, *expr.carried), (ilit(0), *expr.inits))
            self.stms(expr.body.stms)
            self.bind(stm.outs, [self.swap(a) for a in expr.body.results])
            return
        moving = self.invariants(stm, expr.carried, expr.inits, expr.body.results[:count])
        if len(moving) == count:
            self.dims_before(expr.carried, expr.inits, stm)
            self.out.append(stm.with_expr(with_blocks(expr, (self.block(expr.body),))))
            return
        new = replace(
            expr,
            carried=tuple(expr.carried[k] for k in moving),
            inits=tuple(expr.inits[k] for k in moving),
            body=Block(
                expr.body.stms,
                (*(expr.body.results[k] for k in moving), *expr.body.results[count:]),
            ),
        )
        self.dims_before(new.carried, new.inits, stm)
        outs = (*(stm.outs[k] for k in moving), *stm.outs[count:])
        self.out.append(replace(stm, outs=outs, expr=replace(new, body=self.block(new.body))))

    def conditional(self, stm: Stm, expr: While) -> None:
        moving = self.invariants(stm, expr.carried, expr.inits, expr.body.results)
        carried = tuple(expr.carried[k] for k in moving)
        inits = tuple(expr.inits[k] for k in moving)
        self.dims_before(carried, inits, stm)
        cond = self.block(expr.cond)
        if not cond.stms and cond.results == (Lit(False, BOOL),):
            self.bind([stm.outs[k] for k in moving], inits)
            return
        if len(moving) == len(expr.carried):
            self.out.append(stm.with_expr(with_blocks(expr, (cond, self.block(expr.body)))))
            return
        body = self.block(Block(expr.body.stms, tuple(expr.body.results[k] for k in moving)))
        new: Expr = replace(expr, carried=carried, inits=inits, cond=cond, body=body)
        self.out.append(replace(stm, outs=tuple(stm.outs[k] for k in moving), expr=new))

    def invariants(
        self,
        stm: Stm,
        carried: tuple[Var, ...],
        inits: tuple[Atom, ...],
        results: tuple[Atom, ...],
    ) -> list[int]:
        """Propagates carried values that never change; the positions of the others."""
        moving: list[int] = []
        for k, (var, init, result) in enumerate(zip(carried, inits, results, strict=True)):
            again = self.swap(result)
            if result == var or (var.type.is_scalar and _atom_key(again) == _atom_key(init)):
                self.values[var.name] = init
                self.values[stm.outs[k].name] = init
            else:
                moving.append(k)
        return moving

    def dims_before(self, carried: tuple[Var, ...], inits: tuple[Atom, ...], stm: Stm) -> None:
        """Asks for extents that the loop keeps before it, where the array can still be named."""
        for var, init in zip(carried, inits, strict=True):
            for axis, extent in enumerate(self.shapes.arrays.get(var.name, ())):
                if not isinstance(extent, Axis) or extent.array == var.name:
                    continue
                if extent in self.asked and extent not in self.extents:
                    self.named(extent, Prim("dim", (init,), (("axis", axis),)), stm)


def _is_once(expr: For) -> bool:
    plain = expr.point is None and not expr.block and not expr.sums
    return plain and isinstance(expr.trips, Lit) and expr.trips.value == 1
