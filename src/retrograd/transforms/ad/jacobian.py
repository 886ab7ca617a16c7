"""Jacobians: loops over the basis of directions, in the typed language.

Each leaf of the results and each leaf of the arguments has a matrix, (elements of the one) x
(elements of the other). Leaves that are arrays have a loop of their own each; those that are
numbers share one. The loops are marked `directions`: as a rule they run many directions at once
(`retrograd.transforms.batch`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, For, Jvp, Var, Vjp, ilit
from retrograd.ir.types import I64, DType, Type

__all__ = ["MATRIX", "Node", "forward_matrices", "in_shape", "reverse_matrices"]

MATRIX = Type(DType.F64, 2)

Matrices = dict[tuple[int, int], Atom]
"""By position of the result and of the argument."""


@dataclass(frozen=True, slots=True)
class Node:
    """What is differentiated: a function at these arguments, whose results are `values` there.

    `outs` and `wrt` are the positions of the results and arguments that are related. `policy` is
    that of the reverse mode of each row.
    """

    function: str
    args: tuple[Atom, ...]
    values: tuple[Atom, ...]
    outs: tuple[int, ...]
    wrt: tuple[int, ...]
    policy: str | None = None

    @property
    def types(self) -> list[Type]:
        return [v.type for v in self.values]


def _size(b: Builder, atom: Atom) -> Atom:
    """The number of elements."""
    total: Atom = ilit(1)
    for dim in b.dims(atom):
        total = b.mul(total, dim) if total != ilit(1) else dim
    return total


def _flat(b: Builder, atom: Atom) -> Atom:
    """The elements as one row."""
    if atom.type.is_scalar:
        return b.prim("array_of", atom, shape=(1,))
    if atom.type.rank == 1:
        return atom
    return b.prim("reshape", atom, _size(b, atom))


def _groups(atoms: Sequence[Atom], positions: Sequence[int]) -> list[list[int]]:
    """What shares a loop: the scalars together, each array alone."""
    scalars = [k for k in positions if atoms[k].type.is_scalar]
    arrays = [[k] for k in positions if not atoms[k].type.is_scalar]
    return ([scalars] if scalars else []) + arrays


@dataclass(frozen=True, slots=True)
class _Group:
    """Leaves whose basis vectors one loop runs through, and how many there are."""

    members: tuple[int, ...]
    count: Atom

    @staticmethod
    def of(b: Builder, members: Sequence[int], atoms: Sequence[Atom]) -> _Group:
        first = atoms[members[0]]
        count = ilit(len(members)) if first.type.is_scalar else _size(b, first)
        return _Group(tuple(members), count)

    def units(self, b: Builder, k: Var, atoms: Sequence[Atom]) -> tuple[Atom | None, ...]:
        """The k-th basis vector: one value for each member, None for what is no member."""
        return tuple(
            b.prim("unit", k, *b.dims(a), offset=self.members.index(n))
            if n in self.members
            else None
            for n, a in enumerate(atoms)
        )

    def loop(
        self, b: Builder, body: Builder, k: Var, parts: Sequence[Atom], starts: Sequence[Atom],
        spec: str,
    ) -> list[Atom]:  # fmt: skip
        """Binds the loop whose body makes `parts`, one for each matrix that starts as zeros."""
        held = tuple(b.names.var("jacobian", MATRIX) for _ in starts)
        new = [
            body.prim("update_slice", matrix, _flat(body, part), k, spec=spec)
            for matrix, part in zip(held, parts, strict=True)
        ]
        loop = For(k, self.count, held, tuple(starts), body.block(new), directions=True)
        return list(b.bind(loop, [MATRIX] * len(new), "jacobian"))

    def part(self, b: Builder, matrix: Atom, member: int, spec: str) -> Atom:
        """A member's own column or row of the matrix of a group of numbers."""
        if len(self.members) == 1:
            return matrix
        return b.prim(
            "slice", matrix, ilit(self.members.index(member)), ilit(1), ilit(1), spec=spec
        )


def forward_matrices(b: Builder, node: Node) -> Matrices:
    """The matrices column by column, each column a tangent in one direction."""
    found: Matrices = {}
    rows = {n: _size(b, node.values[n]) for n in node.outs}
    floats = [n for n, t in enumerate(node.types) if t.is_float]
    for members in _groups(node.args, node.wrt):
        group = _Group.of(b, members, node.args)
        starts = [b.prim("zeros", rows[n], group.count, dtype="f64") for n in node.outs]
        k, body = b.names.var("k", I64), b.inner()
        jvp = Jvp(node.function, node.args, group.units(body, k, node.args))
        types = [*node.types, *(node.types[n] for n in floats)]
        outs = body.bind(jvp, types, "y")
        dots = dict(zip(floats, outs[len(node.types) :], strict=True))
        columns = group.loop(b, body, k, [dots[n] for n in node.outs], starts, "ai")
        for n, matrix in zip(node.outs, columns, strict=True):
            for p in members:
                found[n, p] = group.part(b, matrix, p, "as")
    return found


def reverse_matrices(b: Builder, node: Node) -> Matrices:
    """The matrices row by row, each row the cotangents of one element of a result."""
    found: Matrices = {}
    columns = {p: _size(b, node.args[p]) for p in node.wrt}
    for members in _groups(node.values, node.outs):
        group = _Group.of(b, members, node.values)
        starts = [b.prim("zeros", group.count, columns[p], dtype="f64") for p in node.wrt]
        k, body = b.names.var("k", I64), b.inner()
        vjp = Vjp(
            node.function, node.args, group.units(body, k, node.values), node.wrt, node.policy
        )
        types = [*node.types, *(node.args[p].type for p in node.wrt)]
        bars = body.bind(vjp, types, "y")[len(node.types) :]
        rows = group.loop(b, body, k, bars, starts, "ia")
        for p, matrix in zip(node.wrt, rows, strict=True):
            for n in members:
                found[n, p] = group.part(b, matrix, n, "sa")
    return found


def in_shape(b: Builder, matrix: Atom, value: Atom, arg: Atom) -> Atom:
    """A matrix as an array with the axes of the result, then those of the argument."""
    dims = (*b.dims(value), *b.dims(arg))
    if not dims:
        return b.prim("index", matrix, ilit(0), ilit(0), checked=False, span=None)
    if value.type.rank == arg.type.rank == 1:
        return matrix
    return b.prim("reshape", matrix, *dims)
