"""Dead stores of zeros: an array that a loop fills is cleared only where the loop does not write.

    x = zeros(n)                          x = zeros_around(n, lo, lo + trips)
    y = for i < trips with (x):           y = for i < trips with (x):
        add_at(x, v, lo + i)                  update(x, 0 + v, lo + i)

The first access of each iteration is to the element, or to the whole row, that is its own: what it
finds there is zero, so it stores a sum with zero instead of adding. So does a statement that writes
to rows (`x[1:-1] = ..`). A second loop or statement that only replaces elements, and that alone
goes on with the array, spares its own part as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import prod

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import (
    Atom,
    Block,
    Expr,
    For,
    Function,
    Lit,
    Prim,
    Program,
    Stm,
    Var,
    ilit,
)
from retrograd.ir.traverse import (
    atoms,
    binders,
    blocks,
    free_vars_expr,
    mentions,
    substitute,
    with_blocks,
)
from retrograd.ir.types import DType, Type
from retrograd.prims.core import PrimitiveSet
from retrograd.prims.index import REPLACING
from retrograd.prims.shape import ALL_ZEROS
from retrograd.transforms.analysis.affine import evaluated, forms_of, linear, resolved
from retrograd.transforms.analysis.array_accesses import accesses_of
from retrograd.transforms.analysis.bounds import Linear
from retrograd.transforms.passes import per_function

__all__ = ["spare_fills"]

_ZERO: Mapping[DType, bool | int | float] = {DType.F64: 0.0, DType.I64: 0, DType.BOOL: False}


def spare_fills(program: Program, names: NameSupply, prims: PrimitiveSet) -> Program:
    """The program whose arrays of zeros are cleared only where no loop writes before it reads."""
    return per_function(program, lambda f: _spared(f, names, prims))


def _spared(function: Function, names: NameSupply, prims: PrimitiveSet) -> Function:
    search = _Search(names, prims, mentions(function.body))
    search.learn(function.body)
    scope = {p.name: p for p in function.params}
    return replace(function, body=search.block(function.body, scope))


@dataclass(frozen=True, slots=True)
class _Span:
    """Rows that are filled, `count` of them from `first` on."""

    first: Linear
    count: Linear

    def over(self, known: Mapping[str, Var]) -> bool:
        """Whether the bounds are expressions of these variables."""
        return all(str(u) in known for form in (self.first, self.count) for u in form.terms)


@dataclass(frozen=True, slots=True)
class _Array:
    """The array that a loop may fill: its extents, and whether it is zero so far."""

    dims: tuple[Atom, ...]
    dtype: DType
    zero: bool

    @property
    def element(self) -> Lit:
        """The zero that is in it."""
        return Lit(_ZERO[self.dtype], Type(self.dtype, 0))


@dataclass(slots=True)
class _Search:
    """`counts` has how often each variable is mentioned, `forms` the linear forms of integers."""

    names: NameSupply
    prims: PrimitiveSet
    counts: Mapping[Var, int]
    forms: dict[str, Linear] = field(default_factory=dict[str, Linear])

    def learn(self, block: Block) -> None:
        """Notes the linear forms of a block and of those inside it."""
        self.forms |= forms_of(block)
        for stm in block.stms:
            for inner in blocks(stm.expr):
                self.learn(inner)

    def form(self, atom: Atom) -> Linear:
        """An integer, over what has no linear form itself."""
        return resolved(linear(atom, self.forms), self.forms)

    # Blocks.

    def block(self, block: Block, scope: Mapping[str, Var]) -> Block:
        """A block, with `scope` the variables from outside."""
        stms = [[stm] for stm in block.stms]
        users = {
            a: n
            for n, stm in enumerate(block.stms)
            for a in atoms(stm.expr)
            if isinstance(a, Var) and self.counts[a] == 1
        }
        before: dict[int, list[Stm]] = {}
        gone: set[int] = set()
        for n, stm in enumerate(block.stms):
            at = users.get(stm.outs[0]) if len(stm.outs) == 1 else None
            if at is not None and self.made(stm.expr):
                made = self.spared(stm, stms, at, users, _bound(block.stms[:at], scope))
                if made is not None:
                    before.setdefault(at, []).extend(made)
                    gone.add(n)
        return self.rebuilt(block, stms, before, gone, scope)

    def rebuilt(
        self, block: Block, stms: Sequence[Sequence[Stm]], before: Mapping[int, Sequence[Stm]],
        gone: set[int], scope: Mapping[str, Var],
    ) -> Block:  # fmt: skip
        """The block of `stms`, looked into; `before` come before those, `gone` have gone."""
        known = dict(scope)
        found: list[Stm] = []
        for n, new in enumerate(stms):
            found += before.get(n, ())
            for stm in new if n not in gone else ():
                inside = known | {v.name: v for v in binders(stm.expr)}
                inner = tuple(self.block(b, inside) for b in blocks(stm.expr))
                found.append(replace(stm, expr=with_blocks(stm.expr, inner)) if inner else stm)
            known.update((out.name, out) for stm in new for out in stm.outs)
        return replace(block, stms=tuple(found)) if found != list(block.stms) else block

    def made(self, expr: Expr) -> bool:
        """Whether it is an array of zeros of more than a few elements."""
        if not isinstance(expr, Prim) or expr.op not in ALL_ZEROS:
            return False
        sizes = [int(a.value) for a in expr.args if isinstance(a, Lit)]
        return len(sizes) < len(expr.args) or prod(sizes) > self.prims.costs.stack_elements

    def spared(
        self, zeros: Stm, stms: list[list[Stm]], at: int, users: Mapping[Var, int],
        known: Mapping[str, Var],
    ) -> list[Stm] | None:  # fmt: skip
        """What makes the array instead, just before what fills it, which changes in `stms`."""
        assert isinstance(zeros.expr, Prim)
        var, type_ = zeros.outs[0], zeros.outs[0].type
        array = _Array(zeros.expr.args, type_.dtype, zero=True)
        spans: list[_Span] = []
        place: int | None = at
        while place is not None and len(spans) < 2:
            found = self.filling(stms[place], var, array)
            if found is None or not found[0].over(known):
                break
            spans.append(found[0])
            stms[place], var = found[1:]
            array = replace(array, zero=False)
            place = users.get(var)
        if not spans:
            return None
        b = Builder(self.names, self.prims.result_types, zeros.prov)
        bounds: list[Atom] = []
        for span in spans:
            first, count = (evaluated(b, form, known) for form in (span.first, span.count))
            if span.count != self.form(array.dims[0]):  # an extent is not negative
                count = b.prim("imax", count, ilit(0))
            bounds += [first, count if first == ilit(0) else b.prim("add", first, count)]
        params = (("dtype", type_.dtype.value), ("rank", type_.rank))
        made = Prim("zeros_around", (*zeros.expr.args, *bounds), params)
        return [*b.stms, replace(zeros, expr=made)]

    def filling(
        self, stms: list[Stm], var: Var, array: _Array
    ) -> tuple[_Span, list[Stm], Var] | None:
        """The rows that a statement fills, the last of `stms`; what stands for it, and what the
        array is called then."""
        *before, stm = stms
        expr = stm.expr
        if isinstance(expr, For) and var in expr.inits:
            k = expr.inits.index(var)
            loop = self.filled(expr, k, array, frozenset(range(len(array.dims))))
            return loop and (loop[0], [*before, replace(stm, expr=loop[1])], stm.outs[k])
        if not isinstance(expr, Prim) or expr.op not in REPLACING or expr.args[0] != var:
            return None
        spec, places = dict(expr.params).get("spec"), expr.args[2:]
        if spec != "s" + "a" * (len(array.dims) - 1) or places[2] != ilit(1):
            return None
        stored = self.stored(stm, expr, array)
        span = _Span(self.form(places[0]), self.form(places[1]))
        return None if stored is None else (span, [*before, *stored], stm.outs[0])

    # Loops.

    def filled(
        self, loop: For, k: int, array: _Array, axes: frozenset[int]
    ) -> tuple[_Span, For] | None:
        """The rows that a loop writes before it reads them, where `axes` are left to cover, and the
        loop that does. All of the array has to be covered along axes other than the first."""
        accesses = accesses_of(loop, k, self.prims)
        if not accesses or loop.carried[k].type.is_bundle:
            return None
        for axis in axes:
            places = [a.places[axis] for a in accesses]
            forms = [self.form(p) for p in places if p is not None]
            if len(forms) < len(places) or any(one != other for one, other in pairwise(forms)):
                continue
            span = self.span(forms[0], loop)
            if span is None:
                continue
            partly = axis == 0 and len(axes) == len(array.dims)
            whole = span.first == Linear(0) and span.count == self.form(array.dims[axis])
            if not whole and not partly:
                continue
            body = self.body(loop, k, array, axes - {axis})
            return None if body is None else (span, replace(loop, body=body))
        return None

    def span(self, form: Linear, loop: For) -> _Span | None:
        """Where an index that moves by one in each iteration begins, and how far it goes."""
        step = form.terms.get(loop.index.name, 0)
        trips = self.form(loop.trips)
        rest = form.plus(Linear(0, {loop.index.name: 1}), -step)
        if step == 1:
            return _Span(rest, trips)
        return _Span(rest.plus(trips, -1).shift(1), trips) if step == -1 else None

    def body(self, loop: For, k: int, array: _Array, axes: frozenset[int]) -> Block | None:
        """The body, if it writes to the array in each iteration before anything else."""
        version = loop.carried[k]
        read: dict[Var, Atom] = {}
        for n, stm in enumerate(loop.body.stms):
            if version not in free_vars_expr(stm.expr):
                continue
            if array.zero and not axes and _reads(stm.expr):
                read[stm.outs[0]] = array.element
                continue
            first = self.first_write(stm, version, array, axes)
            if first is None:
                return None
            stms = (*loop.body.stms[:n], *first, *loop.body.stms[n + 1 :])
            kept = tuple(s for s in stms if read.keys().isdisjoint(s.outs))
            return substitute(Block(kept, loop.body.results), read)
        return None

    def first_write(
        self, stm: Stm, version: Var, array: _Array, axes: frozenset[int]
    ) -> list[Stm] | None:
        """What stands for a statement that writes what nothing has written yet."""
        expr = stm.expr
        if isinstance(expr, For) and axes and version in expr.inits:
            inner = self.filled(expr, expr.inits.index(version), array, axes)
            return None if inner is None else [replace(stm, expr=inner[1])]
        if not isinstance(expr, Prim) or expr.op not in REPLACING:
            return None
        spec = dict(expr.params).get("spec", "i" * len(array.dims))
        whole = "".join("a" if axis in axes else "i" for axis in range(len(array.dims)))
        return self.stored(stm, expr, array) if spec == whole else None

    def stored(self, stm: Stm, expr: Prim, array: _Array) -> list[Stm] | None:
        """A write to elements that nothing has written yet: the sum with what is there, stored."""
        store, params = REPLACING[expr.op]
        if store == expr.op:
            return [stm]
        if not array.zero:
            return None
        old, value, *places = expr.args
        b = Builder(self.names, self.prims.result_types, stm.prov)
        total = b.prim("add", array.element, value)
        kept = tuple(sorted({**dict(expr.params), **params}.items()))
        return [*b.stms, replace(stm, expr=Prim(store, (old, total, *places), kept))]


def _reads(expr: Expr) -> bool:
    """Whether it is an element that is there, and nothing else."""
    if not isinstance(expr, Prim) or expr.op != "index":
        return False
    return expr.param("checked") is False


def _bound(stms: Sequence[Stm], scope: Mapping[str, Var]) -> dict[str, Var]:
    """The variables that statements may mention that come after these."""
    return {**scope, **{out.name: out for stm in stms for out in stm.outs}}
