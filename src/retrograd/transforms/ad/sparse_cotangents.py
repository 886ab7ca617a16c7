"""The reverse of a map of which one element was used goes through that element only.

The cotangent of an array of which one element or row was read is zero elsewhere: one index and one
value, until something asks for all of it. Where that array was filled by a loop, the reverse loop

    for i < n with (seed_bar = add_at(zeros(n), v, k), x_bar = ..): ..

changes nothing but in iteration k (`analysis.zeros`). It becomes that iteration, if there is one,
and the array of zeros goes with it. So `min`, `argmin` and indexing cost what they touch: the
reverse of the nearest of k centres in d dimensions takes d operations, not k*d.

Only in what derivatives have made: there a cotangent that is known to be zero contributes nothing,
where a product of zero and infinity in a program of the user's is NaN.

Source: sparse adjoints in Schenck et al. 2022, section 5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, For, Function, If, Prim, Program, Stm, Var, flit, ilit
from retrograd.ir.traverse import blocks, mentions, substitute, with_blocks
from retrograd.ir.types import F64, I64
from retrograd.prims.core import PrimitiveSet
from retrograd.transforms.analysis.tape_balance import Balance
from retrograd.transforms.analysis.zeros import changes_nothing
from retrograd.transforms.passes import per_function

__all__ = ["touch_one_element"]


def touch_one_element(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """Turns every such reverse loop of the program into one iteration."""
    functions = {f.name: f for f in program.functions}
    balance = Balance(functions, prims)

    def change(function: Function) -> Function:
        walk = _Walk(functions, names, prims, balance, mentions(function.body))
        return replace(function, body=walk.block(function.body))

    return per_function(program, change)


@dataclass(frozen=True, slots=True)
class _OneElement:
    """An array that is zero but for `value` at index `place`; no element where that is negative."""

    place: Atom
    value: Atom
    surely: bool


@dataclass(slots=True)
class _Walk:
    """Goes through a function; `made` has the primitive that makes each variable."""

    functions: Mapping[str, Function]
    names: NameSupply
    prims: PrimitiveSet
    balance: Balance
    uses: Counter[Var]
    made: dict[Var, Prim] = field(default_factory=dict[Var, Prim])

    def block(self, block: Block) -> Block:
        out: list[Stm] = []
        for stm in block.stms:
            out += self.statement(out, stm)
        return Block(tuple(out), block.results)

    def statement(self, before: list[Stm], stm: Stm) -> list[Stm]:
        """What a statement becomes; of a seed that a branch makes, the branch in `before`, too."""
        if isinstance(stm.expr, Prim):
            self.made.update((out, stm.expr) for out in stm.outs)
        if isinstance(stm.expr, For) and stm.prov.via:
            changed = self.loop(before, stm, stm.expr)
            if changed is not None:
                return [*changed[:-1], *self.inner(changed[-1])]
        return self.inner(stm)

    def inner(self, stm: Stm) -> list[Stm]:
        parts = tuple(map(self.block, blocks(stm.expr)))
        return [replace(stm, expr=with_blocks(stm.expr, parts)) if parts else stm]

    def loop(self, before: list[Stm], stm: Stm, expr: For) -> list[Stm] | None:
        """The iteration that matters, if what it starts from is arrays with one element only."""
        seeds: dict[object, list[int]] = {}
        for k, (out, init) in enumerate(zip(stm.outs, expr.inits, strict=False)):
            if out.type.rank and out.type.is_float and not self.uses[out]:
                seeds.setdefault(self.place(before, init), []).append(k)
        seeds.pop(None, None)
        for group in seeds.values():
            if changes_nothing(expr, group, self.functions, self.prims):
                if not self.balance.of(expr.body):
                    return None
                b = Builder(self.names, self.prims.result_types, stm.prov)
                found = {k: self.one_element(before, expr.inits[k]) for k in group}
                return self.iteration(b, stm, expr, found)
        return None

    # One element.

    def place(self, before: list[Stm], atom: Atom) -> object:
        """Where an array has its one element, so that equal places are equal; None if it has
        others."""
        found = self.element(atom)
        if found is not None:
            return found.place
        branch = _branch_of(before, atom)
        if branch is None:
            return None
        where, expr, position = branch
        sides = [self.side(block, position) for block in (expr.then, expr.orelse)]
        places = tuple(None if side is None else side[0] for side in sides)
        return None if None in places else (where, places)

    def one_element(self, before: list[Stm], atom: Atom) -> _OneElement:
        """Index and value; a branch that makes the array gives them beside it."""
        found = self.element(atom)
        if found is not None:
            return found
        branch = _branch_of(before, atom)
        assert branch is not None
        where, expr, position = branch
        sides = [self.side(block, position) for block in (expr.then, expr.orelse)]
        arms = [
            replace(block, results=(*block.results, *side))
            for block, side in zip((expr.then, expr.orelse), sides, strict=True)
            if side is not None
        ]
        place, value = self.names.var("place", I64), self.names.var("bar", F64)
        old = before[where]
        made = replace(expr, then=arms[0], orelse=arms[1])
        before[where] = replace(old, outs=(*old.outs, place, value), expr=made)
        return _OneElement(place, value, surely=False)

    def side(self, block: Block, position: int) -> tuple[Atom, Atom] | None:
        """Index and value of the array that a branch gives at this position; -1 of zeros."""
        atom = block.results[position]
        own = {out: s.expr for s in block.stms if isinstance(s.expr, Prim) for out in s.outs}
        if self.is_zeros(atom, own):
            return (ilit(-1), flit(0.0)) if atom.type.rank == 1 else None
        found = self.element(atom, own)
        return None if found is None or not found.value.type.is_scalar else (
            found.place, found.value,
        )  # fmt: skip

    def element(self, atom: Atom, own: Mapping[Var, Prim] | None = None) -> _OneElement | None:
        """Index and value, where a statement adds one element or row to zeros."""
        made = self.maker(atom, own)
        if made is None or not _places_one(made) or not self.is_zeros(made.args[0], own):
            return None
        return _OneElement(made.args[2], made.args[1], surely=True)

    def is_zeros(self, atom: Atom, own: Mapping[Var, Prim] | None) -> bool:
        made = self.maker(atom, own)
        return made is not None and made.op == "zeros"

    def maker(self, atom: Atom, own: Mapping[Var, Prim] | None) -> Prim | None:
        if not isinstance(atom, Var):
            return None
        return (own or {}).get(atom) or self.made.get(atom)

    # One iteration.

    def iteration(
        self, b: Builder, stm: Stm, expr: For, found: Mapping[int, _OneElement]
    ) -> list[Stm]:
        one = next(iter(found.values()))
        inside = b.prim("lt", one.place, expr.trips)
        if not one.surely:
            inside = b.prim("and_", inside, b.prim("ge", one.place, ilit(0)))
        values = {expr.carried[k]: element.value for k, element in found.items()}
        stms = [_given(s, values, expr.index) for s in expr.body.stms]
        given = dict(zip(expr.carried, expr.inits, strict=True)) | {expr.index: one.place}
        body = substitute(replace(expr.body, stms=tuple(stms)), given)
        skipped = Block((), (*expr.inits, *[flit(0.0)] * expr.sums))
        return [*b.stms, replace(stm, expr=If(inside, body, skipped))]


def _given(stm: Stm, values: Mapping[Var, Atom], index: Var) -> Stm:
    """A statement that reads the one element, as a copy of it."""
    expr = stm.expr
    if not isinstance(expr, Prim) or len(expr.args) != 2 or expr.args[1] != index:
        return stm
    seed = expr.args[0]
    if not isinstance(seed, Var) or seed not in values:
        return stm
    if expr.op == "index":
        return replace(stm, expr=Prim("add", (flit(0.0), values[seed])))
    if expr.op == "slice" and _is_row(expr):
        return replace(stm, expr=Prim("copy", (values[seed],)))
    return stm


def _places_one(expr: Prim) -> bool:
    """Whether it adds one element of an array of rank 1, or one row."""
    return len(expr.args) == 3 and (
        expr.op == "add_at" or (expr.op == "add_slice" and _is_row(expr))
    )


def _is_row(expr: Prim) -> bool:
    spec = dict(expr.params).get("spec")
    return isinstance(spec, str) and spec[:1] == "i" and set(spec[1:]) <= {"a"}


def _branch_of(before: list[Stm], atom: Atom) -> tuple[int, If, int] | None:
    """The branch that gives an array: where it is, and the position of its result."""
    for where, stm in enumerate(before):
        if isinstance(stm.expr, If) and atom in stm.outs:
            return where, stm.expr, stm.outs.index(atom)  # type: ignore[arg-type]
    return None
