"""`jacfwd`, `jacrev` and `hessian` inside programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from retrograd.frontend.derivatives.arguments import (
    Target,
    by_position,
    numbered,
    positions,
)
from retrograd.frontend.derivatives.intrinsics import target
from retrograd.frontend.derivatives.leaves import like
from retrograd.frontend.identity.flattening import leaf_types
from retrograd.frontend.identity.specs import ArgSpec, DictSpec, LeafSpec, StaticSpec, TupleSpec
from retrograd.frontend.values.kinds import Static, Transform, TupleValue, Value
from retrograd.frontend.values.tracer import Tracer
from retrograd.frontend.values.trees import of_spec
from retrograd.ir.terms import Atom, Call
from retrograd.ir.types import MAX_RANK
from retrograd.options.checkpointing import policy_name
from retrograd.transforms.ad.jacobian import Node, forward_matrices, in_shape, reverse_matrices

__all__ = ["apply_jacobian"]


def apply_jacobian(
    t: Tracer, fun: Transform, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """A call of a Jacobian, or of the Jacobian of one."""
    if fun.kind == "hessian":
        inner = replace(fun, kind="jacrev")
        fun = replace(fun, kind="jacfwd", fun=inner)
    args, kwargs = by_position(fun, args, kwargs)
    argnums = numbered(t, fun, args)
    found = target(t, fun.fun, args, kwargs)
    wrt = positions(t, fun, found, argnums, args)
    node = _node(t, fun, found, tuple(dict.fromkeys(wrt)))
    matrices = (forward_matrices if fun.kind == "jacfwd" else reverse_matrices)(t.b, node)

    def leaf(n: int) -> Value:
        atoms: Iterator[Atom] = iter(
            [in_shape(t.b, matrices[n, p], node.values[n], node.args[p]) for p in wrt]
        )
        parts = tuple(like(t, args[k], atoms) for k in argnums)
        return TupleValue(parts) if isinstance(fun.argnums, tuple) else parts[0]

    return _arranged(found.pure.output, [leaf(n) for n in node.outs])


def _node(t: Tracer, fun: Transform, found: Target, wrt: tuple[int, ...]) -> Node:
    """What is related, with one run of the function for the shapes of its results."""
    leaves = list(leaf_types(found.pure.output))
    most = max((found.atoms[p].type.rank for p in wrt), default=0)
    for type_ in leaves:
        if not type_.is_float:
            raise t.error(
                "RG0115", f"{fun.kind} of a function that returns {type_}",
                "return floats only, or convert with float(...)",
            )  # fmt: skip
        if type_.rank + most > MAX_RANK:
            raise t.error(
                "RG0115", f"{fun.kind} would have {type_.rank + most} axes inside a program",
                f"arrays have {MAX_RANK} axes at most: reshape to fewer, or call it outside",
            )  # fmt: skip
    copies = (a if a.type.is_scalar else t.prim("copy", a) for a in found.atoms)
    types = found.pure.function.result_types
    values = t.b.bind(Call(found.name, tuple(copies)), types, "y")
    policy = policy_name(fun.way)
    return Node(found.name, found.atoms, values, tuple(range(len(leaves))), wrt, policy)


def _arranged(spec: ArgSpec, leaves: list[Value]) -> Value:
    match spec:
        case LeafSpec():
            return leaves.pop(0)
        case TupleSpec() | DictSpec():
            return of_spec(spec, tuple(_arranged(s, leaves) for s in spec.items))
        case _:
            return Static(spec.obj if isinstance(spec, StaticSpec) else None)
