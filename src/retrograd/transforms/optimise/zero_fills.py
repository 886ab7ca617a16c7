"""Dead stores of zeros: an array that a loop fills is cleared only where the loop does not write.

    x = zeros(n)                          x = zeros_around(n, lo, lo + trips)
    y = for i < trips with (x):           y = for i < trips with (x):
        add_at(x, v, lo + i)                  update(x, 0 + v, lo + i)

The first access of each iteration is to the element, or to the whole row, that is its own: what it
finds there is zero, so it stores a sum with zero instead of adding. A second loop that only
replaces elements, and that alone goes on with the array, spares its own part as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import prod

from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Block, Expr, For, Function, Lit, Prim, Program, Stm, Var
from retrograd.ir.traverse import binders, blocks, free_vars_expr, mentions, substitute, with_blocks
from retrograd.ir.types import DType
from retrograd.prims.core import PrimitiveSet
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
    """Rows that a loop fills, `trips` of them from `first` on, and the loop that does."""

    first: Linear
    trips: Linear
    loop: For


@dataclass(frozen=True, slots=True)
class _Array:
    """The array that a loop may fill: its extents, and whether it is zero so far."""

    dims: tuple[Atom, ...]
    dtype: DType
    zero: bool


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
        stms = list(block.stms)
        users = {
            init: (n, k)
            for n, stm in enumerate(stms)
            if isinstance(stm.expr, For)
            for k, init in enumerate(stm.expr.inits)
            if isinstance(init, Var) and self.counts[init] == 1
        }
        before: dict[int, list[Stm]] = {}
        gone: set[int] = set()
        for n, stm in enumerate(block.stms):
            at = users.get(stm.outs[0]) if len(stm.outs) == 1 else None
            if at is not None and self.made(stm.expr):
                made = self.spared(stm, stms, at, users, _bound(block.stms[: at[0]], scope))
                if made is not None:
                    before.setdefault(at[0], []).extend(made)
                    gone.add(n)
        return self.rebuilt(block, stms, before, gone, scope)

    def rebuilt(
        self, block: Block, stms: Sequence[Stm], before: Mapping[int, Sequence[Stm]],
        gone: set[int], scope: Mapping[str, Var],
    ) -> Block:  # fmt: skip
        """The block of `stms`, looked into; `before` come before those, `gone` have gone."""
        known = dict(scope)
        found: list[Stm] = []
        for n, stm in enumerate(stms):
            found += before.get(n, ())
            if inner := blocks(stm.expr):
                inside = known | {v.name: v for v in binders(stm.expr)}
                new = tuple(self.block(b, inside) for b in inner)
                stm = replace(stm, expr=with_blocks(stm.expr, new))
            if n not in gone:
                found.append(stm)
            known.update((out.name, out) for out in stm.outs)
        return replace(block, stms=tuple(found)) if gone or found != list(stms) else block

    def made(self, expr: Expr) -> bool:
        """Whether it is an array of zeros of more than a few elements."""
        if not isinstance(expr, Prim) or expr.op not in ALL_ZEROS:
            return False
        sizes = [int(a.value) for a in expr.args if isinstance(a, Lit)]
        return len(sizes) < len(expr.args) or prod(sizes) > self.prims.costs.stack_elements

    def spared(
        self, zeros: Stm, stms: list[Stm], at: tuple[int, int],
        users: Mapping[Var, tuple[int, int]], known: Mapping[str, Var],
    ) -> list[Stm] | None:  # fmt: skip
        """What makes the array instead, just before its loop, which changes in `stms`."""
        assert isinstance(zeros.expr, Prim)
        type_ = zeros.outs[0].type
        array = _Array(zeros.expr.args, type_.dtype, zero=True)
        spans: list[_Span] = []
        place: tuple[int, int] | None = at
        while place is not None and len(spans) < 2:
            n, k = place
            stm = stms[n]
            assert isinstance(stm.expr, For)
            span = self.filled(stm.expr, k, array, frozenset(range(type_.rank)))
            if span is None or not all(
                str(u) in known for form in (span.first, span.trips) for u in form.terms
            ):
                break
            stms[n] = replace(stm, expr=span.loop)
            spans.append(span)
            array = replace(array, zero=False)
            place = users.get(stm.outs[k])
        if not spans:
            return None
        b = Builder(self.names, self.prims.result_types, zeros.prov)
        bounds: list[Atom] = []
        for span in spans:
            ends = (span.first, span.first.plus(span.trips))
            bounds += [evaluated(b, form, known) for form in ends]
        params = (("dtype", type_.dtype.value), ("rank", type_.rank))
        made = Prim("zeros_around", (*zeros.expr.args, *bounds), params)
        return [*b.stms, replace(zeros, expr=made)]

    # Loops.

    def filled(self, loop: For, k: int, array: _Array, axes: frozenset[int]) -> _Span | None:
        """The rows that a loop writes before it reads them, where `axes` are left to cover.

        All of it has to be covered along axes other than the first.
        """
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
            whole = span.first == Linear(0) and span.trips == self.form(array.dims[axis])
            if not whole and not partly:
                continue
            body = self.body(loop, k, array, axes - {axis})
            return None if body is None else replace(span, loop=replace(loop, body=body))
        return None

    def span(self, form: Linear, loop: For) -> _Span | None:
        """Where an index that moves by one in each iteration begins, and how far it goes."""
        step = form.terms.get(loop.index.name, 0)
        trips = self.form(loop.trips)
        rest = form.plus(Linear(0, {loop.index.name: 1}), -step)
        if step == 1:
            return _Span(rest, trips, loop)
        return _Span(rest.plus(trips, -1).shift(1), trips, loop) if step == -1 else None

    def body(self, loop: For, k: int, array: _Array, axes: frozenset[int]) -> Block | None:
        """The body, if it writes to the array in each iteration before anything else."""
        version = loop.carried[k]
        zero = Lit(_ZERO[array.dtype], version.type.element)
        read: dict[Var, Atom] = {}
        for n, stm in enumerate(loop.body.stms):
            if version not in free_vars_expr(stm.expr):
                continue
            if array.zero and not axes and self.reads(stm.expr):
                read[stm.outs[0]] = zero
                continue
            first = self.first_write(stm, version, array, axes, zero)
            if first is None:
                return None
            stms = (*loop.body.stms[:n], *first, *loop.body.stms[n + 1 :])
            kept = tuple(s for s in stms if read.keys().isdisjoint(s.outs))
            return substitute(Block(kept, loop.body.results), read)
        return None

    def reads(self, expr: Expr) -> bool:
        """Whether it is an element that is there, and nothing else."""
        if not isinstance(expr, Prim) or expr.op != "index":
            return False
        return expr.param("checked") is False

    def first_write(
        self, stm: Stm, version: Var, array: _Array, axes: frozenset[int], zero: Lit
    ) -> list[Stm] | None:
        """What stands for a statement that writes what nothing has written yet."""
        expr = stm.expr
        if isinstance(expr, For) and axes and version in expr.inits:
            inner = self.filled(expr, expr.inits.index(version), array, axes)
            return None if inner is None else [replace(stm, expr=inner.loop)]
        if not isinstance(expr, Prim) or axes:
            return None
        if expr.op == "update":
            return [stm]
        if expr.op != "add_at" or not array.zero:
            return None
        old, value, *places = expr.args
        b = Builder(self.names, self.prims.result_types, stm.prov)
        total = b.prim("add", zero, value)
        params = (("checked", False), ("span", None))
        return [*b.stms, replace(stm, expr=Prim("update", (old, total, *places), params))]


def _bound(stms: Sequence[Stm], scope: Mapping[str, Var]) -> dict[str, Var]:
    """The variables that statements may mention that come after these."""
    return {**scope, **{out.name: out for stm in stms for out in stm.outs}}
