"""Arrays whose extents are others in each iteration of a loop: slices of lengths that move, what is
chosen by a mask, what branches make.

As with lengths of lists (`retrograd.frontend.values.varying`), what is not known to differ is taken
for equal: arrays that a loop carries on keep their extents.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from retrograd.frontend.values.kinds import ArrayRef
from retrograd.frontend.values.tracer import Context, Tracer
from retrograd.frontend.values.varying import SUMS, Sum, changes, summands
from retrograd.frontend.values.views import At, New, Part, Whole
from retrograd.ir.build import Builder
from retrograd.ir.terms import (
    Atom,
    Block,
    Call,
    Expr,
    For,
    If,
    Jvp,
    Lit,
    Param,
    Prim,
    Stm,
    Var,
    Vjp,
    While,
    ilit,
)
from retrograd.prims.lengths import Along, Common, Length

__all__ = ["bend", "has_varying_shape", "have_other_shapes", "is_made_shorter"]

_KEPT = ("update", "update_slice", "copy")
"""Arrays with the extents of the first argument."""

_DEEPEST = 200

_GIVEN = "given"


def has_varying_shape(t: Tracer, array: ArrayRef) -> bool:
    """Whether an extent of an array is known to depend on the iteration of a loop around it."""
    bending = t.bending.union(*(own for *_, own in t.indices))
    if not t.indices and not bending:
        return False
    outermost = None if t.bending else t.indices[0][1]
    made: dict[Var, tuple[Expr, int]] = {}
    for builder in _around(t.b, outermost):
        _define(made, builder.stms)
    carried = frozenset(var for _, _, own, _ in t.indices for var in own)
    indices = frozenset(index for index, *_ in t.indices)
    search = _Search(t.ctx, indices, carried, made, bending)
    return any(map(search.extent, _extents(t, array)))


_Extent = Atom | tuple[Atom, int]
"""An extent of an array: a number, or that of a variable along an axis."""


def _extents(t: Tracer, array: ArrayRef) -> list[_Extent]:
    found: list[_Extent] = []
    axis = 0
    for entry in array.view or (Whole(),) * array.base.rank:
        match entry:
            case Part():
                found.append(entry.size)
            case New():
                found.append(ilit(1))
            case Whole():
                found.append((t.state.arrays[array.loc], axis))
            case At():
                pass
        axis += not isinstance(entry, New)
    return found


def is_made_shorter(t: Tracer, array: ArrayRef) -> bool:
    """Whether an extent of an array is known to be that of another with something taken away, or to
    be a number of the run."""
    for size in map(_Origins.of(t).extent, _extents(t, array)):
        if isinstance(size, Var):
            return True
        if isinstance(size, Sum) and any(var or number < 0 for var, number in size.items):
            return True
    return False


def have_other_shapes(t: Tracer, arrays: Sequence[ArrayRef]) -> bool:
    """Whether arrays are known to have extents that are not made in one way.

    Extents of arrays that the function is given are taken for equal.
    """
    search = _Origins.of(t)
    here = [array for array in arrays if array.loc in t.state.arrays]
    columns = zip(*(_extents(t, array) for array in here), strict=True)
    return any(len(set(map(search.extent, sizes))) > 1 for sizes in columns)


def _around(builder: Builder | None, outermost: Builder | None) -> Iterator[Builder]:
    while builder is not None:
        yield builder
        builder = None if builder is outermost else builder.outer


def _define(made: dict[Var, tuple[Expr, int]], stms: Sequence[Stm]) -> None:
    made.update((var, (stm.expr, k)) for stm in stms for k, var in enumerate(stm.outs))


@dataclass(slots=True)
class _Search:
    """`indices` are those of the loops, `carried` what they carry, `bending` arrays whose extents
    are known to be others each time; `same` are parameters of functions that are looked into, and
    what they are given; `inside` are the names of these functions."""

    ctx: Context
    indices: frozenset[Var]
    carried: frozenset[Var]
    made: dict[Var, tuple[Expr, int]]
    bending: frozenset[Var] = frozenset()
    same: dict[Var, Atom] = field(default_factory=dict[Var, Atom])
    depth: int = 0
    known: dict[tuple[Var, int], bool] = field(default_factory=dict[tuple[Var, int], bool])
    inside: set[str] = field(default_factory=set[str])

    def extent(self, size: _Extent) -> bool:
        return self.array(*size) if isinstance(size, tuple) else self.number(size)

    def number(self, atom: Atom) -> bool:
        """Whether a number may be another one in each iteration."""
        while atom in self.same:
            atom = self.same[atom]
        if isinstance(atom, Lit) or self.depth > _DEEPEST:
            return False
        if atom in self.indices or atom in self.carried or self.reaches(atom, self.bending, set()):
            return True
        if (found := self.made.get(atom)) is None:
            return False
        expr, _ = found
        if isinstance(expr, Prim) and expr.op == "dim":
            return self.array(expr.args[0], _as_int(expr.param("axis")))
        if (known := changes(atom, self.indices, self.carried, self.made)) is not None:
            return known
        match expr:
            case Prim() | Call():
                return self._any(expr.args)
            case If() | For() | While() | Jvp() | Vjp():
                return True

    def reaches(self, atom: Atom, targets: Collection[Var], seen: set[Var]) -> bool:
        """Whether a number is one of these, or made of such by operations and calls."""
        if not targets or isinstance(atom, Lit) or atom in seen:
            return False
        if atom in targets:
            return True
        seen.add(atom)
        found = self.made.get(atom)
        args = found[0].args if found and isinstance(found[0], Prim | Call) else ()
        return any(self.reaches(one, targets, seen) for one in args)

    def _any(self, atoms: tuple[Atom, ...]) -> bool:
        self.depth += 1
        found = any(map(self.number, atoms))
        self.depth -= 1
        return found

    def array(self, atom: Atom, axis: int) -> bool:
        """Whether an extent of an array may be another one in each iteration."""
        while atom in self.same:
            atom = self.same[atom]
        if atom in self.bending:
            return True
        if isinstance(atom, Lit) or self.depth > _DEEPEST or atom not in self.made:
            return False
        if (atom, axis) not in self.known:
            expr, k = self.made[atom]
            self.depth += 1
            self.known[atom, axis] = self._of(expr, k, axis)
            self.depth -= 1
        return self.known[atom, axis]

    def _of(self, expr: Expr, k: int, axis: int) -> bool:
        match expr:
            case Prim() if expr.op in _KEPT:
                return self.array(expr.args[0], axis)
            case Prim(op="array_of"):
                return False
            case Prim():
                lengths = self.ctx.prims[expr.op].facts.shape(expr.args, expr.params)
                if lengths is None:
                    return self._any(expr.args)
                return self.length(lengths[axis], expr.args)
            case For() | While():
                return self.array(expr.inits[k], axis)
            case If():
                return any(self._block(block, k, axis) for block in (expr.then, expr.orelse))
            case Call():
                function = self.ctx.functions.get(expr.function)
                if function is None or function.name in self.inside:
                    return False
                self.inside.add(function.name)
                self.same.update(zip(function.params, expr.args, strict=True))
                # What is known of its variables depends on its arguments.
                outer, self.known = self.known, {}
                varies = self._block(function.body, k, axis)
                self.known = outer
                self.inside.remove(function.name)
                return varies
            case Jvp() | Vjp():
                return False

    def _block(self, block: Block, k: int, axis: int) -> bool:
        _define(self.made, block.stms)
        return self.array(block.results[k], axis)

    def length(self, length: Length, args: tuple[Atom, ...]) -> bool:
        match length:
            case Along(operand, axis):
                return self.array(args[operand], axis)
            case Common(lengths):
                return any(self.length(one, args) for one in lengths)
            case Var():
                return self.number(length)
            case _:
                return False


@dataclass(frozen=True, slots=True)
class _Origins:
    """What extents are made of: `GIVEN` are those of arrays that are given, or made elsewhere."""

    ctx: Context
    made: Mapping[Var, tuple[Expr, int]]

    @classmethod
    def of(cls, t: Tracer) -> _Origins:
        """With all that is made where the program is."""
        made: dict[Var, tuple[Expr, int]] = {}
        for builder in _around(t.b, None):
            _define(made, builder.stms)
        return cls(t.ctx, made)

    def extent(self, size: _Extent) -> object:
        return self.array(*size) if isinstance(size, tuple) else self.number(size)

    def number(self, atom: Atom) -> object:
        """What a number is made of."""
        expr, _ = self.made.get(atom, (None, 0)) if isinstance(atom, Var) else (None, 0)
        if isinstance(expr, Prim) and expr.op == "dim":
            return self.array(expr.args[0], _as_int(expr.param("axis")))
        found = summands(atom, self.made)
        return atom if found is None else found if found.items else _GIVEN

    def array(self, atom: Atom, axis: int) -> object:
        """What an extent of an array is made of."""
        expr, _ = self.made.get(atom, (None, 0)) if isinstance(atom, Var) else (None, 0)
        if not isinstance(expr, Prim):
            return _GIVEN
        if expr.op in _KEPT:
            return self.array(expr.args[0], axis)
        if expr.op == "array_of":
            shape = expr.param("shape")
            assert isinstance(shape, tuple)
            return summands(ilit(_as_int(shape[axis])), self.made)
        lengths = self.ctx.prims[expr.op].facts.shape(expr.args, expr.params)
        return atom if lengths is None else self.length(lengths[axis], expr.args)

    def length(self, length: Length, args: tuple[Atom, ...]) -> object:
        match length:
            case Along(operand, axis):
                return self.array(args[operand], axis)
            case Common(lengths):
                found = frozenset(self.length(one, args) for one in lengths)
                return next(iter(found)) if len(found) == 1 else found
            case int():
                return summands(ilit(length), self.made)
            case Var() | Lit():
                return self.number(length)


def bend(
    ctx: Context, bending: set[int],
    ends: tuple[Var, Mapping[int, Atom], Mapping[Var, Atom]], stms: Sequence[Stm],
) -> bool:  # fmt: skip
    """Notes arrays, by location, that have other extents after a loop's body, which lists want to
    know; gives whether there are new ones.

    `ends` are the loop's index, the arrays at the beginning of the body, and what follows each
    variable that is carried.
    """
    index, arrays, after = ends
    if not ctx.way.lists:
        return False
    made: dict[Var, tuple[Expr, int]] = {}
    _define(made, stms)
    search = _Bends(ctx, frozenset((index,)), frozenset(after), made)
    new = False
    for loc, variable in arrays.items():
        end = after.get(variable) if isinstance(variable, Var) else None
        if loc in bending or end is None or end == variable:
            continue
        if any(search.array(end, axis) for axis in range(end.type.rank)):
            bending.add(loc)
            new = True
    return new


@dataclass(slots=True)
class _Bends(_Search):
    """As above, of arrays at the end of an iteration: their extents move, too, if they are those of
    the beginning with something added, or a part of these."""

    def number(self, atom: Atom) -> bool:
        if _Search.number(self, atom):
            return True
        known = isinstance(atom, Lit) or atom not in self.made
        return not known and self.reaches(atom, self.carried, set()) and self._added(atom) != 0

    def _added(self, atom: Atom) -> int | None:
        """What is added to the extents of the beginning; None where it is no sum."""
        if isinstance(atom, Lit):
            return int(atom.value)
        if (found := self.made.get(atom)) is None:
            return 0
        expr, _ = found
        if not isinstance(expr, Prim):
            return None
        if expr.op == "dim":
            return None if self.array(expr.args[0], _as_int(expr.param("axis"))) else 0
        if expr.op in SUMS:
            one, two = map(self._added, expr.args)
            return None if one is None or two is None else one + SUMS[expr.op] * two
        if expr.op in ("imin", "imax"):
            known = [self._added(one) for one in expr.args if not isinstance(one, Lit)]
            return min((one for one in known if one is not None), default=None)
        return None


def _as_int(param: Param) -> int:
    assert isinstance(param, int)
    return param
