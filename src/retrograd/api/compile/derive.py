"""Programs whose entry computes a derivative of another program's entry.

Each function here takes a `Task` (a program with the trees of its inputs and outputs) and gives the
task of the derivative. Derivatives are nodes of the language, so tasks compose: the gradient of a
gradient is one more entry around the one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrograd.api.compile.artefact import Trees
from retrograd.api.compile.known import known
from retrograd.api.compile.shapes import describe
from retrograd.errors import UserError
from retrograd.frontend.identity.flattening import (
    cotangent_specs,
    has_complex,
    leaf_types,
    mapped,
)
from retrograd.frontend.identity.specs import ArgSpec, LeafSpec, StaticSpec, TupleSpec
from retrograd.ir.build import Builder
from retrograd.ir.names import NameSupply
from retrograd.ir.terms import Atom, Function, Jvp, Program, Var, Vjp, flit
from retrograd.ir.traverse import supply_for
from retrograd.ir.types import F64, Type
from retrograd.options.checkpointing import Checkpointing, policy_name

__all__ = [
    "Entry", "Task", "argument_numbers", "distinct", "float_positions", "grad_task", "jvp_task",
    "product_task", "pullback_task", "refuse_complex",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Task:
    """A program and what its entry's parameters and results mean.

    Parameters: the leaves of `args`, then hidden arguments. Results: the leaves of `out`, then
    `extra` more (final versions of arrays that the function writes).
    """

    program: Program
    args: tuple[ArgSpec, ...]
    out: ArgSpec
    extra: int = 0

    @property
    def main(self) -> Function:
        return self.program.main

    @property
    def trees(self) -> Trees:
        """What calls need to know of it."""
        return Trees(self.args, self.out, self.extra)

    def leaf_positions(self, argnum: int) -> range:
        """The parameters that argument `argnum` became."""
        return self.trees.leaf_positions(argnum)

    def float_positions(self, argnum: int) -> list[int]:
        """Those of them that have derivatives."""
        return self.trees.float_positions(argnum)


@dataclass(slots=True)
class Entry:
    """A new entry function around the task's own, under construction."""

    task: Task
    names: NameSupply
    b: Builder
    params: tuple[Var, ...]

    @staticmethod
    def around(task: Task) -> Entry:
        names = supply_for(task.program)
        b = Builder(names, known().result_types, task.main.prov)
        return Entry(task, names, b, tuple(names.var(p.name, p.type) for p in task.main.params))

    def finish(
        self, kind: str, params: Sequence[Var], results: Sequence[Atom], out: ArgSpec,
        args: tuple[ArgSpec, ...],
    ) -> Task:  # fmt: skip
        name = self.names.name(f"{kind}_{self.task.program.entry}")
        main = self.task.main
        own = {old.name: new.name for old, new in zip(main.params, self.params, strict=True)}
        alike = tuple((own[param], numbers) for param, numbers in main.alike)
        block = self.b.block(results)
        entry = Function(name, tuple(params), block, None, main.prov, alike=alike)
        program = Program((*self.task.program.functions, entry), name)
        return Task(program, args, out)


def argument_numbers(argnums: int | tuple[int, ...]) -> tuple[int, ...]:
    """One or several positions as several."""
    return (argnums,) if isinstance(argnums, int) else argnums


def float_positions(task: Task, argnums: Sequence[int]) -> list[int]:
    """The parameters that are differentiated: all floats of these arguments.

    An argument that is None has none, and stands beside others only.
    """
    wrt: list[int] = []
    for k in argnums:
        refuse_complex(task, task.args[k], f"argument {k}")
        positions = task.leaf_positions(k)
        if not positions and task.args[k] == StaticSpec(None) and len(argnums) > 1:
            continue
        if not positions:
            raise UserError(
                "RG0302", f"argument {k} holds no number that could be differentiated",
                task.main.prov.span, "choose another argument with argnums",
            )  # fmt: skip
        floats = task.float_positions(k)
        if not floats:
            raise UserError(
                "RG0302", f"argument {k} is of type {describe(task.args[k])}; derivatives need "
                "floats", task.main.prov.span,
                "pass a float or a float64 array (for example 2.0 for 2)",
            )  # fmt: skip
        wrt += floats
    if not wrt:
        raise UserError(
            "RG0302", "all arguments that are differentiated are None" if argnums
            else "argnums names no argument",
            task.main.prov.span, "choose another argument with argnums",
        )  # fmt: skip
    return wrt


def refuse_complex(task: Task, spec: ArgSpec, what: str) -> None:
    """UserError where an argument that is differentiated, or a result, is complex: derivatives are
    those of real numbers, and there is more than one convention for others."""
    if has_complex(spec):
        raise UserError(
            "RG0302" if what.startswith("argument") else "RG0303",
            f"{what} is of type {describe(spec)}; derivatives are those of real numbers",
            task.main.prov.span, "pass and return real and imaginary parts: a + 1j * b, z.real",
        )  # fmt: skip


def _scalar_output(task: Task, has_aux: bool) -> tuple[ArgSpec, ArgSpec | None]:
    out, aux = task.out, None
    if has_aux:
        with_aux(task)
        assert isinstance(out, TupleSpec)
        out, aux = out.items
    if out != LeafSpec(F64):
        raise UserError(
            "RG0303", f"a gradient needs a function that returns one float, not {describe(out)}",
            task.main.prov.span, "reduce the result to a scalar, or use jacrev or jacfwd",
        )  # fmt: skip
    return out, aux


def grad_task(
    task: Task, argnums: int | tuple[int, ...], has_aux: bool, with_value: bool,
    way: Checkpointing | None,
) -> Task:  # fmt: skip
    """`grad` or `value_and_grad`: results are arranged as JAX arranges them."""
    numbers = argument_numbers(argnums)
    wrt = float_positions(task, numbers)
    value, aux = _scalar_output(task, has_aux)
    entry = Entry.around(task)
    main = task.main
    cotangents: list[Atom | None] = [None] * len(main.body.results)
    cotangents[0] = flit(1.0)
    node = Vjp(main.name, entry.params, tuple(cotangents), tuple(wrt), policy_name(way))
    types = [*main.result_types, *(main.params[k].type for k in wrt)]
    outs = entry.b.bind(node, types, "y")
    count = len(main.body.results)
    bars = dict(zip(wrt, outs[count:], strict=True))
    trees = cotangent_specs(task.args, numbers)
    grads: ArgSpec = trees[0] if isinstance(argnums, int) else TupleSpec(trees)
    flat = [bars[p] for k in numbers for p in task.float_positions(k)]
    n_aux = len(list(leaf_types(aux))) if aux is not None else 0
    rest = list(outs[1 : 1 + n_aux])
    if with_value:
        first: ArgSpec = value if aux is None else TupleSpec((value, aux))
        results, out = [outs[0], *rest, *flat], TupleSpec((first, grads))
    elif aux is not None:
        results, out = [*flat, *rest], TupleSpec((grads, aux))
    else:
        results, out = flat, grads
    return entry.finish("grad", entry.params, distinct(entry.b, results), out, task.args)


def distinct(b: Builder, results: Sequence[Atom]) -> list[Atom]:
    """An array that is returned twice is copied, so that each result has its own."""
    seen: set[Atom] = set()
    found: list[Atom] = []
    for atom in results:
        if atom in seen and not atom.type.is_scalar:
            atom = b.prim("copy", atom)
        seen.add(atom)
        found.append(atom)
    return found


def float_leaves(types: Sequence[Type]) -> list[int]:
    return [k for k, t in enumerate(types) if t.is_float]


def with_aux(task: Task) -> int:
    """How many of the leaves of a pair (value, aux) are those of the value."""
    out = task.out
    if not (isinstance(out, TupleSpec) and len(out.items) == 2):
        raise UserError(
            "RG0303", "with has_aux=True the function must return a pair (value, aux)",
            task.main.prov.span, "return exactly two things, what is differentiated first",
        )  # fmt: skip
    return len(list(leaf_types(out.items[0])))


def product_task(task: Task, product: str) -> Task:
    """The task of a product with the Jacobian: "jvp" or "vjp", of a pair "jvp aux" or "vjp aux".

    With "value" it is that of the function itself, which does not change its arguments.
    """
    kind, _, aux = product.partition(" ")
    if kind == "value":
        return task
    own = with_aux(task) if aux else None
    return jvp_task(task) if kind == "jvp" else pullback_task(task, own)


def jvp_task(task: Task) -> Task:
    """Arguments: primals, then tangents (of the same tree; those of non-floats are not read).

    Results that are beyond the tree (`extra`) stay at the end.
    """
    entry = Entry.around(task)
    main = task.main
    count = sum(len(list(leaf_types(a))) for a in task.args)
    dots = tuple(entry.names.var("dot", p.type) for p in entry.params[:count])
    tangents = tuple(
        dots[k] if k < count and p.type.is_float else None for k, p in enumerate(entry.params)
    )
    floats = float_leaves(main.result_types)
    types = [*main.result_types, *(main.result_types[k] for k in floats)]
    outs = entry.b.bind(Jvp(main.name, entry.params, tangents), types, "y")
    found = dict(zip(floats, outs[len(main.result_types) :], strict=True))
    leaves = len(list(leaf_types(task.out)))
    y = list(outs[:leaves])
    y_dot: list[Atom] = [found.get(k, flit(0.0)) for k in range(leaves)]
    params = (*entry.params[:count], *dots, *entry.params[count:])
    out = TupleSpec((task.out, _floats_only(task.out)))
    rest = outs[leaves : leaves + task.extra]
    made = entry.finish("jvp", params, [*y, *y_dot, *rest], out, (*task.args, *task.args))
    return replace(made, extra=task.extra)


def _floats_only(spec: ArgSpec) -> ArgSpec:
    """The tree of tangents: a leaf without one is a float zero."""

    def leaf(one: LeafSpec | StaticSpec) -> ArgSpec:
        return LeafSpec(F64) if isinstance(one, LeafSpec) and not one.type.is_float else one

    return mapped(spec, leaf)


def pullback_task(
    task: Task, own: int | None = None, wanted: Sequence[int] | None = None
) -> Task:  # fmt: skip
    """Arguments: primals, then cotangents of the results; results: those of the float arguments.

    With `own` only so many leaves of the results have cotangents; those of the others are not read.
    With `wanted` only the parameters at these positions are differentiated.
    """
    entry = Entry.around(task)
    main = task.main
    for k, arg in enumerate(task.args):
        refuse_complex(task, arg, f"argument {k}")
    if own is None:
        refuse_complex(task, task.out, "the result")
    elif isinstance(task.out, TupleSpec):
        refuse_complex(task, task.out.items[0], "the result")
    count = sum(len(list(leaf_types(a))) for a in task.args)
    leaves = len(list(leaf_types(task.out)))
    bars = tuple(entry.names.var("bar", t) for t in main.result_types[:leaves])
    cotangents: list[Atom | None] = [
        bars[k] if k < (leaves if own is None else own) and t.is_float else None
        for k, t in enumerate(main.result_types)
    ]
    floats = tuple(k for k in range(count) if main.params[k].type.is_float)
    wrt = floats if wanted is None else tuple(wanted)
    types = [*main.result_types, *(main.params[k].type for k in wrt)]
    outs = entry.b.bind(Vjp(main.name, entry.params, tuple(cotangents), wrt), types, "y")
    results = outs[len(main.result_types) :]
    params = (*entry.params[:count], *bars, *entry.params[count:])
    out = TupleSpec(tuple(LeafSpec(r.type) for r in results))
    return entry.finish("vjp", params, results, out, (*task.args, task.out))
