"""The tasks of `jacfwd` and `jacrev`.

Where no derivative has more than three axes, the task's results are arranged as users see them, and
it is a function like any other. Otherwise its results are matrices (elements of one result leaf) x
(elements of one argument leaf), whose final shape is put on outside (`api.compile.shapes`).
"""

from __future__ import annotations

from dataclasses import replace

from retrograd.api.compile.derive import (
    Entry,
    Task,
    argument_numbers,
    distinct,
    float_positions,
    refuse_complex,
)
from retrograd.api.compile.shapes import arranged
from retrograd.errors import UserError
from retrograd.frontend.identity.flattening import leaf_types
from retrograd.frontend.identity.specs import ArgSpec, LeafSpec, TupleSpec
from retrograd.ir.terms import Atom, Call
from retrograd.ir.types import MAX_RANK
from retrograd.options.checkpointing import Checkpointing, policy_name
from retrograd.transforms.ad.jacobian import (
    MATRIX,
    Node,
    forward_matrices,
    in_shape,
    reverse_matrices,
)

__all__ = ["jacobian_task", "stays_small"]


def stays_small(task: Task, argnums: int | tuple[int, ...]) -> bool:
    """Whether every derivative has a rank that the language has."""
    wrt = float_positions(task, argument_numbers(argnums))
    most = max((task.main.params[p].type.rank for p in wrt), default=0)
    return all(t.rank + most <= MAX_RANK for t in leaf_types(task.out))


def jacobian_task(
    task: Task, argnums: int | tuple[int, ...], forward: bool, in_matrices: bool,
    way: Checkpointing | None = None,
) -> Task:  # fmt: skip
    """The Jacobian of a task, column by column (`forward`) or row by row.

    `way` is how the reverse mode of each row is paid for. With `in_matrices`, extra results are the
    extents of the innermost function's result leaves.
    """
    entry = Entry.around(task)
    node, numbers = _node(task, entry, argnums, way)
    found = (forward_matrices if forward else reverse_matrices)(entry.b, node)
    wanted = [p for k in numbers for p in task.float_positions(k)]
    pairs = [(n, p) for n in node.outs for p in wanted]
    if in_matrices:
        results = [found[pair] for pair in pairs]
        out: ArgSpec = TupleSpec(tuple(LeafSpec(MATRIX) for _ in pairs))
        extents = list(node.values[len(node.outs) :])
        if not task.extra:
            extents = [dim for n in node.outs for dim in entry.b.dims(node.values[n])]
    else:
        results = [in_shape(entry.b, found[n, p], node.values[n], node.args[p]) for n, p in pairs]
        out, extents = arranged(task.trees, (argnums,)), []
    results = distinct(entry.b, results)
    made = entry.finish("jac", entry.params, [*results, *extents], out, task.args)
    return replace(made, extra=len(extents))


def _node(
    task: Task, entry: Entry, argnums: int | tuple[int, ...], way: Checkpointing | None
) -> tuple[Node, tuple[int, ...]]:
    """What is related, and the argument numbers in the user's order."""
    leaves = list(leaf_types(task.out))
    refuse_complex(task, task.out, "the result")
    for type_ in leaves:
        if not type_.is_float:
            raise UserError(
                "RG0304", f"a Jacobian needs results that are floats, not {type_}",
                task.main.prov.span, "return floats only, or convert with float(...)",
            )  # fmt: skip
    numbers = argument_numbers(argnums)
    wrt = tuple(dict.fromkeys(float_positions(task, numbers)))
    outs = tuple(range(len(leaves)))
    policy = policy_name(way)
    return Node(task.main.name, entry.params, _values(entry), outs, wrt, policy), numbers


def _values(entry: Entry) -> tuple[Atom, ...]:
    """One primal run, for the shapes of the results; it goes where they are numbers."""
    main = entry.task.main
    args = tuple(a if a.type.is_scalar else entry.b.prim("copy", a) for a in entry.params)
    return entry.b.bind(Call(main.name, args), main.result_types, "y")
