"""Jacobians: one program that runs through the basis of directions and fills a matrix.

The program's results are matrices (elements of one result leaf) x (elements of one argument leaf);
their final shape, result axes then argument axes, is put on outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrograd.api.derive import Entry, Task, argument_numbers, float_positions
from retrograd.errors import UserError
from retrograd.frontend.specs import LeafSpec, TupleSpec, leaf_types
from retrograd.ir.build import Builder
from retrograd.ir.terms import Atom, Call, For, Jvp, Var, Vjp, flit, ilit
from retrograd.ir.types import I64, DType, Type

__all__ = ["jacfwd_task", "jacrev_task"]

MATRIX = Type(DType.F64, 2)


def _size(b: Builder, atom: Atom) -> Atom:
    total: Atom = ilit(1)
    for dim in b.dims(atom):
        total = b.prim("mul", total, dim)
    return total


def _unit(b: Builder, like: Atom, k: Atom) -> Atom:
    """The k-th basis vector of the shape of `like`."""
    if like.type.is_scalar:
        return flit(1.0)
    return b.prim("unit", k, *b.dims(like), offset=0)


def _flat(b: Builder, atom: Atom) -> Atom:
    """The elements as one row."""
    if atom.type.is_scalar:
        return b.prim("array_of", atom, shape=(1,))
    if atom.type.rank == 1:
        return atom
    return b.prim("reshape", atom, _size(b, atom))


@dataclass(frozen=True, slots=True)
class _Setting:
    """The leaves that a Jacobian relates."""

    numbers: tuple[int, ...]
    wrt: tuple[int, ...]
    outs: tuple[int, ...]


def _setting(task: Task, argnums: int | tuple[int, ...]) -> _Setting:
    numbers = argument_numbers(task, argnums)
    outs = list(leaf_types(task.out))
    for type_ in outs:
        if not type_.is_float:
            raise UserError(
                "RG0304", f"a Jacobian needs results that are floats, not {type_}",
                task.main.prov.span, "return floats only, or convert with float(...)",
            )  # fmt: skip
    return _Setting(numbers, tuple(float_positions(task, numbers)), tuple(range(len(outs))))


def _result(task: Task, entry: Entry, sample: Sequence[Atom], matrices: Sequence[Atom]) -> Task:
    """Extra results are the extents of the innermost function's result leaves."""
    out = TupleSpec(tuple(LeafSpec(MATRIX) for _ in matrices))
    leaves = len(list(leaf_types(task.out)))
    extents = list(sample[leaves:])
    if not task.extra:
        extents = [dim for atom in sample[:leaves] for dim in entry.b.dims(atom)]
    made = entry.finish("jac", entry.params, [*matrices, *extents], out, task.args)
    return replace(made, extra=len(extents))


def jacfwd_task(task: Task, argnums: int | tuple[int, ...]) -> Task:
    """Matrices for each result leaf and, within it, each argument leaf, column by column."""
    setting, entry = _setting(task, argnums), Entry.around(task)
    sample = _call(entry)
    found: dict[tuple[int, int], Atom] = {}
    for position in setting.wrt:
        x = entry.params[position]
        columns = _size(entry.b, x)
        starts = [
            entry.b.prim("zeros", _size(entry.b, sample[k]), columns, dtype="f64")
            for k in setting.outs
        ]
        k = entry.names.var("k", I64)
        held = tuple(entry.names.var("jacobian", MATRIX) for _ in starts)
        body = entry.b.inner()
        tangents = tuple(
            _unit(body, p, k) if n == position else None for n, p in enumerate(entry.params)
        )
        floats = [n for n, t in enumerate(task.main.result_types) if t.is_float]
        types = [*task.main.result_types, *(task.main.result_types[n] for n in floats)]
        outs = body.bind(Jvp(task.main.name, entry.params, tangents), types, "y")
        dots = dict(zip(floats, outs[len(task.main.result_types) :], strict=True))
        new = [
            body.prim("update_slice", matrix, _flat(body, dots[n]), k, spec="ai")
            for matrix, n in zip(held, setting.outs, strict=True)
        ]
        loop = For(k, columns, held, tuple(starts), body.block(new), directions=True)
        for n, matrix in zip(
            setting.outs, entry.b.bind(loop, [MATRIX] * len(new), "jacobian"), strict=True
        ):
            found[n, position] = matrix
    matrices = [found[n, p] for n in setting.outs for p in setting.wrt]
    return _result(task, entry, sample, matrices)


def _call(entry: Entry) -> list[Var]:
    """One primal run, for the shapes of the results."""
    main = entry.task.main
    args = [a if a.type.is_scalar else entry.b.prim("copy", a) for a in entry.params]
    return list(entry.b.bind(Call(main.name, tuple(args)), main.result_types, "y"))


def jacrev_task(task: Task, argnums: int | tuple[int, ...]) -> Task:
    """The same matrices, row by row."""
    setting, entry = _setting(task, argnums), Entry.around(task)
    sample = _call(entry)
    main = task.main
    found: dict[tuple[int, int], Atom] = {}
    for n in setting.outs:
        rows = _size(entry.b, sample[n])
        starts = [
            entry.b.prim("zeros", rows, _size(entry.b, entry.params[p]), dtype="f64")
            for p in setting.wrt
        ]
        k = entry.names.var("k", I64)
        held = tuple(entry.names.var("jacobian", MATRIX) for _ in starts)
        body = entry.b.inner()
        cotangents = tuple(
            _unit(body, sample[n], k) if m == n else None for m in range(len(main.result_types))
        )
        types = [*main.result_types, *(main.params[p].type for p in setting.wrt)]
        outs = body.bind(Vjp(main.name, entry.params, cotangents, setting.wrt), types, "y")
        bars = outs[len(main.result_types) :]
        new = [
            body.prim("update_slice", matrix, _flat(body, bar), k, spec="ia")
            for matrix, bar in zip(held, bars, strict=True)
        ]
        loop = For(k, rows, held, tuple(starts), body.block(new), directions=True)
        for p, matrix in zip(
            setting.wrt, entry.b.bind(loop, [MATRIX] * len(new), "jacobian"), strict=True
        ):
            found[n, p] = matrix
    matrices = [found[n, p] for n in setting.outs for p in setting.wrt]
    return _result(task, entry, sample, matrices)
